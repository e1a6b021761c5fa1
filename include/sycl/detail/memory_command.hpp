// Memory operations as commands of the C interface.
#ifndef SCYTHE_DETAIL_MEMORY_COMMAND_HPP
#define SCYTHE_DETAIL_MEMORY_COMMAND_HPP

#include <sycl/access.hpp>
#include <sycl/detail/abi.h>
#include <sycl/detail/abi_order.hpp>
#include <sycl/exception.hpp>

#include <type_traits>

namespace sycl::detail {

template <class T> std::size_t checked_bytes(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>,
                "copy and fill operations require a trivially copyable element type");
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, sizeof(T), &bytes))
    fail(errc::invalid, "memory operation: %zu elements of %zu bytes exceed the address space",
         count, sizeof(T));
  return bytes;
}

inline void set_memcpy(scythe_command &c, void *dst, const void *src, std::size_t bytes) {
  c.u.memory = {dst, src, bytes, 0, 0};
}
inline void set_fill(scythe_command &c, void *dst, const void *pattern, std::size_t pattern_size,
                     std::size_t bytes) {
  c.u.memory = {dst, pattern, bytes, pattern_size, 0};
}
inline void set_prefetch(scythe_command &c, const void *ptr, std::size_t bytes) {
  c.u.memory = {const_cast<void *>(ptr), nullptr, bytes, 0, 0};
}
inline void set_advise(scythe_command &c, const void *ptr, std::size_t bytes, int advice) {
  c.u.memory = {const_cast<void *>(ptr), nullptr, bytes, 0, advice};
}

// Checks a copy between an accessor and plain memory. Memory of type `void` holds elements of any
// type.
template <class T, class U> constexpr void check_copied_elements() {
  if constexpr (!std::is_void_v<U>)
    static_assert(sizeof(T) == sizeof(U),
                  "copy: the elements of source and destination must have the same size");
}

// A view of plain memory that holds exactly the elements of `box`.
inline scythe_view plain_view(const void *ptr, const scythe_view &box) {
  scythe_view v = box;
  v.buffer = nullptr;
  v.ptr = const_cast<void *>(ptr);
  for (int i = 0; i < 3; ++i) {
    v.memory_range[i] = box.range[i];
    v.offset[i] = 0;
  }
  return v;
}

// A view of `height` rows of `width` elements in plain memory. Rows begin `pitch` elements apart.
SCYTHE_LIBRARY_COLD scythe_view pitched_view(const void *ptr, std::size_t elem_size,
                                             std::size_t pitch, std::size_t width,
                                             std::size_t height) {
  if (width > pitch)
    fail(errc::invalid, "2D memory operation: the row width %zu is greater than the pitch %zu",
         width, pitch);
  return {nullptr,   const_cast<void *>(ptr), elem_size, {pitch, height ? height : 1, 1},
          {0, 0, 0}, {width, height, 1}};
}

// If source and destination have the same number of dimensions and `src` fits in `dst`, elements
// keep their positions and the copy writes a part of `dst`. Otherwise elements are copied in
// row-major order of both boxes.
SCYTHE_LIBRARY void set_copy(scythe_command &c, const scythe_view &src, const scythe_view &dst,
                             bool same_dims) {
  const std::uint64_t *from = src.range, *to = dst.range;
  const std::size_t count = from[0] * from[1] * from[2], room = to[0] * to[1] * to[2];
  if (room < count)
    fail(errc::invalid,
         "copy: the destination accessor has %zu elements, but the source has %zu; the destination "
         "must be at least as large",
         room, count);
  c.kind = SCYTHE_COMMAND_COPY;
  c.u.copy = {dst, src};
  if (same_dims && from[0] <= to[0] && from[1] <= to[1] && from[2] <= to[2])
    for (int i = 0; i < 3; ++i)
      c.u.copy.dst.range[i] = from[i];
}

// The handler's access to the members of an accessor.
struct accessor_view {
  template <class A> static scythe_view of(const A &acc) {
    scythe_view v;
    v.buffer = acc.buffer_;
    v.ptr = nullptr;
    v.elem_size = sizeof(*acc.data_);
    to_abi_order(v.memory_range, acc.memory_, 1);
    to_abi_order(v.offset, acc.offset_, 0);
    to_abi_order(v.range, acc.box_, 1);
    return v;
  }
  // `flags` are scythe_requirement_flags in addition to those of the accessor.
  template <class Handler, class A>
  SCYTHE_ALWAYS_INLINE static void require(Handler &handler, const A &acc, unsigned flags) {
    handler.require(acc.buffer_, abi_mode(A::mode),
                    flags | (acc.no_init_ ? unsigned(SCYTHE_REQUIREMENT_NO_INIT) : 0u));
  }
  // Returns the queue of the command.
  template <class Handler> static const auto &queue_of(const Handler &handler) {
    return handler.queue_;
  }
};

} // namespace sycl::detail

#endif
