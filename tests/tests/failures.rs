//! Tests that failures are orderly: an error is reported once, with a position, and no files are
//! left behind.

use scythe_tests::Project;

#[test]
fn a_syntax_error_is_said_once() {
    let p = Project::new().file("a.cpp", "#include <sycl/sycl.hpp>\nint main() { return 0 }\n");
    p.scythe(&["-fsycl", "a.cpp", "-o", "app"]).fails().errors(1).stderr_has("a.cpp:2:");
    assert!(!p.exists("app"));
}

#[test]
fn a_missing_file_is_named() {
    Project::new()
        .scythe(&["-fsycl", "nowhere.cpp", "-o", "app"])
        .fails()
        .stderr_has("nowhere.cpp");
}

#[test]
fn an_unknown_option_is_clangs_business() {
    let p = Project::new().file("a.cpp", "int main() {}\n");
    p.scythe(&["-fsycl", "-fno-such-option", "a.cpp", "-o", "app"])
        .fails()
        .stderr_has("-fno-such-option");
}

#[test]
fn a_clang_that_does_not_fit_the_plug_in_is_explained() {
    let p = Project::new()
        .file("a.cpp", "int main() {}\n")
        .file("old-clang", "#!/bin/sh\necho 'clang version 14.0.6'\n");
    p.run("chmod", &["+x", "old-clang"]).ok();
    let clang = format!("--scythe-clang={}", p.path().join("old-clang").display());
    p.scythe(&["-fsycl", &clang, "a.cpp", "-o", "app"])
        .fails()
        .stderr_has("14.0.6")
        .stderr_has("22")
        .stderr_has("clang-22");
}

#[test]
fn a_program_without_kernels_never_loads_the_run_time_compiler() {
    let p = Project::new()
        .file("a.cpp", "#include <sycl/sycl.hpp>\nint main() { sycl::queue q; q.wait(); }\n");
    p.scythe(&["-fsycl", "a.cpp", "-o", "app"]).ok();
    let out = p.run_with("./app", &[], &[("LD_DEBUG", "libs")]).ok();
    assert!(
        !out.stderr.contains("libLLVM") && !out.stderr.contains("scythe-jit"),
        "{}",
        out.stderr
    );
}

#[test]
fn missing_standard_headers_are_the_only_error() {
    let p = Project::new().file("a.cpp", "#include <sycl/sycl.hpp>\nint main() {}\n");
    let failed = p.scythe(&["-fsycl", "-nostdinc++", "-c", "a.cpp"]).fails();
    let failed = failed.stderr_has("file not found");
    assert!(!failed.stderr.contains("bug report"), "{}", failed.stderr);
}

#[test]
fn an_old_standard_of_the_language_is_explained() {
    let p = Project::new().file("a.cpp", "#include <sycl/sycl.hpp>\nint main() {}\n");
    p.scythe(&["-fsycl", "-std=c++14", "-c", "a.cpp"]).fails().stderr_has("SYCL 2020 needs C++17");
}
