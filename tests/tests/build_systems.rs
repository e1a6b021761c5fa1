//! Tests projects that are written for other implementations of SYCL: their CMake packages,
//! libraries and build systems find Scythe.

use std::path::Path;

use scythe_tests::{Outcome, Project, prefix};

/// A kernel in a library, and a program with another kernel.
const KERNEL: &str = "#include <sycl/sycl.hpp>\nint twice(sycl::queue &q, int n) {\n  int *p = \
    sycl::malloc_shared<int>(1, q);\n  q.single_task([=] { *p = 2 * n; }).wait();\n  int r = \
    *p;\n  sycl::free(p, q);\n  return r;\n}\n";
const MAIN: &str = "#include <sycl/sycl.hpp>\n#include <cstdio>\nint twice(sycl::queue &, int);\n\
    int plain(int);\nint main() {\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(1, q);\n  \
    q.single_task([=] {\n    *p = 0;\n#ifdef __SYCL_DEVICE_ONLY__\n    *p = 1;\n#endif\n  \
    }).wait();\n  std::printf(\"device code %d, %d\\n\", *p, twice(q, plain(20)));\n}\n";
const PLAIN: &str = "int plain(int n) { return n + 1; }\n";
const RIGHT: &str = "device code 1, 42";

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn scythe() -> String {
    text(&prefix().join("bin/scythe"))
}

/// Returns a project with three sources and a `CMakeLists.txt` with these commands.
fn cmake_project(commands: &str) -> Project {
    let head = "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES CXX)\n";
    Project::new()
        .file("kernel.cpp", KERNEL)
        .file("main.cpp", MAIN)
        .file("plain.cpp", PLAIN)
        .file("CMakeLists.txt", &format!("{head}{commands}"))
}

/// Configures a project with Ninja in the folder `build`.
fn configure(project: &Project, compiler: &str, more: &[&str]) -> Outcome {
    let compiler = format!("-DCMAKE_CXX_COMPILER={compiler}");
    let found = format!("-DCMAKE_PREFIX_PATH={}", prefix().display());
    let words = ["-G", "Ninja", "-S", ".", "-B", "build", &compiler, &found];
    project.run("cmake", &[&words, more].concat())
}

/// Builds a project with each compiler and runs the program.
fn builds_with(compilers: &[&str], commands: &str) {
    for compiler in compilers {
        let project = cmake_project(commands);
        configure(&project, compiler, &[]).ok();
        project.run("cmake", &["--build", "build"]).ok();
        project.run("./build/app", &[]).ok().stdout_has(RIGHT);
    }
}

#[test]
fn the_package_of_dpcpp_compiles_named_sources() {
    builds_with(
        &[&scythe(), "g++", "clang++-22"],
        "find_package(IntelSYCL REQUIRED)\n\
         foreach(name SYCL_FLAGS SYCL_INCLUDE_DIR SYCL_LIBRARY_DIR SYCL_LANGUAGE_VERSION\n\
                 SYCL_COMPILER SYCL_IMPLEMENTATION_ID)\n  if(NOT ${name})\n    \
         message(FATAL_ERROR \"${name} is empty\")\n  endif()\nendforeach()\n\
         add_executable(app main.cpp kernel.cpp plain.cpp)\n\
         add_sycl_to_target(TARGET app SOURCES main.cpp kernel.cpp)\n\
         target_precompile_headers(app PRIVATE <vector>)\n",
    );
}

#[test]
fn the_target_of_dpcpp_and_a_library_make_their_users_sycl() {
    // The program gets '-fsycl' from the static library, and the library from the package's target.
    builds_with(
        &[&scythe(), "g++"],
        "find_package(IntelSYCL REQUIRED)\nadd_library(kernel STATIC kernel.cpp)\n\
         target_link_libraries(kernel PUBLIC IntelSYCL::SYCL_CXX)\n\
         add_executable(app main.cpp plain.cpp)\ntarget_link_libraries(app kernel)\n",
    );
    builds_with(
        &[&scythe(), "g++"],
        "find_package(IntelSYCL REQUIRED)\nadd_library(kernel SHARED kernel.cpp)\n\
         add_sycl_to_target(kernel)\nadd_executable(app main.cpp plain.cpp)\n\
         target_link_libraries(app kernel)\n",
    );
}

