//! Tests that a kernel's name identifies one kernel, on every path from source to launch.

use scythe_tests::Project;

/// A function that runs one kernel that stores `value`, and returns the stored value.
const HELPER: &str = r#"
#pragma once
#include <sycl/sycl.hpp>
template <class F> int run(F launch) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 0;
  launch(q, p);
  q.wait();
  int v = *p;
  sycl::free(p, q);
  return v;
}
"#;

#[test]
fn one_name_for_two_kernels_in_two_units_is_an_error() {
    let unit = |f: &str, v: &str| {
        format!(
            "#include \"helper.hpp\"\nclass Shared;\nint {f}() {{\n  return run([](sycl::queue &q, \
             int *p) {{\n    \
             q.single_task<Shared>([=] {{ *p = {v}; }});\n  }});\n}}\n"
        )
    };
    Project::new()
        .file("helper.hpp", HELPER)
        .file("a.cpp", &(unit("fa", "1") + "int fb();\nint main() { return fa() + fb(); }\n"))
        .file("b.cpp", &unit("fb", "2"))
        .scythe(&["-fsycl", "a.cpp", "b.cpp", "-o", "app"])
        .fails()
        .errors(1)
        .stderr_has("Shared")
        .stderr_has("a.cpp:")
        .stderr_has("b.cpp:");
}

#[test]
fn kernels_in_inline_template_and_static_functions_of_a_header_work_in_two_units() {
    let p = Project::new()
        .file("helper.hpp", HELPER)
        .file(
            "kernels.hpp",
            r#"
#pragma once
#include "helper.hpp"
class InInline;
template <class T> class InTemplate;
class InStatic;
inline int in_inline() {
  return run([](sycl::queue &q, int *p) { q.single_task<InInline>([=] { *p = 1; }); });
}
template <class T> int in_template(T v) {
  return run([v](sycl::queue &q, int *p) { q.single_task<InTemplate<T>>([=] { *p = int(v); }); });
}
static int in_static() {
  return run([](sycl::queue &q, int *p) { q.single_task<InStatic>([=] { *p = 3; }); });
}
static int unnamed_in_static() {
  return run([](sycl::queue &q, int *p) { q.single_task([=] { *p = 4; }); });
}
"#,
        )
        .file(
            "a.cpp",
            "#include \"kernels.hpp\"\nint other();\nint main() {\n  int want[] = \
            {in_inline(), in_template(2.0f), in_static(), unnamed_in_static()};\n  for (int i = 0; \
            i < 4; ++i) if (want[i] != i + 1) return i + 1;\n  return other();\n}\n",
        )
        .file(
            "b.cpp",
            "#include \"kernels.hpp\"\nint other() {\n  int want[] = {in_inline(), \
            in_template(2.0f), in_static(), unnamed_in_static()};\n  for (int i = 0; i < 4; ++i) \
            if (want[i] != i + 1) return i + 11;\n  return 0;\n}\n",
        );
    p.compile_and_run(&["a.cpp", "b.cpp"]).ok();
}

#[test]
fn internal_names_of_two_units_stay_apart() {
    let unit = |f: &str, v: &str| {
        format!(
            "#include \"helper.hpp\"\nstatic int local() {{\n  return run([](sycl::queue &q, int \
             *p) {{\n    \
             q.single_task<class K>([=] {{ *p = {v}; }});\n  }});\n}}\nint {f}() {{ return \
             local(); }}\n"
        )
    };
    Project::new()
        .file("helper.hpp", HELPER)
        .file("a.cpp", &unit("fa", "1"))
        .file("b.cpp", &unit("fb", "2"))
        .file(
            "main.cpp",
            "int fa();\nint fb();\nint main() { return fa() == 1 && fb() == 2 ? 0 : 1; }\n",
        )
        .compile_and_run(&["a.cpp", "b.cpp", "main.cpp"])
        .ok();
}

const NAMES: &str = r#"
#include "helper.hpp"
namespace outer { namespace inner { class Named; } }
struct Functor {
  int *p;
  void operator()() const { *p = 3; }
};
template <class T> int generic(T v) {
  return run([v](sycl::queue &q, int *p) { q.single_task<class InPlace>([=] { *p = int(v) + int(sizeof(T)); }); });
}
int main() {
  if (run([](sycl::queue &q, int *p) { q.single_task<outer::inner::Named>([=] { *p = 1; }); }) != 1) return 1;
  if (run([](sycl::queue &q, int *p) { q.single_task<class Here>([=] { *p = 2; }); }) != 2) return 2;
  if (run([](sycl::queue &q, int *p) { q.single_task(Functor{p}); }) != 3) return 3;
  struct Local {
    int *p;
    void operator()(sycl::id<1> i) const { *p = 4 + int(i[0]); }
  };
  if (run([](sycl::queue &q, int *p) { q.parallel_for(sycl::range<1>(1), Local{p}); }) != 4) return 4;
  auto other = [] { return 1; };
  if (run([](sycl::queue &q, int *p) {
        q.single_task([=] { *p = 5; });
      }) != 5) return 5;
  if (run([&](sycl::queue &q, int *p) {
        int six = 5 + other();
        q.submit([&](sycl::handler &h) {
          h.parallel_for(sycl::range<1>(1), [=](sycl::item<1>) { *p = six; });
        });
      }) != 6) return 6;
  if (generic(char(6)) != 7 || generic(4) != 8) return 7;
  return 0;
}
"#;

#[test]
fn names_of_every_kind_work_with_clang_as_host_compiler() {
    Project::new().file("helper.hpp", HELPER).file("a.cpp", NAMES).compile_and_run(&["a.cpp"]).ok();
}

#[test]
fn names_of_every_kind_work_with_gcc_as_host_compiler() {
    Project::new()
        .file("helper.hpp", HELPER)
        .file("a.cpp", NAMES)
        .compile_and_run(&["-fsycl-host-compiler=g++", "a.cpp"])
        .ok();
}

#[test]
fn two_unnamed_kernels_that_gcc_cannot_tell_apart_are_an_error_not_a_mix_up() {
    let p = Project::new().file("helper.hpp", HELPER).file(
        "a.cpp",
        "#include \"helper.hpp\"\n#include <cstdio>\nint main() {\n  try {\n    sycl::queue q; int \
         *p = sycl::malloc_shared<int>(1, q);\n    \
         q.single_task([=] { *p = 1; }).wait(); q.single_task([=] { *p = 2; }).wait();\n    return \
         *p == 2 ? 0 : 3;\n  } \
         catch (const sycl::exception &e) {\n    std::puts(e.what());\n    return e.code() == \
         sycl::errc::kernel ? 0 : 4;\n  }\n}\n",
    );
    p.compile_and_run(&["-fsycl-host-compiler=g++", "a.cpp"]).ok();
}
