//! Tests the device configuration as the only table of targets: every name in it is accepted, and a
//! target of a user's file works from the command line to the image.

use scythe_tests::{Project, prefix};

/// A program whose result tells which device pass compiled its kernel.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  sycl::queue q;
  sycl::buffer<int> b{1};
  q.submit([&](sycl::handler &h) {
     sycl::accessor a{b, h};
     h.single_task<class Which>([=] {
#if defined(__SYCL_TARGET_BUILD_MACHINE__) && defined(__SYCL_TARGET_INTEL_X86_64__)
       a[0] = 3;
#elif defined(__SYCL_TARGET_RENDER_NODE__) || defined(__SYCL_TARGET_INTEL_GPU_NEW__)
       a[0] = 4;
#else
       a[0] = 1;
#endif
     });
   }).wait();
  std::printf("%d\n", b.get_host_access()[0]);
}
"#;

const FILE: &str = "\
build_machine:
  aspects: [cpu, fp64, fp16]
  sub-group-sizes: [4, 8]
  aot-toolchain: scythe
  aot-toolchain-options: -march=sse4.2 -O2
render-node:
  aspects: [gpu, fp16]
  sub-group-sizes: [16]
  aot-toolchain: ocloc
  aot-toolchain-options: -device 12.55.8
intel_gpu_new:
  aspects: [gpu, fp16, fp64]
  sub-group-sizes: [8, 16]
  aot-toolchain-options: -device skl
nvidia_gpu_sm_89:
  aspects: [gpu, fp16]
  sub-group-sizes: [32]
cards:
  aspects: [gpu, fp16]
  sub-group-sizes: [32]
  aot-toolchain: ptxas
  aot-toolchain-options: -arch=sm_90a
unusable:
  aspects: [gpu]
";

const CONFIG: &str = "-fsycl-device-config-file=mine.yaml";

fn project() -> Project {
    Project::new().file("a.cpp", PROGRAM).file("mine.yaml", FILE)
}

/// Returns the targets and formats of a file's images, in order.
fn images(p: &Project, file: &str) -> Vec<(String, String)> {
    let dump = p.run(prefix().join("bin/image-dump"), &[file]).ok().stdout;
    let field = |name: &str| {
        let values =
            dump.lines().filter_map(|line| line.trim().strip_prefix(name)).map(str::to_owned);
        values.collect::<Vec<_>>()
    };
    field("target: ").into_iter().zip(field("format: ")).collect()
}

#[test]
fn targets_of_a_users_file_work_from_the_command_line_to_the_image() {
    let p = project();
    let targets = "-fsycl-targets=build_machine,render-node,intel_gpu_new,spir64";
    p.scythe(&["-fsycl", "-O1", targets, CONFIG, "-c", "a.cpp"]).ok();
    let list = p.run("clang-offload-bundler-22", &["-type=o", "-list", "-input=a.o"]).ok();
    for id in [
        "sycl-spir64_x86_64-unknown-unknown-@build_machine",
        "sycl-spir64_gen-unknown-unknown-@render-node",
        "sycl-spir64_gen-unknown-unknown-new",
    ] {
        assert!(list.stdout.lines().any(|line| line == id), "{id}: {}", list.stdout);
    }
    // A link uses the targets of its objects, and needs the file to know them.
    p.scythe(&["-fsycl", "a.o", "-o", "app"])
        .fails()
        .stderr_has("unknown device target 'build_machine'");
    assert!(!p.exists("app"));
    p.scythe(&["-fsycl", CONFIG, "a.o", "-o", "app"]).ok();
    let expected = [
        ("spirv64-unknown-unknown", "llvmbc"),
        ("spir64_x86_64:x86-64-v2", "cpu-object"),
        ("intel_gpu_@render-node:12.55.8", "intel-gpu"),
        ("intel_gpu_new:9.0.9", "intel-gpu"),
    ];
    let found = images(&p, "app");
    assert_eq!(found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>(), expected);
    // The CPU uses its own code, even if it simulates the machine of the file.
    p.run("./app", &[]).ok().stdout_has("3");
    p.run_with("./app", &[], &[("SCYTHE_SIMULATE", "mine.yaml:build_machine")])
        .ok()
        .stdout_has("3");
    let inspect = p.scythe(&["inspect", "app", "--device-config-file=mine.yaml"]).ok();
    assert!(
        inspect.stdout.contains("build_machine") && inspect.stdout.contains("render-node"),
        "{}",
        inspect.stdout
    );

    // Code without a branch for the CPU: generic code is used at run time.
    p.scythe(&["-fsycl", "-fsycl-targets=render-node,spir64", CONFIG, "a.o", "-o", "other"]).ok();
    p.run("./other", &[]).ok().stdout_has("1");
}

#[test]
fn nvidia_targets_of_a_users_file_are_compiled_for_their_architecture() {
    let p = project();
    p.scythe(&[
        "-fsycl",
        "-O1",
        "-fsycl-targets=cards,nvidia_gpu_sm_89,nvidia_gpu_sm_120a",
        CONFIG,
        "a.cpp",
        "-o",
        "app",
    ])
    .ok();
    let targets: Vec<String> = images(&p, "app").into_iter().map(|(target, _)| target).collect();
    assert_eq!(targets, ["nvidia_gpu_@cards:sm_90a", "nvidia_gpu_sm_120a", "nvidia_gpu_sm_89"]);
    let plan =
        p.scythe(&["-###", "-fsycl", "-fsycl-targets=cards", CONFIG, "-c", "a.cpp"]).ok().stderr;
    for word in ["--offload-arch=sm_90a", "-D__SYCL_CUDA_ARCH__=900", "-D__SYCL_TARGET_CARDS__=1"] {
        assert!(plan.contains(&format!("\"{word}\"")), "{word}: {plan}");
    }
}

