//! Tests the object cache between processes: kernels must give the right result, whatever happens
//! to the cache's files.
//!
//! This program copies itself into a folder beside a stand-in for the run-time compiler, which logs
//! when it is loaded and when it compiles. The bitcode of a request is the name of the object to
//! return.

use std::ffi::{OsStr, c_void};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal::{BuildRequest, FunctorBytes, KernelWork, Result, Work};
use scythe_image::Format;

const COMPILER: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct request { unsigned version, output, level, scalar; const char *code; size_t length; };
struct response { void *object; size_t length; char *error; };
static void say(const char *what) {
    int file = open(getenv("TEST_LOG"), O_WRONLY | O_APPEND);
    if (file < 0 || write(file, what, strlen(what)) < 0) abort();
    close(file);
}
__attribute__((constructor)) static void load(void) { say("loaded\n"); }
int scythe_jit_build(const struct request *request, struct response *response) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%.*s", getenv("TEST_OBJECTS"), (int)request->length, request->code);
    FILE *file = fopen(path, "rb");
    if (!file) abort();
    fseek(file, 0, SEEK_END);
    response->length = (size_t)ftell(file);
    rewind(file);
    response->object = malloc(response->length);
    response->error = 0;
    if (fread(response->object, 1, response->length, file) != response->length) abort();
    fclose(file);
    say("compiled\n");
    return 0;
}
void scythe_jit_free(struct response *response) { free(response->object); }
"#;

/// A kernel that writes `VALUE`. `BYTES` bytes of constants enlarge the object.
const KERNEL: &str = r#"
struct launch { const void *const *args; unsigned long global[3]; };
static const unsigned char filler[BYTES] = {1};
void kernel(const struct launch *l) __asm__("__scythe_cpu._ZTS1K");
void kernel(const struct launch *l) {
    **(unsigned long *const *)l->args[0] = VALUE - 1 + filler[l->global[0] - 1];
}
"#;

const KERNEL_VARIABLE: &str = "TEST_KERNEL";
const NOBODY: u32 = 65534;

/// The child process: builds and runs the kernel that the environment names.
#[test]
fn child() {
    let Ok(name) = std::env::var(KERNEL_VARIABLE) else { return };
    let expected: u64 = name.strip_suffix(".o").unwrap().parse().unwrap();
    match run(&name) {
        Ok(value) => assert_eq!(value, expected),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(3);
        }
    }
}

fn run(name: &str) -> Result<u64> {
    let backend = scythe_backend_cpu::backend(&scythe_jit_client::CLIENT);
    let device = &backend.devices()[0];
    let program = device.build(&BuildRequest::new(name.as_bytes(), Format::LlvmBitcode))?;
    let rows = KernelLaunch {
        shape: Shape::Range,
        functor_size: 8,
        file: "k.cpp".into(),
        line: 1,
        column: 1,
        identity: 0,
        params: vec![Param::pointer(ParamKind::Pointer, 0)],
        function: None,
    };
    let kernel = program.kernel("_ZTS1K", &rows)?;
    let mut value = 0u64;
    let address = (&raw mut value).cast::<c_void>() as usize;
    let work = Work::Kernel(Box::new(KernelWork {
        kernel,
        functor: FunctorBytes::new(&address.to_ne_bytes()),
        dims: 1,
        global_size: [1; 3],
        local_size: [1; 3],
        global_offset: [0; 3],
        cooperation: Default::default(),
        place: None,
    }));
    let queue = device.create_queue(false)?;
    // SAFETY: the value outlives the wait, and the kernel writes nothing else.
    unsafe { queue.enqueue(scythe_hal::Command::new(work, &[])) }?.wait()?;
    Ok(value)
}

/// A folder with the program, the compiler and its log.
struct Sandbox {
    folder: PathBuf,
}

impl Sandbox {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "scythe-cache-processes-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let sandbox = Self { folder: std::env::temp_dir().join(name) };
        std::fs::create_dir(&sandbox.folder).unwrap();
        std::fs::set_permissions(&sandbox.folder, PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::copy(std::env::current_exe().unwrap(), sandbox.folder.join("program")).unwrap();
        std::fs::write(sandbox.log(), b"").unwrap();
        std::fs::set_permissions(sandbox.log(), PermissionsExt::from_mode(0o666)).unwrap();
        sandbox.compile_c(COMPILER, &["-shared", "-fPIC"], "libscythe-jit.so");
        sandbox
    }

    fn compile_c(&self, source: &str, flags: &[&str], output: &str) {
        let file = self.folder.join(format!("{output}.c"));
        std::fs::write(&file, source).unwrap();
        let mut cc = Command::new("cc");
        let status =
            cc.args(flags).arg("-O1").arg("-o").arg(self.folder.join(output)).arg(&file).status();
        assert!(status.unwrap().success());
    }

