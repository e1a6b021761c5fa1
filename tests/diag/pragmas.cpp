// `#pragma clang diagnostic` governs our groups of warnings like clang's own.
// RUN: not device-pass %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsycl-device-has"
[[sycl::device_has()]] SYCL_EXTERNAL void quiet(float *p) { p[0] *= 4.0; }
#pragma clang diagnostic pop
[[sycl::device_has()]] SYCL_EXTERNAL void loud(float *p) { p[0] *= 4.0; } // WARNING: function 'loud' uses aspect 'fp64'
#define QUIET(text) _Pragma(#text)
QUIET(GCC diagnostic push)
QUIET(GCC diagnostic ignored "-Wsycl-device-has")
[[sycl::device_has()]] SYCL_EXTERNAL void also_quiet(float *p) { p[0] *= 4.0; }
QUIET(GCC diagnostic pop)
_Pragma("clang diagnostic error \"-Wsycl-device-has\"")
[[sycl::device_has()]] SYCL_EXTERNAL void wrong(float *p) { p[0] *= 4.0; } // ERROR: function 'wrong' uses aspect 'fp64' not listed in 'sycl::device_has' [-Werror,-Wsycl-device-has]
