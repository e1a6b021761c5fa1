//! Tests programs whose kernels were compiled ahead of time: they need no compiler at run time, use
//! the best code that the machine supports, and report an error if there is none.

use scythe_tests::{Outcome, Project, prefix};

/// A program with maths functions, a barrier, local memory and a sub-group. The objects must
/// contain everything that the device library and the lowering for the CPU provide.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cmath>
#include <cstdio>
#include <vector>
int main() {
  constexpr size_t n = 256, group = 32;
  try {
    sycl::queue q;
    std::vector<float> out(n);
    std::vector<int> sums(n / group);
    {
      sycl::buffer<float> a(out.data(), n);
      sycl::buffer<int> s(sums.data(), n / group);
      q.submit([&](sycl::handler &h) {
        sycl::accessor x(a, h, sycl::write_only, sycl::no_init);
        h.parallel_for<class Waves>(n, [=](sycl::id<1> i) { x[i] = sycl::sin(0.01f * i[0]) + sycl::sqrt(1.0f * i[0]); });
      });
      q.submit([&](sycl::handler &h) {
        sycl::accessor x(s, h, sycl::write_only, sycl::no_init);
        sycl::local_accessor<int> l(group, h);
        h.parallel_for<class Sums>(sycl::nd_range<1>(n, group), [=](sycl::nd_item<1> it) {
          const size_t at = it.get_local_id(0);
          l[at] = static_cast<int>(it.get_global_id(0));
          sycl::group_barrier(it.get_group());
          int sum = 0;
          if (at == 0) {
            for (size_t k = 0; k < group; ++k) sum += l[k];
            x[it.get_group(0)] = sum;
          }
        });
      });
    }
    for (size_t i = 0; i < n; ++i)
      if (std::fabs(out[i] - (std::sin(0.01 * i) + std::sqrt(1.0 * i))) > 1e-4) return std::printf("wave %zu\n", i), 1;
    for (size_t g = 0; g < n / group; ++g)
      if (sums[g] != int(group * group * g + group * (group - 1) / 2)) return std::printf("sum %zu\n", g), 1;
  } catch (const sycl::exception &e) {
    std::printf("exception: %s\n", e.what());
    return 3;
  }
  std::puts("right");
}
"#;

/// Returns a project whose `app` is built for these targets.
fn built(options: &[&str]) -> Project {
    let p = Project::new().file("a.cpp", PROGRAM);
    let mut args = vec!["-fsycl", "-O2", "a.cpp", "-o", "app"];
    args.extend(options);
    p.scythe(&args).ok();
    p
}

/// Runs the program, and traces the libraries it loads and the images it builds to standard error.
fn traced(p: &Project, env: &[(&str, &str)]) -> Outcome {
    let mut all =
        vec![("LD_DEBUG", "libs"), ("SCYTHE_TRACE", "images"), ("SYCL_CACHE_PERSISTENT", "0")];
    all.extend(env);
    p.run_with("./app", &[], &all)
}

#[track_caller]
fn loads_no_compiler(out: &Outcome) {
    for library in ["libscythe-jit", "libLLVM"] {
        assert!(!out.stderr.contains(library), "{library} was loaded:\n{}", out.stderr);
    }
}

#[test]
fn the_program_never_loads_llvm() {
    for target in
        ["spir64_x86_64", "x86_64", "native_cpu", "spir64_x86_64-unknown-unknown-sycldevice"]
    {
        let p = built(&[&format!("-fsycl-targets={target}")]);
        let out = traced(&p, &[]).ok().stdout_has("right").stderr_has("cpu-object");
        loads_no_compiler(&out);
    }
}

#[test]
fn the_runtime_alone_is_enough() {
    let p =
        built(&["-fsycl-targets=spir64_x86_64"]).file("alone/what", "only the runtime is here\n");
    let alone = p.path().join("alone");
    std::fs::copy(prefix().join("lib/libscythe.so.0"), alone.join("libscythe.so.0"))
        .expect("the runtime can be copied");
    let folder = format!("LD_LIBRARY_PATH={}", alone.display());
    p.run("env", &[&folder, "SYCL_CACHE_PERSISTENT=0", "./app"]).ok().stdout_has("right");
    // Without code for the CPU, the same program fails because there is no compiler. This shows
    // that the previous run used that runtime.
    let p = built(&[]);
    p.run("env", &[&folder, "SYCL_CACHE_PERSISTENT=0", "./app"])
        .fails()
        .stdout_has("libscythe-jit.so was not found in");
}

#[test]
fn the_generic_program_shows_that_the_check_above_can_fail() {
    let p = built(&["-fsycl-targets=spir64"]);
    traced(&p, &[]).ok().stdout_has("right").stderr_has("libLLVM");
}

