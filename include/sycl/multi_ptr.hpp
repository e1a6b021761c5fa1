// `sycl::multi_ptr`: a pointer with an address space. In C++, pointers of all address spaces are
// generic pointers, decorated or not. The compiler infers the real address spaces.
//
// One class serves elements and void, the current interface and the legacy interface of SYCL 1.2.1.
// The interfaces differ in their implicit conversions.
#ifndef SCYTHE_MULTI_PTR_HPP
#define SCYTHE_MULTI_PTR_HPP

#include <sycl/detail/buffer_fwd.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

#ifdef SCYTHE_DEVICE_PASS
SCYTHE_DEVICE_LIBRARY extern void __spirv_ocl_prefetch(const
                                                       __attribute__((opencl_global)) char *first,
                                                       __SIZE_TYPE__ bytes) noexcept;
// Tests whether a pointer points into an address space. These are predicates, because 0 may be a
// valid address of an address space.
extern "C" {
SCYTHE_DEVICE_LIBRARY __attribute__((const)) bool
__scythe_is_global(const volatile void *p) noexcept;
SCYTHE_DEVICE_LIBRARY __attribute__((const)) bool
__scythe_is_local(const volatile void *p) noexcept;
SCYTHE_DEVICE_LIBRARY __attribute__((const)) bool
__scythe_is_private(const volatile void *p) noexcept;
}
#endif

namespace sycl {

using addrspace = access::address_space;
inline constexpr addrspace addrspace_global = addrspace::global_space;
inline constexpr addrspace addrspace_local = addrspace::local_space;
inline constexpr addrspace addrspace_private = addrspace::private_space;
inline constexpr addrspace addrspace_generic = addrspace::generic_space;

// No type is decorated in this implementation.
template <class T> struct remove_decoration {
  using type = T;
};
template <class T> using remove_decoration_t = typename remove_decoration<T>::type;

namespace detail {

// Whether the address space is global memory or a part of it.
constexpr bool is_global(addrspace space) {
  return space == addrspace::global_space || space >= addrspace::ext_intel_global_device_space;
}
// Whether a pointer into one address space is valid in another: the same, global memory for its
// parts, or the generic space, which contains all spaces except constant memory.
constexpr bool is_within(addrspace from, addrspace to) {
  return from == to || (to == addrspace::generic_space && from != addrspace::constant_space) ||
         (to == addrspace::global_space && is_global(from));
}
// The address space of the elements of an accessor.
constexpr addrspace space_of(target t) {
  return t == target::local             ? addrspace::local_space
         : t == target::constant_buffer ? addrspace::constant_space
                                        : addrspace::global_space;
}
// Returns whether a pointer points into an address space. Outside device code and in host mode, all
// memory is one space, so the result is true. Generic pointers do not point to constant memory, so
// the program must know about it.
template <addrspace Space> bool is_in_space([[maybe_unused]] const volatile void *p) {
#ifdef SCYTHE_DEVICE_PASS
  if constexpr (is_global(Space))
    return __scythe_is_global(p);
  else if constexpr (Space == addrspace::local_space)
    return __scythe_is_local(p);
  else if constexpr (Space == addrspace::private_space)
    return __scythe_is_private(p);
  else
#endif
    return true;
}

} // namespace detail

template <class T, access::address_space Space,
          access::decorated Decorated = access::decorated::legacy>
class multi_ptr {
  static constexpr bool legacy = Decorated == access::decorated::legacy;
  template <class U> static constexpr bool points_here = std::is_convertible_v<U *, T *>;

public:
  static constexpr bool is_decorated = Decorated == access::decorated::yes;
  static constexpr access::address_space address_space = Space;
  using value_type = T;
  using element_type = T;
  using pointer = T *;
  using reference = std::add_lvalue_reference_t<T>;
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using pointer_t = T *;
  using const_pointer_t = const T *;
  using reference_t = reference;
  using const_reference_t = std::add_lvalue_reference_t<const T>;

  constexpr multi_ptr() = default;
  constexpr multi_ptr(std::nullptr_t) {}
  template <bool L = legacy, std::enable_if_t<!L, int> = 0>
  explicit constexpr multi_ptr(T *p) : pointer_(p) {}
  template <bool L = legacy, std::enable_if_t<L, long> = 0>
  constexpr multi_ptr(T *p) : pointer_(p) {}

