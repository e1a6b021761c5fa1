//! Tests `if_device_has` and `if_architecture_is`: the code for each target contains its own branch
//! and nothing of the others.

use scythe_tests::Project;

const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
using namespace sycl::ext::oneapi::experimental;
using sycl::aspect;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(3, q);
  p[0] = p[1] = p[2] = 0;
  q.single_task<class Chosen>([=] {
     if_device_has<aspect::FIRST>([=] { p[0] = 101; })
         .else_if_device_has<aspect::ext_intel_gpu_pvc>([=](int n) { p[0] = n; }, 102)
         .else_if_device_has<aspect::ext_intel_x86_64>([=] { p[0] = 103; })
         .else_device([=] {
           double d = p[1];
           p[0] = static_cast<int>(d * 1.5) + 104;
         });
     if_architecture_is<architecture::intel_gpu_9_0_9, architecture::intel_gpu_dg1>([=] { p[1] = 201; })
         .otherwise([=] { p[1] = 202; });
   }).wait();
  q.single_task<class Marked>([=] {
     if_device_has<aspect::ext_intel_gpu_skl>([=] { p[2] = 0x51abc0d1; })
         .else_if_device_has<aspect::ext_intel_gpu_pvc>([=] { p[2] = 0x51abc0d2; })
         .else_if_device_has<aspect::ext_intel_gpu_dg1>([=] { p[2] = 0x51abc0d3; });
   }).wait();
  std::printf("%d %d, x86_64 %d\n", p[0], p[1], q.get_device().ext_oneapi_architecture_is(architecture::x86_64));
}
"#;

fn project(first: &str) -> Project {
    Project::new().file("a.cpp", &PROGRAM.replace("FIRST", first))
}

#[test]
fn each_target_has_its_branch() {
    let p = project("ext_intel_gpu_skl");
    let targets = "-fsycl-targets=intel_gpu_9_0_9,intel_gpu_pvc,intel_gpu_dg1";
    p.scythe(&["-fsycl", "-O1", targets, "-c", "a.cpp"]).ok();
    for (name, stored, other) in [("skl", ["101", "201"], "102"), ("pvc", ["102", "202"], "101")] {
        let section = format!("__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen-unknown-unknown-{name}");
        p.run("llvm-objcopy-22", &[&format!("--dump-section={section}=code.bc"), "a.o", "copy.o"])
            .ok();
        let ir = p.run("llvm-dis-22", &["code.bc", "-o", "-"]).ok().stdout;
        for value in stored {
            assert!(ir.contains(&format!("store i32 {value},")), "{name}: {ir}");
        }
        // The aspects of a discarded branch are not used.
        assert!(
            !ir.contains(&format!("store i32 {other},")) && !ir.contains("fmul"),
            "{name}: {ir}"
        );
        assert!(!ir.contains("!intel_used_aspects"), "{name}: {ir}");
    }
    let section =
        "--dump-section=__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen-unknown-unknown-dg1=code.bc";
    p.run("llvm-objcopy-22", &[section, "a.o", "copy.o"]).ok();
    let ir = p.run("llvm-dis-22", &["code.bc", "-o", "-"]).ok().stdout;
    assert!(ir.contains("fmul double") && ir.contains("!intel_used_aspects"), "{ir}");
    each_binary_has_its_branch(&p, targets);
}

/// Checks ocloc's binaries for three GPUs in one program: each contains the number that its own
/// branch stores, and none of the other numbers.
fn each_binary_has_its_branch(p: &Project, targets: &str) {
    // Without the SPIR-V that ocloc adds to its code, which also contains the number.
    p.scythe(&[
        "-fsycl",
        targets,
        "-Xs",
        "-exclude_ir",
        "-fsycl-dump-device-code=code",
        "a.o",
        "-o",
        "app",
    ])
    .ok();
    const NUMBERS: [(&str, u32); 3] =
        [("skl", 0x51ab_c0d1), ("pvc", 0x51ab_c0d2), ("dg1", 0x51ab_c0d3)];
    let entries = std::fs::read_dir(p.path().join("code")).expect("the folder was made").flatten();
    let files: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    for (name, _) in NUMBERS {
        let target = format!("-intel_gpu_{name}-");
        let of_target = files.iter().filter(|file| file.contains(&target));
        let code: Vec<u8> = of_target.flat_map(|file| p.read(&format!("code/{file}"))).collect();
        let stored: Vec<&str> = NUMBERS
            .iter()
            .filter(|(_, number)| code.windows(4).any(|window| window == number.to_le_bytes()))
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(stored, [name], "in {} bytes of {files:?}", code.len());
    }
    // The first kernel needs double precision, which one of the GPUs lacks. That code is left out,
    // and an error explains its absence.
    let out = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", "intel_gpu_dg1")]);
    out.stderr_has(
        "Kernel uses optional feature corresponding to 'aspect::fp64' but device does not support \
         this aspect.",
    );
}

