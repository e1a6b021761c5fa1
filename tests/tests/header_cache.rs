//! Tests the header cache: outputs, messages and dependency files are the same with and without
//! precompiled SYCL headers.

use std::sync::LazyLock;

use scythe_tests::{Project, prefix};

/// Kernels, a device variable, a specialization constant, and host code that uses the standard
/// library.
const TEXT: &str = "// A comment.\n#include <cstdio>\n#include <map>\n#include <sycl/sycl.hpp>\n\
    #include <vector>\n\
    static sycl::ext::oneapi::experimental::device_global<int> variable;\n\
    constexpr sycl::specialization_id<int> constant(3);\n\
    template <class T> struct Add { T *p; void operator()(sycl::id<1> i) const { p[i] += 1; } };\n\
    int main() {\n  sycl::queue q;\n  std::vector<int> v(16, 1);\n  int one = 1;\n\
    \x20 q.copy(&one, variable).wait();\n  {\n    sycl::buffer<int> b(v);\n\
    \x20   q.submit([&](sycl::handler &h) {\n      sycl::accessor a(b, h);\n\
    \x20     h.set_specialization_constant<constant>(4);\n\
    \x20     h.parallel_for(16, [=](sycl::item<1> i, sycl::kernel_handler k) {\n\
    \x20       a[i] += variable + k.get_specialization_constant<constant>();\n      });\n    });\n  \
    }\n\
    \x20 int *p = sycl::malloc_shared<int>(4, q);\n  p[3] = 1;\n\
    \x20 q.parallel_for(4, Add<int>{p}).wait();\n\
    \x20 std::map<int, int> m{{v[15], p[3]}};\n\
    \x20 return m.count(6) && m[6] == 2 ? 0 : 1;\n}\n";

/// The option for a cache in the folder of the project.
const CACHE: &str = "-fsycl-header-cache=cache";

/// Returns the option for a cache that several tests share, so that they need not all make the same
/// precompiled headers.
fn shared() -> &'static str {
    static SHARED: LazyLock<(Project, String)> = LazyLock::new(|| {
        let project = Project::new();
        let option = format!("-fsycl-header-cache={}", project.path().join("cache").display());
        (project, option)
    });
    &SHARED.1
}

/// Compiles twice, so that the next compilation finds a precompiled header.
#[track_caller]
fn prepare(project: &Project, cache: &str, source: &str, options: &[&str]) {
    for _ in 0..2 {
        let compile = ["-fsycl", cache, "-c", source, "-o", "unused.o"];
        project.scythe(&[&compile, options].concat());
    }
}

/// Compiles with `-v`, and returns the lines about the header cache.
#[track_caller]
fn uses(project: &Project, cache: &str, options: &[&str]) -> Vec<String> {
    let compile = ["-fsycl", cache, "-v", "-c", "-o", "unused.o"];
    let shown = project.scythe(&[&compile, options].concat());
    let lines = shown.stderr.lines().filter(|line| line.contains("precompiled SYCL header"));
    lines.map(str::to_owned).collect()
}

#[test]
fn objects_are_the_same_with_every_option() {
    let project = Project::new().file("a.cpp", TEXT);
    for options in [
        &[][..],
        &["-O3", "-ffast-math", "-std=c++20", "-DNDEBUG", "-fsycl-targets=spir64,x86_64", "-flto"],
    ] {
        prepare(&project, shared(), "a.cpp", options);
        let lines = uses(&project, shared(), &[&["a.cpp"], options].concat());
        let passes = if options.iter().any(|option| option.contains(',')) { 3 } else { 2 };
        assert_eq!(lines.len(), passes, "{options:?}");
        assert!(lines.iter().all(|line| line.ends_with(".pch")), "{options:?}: {lines:?}");
        let compile = |cache, output| {
            project
                .scythe(&[&["-fsycl", cache, "-c", "a.cpp", "-o", output], options].concat())
                .ok();
            project.read(output)
        };
        let same = compile(shared(), "with.o") == compile("-fno-sycl-header-cache", "without.o");
        assert!(same, "{options:?}");
    }
    project.scythe(&["-fsycl", shared(), "a.cpp", "-o", "app"]).ok();
    project.run("./app", &[]).ok();
}

#[test]
fn passes_for_one_side_use_the_cache() {
    let project = Project::new().file("a.cpp", TEXT);
    for side in ["-fsycl-host-only", "-fsycl-device-only"] {
        prepare(&project, shared(), "a.cpp", &[side]);
        let lines = uses(&project, shared(), &["a.cpp", side]);
        assert!(lines.len() == 1 && lines[0].ends_with(".pch"), "{side}: {lines:?}");
        let output = |cache, name: &str| {
            project.scythe(&["-fsycl", side, cache, "-c", "a.cpp", "-o", name]).ok();
            std::fs::read(project.path().join(name)).expect("an output")
        };
        let same = output(shared(), "with.o") == output("-fno-sycl-header-cache", "without.o");
        assert!(same, "{side}");
        let lines = uses(&project, shared(), &[side, "-MD", "-MF", "a.d", "a.cpp"]);
        assert_eq!(lines, Vec::<String>::new(), "{side}");
    }
}

