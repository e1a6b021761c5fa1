//! Tests the device configuration from the view of programs and users: the traits of the headers,
//! the available devices, and the output of `scythe inspect` for real files.

use scythe_abi::aspect::Aspect;
use scythe_device_config::Table;
use scythe_tests::{Project, prefix};
use std::collections::BTreeSet;

/// Checks of the traits that hold for code compiled for Ponte Vecchio and Alchemist.
const TRAITS: &str = r#"
#include <sycl/aspect.hpp>
using sycl::aspect;
#ifdef GENERIC
static_assert(sycl::any_device_has_v<aspect::fp64> && !sycl::all_devices_have_v<aspect::fp64>);
static_assert(sycl::any_device_has_v<aspect::emulated> && !sycl::all_devices_have_v<aspect::gpu>);
#else
static_assert(sycl::any_device_has_v<aspect::fp64> && !sycl::all_devices_have_v<aspect::fp64>);
static_assert(sycl::any_device_has<aspect::fp16>::value && sycl::all_devices_have<aspect::fp16>::value);
static_assert(sycl::all_devices_have_v<aspect::gpu> && !sycl::any_device_has_v<aspect::cpu>);
static_assert(sycl::any_device_has_v<aspect::ext_intel_gpu_pvc> && !sycl::any_device_has_v<aspect::ext_intel_gpu_skl>);
#ifdef EMULATED
static_assert(sycl::all_devices_have_v<aspect::emulated>);
#else
static_assert(!sycl::any_device_has_v<aspect::emulated>);
#endif
#endif
"#;

#[test]
fn programs_know_what_their_targets_have() {
    let config = "intel_gpu_pvc:\n  aspects: [gpu, fp16, fp64, emulated, ext_intel_gpu_pvc]\n\
                  intel_gpu_acm_g10:\n  aspects: [gpu, fp16, emulated]\n";
    let project = Project::new().file("a.cpp", TRAITS).file("c.yaml", config);
    let check =
        |args: &[&str]| project.scythe(&[&["-fsycl", "-fsyntax-only", "a.cpp"], args].concat());
    check(&["-DGENERIC"]).ok();
    check(&["-fsycl-targets=intel_gpu_pvc,intel_gpu_acm_g10"]).ok();
    check(&[
        "-fsycl-targets=intel_gpu_pvc,intel_gpu_12_55_8",
        "-fsycl-device-config-file=c.yaml",
        "-DEMULATED",
    ])
    .ok();
}

#[test]
fn a_wrong_configuration_stops_the_driver_with_its_place() {
    let project = Project::new().file("a.cpp", "").file("c.yaml", "mine:\n  aspects: [fp17]\n");
    let outcome =
        project.scythe(&["-fsycl", "-c", "a.cpp", "-fsycl-device-config-file=c.yaml"]).fails();
    assert_eq!(
        outcome.stderr,
        "c.yaml:2:13: error: unknown aspect 'fp17': did you mean 'fp16'? [scythe-E0521]\n"
    );
    assert!(!project.exists("a.o"));
}

