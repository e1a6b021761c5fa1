//! Tests the requirements of kernels: a kernel requires only the features that it reaches in the
//! linked program, across translation units, static and shared libraries, and in the branches of
//! `if_device_has` that its device takes. For no other reason is it rejected at run time, or left
//! out ahead of time.

use scythe_tests::{Outcome, Project, prefix};

/// Six kernels, each of which prints its result. `f` is in another unit, and needs fp64.
const MAIN: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <string>
using namespace sycl::ext::oneapi::experimental;
using sycl::aspect;
SYCL_EXTERNAL float f(float x);
template <class T> static T through(T x) { return f(x) + T(1); }

template <class Name, class F> static void attempt(sycl::queue &q, const char *name, F kernel) {
  try {
    q.single_task<Name>(kernel).wait();
    std::printf("%s: runs\n", name);
  } catch (const sycl::exception &e) {
    std::string text = e.what();
    text = text.substr(0, text.find(" (kernel '"));
    std::printf("%s: %s%s\n", name, e.code() == sycl::errc::kernel_not_supported ? "" : "wrong code: ", text.c_str());
  }
}
struct plain_name;
struct calls_name;
struct templated_name;
struct elsewhere_name;
struct here_name;
struct nested_name;

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(4, q);
  p[1] = 4;
  attempt<plain_name>(q, "plain", [=] { p[0] = p[1] + 1; });
  attempt<calls_name>(q, "calls", [=] { p[0] = f(p[1]); });
  attempt<templated_name>(q, "templated", [=] { p[0] = through(p[1]); });
  attempt<elsewhere_name>(q, "elsewhere", [=] {
    if_device_has<aspect::ext_intel_gpu_dg1>([=] { p[0] = 1; }).else_device([=] { p[0] = f(p[1]); });
  });
  attempt<here_name>(q, "here", [=] { if_device_has<aspect::ext_intel_gpu_dg1>([=] { p[0] = through(p[1]); }); });
  attempt<nested_name>(q, "nested", [=] {
    if_architecture_is<architecture::intel_gpu_dg1, architecture::intel_gpu_rkl>([=] {
      if_device_has<aspect::ext_intel_gpu_rkl>([=] { p[0] = p[1] * 2.0; }).else_device([=] { p[0] = 2; });
    }).otherwise([=] { p[0] = f(p[1]); });
  });
}
"#;

/// A unit that calls another unit, which calls back, so that units call each other in a cycle.
const MIDDLE: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL float last(float x, int depth);
SYCL_EXTERNAL float again(float x, int depth) { return depth ? last(x, depth - 1) : x; }
SYCL_EXTERNAL float f(float x) { return last(x, 0) + 1; }
"#;

const LAST: &str = r#"
#include <sycl/sycl.hpp>
#include <type_traits>
SYCL_EXTERNAL float again(float x, int depth);
template <class T> static float scaled(float x) { return static_cast<float>(x * T(2)); }
SYCL_EXTERNAL float last(float x, int depth) { return depth ? again(x, depth) : scaled<double>(x); }
"#;

/// The same without the cycle, for a separate library.
const SIMPLE: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL float last(float x, int) { return x * 2.0; }
"#;

const FP64: &str = "Kernel uses optional feature corresponding to 'aspect::fp64' but device does \
    not support this aspect.";
const KERNELS: [&str; 6] = ["plain", "calls", "templated", "elsewhere", "here", "nested"];
/// Devices, all without fp64 except the last, and the kernels that they reject.
const REFUSED: [(&str, &[&str]); 4] = [
    ("intel_gpu_dg1", &["calls", "templated", "here"]),
    ("intel_gpu_rkl", &["calls", "templated", "elsewhere", "nested"]),
    ("intel_gpu_tgllp", &["calls", "templated", "elsewhere", "nested"]),
    ("intel_gpu_pvc", &[]),
];

fn project() -> Project {
    Project::new()
        .file("main.cpp", MAIN)
        .file("sub/middle.cpp", MIDDLE)
        .file("last.cpp", LAST)
        .file("simple.cpp", SIMPLE)
}

