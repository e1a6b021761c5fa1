//! Tests the identity of translation units: it depends on headers, macros and options, but not on
//! the unit's place on the disk.

use scythe_tests::{Project, prefix};

/// A unit of one source whose code depends on the header in its folder. `run` returns the result of
/// its kernel.
const PLUGIN: &str = r#"
#include <sycl/sycl.hpp>
#include "config.h"
static int value() { return VALUE; }
namespace { class Hidden; }
namespace {
constexpr sycl::specialization_id<int> constant(VALUE);
}
extern "C" int RUN() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(3, q);
  q.single_task([=] { p[0] = value(); }).wait();
  q.single_task<Hidden>([=] { p[1] = value(); }).wait();
  q.submit([&](sycl::handler &h) {
    h.single_task([=](sycl::kernel_handler k) { p[2] = k.get_specialization_constant<constant>(); });
  }).wait();
  int result = p[0] + 1000 * p[1] + 1000000 * p[2];
  sycl::free(p, q);
  return result;
}
"#;

/// A program that opens libraries and prints the results of their `run`.
const HOST: &str = r#"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
int main(int count, char **names) {
  int how = !std::strcmp(names[1], "local") ? RTLD_LOCAL : RTLD_GLOBAL;
  for (int i = 2; i < count; ++i) {
    void *library = dlopen(names[i], RTLD_NOW | how);
    if (!library) { std::puts(dlerror()); return 1; }
    std::printf("%d\n", reinterpret_cast<int (*)()>(dlsym(library, "run"))());
  }
}
"#;

fn project() -> Project {
    Project::new()
        .file("a/config.h", "#define VALUE 11\n")
        .file("b/config.h", "#define VALUE 22\n")
        .file("a/plugin.cpp", PLUGIN)
        .file("b/plugin.cpp", PLUGIN)
        .file("host.cpp", HOST)
}

/// Returns the numbers in a program's output.
fn numbers(text: &str) -> Vec<i64> {
    text.lines().map(|line| line.parse().expect("a number")).collect()
}

fn value(n: i64) -> i64 {
    n * 1_001_001
}

#[test]
fn plugins_of_one_source_with_different_headers_run_their_own_kernels() {
    let p = project();
    p.scythe(&["host.cpp", "-o", "host"]).ok();
    for mode in [&[][..], &["-flto"]] {
        let common = [&["-fsycl", "-O1", "-fPIC", "-DRUN=run"], mode].concat();
        for folder in ["a", "b"] {
            let (source, object) = (format!("{folder}/plugin.cpp"), format!("{folder}/plugin.o"));
            let library = |name: &str| format!("{folder}/{name}.so");
            p.scythe(&[&common[..], &["-shared", &source, "-o", &library("one")]].concat()).ok();
            p.scythe(&[&common[..], &["-c", &source, "-o", &object]].concat()).ok();
            p.scythe(&[&common[..], &["-shared", &object, "-o", &library("two")]].concat()).ok();
        }
        let out = p
            .run("./host", &["local", "./a/one.so", "./b/one.so", "./b/two.so", "./a/two.so"])
            .ok();
        assert_eq!(numbers(&out.stdout), [11, 22, 22, 11].map(value), "{mode:?}");
    }
}

#[test]
fn one_unit_in_two_libraries_of_a_process_runs_in_both() {
    let p = project();
    p.scythe(&["host.cpp", "-o", "host"]).ok();
    for name in ["one.so", "two.so"] {
        p.scythe(&["-fsycl", "-O1", "-fPIC", "-DRUN=run", "-shared", "a/plugin.cpp", "-o", name])
            .ok();
    }
    for how in ["local", "global"] {
        let out = p.run("./host", &[how, "./one.so", "./two.so", "./one.so"]).ok();
        assert_eq!(numbers(&out.stdout), [11, 11, 11].map(value));
    }
}

/// A kernel with an externally visible name, whose code depends on a header.
const NAMED: &str = r#"
#include <sycl/sycl.hpp>
#include "config.h"
static int value() { return VALUE; }
class Everywhere;
extern "C" int run() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<Everywhere>([=] { *p = value(); }).wait();
  int result = *p;
  sycl::free(p, q);
  return result;
}
"#;

#[test]
fn a_library_launches_its_own_kernel_of_a_name_that_others_have_too() {
    let p = project().file("a/named.cpp", NAMED).file("b/named.cpp", NAMED);
    p.scythe(&["host.cpp", "-o", "host"]).ok();
    for folder in ["a", "b"] {
        let (source, library) = (format!("{folder}/named.cpp"), format!("{folder}/named.so"));
        p.scythe(&["-fsycl", "-O1", "-fPIC", "-shared", &source, "-o", &library]).ok();
    }
    // A library that is opened again is the same library.
    let out = p
        .run("./host", &["local", "./a/named.so", "./b/named.so", "./a/named.so", "./b/named.so"])
        .ok();
    assert_eq!(numbers(&out.stdout), [11, 22, 11, 22]);
}

