//! Devices that the CPU plays: they say of themselves what the device configuration, or a file over it, says.

use scythe_tests::Project;

const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
class Plain;
class Grouped;
class Local;
int main() {
  try {
    for (const sycl::device &d : sycl::device::get_devices()) {
      std::printf("%s: fp16 %d, fp64 %d, gpu %d, groups of %zu, local memory %llu, sub-groups",
                  d.get_info<sycl::info::device::name>().c_str(), d.has(sycl::aspect::fp16), d.has(sycl::aspect::fp64),
                  d.is_gpu(), d.get_info<sycl::info::device::max_work_group_size>(),
                  static_cast<unsigned long long>(d.get_info<sycl::info::device::local_mem_size>()));
      for (size_t size : d.get_info<sycl::info::device::sub_group_sizes>())
        std::printf(" %zu", size);
      sycl::queue q(d);
      int value = 0;
      {
        sycl::buffer<int> b(&value, 1);
        q.submit([&](sycl::handler &h) {
          sycl::accessor a(b, h);
          h.single_task<Plain>([=] { a[0] = 42; });
        });
      }
      std::printf("; %d\n", value);
      try {
        q.parallel_for<Grouped>(sycl::nd_range<1>(128, 128), [=](sycl::nd_item<1>) {});
      } catch (const sycl::exception &e) {
        std::printf("%s: %s\n", e.code() == sycl::errc::nd_range ? "nd_range" : "other", e.what());
      }
      try {
        q.submit([&](sycl::handler &h) {
          sycl::local_accessor<int> l(1024, h);
          h.parallel_for<Local>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) { l[it.get_local_id(0)] = 1; });
        });
      } catch (const sycl::exception &e) {
        std::printf("%s: %s\n", e.code() == sycl::errc::memory_allocation ? "memory" : "other", e.what());
      }
    }
    std::printf("gpu: %s\n", sycl::device(sycl::gpu_selector_v).get_info<sycl::info::device::name>().c_str());
    const std::vector<sycl::kernel_id> kernels = sycl::get_kernel_ids();
    const sycl::context first(sycl::device::get_devices()[0]);
    std::printf("%zu kernels, %d %d %d %d\n", kernels.size(), sycl::is_compatible(kernels, sycl::device()),
                sycl::is_compatible<Plain>(sycl::device()), sycl::has_kernel_bundle<sycl::bundle_state::input>(first),
                sycl::has_kernel_bundle<Local, sycl::bundle_state::executable>(first));
  } catch (const sycl::exception &e) {
    std::printf("exception: %s\n", e.what());
    return 3;
  }
}
"#;

const DEVICES: &str = "\
small:
  aspects: [accelerator, fp16]
  sub-group-sizes: [8, 16]
  max-work-group-size: 64
  local-mem-size: 1024
";

#[test]
fn devices_are_as_the_configuration_says() {
    let p = Project::new().file("a.cpp", PROGRAM).file("devices.yaml", DEVICES);
    p.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "app"]).ok();
    let run = |devices| p.run_with("./app", &[], &[("SCYTHE_SIMULATE", devices)]);
    let out = run("devices.yaml,intel_gpu_dg1").ok().stdout;
    for part in [
        "small (simulated on ",
        "): fp16 1, fp64 0, gpu 0, groups of 64, local memory 1024, sub-groups 8 16; 42\n",
        "nd_range: nd_range of global size {128}, local size {128}: in dimension 0 the local size 128 is more than the 64",
        "memory: kernel 'Local' asks for 4096 bytes of local memory in each work-group, more than the 1024 of small",
        "intel_gpu_dg1 (simulated on ",
        "): fp16 1, fp64 0, gpu 1, groups of 512, ",
        "gpu: intel_gpu_dg1 (simulated on ",
        // The first device compiles nothing by itself.
        "3 kernels, 1 1 0 1\n",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let refused = run("intel_gpu_nothing").fails().stdout;
    assert!(refused.contains("SCYTHE_SIMULATE holds 'intel_gpu_nothing'"), "{refused}");
}
