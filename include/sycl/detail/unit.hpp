// The identifier of the translation unit. The runtime uses it to find kernels and specialization
// constants with internal linkage in device code. Only templates whose arguments may have internal
// linkage may read it. Linkers keep one copy of other functions in headers, and that copy would
// contain the identifier of one unit.
//
// The identifier depends on the compiled unit. The driver therefore writes it to the section after
// the compilation, in place of a provisional value. The variable is volatile, because compilers
// must not assume its value.
#ifndef SCYTHE_DETAIL_UNIT_HPP
#define SCYTHE_DETAIL_UNIT_HPP

#include <sycl/detail/config.hpp>

#include <cstdint>

#ifndef SCYTHE_DEVICE_PASS
namespace sycl::detail {
#ifdef SCYTHE_HOST_MODE
inline constexpr std::uint64_t unit_id = 0;
#else
__attribute__((section(".scythe.unit"))) static const volatile std::uint64_t unit_id = SCYTHE_TU_ID;
#endif
} // namespace sycl::detail
#endif

#endif
