//! Tests the options of DPC++ and icpx with whole programs.

use scythe_tests::{Outcome, Project, prefix};

const PROGRAM: &str = r#"
#ifndef __SYCL_UNNAMED_LAMBDA__
#error __SYCL_UNNAMED_LAMBDA__ is not defined
#endif
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 42; }).wait();
  int found = *p;
  sycl::free(p, q);
  return found == 42 ? 0 : 1;
}
"#;

/// Reports the sub-group size of four kernels: one without its own size, one with an attribute, one
/// that calls a function of another source, and one with a property.
const SIZES: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
SYCL_EXTERNAL int lanes(sycl::nd_item<1> item);
namespace ext = sycl::ext::oneapi::experimental;
struct Property {
  int *p;
  void operator()(sycl::nd_item<1> item) const {
    if (item.get_global_linear_id() == 0) p[3] = item.get_sub_group().get_max_local_range()[0];
  }
  auto get(ext::properties_tag) const { return ext::properties{ext::sub_group_size<16>}; }
};
int main(int count, char **words) {
  int expected = std::atoi(words[1]);
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  sycl::nd_range<1> range(128, 64);
  q.parallel_for(range, [=](sycl::nd_item<1> item) {
    if (item.get_global_linear_id() == 0) p[0] = item.get_sub_group().get_max_local_range()[0];
  }).wait();
  q.parallel_for(range, [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(32)]] {
    if (item.get_global_linear_id() == 0) p[1] = item.get_sub_group().get_max_local_range()[0];
  }).wait();
  q.parallel_for(range, [=](sycl::nd_item<1> item) {
    int found = lanes(item);
    if (item.get_global_linear_id() == 0) p[2] = found;
  }).wait();
  q.parallel_for(range, Property{p}).wait();
  std::printf("%d %d %d %d\n", p[0], p[1], p[2], p[3]);
  bool right = p[0] == expected && p[1] == 32 && p[2] == expected && p[3] == 16;
  sycl::free(p, q);
  return right ? 0 : 1;
}
"#;
const LANES: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int lanes(sycl::nd_item<1> item) {
  return sycl::reduce_over_group(item.get_sub_group(), 1, sycl::plus<int>());
}
"#;

const CPU: (&str, &str) = ("ONEAPI_DEVICE_SELECTOR", "native_cpu:*");

/// Checks that a command succeeded and printed nothing.
#[track_caller]
fn silent(outcome: Outcome) {
    let outcome = outcome.ok();
    assert_eq!(outcome.stderr, "", "{}", outcome.command);
}

#[test]
fn the_default_sub_group_size_holds_for_kernels_without_their_own() {
    let p = Project::new().file("m.cpp", SIZES).file("l.cpp", LANES);
    let ahead = "-fsycl-targets=spir64_x86_64";
    for (size, more) in [("8", None), ("16", Some(ahead)), ("32", None)] {
        let option = format!("-fsycl-default-sub-group-size={size}");
        let mut args = vec!["-fsycl", "-O1", &option, "m.cpp", "l.cpp", "-o", "app"];
        args.extend(more);
        silent(p.scythe(&args));
        p.run_with("./app", &[size], &[CPU]).ok();
    }
    // The units of a program can be compiled separately.
    for source in ["m", "l"] {
        let file = format!("{source}.cpp");
        let args = ["-fsycl", "-fsycl-default-sub-group-size", "16", "-c", &file];
        silent(p.scythe(&args));
    }
    silent(p.scythe(&["-fsycl", "m.o", "l.o", "-o", "app"]));
    p.run_with("./app", &["16"], &[CPU]).ok();
}

#[test]
fn an_unsupported_default_size_is_an_error_at_the_submission() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-fsycl-default-sub-group-size=7", "a.cpp", "-o", "app"]).ok();
    let outcome = p.run_with("./app", &[], &[CPU]);
    assert_ne!(outcome.status, Some(0));
    assert!(outcome.stderr.contains("sub-group size"), "{}", outcome.stderr);
}

#[test]
fn a_program_with_many_options_of_other_compilers_runs() {
    let p = Project::new().file("a.cpp", PROGRAM);
    let outcome = p.scythe(&[
        "-fsycl",
        "-fsycl-unnamed-lambda",
        "-fno-sycl-id-queries-fit-in-int",
        "-fsycl-early-optimizations",
        "-fno-sycl-dead-args-optimization",
        "-fsycl-device-lib=libc,libm-fp32",
        "-fsycl-range-rounding=disable",
        "-fno-sycl-instrument-device-code",
        "-fsycl-device-obj=spirv",
        "-ftarget-register-alloc-mode=pvc:auto",
        "-fp-model=precise",
        "-xHost",
        "-ftz",
        "-ipo",
        "-no-ipo",
        "-qopt-report=3",
        "-diag-disable",
        "10441",
        "-cxx=icpx",
        "-O2",
        "a.cpp",
        "-o",
        "app",
    ]);
    let outcome = outcome.ok();
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{}", outcome.stderr);
    assert!(lines[0].starts_with("scythe: warning: these options have no effect: "));
    assert!(
        lines[0].ends_with(" '-fsycl-device-obj=spirv' [-Wsycl-ignored-option]"),
        "{}",
        lines[0]
    );
    p.run_with("./app", &[], &[CPU]).ok();
}

