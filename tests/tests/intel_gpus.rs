//! Tests programs with code for Intel GPUs: every name gives binaries, and devices get the binary
//! that fits them best, or generic code if the driver rejects the binary.
//!
//! One object serves all tests. No such GPU is needed: a fake OpenCL library simulates one.

use scythe_tests::{Outcome, Project, prefix};
use std::collections::BTreeSet;

const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
int main(int count, char **) {
  try {
    sycl::queue q;
    double *p = sycl::malloc_shared<double>(1, q);
    if (count > 1)
      q.single_task<class Precise>([=] { *p = *p * 1.5; }).wait();
    else
      q.single_task<class Plain>([=] { *reinterpret_cast<int *>(p) = 42; }).wait();
    std::printf("ran on %s\n", q.get_device().get_info<sycl::info::device::name>().c_str());
  } catch (const sycl::exception &e) {
    std::printf("exception: %s\n", e.what());
    return 3;
  }
}
"#;

/// The names in the document, and its aliases.
const NAMES: [&str; 22] = [
    "bdw", "skl", "kbl", "cfl", "apl", "glk", "whl", "aml", "cml", "icllp", "ehl", "tgllp", "rkl",
    "adl_s", "rpl_s", "adl_p", "adl_n", "dg1", "acm_g10", "acm_g11", "acm_g12", "pvc",
];
const ALIASES: [&str; 13] = [
    "8_0_0", "9_0_9", "9_1_9", "9_2_9", "9_3_0", "9_4_0", "9_5_0", "9_6_0", "9_7_0", "11_0_0",
    "11_2_0", "12_0_0", "12_10_0",
];

