//! Tests variables of device code that several translation units, libraries and images share.

use scythe_tests::Project;

/// The header of two translation units.
const HEADER: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
using namespace sycl::ext::oneapi::experimental;
extern device_global<int> defined;               // in one of them
inline device_global<int> shared;                // in both
static device_global<int> own;                   // in each one of its own
void other(sycl::queue &q);
inline int read(sycl::queue &q, const device_global<int> &global) {
  int out = -1;
  q.copy(global, &out).wait();
  return out;
}
"#;

const MAIN: &str = r#"
#include "shared.hpp"
int main() {
  sycl::queue q;
  int five = 5;
  q.copy(&five, defined).wait();
  q.single_task([=] { defined = defined + 1; shared = 10; own = 100; }).wait();
  other(q);
  q.single_task([=] { shared = shared + own; }).wait();
  std::printf("%d %d %d\n", read(q, defined), read(q, shared), read(q, own));
}
"#;

const OTHER: &str = r#"
#include "shared.hpp"
SYCL_EXTERNAL device_global<int> defined;
void other(sycl::queue &q) {
  q.single_task([=] { defined = 2 * defined; shared = shared + own + 1; own = 7; }).wait();
  if (read(q, own) != 7) std::puts("not its own");
}
"#;

fn project() -> Project {
    Project::new().file("shared.hpp", HEADER).file("main.cpp", MAIN).file("other.cpp", OTHER)
}

#[test]
fn units_share_variables_by_name_and_keep_their_own() {
    let p = project();
    p.scythe(&["-fsycl", "-O1", "-c", "main.cpp"]).ok();
    p.scythe(&["-fsycl", "-O1", "-c", "other.cpp"]).ok();
    for split in ["auto", "per_kernel", "off"] {
        let split = format!("-fsycl-device-code-split={split}");
        p.scythe(&["-fsycl", &split, "main.o", "other.o", "-o", "app"]).ok();
        p.run("./app", &[]).ok().stdout_has("12 111 100\n");
    }
    // Each image lists the variables that it uses.
    p.scythe(&["inspect", "app"]).ok().stdout_has("device_global defined: 4 bytes");
    p.scythe(&[
        "-fsycl",
        "-fsycl-targets=spir64_x86_64",
        "-O1",
        "main.cpp",
        "other.cpp",
        "-o",
        "aot",
    ])
    .ok();
    p.run("./aot", &[]).ok().stdout_has("12 111 100\n");
}

