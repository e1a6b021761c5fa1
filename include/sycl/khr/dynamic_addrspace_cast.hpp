// Casts a pointer to an address space. The result is null if the pointer points elsewhere
// (`sycl_khr_dynamic_addrspace_cast`).
#ifndef SCYTHE_KHR_DYNAMIC_ADDRSPACE_CAST_HPP
#define SCYTHE_KHR_DYNAMIC_ADDRSPACE_CAST_HPP

#include <sycl/multi_ptr.hpp>

namespace sycl::khr {

template <access::address_space Space, class T>
multi_ptr<T, Space, access::decorated::no> dynamic_addrspace_cast(T *p) {
  static_assert(Space != access::address_space::constant_space,
                "cannot cast a generic pointer to constant memory");
  return address_space_cast<Space, access::decorated::no>(p);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated>
dynamic_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> p) {
  static_assert(Space != access::address_space::constant_space,
                "cannot cast a generic pointer to constant memory");
  return address_space_cast<Space, Decorated>(p.get_raw());
}

} // namespace sycl::khr

#endif