/// Returns the target and format of each image, in order.
fn images(p: &Project) -> Vec<(String, String)> {
    let dump = p.run(prefix().join("bin/image-dump"), &["--extract=image", "app"]).ok().stdout;
    let field = |name: &str| {
        let lines =
            dump.lines().filter_map(|line| line.trim().strip_prefix(name)).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    field("target: ").into_iter().zip(field("format: ")).collect()
}

fn every_name_gives_a_binary(p: &Project) {
    let list = |names: &[&str]| {
        names.iter().map(|name| format!("intel_gpu_{name}")).collect::<Vec<_>>().join(",")
    };
    let targets = format!("-fsycl-targets={}", list(&NAMES));
    p.scythe(&["-fsycl", &targets, "a.o", "-o", "app"]).ok();
    let images = images(p);
    for name in NAMES {
        let of_target =
            images.iter().filter(|(target, _)| target.strip_prefix("intel_gpu_") == Some(name));
        let formats: Vec<&str> = of_target.map(|(_, format)| format.as_str()).collect();
        // The second kernel needs double precision.
        assert!(matches!(formats[..], ["intel-gpu", "intel-gpu" | "empty"]), "{name}: {formats:?}");
    }
    let binaries: Vec<usize> = (0..images.len()).filter(|&n| images[n].1 == "intel-gpu").collect();
    assert!(images.len() == 2 * NAMES.len() && binaries.len() < images.len(), "{images:?}");
    for number in binaries {
        let code = p.read(&format!("image_{number}.bin"));
        assert!(is_device_binary(&code), "image {number}, {:?}: {:?}", images[number], &code[..32]);
    }
    // ocloc finds the kernel in its own output.
    let kernels = p.run("ocloc", &["disasm", "-file", "image_0.bin", "-dump", "parts"]).ok().stdout;
    assert!(kernels.contains("_ZTSZ4mainE"), "{kernels}");

    let targets = format!("-fsycl-targets={}", list(&ALIASES));
    let plan = p.scythe(&["-###", "-fsycl", &targets, "a.o", "-o", "app"]).ok().stderr;
    let named = |name: &&str| plan.contains(&format!("spir64_gen-unknown-unknown-{name}"));
    assert_eq!(NAMES.iter().filter(|name| named(name)).count(), ALIASES.len(), "{plan}");
}

/// Checks the header of ocloc's output: a 64-bit ELF file of one of Intel's types, which either
/// contains the binary with its magic number in a section or is itself a binary.
fn is_device_binary(code: &[u8]) -> bool {
    const OPENCL_EXECUTABLE: u16 = 0xff04;
    const ZEBIN: [u16; 3] = [0xff10, 0xff11, 0xff12];
    let kind = u16::from_le_bytes([code[16], code[17]]);
    let holds = |magic: &[u8]| code.windows(magic.len()).any(|window| window == magic);
    code.starts_with(b"\x7fELF\x02\x01")
        && (ZEBIN.contains(&kind)
            || kind == OPENCL_EXECUTABLE && (holds(b"CTNI") || holds(b".note.intelgt.compat")))
}

fn devices_may_be_listed_for_the_back_end(p: &Project) {
    let targets: [(&[&str], &[&str]); 3] = [
        (&["-fsycl-targets=spir64_gen", "-Xs", "-device skl,12.10.0"], &["skl", "dg1"]),
        (
            &[
                "-fsycl-targets=spir64_gen",
                "-Xsycl-target-backend",
                "-device tgllp:rkl -options '-cl-mad-enable'",
            ],
            &["rkl", "tgllp"],
        ),
        (
            &[
                "-fsycl-targets=spir64_gen,spir64",
                "-Xsycl-target-backend=spir64_gen",
                "-device xe-hpc",
            ],
            &["pvc"],
        ),
    ];
    for (options, expected) in targets {
        let mut args = vec!["-fsycl", "a.o", "-o", "app"];
        args.extend(options);
        p.scythe(&args).ok();
        let found: BTreeSet<String> = images(p).into_iter().map(|(target, _)| target).collect();
        let expected = expected.iter().map(|name| format!("intel_gpu_{name}"));
        assert!(
            expected.into_iter().all(|target| found.contains(&target)),
            "{options:?}: {found:?}"
        );
    }
    std::fs::remove_file(p.path().join("app")).expect("it was linked");
    for (device, message) in [
        ("-device nosuch", "does not know the device 'nosuch' of target 'spir64_gen'"),
        ("-device skl -nonsense", "Invalid option"),
        ("-O2", "needs the option '-device NAME[,NAME…]'"),
    ] {
        p.scythe(&["-fsycl", "-fsycl-targets=spir64_gen", "-Xs", device, "a.o", "-o", "app"])
            .fails()
            .stderr_has(message);
        assert!(!p.exists("app"));
    }
}

/// Creates a folder with a library that simulates OpenCL with one Intel GPU.
fn play_opencl(p: &Project) {
    let interface = include_str!("../../crates/backend-opencl/src/api.rs");
    let names: BTreeSet<&str> = interface.split('"').filter(|word| is_function(word)).collect();
    let others = names
        .iter()
        .map(|name| format!("__attribute__((weak)) long {name}(void) {{ return 0; }}\n"));
    std::fs::create_dir(p.path().join("fake")).expect("a folder can be made");
    for (file, text) in [
        ("opencl.c", include_str!("intel_gpus/opencl.c")),
        ("others.c", &others.collect::<String>()),
    ] {
        std::fs::write(p.path().join("fake").join(file), text).expect("files can be written");
    }
    let sources = ["fake/opencl.c", "fake/others.c"];
    p.run(
        "clang-22",
        &["-w", "-fPIC", "-shared", sources[0], sources[1], "-o", "fake/libOpenCL.so.1"],
    )
    .ok();
}

fn is_function(word: &str) -> bool {
    word.strip_prefix("cl").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase())
            && rest.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

fn on_gpu(p: &Project, env: &[&str], args: &[&str]) -> Outcome {
    let library = format!("LD_LIBRARY_PATH={}", p.path().join("fake").display());
    let selected =
        ["ONEAPI_DEVICE_SELECTOR=opencl:gpu", "SYCL_CACHE_PERSISTENT=0", "SCYTHE_TRACE=images"];
    let mut all = vec![library.as_str()];
    all.extend(selected);
    all.extend(env);
    all.push("./app");
    all.extend(args);
    p.run("env", &all)
}

const SKL: &str = "FAKE_VERSION=0x02400009";
const KBL: &str = "FAKE_VERSION=0x02404009";
const DG1: &str = "FAKE_VERSION=0x03028000";
const ACM_G10: &str = "FAKE_VERSION=0x030dc008";
const OLDER_ACM_G10: &str = "FAKE_VERSION=0x030dc001";

fn devices_take_what_fits_best(p: &Project) {
    p.scythe(&[
        "-fsycl",
        "-fsycl-targets=spir64,intel_gpu_acm_g10,intel_gpu_skl",
        "a.o",
        "-o",
        "app",
    ])
    .ok();
    let takes = |env: &[&str], image: &str| {
        let out = on_gpu(p, env, &[]).ok().stdout_has("ran on Fake GPU");
        out.stderr_has(&format!("kernel 'main::Plain' on Fake GPU: the image of {image}"));
    };
    takes(&[SKL], "intel-gpu for intel_gpu_skl, compiled ahead of time for this device\n");
    takes(&[ACM_G10], "intel-gpu for intel_gpu_acm_g10, compiled ahead of time for this device\n");
    let related = "compiled ahead of time for a device with compatible code\n";
    takes(&[OLDER_ACM_G10], &format!("intel-gpu for intel_gpu_acm_g10, {related}"));
    let generic = "llvmbc for spirv64-unknown-unknown, generic code, compiled at run time\n";
    takes(&[KBL], generic);
    // A driver that does not report its device.
    takes(&[], generic);
    // The driver decides in the end.
    let out = on_gpu(p, &[SKL, "FAKE_REFUSES=1"], &[]).ok().stdout_has("ran on Fake GPU");
    let refused = "intel-gpu for intel_gpu_skl, compiled ahead of time for this device, cannot be \
        used: OpenCL: \
                   clCreateProgramWithBinary failed with CL_INVALID_BINARY (-42)\n";
    out.stderr_has(refused).stderr_has(&format!("the image of {generic}"));
}

fn what_no_image_fits_is_said(p: &Project) {
    p.scythe(&["-fsycl", "-fsycl-targets=intel_gpu_dg1,intel_gpu_acm_g10", "a.o", "-o", "app"])
        .ok();
    let out = on_gpu(p, &[SKL], &[]).fails();
    for target in ["intel_gpu_dg1", "intel_gpu_acm_g10"] {
        let message = format!(
            "the image was compiled ahead of time for {target}, but this device is intel_gpu_skl \
             (9.0.9)"
        );
        assert!(out.stdout.contains(&message), "{}", out.stdout);
    }
    // Neither of the two GPUs has double precision. Their code lacks the kernel, and the message
    // names the aspect.
    let lacks = "Kernel uses optional feature corresponding to 'aspect::fp64' but device does not \
        support this aspect.";
    on_gpu(p, &[DG1], &["precise"]).fails().stdout_has(lacks);
    p.run_with("./app", &["precise"], &[("SCYTHE_SIMULATE", "intel_gpu_dg1")])
        .fails()
        .stdout_has(lacks);
    // For a device with the aspect, the message explains why there is no code.
    let out = p.run_with("./app", &["precise"], &[("SCYTHE_SIMULATE", "intel_gpu_pvc")]).fails();
    out.stdout_has(
        "the device link left the kernel out of the image for 'intel_gpu_acm_g10', 'intel_gpu_dg1'",
    );
    // A device that is related to one of the targets may use its code.
    let out = on_gpu(p, &["FAKE_VERSION=0x03004000"], &[]).ok();
    out.stderr_has(
        "the image of intel-gpu for intel_gpu_dg1, compiled ahead of time for a related device\n",
    );
}

#[test]
fn intel_gpus_run_code_compiled_ahead_of_time() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O1", "-c", "a.cpp"]).ok();
    every_name_gives_a_binary(&p);
    devices_may_be_listed_for_the_back_end(&p);
    play_opencl(&p);
    devices_take_what_fits_best(&p);
    what_no_image_fits_is_said(&p);
}