  // A read-only accessor gives const elements, except for deprecated constant buffers.
  template <
      class U, int Dimensions, access_mode Mode, target Target, access::placeholder Placeholder,
      class Properties,
      class Pointee = std::conditional_t<
          Target == target::constant_buffer, U,
          typename accessor<U, Dimensions, Mode, Target, Placeholder, Properties>::value_type>,
      class = std::enable_if_t<(detail::is_within(detail::space_of(Target), Space) ||
                                (Target == target::device &&
                                 Space == addrspace::ext_intel_global_device_space)) &&
                               Target != target::host_task && points_here<Pointee>>>
  multi_ptr(const accessor<U, Dimensions, Mode, Target, Placeholder, Properties> &a)
      : pointer_(
            const_cast<Pointee *>(a.template get_multi_ptr<access::decorated::no>().get_raw())) {}
  template <
      class U, int Dimensions,
      class = std::enable_if_t<detail::is_within(addrspace::local_space, Space) && points_here<U>>>
  multi_ptr(const local_accessor<U, Dimensions> &a)
      : pointer_(a.template get_multi_ptr<access::decorated::no>().get_raw()) {}

  // Implicit conversions to const elements, to void, to another decoration and to the generic
  // space.
  template <class U, access::address_space S, access::decorated D,
            std::enable_if_t<detail::is_within(S, Space) && points_here<U>, int> = 0>
  constexpr multi_ptr(const multi_ptr<U, S, D> &other) : pointer_(other.get_raw()) {}
  // Explicit conversions from void, from the generic space, and from global memory to its parts.
  // The program must know that they are valid.
  template <class U, access::address_space S, access::decorated D,
            std::enable_if_t<(!detail::is_within(S, Space) && detail::is_within(Space, S) &&
                              points_here<U>) ||
                                 (S == Space && std::is_void_v<U> && !std::is_void_v<T> &&
                                  (std::is_const_v<T> || !std::is_const_v<U>)),
                             long> = 0>
  explicit constexpr multi_ptr(const multi_ptr<U, S, D> &other)
      : pointer_(static_cast<T *>(other.get_raw())) {}

  constexpr multi_ptr &operator=(std::nullptr_t) {
    pointer_ = nullptr;
    return *this;
  }
  template <bool L = legacy, class = std::enable_if_t<L>> constexpr multi_ptr &operator=(T *p) {
    pointer_ = p;
    return *this;
  }

  constexpr pointer get() const { return pointer_; }
  constexpr T *get_raw() const { return pointer_; }
  constexpr pointer get_decorated() const { return pointer_; }
  constexpr reference operator*() const { return *pointer_; }
  constexpr pointer operator->() const { return pointer_; }
  template <class U = T>
  constexpr std::add_lvalue_reference_t<U> operator[](std::ptrdiff_t i) const {
    return pointer_[i];
  }
  constexpr operator pointer() const { return pointer_; }

  // Hints that the elements will be read soon.
  template <access::address_space S = Space, class = std::enable_if_t<detail::is_global(S)>>
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

