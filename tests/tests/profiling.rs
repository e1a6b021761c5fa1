//! Tests timelines, profiles and the names that profilers see: their contents for a correct
//! program, and what is left by programs that end in other ways.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use scythe_tests::{Outcome, Project};
use serde_json::Value;

/// The first argument says how the program ends.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

template <typename T> class Doubles;
class Adds;

static int work(sycl::queue q) {
  constexpr size_t count = 1 << 16;
  int sum = 0;
  {
    sycl::buffer<int> a{sycl::range(count)}, b{sycl::range(count)};
    q.submit([&](sycl::handler &h) { h.fill(sycl::accessor(a, h, sycl::write_only), 3); });
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(a, h, sycl::read_only);
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for<Doubles<int>>(sycl::range(256, 256), [=](sycl::item<2> i) {
        out[i.get_linear_id()] = 2 * in[i.get_linear_id()];
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h, sycl::read_write);
      h.parallel_for<Adds>(sycl::nd_range<1>(count, 64), [=](sycl::nd_item<1> i) {
        out[i.get_global_id(0)] += 1;
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::host_accessor unused(a);
      h.host_task([] { usleep(1000); });
    });
    int *shared = sycl::malloc_shared<int>(2 * count, q);
    for (size_t i = 0; i < count; ++i)
      shared[i] = 1;
    q.memcpy(shared + count, shared, count * sizeof(int)).wait();
    sum = shared[2 * count - 1];
    sycl::free(shared, q);
    q.wait();
    sum += sycl::host_accessor(b)[count - 1];
  }
  return sum; // 8
}

int main(int, char **argv) {
  const auto is = [&](const char *name) { return std::strcmp(argv[1], name) == 0; };
  if (is("forks-first"))
    fork();
  if (is("loads")) {
    void *late = dlopen("./liblate.so", RTLD_NOW);
    auto call = late ? reinterpret_cast<int (*)()>(dlsym(late, "late")) : nullptr;
    if (!call || call() != 7)
      return std::puts(dlerror()), 1;
    dlclose(late);
  }
  sycl::queue q;
  std::printf("sum %d\n", work(q));
  std::fflush(stdout);
  if (is("many"))
    for (int i = 0; i < 20000; ++i)
      q.single_task<class Nothing>([] {});
  if (is("full"))
    work(q);
  if (is("segfault"))
    raise(SIGSEGV);
  if (is("abort"))
    std::abort();
  if (is("killed")) {
    usleep(400000);
    raise(SIGKILL);
  }
  if (is("_exit")) {
    usleep(400000);
    _exit(3);
  }
  if (is("at once"))
    _exit(4);
  if (is("quick_exit"))
    std::quick_exit(6);
  if (is("user signal"))
    raise(SIGUSR1);
  if (is("atexit")) {
    static sycl::queue &late = q;
    std::atexit([] { work(late); });
    std::exit(0);
  }
  if (is("daemon") && fork() == 0) {
    usleep(1500000);
    _exit(0);
  }
  if (is("forks")) {
    if (fork() == 0)
      std::exit(5);
    int status = 0;
    wait(&status);
    std::printf("child %d\n", WEXITSTATUS(status));
  }
  if (is("forks-first"))
    while (wait(nullptr) > 0) {
    }
}
"#;

const LATE: &str = r#"
#include <sycl/sycl.hpp>
class InALibrary;
extern "C" int late() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task<InALibrary>([=] { *out = 7; }).wait();
  int result = *out;
  sycl::free(out, q);
  return result;
}
"#;

struct Programs {
    project: Project,
}