#[test]
fn libraries_share_variables_with_programs() {
    let p = project();
    p.scythe(&["-fsycl", "-O1", "-fPIC", "-shared", "other.cpp", "-o", "libother.so"]).ok();
    p.scythe(&["-fsycl", "-O1", "main.cpp", "libother.so", "-Wl,-rpath,$ORIGIN", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("12 111 100\n");
}

#[test]
fn a_library_that_is_loaded_again_has_new_variables() {
    let p = Project::new()
        .file(
            "library.cpp",
            r#"
#include <sycl/sycl.hpp>
static sycl::ext::oneapi::experimental::device_global<int> calls;
extern "C" int call() {
  sycl::queue q;
  int out = 0;
  q.single_task([=] { calls = calls + 1; }).wait();
  q.copy(calls, &out).wait();
  return out;
}
"#,
        )
        .file(
            "main.cpp",
            r#"
#include <dlfcn.h>
#include <cstdio>
int main() {
  for (int round = 0; round < 2; ++round) {
    void *library = dlopen("./library.so", RTLD_NOW);
    auto call = reinterpret_cast<int (*)()>(dlsym(library, "call"));
    int first = call(), second = call();
    std::printf("%d %d ", first, second);
    dlclose(library);
  }
}
"#,
        );
    p.scythe(&["-fsycl", "-O1", "-fPIC", "-shared", "library.cpp", "-o", "library.so"]).ok();
    p.scythe(&["main.cpp", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("1 2 1 2 ");
}

/// The headers reject wrong types and copies.
#[test]
fn wrong_types_and_copies_are_refused() {
    let p = Project::new().file(
        "wrong.cpp",
        r#"
#include <sycl/sycl.hpp>
using namespace sycl::ext::oneapi::experimental;
namespace oneapi = sycl::ext::oneapi;
struct ends { ~ends(); };
struct starts { int value = 1; };
device_global<ends> first;
device_global<starts> second;
device_global<int, decltype(properties(host_access_read))> reads;
device_global<int, decltype(properties(host_access_none))> neither;
void copies(sycl::queue q) {
  int value = 0;
  q.copy(&value, reads);
  q.submit([&](sycl::handler &h) { h.memcpy(&value, neither); });
}
using twice = decltype(oneapi::property_list{oneapi::sub_group_size_v<8>, oneapi::sub_group_size_v<16>});
struct kernel {
  static constexpr auto properties = oneapi::property_list{oneapi::sub_group_size_v<8>};
  void operator()() const {}
};
void by_two_ways(sycl::queue q) { q.single_task(oneapi::property_list{oneapi::sub_group_size_v<16>}, kernel()); }
"#,
    );
    let outcome = p
        .scythe(&["-fsycl", "-fsycl-device-only", "-fsyntax-only", "-std=c++17", "wrong.cpp"])
        .fails();
    let outcome = outcome.stderr_has("device_global: T must be trivially destructible");
    let outcome = outcome
        .stderr_has("device_global: before C++20, T must be trivially default constructible");
    let outcome = outcome.stderr_has("its host_access property forbids writes by the host");
    let outcome = outcome.stderr_has("its host_access property forbids reads by the host");
    let twice = outcome
        .stderr
        .lines()
        .filter(|line| line.contains("error: ") && line.contains("the same property"))
        .count();
    assert_eq!(twice, 2, "{}", outcome.stderr);
    outcome.errors(6);
}

#[test]
fn a_variable_of_one_image_keeps_its_kernels_together() {
    let p = Project::new()
        .file(
            "scoped.hpp",
            "#include <sycl/sycl.hpp>\n#include <cstdio>\nusing namespace \
             sycl::ext::oneapi::experimental;\n\
             inline device_global<int, decltype(properties(device_image_scope))> scoped;\n\
             inline device_global<int, decltype(properties(device_image_scope))> unused;\nvoid \
             other(sycl::queue &q);\n",
        )
        .file(
            "a.cpp",
            r#"
#include "scoped.hpp"
int main() {
  sycl::queue q;
  int value = 20;
  q.copy(&value, scoped).wait();
  q.single_task<class First>([=] { scoped = scoped + 1; }).wait();
  other(q);
  q.copy(scoped, &value).wait();
  std::printf("%d\n", value);
  try {
    q.copy(unused, &value).wait();
  } catch (const sycl::exception &e) {
    std::puts(e.code() == sycl::errc::kernel_not_supported ? e.what() : "another code");
  }
}
"#,
        )
        .file(
            "b.cpp",
            "#include \"scoped.hpp\"\nvoid other(sycl::queue &q) {\n  q.single_task<class \
             Second>([=] { scoped = 2 * scoped; \
             }).wait();\n}\n",
        );
    p.scythe(&["-fsycl", "-O1", "-c", "a.cpp"]).ok();
    p.scythe(&["-fsycl", "-O1", "-c", "b.cpp"]).ok();
    p.scythe(&["-fsycl", "a.o", "b.o", "-o", "app"]).ok();
    let outcome = p.run("./app", &[]).ok();
    let expected =
        "device_global 'unused' has the property 'device_image_scope', but no kernel for ";
    outcome.stdout_has("42\n").stdout_has(expected);
    p.scythe(&["-fsycl", "-fsycl-device-code-split=per_source", "a.o", "b.o", "-o", "torn"])
        .fails()
        .stderr_has(
            "device_global 'scoped' has the property 'device_image_scope', but the kernels that \
             use it are in 2 device \
             images: link with '-fsycl-device-code-split=auto' or '-fsycl-device-code-split=off'",
        )
        .stderr_has("note: kernel 'main::First' uses it in image 1")
        .stderr_has("note: kernel 'other(sycl::queue&)::Second' uses it in image 2");
    assert!(!p.exists("torn"));
}