    /// Compiles the kernel `<value>.o`.
    fn kernel(&self, value: u64, bytes: usize) -> String {
        let name = format!("{value}.o");
        let defines = [format!("-DVALUE={value}UL"), format!("-DBYTES={bytes}")];
        self.compile_c(KERNEL, &["-c", "-fPIC", &defines[0], &defines[1]], &name);
        name
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Returns how often the compiler was loaded and how often it compiled since the last call.
    fn taken(&self) -> (usize, usize) {
        let log = std::fs::read_to_string(self.log()).unwrap();
        std::fs::write(self.log(), b"").unwrap();
        let count = |word| log.lines().filter(|line| *line == word).count();
        (count("loaded"), count("compiled"))
    }

    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    fn prepared(&self, program: &str, kernel: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env(KERNEL_VARIABLE, kernel)
            .env("TEST_LOG", self.log())
            .env("TEST_OBJECTS", &self.folder)
            .env("SCYTHE_CPU_THREADS", "1")
            .env("SYCL_CACHE_DIR", self.cache())
            .env("SYCL_CACHE_TRACE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Returns a command that builds and runs `kernel`.
    fn command(&self, kernel: &str) -> Command {
        let mut command = self.prepared(self.folder.join("program").to_str().unwrap(), kernel);
        command.args(["--exact", "child", "--test-threads=1", "--nocapture"]);
        command
    }

    /// Runs such a command and returns its trace.
    fn run(&self, kernel: &str) -> String {
        succeed(&mut self.command(kernel))
    }

    fn entries(&self) -> Vec<PathBuf> {
        let mut entries = Vec::new();
        let Ok(shards) = std::fs::read_dir(self.cache().join("cpu")) else { return entries };
        for shard in shards.flatten().filter(|shard| shard.file_name().len() == 2) {
            entries.extend(
                std::fs::read_dir(shard.path()).unwrap().map(|entry| entry.unwrap().path()),
            );
        }
        entries
    }

    fn temporaries(&self) -> usize {
        std::fs::read_dir(self.cache().join("cpu/tmp")).map_or(0, Iterator::count)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn checked(output: Output) -> String {
    let trace = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {trace}", output.status);
    trace
}

fn succeed(command: &mut Command) -> String {
    checked(command.output().unwrap())
}

/// Makes the command run as a user who is not root, to whom permissions apply.
fn unprivileged<'a>(command: &'a mut Command, folders: &[&Path]) -> &'a mut Command {
    if is_root() {
        for folder in folders {
            chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn is_root() -> bool {
    // SAFETY: `geteuid` has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

#[test]
fn second_process_loads_no_compiler() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 1);
    assert!(sandbox.run(&kernel).contains("cache: stored "));
    assert_eq!(sandbox.taken(), (1, 1));
    for _ in 0..3 {
        assert!(sandbox.run(&kernel).contains("cache: hit "));
        assert_eq!(sandbox.taken(), (0, 0));
    }
    // Other code is compiled, and so is all code if the cache is off.
    sandbox.run(&sandbox.kernel(42, 1));
    assert_eq!(sandbox.taken(), (1, 1));
    succeed(sandbox.command(&kernel).env("SYCL_CACHE_PERSISTENT", "0"));
    assert_eq!(sandbox.taken(), (1, 1));
    // A request for dumps causes a compilation.
    succeed(sandbox.command(&kernel).env("SCYTHE_DUMP_JIT", &sandbox.folder));
    assert_eq!(sandbox.taken(), (1, 1));
    // A compiler of another build.
    sandbox.compile_c(
        &format!("{COMPILER}\nint another;"),
        &["-shared", "-fPIC"],
        "libscythe-jit.so",
    );
    sandbox.run(&kernel);
    assert_eq!(sandbox.taken(), (1, 1));
}

#[test]
fn an_error_names_the_device_that_lacks_the_compiler() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 1);
    std::fs::remove_file(sandbox.folder.join("libscythe-jit.so")).unwrap();
    let output = sandbox.command(&kernel).output().unwrap();
    let trace = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{trace}");
    let device = &scythe_backend_cpu::backend(&scythe_jit_client::CLIENT).devices()[0].clone();
    let expected = format!(
        "cannot build device code for '{}': the run-time compiler libscythe-jit.so was not found \
         in {}",
        device.info().name,
        sandbox.folder.display()
    );
    assert!(trace.contains(&expected), "{trace}");
}

#[test]
fn users_folder_is_the_default_and_trace_is_off() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 1);
    let mut command = sandbox.command(&kernel);
    command
        .env_remove("SYCL_CACHE_DIR")
        .env_remove("SYCL_CACHE_TRACE")
        .env("HOME", &sandbox.folder);
    assert_eq!(succeed(&mut command), "");
    assert!(sandbox.folder.join(".cache/scythe/cpu").is_dir());
    assert_eq!(succeed(&mut command), "");
    assert_eq!(sandbox.taken(), (1, 1));
}

#[test]
fn sixteen_processes_build_the_same_kernel_at_once() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 200_000);
    for _ in 0..3 {
        let _ = std::fs::remove_dir_all(sandbox.cache());
        let children: Vec<Child> =
            (0..16).map(|_| sandbox.command(&kernel).spawn().unwrap()).collect();
        for child in children {
            checked(child.wait_with_output().unwrap());
        }
        let (_, compiled) = sandbox.taken();
        assert!((1..=16).contains(&compiled));
        assert_eq!((sandbox.entries().len(), sandbox.temporaries()), (1, 0));
        sandbox.run(&kernel);
        assert_eq!(sandbox.taken(), (0, 0));
    }
}