impl Programs {
    fn new() -> Self {
        // All tests use the same program in folders of their own.
        static COMPILED: OnceLock<Project> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            let project = Project::new().file("a.cpp", PROGRAM);
            project.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "a", "-ldl"]).ok();
            project
        });
        let project = Project::new().file("late.cpp", LATE);
        std::fs::copy(compiled.path().join("a"), project.path().join("a")).expect("copied");
        Self { project }
    }

    /// Runs the program with these variables.
    fn run(&self, case: &str, variables: &[(&str, &str)]) -> Outcome {
        let cache = self.project.path().join("cache").to_string_lossy().into_owned();
        let fixed = [("SYCL_CACHE_DIR", cache.as_str()), ("SCYTHE_CPU_THREADS", "2")];
        self.project.run_with("./a", &[case], &[&fixed, variables].concat())
    }

    /// Runs the program in a shell, which reports the signal that ends it.
    fn run_to_signal(&self, case: &str) -> Outcome {
        let script = format!("ulimit -c 0; ./a '{case}'; exit $?");
        let threads = ("SCYTHE_CPU_THREADS", "2");
        let file = ("SCYTHE_TRACE", "t.json");
        self.project.run_with("bash", &["-c", &script], &[threads, file])
    }

    /// Returns a complete timeline.
    fn timeline(&self, name: &str) -> Timeline {
        let text = String::from_utf8(self.project.read(name)).expect("UTF-8");
        Timeline::parse(&text)
    }

    /// Returns a timeline whose end may be missing.
    fn cut_timeline(&self, name: &str) -> Timeline {
        let text = String::from_utf8(self.project.read(name)).expect("UTF-8");
        let text = if text.ends_with("]\n") { text } else { text + "]" };
        Timeline::parse(&text)
    }
}

type Row = (u64, u64);

/// The events of a timeline, after the checks of [`Timeline::parse`].
struct Timeline {
    events: Vec<Value>,
    /// The names of processes and devices, and of their threads.
    processes: BTreeMap<u64, String>,
    threads: BTreeMap<Row, String>,
}

fn row(event: &Value) -> Row {
    (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a thread"))
}

fn number(event: &Value, name: &str) -> f64 {
    event[name].as_f64().unwrap_or_else(|| panic!("'{name}' is not a number in {event}"))
}

impl Timeline {
    /// Parses a timeline and checks it against the Trace Event Format: the fields of each kind of
    /// event, slices of a row that do not overlap in part, and arrows between slices.
    fn parse(text: &str) -> Self {
        let Ok(Value::Array(events)) = serde_json::from_str(text) else {
            panic!("not a JSON array: {text}")
        };
        let (mut processes, mut threads) = (BTreeMap::new(), BTreeMap::new());
        let mut rows: BTreeMap<Row, Vec<(f64, f64)>> = BTreeMap::new();
        let mut arrows: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
        for event in &events {
            let at = row(event);
            assert!(event["name"].is_string(), "{event}");
            match event["ph"].as_str().expect("a phase") {
                "M" => {
                    let name = event["args"]["name"].as_str().unwrap_or_default().to_owned();
                    match event["name"].as_str().expect("a name") {
                        "process_name" => drop(processes.insert(at.0, name)),
                        "thread_name" => drop(threads.insert(at, name)),
                        _ => assert!(event["args"]["sort_index"].is_u64(), "{event}"),
                    }
                }
                "X" => {
                    assert!(event["cat"].is_string(), "{event}");
                    let start = number(event, "ts");
                    rows.entry(at).or_default().push((start, start + number(event, "dur")));
                }
                "s" | "f" => {
                    arrows.entry(event["id"].as_u64().expect("an id")).or_default().push(event);
                }
                "i" => assert_eq!(event["s"], "g"),
                other => panic!("unexpected phase '{other}'"),
            }
        }
        for (at, slices) in &mut rows {
            assert!(processes.contains_key(&at.0) && threads.contains_key(at), "{at:?}: no name");
            slices.sort_by(|a, b| a.partial_cmp(&(b.0, b.1)).expect("numbers"));
            slices.sort_by(|a, b| (a.0, -a.1).partial_cmp(&(b.0, -b.1)).expect("numbers"));
            let mut open: Vec<f64> = Vec::new();
            for &(start, end) in slices.iter() {
                open.retain(|&other| other > start + 0.0005);
                let inside = open.iter().all(|&other| end <= other + 0.0015);
                assert!(inside, "{at:?}: {start} to {end} overlaps a slice until {open:?}");
                open.push(end);
            }
        }
        for ends in arrows.values() {
            let phases: Vec<_> = ends.iter().map(|end| end["ph"].as_str()).collect();
            assert_eq!(phases, [Some("s"), Some("f")]);
            assert!(number(ends[0], "ts") <= number(ends[1], "ts"));
            for end in ends {
                let time = number(end, "ts");
                let holds =
                    |slice: &&(f64, f64)| slice.0 <= time + 0.0005 && time <= slice.1 + 0.0005;
                let slices = rows.get(&row(end)).map_or(&[][..], Vec::as_slice);
                assert!(slices.iter().any(|slice| holds(&slice)), "no slice at {end}");
            }
        }
        Self { processes, threads, events }
    }

    fn slices<'a>(&'a self, category: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        let category = category.to_owned();
        self.events.iter().filter(move |e| e["ph"] == "X" && e["cat"] == category.as_str())
    }

    /// Returns the slice of a command on its device.
    fn command(&self, category: &str, name: &str) -> &Value {
        let mut found = self
            .slices(category)
            .filter(|slice| slice["name"] == name && slice["args"]["command"].is_u64());
        found.next().unwrap_or_else(|| panic!("no {category} '{name}' in {:#?}", self.names()))
    }

    fn names(&self) -> BTreeSet<(String, String)> {
        let slices = self.events.iter().filter(|event| event["ph"] == "X");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        slices.map(|slice| (text(&slice["cat"]), text(&slice["name"]))).collect()
    }

    /// Returns whether an arrow of this kind leads from one slice to another.
    fn leads(&self, kind: &str, from: &Value, to: &Value) -> bool {
        let inside = |event: &Value, slice: &Value| {
            let (time, start) = (number(event, "ts"), number(slice, "ts"));
            row(event) == row(slice)
                && start - 0.0005 <= time
                && time <= start + number(slice, "dur") + 0.0005
        };
        let ends = |phase: &'static str| {
            self.events.iter().filter(move |event| event["cat"] == kind && event["ph"] == phase)
        };
        let finishes: BTreeSet<u64> =
            ends("f").filter(|end| inside(end, to)).filter_map(|end| end["id"].as_u64()).collect();
        ends("s")
            .filter(|end| inside(end, from))
            .filter_map(|end| end["id"].as_u64())
            .any(|id| finishes.contains(&id))
    }
}

