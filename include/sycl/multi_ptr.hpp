// `sycl::multi_ptr`: a pointer that names its address space. All spaces are generic pointers in C++; the compiler
// infers the real ones.
#ifndef SCYTHE_MULTI_PTR_HPP
#define SCYTHE_MULTI_PTR_HPP

#include <sycl/access.hpp>

#include <cstddef>
#include <type_traits>

#ifdef SCYTHE_DEVICE_PASS
SCYTHE_DEVICE_LIBRARY extern void __spirv_ocl_prefetch(const __attribute__((opencl_global)) char *first,
                                                       __SIZE_TYPE__ bytes) noexcept;
#endif

namespace sycl {

template <class T, access::address_space Space, access::decorated Decorated = access::decorated::legacy>
class multi_ptr {
public:
  static constexpr bool is_decorated = Decorated == access::decorated::yes;
  static constexpr access::address_space address_space = Space;
  using value_type = T;
  using pointer = T *;
  using reference = std::add_lvalue_reference_t<T>;
  using difference_type = std::ptrdiff_t;

  constexpr multi_ptr() = default;
  constexpr multi_ptr(std::nullptr_t) {}
  explicit constexpr multi_ptr(T *p) : pointer_(p) {}
  // Adding const, or changing the decoration, loses nothing.
  template <class U, access::decorated D, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
  constexpr multi_ptr(const multi_ptr<U, Space, D> &other) : pointer_(other.get()) {}

  constexpr T *get() const { return pointer_; }
  constexpr T *get_raw() const { return pointer_; }
  constexpr T *get_decorated() const { return pointer_; }
  constexpr reference operator*() const { return *pointer_; }
  constexpr T *operator->() const { return pointer_; }
  template <class U = T> constexpr std::add_lvalue_reference_t<U> operator[](std::ptrdiff_t i) const {
    return pointer_[i];
  }
  constexpr operator T *() const { return pointer_; }

  // Says that elements will be read soon.
  template <access::address_space S = Space, class = std::enable_if_t<S == access::address_space::global_space>>
  void prefetch(std::size_t elements) const {
    const std::size_t bytes = elements * sizeof(T);
#ifdef SCYTHE_DEVICE_PASS
    __spirv_ocl_prefetch((const __attribute__((opencl_global)) char *)pointer_, bytes);
#else
    constexpr std::size_t cache_line = 64;
    for (std::size_t at = 0; at < bytes; at += cache_line)
      __builtin_prefetch(reinterpret_cast<const char *>(pointer_) + at);
#endif
  }

  multi_ptr &operator++() {
    ++pointer_;
    return *this;
  }
  multi_ptr operator++(int) { return multi_ptr(pointer_++); }
  multi_ptr &operator--() {
    --pointer_;
    return *this;
  }
  multi_ptr operator--(int) { return multi_ptr(pointer_--); }
  multi_ptr &operator+=(std::ptrdiff_t n) {
    pointer_ += n;
    return *this;
  }
  multi_ptr &operator-=(std::ptrdiff_t n) {
    pointer_ -= n;
    return *this;
  }

private:
  T *pointer_ = nullptr;
};

template <class T, access::decorated D = access::decorated::legacy>
using global_ptr = multi_ptr<T, access::address_space::global_space, D>;
template <class T, access::decorated D = access::decorated::legacy>
using local_ptr = multi_ptr<T, access::address_space::local_space, D>;
template <class T, access::decorated D = access::decorated::legacy>
using private_ptr = multi_ptr<T, access::address_space::private_space, D>;
template <class T, access::decorated D = access::decorated::legacy>
using generic_ptr = multi_ptr<T, access::address_space::generic_space, D>;

} // namespace sycl

#endif
