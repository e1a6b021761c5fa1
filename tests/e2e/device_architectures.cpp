// Names, families and order of device architectures (`sycl_ext_oneapi_device_architecture`).
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/device_architecture.hpp>

namespace experimental = sycl::ext::oneapi::experimental;
using experimental::arch_category;
using experimental::architecture;

static_assert(SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE == 1);
static_assert(architecture::intel_gpu_12_60_7 == architecture::intel_gpu_pvc);
static_assert(architecture::intel_gpu_dg2_g10 == architecture::intel_gpu_acm_g10);
static_assert(architecture::amd_gpu_gfx90a != architecture::amd_gpu_gfx1100);

int main() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  const auto mine = d.get_info<experimental::info::device::architecture>();
  CHECK(mine == architecture::unknown || d.ext_oneapi_architecture_is(mine));
  const bool intel = d.ext_oneapi_architecture_is(arch_category::intel_gpu);
  const bool nvidia = d.ext_oneapi_architecture_is(arch_category::nvidia_gpu);
  CHECK(!d.ext_oneapi_architecture_is(arch_category::amd_gpu));
  CHECK(!d.ext_oneapi_architecture_is(architecture::amd_gpu_gfx90a));
  if (d.is_cpu())
    CHECK(!intel && !nvidia);

  int *taken = sycl::malloc_shared<int>(5, q);
  q.single_task([=] {
     experimental::if_architecture_is<arch_category::intel_gpu>([=] {
       taken[0] = 1;
     }).otherwise([=] { taken[0] = 2; });
     experimental::if_architecture_is<arch_category::amd_gpu, arch_category::nvidia_gpu>([=] {
       taken[1] = 1;
     }).otherwise([=] { taken[1] = 2; });
     experimental::if_architecture_is_lt<architecture::intel_gpu_pvc>([=] {
       taken[2] = 1;
     }).else_if_architecture_is_ge<architecture::intel_gpu_pvc>([=] {
         taken[2] = 1;
       }).otherwise([=] { taken[2] = 2; });
     experimental::if_architecture_is_le<architecture::nvidia_gpu_sm_80>([=] {
       taken[3] = 1;
     }).else_if_architecture_is_gt<architecture::nvidia_gpu_sm_80>([=] {
         taken[3] = 1;
       }).otherwise([=] { taken[3] = 2; });
     experimental::if_architecture_is_between<architecture::amd_gpu_gfx700,
                                              architecture::amd_gpu_gfx1201>([=] {
       taken[4] = 1;
     }).else_if_architecture_is<architecture::amd_gpu_gfx906>([=] {
         taken[4] = 1;
       }).otherwise([=] { taken[4] = 2; });
   }).wait();
  // Host mode takes the last branch. Its devices are CPUs.
  CHECK(taken[0] == (intel ? 1 : 2));
  CHECK(taken[1] == (nvidia ? 1 : 2));
  CHECK(taken[2] == (intel ? 1 : 2));
  CHECK(taken[3] == (nvidia ? 1 : 2));
  CHECK(taken[4] == 2);
  sycl::free(taken, q);
  return check::result();
}