#[test]
fn the_package_sycl_has_a_target_and_variables() {
    builds_with(
        &[&scythe(), "g++"],
        "find_package(SYCL REQUIRED)\nadd_library(kernel STATIC kernel.cpp)\n\
         target_compile_options(kernel PRIVATE ${SYCL_COMPILE_OPTIONS})\n\
         target_include_directories(kernel PRIVATE ${SYCL_INCLUDE_DIRS})\n\
         add_executable(app main.cpp plain.cpp)\n\
         target_link_libraries(app PRIVATE kernel SYCL::SYCL ${SYCL_LIBRARIES})\n",
    );
}

#[test]
fn the_package_of_adaptivecpp_compiles_all_sources() {
    let commands = "find_package(AdaptiveCpp 24.02 CONFIG REQUIRED)\nadd_library(kernel OBJECT \
         kernel.cpp)\nadd_sycl_to_target(TARGET kernel SOURCES kernel.cpp)\n\
         add_executable(app main.cpp plain.cpp)\n\
         target_link_libraries(app PRIVATE kernel AdaptiveCpp::acpp-rt)\n\
         add_sycl_to_target(TARGET app SOURCES plain.cpp)\n";
    builds_with(&[&scythe(), "g++"], commands);
    let project = cmake_project(commands);
    let more = ["-DACPP_TARGETS=omp;cuda:sm_80,sm_90;generic", "-DCMAKE_EXPORT_COMPILE_COMMANDS=1"];
    configure(&project, &scythe(), &more).ok();
    let commands =
        String::from_utf8_lossy(&project.read("build/compile_commands.json")).into_owned();
    let targets = "-fsycl-targets=spir64_x86_64,nvidia_gpu_sm_80,nvidia_gpu_sm_90,spir64";
    assert_eq!(commands.matches(targets).count(), 3, "{commands}");
    configure(&project, &scythe(), &["-DACPP_TARGETS=hip:gfx906"])
        .ok()
        .stderr_has("no target for 'hip:gfx906'");
}

#[test]
fn links_to_the_packages_lead_to_the_tree() {
    // The Debian package has such links in the folder that CMake searches.
    let project = cmake_project(
        "find_package(AdaptiveCpp REQUIRED)\nfind_package(IntelSYCL REQUIRED)\n\
         find_package(Scythe REQUIRED)\nmessage(STATUS \"found ${Scythe_COMPILER}\")\n",
    );
    let links = project.path().join("usr/lib/cmake");
    std::fs::create_dir_all(&links).expect("folders can be made");
    for name in ["AdaptiveCpp", "IntelSYCL", "Scythe"] {
        std::os::unix::fs::symlink(prefix().join("lib/cmake").join(name), links.join(name))
            .expect("links can be made");
    }
    let found = format!("-DCMAKE_PREFIX_PATH={}", project.path().join("usr").display());
    configure(&project, "g++", &[&found]).ok().stdout_has(&format!("found {}", scythe()));
}

#[test]
fn libsycl_is_the_runtime_for_every_linker() {
    let project =
        Project::new().file("main.cpp", MAIN).file("kernel.cpp", KERNEL).file("plain.cpp", PLAIN);
    for source in ["main", "kernel", "plain"] {
        let (source, object) = (format!("{source}.cpp"), format!("{source}.o"));
        project.scythe(&["-fsycl", "-O1", "-c", &source, "-o", &object]).ok();
    }
    let runs_with_one_library = || {
        project.run("./app", &[]).ok().stdout_has(RIGHT);
        let dynamic = project.run("readelf", &["-d", "app"]).ok();
        let names = dynamic.stdout.lines().filter(|l| l.contains("NEEDED"));
        let ours: Vec<&str> =
            names.filter(|l| l.contains("sycl") || l.contains("scythe")).collect();
        assert!(
            matches!(ours[..], [one] if one.ends_with("[libscythe.so.0]")),
            "expected the SONAME alone: {ours:?}"
        );
    };
    let objects = ["main.o", "kernel.o", "plain.o"];
    for linker in ["lld", "bfd", "gold"] {
        let linker = format!("-fuse-ld={linker}");
        project
            .scythe(
                &[&["-fsycl", &linker, "-lsycl"][..], &objects, &["-lsycl", "-o", "app"]].concat(),
            )
            .ok();
        runs_with_one_library();
    }
    // Host code alone, by another compiler.
    let (include, lib) = (prefix().join("include"), prefix().join("lib"));
    let (include, lib) = (format!("-I{}", include.display()), format!("-L{}", lib.display()));
    let rpath = format!("-Wl,-rpath,{}", &lib[2..]);
    let sources = ["-std=c++17", "main.cpp", "kernel.cpp", "plain.cpp", "-o", "host"];
    project.run("g++", &[&sources[..], &[&include, &lib, "-lsycl", &rpath]].concat()).ok();
    project.run("./host", &[]).ok().stdout_has("device code 0, 42");
}

