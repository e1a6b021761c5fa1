//! Tests precompiled headers: a program built with one equals the program built without, in every
//! pass, or there is an error.

use scythe_tests::{Project, prefix};

/// Kernels, device functions and variables, with attributes, that only the header defines.
const HEADER: &str = "#pragma once\n#include <sycl/sycl.hpp>\n#include <vector>\n\
    #define ATTRIBUTE(x) [[x]]\nclass named;\nconstexpr int eight = 8;\n\
    inline sycl::ext::oneapi::experimental::device_global<int> inline_global;\n\
    static sycl::ext::oneapi::experimental::device_global<int> static_global;\n\
    constexpr sycl::specialization_id<int> constant(3);\n\
    inline int unnamed(sycl::queue &q, int *p, int n) {\n\
    \x20 q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) \
    ATTRIBUTE(sycl::reqd_work_group_size(eight)) {\n\
    \x20   p[it.get_global_id(0)] = n;\n  }).wait();\n  return p[7];\n}\n\
    inline int named_kernel(sycl::queue &q, int *p) {\n\
    \x20 q.submit([&](sycl::handler &h) {\n    h.set_specialization_constant<constant>(4);\n\
    \x20   h.single_task<named>([=](sycl::kernel_handler k) { p[0] = \
    k.get_specialization_constant<constant>(); });\n  }).wait();\n  return p[0];\n}\n\
    template <class T> int instantiated(sycl::queue &q, T *p, T n) {\n\
    \x20 q.parallel_for(8, [=](sycl::item<1> it) { p[it] = n; }).wait();\n  return p[7];\n}\n\
    inline int variables(sycl::queue &q, int *p) {\n\
    \x20 int a = 20, b = 30;\n  q.copy(&a, inline_global).wait();\n  q.copy(&b, \
    static_global).wait();\n\
    \x20 q.single_task([=] { p[0] = inline_global + static_global; }).wait();\n  return p[0];\n}\n";

/// A unit that uses all of the header, with its own kernels and variables.
const USER: &str = "#include \"pch.hpp\"\n\
    static sycl::ext::oneapi::experimental::device_global<int> own;\nSYCL_EXTERNAL int \
    elsewhere(int);\n\
    struct Member { static sycl::ext::oneapi::experimental::device_global<int> shared; };\n\
    sycl::ext::oneapi::experimental::device_global<int> Member::shared;\n\
    int other(sycl::queue &, int *);\n\
    int main() {\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(8, q);\n  int k = 5, c = \
    6, d = 7;\n\
    \x20 q.copy(&c, own).wait();\n  q.copy(&d, Member::shared).wait();\n\
    \x20 q.single_task([=]() ATTRIBUTE(sycl::reqd_sub_group_size(8)) { p[1] = k + own + \
    Member::shared + elsewhere(1); }).wait();\n\
    \x20 if (p[1] != 20) return 1;\n  if (unnamed(q, p, 41) != 41) return 2;\n  if \
    (named_kernel(q, p) != 4) return 3;\n\
    \x20 if (instantiated<int>(q, p, 42) != 42) return 4;\n  if (variables(q, p) != 50) return \
    5;\n  return other(q, p) != 12 ? 6 : 0;\n}\n";

/// Another unit with different kernels of the same names.
const OTHER: &str = "#include \"pch.hpp\"\nSYCL_EXTERNAL int elsewhere(int x) { return x + 1; }\n\
    static sycl::ext::oneapi::experimental::device_global<int> own;\n\
    int other(sycl::queue &q, int *p) {\n  int e = 12;\n  q.copy(&e, own).wait();\n  \
    q.single_task([=] { p[0] = own; }).wait();\n  return p[0];\n}\n";

fn project() -> Project {
    Project::new().file("pch.hpp", HEADER).file("a.cpp", USER).file("b.cpp", OTHER)
}

