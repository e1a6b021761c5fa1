// Warnings about optional features can be silenced, and stay warnings with -Werror.
// RUN: device-pass \
// RUN:   -fplugin-arg-scythe-warning=no-sycl-device-has \
// RUN:   -fplugin-arg-scythe-warning=no-error=sycl-fixed-targets -Werror \
// RUN:   -fplugin-arg-scythe-fixed-targets=intel_gpu_acm_g10 %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

[[sycl::device_has()]] SYCL_EXTERNAL void foo(float *p) {
  p[0] *= 4.0; // WARNING: function 'foo' uses aspect 'fp64' not supported by target 'intel_gpu_acm_g10'
}