#[test]
fn a_timeline_shows_what_a_program_does() {
    let programs = Programs::new();
    let variables = [("SCYTHE_TRACE", "t.json"), ("SCYTHE_PROFILE", "1")];
    let out = programs.run("normal", &variables).ok().stdout_has("sum 8");
    let timeline = programs.timeline("t.json");
    assert!(timeline.processes.values().any(|name| name == "a"), "{:?}", timeline.processes);

    let (fill, doubles, adds) = (
        timeline.command("fill", "fill"),
        timeline.command("kernel", "Doubles<int>"),
        timeline.command("kernel", "Adds"),
    );
    assert_eq!(doubles["args"]["range"], "{256, 256}");
    assert_eq!(adds["args"]["work-group"], "{64}");
    let device = &timeline.processes[&row(adds).0];
    assert!(device.ends_with("(cpu:0)"), "{device}");
    assert_eq!(adds["args"]["device"].as_str(), Some(device.as_str()));
    assert!(timeline.leads("dependency", fill, doubles), "fill → Doubles");
    assert!(timeline.leads("dependency", doubles, adds), "Doubles → Adds");
    assert!(!timeline.leads("dependency", fill, adds));
    let submission = timeline.slices("submit").find(|slice| slice["name"] == "submit Adds");
    let submission = submission.expect("a submission");
    assert!(timeline.leads("submission", submission, adds));
    assert_eq!(timeline.threads[&row(submission)], "main");

    let copy = timeline.command("copy", "copy");
    assert_eq!(copy["args"]["bytes"], 1 << 18);
    assert!(copy["args"]["GB/s"].as_f64().expect("a rate") > 0.0);
    let task = timeline.command("host task", "host task");
    assert!(number(task, "dur") >= 1000.0);
    for name in ["event::wait", "queue::wait"] {
        assert!(timeline.slices("wait").any(|slice| slice["name"] == name), "{name}");
    }
    // The threads that ran the commands.
    let ran = |category: &str, name: &str| {
        let parts = timeline.slices(category).filter(|slice| slice["name"] == name);
        let threads = parts.filter_map(|slice| timeline.threads.get(&row(slice)));
        threads.cloned().collect::<BTreeSet<_>>()
    };
    assert!(ran("host task", "host task").contains("scythe-host"));
    let workers = ran("kernel", "Adds");
    assert!(workers.iter().any(|name| name.starts_with("worker ") || name == "main"));
    // Commands start on the host's clock after their submission.
    assert!(number(adds, "ts") + 0.001 >= number(submission, "ts"));

    assert_eq!(timeline.slices("compile").count(), 1);
    assert_eq!(timeline.slices("cache hit").count(), 0);
    assert!(timeline.slices("build").count() >= 1);
    for row in ["kernel", "copy", "fill", "host task", "compile", "wait"] {
        let has = |line: &str| line.trim_start().starts_with(row);
        assert!(out.stderr.lines().any(has), "no row '{row}' in:\n{}", out.stderr);
    }
    let line = out.stderr.lines().find(|line| line.ends_with("Doubles<int>")).expect("the kernel");
    assert_eq!(line.split_whitespace().nth(1), Some("1"), "{line}");

    // The second run finds the code in the cache. Another word enables lines as well.
    programs
        .run("normal", &[("SCYTHE_TRACE", "commands, u-%p.json")])
        .ok()
        .stderr_has("scythe: commands: ");
    let is_second = |name: &String| name.starts_with("u-") && !name.contains('%');
    let second = std::fs::read_dir(programs.project.path()).expect("the folder");
    let names = second.map(|entry| entry.expect("an entry").file_name().into_string().unwrap());
    let second = programs.timeline(&names.into_iter().find(is_second).expect("the timeline"));
    assert_eq!(second.slices("compile").count(), 0);
    assert_eq!(second.slices("cache hit").count(), 1);

    // A profile alone writes no file, and nothing is printed without it.
    let alone = programs.run("normal", &[("SCYTHE_PROFILE", "1")]).ok();
    assert!(alone.stderr.contains("Doubles<int>"), "{}", alone.stderr);
    assert_eq!(programs.run("normal", &[("SCYTHE_PROFILE", "0")]).ok().stderr, "");
}