/// Makes the header, compiles both units with it, and links and runs them.
#[track_caller]
fn build(project: &Project, make: &[&str], using: &[&str]) {
    project.scythe(&[&["-fsycl", "-Werror"], make].concat()).ok();
    for (source, object) in [("a.cpp", "a.o"), ("b.cpp", "b.o")] {
        let compile = ["-fsycl", "-Werror", "-Winvalid-pch", "-c", source, "-o", object];
        project.scythe(&[&compile, using].concat()).ok();
    }
    project.scythe(&["-fsycl", "a.o", "b.o", "-o", "app"]).ok();
    project.run("./app", &[]).ok();
}

/// Checks that the header was read only from its precompiled form.
#[track_caller]
fn without_text(project: &Project, using: &[&str]) {
    let shown =
        project.scythe(&[&["-fsycl", "-H", "-c", "a.cpp", "-o", "h.o"], using].concat()).ok();
    assert!(!shown.stderr.contains("sycl/sycl.hpp"), "{}", shown.stderr);
}

#[test]
fn ways_to_make_and_to_use_one() {
    let project = project();
    build(&project, &["-x", "c++-header", "pch.hpp", "-o", "x.pch"], &["-include-pch", "x.pch"]);
    without_text(&project, &["-include-pch", "x.pch"]);
    let using = ["-Xclang", "-include-pch", "-Xclang", "sub/y.pch"];
    std::fs::create_dir(project.path().join("sub")).expect("a folder can be made");
    build(
        &project,
        &["-Xclang", "-emit-pch", "-x", "c++-header", "-c", "pch.hpp", "-o", "sub/y.pch"],
        &using,
    );
    without_text(&project, &using);
    build(&project, &["pch.hpp"], &["-include", "pch.hpp"]);
    assert!(project.exists("pch.hpp.pch"));
    without_text(&project, &["-include", "pch.hpp"]);
    std::fs::rename(project.path().join("pch.hpp.pch"), project.path().join("pch.hpp.gch"))
        .expect("it can be renamed");
    build(&project, &["pch.hpp", "-o", "pch.hpp.gch"], &["-include", "pch.hpp"]);
    without_text(&project, &["-include", "pch.hpp"]);
    // As preprocessed text, which a cache or another machine compiles.
    project.scythe(&["-fsycl", "-E", "-include-pch", "x.pch", "a.cpp", "-o", "a.ii"]).ok();
    project.scythe(&["-fsycl", "-c", "a.ii", "-o", "a.o"]).ok();
    // In one command, and with a unit that reads the header as text.
    project.scythe(&["-fsycl", "-O1", "pch.hpp", "-o", "o.pch"]).ok();
    project.scythe(&["-fsycl", "-c", "b.cpp", "-o", "b.o"]).ok();
    project.scythe(&["-fsycl", "a.o", "b.o", "-o", "app"]).ok();
    project.run("./app", &[]).ok();
    project.compile_and_run(&["-include-pch", "o.pch", "a.cpp", "b.cpp"]).ok();
}

