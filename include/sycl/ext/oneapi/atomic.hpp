// Atomic operations under the names that they had before SYCL 2020
// (`sycl_ext_oneapi_extended_atomics`). `<CL/sycl.hpp>` includes this header.
#ifndef SCYTHE_EXT_ONEAPI_ATOMIC_HPP
#define SCYTHE_EXT_ONEAPI_ATOMIC_HPP

#include <sycl/accessor.hpp>
#include <sycl/atomic_fence.hpp>
#include <sycl/atomic_ref.hpp>

namespace sycl::ext::oneapi {

using sycl::atomic_fence;
using sycl::memory_order;
using sycl::memory_scope;

template <class T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space>
using atomic_ref = sycl::atomic_ref<T, DefaultOrder, DefaultScope, Space>;

// An accessor whose elements are atomic references.
template <class T, int D, memory_order DefaultOrder, memory_scope DefaultScope,
          target Target = target::device,
          access::placeholder Placeholder = access::placeholder::false_t>
class atomic_accessor : public accessor<T, D, access_mode::read_write, Target, Placeholder> {
  using base = accessor<T, D, access_mode::read_write, Target, Placeholder>;

public:
  using value_type = T;
  using reference = atomic_ref<T, DefaultOrder, DefaultScope>;
  using base::base;
  atomic_accessor(const base &other) : base(other) {}
  reference operator[](id<D> index) const { return reference(base::operator[](index)); }
};

} // namespace sycl::ext::oneapi

#endif
