// Private memory whose size is a specialization constant (`sycl_ext_oneapi_private_alloca`).
//
// The compiler for a device knows the value of the constant and makes a variable of the function
// that calls `private_alloca`. Host mode has no private memory.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ALLOCA_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ALLOCA_HPP

#include <sycl/exception.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/specialization_id.hpp>

#ifdef SCYTHE_DEVICE_PASS
// After inlining, each call is a separate variable of `bytes` bytes times the value of the
// constant.
SCYTHE_DEVICE_LIBRARY extern "C" void *
__scythe_private_alloca(const void *constant, __SIZE_TYPE__ bytes, __SIZE_TYPE__ align) noexcept;
#endif

namespace sycl::ext::oneapi::experimental {

template <class ElementType, std::size_t Alignment, auto &SizeSpecName,
          access::decorated DecorateAddress>
SCYTHE_ALWAYS_INLINE private_ptr<ElementType, DecorateAddress>
aligned_private_alloca(kernel_handler &) {
  using size_type = sycl::detail::specialization_type<SizeSpecName>;
  static_assert(
      std::is_trivial_v<ElementType> && !std::is_const_v<ElementType> &&
          !std::is_volatile_v<ElementType>,
      "private_alloca: the element type must be a trivial type without const and volatile");
  static_assert(std::is_integral_v<size_type>,
                "private_alloca: the specialization constant must be an integer");
  static_assert(
      Alignment > 0 && (Alignment & (Alignment - 1)) == 0 && Alignment % alignof(ElementType) == 0,
      "aligned_private_alloca: the alignment must be a power of two and a multiple of the "
      "alignment of the element type");
#ifdef SCYTHE_DEVICE_PASS
  void *memory = __scythe_private_alloca(
      &sycl::detail::specialization_constant<SizeSpecName>::value, sizeof(ElementType), Alignment);
  return address_space_cast<access::address_space::private_space, DecorateAddress>(
      static_cast<ElementType *>(memory));
#else
  sycl::detail::fail(errc::feature_not_supported,
                     "private_alloca: kernels that run as host code do not support "
                     "sycl_ext_oneapi_private_alloca; compile with -fsycl");
#endif
}
template <class ElementType, auto &SizeSpecName, access::decorated DecorateAddress>
SCYTHE_ALWAYS_INLINE private_ptr<ElementType, DecorateAddress> private_alloca(kernel_handler &kh) {
  return aligned_private_alloca<ElementType, alignof(ElementType), SizeSpecName, DecorateAddress>(
      kh);
}

} // namespace sycl::ext::oneapi::experimental

#endif
