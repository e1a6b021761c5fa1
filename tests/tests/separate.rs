//! Tests separate compilation, shared libraries and registration.

use scythe_tests::{Project, prefix};

const KERNEL: &str = r#"
#include <sycl/sycl.hpp>
extern "C" int twice(int n) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.single_task<class Twice>([=] { a[0] = 2 * n; });
  });
  return sycl::host_accessor(b, sycl::read_only)[0];
}
"#;
const MAIN: &str = "extern \"C\" int twice(int);\nint main() { return twice(21) == 42 ? 0 : 1; }\n";

#[test]
fn fat_objects_link() {
    let p = Project::new().file("k.cpp", KERNEL).file("m.cpp", MAIN);
    p.scythe(&["-fsycl", "-O1", "-c", "k.cpp", "-o", "k.o"]).ok();
    p.scythe(&["-fsycl", "-O1", "-c", "m.cpp"]).ok();
    p.scythe(&["-fsycl", "k.o", "m.o", "-o", "app"]).ok();
    p.run("./app", &[]).ok();
    p.run("readelf", &["-S", "-W", "k.o"])
        .ok()
        .stdout_has("__CLANG_OFFLOAD_BUNDLE__sycl-spir64-unknown-unknown");
    p.run("clang-offload-bundler-22", &["-type=o", "-list", "-input=k.o"])
        .ok()
        .stdout_has("sycl-spir64-unknown-unknown");
}

#[test]
fn a_library_of_fat_objects_links() {
    let p = Project::new().file("k.cpp", KERNEL).file("m.cpp", MAIN);
    p.scythe(&["-fsycl", "-O1", "-c", "k.cpp", "-o", "k.o"]).ok();
    p.run("ar", &["rcs", "libk.a", "k.o"]).ok();
    p.scythe(&["-fsycl", "m.cpp", "libk.a", "-o", "app"]).ok();
    p.run("./app", &[]).ok();
}

#[test]
fn a_plain_linker_takes_a_fat_object() {
    let p = Project::new().file("k.cpp", KERNEL).file("m.cpp", MAIN);
    p.scythe(&["-fsycl", "-O1", "-c", "m.cpp", "-o", "m.o"]).ok();
    p.scythe(&["-fsycl", "-O1", "-fPIC", "-c", "k.cpp", "-o", "k.o"]).ok();
    let lib = prefix().join("lib");
    p.run("g++", &["m.o", "k.o", "-o", "app", "-L", lib.to_str().expect("UTF-8"), "-lscythe"]).ok();
}

#[test]
fn a_shared_library_registers_and_unregisters_with_each_dlopen() {
    let p = Project::new().file("k.cpp", KERNEL).file(
        "m.cpp",
        r#"
#include <dlfcn.h>
#include <cstdio>
int main() {
  for (int round = 0; round < 3; ++round) {
    void *lib = dlopen("./libk.so", RTLD_NOW);
    if (!lib) { std::puts(dlerror()); return 1; }
    auto twice = reinterpret_cast<int (*)(int)>(dlsym(lib, "twice"));
    if (!twice || twice(round) != 2 * round) return 2;
    if (dlclose(lib) != 0) return 3;
  }
  std::puts("three rounds");
}
"#,
    );
    p.scythe(&["-fsycl", "-O1", "-fPIC", "-shared", "k.cpp", "-o", "libk.so"]).ok();
    p.scythe(&["m.cpp", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("three rounds");
}

#[test]
fn external_device_functions_link_across_units() {
    let p = Project::new()
        .file(
            "f.cpp",
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int triple(int n) { return 3 * n; \
            }\n",
        )
        .file(
            "m.cpp",
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int triple(int);\nint main() {\n  sycl::queue \
             q;\n  int *p = \
             sycl::malloc_shared<int>(1, q);\n  q.single_task<class K>([=] { *p = triple(14); \
             }).wait();\n  return *p == 42 ? 0 : \
             1;\n}\n",
        );
    p.compile_and_run(&["m.cpp", "f.cpp"]).ok();
    p.scythe(&["-fsycl", "m.cpp", "-o", "lacking"]).fails().stderr_has("triple").stderr_has("K");
    assert!(!p.exists("lacking"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let p = Project::new().file("k.cpp", KERNEL).file("m.cpp", MAIN);
    p.scythe(&["-fsycl", "-O2", "-c", "k.cpp", "-o", "k.o"]).ok();
    let first = p.read("k.o");
    p.scythe(&["-fsycl", "-O2", "-c", "k.cpp", "-o", "k.o"]).ok();
    assert!(first == p.read("k.o"), "two compilations differ");
    p.scythe(&["-fsycl", "-O2", "k.cpp", "m.cpp", "-o", "app"]).ok();
    let first = p.read("app");
    p.scythe(&["-fsycl", "-O2", "k.cpp", "m.cpp", "-o", "app"]).ok();
    assert!(first == p.read("app"), "two links differ");
}

#[test]
fn the_wrapper_emits_the_symbols_of_the_specification() {
    let p = Project::new().file("k.cpp", KERNEL);
    p.scythe(&["-fsycl", "-fsycl-device-only", "-c", "k.cpp", "-o", "k.bc"]).ok();
    p.run(prefix().join("bin/scythe-tools"), &["device-link", "-o", "w.o", "k.bc"]).ok();
    p.run("readelf", &["-s", "-W", "w.o"])
        .ok()
        .stdout_has(".sycl_offloading.descriptor\n")
        .stdout_has(".sycl_offloading.descriptor_reg\n")
        .stdout_has(".sycl_offloading.descriptor_unreg\n")
        .stdout_has("__tgt_register_lib")
        .stdout_has("__tgt_unregister_lib");
}