/// Runs the program on each device of the table.
fn check(p: &Project, what: &str) {
    for (device, refused) in REFUSED {
        let Outcome { stdout, .. } = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", device)]).ok();
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(lines.len(), KERNELS.len(), "{what}, {device}: {stdout}");
        for (line, kernel) in lines.into_iter().zip(KERNELS) {
            let expected =
                format!("{kernel}: {}", if refused.contains(&kernel) { FP64 } else { "runs" });
            assert!(
                line.starts_with(&expected),
                "{what}, {device}: expected '{expected}', found '{line}'"
            );
        }
    }
    let here = p.run("./app", &[]).ok().stdout;
    assert_eq!(here.matches(": runs\n").count(), KERNELS.len(), "{what}: {here}");
}

#[test]
fn kernels_are_refused_for_what_they_reach_in_other_units_and_libraries() {
    let p = project();
    for level in ["-O0", "-O2"] {
        for (source, object) in
            [("main.cpp", "main.o"), ("sub/middle.cpp", "middle.o"), ("last.cpp", "last.o")]
        {
            p.scythe(&["-fsycl", level, "-fPIC", "-c", source, "-o", object]).ok();
        }
        for split in ["auto", "off", "per_source", "per_kernel"] {
            let split = format!("-fsycl-device-code-split={split}");
            p.scythe(&[
                "-fsycl",
                &split,
                "-Wno-sycl-external",
                "main.o",
                "middle.o",
                "last.o",
                "-o",
                "app",
            ])
            .ok();
            check(&p, &format!("{level} {split}"));
        }
        p.run("ar", &["rcs", "libstatic.a", "middle.o", "last.o"]).ok();
        p.scythe(&["-fsycl", "-Wno-sycl-external", "main.o", "libstatic.a", "-o", "app"]).ok();
        check(&p, &format!("{level}, static library"));
        // Both units in one library, and a library that needs another.
        p.scythe(&[
            "-fsycl",
            "-shared",
            "middle.o",
            "last.o",
            "-Wno-sycl-external",
            "-o",
            "libone.so",
        ])
        .ok();
        p.scythe(&["-fsycl", "main.o", "./libone.so", "-o", "app"]).ok();
        check(&p, &format!("{level}, shared library"));
        p.scythe(&["-fsycl", level, "-fPIC", "-shared", "simple.cpp", "-o", "liblast.so"]).ok();
        p.scythe(&["-fsycl", "-shared", "middle.o", "./liblast.so", "-o", "libmiddle.so"]).ok();
        p.scythe(&["-fsycl", "main.o", "./libmiddle.so", "./liblast.so", "-o", "app"]).ok();
        check(&p, &format!("{level}, two shared libraries"));
    }
}

/// Returns the remarks about omitted kernels.
fn remarks(out: &Outcome) -> Vec<&str> {
    out.stderr.lines().filter(|line| line.contains("[-Wsycl-aot]")).collect()
}

#[test]
fn ahead_of_time_kernels_are_left_out_for_what_they_reach_and_it_is_said() {
    let p = project();
    let targets = "-fsycl-targets=intel_gpu_dg1,intel_gpu_pvc,spir64";
    for (source, object) in
        [("main.cpp", "main.o"), ("sub/middle.cpp", "middle.o"), ("last.cpp", "last.o")]
    {
        p.scythe(&["-fsycl", "-O1", targets, "-c", source, "-o", object]).ok();
    }
    let link = |args: &[&str]| {
        p.scythe(
            &[&["-fsycl", "-Wno-sycl-external", "main.o", "middle.o", "last.o", "-o", "app"], args]
                .concat(),
        )
    };
    let out = link(&[targets]).ok();
    let said = remarks(&out);
    for kernel in ["calls_name", "templated_name", "here_name"] {
        let expected = format!(
            "remark: kernel '{kernel}' is left out of the code for 'intel_gpu_dg1': it uses aspect \
             'fp64', which the target lacks"
        );
        assert_eq!(
            said.iter().filter(|line| line.contains(&expected)).count(),
            1,
            "{}",
            out.stderr
        );
    }
    assert_eq!(said.len(), 3, "{}", out.stderr);
    let report = p.run(prefix().join("bin/scythe-tools"), &["inspect", "app"]).ok().stdout;
    assert_eq!(report.matches("intel_gpu_pvc, empty").count(), 0, "{report}");
    let of_dg1: Vec<&str> =
        report.split("\n\n").filter(|image| image.contains("intel_gpu_dg1, intel-gpu")).collect();
    for kernel in ["plain_name", "elsewhere_name", "nested_name"] {
        assert!(
            of_dg1.iter().any(|image| image.contains(&format!("kernel {kernel}"))),
            "{kernel}: {report}"
        );
    }
    // Like other groups, it can be disabled or made an error by name. A general `-Werror` leaves it
    // a remark.
    let targets = "-fsycl-targets=intel_gpu_dg1";
    assert_eq!(link(&[targets, "-Wno-sycl-aot"]).ok().stderr, "");
    assert_eq!(link(&[targets, "-w"]).ok().stderr, "");
    assert_eq!(remarks(&link(&[targets, "-Werror"]).ok()).len(), 3);
    std::fs::remove_file(p.path().join("app")).expect("it was made");
    link(&[targets, "-Werror=sycl-aot"])
        .fails()
        .stderr_has("error: kernel 'calls_name' is left out of the code");
    assert!(!p.exists("app"));
}