#[test]
fn mistakes_name_what_the_merged_table_has() {
    let p = project();
    let refused = |list: &str| {
        p.scythe(&["-fsycl", &format!("-fsycl-targets={list}"), CONFIG, "-c", "a.cpp"])
            .fails()
            .stderr
    };
    let start = |list: &str, message: &str| {
        let seen = refused(list);
        let expected = format!("scythe: error: in '-fsycl-targets={list}': {message}");
        assert!(seen.starts_with(&expected), "expected {expected}\nseen {seen}");
    };
    start(
        "build_machin",
        "unknown device target 'build_machin' (did you mean 'build_machine'?): expected 'spir64'",
    );
    start(
        "Build_Machine",
        "unknown device target 'Build_Machine' (did you mean 'build_machine'?): expected",
    );
    start("spir64,,cards", "unknown device target '': expected");
    start("spir64, cards", "unknown device target ' cards' (did you mean 'cards'?): expected");
    start(
        "amd_gpu_gfx90a",
        "the target 'amd_gpu_gfx90a' is an AMD GPU, which Scythe does not support: expected",
    );
    start(
        "unusable",
        "the device configuration does not name a compiler for the target 'unusable': expected \
         'ocloc', 'ptxas' or 'scythe' as its 'aot-toolchain'",
    );
    let fixed = ["-fsycl", "-fsycl-fixed-targets=render_node", CONFIG, "-c", "a.cpp"];
    p.scythe(&fixed)
        .fails()
        .stderr_has("unknown device target 'render_node' (did you mean 'render-node'?)");
    // Kernels can be checked for a target even if it has no compiler.
    p.scythe(&[
        "-fsycl",
        "-fsyntax-only",
        "-fsycl-fixed-targets=unusable,cards,cards",
        CONFIG,
        "a.cpp",
    ])
    .ok();
    assert!(!p.exists("a.o"));
}

/// Every name in DPC++'s documentation.
const INTEL: &str = "bdw skl kbl cfl apl bxt glk whl aml cml icl icllp ehl jsl tgl tgllp rkl adl_s \
    rpl_s adl_p adl_n dg1 \
    acm_g10 dg2_g10 acm_g11 dg2_g11 acm_g12 dg2_g12 pvc pvc_vg mtl_u mtl_s arl_u arl_s mtl_h arl_h \
    bmg_g21 lnl_m ptl_h ptl_u \
    8_0_0 9_0_9 9_1_9 9_2_9 9_3_0 9_4_0 9_5_0 9_6_0 9_7_0 11_0_0 11_2_0 12_0_0 12_1_0 12_2_0 \
    12_3_0 12_4_0 12_10_0 12_55_8 \
    12_56_5 12_57_0 12_60_7 12_61_7 12_70_4 12_71_4 12_74_4 20_1_4 20_4_4 30_0_4 30_1_1";
const NVIDIA: &str =
    "50 52 53 60 61 62 70 72 75 80 86 87 89 90 90a 100 100a 101 103 110 120 120a 121";

#[test]
fn every_name_of_the_documents_is_a_target() {
    let p = Project::new().file("a.cpp", "");
    let intel = INTEL.split_whitespace().map(|name| format!("intel_gpu_{name}"));
    let all: Vec<String> =
        intel.chain(NVIDIA.split(' ').map(|sm| format!("nvidia_gpu_sm_{sm}"))).collect();
    let list = format!("-fsycl-targets=spir64,x86_64,x86_64_avx512,{},{}", all.join(","), all[3]);
    let plan =
        p.scythe(&["-###", "-fsycl", "-fsycl-device-only", &list, "-c", "a.cpp"]).ok().stderr;
    for target in [
        "INTEL_GPU_BMG_G21",
        "INTEL_GPU_PVC_VG",
        "INTEL_GPU_MTL_U",
        "INTEL_GPU_LNL_M",
        "NVIDIA_GPU_SM_120A",
    ] {
        assert!(plan.contains(&format!("-D__SYCL_TARGET_{target}__=1")), "{target}: {plan}");
    }
}

#[test]
fn a_level_of_the_cpu_has_what_the_levels_below_it_have() {
    let program = "#include <sycl/sycl.hpp>\nint main() {\n  sycl::queue q;\n  q.single_task<class \
        K>([=]() \
                   [[sycl::device_has(sycl::aspect::ext_intel_x86_64_avx2)]] {}).wait();\n}\n";
    let p = Project::new().file("a.cpp", program);
    for (target, format) in [("x86_64_avx512", "cpu-object"), ("x86_64_avx2", "cpu-object")] {
        p.scythe(&["-fsycl", "-O1", &format!("-fsycl-targets={target}"), "a.cpp", "-o", "app"])
            .ok();
        let found: Vec<String> = images(&p, "app").into_iter().map(|(_, format)| format).collect();
        assert_eq!(found, [format], "{target}");
    }
}
