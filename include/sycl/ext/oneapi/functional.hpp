// Function objects under the names they had before SYCL 2020.
#ifndef SCYTHE_EXT_ONEAPI_FUNCTIONAL_HPP
#define SCYTHE_EXT_ONEAPI_FUNCTIONAL_HPP

#include <sycl/functional.hpp>

namespace sycl::ext::oneapi {

template <class T = void> using plus = sycl::plus<T>;
template <class T = void> using multiplies = sycl::multiplies<T>;
template <class T = void> using bit_and = sycl::bit_and<T>;
template <class T = void> using bit_or = sycl::bit_or<T>;
template <class T = void> using bit_xor = sycl::bit_xor<T>;
template <class T = void> using logical_and = sycl::logical_and<T>;
template <class T = void> using logical_or = sycl::logical_or<T>;
template <class T = void> using minimum = sycl::minimum<T>;
template <class T = void> using maximum = sycl::maximum<T>;

} // namespace sycl::ext::oneapi

#endif
