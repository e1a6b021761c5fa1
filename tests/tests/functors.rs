//! Tests that the passes over a source agree about every functor, or that there is no program. Each
//! case makes them disagree in a way that clang alone does not detect.

use scythe_tests::Project;

/// Returns a program whose kernel captures `p`, `a` and `b`, with `before` at namespace scope,
/// `local` in `main` and `body` in the kernel.
fn program(before: &str, local: &str, body: &str) -> String {
    format!(
        "#include <sycl/sycl.hpp>\n#include <cstdio>\n{before}\n\
         int main() {{\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(4, q);\n  int a = \
         42, b = 7;\n  {local}\n\
         \x20 q.single_task<class K>([=] {{ p[1] = b; {body} }}).wait();\n\
         \x20 (void)a;\n  std::printf(\"%d\\n\", p[0]);\n}}\n"
    )
}

/// Checks that the compilation fails with only this error.
#[track_caller]
fn refused(source: &str, words: &str) {
    let project = Project::new().file("some folder/a b.cpp", source);
    let args = ["-fsycl", "-fsyntax-only", "some folder/a b.cpp"];
    project.scythe(&args).fails().errors(1).stderr_has(words).stderr_has("some folder/a b.cpp:");
}

#[test]
fn equal_functors_are_accepted() {
    let project = Project::new().file(
        "a.cpp",
        &program("struct S { char c; int x : 3; };", "S s{'c', 1};", "p[0] = a + s.x;"),
    );
    project.compile_and_run(&["a.cpp"]).ok().stdout_has("43\n");
}

#[test]
fn a_capture_of_one_pass_is_an_error() {
    let local = "const int n = 3;\n#ifdef __SYCL_DEVICE_ONLY__\n#define USE(x) ((void)&x, \
        x)\n#else\n#define USE(x) x\n#endif";
    refused(
        &program("", local, "p[2] = USE(n); p[0] = a;"),
        "kernel 'K': captured variable 'n' is an 'int' of 4 bytes at offset 12 in the device pass, \
         but not captured in the \
         host pass",
    );
    let local = "#ifdef __SYCL_DEVICE_ONLY__\n#define VALUE 42\n#else\n#define VALUE a\n#endif";
    refused(
        &program("", local, "p[0] = VALUE;"),
        "'a' is an 'int' of 4 bytes at offset 12 in the host pass, but not captured",
    );
}

#[test]
fn another_order_of_equal_types_is_an_error() {
    let local = "int c = 1, d = 2;\n#ifdef __SYCL_DEVICE_ONLY__\n#define SUM c - d\n#else\n#define \
        SUM -d + c\n#endif";
    refused(
        &program("", local, "p[0] = SUM;"),
        "captured variable 'c' is an 'int' of 4 bytes at offset",
    );
}

#[test]
fn members_and_bases_are_compared() {
    let extra = "struct F {\n  int *p;\n#ifdef __SYCL_DEVICE_ONLY__\n  long extra = 0;\n#endif\n\
                 \x20 void operator()() const { *p = 1; }\n};";
    refused(
        &program(extra, "q.single_task<class Other>(F{p});", "p[0] = a;"),
        "kernel 'Other': member 'extra' is a 'long' of 8 bytes at offset 8 in the device pass, but \
         missing in the host pass",
    );
    let kind = "struct T { int first;\n#ifdef __SYCL_DEVICE_ONLY__\n  float x;\n#else\n  int \
        x;\n#endif\n};\nstruct S { T t[2]; };";
    refused(
        &program(kind, "S s{};", "p[0] = s.t[1].first;"),
        "member 'x' of member 't' of captured variable 's' is a 'float' of 4 bytes at offset",
    );
    let packed =
        "#ifdef __SYCL_DEVICE_ONLY__\n#pragma pack(1)\n#endif\nstruct S { char c; int x; };";
    refused(&program(packed, "S s{};", "p[0] = s.x;"), "captured variable 's' is a 'S' of 5 bytes");
    let base = "struct A { int a; }; struct B { int b; };\n#ifdef __SYCL_DEVICE_ONLY__\nstruct S : \
        A, B {};\n#else\n\
                struct S : B, A {};\n#endif";
    refused(&program(base, "S s{};", "p[0] = s.a;"), "base class 'A' of captured variable 's' is");
    let bits = "#ifdef __SYCL_DEVICE_ONLY__\n#define BITS 3\n#else\n#define BITS 4\n#endif\nstruct \
        S { int x : BITS; int y : 4; };";
    refused(
        &program(bits, "S s{};", "p[0] = s.y;"),
        "member 'x' of captured variable 's' is an 'int' of 3 bits at bit",
    );
}

#[test]
fn the_type_of_a_template_argument_counts() {
    let kind = "#ifdef __SYCL_DEVICE_ONLY__\nusing E = float;\n#else\nusing E = \
        int;\n#endif\n#include <array>";
    refused(
        &program(kind, "std::array<E, 2> s{};", "p[0] = s[0];"),
        "captured variable 's' is a 'std::array<E, 2>'",
    );
}

