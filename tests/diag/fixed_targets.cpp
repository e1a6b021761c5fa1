// A use that a target of -fsycl-fixed-targets= lacks is a warning with its call chain.
// RUN: device-pass -fplugin-arg-scythe-fixed-targets=intel_gpu_acm_g10,intel_gpu_skl %s > messages
// RUN: check-diagnostics %s < messages
// RUN: FileCheck --check-prefix=TEXT --match-full-lines --strict-whitespace %s < messages
#include <sycl/sycl.hpp>

float deep(float x) {
  return x * 4.0; // WARNING: function 'deep' uses aspect 'fp64' not supported by target 'intel_gpu_acm_g10' in '-fsycl-fixed-targets' [-Wsycl-fixed-targets]
}
[[sycl::device_has(sycl::aspect::cpu)]] SYCL_EXTERNAL void on_cpus() {} // WARNING: function 'on_cpus' uses aspect 'cpu' not supported by targets 'intel_gpu_acm_g10' and 'intel_gpu_skl'
float never_called(double x) { return static_cast<float>(x); }

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(4, q);
  q.single_task<class K>([=] { p[0] = deep(p[1]); });
  q.single_task<class L>([=] { p[0] = deep(p[1]); });
  q.single_task<class M>([=]() [[sycl::reqd_sub_group_size(64)]] { p[0] = 1; }); // WARNING: function 'M' has required sub-group size '64' not supported by targets 'intel_gpu_acm_g10' and 'intel_gpu_skl'
}
// TEXT:[[FILE]]:8:14: warning: function 'deep' uses aspect 'fp64' not supported by target 'intel_gpu_acm_g10' in '-fsycl-fixed-targets' [-Wsycl-fixed-targets]
// TEXT-NEXT:use is from this call chain:
// TEXT-NEXT:  K()
// TEXT-NEXT:  deep() [[FILE]]:16:39
