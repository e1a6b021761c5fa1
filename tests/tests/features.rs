//! Tests optional features from the source to the device: the kernels that share an image, the
//! warnings of links about functions that use more than their callers declare, the targets that
//! kernels are compiled for ahead of time, and that only submitted kernels are compiled at all.

use scythe_tests::{Outcome, Project, prefix};

/// Kernels of one template, for `float`, `double` and half precision, and one with 64-bit atomics.
/// The arguments choose the kernels to run.
const PRECISIONS: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
template <class T> class Scale;
template <class T> static T deep(T x) { return x * T(4); }
template <class T> static T middle(T x) { return deep(x) + T(1); }

template <class T> static void scale(sycl::queue &q, const char *name) {
  try {
    T *data = sycl::malloc_shared<T>(8, q);
    for (int i = 0; i < 8; ++i)
      data[i] = T(i);
    q.parallel_for<Scale<T>>(8, [=](sycl::id<1> i) { data[i] = middle(data[i]); }).wait();
    std::printf("%s: %g\n", name, static_cast<double>(data[7]));
    sycl::free(data, q);
  } catch (const sycl::exception &e) {
    std::printf("%s: %s %s\n", name, e.code() == sycl::errc::kernel_not_supported ? "not supported:" : "other:", e.what());
  }
}

int main(int count, char **arguments) {
  sycl::queue q;
  for (int at = 1; at < count; ++at) {
    if (!std::strcmp(arguments[at], "float"))
      scale<float>(q, "float");
    if (!std::strcmp(arguments[at], "double"))
      scale<double>(q, "double");
    if (!std::strcmp(arguments[at], "half"))
      scale<_Float16>(q, "half");
    if (!std::strcmp(arguments[at], "atomic"))
      try {
        long *sum = sycl::malloc_shared<long>(1, q);
        *sum = 0;
        q.parallel_for<class Sum>(100, [=](sycl::id<1> i) {
           sycl::atomic_ref<long, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sum) += long(i[0]);
         }).wait();
        std::printf("atomic: %ld\n", *sum);
        sycl::free(sum, q);
      } catch (const sycl::exception &e) {
        std::printf("atomic: %s\n", e.what());
      }
  }
}
"#;

/// A device that lacks all three features.
const PLAIN: &str = "plain:\n  aspects: [gpu, usm_shared_allocations]\n";

/// Returns the number of images that a run built, from its trace.
fn built(outcome: &Outcome) -> usize {
    outcome.stderr.lines().filter(|line| line.contains("building ")).count()
}

#[test]
fn only_what_is_submitted_counts() {
    let p = Project::new().file("a.cpp", PRECISIONS).file("plain.yaml", PLAIN);
    p.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "app"]).ok();
    let run = |device: &str, what: &[&str]| {
        p.run_with("./app", what, &[("SCYTHE_SIMULATE", device), ("SCYTHE_TRACE", "images")]).ok()
    };
    // The double kernels of the same source have no effect.
    let float = run("plain.yaml", &["float"]);
    assert_eq!((float.stdout.as_str(), built(&float)), ("float: 29\n", 1), "{}", float.stderr);
    // Nothing is built for kernels that cannot run.
    let others = run("plain.yaml", &["double", "half", "atomic"]);
    assert_eq!(built(&others), 0, "{}", others.stderr);
    let lines: Vec<&str> = others.stdout.lines().collect();
    for (line, (name, aspect)) in lines.iter().zip([
        ("double: not supported:", "fp64"),
        ("half: not supported:", "fp16"),
        ("atomic:", "atomic64"),
    ]) {
        let expected = format!(
            "{name} Kernel uses optional feature corresponding to 'aspect::{aspect}' but device \
             does not support this aspect. (kernel '"
        );
        assert!(line.starts_with(&expected), "expected '{expected}' in '{line}'");
    }
    assert_eq!(lines.len(), 3, "{}", others.stdout);
    // A device with all features runs all kernels. Each image is built separately.
    let all = run("x86_64_avx2", &["float", "double", "half", "atomic"]);
    assert_eq!(
        (all.stdout.as_str(), built(&all)),
        ("float: 29\ndouble: 29\nhalf: 29\natomic: 4950\n", 4),
        "{}",
        all.stderr
    );
}

