//! Tests libraries that do not know each other in one process: built for another version of the
//! runtime's interface, or with kernels of the same name.

use scythe_tests::{Project, prefix};

const KERNEL: &str = r#"
#include <sycl/sycl.hpp>
extern "C" int FUNCTION(int n) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  const auto captured = CAPTURED(n);
  q.single_task<class Same>([=] { *p = int(captured) OPERATION; }).wait();
  const int result = *p;
  sycl::free(p, q);
  return result;
}
"#;

const MAIN: &str = r#"
#include <dlfcn.h>
#include <cstdio>
int main(int count, char **names) {
  for (int i = 1; i < count; i += 2) {
    void *library = dlopen(names[i], RTLD_LAZY | RTLD_GLOBAL);
    if (!library) {
      std::puts(dlerror());
      return 1;
    }
    std::printf("%d\n", reinterpret_cast<int (*)(int)>(dlsym(library, names[i + 1]))(20));
  }
}
"#;

fn library(p: &Project, name: &str, captured: &str, operation: &str, more: &[&str]) {
    let words = [
        &format!("-DFUNCTION={name}"),
        &format!("-DCAPTURED={captured}"),
        &format!("-DOPERATION={operation}"),
        &format!("lib{name}.so"),
    ];
    let [function, captured, operation, output] = words.map(String::as_str);
    let args = ["-fsycl", "-O1", "-fPIC", "-shared", "kernel.cpp", function, captured, operation];
    p.scythe(&[&args[..], &["-o", output], more].concat()).ok();
}

#[test]
fn each_library_launches_its_own_kernel() {
    let p = Project::new().file("kernel.cpp", KERNEL).file("main.cpp", MAIN);
    library(&p, "a", "int", "* 3", &[]);
    library(&p, "b", "double", "+ 5", &[]);
    p.scythe(&["main.cpp", "-o", "app"]).ok();
    let words = ["./liba.so", "a", "./libb.so", "b", "./liba.so", "a"];
    assert_eq!(p.run("./app", &words).ok().stdout, "60\n25\n60\n");
}

#[test]
fn libraries_for_another_version_of_the_interface_are_refused() {
    let p = Project::new().file("kernel.cpp", KERNEL).file("main.cpp", MAIN);
    let include = prefix().join("include");
    p.run("cp", &["-R", include.to_str().expect("UTF-8"), "include"]).ok();
    let header = p.path().join("include/sycl/detail/abi.h");
    let text = std::fs::read_to_string(&header).expect("the header can be read");
    let other = text.replace("VARIABLE scythe_abi_version_", "VARIABLE scythe_abi_version_999");
    assert_ne!(text, other);
    std::fs::write(&header, other).expect("the header can be written");

    // The other version's headers, without their library.
    let options = ["-Iinclude", "-U__SCYTHE_HEADER_LIBRARY__"];
    library(&p, "other", "int", "* 3", &options);
    p.scythe(&["main.cpp", "-o", "app"]).ok();
    let refused = p.run("./app", &["./libother.so", "other"]).fails();
    refused.stdout_has("libother.so: undefined symbol: scythe_abi_version_999");
    let object = ["-fsycl", "-O1", "-c", "kernel.cpp", "-DFUNCTION=f", "-DCAPTURED=int"];
    p.scythe(&[&object[..], &["-DOPERATION=+1", "-o", "kernel.o"], &options].concat()).ok();
    let words = ["-fsycl", "kernel.o", "main.cpp", "-o", "program"];
    p.scythe(&words).fails().stderr_has("scythe_abi_version_999");
}
