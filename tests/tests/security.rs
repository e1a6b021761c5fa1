//! Tests what programs and tools trust (`docs/security.md`): set-user-ID programs ignore what their
//! caller names, and nothing is loaded from the current folder.
//!
//! Some tests need a second user, and run as root only.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use scythe_tests::{Project, prefix};

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    // SAFETY: the call has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is set");
}

/// Prints the number of devices and the result of a kernel, or tries to compile a source text.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <sys/auxv.h>
namespace ext = sycl::ext::oneapi::experimental;
int main(int count, char **) try {
  if (!getauxval(AT_SECURE))
    std::puts("unprivileged");
  std::printf("%zu devices\n", sycl::device::get_devices().size());
  sycl::queue q{sycl::cpu_selector_v};
  if (count > 1)
    ext::build(ext::create_kernel_bundle_from_source(q.get_context(), ext::source_language::sycl,
                                                     std::string("")));
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 42; }).wait();
  std::printf("%d\n", *p);
} catch (const sycl::exception &e) {
  std::printf("refused: %s\n", e.what());
}
"#;

/// A library that tells when it is loaded.
const LIBRARY: &str = r#"
#include <stdio.h>
__attribute__((constructor)) static void load(void) { puts("foreign code"); fflush(stdout); }
"#;

/// Compiles a C file of the project to a shared library.
fn library(project: &Project, source: &str, name: &str) -> PathBuf {
    let path = project.path().join(name);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder is made");
    let mut cc = Command::new("cc");
    cc.current_dir(project.path()).args(["-shared", "-fPIC", source, "-o"]).arg(&path);
    assert!(cc.status().expect("cc runs").success());
    path
}

#[test]
fn set_user_id_programs_ignore_variables_that_name_files() {
    if !is_root() {
        return;
    }
    let p = Project::new().file("a.cpp", PROGRAM).file("foreign.c", LIBRARY);
    p.scythe(&["-fsycl", "a.cpp", "-o", "app"]).ok();
    p.scythe(&["-fsycl", "-fsycl-targets=spir64_x86_64", "a.cpp", "-o", "ahead"]).ok();
    let foreign = library(&p, "foreign.c", "foreign.so");
    for program in ["app", "ahead"] {
        let app = p.path().join(program);
        chown(&app, Some(NOBODY), Some(NOBODY)).expect("the owner is changed");
        set_mode(&app, 0o4755);
    }
    set_mode(p.path(), 0o755);
    // The folder of the caller, in which the program may write, with links to its own files.
    let folder = p.path().join("folder");
    fs::create_dir(&folder).expect("the folder is made");
    let precious = p.path().join("precious");
    fs::write(&precious, "secret: [\n").expect("the file is written");
    chown(&precious, Some(NOBODY), Some(NOBODY)).expect("the owner is changed");
    for name in ["t.json", "cpu-0-input.ll", "x.yaml", "jit.dump"] {
        symlink(&precious, folder.join(name)).expect("the link is made");
    }
    set_mode(&folder, 0o777);
    let names = || {
        let mut names: Vec<_> = fs::read_dir(&folder)
            .expect("it is readable")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        names
    };
    let before = names();
    let inside = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let run_with = |program: &str, args: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(p.path().join(program));
        command.args(args);
        // Files without a folder in their names would be written here.
        command.current_dir(&folder).envs(variables.iter().copied());
        let output = command.output().expect("the program runs");
        let text = [&output.stdout[..], &output.stderr].concat();
        String::from_utf8_lossy(&text).into_owned()
    };
    let run = |program: &str, variables: &[(&str, &str)]| run_with(program, &[], variables);
    if run("app", &[]).contains("unprivileged") {
        // The file system ignores the bit.
        return;
    }
    let foreign = foreign.to_string_lossy().into_owned();
    let dot = folder.to_string_lossy().into_owned();
    let variables: &[(&str, &str)] = &[
        ("SCYTHE_TRACE", &inside("t.json")),
        ("SCYTHE_PERF", "jitdump"),
        ("SCYTHE_PERF", "map"),
        ("SCYTHE_PROFILE", "1"),
        ("SCYTHE_DUMP_JIT", &dot),
        ("SCYTHE_DUMP_JIT", "/root/no-such-folder"),
        ("SYCL_CACHE_DIR", &inside("cache")),
        ("XDG_CACHE_HOME", &dot),
        ("HOME", &dot),
        ("SCYTHE_SPIRV_VALIDATOR", &foreign),
        ("OCL_ICD_VENDORS", &foreign),
        ("OCL_ICD_FILENAMES", &foreign),
        ("LD_LIBRARY_PATH", &dot),
        ("TMPDIR", &dot),
    ];
    for &variable in variables {
        for program in ["app", "ahead"] {
            let text = run(program, &[variable]);
            let shown = format!("{variable:?} {program}: {text}");
            assert!(text.contains("42") && text.lines().count() <= 3, "{shown}");
            assert!(!text.contains("secret") && !text.contains("foreign code"), "{shown}");
            assert_eq!(names(), before, "{shown}");
            assert_eq!(fs::read_to_string(&precious).expect("it exists"), "secret: [\n", "{shown}");
        }
    }
    let simulated = run("app", &[("SCYTHE_SIMULATE", &format!("{}:t", inside("x.yaml")))]);
    assert!(simulated.contains("refused:") && !simulated.contains("secret"), "{simulated}");
    assert!(simulated.contains("a program with more rights than its caller"), "{simulated}");
    let source = run_with("app", &["source"], &[]);
    assert!(source.contains("this process has more rights than its caller"), "{source}");
}

