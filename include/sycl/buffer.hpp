// `sycl::buffer`: an array of 1 to 3 dimensions that commands and the host share through accessors.
//
// Copies refer to the same array. The destructor of the last copy waits for the commands that use
// the array. It then writes the contents back to the destination set at construction or by
// `set_final_data`.
#ifndef SCYTHE_BUFFER_HPP
#define SCYTHE_BUFFER_HPP

#include <sycl/context.hpp>
#include <sycl/detail/buffer_fwd.hpp>
#include <sycl/detail/range_bytes.hpp>
#include <sycl/detail/write_back.hpp>
#include <sycl/id.hpp>

namespace std {
class mutex;
}

namespace sycl {

namespace property::buffer {

// The buffer uses the given host memory directly.
struct use_host_ptr : detail::property_base {
  static constexpr unsigned scythe_bit = 8;
};

// The program locks the mutex while it accesses the host memory that it passed.
class use_mutex : public detail::property_base {
public:
  use_mutex(std::mutex &mutex) : mutex_(&mutex) {}
  std::mutex *get_mutex_ptr() const { return mutex_; }

private:
  std::mutex *mutex_;
};

// The buffer is only used in this context.
class context_bound : public detail::property_base {
public:
  context_bound(const context &bound) : context_(context::scythe_make(bound.scythe_impl())) {}
  context get_context() const { return context::scythe_make(context_.scythe_impl()); }

private:
  context context_;
};

} // namespace property::buffer

template <class T, int D, class A>
struct is_property_of<property::buffer::use_host_ptr, buffer<T, D, A>> : std::true_type {};
template <class T, int D, class A>
struct is_property_of<property::buffer::use_mutex, buffer<T, D, A>> : std::true_type {};
template <class T, int D, class A>
struct is_property_of<property::buffer::context_bound, buffer<T, D, A>> : std::true_type {};

// A hint, which the runtime ignores.
namespace ext::oneapi::property::buffer {
struct use_pinned_host_memory : sycl::detail::property_base {
  static constexpr unsigned scythe_bit = 4096;
};
} // namespace ext::oneapi::property::buffer
template <class T, int D, class A>
struct is_property_of<ext::oneapi::property::buffer::use_pinned_host_memory, buffer<T, D, A>>
    : std::true_type {};

namespace detail {
// True for containers with contiguous elements that a buffer accepts.
template <class C, class T, class = void> inline constexpr bool is_container_of = false;
template <class C, class T>
inline constexpr bool is_container_of<
    C, T, std::void_t<decltype(std::declval<C &>().data()), decltype(std::declval<C &>().size())>> =
    std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[],
                          const T (*)[]>;
template <class T, class Allocator> struct native_buffer;
template <class I> using iterator_value = typename std::iterator_traits<I>::value_type;

SCYTHE_LIBRARY handle<scythe_buffer> create_buffer(void *host, std::uint64_t bytes,
                                                   std::uint64_t element_size, std::uint32_t flags,
                                                   const property_list &p) {
  if (host && p.has_property<property::buffer::use_host_ptr>()) {
    flags &= ~std::uint32_t(SCYTHE_BUFFER_COPY_HOST);
    flags |= SCYTHE_BUFFER_USE_HOST_PTR;
  }
  scythe_buffer_desc desc = {bytes, element_size, host, flags, 0};
  scythe_buffer created = nullptr;
  check(scythe_buffer_create(&desc, &created));
  return handle<scythe_buffer>::adopt(created);
}

} // namespace detail

template <class T, int Dimensions, class Allocator> class buffer {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "a buffer must have 1, 2 or 3 dimensions");
  using range_type = range<Dimensions>;
  using element = std::remove_const_t<T>;
  // Buffers of const elements have no constructors from memory that could be written back.
  struct no_memory;
  using writable = std::conditional_t<std::is_const_v<T>, no_memory, T>;
  template <int D, class R> using if_1d = std::enable_if_t<D == 1, R>;

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using allocator_type = Allocator;

