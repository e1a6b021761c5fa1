//! Tests programs that run as several MPI processes, with Open MPI: the example of a halo exchange,
//! the number of threads of each process, and the end of a job in which a process fails.

use std::path::Path;

use scythe_tests::{Outcome, Project, prefix};

/// Settings of Open MPI: root may run programs, there may be more processes than processors, and no
/// other machine is used.
const OPEN_MPI: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_plm", "isolated"),
];

/// Prints the number of threads besides the main thread after a kernel, and that of compute units.
const THREADS: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <filesystem>
#include <iterator>
int main() {
  sycl::queue q{sycl::cpu_selector_v};
  int *p = sycl::malloc_device<int>(1 << 16, q);
  q.parallel_for(sycl::range<1>(1 << 16), [=](sycl::id<1> i) { p[i] = int(i[0]); }).wait();
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  std::printf("%d workers %u units\n", int(std::distance(begin(tasks), end(tasks))) - 1,
              q.get_device().get_info<sycl::info::device::max_compute_units>());
}
"#;

fn mpirun(p: &Project, words: &[&str]) -> Outcome {
    p.run_with("mpirun", words, &OPEN_MPI)
}

#[test]
fn ranks_compute_the_same_as_one_process_and_end_together() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/mpi/halo_exchange.cpp");
    let text = std::fs::read_to_string(&source).expect("the example can be read");
    let p = Project::new().file("halo.cpp", &text);
    let scythe = prefix().join("bin/scythe");
    let compiler = [("OMPI_CXX", scythe.to_str().expect("UTF-8"))];
    p.run_with("mpicxx", &["-fsycl", "-O1", "halo.cpp", "-o", "halo"], &compiler).ok();

    let run = |ranks: &str, more: &[&str]| -> Outcome {
        let words = ["-n", ranks, "./halo", "--width", "257", "--height", "90", "--steps", "20"];
        mpirun(&p, &[&words[..], more].concat())
    };
    let checksum = |outcome: Outcome| -> String {
        let line = outcome.stdout.lines().find(|line| line.starts_with("checksum "));
        line.and_then(|line| line.split(',').next()).expect("a checksum").to_owned()
    };
    let expected = checksum(run("1", &[]).ok().stdout_has("rank 0 of 1: rows 0 to 89"));
    let four = run("4", &[]).ok().stdout_has("rank 3 of 4").stdout_has("MPI gets device memory");
    assert_eq!(checksum(four), expected);
    let staged = run("3", &["--staged"]).ok().stdout_has("MPI gets copies");
    assert_eq!(checksum(staged), expected);

    // A rank that throws, and one that dies, end the job with an error instead of a hang. What Open
    // MPI itself prints then depends on which of its processes ends first.
    run("4", &["--throw-on", "2"]).fails().stderr_has("rank 2: this rank was asked to fail");
    let killed = run("4", &["--kill", "1"]);
    assert_eq!(killed.status, Some(128 + 9), "{}", killed.stderr);
}

#[test]
fn ranks_share_the_processors() {
    let p = Project::new().file("threads.cpp", THREADS);
    p.scythe(&["-fsycl", "-std=c++17", "-O1", "threads.cpp", "-o", "threads"]).ok();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let check = |launcher: &[&str], ranks: usize, threads: usize| {
        let count = ranks.to_string();
        let words = [&launcher[1..], &["-n", &count, "./threads"][..]].concat();
        let outcome = p.run_with(launcher[0], &words, &OPEN_MPI).ok();
        let line = format!("{threads} workers {threads} units");
        let lines: Vec<&str> = outcome.stdout.lines().collect();
        assert_eq!(lines, vec![line.as_str(); ranks], "{words:?}");
    };
    let unbound = ["mpirun", "--bind-to", "none"];
    check(&unbound, 1, processors);
    check(&unbound, 2, (processors / 2).max(1));
    check(&unbound, 4, (processors / 4).max(1));
    check(&["mpirun", "--bind-to", "core"], 1, 1);
    // The launcher itself has one processor, which its processes share.
    check(&["taskset", "-c", "0", "mpirun", "--bind-to", "none"], 1, 1);
    // A shell between the launcher and the program has the same variables.
    let words = ["--bind-to", "none", "-n", "2", "sh", "-c", "./threads; true"];
    let line = format!("{0} workers {0} units", (processors / 2).max(1));
    let outcome = mpirun(&p, &words).ok();
    assert_eq!(outcome.stdout.lines().collect::<Vec<_>>(), [line.as_str(); 2]);
}