/// A source that a precompiled header helps.
const SOURCE: &str = r#"
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 42; }).wait();
  return *p != 42;
}
"#;

#[test]
fn nothing_is_loaded_from_the_current_folder() {
    let p = Project::new().file("a.cpp", SOURCE).file("foreign.c", LIBRARY);
    let names = [
        "libscythe_frontend.so",
        "libscythe-jit.so",
        "libscythe_jit.so",
        "libscythe.so.0",
        "libOpenCL.so.1",
        "libcuda.so.1",
        "libigc.so.1",
        "libLLVM.so.22.1",
    ];
    for name in names {
        library(&p, "foreign.c", name);
    }
    let tool = "#!/bin/sh\necho foreign code >&2\nexit 1\n";
    for name in ["ptxas", "ocloc", "clang++-22", "ld.lld", "ld", "spirv-val", "scythe-tools"] {
        fs::write(p.path().join(name), tool).expect("the file is written");
        set_mode(&p.path().join(name), 0o755);
    }
    for name in ["DeviceConfig.yaml", "device-config.yaml", "scythe.yaml"] {
        fs::write(p.path().join(name), "foreign code: [").expect("the file is written");
    }
    let path = std::env::var("PATH").expect("there is a path");
    // An empty name is the current folder, for shells.
    let around = format!(":{path}:");
    let run = |program: &str, args: &[&str]| {
        let home = p.path().join("home");
        let home = home.to_string_lossy();
        let variables = [("PATH", &*around), ("VIRTUAL_ENV", ""), ("HOME", &*home)];
        let out = p.run_with(program, args, &variables);
        assert!(!out.stdout.contains("foreign code"), "{args:?}: {}", out.stdout);
        assert!(!out.stderr.contains("foreign code"), "{args:?}: {}", out.stderr);
        out
    };
    let scythe = prefix().join("bin/scythe");
    let scythe = scythe.to_string_lossy();
    run(&scythe, &["-fsycl", "a.cpp", "-o", "app"]).ok();
    run("./app", &[]).ok();
    // Without ptxas and ocloc, these targets give PTX or an error.
    for target in ["nvidia_gpu_sm_80,spir64", "intel_gpu_skl,spir64"] {
        run(&scythe, &["-fsycl", &format!("-fsycl-targets={target}"), "a.cpp", "-o", "b"]);
    }
}

#[test]
fn link_caches_in_folders_of_others_are_refused() {
    let p = Project::new().file("a.cpp", SOURCE);
    let cache = p.path().join("cache");
    fs::create_dir(&cache).expect("the folder is made");
    let link =
        |p: &Project| p.scythe(&["-fsycl", "-fsycl-device-link-cache=cache", "a.cpp", "-o", "app"]);
    set_mode(&cache, 0o1777);
    let refused = link(&p).fails();
    refused.stderr_has("cannot use the folder for the link cache: other users can write to it");
    set_mode(&cache, 0o700);
    link(&p).ok();
    assert!(fs::read_dir(&cache).expect("it is readable").count() > 0);
    if is_root() {
        chown(&cache, Some(NOBODY), None).expect("the owner is changed");
        link(&p).fails().stderr_has("it belongs to user 65534, not to user 0");
    }
}

#[test]
fn precompiled_headers_of_others_are_not_used() {
    let p = Project::new().file("a.cpp", SOURCE);
    let parent = p.path().join("parent");
    let cache = parent.join("cache");
    let compile = || {
        for _ in 0..2 {
            let option = "-fsycl-header-cache=parent/cache";
            p.scythe(&["-fsycl", option, "-c", "a.cpp", "-o", "a.o"]).ok();
        }
        fs::read_dir(&cache).map_or(0, Iterator::count)
    };
    fs::create_dir_all(&cache).expect("the folder is made");
    set_mode(&cache, 0o777);
    assert_eq!(compile(), 0, "others can write to the cache");
    set_mode(&cache, 0o755);
    set_mode(&parent, 0o777);
    compile();
    let headers = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("it is readable").flatten();
        entries.filter(|entry| entry.path().join("header.pch").exists()).count()
    };
    assert_eq!(headers(&cache), 0, "others can replace the cache");
    set_mode(&parent, 0o755);
    assert!(compile() > 0 && headers(&cache) > 0);
    let entry = fs::read_dir(&cache).expect("it is readable").flatten().next().expect("an entry");
    let mode = entry.metadata().expect("its data").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