#[test]
fn programs_that_end_otherwise_leave_readable_timelines() {
    let programs = Programs::new();
    programs
        .project
        .scythe(&["-fsycl", "-O1", "-shared", "-fPIC", "late.cpp", "-o", "liblate.so"])
        .ok();
    for (case, signal) in [("segfault", 139), ("abort", 134), ("user signal", 138)] {
        let out = programs.run_to_signal(case);
        assert_eq!(out.status, Some(signal), "{}", out.stderr);
        let line = "scythe: SCYTHE_TRACE: a signal ends the program; 't.json' has the timeline";
        let out = out.stderr_has(line);
        assert_eq!(out.stderr.matches("SCYTHE_TRACE").count(), 1);
        programs.cut_timeline("t.json").command("kernel", "Adds");
    }
    for (case, status) in [("killed", 137), ("_exit", 3)] {
        let out = programs.run_to_signal(case);
        assert_eq!(out.status, Some(status), "{}", out.stderr);
        let cut = programs.cut_timeline("t.json");
        cut.command("kernel", "Adds");
        assert!(cut.events.iter().all(|event| event["name"] != "end of the timeline"));
    }
    // The file is a timeline even before the first tenth of a second.
    assert_eq!(programs.run_to_signal("at once").status, Some(4));
    assert!(!programs.cut_timeline("t.json").events.is_empty());
    assert_eq!(programs.run_to_signal("quick_exit").status, Some(6));
    programs.timeline("t.json").command("kernel", "Adds");
    // The thread-local storage of the thread has ended before.
    programs.run("atexit", &[("SCYTHE_TRACE", "t.json")]).ok();
    let kernels = programs.timeline("t.json");
    let adds = kernels.slices("submit").filter(|slice| slice["name"] == "submit Adds");
    assert_eq!(adds.count(), 2);
    // A forked process does not lock the file.
    programs.run("daemon", &[("SCYTHE_TRACE", "t.json")]).ok();
    assert_eq!(programs.run("normal", &[("SCYTHE_TRACE", "t.json")]).ok().stderr, "");

    let out = programs.run("forks", &[("SCYTHE_TRACE", "t.json")]).ok().stdout_has("child 5");
    assert_eq!(out.stderr.matches("was forked from process").count(), 1, "{}", out.stderr);
    programs.timeline("t.json").command("kernel", "Adds");

    let before = |name: &str| name.starts_with("first");
    let out = programs.run("forks-first", &[("SCYTHE_TRACE", "first.json")]).ok();
    assert_eq!(out.stderr.matches("another process writes 'first.json'").count(), 1);
    let files = std::fs::read_dir(programs.project.path()).expect("the folder");
    let names = files.map(|entry| entry.expect("an entry").file_name().into_string().unwrap());
    let names: Vec<String> = names.into_iter().filter(|name| before(name)).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    for name in names {
        programs.timeline(&name).command("kernel", "Adds");
    }

    programs.run("loads", &[("SCYTHE_TRACE", "t.json")]).ok();
    let loaded = programs.timeline("t.json");
    loaded.command("kernel", "InALibrary");
    loaded.command("kernel", "Adds");

    programs.run("many", &[("SCYTHE_TRACE", "t.json")]).ok();
    let many = programs.timeline("t.json");
    let nothing = many.slices("kernel").filter(|slice| {
        slice["args"]["command"].is_u64() && slice["name"].as_str().unwrap().contains("Nothing")
    });
    assert_eq!(nothing.count(), 20000);
}

