// -Werror=GROUP makes warnings about optional features errors. Then there is no output.
// RUN: not device-pass \
// RUN:   -fplugin-arg-scythe-warning=error=sycl-device-has \
// RUN:   -fplugin-arg-scythe-warning=no-sycl-fixed-targets \
// RUN:   -fplugin-arg-scythe-fixed-targets=intel_gpu_acm_g10 -Wno-everything \
// RUN:   %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

[[sycl::device_has()]] SYCL_EXTERNAL void foo(float *p) {
  p[0] *= 4.0; // ERROR: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Werror,-Wsycl-device-has]
}
