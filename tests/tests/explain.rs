//! Tests what Scythe tells about kernels: exceptions name the kernel and the call that submitted
//! it, `scythe inspect` shows how kernels were compiled, and `-save-temps` keeps their code.

use scythe_tests::{Outcome, Project};

/// The first argument chooses the case. Each line of a submission ends with the case's name.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>

template <class T> struct Scale {
  T *data;
  void operator()(sycl::nd_item<1> it) const { data[it.get_global_id(0)] *= 2; }
};

class Named;
class Sum;

struct Parts {
  int *out;
  void operator()(sycl::nd_item<1> it) const {
    for (unsigned i = 0; i < it.get_local_id(0) % 3; ++i) {
      out[i] += 1;
      sycl::group_barrier(it.get_group());
    }
  }
};

int main(int, char **argv) {
  const auto is = [&](const char *name) { return std::strcmp(argv[1], name) == 0; };
  sycl::queue q([](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const sycl::exception &e) {
        std::printf("asynchronous: %s\n", e.what());
      }
    }
  });
  const sycl::nd_range<1> bad(10, 3);
  int *p = sycl::malloc_shared<int>(64, q);
  *p = 3;
  const auto run = [&] {
    if (is("named"))
      q.submit([&](sycl::handler &h) {
        h.parallel_for<Named>(bad, [=](sycl::nd_item<1>) { *p = 1; }); // named
      });
    if (is("shortcut"))
      q.parallel_for(bad, [=](sycl::nd_item<1>) { *p = 1; }); // shortcut
    if (is("template"))
      q.parallel_for(bad, Scale<int>{p}); // template
    if (is("reduction"))
      q.parallel_for<Sum>(bad, sycl::reduction(p, sycl::plus<>()), [=](sycl::nd_item<1>, auto &) {}); // reduction
    if (is("memory"))
      q.submit([&](sycl::handler &h) { h.memcpy(nullptr, p, 8); }); // memory
    if (is("asynchronous"))
      q.parallel_for(sycl::nd_range<1>(32, 32), Parts{p}).wait_and_throw(); // asynchronous
  };
  if (std::strcmp(argv[2], "caught") != 0)
    return run(), 0;
  try {
    run();
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
  }
}
"#;

/// Returns `FILE:LINE` of a case's submission.
fn place(file: &str, case: &str) -> String {
    let end = format!("// {case}");
    let line = PROGRAM.lines().position(|line| line.ends_with(&end)).expect("the case exists");
    format!("{file}:{}", line + 1)
}

#[track_caller]
fn tells(out: &Outcome, kernel: &str, place: &str) {
    let text = &out.stdout;
    assert!(text.contains(&format!("kernel '{kernel}")), "no kernel '{kernel}' in {text}");
    assert!(text.contains(&format!("submitted at {place})")), "no place {place} in {text}");
    assert_eq!(text.matches("submitted at").count(), 1, "{text}");
    assert!(!text.contains("_Z"), "{text}");
}

#[test]
fn exceptions_name_the_kernel_and_its_submission() {
    let folder = "a folder/größe";
    let file = "a folder/größe/main file.cpp";
    let p = Project::new().file(file, PROGRAM);
    let compilers: [&[&str]; 3] = [&[], &["-g"], &["-fsycl-host-compiler=g++"]];
    for options in compilers {
        p.scythe(&[&["-fsycl", "-O1", file, "-o", "app"], options].concat()).ok();
        // The scalar form finds barriers that some work-items do not reach.
        let run = |case: &str| {
            p.run_with("./app", &[case, "caught"], &[("SCYTHE_CPU_FORM", "scalar")]).ok()
        };
        for (case, kernel) in [
            ("named", "Named'"),
            ("shortcut", "main::"),
            ("template", "Scale<int>'"),
            ("reduction", "Sum'"),
            ("asynchronous", "Parts'"),
        ] {
            tells(&run(case), kernel, &place(file, case));
        }
        // Commands without a kernel have a place.
        let memory = run("memory").stdout;
        assert!(memory.contains(&place(file, "memory")) && !memory.contains("kernel"), "{memory}");
    }
    // The name of the file is the one that the compiler got.
    assert!(!p.path().join(folder).join("app").exists());
}

