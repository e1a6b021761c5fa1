// Casts a pointer to an address space. The program must know that the pointer points there
// (`sycl_khr_static_addrspace_cast`).
#ifndef SCYTHE_KHR_STATIC_ADDRSPACE_CAST_HPP
#define SCYTHE_KHR_STATIC_ADDRSPACE_CAST_HPP

#include <sycl/multi_ptr.hpp>

namespace sycl::khr {

template <access::address_space Space, class T>
multi_ptr<T, Space, access::decorated::no> static_addrspace_cast(T *p) {
  return multi_ptr<T, Space, access::decorated::no>(p);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated>
static_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> p) {
  return multi_ptr<T, Space, Decorated>(p.get_raw());
}

} // namespace sycl::khr

#endif
