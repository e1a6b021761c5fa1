//! Tests the example project with build systems, compiler caches and distcc, and the preprocessed
//! text that the latter two use.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use scythe_tests::{Outcome, Project, prefix};

/// The last line of the example's output if all results are right.
const RIGHT: &str = "degrees: right";
const MATERIAL: &str = "src/plate/material.cpp";
/// The number of sources of the example.
const UNITS: u64 = 7;

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn scythe() -> String {
    text(&prefix().join("bin/scythe"))
}

/// Returns a project with a copy of the example in `src`, in which host and device passes see
/// different code.
fn example() -> Project {
    let project = Project::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/project");
    project.run("cp", &["-R", &text(&sources), "src"]).ok();
    let split = "#ifdef __SYCL_DEVICE_ONLY__\n  const float strip = 0.0625f;\n#else\n  const float \
        strip = 0;\n#endif\n";
    edit(
        &project,
        MATERIAL,
        "  return row % 8 == 7 ? 0.0625f",
        &format!("{split}  return row % 8 == 7 ? strip"),
    );
    project
}

/// Replaces a text in a file that contains it once.
fn edit(project: &Project, name: &str, old: &str, new: &str) {
    let path = project.path().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(text.matches(old).count(), 1, "{old:?} in {name}");
    std::fs::write(path, text.replace(old, new)).unwrap_or_else(|e| panic!("{name}: {e}"));
}

/// Runs make for the example. `words` are variables and targets.
fn make(project: &Project, scythe: &str, words: &[&str], env: &[(&str, &str)]) -> Outcome {
    let scythe = format!("SCYTHE={scythe}");
    let mut args = vec!["-s", "-j2", "-f", "src/Makefile", "CXXFLAGS=-O1", &scythe];
    args.extend(words);
    project.run_with("make", &args, env)
}

/// Configures the example with CMake in the folder `build`.
fn configure(project: &Project, generator: &str, compiler: &str, more: &[&str]) -> Outcome {
    let compiler = format!("-DCMAKE_CXX_COMPILER={compiler}");
    let found = format!("-DCMAKE_PREFIX_PATH={}", prefix().display());
    let mut args = vec![
        "-G",
        generator,
        "-S",
        "src",
        "-B",
        "build",
        &compiler,
        &found,
        "-DCMAKE_CXX_FLAGS=-O1",
    ];
    args.extend(more);
    project.run("cmake", &args)
}

/// Returns a port that no server uses.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    listener.local_addr().expect("it has an address").port()
}

#[test]
fn a_project_builds_by_hand_with_another_host_compiler() {
    let project = example();
    let env = [("SCYTHE", &*scythe()), ("FLAGS", "-O1 -fsycl-host-compiler=g++")];
    project.run_with("./src/build.sh", &["out"], &env).ok();
    project.run("./out/heat", &[]).ok().stdout_has(RIGHT);
}

#[test]
fn make_and_ccache_rebuild_nothing_but_what_any_pass_sees() {
    let project = example();
    let cache = text(&project.path().join("cache"));
    let env = [("CCACHE_DIR", &*cache), ("CCACHE_CONFIGPATH", "/dev/null")];
    let build =
        |target: &str| make(&project, &scythe(), &["LAUNCHER=ccache", "BUILD=out", target], &env);
    let counts = || {
        let stats = project.run_with("ccache", &["--print-stats"], &env).ok().stdout;
        ["direct_cache_hit", "preprocessed_cache_hit", "cache_miss"].map(|name| {
            let line = stats.lines().find(|l| l.split_whitespace().next() == Some(name));
            line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0)
        })
    };
    build("check").ok().stdout_has(RIGHT);
    let [_, _, misses] = counts();
    assert_eq!(misses, UNITS);
    make(&project, &scythe(), &["BUILD=out", "clean"], &[]).ok();
    build("check").ok().stdout_has(RIGHT);
    let [direct, preprocessed, again] = counts();
    assert_eq!(
        (direct + preprocessed, again),
        (UNITS, misses),
        "the second build finds all in the cache"
    );
    edit(&project, MATERIAL, "// A function of device code", "// One function of device code");
    build("check").ok().stdout_has(RIGHT);
    let [_, hit, comment] = counts();
    assert_eq!(
        (hit, comment),
        (preprocessed + 1, misses),
        "a comment does not change the preprocessed text"
    );
    edit(&project, MATERIAL, "strip = 0.0625f", "strip = 0.25f");
    build("check").fails().stdout_has("the flow is");
    assert_eq!(counts()[2], misses + 1, "what only a device pass sees is part of the text");
}