#[test]
fn an_uncaught_exception_prints_the_kernel_and_its_submission() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "app"]).ok();
    let out = p.run("./app", &["named", "uncaught"]);
    let place = place("a.cpp", "named");
    assert_ne!(out.status, Some(0));
    let expected = format!("(kernel 'Named', submitted at {place})\n");
    assert!(out.stderr.contains(&expected), "{}", out.stderr);
}

/// Without `-fsycl`, kernels have no names.
#[test]
fn host_mode_tells_the_submission() {
    let include = scythe_tests::prefix().join("include");
    let lib = scythe_tests::prefix().join("lib");
    let p = Project::new().file("a.cpp", PROGRAM);
    let path = |path: &std::path::Path| path.display().to_string();
    let rpath = format!("-Wl,-rpath,{}", path(&lib));
    let (include, lib) = (format!("-I{}", path(&include)), format!("-L{}", path(&lib)));
    let words = ["-std=c++17", "-O0", "a.cpp", "-o", "app", &include, &lib, &rpath, "-lscythe"];
    p.run("g++", &words).ok();
    let out = p.run("./app", &["named", "caught"]).ok();
    assert!(out.stdout.contains(&format!("(submitted at {})", place("a.cpp", "named"))));
}

/// Kernels of different kinds: with local memory, alone, and one that LLVM does not vectorise.
const KERNELS: &str = r#"
#include <sycl/sycl.hpp>
class Tile; class Once; class Count;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  q.parallel_for<Tile>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
    auto &tile = *sycl::ext::oneapi::group_local_memory_for_overwrite<int[64]>(it.get_group());
    tile[it.get_local_id(0)] = p[it.get_global_id(0)];
    sycl::group_barrier(it.get_group());
    p[it.get_global_id(0)] = tile[63 - it.get_local_id(0)];
  });
  q.single_task<Once>([=] { p[0] = 1; });
  q.parallel_for<Count>(sycl::range<1>(64), [=](sycl::id<1> i) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(p[i % 7]) += 1;
  });
  q.wait();
}
"#;

/// Returns the lines about kernels, without the known devices.
fn about_kernels(text: &str) -> Vec<&str> {
    let is_about = |line: &&str| line.starts_with("  kernel ") || line.contains(" lane");
    text.lines().filter(is_about).map(str::trim).collect()
}