  // --- Without contents

  buffer(const range_type &r, const property_list &p = {}) : buffer(r, Allocator(), p) {}
  buffer(const range_type &r, Allocator a, const property_list &p = {})
      : buffer(static_cast<void *>(nullptr), r, 0, a, p) {}

  // --- From host memory, written back if it is not const

  buffer(writable *host, const range_type &r, const property_list &p = {})
      : buffer(host, r, Allocator(), p) {}
  buffer(writable *host, const range_type &r, Allocator a, const property_list &p = {})
      : buffer(host, r, 0, a, p) {}
  buffer(const T *host, const range_type &r, const property_list &p = {})
      : buffer(host, r, Allocator(), p) {}
  buffer(const T *host, const range_type &r, Allocator a, const property_list &p = {})
      : buffer(const_cast<element *>(host), r, SCYTHE_BUFFER_READ_ONLY_HOST, a, p) {}
  // Without these overloads, `nullptr` could convert to either pointer.
  buffer(std::nullptr_t, const range_type &r, const property_list &p = {}) : buffer(r, p) {}
  buffer(std::nullptr_t, const range_type &r, Allocator a, const property_list &p = {})
      : buffer(r, a, p) {}

  // --- From a container with contiguous elements

  template <class C, int D = Dimensions,
            class = std::enable_if_t<D == 1 && detail::is_container_of<C, T>>>
  buffer(C &container, Allocator a, const property_list &p = {})
      : buffer(container.data(), range_type(container.size()), a, p) {}
  template <class C, int D = Dimensions,
            class = std::enable_if_t<D == 1 && detail::is_container_of<C, T>>>
  buffer(C &container, const property_list &p = {}) : buffer(container, Allocator(), p) {}

  // --- From shared memory, written back at the end. If a mutex guards the memory, the buffer locks
  // the same mutex as the program.

  template <class U, class = detail::if_shared_elements<U, T>>
  buffer(const std::shared_ptr<U> &host, const range_type &r, const property_list &p = {})
      : buffer(host, r, Allocator(), p) {}
  template <class U, class = detail::if_shared_elements<U, T>>
  buffer(const std::shared_ptr<U> &host, const range_type &r, Allocator a,
         const property_list &p = {})
      : buffer(const_cast<element *>(host.get()), r,
               !std::is_const_v<T> && p.has_property<property::buffer::use_mutex>()
                   ? SCYTHE_BUFFER_USE_HOST_PTR
                   : SCYTHE_BUFFER_COPY_HOST,
               a, p) {
    owner_ = detail::ref<detail::counted_object>::adopt(new detail::shared_memory<U>(host));
    if constexpr (std::is_const_v<T>)
      set_final_data(nullptr);
    else
      detail::write_back_to(handle_.get(), detail::write_to_shared<std::shared_ptr<U>>{host});
  }

  // --- From iterators: copied now, not written back

  template <class I, int D = Dimensions, class = std::enable_if_t<D == 1>,
            class = detail::iterator_value<I>>
  buffer(I first, I last, const property_list &p = {}) : buffer(first, last, Allocator(), p) {}
  template <class I, int D = Dimensions, class = std::enable_if_t<D == 1>,
            class = detail::iterator_value<I>>
  buffer(I first, I last, Allocator a, const property_list &p = {})
      : buffer(std::vector<copied>(first, last), a, p, copied_tag()) {}

  // --- A part of another buffer

  buffer(buffer &parent, const id<Dimensions> &base, const range_type &sub_range)
      : owner_(parent.owner_), range_(sub_range), allocator_(parent.allocator_),
        properties_(parent.properties_), sub_buffer_(true) {
    std::size_t offset = parent.check_part(base, sub_range) * sizeof(T);
    scythe_buffer part = nullptr;
    detail::check(
        scythe_buffer_create_sub(parent.scythe_handle(), offset, range_.size() * sizeof(T), &part));
    handle_ = detail::handle<scythe_buffer>::adopt(part);
  }