#[test]
fn processes_killed_at_any_time_leave_a_good_cache() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 12 << 20);
    let start = Instant::now();
    sandbox.run(&kernel);
    let whole = start.elapsed();
    const KILLS: u32 = 24;
    for kill in 0..KILLS {
        for entry in sandbox.entries() {
            std::fs::remove_file(entry).unwrap();
        }
        let mut child = sandbox.command(&kernel).spawn().unwrap();
        std::thread::sleep(whole * kill / KILLS);
        child.kill().unwrap();
        child.wait().unwrap();
        sandbox.run(&kernel);
        assert_eq!(sandbox.entries().len(), 1);
    }
    sandbox.taken();
    sandbox.run(&kernel);
    assert_eq!(sandbox.taken(), (0, 0));
}

#[test]
fn damaged_entry_is_built_anew() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 3000);
    sandbox.run(&kernel);
    let entry = sandbox.entries().remove(0);
    let good = std::fs::read(&entry).unwrap();
    let mut damaged: Vec<Vec<u8>> = [0, 1, 40, 95, 96, good.len() / 2, good.len() - 1]
        .map(|length| good[..length].to_vec())
        .into();
    // Magic, version, lengths, key, padding, checksum, and the object from its first to its last
    // byte.
    for at in [0, 8, 12, 16, 24, 56, 64, 95, 96, 130, good.len() / 2, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        damaged.push(bytes);
    }
    damaged.push([&good[..], b"more"].concat());
    damaged.push(vec![0; good.len()]);
    for bytes in damaged {
        sandbox.taken();
        std::fs::write(&entry, &bytes).unwrap();
        assert!(sandbox.run(&kernel).contains("cache: discarded "));
        assert_eq!(sandbox.taken(), (1, 1));
        assert!(std::fs::read(&entry).unwrap() == good, "the entry is good again");
    }
}

/// Runs the command in a separate name space in which `folder` is a small disk. Returns `None` if
/// that is not permitted.
fn on_small_disk(sandbox: &Sandbox, kernel: &str, size: &str, folder: &Path) -> Option<Output> {
    let mount = |rest: &str| format!("mount -t tmpfs -o size={size},mode=700 none \"$0\" {rest}");
    let possible =
        Command::new("unshare").args(["-rm", "sh", "-c", &mount("")]).arg(folder).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let script = mount("&& \"$1\" --exact child --test-threads=1 --nocapture");
    let mut command = sandbox.prepared("unshare", kernel);
    Some(
        command
            .args(["-rm", "sh", "-c", &script])
            .arg(folder)
            .arg(sandbox.folder.join("program"))
            .output()
            .unwrap(),
    )
}

