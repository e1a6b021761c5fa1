//! Tests kernel bundles from source text: the cache on disk, files that are included by path, the
//! environment, and machines without a compiler.

use std::path::Path;

use scythe_tests::{Outcome, Project, prefix};

/// Builds a bundle with the options in its arguments and prints the result of its kernel.
const PROGRAM: &str = "#include <sycl/sycl.hpp>\n#include <sycl/kernel_bundle.hpp>\n#include <cstdio>\n\
    namespace syclex = sycl::ext::oneapi::experimental;\n\
    const char text[] = R\"(#include <sycl/sycl.hpp>\n#include \"value.h\"\n\
    extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(\
    (sycl::ext::oneapi::experimental::single_task_kernel))\n\
    void store(int *p) { *p = VALUE; }\n)\";\n\
    int main(int argc, char **argv) try {\n  sycl::queue q;\n\
    \x20 auto source = syclex::create_kernel_bundle_from_source(q.get_context(),\n\
    \x20     syclex::source_language::sycl, text);\n\
    \x20 std::vector<std::string> options(argv + 1, argv + argc);\n\
    \x20 auto bundle = syclex::build(source, syclex::properties{syclex::build_options{options}});\n\
    \x20 int *p = sycl::malloc_shared<int>(1, q);\n\
    \x20 q.submit([&](sycl::handler &h) {\n    h.set_args(p);\n\
    \x20   h.single_task(bundle.ext_oneapi_get_kernel(\"store\"));\n  }).wait();\n\
    \x20 std::printf(\"value %d\\n\", *p);\n\
    } catch (const sycl::exception &e) {\n\
    \x20 std::printf(\"error %d: %s\\n\", e.code().value(), e.what());\n  return 1;\n}\n";

/// Compiles the program. `value.h` in the folder `b` says 1.
fn project() -> Project {
    let project = Project::new().file("main.cpp", PROGRAM).file("b/value.h", "#define VALUE 1\n");
    project.scythe(&["-fsycl", "-O1", "main.cpp", "-o", "main"]).ok();
    project
}

/// Runs the program with its cache in the folder of the project.
fn run(project: &Project, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let cache = project.path().join("cache").to_string_lossy().into_owned();
    let scratch = project.path().join("tmp").to_string_lossy().into_owned();
    std::fs::create_dir_all(&scratch).expect("a folder");
    // The variables of the tests themselves precede those of `env`.
    let own = [("SYCL_CACHE_DIR", cache.as_str()), ("SYCL_CACHE_TRACE", "1"), ("TMPDIR", &scratch)];
    let variables = own.iter().chain(variables).map(|(name, value)| format!("{name}={value}"));
    let words: Vec<String> = variables.chain(["./main".to_owned()]).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).chain(args.iter().copied()).collect();
    let outcome = project.run("env", &words);
    let left = std::fs::read_dir(&scratch).expect("the folder").count();
    assert_eq!(left, 0, "files are left behind");
    outcome
}

#[test]
fn results_are_cached_until_a_file_changes() {
    let project = project();
    let options = ["-Ia", "-Ib"];
    // A file that is written just before the compilation may change in the same instant, so the
    // result would not be stored.
    let settle = || std::thread::sleep(std::time::Duration::from_millis(100));
    settle();
    run(&project, &options, &[]).ok().stdout_has("value 1").stderr_has("stored");
    let again = run(&project, &options, &[]).ok().stdout_has("value 1");
    assert!(!again.stderr.contains("miss"), "{}", again.stderr);
    // No other variable changes the result.
    let same = run(&project, &options, &[("CPATH", "b"), ("CCC_OVERRIDE_OPTIONS", "+-DX")]).ok();
    assert!(!same.stderr.contains("miss"), "{}", same.stderr);
    run(&project, &["-Ia", "-Ib", "-DX"], &[]).ok().stderr_has("miss");

    let project = project.file("b/value.h", "#define VALUE 22\n");
    settle();
    run(&project, &options, &[]).ok().stdout_has("value 22").stderr_has("has changed");
    let project = project.file("a/value.h", "#define VALUE 333\n");
    run(&project, &options, &[]).ok().stdout_has("value 333").stderr_has("other files");
    let project = project.file("value.h", "#define VALUE 4444\n");
    run(&project, &options, &[]).ok().stdout_has("value 4444");
    run(&project, &options, &[("SYCL_CACHE_PERSISTENT", "0")]).ok().stdout_has("value 4444");
}

#[test]
fn failures_are_explained() {
    let project = project();
    let missing = run(&project, &[], &[]).fails();
    missing.stdout_has("rtc_0.cpp:2:10: fatal error: 'value.h' file not found");
    run(&project, &["-Ib", "-fno-such"], &[])
        .fails()
        .stdout_has("Parsing of user arguments failed")
        .stdout_has("-fno-such");
}

#[test]
fn a_machine_without_the_compiler_is_told_which_file_is_missing() {
    let project = project();
    // A tree with the libraries alone.
    let lib = project.path().join("tree/lib");
    std::fs::create_dir_all(&lib).expect("a folder");
    for entry in std::fs::read_dir(prefix().join("lib")).expect("the libraries").flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), lib.join(entry.file_name())).expect("a library");
        }
    }
    let path = lib.to_string_lossy().into_owned();
    let outcome = run(&project, &["-Ib"], &[("LD_LIBRARY_PATH", &path)]).fails();
    let driver = Path::new(&path).parent().expect("the tree").join("bin/scythe");
    outcome
        .stdout_has("(sycl_ext_oneapi_kernel_compiler)")
        .stdout_has(&format!("'{}' was not found", driver.display()));
}