#[test]
fn a_kernel_that_only_the_host_pass_sees_is_an_error() {
    let local = "#ifndef __SYCL_DEVICE_ONLY__\n  q.single_task<class Hidden>([=] { p[0] = a; \
        }).wait();\n#endif";
    refused(
        &program("", local, "p[0] = a;"),
        "kernel 'Hidden': host code launches it, but the device pass does not define it",
    );
}

#[test]
fn a_lambda_that_one_pass_numbers_in_another_way_is_an_error() {
    let source = "#include <sycl/sycl.hpp>\nint main() {\n  sycl::queue q;\n  int *p = \
        sycl::malloc_shared<int>(1, q);\n\
                  #ifdef __SYCL_DEVICE_ONLY__\n  q.single_task([=] { p[0] = 0; });\n#endif\n\
                  \x20 q.single_task([=] { p[0] = 1; });\n  q.wait();\n}\n";
    refused(
        source,
        "the device pass finds its lambda at some folder/a b.cpp:6, but the host pass finds it at \
         some folder/a b.cpp:8",
    );
}

#[test]
fn preprocessed_text_kept_files_and_several_targets_are_compared() {
    let kind = "struct S {\n#ifdef __SYCL_DEVICE_ONLY__\n  float x;\n#else\n  int x;\n#endif\n};";
    let words = "member 'x' of captured variable 's' is a 'float'";
    let project = Project::new().file("a.cpp", &program(kind, "S s{};", "p[0] = int(s.x);"));
    project.scythe(&["-fsycl", "-E", "a.cpp", "-o", "a.ii"]).ok();
    project.scythe(&["-fsycl", "-c", "a.ii", "-o", "a.o"]).fails().errors(1).stderr_has(words);
    for args in [
        &["-c", "-MMD", "-o", "a.o"][..],
        &["-o", "app"],
        &["-O2", "-shared", "-fPIC", "-o", "liba.so"],
    ] {
        project.scythe(&[&["-fsycl", "a.cpp"], args].concat()).fails().errors(1).stderr_has(words);
    }
    let mut left: Vec<_> = std::fs::read_dir(project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["a.cpp", "a.ii", "tmp"], "no partial output");
    project
        .scythe(&["-fsycl", "-save-temps", "-c", "a.cpp", "-o", "a.o"])
        .fails()
        .errors(1)
        .stderr_has(words);
    let targets = "-fsycl-targets=spir64,spir64_x86_64";
    project
        .scythe(&["-fsycl", targets, "-c", "a.cpp", "-o", "a.o"])
        .fails()
        .errors(1)
        .stderr_has(words);
    assert!(!project.exists("a.o"));
}

#[test]
fn a_difference_between_targets_is_an_error() {
    let kind = "struct S {\n#ifdef __SYCL_TARGET_NVIDIA_GPU_SM_80__\n  float x;\n#else\n  int \
        x;\n#endif\n};";
    let project = Project::new().file("a.cpp", &program(kind, "S s{};", "p[0] = int(s.x);"));
    project.scythe(&["-fsycl", "-c", "a.cpp", "-o", "a.o"]).ok();
    let out = project.scythe(&[
        "-fsycl",
        "-fsycl-targets=spir64,nvidia_gpu_sm_80",
        "-c",
        "a.cpp",
        "-o",
        "b.o",
    ]);
    out.fails().errors(1).stderr_has("member 'x' of captured variable 's' is a 'float'");
    assert!(!project.exists("b.o"));
}

#[test]
fn types_behind_pointers_have_the_hosts_alignment() {
    let source = r#"
#include <sycl/sycl.hpp>
#include <cstddef>
struct alignas(__BIGGEST_ALIGNMENT__) Biggest { int x; };
struct alignas(std::max_align_t) Most { int x; };
struct Inside { int n; alignas(std::max_align_t) char bytes[4]; int x; };
struct __attribute__((aligned)) Default { int x; };
struct New { alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) char c; int x; };
template <class T> int run(sycl::queue &q) {
  T *p = sycl::malloc_shared<T>(3, q);
  p[2].x = 0;
  q.single_task([=] { p[2].x = 42; }).wait();
  int mismatch = p[2].x != 42;
  sycl::free(p, q);
  return mismatch;
}
int main() {
  sycl::queue q;
  return run<Biggest>(q) + 2 * run<Most>(q) + 4 * run<Inside>(q) + 8 * run<Default>(q) + 16 * run<New>(q);
}
"#;
    let project = Project::new().file("a.cpp", source);
    for option in [
        "-O0",
        "-mavx512f",
        "-mlong-double-64",
        "-fsycl-targets=x86_64_avx2",
        "-fsycl-host-compiler=g++",
    ] {
        project.compile_and_run(&[option, "a.cpp"]).ok();
    }
    project.scythe(&["-fsycl", "-E", "a.cpp", "-o", "b.ii"]).ok();
    project.compile_and_run(&["b.ii"]).ok();
}