#[test]
fn the_cpu_runs_its_branch() {
    let p = project("ext_intel_gpu_skl");
    p.scythe(&["-fsycl", "-O1", "-fsycl-targets=spir64_x86_64", "a.cpp", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("103 202, x86_64 1");
}

/// Generic code keeps all branches. The device decides at run time, and need not support the
/// features of other branches.
#[test]
fn devices_choose_when_the_program_runs() {
    let single = "single:\n  aspects: [gpu, usm_shared_allocations, ext_intel_gpu_skl]\n";
    let p = project("ext_intel_gpu_skl").file("single.yaml", single);
    for level in ["-O0", "-O2"] {
        p.scythe(&["-fsycl", level, "a.cpp", "-o", "app"]).ok();
        p.run("./app", &[]).ok().stdout_has("103 202, x86_64 1");
        for (device, result) in [("skl", "101 201"), ("pvc", "102 202"), ("cfl", "104 202")] {
            let simulated = format!("intel_gpu_{device}");
            let out = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", &simulated)]).ok();
            out.stdout_has(&format!("{result}, x86_64 0"));
        }
        // `dg1` has no fp64, and takes the branch that needs it.
        let refused = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", "intel_gpu_dg1")]);
        refused.stderr_has(
            "Kernel uses optional feature corresponding to 'aspect::fp64' but device does not \
             support this aspect.",
        );
        // A device without fp64 whose branch does not need it.
        let out = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", "single.yaml")]).ok();
        out.stdout_has("101 201, x86_64 0");
        // Branches that the device does not take are not compiled, even without optimisation.
        std::fs::create_dir_all(p.path().join("dump")).expect("a folder can be made");
        let environment = [("SCYTHE_SIMULATE", "intel_gpu_skl"), ("SCYTHE_DUMP_JIT", "dump")];
        p.run_with("./app", &[], &environment).ok();
        let compiled = String::from_utf8_lossy(&p.read("dump/cpu-1-retargeted.ll")).into_owned();
        // The last image belongs to the second kernel, whose branches need no aspects.
        let stored = |number: u32| compiled.contains(&format!("i32 {number}"));
        assert!(stored(0x51ab_c0d1) && !stored(0x51ab_c0d2) && !stored(0x51ab_c0d3), "{compiled}");
    }
    // Generic code that is compiled for the CPU ahead of time.
    p.scythe(&["-fsycl", "-O1", "-c", "a.cpp"]).ok();
    p.scythe(&["-fsycl", "-fsycl-targets=x86_64_sse2", "a.o", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("103 202, x86_64 1");
}

#[test]
fn other_aspects_are_refused() {
    let p = project("fp64");
    let targets = "-fsycl-targets=spir64_x86_64";
    p.scythe(&["-fsycl", targets, "-c", "a.cpp"])
        .fails()
        .errors(1)
        .stderr_has("Invalid aspect used in if_device_has.");
    p.scythe(&["-fsycl", "-c", "a.cpp"])
        .fails()
        .errors(1)
        .stderr_has("Invalid aspect used in if_device_has.");
    assert!(!p.exists("a.o"));
    let later =
        PROGRAM.replace("FIRST", "ext_intel_gpu_skl").replacen("ext_intel_gpu_pvc", "fp16", 1);
    let out = Project::new().file("a.cpp", &later).scythe(&["-fsycl", "-c", "a.cpp"]);
    out.fails().errors(1).stderr_has("Invalid aspect used in else_if_device_has.");
}

/// A branch for one of two fixed targets may use aspects that the other target lacks.
#[test]
fn fixed_targets_count_the_branches_that_they_take() {
    let source = r#"
#include <sycl/sycl.hpp>
using namespace sycl::ext::oneapi::experimental;
using sycl::aspect;
int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(3, q);
  q.single_task<class K>([=] {
     if_device_has<aspect::ext_intel_gpu_pvc>([=] { p[0] = p[1] * 2.0; }).else_device([=] { p[0] = p[1] OTHER; });
   }).wait();
}
"#;
    let targets = "-fsycl-fixed-targets=intel_gpu_dg1,intel_gpu_pvc";
    for level in ["-O0", "-O2"] {
        let p = Project::new().file("a.cpp", &source.replace("OTHER", "* 2"));
        assert_eq!(p.scythe(&["-fsycl", level, targets, "-c", "a.cpp"]).ok().stderr, "", "{level}");
        // The other branch is that of dg1.
        let p = Project::new().file("a.cpp", &source.replace("OTHER", "* 3.0"));
        let said = p.scythe(&["-fsycl", level, targets, "-c", "a.cpp"]).ok().stderr;
        let expected =
            "uses aspect 'fp64' not supported by target 'intel_gpu_dg1' in '-fsycl-fixed-targets'";
        assert_eq!(
            (said.matches("warning: ").count(), said.contains(expected)),
            (1, true),
            "{level}: {said}"
        );
        assert!(said.contains("a.cpp:9:"), "{said}");
    }
}