#[test]
fn a_project_needs_only_the_compiler_and_its_flag() {
    let project = cmake_project(
        "include(CheckCXXCompilerFlag)\ncheck_cxx_compiler_flag(-fsycl HAS_SYCL)\n\
         message(STATUS \"Compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, \
         flag ${HAS_SYCL}\")\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n\
         add_executable(app main.cpp kernel.cpp plain.cpp)\n\
         target_precompile_headers(app PRIVATE <sycl/sycl.hpp>)\n",
    );
    let seen = configure(&project, &scythe(), &["-DCMAKE_CXX_FLAGS=-fsycl"]).ok();
    seen.stdout_has("Compiler Clang 22.1").stdout_has("flag 1");
    project.run("cmake", &["--build", "build"]).ok();
    project.run("./build/app", &[]).ok().stdout_has(RIGHT);
    let drivers = format!("--query-driver={}", scythe());
    for more in ["--log=info", &drivers] {
        project
            .run("clangd-22", &["--check=main.cpp", "--compile-commands-dir=build", more])
            .ok()
            .stderr_has("All checks completed, 0 errors");
    }
}

#[test]
fn search_paths_are_printed_as_clang_prints_them() {
    let project = Project::new();
    let paths = |program: &str, sycl: &[&str]| {
        let words = [&["-E", "-v", "-x", "c++", "-"], sycl].concat();
        let printed = project.run(program, &words).ok().stderr;
        let found = printed.split("search starts here:").nth(2).unwrap_or_default().to_owned();
        found.split("End of search list").next().unwrap_or_default().to_owned()
    };
    let (plain, sycl) = (paths(&scythe(), &[]), paths(&scythe(), &["-fsycl"]));
    assert_eq!(plain, paths("clang++-22", &[]));
    let include = format!("\n {}\n", prefix().join("include").display());
    assert!(sycl.contains(&include), "{sycl}");
    let missing: Vec<&str> = plain.lines().filter(|line| !sycl.contains(line)).collect();
    assert!(missing.is_empty(), "no {missing:?} in:\n{sycl}");
}

#[test]
fn meson_builds_libraries_and_programs() {
    let build = "project('app', 'cpp', default_options: ['cpp_std=c++20'])\n\
        cpp = meson.get_compiler('cpp')\nassert(cpp.has_argument('-fsycl'))\n\
        assert(cpp.version().version_compare('>=22'), cpp.version())\n\
        assert(cpp.has_header('sycl/sycl.hpp', args: '-fsycl'))\n\
        add_project_arguments('-fsycl', language: 'cpp')\n\
        add_project_link_arguments('-fsycl', language: 'cpp')\n\
        kernel = static_library('kernel', 'kernel.cpp')\n\
        test('app', executable('app', 'main.cpp', 'plain.cpp', link_with: kernel))\n";
    let project = Project::new()
        .file("main.cpp", MAIN)
        .file("kernel.cpp", KERNEL)
        .file("plain.cpp", PLAIN)
        .file("meson.build", build);
    // The flag can be a part of the compiler's name. Meson then asks for the linker with the flag.
    let with_flag = format!("{} -fsycl", scythe());
    project.run_with("/usr/bin/meson", &["setup", "other"], &[("CXX", &with_flag)]).ok();
    project.run_with("/usr/bin/meson", &["setup", "build"], &[("CXX", &scythe())]).ok();
    project.run("ninja", &["-C", "build"]).ok();
    project.run("./build/app", &[]).ok().stdout_has(RIGHT);
}

#[test]
fn make_needs_only_variables() {
    let project = Project::new()
        .file("main.cpp", MAIN)
        .file("kernel.cpp", KERNEL)
        .file("plain.cpp", PLAIN)
        .file("Makefile", "app: main.o kernel.o plain.o\n\t$(LINK.cc) $^ $(LDLIBS) -o $@\n");
    let compiler = format!("CXX={}", scythe());
    project.run("make", &["-s", &compiler, "CXXFLAGS=-fsycl -O1", "LDLIBS=-lsycl"]).ok();
    project.run("./app", &[]).ok().stdout_has(RIGHT);
}