#[test]
fn files_that_cannot_be_written_are_named_once() {
    let programs = Programs::new();
    std::fs::create_dir(programs.project.path().join("folder.json")).expect("a folder");
    for (file, reason) in [
        ("missing/t.json", "No such file or directory"),
        ("folder.json", "Is a directory"),
        ("full.json", "No space left on device"),
    ] {
        if file == "full.json" {
            let link = programs.project.path().join(file);
            std::os::unix::fs::symlink("/dev/full", link).expect("a link");
        }
        let out = programs.run("normal", &[("SCYTHE_TRACE", file)]).ok().stdout_has("sum 8");
        let expected = format!("scythe: SCYTHE_TRACE: cannot write '{file}': {reason}");
        assert!(out.stderr.starts_with(&expected), "{}", out.stderr);
        assert!(out.stderr.contains("no timeline is written"), "{}", out.stderr);
        assert_eq!(out.stderr.lines().count(), 1, "{}", out.stderr);
    }
    // The disk is full after some events: those stay readable.
    let limited = "ulimit -f 16; exec ./a many";
    let out = programs.project.run_with(
        "bash",
        &["-c", limited],
        &[("SCYTHE_TRACE", "t.json"), ("SYCL_CACHE_PERSISTENT", "0")],
    );
    let out = out.ok().stdout_has("sum 8").stderr_has("the timeline ends after");
    assert_eq!(out.stderr.lines().count(), 1, "{}", out.stderr);
    let cut = programs.cut_timeline("t.json");
    assert!(cut.events.len() > 1);
    for (name, value) in
        [("SCYTHE_TRACE", "t.txt"), ("SCYTHE_PROFILE", "yes"), ("SCYTHE_PERF", "both")]
    {
        let out = programs.run("normal", &[(name, value)]);
        let expected = format!("environment variable {name} is '{value}', expected ");
        out.stderr_has(&expected);
    }
}