  range_type get_range() const { return range_; }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  std::size_t size() const noexcept { return range_.size(); }
  std::size_t get_count() const { return size(); }
  std::size_t get_size() const { return byte_size(); }
  Allocator get_allocator() const { return allocator_; }
  bool is_sub_buffer() const { return sub_buffer_; }

  // --- Access; defined with the accessors

  template <access_mode Mode, target Target = target::device>
  accessor<T, Dimensions, Mode, detail::command_target<Target>> get_access(handler &h);
  template <access_mode Mode, target Target = target::device>
  accessor<T, Dimensions, Mode, detail::command_target<Target>>
  get_access(handler &h, range_type r, id<Dimensions> offset = {});
  template <class... Args> auto get_access(handler &h, Args... args);
  // A placeholder.
  template <class... Args, class = std::enable_if_t<(!std::is_same_v<Args, handler> && ...)>>
  auto get_access(Args... args);
  template <access_mode Mode> accessor<T, Dimensions, Mode, target::host_buffer> get_access();
  template <access_mode Mode>
  accessor<T, Dimensions, Mode, target::host_buffer> get_access(range_type r,
                                                                id<Dimensions> offset = {});
  template <class... Args> auto get_host_access(Args... args);

  // --- Write-back

  // Sets the destination of the write-back in the last copy's destructor: a pointer, a weak_ptr or
  // shared_ptr, or an output iterator. Null disables the write-back.
  template <class Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    detail::set_final_data<T>(handle_.get(), destination);
  }
  void set_write_back(bool on = true) { scythe_buffer_set_write_back(handle_.get(), on); }

  // --- Reinterpretation as another type

  template <class U, int D>
  buffer<U, D, typename std::allocator_traits<Allocator>::template rebind_alloc<U>>
  reinterpret(range<D> r) const {
    const std::size_t bytes = detail::range_bytes<U>("buffer::reinterpret", r);
    if (bytes != byte_size())
      detail::fail(errc::invalid,
                   "buffer::reinterpret: the new range has %zu bytes, but the buffer has %zu; the "
                   "sizes must be equal",
                   bytes, byte_size());
    return {
        detail::handle<scythe_buffer>(handle_), r, allocator_, properties_, owner_, sub_buffer_};
  }
  template <class U, int D = Dimensions> auto reinterpret() const {
    static_assert(D == 1 || (D == Dimensions && sizeof(U) == sizeof(T)),
                  "buffer::reinterpret: the new range cannot be deduced; pass the range");
    if constexpr (D == 1) {
      if (byte_size() % sizeof(U))
        detail::fail(errc::invalid,
                     "buffer::reinterpret: the buffer has %zu bytes, which is not a multiple of "
                     "the element size %zu",
                     byte_size(), sizeof(U));
      return reinterpret<U>(range<1>(byte_size() / sizeof(U)));
    } else {
      return reinterpret<U>(range_);
    }
  }

  template <class P> bool has_property() const noexcept {
    return properties_.template has_property<P>();
  }
  template <class P> P get_property() const { return properties_.template get_property<P>(); }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const buffer &a, const buffer &b) { return a.handle_ == b.handle_; }
  friend bool operator!=(const buffer &a, const buffer &b) { return a.handle_ != b.handle_; }

  scythe_buffer scythe_handle() const noexcept { return handle_.get(); }

