//! Tests simulated devices, which run on the CPU: they have the properties in the device
//! configuration or in a file that overrides it, run the kernels that they support, and reject
//! others with the messages of the specification.

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
        "nd_range: nd_range of global size {128}, local size {128}: in dimension 0 the local size \
         128 exceeds the limit of 64",
        "memory: kernel 'Local' needs 4096 bytes of local memory in each work-group, which exceeds \
         the limit of 1024 on small",
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

/// A program that submits several kernels and prints the result of each, with the results of
/// queries about it.
const DEMANDS: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <string>

template <class Name, class Submit> static void attempt(const char *name, sycl::queue &q, Submit submit) {
  std::string outcome = "runs";
  try {
    submit();
    q.wait_and_throw();
  } catch (const sycl::exception &e) {
    const int code = e.code().value();
    outcome = e.code() == sycl::errc::kernel_not_supported ? e.what() : "code " + std::to_string(code) + ": " + e.what();
    outcome = outcome.substr(0, outcome.find(" (kernel '"));
  }
  const bool compatible = sycl::is_compatible<Name>(q.get_device());
  const bool bundled = sycl::has_kernel_bundle<Name, sycl::bundle_state::executable>(q.get_context(), {q.get_device()});
  if (compatible != (outcome == "runs") || bundled != compatible)
    outcome += " [the questions disagree]";
  std::printf("%s: %s\n", name, outcome.c_str());
}

int main() {
  for (const sycl::device &d : sycl::device::get_devices()) {
    sycl::queue q(d);
    std::printf("== %s, groups of %zu\n", d.get_info<sycl::info::device::name>().c_str(),
                d.get_info<sycl::info::device::max_work_group_size>());
    int *out = static_cast<int *>(sycl::malloc_host(256 * sizeof(int), q));
    attempt<class Plain>("plain", q, [&] { q.single_task<class Plain>([=] { out[0] = 1; }); });
    attempt<class Double>("fp64", q, [&] { q.single_task<class Double>([=] { out[0] = int(0.5 * out[1]); }); });
    attempt<class Half>("fp16", q, [&] {
      q.single_task<class Half>([=]() [[sycl::device_has(sycl::aspect::fp16)]] { out[0] = 2; });
    });
    attempt<class Atomic>("atomic64", q, [&] {
      q.single_task<class Atomic>([=]() [[sycl::device_has(sycl::aspect::atomic64)]] { out[0] = 3; });
    });
    const sycl::nd_range<1> groups(64, 32);
    attempt<class Sub8>("sub-group 8", q, [&] {
      q.parallel_for<class Sub8>(groups, [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
        out[it.get_global_id(0)] = int(it.get_sub_group().get_max_local_range()[0]);
      });
    });
    attempt<class Sub16>("sub-group 16", q, [&] {
      q.parallel_for<class Sub16>(groups, [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
        out[it.get_global_id(0)] = int(it.get_sub_group().get_max_local_range()[0]);
      });
    });
    attempt<class Sub32>("sub-group 32", q, [&] {
      q.parallel_for<class Sub32>(groups, [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
        out[it.get_global_id(0)] = int(it.get_sub_group().get_max_local_range()[0]);
      });
    });
    attempt<class Group>("work-group 512", q, [&] {
      q.parallel_for<class Group>(sycl::nd_range<1>(512, 512),
                                  [=](sycl::nd_item<1> it) [[sycl::reqd_work_group_size(512)]] {
                                    if (it.get_global_id(0) == 0)
                                      out[0] = 5;
                                  });
    });
    sycl::free(out, q);
  }
  try {
    sycl::queue q;
    q.parallel_for<class Sized>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(32)]] {});
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", e.code() == sycl::errc::nd_range ? "nd_range" : "other", e.what());
  }
  std::printf("%zu kernels\n", sycl::get_kernel_ids().size());
}
"#;

/// Three devices that do not exist.
const FIVE: &str = "\
small:
  aspects: [gpu, usm_host_allocations]
  sub-group-sizes: [8]
  max-work-group-size: 256
halves:
  aspects: [gpu, fp16, atomic64, usm_host_allocations]
  sub-group-sizes: [16, 32]
  max-work-group-size: 1024
doubles:
  aspects: [accelerator, fp64, usm_host_allocations]
  sub-group-sizes: [32]
  max-work-group-size: 512
";

fn aspect(name: &str) -> String {
    format!(
        "Kernel uses optional feature corresponding to 'aspect::{name}' but device does not \
         support this aspect."
    )
}

fn sub_group(size: u32) -> String {
    format!(
        "Kernel has a required sub-group size of '{size}' but device does not support this \
         sub-group size."
    )
}

#[test]
fn each_device_runs_what_it_can_and_says_why_not_the_rest() {
    let p = Project::new().file("a.cpp", DEMANDS).file("devices.yaml", FIVE);
    p.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "app"]).ok();
    let devices =
        "devices.yaml:small,devices.yaml:halves,devices.yaml:doubles,intel_gpu_dg1,spir64_x86_64";
    let out = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", devices)]).ok().stdout;
    let runs = "runs".to_owned();
    let group = "Kernel has a required work-group size of '512' but device does not support this \
        work-group size.";
    let (fp16, fp64, atomic64) = (aspect("fp16"), aspect("fp64"), aspect("atomic64"));
    let (no8, no16, no32) = (sub_group(8), sub_group(16), sub_group(32));
    let names = [
        "plain",
        "fp64",
        "fp16",
        "atomic64",
        "sub-group 8",
        "sub-group 16",
        "sub-group 32",
        "work-group 512",
    ];
    let expected: [(&str, [&str; 8]); 4] = [
        ("small", [&runs, &fp64, &fp16, &atomic64, &runs, &no16, &no32, group]),
        ("halves", [&runs, &fp64, &runs, &runs, &no8, &runs, &runs, &runs]),
        ("doubles", [&runs, &runs, &fp16, &atomic64, &no8, &no16, &runs, &runs]),
        ("intel_gpu_dg1", [&runs, &fp64, &runs, &runs, &runs, &runs, &runs, &runs]),
    ];
    for (device, outcomes) in expected {
        let head = format!("{device} (simulated on ");
        let part = out.split("== ").find(|part| part.starts_with(&head));
        let part = part.unwrap_or_else(|| panic!("no '{head}' in:\n{out}"));
        for (name, outcome) in names.iter().zip(outcomes) {
            assert!(
                part.contains(&format!("\n{name}: {outcome}\n")),
                "{device}: expected '{name}: {outcome}' in:\n{part}"
            );
        }
    }
    let x86 = out
        .split("== ")
        .find(|part| part.starts_with("spir64_x86_64 (simulated on "))
        .expect("the CPU's own entry");
    assert!(
        ["fp64", "atomic64", "sub-group 8", "work-group 512"]
            .iter()
            .all(|name| x86.contains(&format!("\n{name}: runs\n"))),
        "{x86}"
    );
    assert!(
        out.contains(
            "nd_range: nd_range of global size {64}, local size {16}: the kernel has a required \
             work-group size of {32}"
        ),
        "{out}"
    );
    assert!(out.contains("9 kernels\n"), "{out}");
}