/// A program that prints the aspects of the device and has two kernels.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
float deep(float x) { return static_cast<float>(x * 4.0); }
float middle(float x) { return deep(x) + 1; }
int main() {
  sycl::queue q{sycl::cpu_selector_v};
  float *out = sycl::malloc_shared<float>(16, q);
  q.parallel_for<class Plain>(16, [=](sycl::id<1> i) { out[i] = 1; }).wait();
  q.parallel_for<class Precise>(16, [=](sycl::id<1> i) { out[i] = middle(out[i]); }).wait();
  if (out[3] != 5)
    return 1;
  sycl::free(out, q);
#define SCYTHE_ASPECT(name, number)                                                                \
  if (q.get_device().has(sycl::aspect::name))                                                      \
    std::puts(#name);
#include <sycl/detail/aspects.def>
}
"#;

/// One test for everything, because the compilation takes the most time.
#[test]
fn devices_that_are_present_have_what_the_table_says_and_inspect_tells_what_files_hold() {
    let project = Project::new().file("a.cpp", PROGRAM);
    project.scythe(&["-fsycl", "-O1", "-c", "a.cpp", "-o", "a.o"]).ok();
    project.scythe(&["-fsycl", "a.o", "-o", "app"]).ok();
    project.run("ar", &["rcs", "libkernels.a", "a.o"]).ok();

    let said = project.run("./app", &[]).ok().stdout;
    let said: Vec<Aspect> =
        said.lines().map(|name| Aspect::from_name(name).expect("a known aspect")).collect();
    let list = project.run_with(
        prefix().join("bin/sycl-ls"),
        &["--verbose"],
        &[("ONEAPI_DEVICE_SELECTOR", "native_cpu:cpu")],
    );
    let list = list.ok().stdout;
    let line = list.lines().find(|line| line.trim().starts_with("Aspects")).expect("aspects");
    let names = line.split_whitespace().skip(2).filter_map(Aspect::from_name);
    let listed: BTreeSet<Aspect> = names.collect();
    assert_eq!(listed, said.iter().copied().collect(), "sycl-ls lists other aspects");
    let table = Table::embedded();
    let target = table.lookup("spir64_x86_64").expect("the CPU is known");
    for aspect in target.aspects.iter() {
        assert!(
            said.contains(aspect),
            "the table says {}, and the device does not",
            aspect.as_str()
        );
    }
    // Of the aspects that the table lists only as possible, these depend on the processor.
    let possible = |aspect: &&Aspect| {
        // No kernel needs these, so the table does not list them.
        let of_host = ["ext_oneapi_graph", "ext_oneapi_limited_graph", "ext_oneapi_device_wait"];
        !target.has(**aspect) && !aspect.is_architecture() && !of_host.contains(&aspect.as_str())
    };
    let more: Vec<_> = said.iter().filter(possible).map(|aspect| aspect.as_str()).collect();
    assert!(more.is_empty() || more == ["fp16"], "{more:?}");

    for file in ["a.o", "libkernels.a", "app"] {
        let text = project.scythe(&["inspect", file]).ok().stdout;
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with(&format!("{file}: ")) && lines[0].ends_with(", 2 kernels"),
            "{text}"
        );
        let precise = text
            .split("kernel main::Precise")
            .nth(1)
            .unwrap_or_else(|| panic!("no kernel 'main::Precise':\n{text}"));
        assert!(precise.contains("range, a.cpp:10:"), "{text}");
        assert!(text.contains("  runs on ") && text.contains("x86_64_avx2"), "{text}");
        let chain: Vec<&str> = precise
            .lines()
            .find(|line| line.starts_with("    fp64: "))
            .unwrap_or("")
            .split(" → ")
            .collect();
        assert!(chain.len() == 3 && chain[0].starts_with("    fp64: Precise (a.cpp:10:"), "{text}");
        assert!(
            chain[1].starts_with("middle (a.cpp:5:") && chain[2].starts_with("deep (a.cpp:4:"),
            "{text}"
        );
        assert!(text.contains("  lacks fp64: "), "{text}");
    }
    assert!(
        project.scythe(&["inspect", "libkernels.a"]).stdout.contains(", in a.o, not linked yet\n")
    );
    let page = project.scythe(&["inspect", "app", "--html"]).ok().stdout;
    assert!(page.contains("<code>main::Precise</code>"), "{page}");
    let json =
        project.run(prefix().join("bin/scythe-tools"), &["inspect", "--json", "app"]).ok().stdout;
    assert!(json.contains("\"location\": \"a.cpp:10:"), "{json}");
}

#[test]
fn inspect_names_what_it_cannot_read() {
    let project = Project::new().file("a.txt", "no device code\n");
    project
        .scythe(&["inspect", "a.txt"])
        .fails()
        .stderr_has("a.txt: error: no device image, and no bundle of device code");
    project
        .scythe(&["inspect", "nowhere"])
        .fails()
        .stderr_has("nowhere: error: cannot read: No such file or directory");
    project.scythe(&["inspect"]).fails().stderr_has("inspect: error: no input: expected one");
}

/// A program that prints one line for each target of the installed table.
const INSTALLED: &str = r#"
#include <algorithm>
#include <iostream>
#include <scythe/DeviceConfigFile.hpp>
int main() {
  for (auto &[name, info] : DeviceConfigFile::TargetTable) {
    std::cout << name << '|' << info.maySupportOtherAspects << '|' << info.aotToolchain << '|' << info.aotToolchainOptions;
    auto aspects = info.aspects;
    std::sort(aspects.begin(), aspects.end());
    for (auto &aspect : aspects)
      std::cout << '|' << aspect;
    for (auto size : info.subGroupSizes)
      std::cout << '|' << size;
    std::cout << '\n';
  }
}
"#;

#[test]
fn the_installed_table_for_cpp_is_the_configuration() {
    let project = Project::new().file("a.cpp", INSTALLED);
    let include = format!("-I{}", prefix().join("include").display());
    project
        .run("g++", &["-std=c++17", "-Wall", "-Wextra", "-Werror", &include, "a.cpp", "-o", "dump"])
        .ok();
    let table = Table::embedded();
    let mut expected = Vec::new();
    for target in table.targets() {
        let mut fields = vec![
            u8::from(target.may_support_other_aspects).to_string(),
            target.aot_toolchain.to_string(),
            target.aot_toolchain_options.to_string(),
        ];
        let mut aspects: Vec<String> =
            target.aspects.iter().map(|aspect| aspect.as_str().to_owned()).collect();
        aspects.sort();
        fields.extend(aspects);
        fields.extend(target.sub_group_sizes.iter().map(u32::to_string));
        let aliases = Table::aliases(&target.name).map(str::to_owned);
        let names = std::iter::once(target.name.to_string()).chain(aliases);
        expected.extend(names.map(|name| format!("{name}|{}", fields.join("|"))));
    }
    expected.sort();
    let mut seen: Vec<String> =
        project.run("./dump", &[]).ok().stdout.lines().map(str::to_owned).collect();
    seen.sort();
    assert_eq!(seen, expected);
}