private:
  template <class, class> friend struct detail::weak_parts;
  template <class, int, class> friend class buffer;
  template <class, class> friend struct detail::native_buffer;
  struct copied_tag {};

  buffer(void *host, const range_type &r, std::uint32_t flags, const Allocator &a,
         const property_list &p)
      : handle_(detail::create_buffer(host, checked_size(r), sizeof(T), flags, p)), range_(r),
        allocator_(a), properties_(p) {}
  // A vector of `bool` has no contiguous memory.
  using copied = std::conditional_t<std::is_same_v<element, bool>, unsigned char, element>;
  buffer(std::vector<copied> contents, const Allocator &a, const property_list &p, copied_tag)
      : range_(contents.size()), allocator_(a), properties_(p) {
    scythe_buffer_desc desc = {contents.size() * sizeof(T), sizeof(T), contents.data(),
                               SCYTHE_BUFFER_COPY_HOST, 0};
    scythe_buffer created = nullptr;
    detail::check(scythe_buffer_create(&desc, &created));
    handle_ = detail::handle<scythe_buffer>::adopt(created);
    set_final_data(nullptr);
  }
  template <class B>
  buffer(detail::handle<scythe_buffer> handle, const range_type &r, const B &a,
         const property_list &p, detail::ref<detail::counted_object> owner, bool sub_buffer)
      : owner_(std::move(owner)), handle_(std::move(handle)), range_(r), allocator_(a),
        properties_(p), sub_buffer_(sub_buffer) {}

  static std::uint64_t checked_size(const range_type &r) {
    return detail::range_bytes<T>("buffer", r);
  }
  // Returns the index of the first element of the part. Checks that the part is contiguous and
  // inside the buffer.
  std::size_t check_part(const id<Dimensions> &base, const range_type &part) const {
    if (sub_buffer_)
      detail::fail(errc::invalid, "buffer: cannot create a sub-buffer of a sub-buffer");
    bool must_be_whole = false;
    for (int i = 0; i < Dimensions; ++i) {
      if (base[i] > range_[i] || part[i] > range_[i] - base[i])
        detail::fail(errc::invalid,
                     "sub-buffer: offset %zu plus range %zu in dimension %d exceeds the buffer's "
                     "range of %zu",
                     base[i], part[i], i, range_[i]);
      if (must_be_whole && part[i] != range_[i])
        detail::fail(
            errc::invalid,
            "sub-buffer: the region is not contiguous: it must span dimension %d (%zu elements)", i,
            range_[i]);
      must_be_whole = must_be_whole || part[i] != 1;
    }
    return detail::linear(base, range_);
  }

  // Keeps shared host memory alive until the last command has ended.
  detail::ref<detail::counted_object> owner_;
  detail::handle<scythe_buffer> handle_;
  range_type range_;
  Allocator allocator_;
  property_list properties_;
  bool sub_buffer_ = false;
};

template <class T, int D>
buffer(const T *, const range<D> &, const property_list & = {}) -> buffer<T, D>;
template <class T, int D, class A>
buffer(const T *, const range<D> &, A, const property_list & = {}) -> buffer<T, D, A>;
template <class C, class = decltype(std::declval<C &>().data())>
buffer(C &, const property_list & = {}) -> buffer<typename C::value_type, 1>;
template <class C, class A, class = decltype(std::declval<C &>().data()),
          class = typename A::value_type>
buffer(C &, A, const property_list & = {}) -> buffer<typename C::value_type, 1, A>;
template <class I, class = detail::iterator_value<I>>
buffer(I, I, const property_list & = {}) -> buffer<detail::iterator_value<I>, 1>;
template <class I, class A, class = detail::iterator_value<I>, class = typename A::value_type>
buffer(I, I, A, const property_list & = {}) -> buffer<detail::iterator_value<I>, 1, A>;
template <class T, int D>
buffer(const std::shared_ptr<T> &, const range<D> &, const property_list & = {})
    -> buffer<std::remove_extent_t<T>, D>;

} // namespace sycl

template <class T, int D, class A> struct std::hash<sycl::buffer<T, D, A>> {
  std::size_t operator()(const sycl::buffer<T, D, A> &b) const noexcept {
    return std::hash<const void *>()(b.scythe_handle());
  }
};

#endif