#[test]
fn profilers_see_the_names_of_kernels() {
    let programs = Programs::new();
    let project = &programs.project;
    let run = |format: &str| {
        let script = format!("echo $$; SCYTHE_PERF={format} exec ./a normal");
        let out = project.run("bash", &["-c", &script]).ok();
        out.stdout.lines().next().expect("the number of the process").to_owned()
    };
    let map = format!("/tmp/perf-{}.map", run("map"));
    let text = std::fs::read_to_string(&map).expect("the map");
    std::fs::remove_file(&map).expect("removed");
    for name in ["Doubles<int>", "Adds"] {
        let line = text.lines().find(|line| line.ends_with(&format!(" {name}")));
        let line = line.unwrap_or_else(|| panic!("no '{name}' in:\n{text}"));
        let mut words = line.split(' ');
        let mut hex = || u64::from_str_radix(words.next().expect("a number"), 16).expect("hex");
        assert!(hex() > 4096 && hex() > 0, "{line}");
    }
    let dump = project.read(&format!("jit-{}.dump", run("jitdump")));
    assert_eq!(dump[..8], [0x44, 0x54, 0x69, 0x4a, 1, 0, 0, 0]);
    let word = |at: usize| u32::from_ne_bytes(dump[at..at + 4].try_into().expect("a word"));
    let (mut at, mut names) = (word(8) as usize, Vec::new());
    while at < dump.len() {
        let length = word(at + 4) as usize;
        let name = dump[at + 56..].split(|&byte| byte == 0).next().expect("a name");
        names.push(String::from_utf8(name.to_vec()).expect("UTF-8"));
        assert_eq!(word(at + 40) as usize, length - 56 - name.len() - 1, "the size of the code");
        at += length;
    }
    assert!(["Doubles<int>", "Adds"].iter().all(|name| names.iter().any(|n| n == name)));
}

/// Reads one element too many. The kernel is short, because valgrind is slow.
const READS_TOO_FAR: &str = r#"
#include <sycl/sycl.hpp>
class ReadsTooFar;
int main() {
  sycl::queue q;
  int *in = static_cast<int *>(std::malloc(4 * sizeof(int))), *out = sycl::malloc_shared<int>(1, q);
  q.single_task<ReadsTooFar>([=] { *out = in[4]; }).wait();
}
"#;

#[test]
fn valgrind_sees_the_names_of_kernels() {
    let project = Project::new().file("a.cpp", READS_TOO_FAR);
    project.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "a"]).ok();
    // Code that is compiled at run time would slow down valgrind by a lot.
    let cache = project.path().join("cache").to_string_lossy().into_owned();
    let variables =
        [("SYCL_CACHE_DIR", cache.as_str()), ("SCYTHE_PERF", "elf"), ("SCYTHE_CPU_THREADS", "1")];
    project.run_with("./a", &[], &variables).ok();
    let out = project.run_with("valgrind", &["./a"], &variables).ok();
    let place = out.stderr.lines().skip_while(|line| !line.contains("Invalid read of size 4"));
    let place: Vec<&str> = place.take(2).collect();
    assert!(place.len() == 2 && place[1].contains(": ReadsTooFar (in "), "{}", out.stderr);
    let left = std::fs::read_dir(project.path().join("tmp")).expect("the folder").count();
    assert_eq!(left, 0, "the file of the code remains");
}

#[test]
fn devices_with_clocks_are_on_the_same_axis() {
    let programs = Programs::new();
    let folder = programs.project.path().join("driver");
    std::fs::create_dir(&folder).expect("a folder");
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/backend-opencl/tests/fake/fake.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(folder.join("libOpenCL.so.1")).arg(source);
    assert!(compiler.status().expect("cc starts").success());
    let folder = folder.to_string_lossy().into_owned();
    let library = format!("LD_LIBRARY_PATH={folder}");
    let words =
        [&library, "ONEAPI_DEVICE_SELECTOR=opencl:*", "SCYTHE_TRACE=t.json", "./a", "normal"];
    // The device has no shared memory, so the program ends with an exception.
    programs.project.run("env", &words).stderr_has("'Fake device' does not support");
    let timeline = programs.cut_timeline("t.json");
    let adds = timeline.command("kernel", "Adds");
    assert!(timeline.processes[&row(adds).0].ends_with("(opencl:0)"));
    let submission = timeline.slices("submit").find(|slice| slice["name"] == "submit Adds");
    let submission = submission.expect("a submission");
    // The clock of the driver is days ahead.
    let delay = number(adds, "ts") - number(submission, "ts");
    assert!((-1000.0..1e6).contains(&delay), "{delay} µs after the submission");
}

