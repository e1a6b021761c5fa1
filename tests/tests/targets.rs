//! Tests device targets: one module per target in each object, and links of objects that were
//! compiled for different targets.

use scythe_tests::{Project, prefix};

/// A function whose result tells which device pass compiled its kernel.
const KERNEL: &str = r#"
#include <sycl/sycl.hpp>
int NAME() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class KERNEL>([=] {
#ifdef __SYCL_TARGET_INTEL_X86_64__
    *p = 2;
#else
    *p = 1;
#endif
  }).wait();
  int result = *p;
  sycl::free(p, q);
  return result;
}
"#;
const MAIN: &str = "#include <cstdio>\nint one();\nint two();\nint main() { std::printf(\"%d \
    %d\\n\", one(), two()); }\n";

fn project() -> Project {
    let kernel = |name: &str| KERNEL.replace("NAME", name).replace("KERNEL", &name.to_uppercase());
    Project::new()
        .file("one.cpp", &kernel("one"))
        .file("two.cpp", &kernel("two"))
        .file("m.cpp", MAIN)
}

#[test]
fn objects_for_different_targets_link_together() {
    let p = project();
    p.scythe(&["-fsycl", "-O1", "-fsycl-targets=spir64,x86_64", "-c", "one.cpp"]).ok();
    p.scythe(&["-fsycl", "-O1", "-c", "two.cpp"]).ok();
    p.scythe(&["-fsycl", "-c", "m.cpp"]).ok();
    // Each target has the code that was compiled for it. Code for the CPU is preferred.
    p.scythe(&["-fsycl", "one.o", "two.o", "m.o", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("2 1");
    // If a target is requested, generic code stands in.
    p.scythe(&["-fsycl", "-fsycl-targets=x86_64_sse2", "one.o", "two.o", "m.o", "-o", "app"]).ok();
    let out = p.run_with("./app", &[], &[("LD_DEBUG", "libs")]).ok().stdout_has("2 1");
    assert!(!out.stderr.contains("libLLVM"), "generic code was built at run time:\n{}", out.stderr);
    p.scythe(&["-fsycl", "-fsycl-targets=ptx64", "one.o", "m.o", "-o", "none"]).fails().stderr_has(
        "no input contains device code for 'nvptx64-nvidia-cuda'; found device code for: 'spir64', \
         'spir64_x86_64'",
    );
    assert!(!p.exists("none"));
}

#[test]
fn objects_hold_code_for_each_target() {
    let p = project();
    let targets =
        "-fsycl-targets=intel_gpu_9_0_9,nvidia_gpu_sm_90,x86_64_avx2-unknown-unknown-sycldevice";
    p.scythe(&["-fsycl", "-O1", targets, "-c", "one.cpp"]).ok();
    let list = p.run("clang-offload-bundler-22", &["-type=o", "-list", "-input=one.o"]).ok();
    for (id, triple) in [
        ("sycl-spir64_gen-unknown-unknown-skl", "spirv64-unknown-unknown"),
        ("sycl-nvptx64-nvidia-cuda-sm_90", "nvptx64-nvidia-cuda"),
        ("sycl-spir64_x86_64-unknown-unknown-avx2", "spirv64-unknown-unknown"),
    ] {
        assert!(list.stdout.lines().any(|line| line == id), "no {id} in:\n{}", list.stdout);
        let section = format!("--dump-section=__CLANG_OFFLOAD_BUNDLE__{id}=code.bc");
        p.run("llvm-objcopy-22", &[&section, "one.o", "copy.o"]).ok();
        p.run("llvm-dis-22", &["code.bc", "-o", "-"])
            .ok()
            .stdout_has(&format!("target triple = \"{triple}\""));
    }
    p.scythe(&["-fsycl", "-fsycl-targets=intel_gpu_kbl", "-c", "one.cpp", "-o", "kbl.o"]).ok();
    p.scythe(&["-fsycl", "-fsycl-targets=intel_gpu_skl", "one.o", "kbl.o", "-o", "app"]).fails().stderr_has(
        "warning: 'kbl.o' contains no device code for 'intel_gpu_skl'; it contains device code for \
         'intel_gpu_kbl'",
    );
}

#[test]
fn a_source_without_kernels_starts_no_device_step() {
    let p =
        Project::new().file("m.cpp", "#include <cstdio>\nint main() { std::puts(\"host\"); }\n");
    for host in ["-fsycl-host-compiler=", "-fsycl-host-compiler=g++"] {
        let out = p.scythe(&["-fsycl", "-v", host, "m.cpp", "-o", "app"]).ok();
        assert!(
            !out.stderr.contains("-fsycl-device-only") && !out.stderr.contains("device-link"),
            "{}",
            out.stderr
        );
        p.run("./app", &[]).ok().stdout_has("host");
    }
}

#[test]
fn what_only_device_passes_read_is_a_dependency() {
    let source =
        "#include <sycl/version.hpp>\n#ifdef __SYCL_DEVICE_ONLY__\n#include \"device.h\"\n#endif\n";
    let p = Project::new().file("a.cpp", source).file("device.h", "");
    for host in ["-fsycl-host-compiler=", "-fsycl-host-compiler=g++"] {
        p.scythe(&["-fsycl", host, "-MMD", "-MP", "-MF", "deps/a.d", "-c", "a.cpp", "-o", "x.o"])
            .fails()
            .stderr_has("cannot write 'deps/a.d'");
        p.scythe(&["-fsycl", host, "-MMD", "-MP", "-MF", "a.d", "-c", "a.cpp", "-o", "x.o"]).ok();
        assert_eq!(
            String::from_utf8_lossy(&p.read("a.d")),
            "x.o: \\\n  a.cpp \\\n  device.h\ndevice.h:\n"
        );
    }
}

#[test]
fn the_language_version_follows_the_option() {
    let source = "#include <sycl/version.hpp>\nstatic_assert(SYCL_LANGUAGE_VERSION == \
        VERSION);\nint main() {}\n";
    let p = Project::new().file("a.cpp", source);
    for (option, version) in [
        ("-sycl-std=2020", "-DVERSION=202012L"),
        ("-sycl-std=1.2.1", "-DVERSION=201707L"),
        ("-sycl-std=2017", "-DVERSION=201707L"),
    ] {
        p.scythe(&["-fsycl", option, version, "-fsyntax-only", "a.cpp"]).ok();
    }
    p.scythe(&["-fsycl", "-sycl-std=2030", "a.cpp"])
        .fails()
        .stderr_has("'1.2.1', '2017' or '2020'");
}

#[test]
fn every_target_has_the_same_bytes_each_time() {
    let p = project();
    let build = |output: &str| {
        p.scythe(&[
            "-fsycl",
            "-O1",
            "-fsycl-targets=spir64,ptx64,intel_gpu_tgl",
            "-c",
            "one.cpp",
            "-o",
            "a.o",
        ])
        .ok();
        std::fs::rename(p.path().join("a.o"), p.path().join(output)).expect("the object is there");
        p.read(output)
    };
    assert!(build("first.o") == build("second.o"), "two compilations differ");
    assert!(prefix().exists());
}
