// -Werror makes errors of our warnings, except of those that a pragma sets.
// RUN: not device-pass -Werror %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

[[sycl::device_has()]] SYCL_EXTERNAL void wrong(float *p) { p[0] *= 4.0; } // ERROR: function 'wrong' uses aspect 'fp64' not listed in 'sycl::device_has' [-Werror,-Wsycl-device-has]
#pragma clang diagnostic warning "-Wsycl-device-has"
[[sycl::device_has()]] SYCL_EXTERNAL void loud(float *p) { p[0] *= 4.0; } // WARNING: function 'loud' uses aspect 'fp64'