#[test]
fn options_that_change_code() {
    for option in
        ["-O2", "-flto", "-fsycl-targets=spir64_x86_64,spir64", "-fpch-instantiate-templates"]
    {
        let project = project();
        let make = [option, "-x", "c++-header", "pch.hpp", "-o", "x.pch"];
        project.scythe(&[&["-fsycl"], &make[..]].concat()).ok();
        for source in ["a", "b"] {
            let (file, object) = (format!("{source}.cpp"), format!("{source}.o"));
            project
                .scythe(&["-fsycl", option, "-include-pch", "x.pch", "-c", &file, "-o", &object])
                .ok();
        }
        project.scythe(&["-fsycl", option, "a.o", "b.o", "-o", "app"]).ok();
        project.run("./app", &[]).ok();
        project
            .scythe(&["-fsycl", option, "-include-pch", "x.pch", "a.cpp", "b.cpp", "-o", "app"])
            .ok();
        project.run("./app", &[]).ok();
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let project = project().file("plain.hpp", "inline int f() { return 1; }\n");
    project.scythe(&["-fsycl", "pch.hpp", "-o", "x.pch"]).ok();
    let with = |words: &[&str]| {
        project.scythe(&[&["-fsycl", "-c", "a.cpp", "-o", "a.o"], words].concat()).fails()
    };
    with(&["-include-pch", "none.pch"]).stderr_has("no such file: 'none.pch'");
    with(&["-include-pch", "a.cpp"])
        .stderr_has("precompiled header 'a.cpp': it starts with \"#inc\", expected \"CPCH\"");
    with(&["-Xclang", "-include-pch"]).stderr_has("needs a value");
    with(&["-include-pch", "x.pch", "-O2"])
        .stderr_has("OptimizationLevel differs in precompiled file 'x.pch'");
    with(&["-include-pch", "x.pch", "-fsycl-targets=spir64_x86_64"]).stderr_has("'x.pch'");
    with(&["-include-pch", "x.pch", "-ffast-math"]).stderr_has("error: ");
    with(&["-include-pch", "x.pch", "-fsycl-targets=spir64,nvptx64-nvidia-cuda"])
        .stderr_has("has no part for 'sycl-nvptx64");
    with(&["-include-pch", "x.pch", "-fsycl-host-compiler=g++"])
        .stderr_has("'-fsycl-host-compiler=g++'");
    project
        .scythe(&["-fsycl", "-fsycl-host-compiler=g++", "pch.hpp", "-o", "y.pch"])
        .fails()
        .stderr_has("g++");
    project
        .scythe(&["-fsycl", "pch.hpp", "a.cpp"])
        .fails()
        .stderr_has("cannot compile 'a.cpp' and precompile a header in one command");

    project.scythe(&["-x", "c++-header", "plain.hpp", "-o", "plain.pch"]).ok();
    with(&["-include-pch", "plain.pch"]).stderr_has("'plain.pch' has no part for device code");
    for option in ["-fsycl-host-only", "-fsycl-device-only"] {
        project.scythe(&["-fsycl", option, "pch.hpp", "-o", "one.pch"]).ok();
        with(&["-include-pch", "one.pch"]).stderr_has("'one.pch' has no part for device code");
    }
    with(&["-include-pch", "one.pch", "-fsycl-host-only"]).stderr_has("error: ");
    project
        .scythe(&[
            "-fsycl",
            "-fsycl-device-only",
            "-c",
            "a.cpp",
            "-o",
            "a.bc",
            "-include-pch",
            "one.pch",
        ])
        .ok();

    let whole = project.read("x.pch");
    for length in [whole.len() - 1, whole.len() / 2, 5000, 3] {
        std::fs::write(project.path().join("cut.pch"), &whole[..length])
            .expect("files can be written");
        with(&["-include-pch", "cut.pch"]).stderr_has("precompiled header 'cut.pch'");
    }
    // A header that has changed since.
    let project = project.file("pch.hpp", &format!("{HEADER}inline int more() {{ return 1; }}\n"));
    let stale =
        project.scythe(&["-fsycl", "-c", "a.cpp", "-o", "a.o", "-include-pch", "x.pch"]).fails();
    stale.stderr_has("has been modified since the precompiled header");
}

/// Errors in device code are reported when the header is made, or when it is used.
#[test]
fn faults_in_a_header_are_errors() {
    let fault = "inline void wrong(sycl::queue &q, int *p) { q.single_task([=] { throw p; }); }\n";
    let project = Project::new()
        .file("syntax.hpp", "int 1x;\n")
        .file("use.cpp", "int main() { sycl::queue q; wrong(q, nullptr); }\n")
        .file("wrong.hpp", &format!("{HEADER}{fault}"))
        .file(
            "member.hpp",
            "#include <sycl/sycl.hpp>\nstruct S { \
             sycl::ext::oneapi::experimental::device_global<int> m; };\n",
        );
    project.scythe(&["-fsycl", "wrong.hpp", "-o", "w.pch"]).ok();
    let used = project
        .scythe(&["-fsycl", "-include-pch", "w.pch", "-c", "use.cpp", "-o", "use.o"])
        .fails();
    used.stderr_has("wrong.hpp:");
    project
        .scythe(&["-fsycl", "syntax.hpp", "-o", "s.pch"])
        .fails()
        .stderr_has("syntax.hpp:1:")
        .errors(1);
    assert!(!project.exists("s.pch"));
    project.scythe(&["-fsycl", "member.hpp", "-o", "m.pch"]).fails().stderr_has("member.hpp:2");
}

/// Objects are the same in any folder. Clang writes absolute paths into precompiled headers, and
/// `-ffile-prefix-map=` removes them from code that is compiled with these headers.
#[test]
fn objects_are_reproducible() {
    let objects = || {
        let project = project();
        let map = format!("-ffile-prefix-map={}=.", project.path().display());
        project.scythe(&["-fsycl", &map, "pch.hpp", "-o", "x.pch"]).ok();
        project.scythe(&["-fsycl", &map, "-include-pch", "x.pch", "-c", "a.cpp", "-o", "a.o"]).ok();
        project.read("a.o")
    };
    assert!(objects() == objects());
}

#[test]
fn dependencies_are_listed() {
    let project = project();
    project.scythe(&["-fsycl", "-MD", "-MF", "x.d", "pch.hpp", "-o", "x.pch"]).ok();
    let list = String::from_utf8_lossy(&project.read("x.d")).into_owned();
    assert!(list.starts_with("x.pch:") && list.contains("sycl/sycl.hpp"), "{list}");
    project
        .scythe(&[
            "-fsycl",
            "-MD",
            "-MF",
            "a.d",
            "-include-pch",
            "x.pch",
            "-c",
            "a.cpp",
            "-o",
            "a.o",
        ])
        .ok();
    let list = String::from_utf8_lossy(&project.read("a.d")).into_owned();
    assert!(
        list.starts_with("a.o:") && list.contains("pch.hpp") && !list.contains(".pch"),
        "{list}"
    );
}

/// `target_precompile_headers`.
#[test]
fn cmake_uses_them() {
    let scythe = prefix().join("bin/scythe");
    let project = project().file(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nset(CMAKE_CXX_STANDARD 17)\n\
         add_executable(app a.cpp b.cpp)\ntarget_compile_options(app PRIVATE \
         -fsycl)\ntarget_link_options(app PRIVATE -fsycl)\n\
         target_precompile_headers(app PRIVATE pch.hpp)\n",
    );
    let compiler = format!("-DCMAKE_CXX_COMPILER={}", scythe.display());
    project.run("cmake", &["-G", "Ninja", "-S", ".", "-B", "build", &compiler]).ok();
    let built = project.run("cmake", &["--build", "build", "-v"]).ok();
    assert!(built.stdout.contains("-include-pch"), "{}", built.stdout);
    project.run("./build/app", &[]).ok();
    project.run("cmake", &["--build", "build"]).ok().stdout_has("no work to do");
}

/// A cache returns complete headers and objects.
#[test]
fn ccache_keeps_them() {
    let scythe = prefix().join("bin/scythe");
    let project = project();
    let folder = project.path().join("cache").to_string_lossy().into_owned();
    let env = [
        ("CCACHE_DIR", folder.as_str()),
        ("CCACHE_COMPILERTYPE", "clang"),
        ("CCACHE_SLOPPINESS", "pch_defines,time_macros"),
    ];
    for _ in 0..2 {
        let cached = |args: &[&str]| {
            let scythe = scythe.to_string_lossy();
            project.run_with("ccache", &[&[scythe.as_ref(), "-fsycl"], args].concat(), &env).ok()
        };
        cached(&[
            "-Xclang",
            "-fno-pch-timestamp",
            "-x",
            "c++-header",
            "-c",
            "pch.hpp",
            "-o",
            "x.pch",
        ]);
        for (source, object) in [("a.cpp", "a.o"), ("b.cpp", "b.o")] {
            cached(&[
                "-Xclang",
                "-fno-pch-timestamp",
                "-include-pch",
                "x.pch",
                "-c",
                source,
                "-o",
                object,
            ]);
        }
        project.scythe(&["-fsycl", "a.o", "b.o", "-o", "app"]).ok();
        project.run("./app", &[]).ok();
        for file in ["x.pch", "a.o", "b.o", "app"] {
            std::fs::remove_file(project.path().join(file)).expect("it was made");
        }
    }
}