/// A library of device functions that uses more than its header declares.
const LIBRARY: &str = r#"
#include <sycl/sycl.hpp>
static double inner(double x) { return x / 3.0; }
SYCL_EXTERNAL float third(float x) { return static_cast<float>(inner(x)); }
"#;

const CALLER: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#ifdef TOLD
SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::fp64)]] float third(float x);
#else
SYCL_EXTERNAL float third(float x);
#endif
static float between(float x) { return third(x) + 1; }
int main() {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(1, q);
  *x = 6;
  try {
    q.single_task<class Third>([=] { *x = between(*x); }).wait();
    std::printf("%g\n", *x);
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
  }
  sycl::free(x, q);
}
"#;

#[test]
fn a_link_reports_functions_that_use_more_than_their_callers_know() {
    const WARNING: &str = "function 'third(float)' uses aspect 'fp64' not expected by its calling \
        kernel. Missing \
                           [[sycl::device_has()]] on SYCL_EXTERNAL function?";
    let p = Project::new().file("a.cpp", CALLER).file("b.cpp", LIBRARY).file("plain.yaml", PLAIN);
    for args in [&["a.cpp"][..], &["b.cpp"], &["a.cpp", "-DTOLD", "-o", "told.o"]] {
        assert_eq!(p.scythe(&[&["-fsycl", "-O1", "-c"], args].concat()).ok().stderr, "");
    }
    let link = |args: &[&str]| p.scythe(&[&["-fsycl", "a.o", "b.o", "-o", "app"], args].concat());
    let said = link(&[]).ok().stderr;
    let warnings: Vec<&str> = said.lines().filter(|line| line.contains("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{said}");
    assert!(warnings[0].ends_with(&format!("warning: {WARNING} [-Wsycl-external]")), "{said}");
    assert!(
        said.contains("a.cpp:15:32: note: ") && said.contains(" is called by kernel 'main::Third'"),
        "{said}"
    );
    // The image requires the aspect nevertheless.
    assert_eq!(p.run("./app", &[]).ok().stdout, "3\n");
    let refused = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", "plain.yaml")]).ok().stdout;
    assert!(
        refused.starts_with("Kernel uses optional feature corresponding to 'aspect::fp64'"),
        "{refused}"
    );

    std::fs::remove_file(p.path().join("app")).unwrap();
    for error in ["-Werror=sycl-external", "-Werror"] {
        link(&[error]).fails().stderr_has(&format!("error: {WARNING}"));
        assert!(!p.exists("app"), "{error}");
    }
    for quiet in [&["-Wno-sycl-external"][..], &["-w"]] {
        assert_eq!(link(quiet).ok().stderr, "", "{quiet:?}");
    }
    link(&["-Werror", "-Wno-error=sycl-external"]).ok().stderr_has(&format!("warning: {WARNING}"));
    // A declaration with the aspect is sufficient.
    assert_eq!(p.scythe(&["-fsycl", "told.o", "b.o", "-o", "app"]).ok().stderr, "");

    // Functions that were compiled for other targets than their callers are reported, too.
    p.scythe(&["-fsycl", "-O1", "-c", "a.cpp", "-fsycl-fixed-targets=x86_64", "-o", "fixed.o"])
        .ok();
    p.scythe(&["-fsycl", "fixed.o", "b.o", "-o", "app"]).ok().stderr_has(
        "warning: function 'third(float)' compiled with a different `-fsycl-fixed-targets` switch \
         than its calling kernel. \
         [-Wsycl-external]",
    );
    assert_eq!(p.run("./app", &[]).ok().stdout, "3\n");
}

/// Processors that are only known to have no double precision.
const NO_DOUBLES: &str = "x86_64_sse2:\n  aspects: [cpu, fp16, atomic64, usm_shared_allocations, \
    ext_intel_x86_64, ext_intel_x86_64_sse2]\n  \
                          may_support_other_aspects: false\n";

#[test]
fn ahead_of_time_a_target_gets_what_it_can_run_and_word_of_the_rest() {
    let p = Project::new().file("a.cpp", PRECISIONS).file("c.yaml", NO_DOUBLES);
    let aot = [
        "-fsycl",
        "-O1",
        "a.cpp",
        "-fsycl-targets=x86_64_sse2",
        "-fsycl-device-config-file=c.yaml",
        "-o",
        "app",
    ];
    let said = p.scythe(&aot).ok().stderr;
    assert!(
        said.contains(
            "a.cpp:14:33: remark: kernel 'Scale<double>' is left out of the code for \
            'x86_64_sse2': it uses aspect 'fp64'"
        ),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let report = p.run(prefix().join("bin/scythe-tools"), &["inspect", "app"]).ok().stdout;
    assert_eq!(report.matches("cpu-object,").count(), 3, "{report}");
    assert_eq!(
        report.matches("empty, 0 bytes\n  needs: fp64\n  kernel Scale<double>\n").count(),
        1,
        "{report}"
    );
    let run = |env: &[(&str, &str)]| p.run_with("./app", &["float", "double"], env).ok().stdout;
    // A device that lacks the aspect gets an error about it. A device that has it gets an error
    // about the omitted code.
    let lacking = run(&[("SCYTHE_SIMULATE", "c.yaml:x86_64_sse2")]);
    assert!(
        lacking.starts_with(
            "float: 29\ndouble: not supported: Kernel uses optional feature corresponding to \
             'aspect::fp64' but device does not"
        ),
        "{lacking}"
    );
    let having = run(&[]);
    let left_out = "the device link left the kernel out of the image for 'x86_64_sse2'";
    assert!(
        having.starts_with("float: 29\ndouble: not supported: ") && having.contains(left_out),
        "{having}"
    );
}

#[test]
fn fixed_targets_bind_images_and_share_them() {
    let p = Project::new()
        .file("a.cpp", PRECISIONS)
        .file("mine.yaml", "mine:\n  aspects: [gpu, fp16, fp64, atomic64]\n");
    let compile =
        |args: &[&str]| p.scythe(&[&["-fsycl", "-O1", "a.cpp", "-o", "app"], args].concat()).ok();
    let inspect = || p.run(prefix().join("bin/scythe-tools"), &["inspect", "app"]).ok().stdout;
    let submitted = |target: &str| {
        format!(
            "Kernel was compiled with '-fsycl-fixed-targets={target}' but was submitted to a \
             different device."
        )
    };

    // One image for all kernels, whatever they use. It runs only on its targets.
    compile(&["-fsycl-fixed-targets=x86_64,intel_gpu_pvc", "-fsycl-device-code-split=off"]);
    let report = inspect();
    assert!(report.starts_with("app: 1 device image, 4 kernels\n"), "{report}");
    assert_eq!(p.run("./app", &["float", "double"]).ok().stdout, "float: 29\ndouble: 29\n");
    let elsewhere =
        p.run_with("./app", &["float"], &[("SCYTHE_SIMULATE", "intel_gpu_dg1")]).ok().stdout;
    assert!(elsewhere.contains(&submitted("intel_gpu_pvc,spir64_x86_64")), "{elsewhere}");

    // Ahead of time, code is compiled only for targets in both lists.
    compile(&["-fsycl-fixed-targets=intel_gpu_pvc", "-fsycl-targets=spir64,x86_64_sse2"]);
    let report = inspect();
    assert_eq!(
        (report.matches("llvmbc").count(), report.matches("cpu-object").count()),
        (1, 0),
        "{report}"
    );
    assert_eq!(report.matches("x86_64_sse2, empty").count(), 1, "{report}");
    assert!(p.run("./app", &["float"]).ok().stdout.contains(&submitted("intel_gpu_pvc")));
    let there =
        p.run_with("./app", &["float"], &[("SCYTHE_SIMULATE", "intel_gpu_pvc")]).ok().stdout;
    assert_eq!(there, "float: 29\n");

    // A target that only the user's file defines has no architecture aspect, so the image lists the
    // aspects that it uses.
    compile(&[
        "-fsycl-fixed-targets=mine",
        "-fsycl-device-config-file=mine.yaml",
        "-fsycl-device-code-split=off",
    ]);
    let report = inspect();
    assert!(
        report.contains("1 device image, 4 kernels")
            && report.contains("needs: fp16, fp64, atomic64\n"),
        "{report}"
    );
}