/// Generic code keeps all branches. Compiled ahead of time for one target, only the branches of
/// this target count.
#[test]
fn generic_code_that_is_compiled_ahead_of_time_counts_its_own_branches() {
    let p = project();
    for (source, object) in
        [("main.cpp", "main.o"), ("sub/middle.cpp", "middle.o"), ("last.cpp", "last.o")]
    {
        p.scythe(&["-fsycl", "-O1", "-c", source, "-o", object]).ok();
    }
    let no_doubles = "x86_64_sse2:\n  aspects: [cpu, fp16, atomic64, usm_shared_allocations, \
        ext_intel_x86_64, ext_intel_x86_64_sse2]\n  \
                      may_support_other_aspects: false\n";
    let p = p.file("c.yaml", no_doubles);
    let config = "-fsycl-device-config-file=c.yaml";
    let link = [
        "-fsycl",
        "-fsycl-targets=x86_64_sse2",
        config,
        "-Wno-sycl-external",
        "main.o",
        "middle.o",
        "last.o",
    ];
    let out = p.scythe(&[&link[..], &["-o", "app"]].concat()).ok();
    let said = remarks(&out);
    // `here` is for another device.
    assert_eq!(said.len(), 4, "{}", out.stderr);
    assert!(
        !out.stderr.contains("'here_name'") && !out.stderr.contains("plain_name"),
        "{}",
        out.stderr
    );
}

/// Sizes that every compiler of the target would reject.
const SIZES: &str = r#"
#include <sycl/sycl.hpp>
template <int N> struct wide {
  int *p;
  [[sycl::reqd_work_group_size(N)]] void operator()(sycl::nd_item<1> it) const { p[it.get_global_id(0)] = 1; }
};
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4096, q);
  q.parallel_for(sycl::nd_range<1>(2048, 2048), wide<2048>{p});
  q.parallel_for<class Deep>(sycl::nd_range<3>({128, 2, 2}, {128, 2, 2}),
                             [=](sycl::nd_item<3> it) [[sycl::reqd_work_group_size(128, 2, 2)]] { p[0] = 1; });
  q.parallel_for<class Sub>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
    p[it.get_global_id(0)] = 1;
  });
  q.single_task<class Plain>([=] { p[0] = 1; }).wait();
}
"#;

#[test]
fn sizes_that_a_target_lacks_leave_a_kernel_out() {
    let p = Project::new().file("a.cpp", SIZES);
    for targets in ["nvidia_gpu_sm_80", "nvidia_gpu_sm_80,spir64"] {
        let out = p
            .scythe(&["-fsycl", "-O1", &format!("-fsycl-targets={targets}"), "a.cpp", "-o", "app"])
            .ok();
        let said = remarks(&out);
        for (kernel, why) in [
            (
                "wide<2048>",
                "it requires work-groups of 2048 work-items, and the target allows 1024 at most",
            ),
            (
                "main::Deep",
                "it requires work-groups of 128 work-items in the slowest dimension, and the \
                 target allows 64",
            ),
            ("main::Sub", "it requires sub-group size 16, which the target lacks"),
        ] {
            let expected =
                format!("kernel '{kernel}' is left out of the code for 'nvidia_gpu_sm_80': {why}");
            assert!(
                said.iter().any(|line| line.contains(&expected)),
                "no '{expected}' in {}",
                out.stderr
            );
        }
        assert_eq!(said.len(), 3, "{}", out.stderr);
    }
    let out =
        p.scythe(&["-fsycl", "-O1", "-fsycl-targets=intel_gpu_dg1", "a.cpp", "-o", "app"]).ok();
    assert_eq!(remarks(&out).len(), 1, "{}", out.stderr);
}
