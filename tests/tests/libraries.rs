//! Tests device code in static libraries and in objects that `ld -r` joined: the device link uses
//! the same members as the host link.

use scythe_tests::{Outcome, Project, prefix};

/// Returns a function that runs a kernel which computes `value`.
fn unit(name: &str, value: &str) -> String {
    format!(
        "#include <sycl/sycl.hpp>\nint {name}() {{\n  sycl::queue q;\n  int *p = \
         sycl::malloc_shared<int>(1, q);\n  \
         q.single_task([=] {{ *p = {value}; }}).wait();\n  return *p;\n}}\n"
    )
}

const MAIN: &str =
    "#include <cstdio>\nint used();\nint main() { std::printf(\"%d\\n\", used()); }\n";

fn compile(p: &Project, sources: &[&str]) {
    let objects: Vec<String> = sources.iter().map(|source| source.replace(".cpp", ".o")).collect();
    for (source, object) in sources.iter().zip(&objects) {
        p.scythe(&["-fsycl", "-O1", "-c", source, "-o", object]).ok();
    }
}

/// Links `words` to a program, runs it, and checks its output.
#[track_caller]
fn prints(p: &Project, words: &[&str], expected: &str) {
    p.scythe(&[&["-fsycl", "-o", "app"], words].concat()).ok();
    assert_eq!(p.run("./app", &[]).ok().stdout, expected, "{words:?}");
}

/// Returns a library with a member that is used, a member that could not be linked for devices, and
/// a member that defines a function which `main.o` also defines.
fn library() -> Project {
    let needs = format!("SYCL_EXTERNAL int nowhere(int);\n{}", unit("unused", "nowhere(1)"));
    let p = Project::new()
        .file("main.cpp", MAIN)
        .file("own.cpp", "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int own(int n) { return n; }\n")
        .file("used.cpp", &unit("used", "11"))
        .file("unused.cpp", &format!("#include <sycl/sycl.hpp>\n{needs}"))
        .file(
            "again.cpp",
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int own(int n) { return n + 1; }\n",
        );
    compile(&p, &["main.cpp", "own.cpp", "used.cpp", "unused.cpp", "again.cpp"]);
    p.run("ar", &["rcs", "libx.a", "unused.o", "again.o", "used.o"]).ok();
    p
}

#[test]
fn members_that_the_host_link_leaves_are_left_by_the_device_link() {
    let p = library();
    // All ways to name the library.
    let ways: [&[&str]; 8] = [
        &["libx.a"],
        &["-L.", "-lx"],
        &["-L", ".", "-l:libx.a"],
        &["-L.", "-Wl,-lx"],
        &["-Wl,libx.a"],
        &["-Wl,-L.", "-Xlinker", "-lx"],
        &["-Wl,--start-group", "libx.a", "-Wl,--end-group", "-fuse-ld=bfd"],
        &["-foffload-static-lib=libx.a"],
    ];
    for way in ways {
        prints(&p, &[&["main.o", "own.o"], way].concat(), "11\n");
    }
    p.run("ar", &["rcsT", "thin.a", "unused.o", "again.o", "used.o"]).ok();
    for linker in ["-fuse-ld=lld", "-fuse-ld=bfd"] {
        prints(&p, &["main.o", "own.o", "thin.a", linker], "11\n");
    }
    p.scythe(&["-fsycl", "-fsycl-link", "main.o", "own.o", "libx.a", "-o", "linked.o"]).ok();
    prints(&p, &["linked.o"], "11\n");
}

#[test]
fn members_that_the_host_link_takes_are_linked_for_devices() {
    let p = library();
    let refused = |words: &[&str]| -> Outcome {
        p.scythe(&[&["-fsycl", "-o", "app", "main.o"], words].concat()).fails()
    };
    for words in [
        &["-Wl,--whole-archive", "libx.a", "-Wl,--no-whole-archive"][..],
        &["-Wl,-u,_Z6unusedv", "libx.a"],
        &["-foffload-whole-static-lib=libx.a"],
    ] {
        refused(words).stderr_has("undefined device symbol 'nowhere(int)'").stderr_has("spir64");
    }
}

#[test]
fn device_code_alone_pulls_members_in() {
    let p = Project::new()
        .file(
            "main.cpp",
            &(unit("used", "one(10)").replace(
                "int \
            used",
                "SYCL_EXTERNAL int one(int);\nint used",
            ) + MAIN),
        )
        .file(
            "one.cpp",
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int two(int);\nSYCL_EXTERNAL int \
            one(int n) { return two(n) + 1; }\n",
        )
        .file(
            "two.cpp",
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int two(int n) { return n + 2; \
            }\n",
        )
        .file(
            "bad.cpp",
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int nowhere(int);\nSYCL_EXTERNAL \
            int bad(int n) { return nowhere(n); }\n",
        );
    compile(&p, &["main.cpp", "one.cpp", "two.cpp", "bad.cpp"]);
    p.run("ar", &["rcs", "libone.a", "bad.o", "one.o"]).ok();
    p.run("ar", &["rcs", "libtwo.a", "two.o"]).ok();
    prints(&p, &["main.o", "libone.a", "libtwo.a"], "13\n");
    prints(&p, &["main.o", "-fuse-ld=bfd", "libone.a", "libtwo.a"], "13\n");
}

#[test]
fn members_of_one_name_are_told_apart() {
    let p = Project::new().file("main.cpp", MAIN).file("a dir/k.cpp", &unit("used", "1")).file(
        "b/k.cpp",
        &format!(
            "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int nowhere(int);\n{}",
            unit("other", "nowhere(2)")
        ),
    );
    compile(&p, &["main.cpp", "a dir/k.cpp", "b/k.cpp"]);
    p.run("ar", &["qcs", "libk – ü (1).a", "b/k.o", "a dir/k.o"]).ok();
    for linker in ["-fuse-ld=lld", "-fuse-ld=bfd"] {
        prints(&p, &["main.o", "libk – ü (1).a", linker], "1\n");
    }
}

#[test]
fn joined_objects_keep_their_device_code() {
    let p = Project::new()
        .file(
            "main.cpp",
            "#include <cstdio>\nint a();\nint b();\nint c();\nint main() { \
            std::printf(\"%d\\n\", a() + b() + c()); }\n",
        )
        .file("a.cpp", &unit("a", "1"))
        .file("b.cpp", &unit("b", "20"))
        .file("c.cpp", &unit("c", "300"));
    compile(&p, &["a.cpp", "b.cpp"]);
    p.scythe(&["-fsycl", "-fsycl-targets=spir64,spir64_x86_64", "-O1", "-c", "c.cpp", "-o", "c.o"])
        .ok();
    // Joined by Scythe, from sources, by the linker itself, and nested.
    p.scythe(&["-fsycl", "-r", "a.o", "b.o", "-o", "ab.o"]).ok();
    prints(&p, &["main.cpp", "ab.o", "c.o"], "321\n");
    p.scythe(&["-fsycl", "-O1", "-r", "a.cpp", "b.o", "-o", "ab.o"]).ok();
    p.run("ld", &["-r", "ab.o", "c.o", "-o", "abc.o"]).ok();
    prints(&p, &["main.cpp", "abc.o"], "321\n");
    p.run("ar", &["rcs", "libabc.a", "abc.o"]).ok();
    prints(&p, &["main.cpp", "libabc.a"], "321\n");
    let list = p
        .run(
            prefix().join("bin/scythe-tools"),
            &["offload-bundler", "-type=o", "-list", "-input=abc.o"],
        )
        .ok();
    assert!(list.stdout.contains("sycl-spir64_x86_64"), "{}", list.stdout);
}
