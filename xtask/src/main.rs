//! All developer commands: `cargo xtask COMMAND`.
//!
//! This crate depends only on the standard library, so it builds on a machine that has Rust but
//! none of the Debian packages. `setup` installs the packages.

mod backend;
mod bench;
mod columns;
mod compat;
mod cts;
mod cuda;
mod dpcpp;
mod e2e;
mod fuzz;
mod install;
mod invariants;
mod libraries;
mod lint;
mod manual;
mod opencl;
mod package;
mod process;
mod run;
mod setup;
mod stage;
mod test;
mod unit;
mod workspace;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  run FILE [ARGS]            set up, build Scythe, compile FILE with it, and run the program with \
  ARGS
  test [STAGE] [FILTER]      set up, build, and run all tests, one stage (fmt, unit, e2e, \
  accuracy, invariants,
                             relocation, lint, fuzz, valgrind), or end-to-end programs whose name \
                             holds FILTER;
                             --quick leaves out lint, fuzz and valgrind; --backend opencl runs the \
                             end-to-end
                             programs on Intel's OpenCL runtime instead; --backend cuda --package \
                             DIR bundles
                             them for a machine with an NVIDIA GPU, where DIR/run.sh runs them
  install --prefix DIR [--debug-info DIR]
                             set up, build, and install a relocatable tree without debug \
                             information, which goes to
                             the other folder
  uninstall --prefix DIR     remove the files that 'install' wrote
  package [--check]          make a Debian package and an archive under target/package; --check \
                             tests the package
                             on a bare Debian 12 (needs root and mmdebstrap)
  stage [--dev]              the same under target/scythe (with --dev unoptimised, under \
  target/scythe-dev)
  bench compile|link|run     ratios against clang++, llvm-extract and OpenMP, and whether each \
  limit holds
  bench WHAT --against DIR   the same for another installation in DIR in turn, and the ratio of \
  each value
  bench peer --peer COMMAND FILE...
                             how long programs take to compile against a peer's headers, in the \
                             same run
  bench opencl               what submitting costs on Intel's OpenCL runtime against bare OpenCL \
  calls
  bench cuda --package DIR   bundles programs for an NVIDIA GPU with their peers in CUDA C++; \
  DIR/run.sh compares
  bench collection --suite PATH [...]
                             the SYCL programs of HeCBench against their OpenMP or CUDA versions \
                             (bench collection
                             --help tells more)
  bench cpu [NAME]...        the same against Intel's OpenCL runtime and OpenMP for each program \
  in benches/cpu
  fuzz barriers|control|kernels [--count N] [--seed S]
                             random kernels on the CPU device against a reference: with barriers, \
                             with control
                             flow of all forms, or with many parts of the language; widened and \
                             scalar, compiled
                             at run time and ahead of time, and on Intel's OpenCL runtime if 'test \
                             --backend opencl'
                             has installed it
  fuzz formats [--target NAME] [--seconds N] [--seed S]
                             mutated bytes for every reader of files, texts and variables;
                             'fuzz formats --help' tells how, and '--list' names the readers
  cts --suite PATH [...]     the SYCL conformance suite, and docs/conformance.md (cts --help tells \
  more)
  compat --suite PATH [...]  the SYCL programs of HeCBench, and docs/compatibility.md (compat \
  --help tells more)
  libraries NAME --source PATH [...]
                             the tests of a SYCL library, and docs/libraries.md \
                             (libraries --help tells
                             more)
  e2e --suite PATH [...]     DPC++'s end-to-end tests, and docs/results/dpcpp-e2e.md (e2e --help \
  tells more)
  setup                      install the Debian packages that are missing
  fmt                        format Rust and C++
  lint                       check formats and lints
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let result = match args.first().map(String::as_str) {
        Some("run") => run::run(rest),
        Some("test") => test::run(rest),
        Some("install") => install::install_command(rest),
        Some("package") => package::run(rest),
        Some("uninstall") => install::uninstall_command(rest),
        Some("stage") => stage::stage_command(rest),
        Some("bench") => bench::run(rest),
        Some("fuzz") => fuzz::run(rest),
        Some("cts") => cts::run(rest),
        Some("compat") => compat::run(rest),
        Some("e2e") => dpcpp::run(rest),
        Some("libraries") => libraries::run(rest),
        Some("setup") => setup::ensure(setup::Purpose::Bench).map(|()| ExitCode::SUCCESS),
        Some("fmt") => lint::format().map(|()| ExitCode::SUCCESS),
        Some("lint") => lint::check().map(|()| ExitCode::SUCCESS),
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => Err(format!("unknown command '{other}'\n\n{HELP}")),
        None => Err(format!("a command is missing\n\n{HELP}")),
    };
    result.unwrap_or_else(|message| {
        eprintln!("xtask: {message}");
        ExitCode::FAILURE
    })
}