  friend constexpr multi_ptr &operator++(multi_ptr &p) { return p += 1; }
  friend constexpr multi_ptr &operator--(multi_ptr &p) { return p -= 1; }
  friend constexpr multi_ptr operator++(multi_ptr &p, int) {
    const multi_ptr old = p;
    p += 1;
    return old;
  }
  friend constexpr multi_ptr operator--(multi_ptr &p, int) {
    const multi_ptr old = p;
    p -= 1;
    return old;
  }
  friend constexpr multi_ptr &operator+=(multi_ptr &p, difference_type n) {
    p.pointer_ += n;
    return p;
  }
  friend constexpr multi_ptr &operator-=(multi_ptr &p, difference_type n) {
    p.pointer_ -= n;
    return p;
  }
  friend constexpr multi_ptr operator+(const multi_ptr &p, difference_type n) {
    return multi_ptr(p.pointer_ + n);
  }
  friend constexpr multi_ptr operator-(const multi_ptr &p, difference_type n) {
    return multi_ptr(p.pointer_ - n);
  }

// Compares addresses. Null is the smallest.
#define SCYTHE_COMPARISON(op)                                                                      \
  friend constexpr bool operator op(const multi_ptr &a, const multi_ptr &b) {                      \
    return a.pointer_ op b.pointer_;                                                               \
  }                                                                                                \
  friend constexpr bool operator op(const multi_ptr &a, std::nullptr_t) {                          \
    return a.pointer_ op static_cast<T *>(nullptr);                                                \
  }                                                                                                \
  friend constexpr bool operator op(std::nullptr_t, const multi_ptr &b) {                          \
    return static_cast<T *>(nullptr) op b.pointer_;                                                \
  }
  SCYTHE_COMPARISON(==)
  SCYTHE_COMPARISON(!=)
  SCYTHE_COMPARISON(<)
  SCYTHE_COMPARISON(>)
  SCYTHE_COMPARISON(<=)
  SCYTHE_COMPARISON(>=)
#undef SCYTHE_COMPARISON
  // Without these overloads, either side could convert to the type of the other.
  friend constexpr bool operator==(const multi_ptr &a, T *b) { return a.pointer_ == b; }
  friend constexpr bool operator!=(const multi_ptr &a, T *b) { return a.pointer_ != b; }
  friend constexpr bool operator==(T *a, const multi_ptr &b) { return a == b.pointer_; }
  friend constexpr bool operator!=(T *a, const multi_ptr &b) { return a != b.pointer_; }

private:
  T *pointer_ = nullptr;
};

template <class T, int D, access::placeholder P, class Properties>
multi_ptr(const accessor<T, D, access_mode::read, target::device, P, Properties> &)
    -> multi_ptr<const T, access::address_space::global_space, access::decorated::no>;
template <class T, int D, access_mode M, access::placeholder P, class Properties>
multi_ptr(const accessor<T, D, M, target::device, P, Properties> &)
    -> multi_ptr<T, access::address_space::global_space, access::decorated::no>;
template <class T, int D, access_mode M, access::placeholder P, class Properties>
multi_ptr(const accessor<T, D, M, target::constant_buffer, P, Properties> &)
    -> multi_ptr<const T, access::address_space::constant_space, access::decorated::no>;
template <class T, int D, access_mode M, access::placeholder P, class Properties>
multi_ptr(const accessor<T, D, M, target::local, P, Properties> &)
    -> multi_ptr<T, access::address_space::local_space, access::decorated::no>;
template <class T, int D>
multi_ptr(const local_accessor<T, D> &)
    -> multi_ptr<T, access::address_space::local_space, access::decorated::no>;

// The result is null if the pointer points elsewhere.
template <access::address_space Space, access::decorated Decorated, class T>
multi_ptr<T, Space, Decorated> address_space_cast(T *p) {
  return multi_ptr<T, Space, Decorated>(detail::is_in_space<Space>(p) ? p : nullptr);
}
template <class T, access::address_space Space,
          access::decorated Decorated = access::decorated::legacy>
multi_ptr<T, Space, Decorated> make_ptr(T *p) {
  return address_space_cast<Space, Decorated>(p);
}

#define SCYTHE_POINTERS(name, space)                                                               \
  template <class T, access::decorated D = access::decorated::legacy>                              \
  using name##_ptr = multi_ptr<T, access::address_space::space, D>;                                \
  template <class T>                                                                               \
  using raw_##name##_ptr = multi_ptr<T, access::address_space::space, access::decorated::no>;      \
  template <class T>                                                                               \
  using decorated_##name##_ptr =                                                                   \
      multi_ptr<T, access::address_space::space, access::decorated::yes>;
SCYTHE_POINTERS(global, global_space)
SCYTHE_POINTERS(local, local_space)
SCYTHE_POINTERS(private, private_space)
SCYTHE_POINTERS(generic, generic_space)
template <class T>
using constant_ptr = multi_ptr<T, access::address_space::constant_space, access::decorated::legacy>;

// `sycl_ext_intel_usm_address_spaces`.
namespace ext::intel {
SCYTHE_POINTERS(device, ext_intel_global_device_space)
SCYTHE_POINTERS(host, ext_intel_global_host_space)
} // namespace ext::intel
#undef SCYTHE_POINTERS

} // namespace sycl

#endif