#[test]
fn options_for_other_targets_have_no_effect() {
    let p = Project::new().file("a.cpp", PROGRAM);
    let options = ["-Xsycl-target-backend=nvptx64-nvidia-cuda", "--cuda-gpu-arch=sm_60"];
    let outcome = p.scythe(&[&["-fsycl", "a.cpp", "-o", "app"], &options[..]].concat()).ok();
    assert_eq!(
        outcome.stderr,
        "scythe: warning: the option '-Xsycl-target-backend=nvptx64-nvidia-cuda \
         --cuda-gpu-arch=sm_60' has no effect because '-fsycl-targets=' does not name the target \
         [-Wsycl-ignored-option]\n"
    );
    p.run_with("./app", &[], &[CPU]).ok();
    // A link knows the targets in objects.
    p.scythe(&["-fsycl", "-fsycl-targets=spir64_x86_64", "-c", "a.cpp"]).ok();
    let link = ["-fsycl", "a.o", "-Xsycl-target-backend=spir64_x86_64", "-O1", "-o", "app"];
    silent(p.scythe(&link));
    let strict = ["-fsycl", "-c", "a.cpp", "-Werror=sycl-ignored-option"];
    p.scythe(&[&strict[..], &options].concat()).fails().stderr_has("has no effect because");
}

#[test]
fn models_and_link_time_optimisation_work_with_every_host_compiler() {
    let p = Project::new().file("a.cpp", PROGRAM);
    let host = "-fsycl-host-compiler=g++";
    let commands: [&[&str]; 4] = [
        &["-fsycl", "-fp-model=fast", "-ipo", "-O1", "a.cpp"],
        &["-fsycl", "-fp-model=strict", "a.cpp"],
        &["-fsycl", "-fp-model", "fast=2", host, "a.cpp"],
        &["-fsycl", "-ffp-model=strict", host, "a.cpp"],
    ];
    for command in commands {
        silent(p.scythe(command));
        p.run_with("./a.out", &[], &[CPU]).ok();
    }
}

#[test]
fn a_link_without_fsycl_says_what_is_missing() {
    let p = Project::new()
        .file("a.cpp", PROGRAM)
        .file("h.cpp", "#include <sycl/sycl.hpp>\nint main() { sycl::queue q; }\n")
        .file("n.cpp", "int missing();\nint main() { return missing(); }\n");
    p.scythe(&["-fsycl", "-c", "a.cpp"]).ok();
    p.scythe(&["-fsycl", "-c", "h.cpp"]).ok();
    p.scythe(&["-c", "n.cpp"]).ok();
    let last = |args: &[&str]| {
        let outcome = p.scythe(args);
        assert_eq!(outcome.status, Some(1), "{}", outcome.stderr);
        outcome.stderr.lines().last().unwrap_or_default().to_owned()
    };
    let advice = "Add '-fsycl' to the command that links [scythe-E0449]";
    assert_eq!(
        last(&["a.o", "-o", "app"]),
        format!(
            "scythe: error: 'a.o' contains device code, but the command does not contain \
             '-fsycl'. {advice}"
        )
    );
    assert_eq!(
        last(&["h.o", "-o", "app"]),
        format!(
            "scythe: error: 'h.o' uses the SYCL runtime, but the command does not contain \
             '-fsycl'. {advice}"
        )
    );
    p.run("ar", &["rcs", "liba.a", "a.o"]).ok();
    assert!(last(&["-L.", "n.o", "-la"]).contains("'./liba.a(a.o)' contains device code"));
    assert!(!last(&["n.o"]).contains("-fsycl"));
    // A link that succeeds can lack the kernels.
    let lib = format!("-L{}", prefix().join("lib").display());
    let outcome = p.scythe(&["a.o", &lib, "-lsycl", "-o", "app"]).ok();
    assert_eq!(
        outcome.stderr,
        "scythe: warning: the output lacks the device code of 'a.o', because the command does not \
         contain '-fsycl'\n"
    );
}

#[test]
fn queries_know_the_folder_of_libraries() {
    let p = Project::new().file("a.cpp", "int main() {}\n");
    let lib = prefix().join("lib");
    for args in [&["-print-file-name=libsycl.so"][..], &["-fsycl", "-print-file-name=libsycl.so"]] {
        let outcome = p.scythe(args).ok();
        assert_eq!(outcome.stdout, format!("{}\n", lib.join("libsycl.so").display()));
    }
    let outcome = p.scythe(&["-print-search-dirs"]).ok();
    outcome.stdout_has(&format!("libraries: ={}:", lib.display()));
    p.scythe(&["-print-file-name=libc.so.6"]).ok().stdout_has("/libc.so.6");
    // The linker prints its version in place of an output.
    for args in
        [&["-fsycl", "-Wl,--version", "a.cpp"][..], &["-fsycl", "-Xlinker", "--version", "a.cpp"]]
    {
        p.scythe(args).ok().stdout_has("LLD");
        assert!(!p.path().join("a.out").exists());
    }
}

#[test]
fn sources_without_sycl_take_the_same_flags() {
    let flags = ["-qopenmp-simd", "-xHost", "-fp-model", "fast", "-qopt-report", "-no-vec"];
    let plain = Project::new().file("n.cpp", "int main() {}\n");
    let outcome = plain.scythe(&[&flags[..], &["n.cpp", "-o", "app"]].concat()).ok();
    assert_eq!(
        outcome.stderr,
        "scythe: warning: the option '-qopt-report' has no effect without '-fsycl' \
         [-Wsycl-ignored-option]\n"
    );
    plain.run("./app", &[]).ok();
}