const MAIN: &str = r#"
#include <cstdio>
extern "C" int first();
extern "C" int second();
int main() { std::printf("%d\n%d\n", first(), second()); }
"#;

#[test]
fn units_of_one_program_that_differ_in_a_header_or_a_macro_run_their_own_kernels() {
    // The units differ in the folder of the header, or in a macro that replaces the header.
    let ways: [[&[&str]; 2]; 3] = [
        [&["-DRUN=first", "a/plugin.cpp"], &["-DRUN=second", "b/plugin.cpp"]],
        [&["-DRUN=first", "-Ia", "plugin.cpp"], &["-DRUN=second", "-Ib", "plugin.cpp"]],
        [
            &["-DRUN=first", "-DVALUE=11", "-Inone", "plugin.cpp"],
            &["-DRUN=second", "-DVALUE=22", "-Inone", "plugin.cpp"],
        ],
    ];
    for mode in [&["-O1"][..], &["-O2", "-fsycl-host-compiler=g++"]] {
        for way in &ways {
            let p = project()
                .file("plugin.cpp", PLUGIN)
                .file("none/config.h", "")
                .file("main.cpp", MAIN);
            for (unit, name) in way.iter().zip(["first.o", "second.o"]) {
                p.scythe(&[&["-fsycl"], mode, unit, &["-c", "-o", name]].concat()).ok();
            }
            p.scythe(
                &[&["-fsycl"], mode, &["main.cpp", "first.o", "second.o", "-o", "app"]].concat(),
            )
            .ok();
            let out = p.run("./app", &[]).ok();
            assert_eq!(numbers(&out.stdout), [11, 22].map(value), "{mode:?} {way:?}");
        }
    }
}

/// Another unit selects the function to call: the sources and the macros of both commands are the
/// same.
#[test]
fn units_in_two_folders_of_one_command_run_their_own_kernels() {
    let p = project().file("main.cpp", MAIN);
    for (folder, name) in [("a", "first"), ("b", "second")] {
        let config = p.path().join(folder).join("config.h");
        let text = std::fs::read_to_string(&config).expect("the header is there")
            + &format!("#define RUN {name}\n");
        std::fs::write(config, text).expect("the header can be written");
    }
    p.scythe(&["-fsycl", "-O1", "a/plugin.cpp", "b/plugin.cpp", "main.cpp", "-o", "app"]).ok();
    assert_eq!(numbers(&p.run("./app", &[]).ok().stdout), [11, 22].map(value));
}

#[test]
fn options_that_reach_device_code_tell_units_apart() {
    let source = r#"
#include <sycl/sycl.hpp>
extern "C" int RUN() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] {
#ifdef __FAST_MATH__
    *p = 22;
#else
    *p = 11;
#endif
  }).wait();
  return *p;
}
"#;
    let p = Project::new()
        .file("unit.cpp", source)
        .file("first.h", "#define RUN first\n")
        .file("second.h", "#define RUN second\n")
        .file("main.cpp", MAIN);
    for (name, option) in [("first", "-O1"), ("second", "-ffast-math")] {
        let (header, object) = (format!("{name}.h"), format!("{name}.o"));
        p.scythe(&["-fsycl", option, "-include", &header, "-c", "unit.cpp", "-o", &object]).ok();
    }
    p.scythe(&["-fsycl", "first.o", "second.o", "main.cpp", "-o", "app"]).ok();
    assert_eq!(numbers(&p.run("./app", &[]).ok().stdout), [11, 22]);
}

/// Kernels with internal linkage in two units, at two levels of optimisation, and the images that
/// `per_source` makes.
#[test]
fn per_source_means_the_unit() {
    let p = project().file("main.cpp", MAIN);
    p.scythe(&["-fsycl", "-O1", "-DRUN=first", "-c", "a/plugin.cpp", "-o", "first.o"]).ok();
    p.scythe(&["-fsycl", "-O1", "-DRUN=second", "-c", "b/plugin.cpp", "-o", "second.o"]).ok();
    p.scythe(&[
        "-fsycl",
        "-fsycl-device-code-split=per_source",
        "first.o",
        "second.o",
        "main.cpp",
        "-o",
        "app",
    ])
    .ok();
    let out = p.run_with("./app", &[], &[("SCYTHE_TRACE", "images")]).ok();
    let all = out.stdout + &out.stderr;
    assert!(all.contains("registered 2 image(s)"), "{all}");
}

