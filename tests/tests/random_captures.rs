//! Tests that random captures have the same values on the device and on the host, whichever
//! compiler compiles the host side.
//!
//! `SCYTHE_CAPTURES=N` tries N programs instead of one with each compiler. `SCYTHE_CAPTURES_SEED`
//! is the seed of the first program.

use scythe_tests::{Project, captures};

const KERNELS: usize = 40;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is '{text}'")))
}

fn seeds() -> impl Iterator<Item = u64> {
    let first = setting("SCYTHE_CAPTURES_SEED", 3);
    first..first + setting("SCYTHE_CAPTURES", 1)
}

#[test]
fn captures_arrive_with_clang_as_host_compiler() {
    for seed in seeds() {
        let project = Project::new().file("a.cpp", &captures::program(seed, KERNELS));
        project.compile_and_run(&["-std=c++20", "-w", "a.cpp"]).ok();
    }
}

/// Kernels whose captures g++ may lay out differently are errors. All others must be right.
#[test]
fn captures_arrive_with_gcc_as_host_compiler() {
    for seed in seeds() {
        let project = Project::new().file("a.cpp", &captures::program(seed, KERNELS));
        let flags = ["-fsycl", "-fsycl-host-compiler=g++", "-std=c++20", "-w", "a.cpp"];
        let first = project.scythe(&[&flags[..], &["-fsyntax-only"]].concat());
        let mut skipped = Vec::new();
        for line in first
            .stderr
            .lines()
            .filter(|line| line.contains("compilers differ in what this lambda captures"))
        {
            let position = line.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
            skipped.push(format!(
                "-DSKIP_{}",
                kernel_at(&captures::program(seed, KERNELS), position.expect("a line"))
            ));
        }
        skipped.dedup();
        assert!(
            skipped.len() * 2 < KERNELS,
            "seed {seed}: g++ may not compile {} kernels",
            skipped.len()
        );
        let skipped: Vec<&str> = skipped.iter().map(String::as_str).collect();
        project.compile_and_run(&[&flags[1..], &skipped].concat()).ok();
    }
}

/// Returns the kernel that a line of a program belongs to.
fn kernel_at(program: &str, line: usize) -> usize {
    let before = program.lines().take(line).filter_map(|line| line.strip_prefix("#ifndef SKIP_"));
    before.last().and_then(|number| number.parse().ok()).expect("a kernel is there")
}
