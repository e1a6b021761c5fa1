// The identifier of the translation unit: by it the runtime finds what has internal linkage
// (kernels, specialization constants) in device code. Only templates whose arguments may have
// internal linkage may read it: linkers keep one copy of other functions in headers, and with it
// one unit's identifier.
//
// What a unit is compiled to is known when it is compiled. The driver then writes the identifier
// into the section, in place of the provisional one, so compilers must not assume to know the
// value: it is volatile.
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