#[test]
fn builds_in_two_folders_give_the_same_bytes() {
    let modes: [&[&str]; 4] =
        [&[], &["-fsycl-host-compiler=g++"], &["-flto"], &["-fsycl-targets=spir64,spir64_x86_64"]];
    for mode in modes {
        let built = ["here", "elsewhere/deeper"].map(|folder| {
            let p = Project::new();
            let at = p.path().join(folder);
            std::fs::create_dir_all(&at).expect("folders can be made");
            std::fs::write(
                at.join("config.h"),
                "#define VALUE \
                11\n",
            )
            .expect("the header can be written");
            std::fs::write(at.join("plugin.cpp"), PLUGIN).expect("the source can be written");
            let scythe = prefix().join("bin/scythe");
            let words = [&["-fsycl", "-O2", "-fPIC", "-DRUN=run"], mode].concat().join(" ");
            let script = format!(
                "cd {folder} && '{0}' {words} -c plugin.cpp -o plugin.o && '{0}' {words} -shared \
                 plugin.o -o plugin.so && \
                 '{0}' {words} -shared plugin.cpp -o whole.so",
                scythe.display()
            );
            p.run("sh", &["-c", &script]).ok();
            ["plugin.o", "plugin.so", "whole.so"].map(|name| p.read(&format!("{folder}/{name}")))
        });
        for (name, (first, second)) in
            ["plugin.o", "plugin.so", "whole.so"].iter().zip(built[0].iter().zip(&built[1]))
        {
            assert!(first == second, "{name} differs with {mode:?}");
        }
    }
}

/// The identity of a unit whose outputs Scythe does not bundle: both sides still agree.
#[test]
fn sides_compiled_by_commands_of_their_own_agree() {
    let p = project().file(
        "main.cpp",
        "#include <cstdio>\nextern \"C\" int run();\nint main() { std::printf(\"%d\\n\", run()); \
         }\n",
    );
    let common = ["-fsycl", "-O1", "-DRUN=run", "a/plugin.cpp"];
    p.scythe(&[&common[..], &["-fsycl-host-only", "-c", "-o", "host.o"]].concat()).ok();
    p.scythe(&[&common[..], &["-fsycl-device-only", "-c", "-o", "device.bc"]].concat()).ok();
    let targets = "-targets=host-x86_64-unknown-linux-gnu,sycl-spir64-unknown-unknown";
    let tool = prefix().join("bin/scythe-tools");
    let files = ["-input=host.o", "-input=device.bc", "-output=fat.o"];
    p.run(tool, &[&["offload-bundler", "-type=o", targets], &files[..]].concat()).ok();
    p.scythe(&["-fsycl", "fat.o", "main.cpp", "-o", "app"]).ok();
    assert_eq!(numbers(&p.run("./app", &[]).ok().stdout), [value(11)]);
}

/// Two variables with internal linkage and the same name are different, even if the device code of
/// both units is the same.
#[test]
fn variables_of_units_with_equal_device_code_stay_apart() {
    let unit = r#"
#include <sycl/sycl.hpp>
#include "name.h"
static sycl::ext::oneapi::experimental::device_global<int> variable;
extern "C" int RUN() {
  sycl::queue q;
  int before = 0, one = START;
  int *p = sycl::malloc_shared<int>(1, q);
  q.copy(variable, &before).wait();
  q.copy(&one, variable).wait();
  q.single_task([=] { *p = variable; }).wait();
  return before * 100 + *p;
}
"#;
    let p = Project::new()
        .file("a/name.h", "#define RUN first\n#define START 3\n")
        .file("b/name.h", "#define RUN second\n#define START 4\n")
        .file("a/unit.cpp", unit)
        .file("b/unit.cpp", unit)
        .file("main.cpp", MAIN);
    p.scythe(&["-fsycl", "-O1", "a/unit.cpp", "b/unit.cpp", "main.cpp", "-o", "app"]).ok();
    assert_eq!(numbers(&p.run("./app", &[]).ok().stdout), [3, 4]);
    for mode in [&[][..], &["-fsycl-host-compiler=g++"]] {
        for (folder, object) in [("a/unit.cpp", "a.o"), ("b/unit.cpp", "b.o")] {
            p.scythe(&[&["-fsycl", "-O1", "-c", folder, "-o", object], mode].concat()).ok();
        }
        p.scythe(&["-fsycl", "a.o", "b.o", "main.cpp", "-o", "app"]).ok();
        assert_eq!(numbers(&p.run("./app", &[]).ok().stdout), [3, 4], "{mode:?}");
    }
}

/// A name that all units may use denotes each unit's own kernel if the code differs, and one kernel
/// if it does not.
#[test]
fn a_name_means_the_kernel_of_its_unit() {
    let unit = r#"
#include <sycl/sycl.hpp>
class Named;
static constexpr int constant = VALUE;
extern "C" int RUN() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<Named>([=] { *p = constant; }).wait();
  return *p;
}
"#;
    let p = Project::new().file("unit.cpp", unit).file("main.cpp", MAIN);
    for host in [&[][..], &["-fsycl-host-compiler=g++"]] {
        for (name, value) in [("first", "11"), ("second", "22")] {
            let (run, value) = (format!("-DRUN={name}"), format!("-DVALUE={value}"));
            let object = format!("{name}.o");
            let common = ["-fsycl", "-O1", &run, &value, "-c", "unit.cpp", "-o", &object];
            p.scythe(&[&common[..], host].concat()).ok();
        }
        p.scythe(&["-fsycl", "first.o", "second.o", "main.cpp", "-o", "app"]).ok();
        let out = p.run("./app", &[]).ok();
        assert_eq!(numbers(&out.stdout), [11, 22], "{host:?}");
    }
}