#[test]
fn full_disk_and_file_size_limit_do_no_harm() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 200_000);
    let mut command = sandbox.command(&kernel);
    // SAFETY: the closure only makes a system call.
    unsafe {
        command.pre_exec(|| {
            // A larger write would end the process.
            let limit = libc::rlimit { rlim_cur: 50_000, rlim_max: 50_000 };
            match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
    assert!(succeed(&mut command).contains("cache: not stored "));
    assert_eq!(sandbox.taken(), (1, 1));
    assert_eq!((sandbox.entries().len(), sandbox.temporaries()), (0, 0));
    std::fs::create_dir_all(sandbox.cache()).unwrap();
    for size in ["4k", "64k"] {
        if let Some(output) = on_small_disk(&sandbox, &kernel, size, &sandbox.cache()) {
            let trace = checked(output);
            assert!(trace.contains("cache: not stored "), "{trace}");
            assert_eq!(sandbox.taken(), (1, 1));
        }
    }
    sandbox.run(&kernel);
    sandbox.run(&kernel);
    assert_eq!(sandbox.taken(), (1, 1));
}

#[test]
fn missing_or_unwritable_home_does_no_harm() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 1);
    let file = sandbox.folder.join("a file");
    std::fs::write(&file, b"").unwrap();
    let homes = [
        None,
        Some("".into()),
        Some("relative".into()),
        Some("/proc/no/home".into()),
        Some(file.join("below")),
    ];
    for home in homes {
        let mut command = sandbox.command(&kernel);
        command.env_remove("SYCL_CACHE_DIR").current_dir(&sandbox.folder);
        if let Some(home) = &home {
            command.env("HOME", home);
        }
        assert!(succeed(&mut command).contains("cache: not used: "), "{home:?}");
        assert_eq!(sandbox.taken(), (1, 1));
    }
    assert!(!sandbox.folder.join("relative").exists());

    let home = sandbox.folder.join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::set_permissions(&home, PermissionsExt::from_mode(0o500)).unwrap();
    let mut command = sandbox.command(&kernel);
    command.env_remove("SYCL_CACHE_DIR").env("HOME", &home);
    let trace = succeed(unprivileged(&mut command, &[&home]));
    assert!(trace.contains("cache: not used: cannot use the folder"), "{trace}");
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
}

#[test]
fn cache_that_can_only_be_read_serves() {
    let sandbox = Sandbox::new();
    let (kernel, other) = (sandbox.kernel(41, 1), sandbox.kernel(42, 1));
    std::fs::create_dir(sandbox.cache()).unwrap();
    std::fs::set_permissions(sandbox.cache(), PermissionsExt::from_mode(0o700)).unwrap();
    succeed(unprivileged(&mut sandbox.command(&kernel), &[&sandbox.cache()]));
    assert_eq!(sandbox.taken(), (1, 1));
    let set_modes = |folder_mode: u32| {
        for entry in sandbox.entries() {
            for folder in [
                entry.parent().unwrap(),
                &sandbox.cache().join("cpu/tmp"),
                &sandbox.cache().join("cpu"),
            ] {
                std::fs::set_permissions(folder, PermissionsExt::from_mode(folder_mode)).unwrap();
            }
        }
    };
    set_modes(0o500);
    assert!(succeed(unprivileged(&mut sandbox.command(&kernel), &[])).contains("cache: hit "));
    assert_eq!(sandbox.taken(), (0, 0));
    assert!(
        succeed(unprivileged(&mut sandbox.command(&other), &[])).contains("cache: not stored ")
    );
    assert_eq!(sandbox.taken(), (1, 1));
    set_modes(0o700);
    if is_root() {
        // Root does not trust files that another user may have written.
        assert!(sandbox.run(&kernel).contains("cache: not used: cannot use the folder"));
        assert_eq!(sandbox.taken(), (1, 1));
    }
}

#[test]
fn senseless_settings_are_errors() {
    let sandbox = Sandbox::new();
    let kernel = sandbox.kernel(41, 1);
    for (name, value) in [
        ("SYCL_CACHE_PERSISTENT", "maybe"),
        ("SYCL_CACHE_MAX_SIZE", "1 GB"),
        ("SYCL_CACHE_TRACE", "please"),
    ] {
        let output = sandbox.command(&kernel).env(name, OsStr::new(value)).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert!(
            message.contains(&format!("environment variable {name} is '{value}', expected ")),
            "{message}"
        );
    }
    assert_eq!(sandbox.taken(), (0, 0));
}

#[test]
fn processes_evict_at_once() {
    let sandbox = Sandbox::new();
    let kernels: Vec<String> = (0..8).map(|n| sandbox.kernel(100 + n, 300_000)).collect();
    let mut traces: Vec<String> = Vec::new();
    for _ in 0..3 {
        let spawn = |kernel: &String| {
            sandbox.command(kernel).env("SYCL_CACHE_MAX_SIZE", "1").spawn().unwrap()
        };
        let children: Vec<Child> = kernels.iter().chain(&kernels).map(spawn).collect();
        traces.extend(children.into_iter().map(|c| checked(c.wait_with_output().unwrap())));
    }
    // The next store detects that too many entries were stored at once. Until then all of them may
    // exist.
    traces.push(succeed(
        sandbox.command(&sandbox.kernel(99, 300_000)).env("SYCL_CACHE_MAX_SIZE", "1"),
    ));
    assert!(traces.iter().any(|trace| trace.contains("cache: evicted ")), "{traces:?}");
    let total: u64 =
        sandbox.entries().iter().map(|entry| std::fs::metadata(entry).unwrap().len()).sum();
    assert!((1..=1 << 20).contains(&total), "{total} bytes");
    assert_eq!(sandbox.temporaries(), 0);
}
