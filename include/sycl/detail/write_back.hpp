// The destination of the final contents of a buffer or image.
#ifndef SCYTHE_DETAIL_WRITE_BACK_HPP
#define SCYTHE_DETAIL_WRITE_BACK_HPP

#include <sycl/detail/handle.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace sycl::detail {

template <class T> inline constexpr bool is_weak_ptr = false;
template <class T> inline constexpr bool is_weak_ptr<std::weak_ptr<T>> = true;

template <class T> inline constexpr bool is_shared_ptr = false;
template <class T> inline constexpr bool is_shared_ptr<std::shared_ptr<T>> = true;

inline void copy_bytes(void *to, const void *from, std::uint64_t bytes) {
  // The buffer may have used this memory directly.
  if (bytes && to != from)
    std::memcpy(to, from, bytes);
}

// Whether a `std::shared_ptr<U>` can own the elements of a buffer of `T`.
template <class U, class T>
using if_shared_elements =
    std::enable_if_t<std::is_convertible_v<std::remove_extent_t<U> (*)[], T (*)[]>>;

// Keeps memory with shared ownership alive while a buffer uses it.
template <class T> struct shared_memory final : counted_object {
  explicit shared_memory(const std::shared_ptr<T> &m) : memory(m) {}
  std::shared_ptr<T> memory;
};

template <class Shared> struct write_to_shared {
  Shared destination;
  void write(const void *data, std::uint64_t bytes) const {
    copy_bytes(destination.get(), data, bytes);
  }
};

// Writes only if another owner of the destination still exists.
template <class Weak> struct write_to_weak {
  Weak destination;
  void write(const void *data, std::uint64_t bytes) const {
    if (auto owned = destination.lock())
      copy_bytes(owned.get(), data, bytes);
  }
};

template <class T, class Iterator> struct write_to_iterator {
  Iterator destination;
  void write(const void *data, std::uint64_t bytes) const {
    const T *elements = static_cast<const T *>(data);
    Iterator out = destination;
    for (std::uint64_t i = 0; i < bytes / sizeof(T); ++i, ++out)
      *out = elements[i];
  }
};

template <class W> void write_back_to(scythe_buffer buffer, W writer) {
  scythe_buffer_set_final(
      buffer, nullptr,
      [](void *ctx, const void *data, std::uint64_t bytes) {
        static_cast<W *>(ctx)->write(data, bytes);
      },
      new W(std::move(writer)), [](void *ctx) { delete static_cast<W *>(ctx); });
}

// The destination is null for none, a pointer, a weak_ptr or shared_ptr, or an output iterator for
// elements of type `T`.
template <class T, class Destination>
void set_final_data(scythe_buffer buffer, Destination destination) {
  if constexpr (std::is_null_pointer_v<Destination>)
    scythe_buffer_set_final(buffer, nullptr, nullptr, nullptr, nullptr);
  else if constexpr (std::is_pointer_v<Destination>)
    scythe_buffer_set_final(buffer, destination, nullptr, nullptr, nullptr);
  else if constexpr (is_weak_ptr<Destination>)
    write_back_to(buffer, write_to_weak<Destination>{destination});
  else if constexpr (is_shared_ptr<Destination>)
    write_back_to(buffer, write_to_shared<Destination>{destination});
  else
    write_back_to(buffer, write_to_iterator<T, Destination>{destination});
}

} // namespace sycl::detail

#endif