#[test]
fn headers_of_the_program_may_include_the_sycl_header() {
    let source = "#include <cstdio>\n#define OWN_SIZE 7\n#ifdef VERIFY\n#include <random>\n#endif\n\
        #include \"own.h\"\nint main() { std::printf(\"%d\\n\", run() + OWN_SIZE); }\n";
    let own = "#ifndef OWN_H_\n#define OWN_H_\n#include <common.h>\nint run() {\n\
        \x20 sycl::queue q;\n  int *p = sycl::malloc_shared<int>(1, q);\n\
        \x20 q.single_task([=] { *p = COMMON_VALUE; }).wait();\n  return *p;\n}\n#endif\n";
    let common = "#pragma once\n#include <cmath>\n#include <sycl/sycl.hpp>\n\
        #define COMMON_VALUE 3\nusing namespace sycl;\n";
    let project = Project::new()
        .file("a.cpp", source)
        .file("own.h", own)
        .file("include/common.h", common)
        .file("b.cpp", "#define size 4\n#include \"own.h\"\n");
    prepare(&project, shared(), "a.cpp", &["-Iinclude"]);
    let lines = uses(&project, shared(), &["a.cpp", "-Iinclude"]);
    assert!(lines.len() == 2 && lines.iter().all(|line| line.ends_with(".pch")), "{lines:?}");
    let object = |cache, output: &str| {
        project.scythe(&["-fsycl", cache, "-Iinclude", "-c", "a.cpp", "-o", output]).ok();
        std::fs::read(project.path().join(output)).expect("an object")
    };
    assert!(object(shared(), "with.o") == object("-fno-sycl-header-cache", "without.o"));
    project.scythe(&["-fsycl", shared(), "-Iinclude", "a.cpp", "-o", "app"]).ok();
    project.run("./app", &[]).ok().stdout_has("10");
    // A macro with a meaning in the header.
    let lines = uses(&project, shared(), &["b.cpp", "-Iinclude"]);
    let refused = |line: &String| line.contains("the program defines 'size' before the header");
    assert!(!lines.is_empty() && lines.iter().all(refused), "{lines:?}");
    // The guard of the program's header is a macro of the command line: the header is not read.
    let lines = uses(&project, shared(), &["a.cpp", "-Iinclude", "-DOWN_H_"]);
    assert!(lines.iter().all(|line| !line.ends_with(".pch")), "{lines:?}");
}

#[test]
fn messages_are_the_same() {
    let errors = format!("{TEXT}\nint f() {{ sycl::queue q; return q + undeclared; }}\n");
    let warnings = "#include <sycl/sycl.hpp>\nint f() {\n  if (int x = 0; x = 1) return 2;\n\
        \x20 return sycl::abs_diff(1, 2u);\n}\n";
    let kernel = "#include <sycl/sycl.hpp>\nvoid f(sycl::queue &q) { q.single_task([=] { throw 1; \
        }); }\n";
    for text in [&errors, warnings, kernel] {
        let project = Project::new().file("a.cpp", text);
        prepare(&project, shared(), "a.cpp", &[]);
        let compile = |cache| project.scythe(&["-fsycl", cache, "-c", "a.cpp"]);
        let (with, without) = (compile(shared()), compile("-fno-sycl-header-cache"));
        assert_eq!(with.stderr, without.stderr);
        assert_eq!(with.status, without.status);
    }
}

#[test]
fn sources_without_kernels_use_the_cache() {
    let text = "#include <sycl/sycl.hpp>\nint f(sycl::queue &q) { q.wait(); return 1; }\n";
    let project = Project::new().file("a.cpp", text);
    prepare(&project, shared(), "a.cpp", &[]);
    let lines = uses(&project, shared(), &["a.cpp"]);
    assert!(lines.len() == 1 && lines[0].ends_with(".pch"), "{lines:?}");
    let object = |cache, output: &str| {
        project.scythe(&["-fsycl", cache, "-c", "a.cpp", "-o", output]).ok();
        std::fs::read(project.path().join(output)).expect("an object")
    };
    assert!(object(shared(), "with.o") == object("-fno-sycl-header-cache", "without.o"));
    // Clang's own dependency file would list the precompiled header.
    assert_eq!(uses(&project, shared(), &["-MD", "-MF", "a.d", "a.cpp"]), Vec::<String>::new());
}