/// A server of sccache, which is ended on drop.
struct Sccache<'a> {
    project: &'a Project,
    port: String,
}

impl Sccache<'_> {
    fn run(&self, option: &str) -> Outcome {
        let folder = text(&self.project.path().join("cache"));
        let env = [
            ("SCCACHE_SERVER_PORT", &*self.port),
            ("SCCACHE_DIR", &folder),
            ("SCCACHE_IDLE_TIMEOUT", "120"),
        ];
        self.project.run_with("sccache", &[option], &env)
    }

    /// Returns the number of hits and misses so far.
    fn counts(&self) -> (u64, u64) {
        let stats = self.run("--show-stats").ok().stdout;
        let count = |name: &str| {
            let rest = stats.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default();
            rest.trim().parse().unwrap_or(0)
        };
        (count("Cache hits (C/C++)"), count("Cache misses (C/C++)"))
    }
}

impl Drop for Sccache<'_> {
    fn drop(&mut self) {
        let _ = self.run("--stop-server");
    }
}

#[test]
fn cmake_ninja_and_sccache_work_together() {
    let project = example();
    let cache = Sccache { project: &project, port: free_port().to_string() };
    cache.run("--start-server").ok();
    let env = [("SCCACHE_SERVER_PORT", &*cache.port)];
    let build = || project.run_with("ninja", &["-C", "build", "all"], &env);
    configure(&project, "Ninja", &scythe(), &["-DCMAKE_CXX_COMPILER_LAUNCHER=sccache"]).ok();
    build().ok();
    project.run("ctest", &["--test-dir", "build"]).ok();
    assert_eq!(cache.counts(), (0, UNITS));
    project.run("ninja", &["-C", "build", "clean"]).ok();
    build().ok();
    assert_eq!(cache.counts(), (UNITS, UNITS), "the second build finds all in the cache");
    edit(&project, MATERIAL, "strip = 0.0625f", "strip = 0.25f");
    build().ok();
    assert_eq!(
        cache.counts(),
        (UNITS, UNITS + 1),
        "what only a device pass sees is part of the text"
    );
    project.run("./build/heat", &[]).fails().stdout_has("the flow is");
    let checked = project
        .run("clangd-22", &["--check=src/plate/summarise.cpp", "--compile-commands-dir=build"]);
    checked.ok().stderr_has("All checks completed, 0 errors");
}

#[test]
fn cmake_with_another_compiler_compiles_sycl_sources_with_scythe() {
    let project = example();
    configure(&project, "Unix Makefiles", "g++", &[]).ok();
    let built = project.run("cmake", &["--build", "build", "-j2", "--verbose"]).ok();
    let launched =
        built.stdout.lines().filter(|l| l.contains("scythe-launch") && l.contains("-fsycl"));
    assert_eq!(
        launched.count() as u64,
        UNITS - 1 + 2,
        "sources with SYCL, and two links:\n{}",
        built.stdout
    );
    project.run("./build/heat", &[]).ok().stdout_has(RIGHT);
}

#[test]
fn cmake_properties_become_options() {
    let project = example();
    let more = ["-DSCYTHE_TARGETS=spir64;spir64_x86_64", "-DSCYTHE_DEVICE_CODE_SPLIT=per_kernel"];
    configure(&project, "Ninja", &scythe(), &more).ok();
    let commands =
        String::from_utf8_lossy(&project.read("build/compile_commands.json")).into_owned();
    assert_eq!(
        commands.matches("-fsycl-targets=spir64,spir64_x86_64").count() as u64,
        UNITS - 1,
        "{commands}"
    );
    let rules = String::from_utf8_lossy(&project.read("build/build.ninja")).into_owned();
    assert_eq!(rules.matches("-fsycl-device-code-split=per_kernel").count(), 2, "{rules}");
    edit(&project, "src/CMakeLists.txt", "heat SOURCES app/main.cpp", "heat SOURCES app/other.cpp");
    let refused = configure(&project, "Ninja", &scythe(), &[]).fails();
    refused.stderr_has("'app/other.cpp' is not a source of target 'heat'");
}