#[test]
fn code_for_the_cpu_is_preferred_over_generic_code() {
    let p = built(&["-fsycl-targets=spir64,spir64_x86_64"]);
    let out = traced(&p, &[]).ok().stdout_has("right");
    loads_no_compiler(&out);
}

#[test]
fn every_level_computes_the_same() {
    let p = built(&[
        "-fsycl-targets=spir64_x86_64",
        "-Xsycl-target-backend",
        "-march=sse2,sse4.2,avx2,avx512",
    ]);
    for (allowed, used) in [("x86-64", "x86-64"), ("sse4.2", "x86-64-v2")] {
        let used = format!("spir64_x86_64:{used})");
        traced(&p, &[("SCYTHE_CPU_LEVEL", allowed)]).ok().stdout_has("right").stderr_has(&used);
    }
    // The machine decides whether it supports a higher level. The result must be right in any case.
    for allowed in ["avx2", "avx512"] {
        let out = traced(&p, &[("SCYTHE_CPU_LEVEL", allowed)]).ok().stdout_has("right");
        loads_no_compiler(&out);
    }
}

#[test]
fn a_machine_below_every_level_is_told_which_there_are() {
    let only = "-Xsycl-target-backend=spir64_x86_64";
    let p = built(&["-fsycl-targets=spir64_x86_64", only, "-march=avx2,avx512"]);
    let out = traced(&p, &[("SCYTHE_CPU_LEVEL", "sse4.2")]).fails();
    loads_no_compiler(&out);
    for part in [
        "compiled ahead of time for x86-64-v3",
        "compiled ahead of time for x86-64-v4",
        "up to x86-64-v2",
    ] {
        assert!(out.stdout.contains(part), "no '{part}' in: {}", out.stdout);
    }
    traced(&p, &[("SCYTHE_CPU_LEVEL", "fast")]).fails().stdout_has("SCYTHE_CPU_LEVEL is 'fast'");
    // With additional generic code, the program also runs there.
    let p = built(&["-fsycl-targets=spir64,spir64_x86_64", only, "-march=avx512"]);
    traced(&p, &[("SCYTHE_CPU_LEVEL", "x86-64")]).ok().stdout_has("right").stderr_has("llvmbc");
}

#[test]
fn objects_and_libraries_go_into_programs_for_any_target() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O2", "-c", "a.cpp", "-o", "a.o"]).ok();
    p.scythe(&["-fsycl", "-fsycl-targets=spir64_x86_64", "a.o", "-o", "app"]).ok();
    let out = traced(&p, &[]).ok().stdout_has("right");
    loads_no_compiler(&out);
    p.scythe(&["-fsycl", "-fsycl-targets=spir64_x86_64", "-O2", "-c", "a.cpp", "-o", "a.o"]).ok();
    p.scythe(&["-fsycl", "a.o", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("right");
}

#[test]
fn outputs_are_reproducible() {
    let p = built(&["-fsycl-targets=spir64,spir64_x86_64"]);
    let first = p.read("app");
    p.scythe(&["-fsycl", "-O2", "a.cpp", "-o", "app", "-fsycl-targets=spir64,spir64_x86_64"]).ok();
    assert!(first == p.read("app"), "two builds of one program differ");
}

#[test]
fn what_is_not_known_is_named_with_what_is() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-fsycl-targets=spir64_fpga", "a.cpp"])
        .fails()
        .stderr_has("does not name a compiler for the target 'spir64_fpga'");
    p.scythe(&["-fsycl", "-fsycl-targets=x86_46", "a.cpp"])
        .fails()
        .stderr_has("unknown device target 'x86_46'")
        .stderr_has("'spir64_x86_64'");
    let level =
        ["-fsycl", "-fsycl-targets=x86_64", "-Xsycl-target-backend", "-march=avx1024", "a.cpp"];
    p.scythe(&level)
        .fails()
        .stderr_has("unknown instruction-set level 'avx1024'")
        .stderr_has("'avx512'");
    let tools = prefix().join("bin/scythe-tools");
    p.run(tools, &["device-link", "-o", "a.o", "--target=gpu", "a.bc"])
        .fails()
        .stderr_has("unknown device target 'gpu'");
    assert!(!p.exists("a.out") && !p.exists("a.o"));
}

/// Programs that other tests run with kernels that are compiled at run time.
#[test]
fn private_arrays_and_goto_loops_are_right() {
    let p = Project::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e");
    for program in ["private_arrays", "goto_loops"] {
        let source = format!("{folder}/{program}.cpp");
        for level in ["-O0", "-O3"] {
            let target = "-fsycl-targets=spir64_x86_64";
            p.scythe(&["-fsycl", target, level, "-I", folder, &source, "-o", "app"]).ok();
            p.run("./app", &[]).ok();
        }
    }
}