#[test]
fn types_of_the_header_keep_their_aspects() {
    let text = "#include <sycl/sycl.hpp>\nvoid f(sycl::queue &q, sycl::half *p) {\n\
        \x20 q.single_task([=] { *p += sycl::half(1.0f); });\n}\n";
    let project = Project::new().file("a.cpp", text);
    prepare(&project, CACHE, "a.cpp", &[]);
    let object = |cache| {
        project.scythe(&["-fsycl", cache, "-c", "a.cpp", "-o", "a.o"]).ok();
        std::fs::read(project.path().join("a.o")).expect("an object")
    };
    let expected = object("-fno-sycl-header-cache");
    assert!(object(CACHE) == expected);
    // Without its list of types, a precompiled header is made again.
    let folders = std::fs::read_dir(project.path().join("cache")).expect("the cache is there");
    let lists: Vec<_> = folders
        .flatten()
        .map(|folder| folder.path().join("header.types"))
        .filter(|list| list.exists())
        .collect();
    assert_eq!(lists.len(), 1);
    std::fs::write(&lists[0], "scythe header types 1\n").expect("writable");
    assert!(object(CACHE) == expected);
    let restored = std::fs::read_to_string(&lists[0]).expect("the list is there");
    assert!(restored.contains("sycl::half"), "{restored}");
}

#[test]
fn dependency_files_are_the_same() {
    let project = Project::new().file("odd $folder/a #1.cpp", TEXT);
    let source = "odd $folder/a #1.cpp";
    for option in ["-MD", "-MMD"] {
        prepare(&project, shared(), source, &[option]);
        let files = |cache, output: &str| {
            let compile = ["-fsycl", cache, "-c", source, option, "-MF", output, "-o", "a.o"];
            project.scythe(&compile).ok();
            let text = std::fs::read_to_string(project.path().join(output)).expect("a list");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            // The order of the headers does not matter, but the source is the first.
            let first = lines.drain(..2).collect::<Vec<_>>();
            lines.iter_mut().for_each(|line| *line = line.trim_end_matches(" \\").to_owned());
            lines.sort();
            (first, lines)
        };
        let (with, without) =
            (files(shared(), "with.d"), files("-fno-sycl-header-cache", "without.d"));
        assert_eq!(with.0, without.0);
        let differ = |a: &[String], b: &[String]| {
            a.iter().filter(|line| !b.contains(line)).cloned().collect::<Vec<_>>()
        };
        assert_eq!(differ(&with.1, &without.1), Vec::<String>::new());
        assert_eq!(differ(&without.1, &with.1), Vec::<String>::new());
    }
}

#[test]
fn a_header_of_the_program_takes_precedence() {
    let project = Project::new().file("a.cpp", TEXT).file("mine/readme", "");
    let options = ["-Imine", "a.cpp"];
    prepare(&project, CACHE, "a.cpp", &["-Imine"]);
    assert!(uses(&project, CACHE, &options).iter().all(|line| line.ends_with(".pch")));
    let own = project.path().join("mine/map");
    std::fs::write(own, "#error \"my own map\"\n").expect("writable");
    let lines = uses(&project, CACHE, &options);
    assert!(lines.iter().all(|line| line.ends_with("none (the program has its own 'mine/map')")));
    let failed = project.scythe(&["-fsycl", CACHE, "-Imine", "-c", "a.cpp"]);
    assert!(failed.stderr.contains("my own map"), "{}", failed.stderr);
}

#[test]
fn a_damaged_cache_is_not_used() {
    let project = Project::new().file("a.cpp", TEXT);
    prepare(&project, CACHE, "a.cpp", &[]);
    let folders = std::fs::read_dir(project.path().join("cache")).expect("the cache is there");
    let headers: Vec<_> =
        folders.flatten().map(|folder| folder.path().join("header.pch")).collect();
    for header in &headers {
        std::fs::write(header, "CPCH damaged").expect("writable");
    }
    project.scythe(&["-fsycl", CACHE, "-c", "a.cpp", "-o", "a.o"]).ok();
    let restored = |header| std::fs::metadata(header).is_ok_and(|data| data.len() > 1 << 20);
    assert!(headers.iter().all(restored), "{headers:?}");
    project.scythe(&["-fsycl", "-fsycl-header-cache=a.cpp/x", "-c", "a.cpp", "-o", "a.o"]).ok();
}

#[test]
fn processes_share_the_cache() {
    let project = Project::new().file("a.cpp", TEXT);
    std::thread::scope(|scope| {
        for number in 0..4 {
            let project = &project;
            scope.spawn(move || {
                for _ in 0..2 {
                    let object = format!("{number}.o");
                    let compile = ["-fsycl", CACHE, "-c", "a.cpp", "-o", &object];
                    project.run(prefix().join("bin/scythe"), &compile).ok();
                }
            });
        }
    });
    assert!((1..4).all(|number| project.read(&format!("{number}.o")) == project.read("0.o")));
}