/// A distcc server, which is ended on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// Starts a server that may run `compiler`, with all its files in `folder`.
fn serve(folder: &Path, compiler: &str, port: u16) -> Server {
    let open = |path: &Path| {
        std::fs::create_dir_all(path).expect("folders can be made");
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o777)).expect("modes can be set");
    };
    // If root starts the server, it switches to another user.
    let temporary = folder.join("tmp");
    open(folder);
    open(&temporary);
    std::fs::write(folder.join("allowed"), format!("{compiler}\n")).expect("files can be written");
    let log = std::fs::File::create(folder.join("log")).expect("files can be made");
    let port = port.to_string();
    let child = Command::new("distccd")
        .args([
            "--no-detach",
            "--daemon",
            "--listen",
            "127.0.0.1",
            "--allow",
            "127.0.0.1",
            "--jobs",
            "2",
        ])
        .args(["--log-stderr", "--log-level", "info", "--port", &port])
        .env("DISTCC_CMDLIST", folder.join("allowed"))
        .env("TMPDIR", &temporary)
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("distccd starts");
    let server = Server(child);
    let start = Instant::now();
    while std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
        assert!(start.elapsed() < Duration::from_secs(20), "distccd does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    server
}

#[test]
fn distcc_ships_what_every_pass_sees() {
    let project = example();
    // The server's user must be able to read the compiler.
    let tree = project.path().join("scythe");
    let linked = project.run("cp", &["-al", &text(&prefix()), &text(&tree)]);
    if linked.status != Some(0) {
        let _ = std::fs::remove_dir_all(&tree);
        project.run("cp", &["-a", &text(&prefix()), &text(&tree)]).ok();
    }
    std::fs::set_permissions(project.path(), PermissionsExt::from_mode(0o755))
        .expect("modes can be set");
    let compiler = text(&tree.join("bin/scythe"));
    let (folder, port) = (project.path().join("server"), free_port());
    let server = serve(&folder, &compiler, port);
    let (hosts, state) = (format!("127.0.0.1:{port}/2"), text(&project.path().join("state")));
    std::fs::create_dir(&state).expect("folders can be made");
    let env = [("DISTCC_HOSTS", &*hosts), ("DISTCC_DIR", &state), ("DISTCC_FALLBACK", "0")];
    make(&project, &compiler, &["LAUNCHER=distcc", "BUILD=out", "check"], &env)
        .ok()
        .stdout_has(RIGHT);
    drop(server);
    let log = std::fs::read_to_string(folder.join("log")).expect("the server wrote a log");
    assert_eq!(log.matches("COMPILE_OK").count() as u64, UNITS, "{log}");
    let words =
        ["-fsycl", "-std=c++17", "-O1", "-fPIC", "-Isrc/include", "-c", "src/stencil/diffuse.cpp"];
    project.run(&compiler, &[&words[..], &["-o", "here.o"]].concat()).ok();
    assert!(
        project.read("here.o") == project.read("out/stencil/diffuse.o"),
        "the object is not the one made here"
    );
}

const UNIT: &str = "#include <sycl/sycl.hpp>\nnamespace {\nstruct Name;\n}\nint main() {\n  \
    sycl::queue q;\n  int *p = \
                    sycl::malloc_shared<int>(1, q);\n  q.single_task<Name>([=] {\n    *p = \
                    1;\n#ifdef __SYCL_DEVICE_ONLY__\n    *p = \
                    VALUE;\n#endif\n  });\n  q.wait();\n  return *p == 42 ? 0 : 1;\n}\n";