#[test]
fn a_compilation_has_one_timeline() {
    let project = Project::new().file("a.cpp", PROGRAM).file("late.cpp", LATE);
    project.scythe(&["-fsycl", "-ftime-trace", "a.cpp", "late.cpp", "-o", "app"]).ok();
    let text = String::from_utf8(project.read("app.json")).expect("UTF-8");
    let Ok(Value::Array(events)) = serde_json::from_str(&text) else { panic!("no array: {text}") };
    let steps: Vec<&Value> = events.iter().filter(|event| event["cat"] == "step").collect();
    let has = |word: &str| steps.iter().any(|s| s["name"].as_str().unwrap().contains(word));
    for step in
        ["device pass of 'a.cpp'", "host pass of 'late.cpp'", "device link", "link of 'app'"]
    {
        assert!(has(step), "no '{step}' in {steps:#?}");
    }
    // The times of a pass of clang are inside of its step.
    for pass in ["device pass of 'a.cpp'", "host pass of 'a.cpp'"] {
        let step = steps.iter().find(|s| s["name"] == pass).expect("the step");
        let name = format!("clang: {pass}");
        let of = |event: &&Value| event["ph"] == "M" && event["args"]["name"] == name.as_str();
        let process = events.iter().find(of).expect("a row")["pid"].as_u64();
        let inner = events
            .iter()
            .find(|event| event["pid"].as_u64() == process && event["name"] == "ExecuteCompiler");
        let inner = inner.unwrap_or_else(|| panic!("no run of clang for {pass}"));
        let (start, end) = (number(step, "ts"), number(step, "ts") + number(step, "dur"));
        let first = number(inner, "ts");
        assert!(start - 1.0 <= first && first + number(inner, "dur") <= end + 1.0, "{inner}");
    }
    // Nothing else is left beside the program.
    let names = std::fs::read_dir(project.path()).expect("the folder");
    let names: BTreeSet<String> =
        names.map(|entry| entry.expect("an entry").file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), 5, "{names:?}");

    project.scythe(&["-fsycl", "-ftime-trace=c.json", "-c", "late.cpp"]).ok();
    assert!(project.exists("c.json") && project.exists("late.o"));
    let out = project.scythe(&["-fsycl", "-ftime-trace=missing/c.json", "-c", "late.cpp"]).fails();
    out.stderr_has("missing/c.json").errors(1);
}

#[test]
fn a_page_shows_a_timeline_in_a_browser() {
    let programs = Programs::new();
    let project = &programs.project;
    programs.run("killed", &[("SCYTHE_TRACE", "t.json")]);
    let out = project.scythe(&["inspect", "--timeline", "t.json", "-o", "t.html"]).ok();
    assert_eq!(out.stdout + &out.stderr, "");
    let page = String::from_utf8(project.read("t.html")).expect("UTF-8");
    assert!(!page.contains("http"), "the page needs a network");
    project.scythe(&["inspect", "--timeline", "a"]).fails().stderr_has("a: error: not a timeline");
    let conflict = project.scythe(&["inspect", "--timeline", "--json", "t.json"]).fails();
    conflict.stderr_has("--timeline").stderr_has("--json");
    if Command::new("chromium").arg("--version").output().is_err() {
        eprintln!("no browser: the page was not opened");
        return;
    }
    let data = format!("--user-data-dir={}", project.path().join("browser").display());
    let address = format!("file://{}", project.path().join("t.html").display());
    let quiet = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--dump-dom",
    ];
    let out = project.run("chromium", &[&quiet[..], &[&data, &address]].concat()).ok();
    let number = |name: &str| {
        let rest = out.stdout.split(&format!("{name}=\"")).nth(1);
        let text = rest.and_then(|rest| rest.split('"').next());
        text.and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    assert!(number("data-slices") > 5 && number("data-arrows") > 3, "{}", out.stdout);
    assert!(out.stdout.contains("the end of the timeline is missing"), "{}", out.stdout);
}
