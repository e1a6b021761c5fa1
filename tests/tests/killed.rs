//! Tests the caches under 16 processes at once, of which many are killed at random times: no wrong
//! result, no partial file is read, and the size stays within the limit.
//!
//! `SCYTHE_KILL_SECONDS` sets the time for each cache. The default keeps the tests short: it makes
//! precompiled headers with fewer processes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use scythe_tests::{Project, prefix};

const PROCESSES: usize = 16;

/// Returns the time for each cache that the user sets.
fn long_time() -> Option<Duration> {
    let seconds = std::env::var("SCYTHE_KILL_SECONDS").ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A process in its own group, and the time at which it is killed.
struct Running {
    child: Child,
    kill_at: Option<Instant>,
    /// Whether its children are killed with it.
    with_group: bool,
    number: u64,
    group: i32,
}

impl Running {
    fn kill(&self, whole_group: bool) {
        let target = if whole_group { -self.group } else { self.group };
        // SAFETY: `kill` has no preconditions. The process has not been waited for, so the group is
        // that of this test.
        unsafe { libc::kill(target, libc::SIGKILL) };
    }
}

/// Counts of processes.
#[derive(Debug, Default)]
struct Tally {
    finished: usize,
    killed: usize,
}

/// Keeps `processes` of `command` running and kills two thirds of them within `longest`. `check`
/// gets the number of each process that finished, and its standard error.
fn storm(
    processes: usize,
    longest: Duration,
    command: &dyn Fn(u64) -> Command,
    check: &dyn Fn(u64, &str),
) -> Tally {
    let time = long_time().unwrap_or(Duration::from_secs(3));
    let (end, mut random) = (Instant::now() + time, Random(0x9e37_79b9_7f4a_7c15));
    let (mut running, mut tally): (Vec<Running>, _) = (Vec::new(), Tally::default());
    let mut started = 0;
    while Instant::now() < end || !running.is_empty() {
        while Instant::now() < end && running.len() < processes {
            let mut command = command(started);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            let child = command.process_group(0).spawn().expect("the program starts");
            let after = Duration::from_micros(random.below(longest.as_micros() as u64));
            let kill_at = (random.below(3) != 0).then(|| Instant::now() + after);
            let (with_group, group) = (random.below(2) == 0, child.id() as i32);
            running.push(Running { child, kill_at, with_group, number: started, group });
            started += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
        let mut index = 0;
        while index < running.len() {
            let process = &mut running[index];
            if process.child.try_wait().expect("it can be asked").is_none() {
                if process.kill_at.is_some_and(|time| time < Instant::now()) {
                    process.kill(process.with_group);
                    process.kill_at = None;
                }
                index += 1;
                continue;
            }
            let process = running.swap_remove(index);
            let output = process.child.wait_with_output().expect("its output can be read");
            let text = String::from_utf8_lossy(&output.stderr);
            match output.status.signal() {
                Some(libc::SIGKILL) => tally.killed += 1,
                _ => {
                    assert!(output.status.success(), "{}: {text}", output.status);
                    check(process.number, &text);
                    tally.finished += 1;
                }
            }
        }
    }
    // The children of killed processes end by themselves, because nobody reads their output any
    // more, or soon.
    std::thread::sleep(Duration::from_millis(200));
    tally
}

/// Returns the sizes of all files in a folder.
fn sizes(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(data) if data.is_dir() => found.extend(sizes(&entry.path())),
            Ok(data) => drop(found.insert(entry.path(), data.len())),
            Err(_) => {}
        }
    }
    found
}

/// Kernels that check their own results. The argument selects one.
const KERNELS: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdlib>
template <int N> class Kernel;
template <int N> int run(sycl::queue &q, int *p) {
  q.parallel_for<Kernel<N>>(sycl::range<1>(64), [=](sycl::id<1> i) {
     p[i] = static_cast<int>(i[0]) * N + static_cast<int>(sycl::sqrt(N * N + 0.25f));
   }).wait();
  for (int i = 0; i < 64; ++i)
    if (p[i] != i * N + N)
      return 3;
  return 0;
}
template <int... N> int all(sycl::queue &q, int *p, int which, std::integer_sequence<int, N...>) {
  int result = 4;
  ((which == N ? void(result = run<N>(q, p)) : void()), ...);
  return result;
}
int main(int argc, char **argv) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  return all(q, p, std::atoi(argv[1]), std::make_integer_sequence<int, 400>());
}
"#;