#[test]
fn preprocessed_text_compiles_to_the_same_object() {
    let project = Project::new().file("a.cpp", UNIT);
    for host in ["-fsycl-host-compiler=", "-fsycl-host-compiler=g++"] {
        project.scythe(&["-fsycl", host, "-DVALUE=42", "-E", "a.cpp", "-o", "a.ii"]).ok();
        project.scythe(&["-fsycl", host, "-DVALUE=42", "-O1", "-c", "a.cpp", "-o", "a.o"]).ok();
        std::fs::create_dir_all(project.path().join("away")).expect("folders can be made");
        std::fs::rename(project.path().join("a.ii"), project.path().join("away/b.ii"))
            .expect("files can be renamed");
        project.scythe(&["-fsycl", host, "-O1", "-c", "away/b.ii", "-o", "away/b.o"]).ok();
        assert!(project.read("a.o") == project.read("away/b.o"), "the objects differ with {host}");
    }
    project.scythe(&["-fsycl", "away/b.o", "-o", "app"]).ok();
    project.run("./app", &[]).ok();
}

#[test]
fn units_from_text_and_from_source_share_kernels_of_a_header() {
    // The text contains no blanks and comments, so the kernel is in another column there.
    let header = "#include <sycl/sycl.hpp>\ninline void add(sycl::queue &q, int *p) { /* */   \
                  q.single_task<class Add>(   [=]  { ++*p; }).wait(); }\n";
    let project = Project::new()
        .file("add.hpp", header)
        .file("b.cpp", "#include \"add.hpp\"\nvoid other(sycl::queue &q, int *p) { add(q, p); }\n")
        .file(
            "a.cpp",
            "#include \"add.hpp\"\nvoid other(sycl::queue &, int *);\nint main() {\n  sycl::queue \
             q;\n  int *p = \
             sycl::malloc_shared<int>(1, q);\n  *p = 0;\n  add(q, p);\n  other(q, p);\n  return *p \
             == 2 ? 0 : 1;\n}\n",
        );
    let piped =
        format!("{0} -fsycl -E b.cpp | {0} -fsycl -O1 -x c++-cpp-output -c - -o b.o", scythe());
    project.run("sh", &["-c", &piped]).ok();
    project.compile_and_run(&["a.cpp", "b.o"]).ok();
}

#[test]
fn preprocessed_text_is_one_on_standard_output_too_and_errors_point_to_the_source() {
    let project = Project::new().file("a.cpp", &UNIT.replace("VALUE", "missing"));
    let printed = project.scythe(&["-fsycl", "-E", "-P", "a.cpp"]).ok().stdout;
    assert_eq!(printed.matches("__CLANG_OFFLOAD_BUNDLE____START__ ").count(), 2);
    std::fs::write(project.path().join("a.ii"), &printed).expect("files can be written");
    let listed =
        project.run("clang-offload-bundler-22", &["-type=ii", "-list", "-input=a.ii"]).ok();
    assert_eq!(listed.stdout, "sycl-spir64-unknown-unknown\nhost-x86_64-unknown-linux-gnu\n");
    project
        .scythe(&["-fsycl", "-c", "a.ii"])
        .fails()
        .errors(1)
        .stderr_has("a.cpp:11:10: error: use of undeclared");
    assert!(!project.exists("a.o"));
    let half = &printed[..printed.len() / 4];
    std::fs::write(project.path().join("half.ii"), half).expect("files can be written");
    project
        .scythe(&["-fsycl", "-c", "half.ii"])
        .fails()
        .stderr_has("'half.ii': line 4")
        .stderr_has("has no end");
}

#[test]
fn pkg_config_finds_headers_and_runtime_for_plain_cpp() {
    let project =
        Project::new().file("a.cpp", &UNIT.replace("VALUE", "0").replace("*p == 42", "*p == 1"));
    let folder = text(&prefix().join("lib/pkgconfig"));
    let env = [("PKG_CONFIG_PATH", &*folder)];
    // The line of docs/building.md, for a linker that drops unused libraries.
    let line = "g++ -std=c++17 -Wl,--as-needed $(pkg-config --cflags scythe) a.cpp \
                $(pkg-config --libs scythe) -o app";
    project.run_with("sh", &["-c", line], &env).ok();
    project.run("./app", &[]).ok();
    let compiler =
        project.run_with("pkg-config", &["--variable=compiler", "scythe"], &env).ok().stdout;
    project.run(compiler.trim(), &["--version"]).ok().stdout_has("scythe version");
}