#[test]
fn inspect_tells_how_kernels_were_compiled() {
    let p = Project::new().file("my kernels/ä.cpp", KERNELS);
    let source = "my kernels/ä.cpp";
    let cpu = "-fsycl-targets=spir64_x86_64";
    let level = ["-Xsycl-target-backend=spir64_x86_64", "-march=x86-64-v3"];
    p.scythe(&[&["-fsycl", "-O2", cpu, source, "-o", "ahead"], &level[..]].concat()).ok();
    let expected = [
        "kernel Tile",
        "spir64_x86_64:x86-64-v3: 8 lanes, 256 bytes of local memory",
        "kernel Once",
        "spir64_x86_64:x86-64-v3: 1 lane: a single task has one work-item",
        "kernel Count",
        "spir64_x86_64:x86-64-v3: 1 lane: an atomic operation cannot be vectorised",
    ];
    let ahead = p.scythe(&["inspect", "ahead"]).ok();
    assert_eq!(about_kernels(&ahead.stdout), expected, "{}", ahead.stdout);

    // Code for any processor is compiled for this one.
    p.scythe(&["-fsycl", "-O2", "-c", source, "-o", "a.o"]).ok();
    p.scythe(&["-fsycl", "a.o", "-o", "app"]).ok();
    p.scythe(&["-fsycl", "-fPIC", "-shared", source, "-o", "liba.so"]).ok();
    p.run("ar", &["rcs", "liba.a", "a.o"]).ok();
    for file in ["a.o", "app", "liba.so", "liba.a"] {
        let out = p.scythe(&["inspect", file]).ok();
        let lines = about_kernels(&out.stdout);
        assert_eq!(lines.len(), 6, "{file}: {}", out.stdout);
        assert_eq!(lines[3], "this CPU: 1 lane: a single task has one work-item", "{file}");
        let plain = p.scythe(&["inspect", "--no-compile", file]).ok();
        assert_eq!(about_kernels(&plain.stdout).len(), 3, "{file}: {}", plain.stdout);
    }

    let cache = p.path().join("cache").display().to_string();
    p.run_with("./app", &[], &[("SYCL_CACHE_DIR", &cache)]).ok();
    let out = p.scythe(&["inspect", "cache"]).ok().stdout_has("cache: 1 device image, 3 kernels\n");
    assert!(out.stdout.contains("x86_64: 1 lane: a single task has one work-item"));
    let json = p.scythe(&["inspect", "--json", "cache"]).ok();
    json.stdout_has("\"remark\": \"a single task has one work-item\"");
}

#[test]
fn save_temps_keeps_the_code_of_each_target() {
    let p = Project::new().file("a.cpp", KERNELS);
    let targets = "-fsycl-targets=spir64_x86_64,intel_gpu_tgllp,nvidia_gpu_sm_80";
    // Without a folder of CUDA in it, there is only PTX.
    let out = p.scythe(&["-fsycl", "-O1", "-v", "-save-temps", targets, "a.cpp", "-o", "app"]).ok();
    assert!(
        out.stderr.contains("device-link: compiling 1 parts for NVIDIA GPUs"),
        "{}",
        out.stderr
    );
    let text = String::from_utf8_lossy(&p.read("app_4-nvidia_gpu_sm_80.ptx")).into_owned();
    assert!(text.contains(".entry _ZTS4Once("), "{text}");
    let object = p.read("app_2-spir64_x86_64-x86-64-v4.o");
    assert!(object.starts_with(b"\x7fELF"));
    assert!(p.read("app_3-intel_gpu_tgllp.bin").starts_with(b"\x7fELF"));
    assert!(out.stderr.contains("ocloc compile -file "), "{}", out.stderr);
    let inspected = p.scythe(&["inspect", "--no-compile", "app"]).ok();
    let inspected =
        inspected.stdout_has("intel_gpu_tgllp: 32 lanes, 128 registers, 256 bytes of local");
    if p.exists("app_4-nvidia_gpu_sm_80.cubin") {
        assert!(p.read("app_4-nvidia_gpu_sm_80.cubin").starts_with(b"\x7fELF"));
        assert!(out.stderr.contains("ptxas -arch=sm_80 -O3 -v -o "), "{}", out.stderr);
        assert!(out.stderr.contains("Compiling entry function 'Once' for 'sm_80'"));
        inspected.stdout_has("    sm_80: ").stdout_has(" registers, 256 bytes of local memory, ");
    }
}

#[test]
fn devices_are_not_replaced_by_outputs() {
    let p = Project::new().file("a.cpp", "int main() {}\n");
    // A link stands for the device, so a failure of the test does no harm.
    let device = p.path().join("null");
    for option in ["-ftime-trace=null", "-fsycl-int-header=null", "-MF"] {
        let _ = std::fs::remove_file(&device);
        std::os::unix::fs::symlink("/dev/null", &device).expect("a link");
        let words: &[&str] = if option == "-MF" { &["-MD", "-MF", "null"] } else { &[option] };
        p.scythe(&[&["-fsycl", "-c", "a.cpp", "-o", "a.o"], words].concat()).ok();
        assert!(device.is_symlink(), "{option}");
    }
}