#[test]
fn compiled_kernels_survive_killed_processes() {
    const LIMIT: u64 = 1 << 20;
    let p = Project::new().file("a.cpp", KERNELS);
    p.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "app"]).ok();
    let cache = p.path().join("objects");
    let command = |number: u64| {
        let mut command = Command::new(p.path().join("app"));
        // Half of the processes use kernels of others.
        let kernel = if number.is_multiple_of(2) { number % 400 } else { number % 16 };
        command.arg(kernel.to_string()).env("SYCL_CACHE_DIR", &cache);
        command.env("SYCL_CACHE_MAX_SIZE", "1").env("SYCL_CACHE_TRACE", "1");
        command.env_remove("LD_LIBRARY_PATH");
        command
    };
    let check = |number: u64, trace: &str| {
        assert!(!trace.contains("discarded"), "process {number} read a damaged entry: {trace}");
    };
    let tally = storm(PROCESSES, Duration::from_millis(400), &command, &check);
    assert!(tally.killed > PROCESSES && tally.finished > PROCESSES, "{tally:?}");
    let files = sizes(&cache);
    let temporary = |path: &Path| path.components().any(|part| part.as_os_str() == "tmp");
    let total: u64 = files.iter().filter(|(path, _)| !temporary(path)).map(|(_, size)| size).sum();
    // Processes that store at the same time may each exceed the limit by an entry.
    assert!(total <= LIMIT + LIMIT / 4, "{total} bytes");
    let unfinished: u64 =
        files.iter().filter(|(path, _)| temporary(path)).map(|(_, size)| size).sum();
    assert!(unfinished <= LIMIT, "{unfinished} bytes of unfinished entries");
    for kernel in [0, 1, 15, 399] {
        let mut again = command(kernel);
        let output = again.output().expect("the program starts");
        let trace = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !trace.contains("discarded"), "{trace}");
    }
}

/// A source whose object shows whether the whole header was read.
const SOURCE: &str = "#include <sycl/sycl.hpp>\nint main() {\n  sycl::queue q;\n  int *p = \
    sycl::malloc_shared<int>(8, q);\n  q.parallel_for(8, [=](sycl::id<1> i) { p[i] = 3; }).wait();\n\
    \x20 return p[7] == 3 ? 0 : 1;\n}\n";

/// Returns a command of the driver in the project.
fn driver(p: &Project, args: &[&str]) -> Command {
    let mut command = Command::new(prefix().join("bin/scythe"));
    command.args(args).current_dir(p.path()).env_remove("LD_LIBRARY_PATH");
    command.env("TMPDIR", p.path().join("tmp"));
    command
}

#[test]
fn precompiled_headers_survive_killed_processes() {
    let p = Project::new().file("a.cpp", SOURCE);
    let compile = |cache: &str, object: &str| {
        p.scythe(&["-fsycl", "-O1", cache, "-c", "a.cpp", "-o", object]).ok();
        p.read(object)
    };
    let expected = compile("-fno-sycl-header-cache", "expected.o");
    let cache = "-fsycl-header-cache=cache";
    let command = |number: u64| {
        let object = format!("{number}.o");
        driver(&p, &["-fsycl", "-O1", cache, "-c", "a.cpp", "-o", &object])
    };
    let check = |number: u64, text: &str| {
        assert_eq!(text, "", "process {number}");
        assert!(p.read(&format!("{number}.o")) == expected, "process {number}");
    };
    let (processes, longest) = if long_time().is_some() { (PROCESSES, 20) } else { (4, 4) };
    let tally = storm(processes, Duration::from_secs(longest), &command, &check);
    assert!(tally.killed > 0, "{tally:?}");
    // Killed drivers leave temporary files, which are not the subject of this test.
    let _ = fs::remove_dir_all(p.path().join("tmp"));
    fs::create_dir(p.path().join("tmp")).expect("a folder can be made");
    for object in ["1.o", "2.o", "3.o"] {
        assert!(compile(cache, object) == expected, "{object}");
    }
    let files = sizes(&p.path().join("cache"));
    let headers = files.keys().filter(|path| path.ends_with("header.pch")).count();
    assert!(headers > 0, "{files:?}");
    let left: Vec<_> =
        files.keys().filter(|path| path.to_string_lossy().contains("unfinished")).collect();
    // One compiler of a killed driver may still run for each request.
    assert!(left.len() <= 3 * headers, "{left:?}");
}

#[test]
fn linked_images_survive_killed_processes() {
    let p = Project::new().file("a.cpp", SOURCE);
    p.scythe(&["-fsycl", "-O1", "-c", "a.cpp", "-o", "a.o"]).ok();
    let targets = "-fsycl-targets=spir64";
    let link = ["-fsycl", targets, "-fsycl-link", "a.o"];
    p.scythe(&[&link[..], &["-o", "expected.o"]].concat()).ok();
    let expected = p.read("expected.o");
    let cache = "-fsycl-device-link-cache=cache";
    let command = |number: u64| {
        let object = format!("{number}.linked.o");
        // Different options are different entries.
        let option = format!("-O{}", number % 4);
        let rest = [cache, "-Xsycl-target-backend", &option, "-o", &object];
        driver(&p, &[&link[..], &rest].concat())
    };
    let check = |number: u64, text: &str| {
        assert_eq!(text, "", "process {number}");
        assert!(p.exists(&format!("{number}.linked.o")), "process {number}");
    };
    let tally = storm(PROCESSES, Duration::from_millis(600), &command, &check);
    assert!(tally.killed > 0 && tally.finished > 0, "{tally:?}");
    let _ = fs::remove_dir_all(p.path().join("tmp"));
    fs::create_dir(p.path().join("tmp")).expect("a folder can be made");
    for _ in 0..2 {
        p.scythe(&[&link[..], &[cache, "-o", "again.o"]].concat()).ok();
        assert!(p.read("again.o") == expected);
    }
}
