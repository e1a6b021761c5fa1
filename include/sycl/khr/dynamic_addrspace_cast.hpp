// A pointer to memory of an address space, or null where it points elsewhere (`sycl_khr_dynamic_addrspace_cast`).
//
// Outside of device code, in host mode as well, all memory is one: the pointer is in every space.
#ifndef SCYTHE_KHR_DYNAMIC_ADDRSPACE_CAST_HPP
#define SCYTHE_KHR_DYNAMIC_ADDRSPACE_CAST_HPP

#include <sycl/multi_ptr.hpp>

#define SYCL_KHR_DYNAMIC_ADDRSPACE_CAST 1

#ifdef SCYTHE_DEVICE_PASS
// Where a pointer to memory that the work-item can reach points. Predicates, since the address 0 of a space may be one
// of its own.
extern "C" {
SCYTHE_DEVICE_LIBRARY __attribute__((const)) bool __scythe_is_global(const volatile void *p) noexcept;
SCYTHE_DEVICE_LIBRARY __attribute__((const)) bool __scythe_is_local(const volatile void *p) noexcept;
SCYTHE_DEVICE_LIBRARY __attribute__((const)) bool __scythe_is_private(const volatile void *p) noexcept;
}
#endif

namespace sycl {

namespace detail {

template <access::address_space Space> bool is_in_space([[maybe_unused]] const volatile void *p) {
  static_assert(Space != access::address_space::constant_space, "no generic pointer points into constant memory");
#ifdef SCYTHE_DEVICE_PASS
  if constexpr (Space == access::address_space::global_space)
    return __scythe_is_global(p);
  else if constexpr (Space == access::address_space::local_space)
    return __scythe_is_local(p);
  else if constexpr (Space == access::address_space::private_space)
    return __scythe_is_private(p);
  else
#endif
    return true;
}

} // namespace detail

namespace khr {

template <access::address_space Space, class T>
multi_ptr<T, Space, access::decorated::no> dynamic_addrspace_cast(T *p) {
  return multi_ptr<T, Space, access::decorated::no>(detail::is_in_space<Space>(p) ? p : nullptr);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated> dynamic_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> p) {
  T *raw = p.get_raw();
  return multi_ptr<T, Space, Decorated>(detail::is_in_space<Space>(raw) ? raw : nullptr);
}

} // namespace khr

} // namespace sycl

#endif
