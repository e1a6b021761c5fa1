//! Compile times: a SYCL program against the same algorithm in plain C++, sources of a SYCL program
//! without kernels against their host pass alone, and the headers alone.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Limit, Report};
use crate::process::{self, Scratch, capture, progress};
use crate::workspace::root;

const ROUNDS: usize = 11;
const FIRST_ROUNDS: usize = 4;
const LIMIT: Duration = Duration::from_secs(120);

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let scratch = Scratch::new("bench")?;
    let mut report = Report::default();
    program(prefix, scratch.path(), &mut report)?;
    without_kernels(prefix, scratch.path(), &mut report)?;
    passes(prefix, scratch.path(), &mut report)?;
    headers(prefix, scratch.path(), &mut report)?;
    Ok(report)
}

/// Measures the time from source to executable, with both compilers in turn. The header cache is
/// warm after the first round.
fn program(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("compiling two programs, best of {ROUNDS}"));
    let source = root().join("examples/vector_add.cpp");
    let mut sycl = Command::new(prefix.join("bin/scythe"));
    sycl.args(["-fsycl", "-O2"]).arg(&source).args(["-o", "vadd"]).current_dir(folder);
    let mut plain = Command::new("clang++-22");
    plain
        .arg("-O2")
        .arg(root().join("benches/plain_vector_add.cpp"))
        .args(["-o", "plain"])
        .current_dir(folder);
    let [sycl, plain] = best([&mut sycl, &mut plain], ROUNDS)?;
    let plain_name = "clang++ -O2, plain C++ with <vector> and <iostream>";
    report.add(plain_name, plain.elapsed, " s", Limit::None);
    report.add("scythe -fsycl -O2 examples/vector_add.cpp", sycl.elapsed, " s", Limit::None);
    report.add("ratio", sycl.elapsed / plain.elapsed, "x", Limit::AtMost(1.0));
    let ratio = sycl.processor / plain.processor;
    report.add("ratio of processor time", ratio, "x", Limit::AtMost(1.0));
    first(prefix, folder, &source, report)
}

/// Measures a compilation with an empty header cache against one without the cache.
fn first(prefix: &Path, folder: &Path, source: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("compiling with an empty header cache, best of {FIRST_ROUNDS}"));
    let compile = |option: &str| {
        let mut command = Command::new(prefix.join("bin/scythe"));
        command.args(["-fsycl", "-O2", option]).arg(source).args(["-o", "first"]);
        command.current_dir(folder);
        command
    };
    let mut least = [f64::INFINITY; 2];
    for round in 0..FIRST_ROUNDS {
        let mut empty = compile(&format!("-fsycl-header-cache=empty{round}"));
        let times = best([&mut empty, &mut compile("-fno-sycl-header-cache")], 1)?;
        least = [least[0].min(times[0].processor), least[1].min(times[1].processor)];
    }
    let name = "empty header cache against no cache, processor time";
    report.add(name, least[0] / least[1], "x", Limit::AtMost(1.3));
    Ok(())
}

/// Measures two sources with `-fsycl`: one without a SYCL header, and one with SYCL headers but no
/// kernel.
fn without_kernels(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("compiling sources without kernels, best of {ROUNDS}"));
    let source = folder.join("no_kernel.cpp");
    let text = "#include <sycl/sycl.hpp>\n#include <vector>\n\
                std::size_t memory(const sycl::queue &q) {\n  std::vector<int> v(3);\n  \
                return v.size() * q.get_device().get_info<sycl::info::device::global_mem_size>();\n\
                }\n";
    std::fs::write(&source, text).map_err(|e| format!("cannot write no_kernel.cpp: {e}"))?;
    let plain = root().join("benches/plain_vector_add.cpp");
    let scythe = |options: &[&str], source: &Path| {
        let mut command = Command::new(prefix.join("bin/scythe"));
        command.args(options).args(["-O2", "-c", "-o", "o.o"]).arg(source).current_dir(folder);
        command
    };
    let mut clang = Command::new("clang++-22");
    clang.args(["-O2", "-c", "-o", "o.o"]).arg(&plain).current_dir(folder);
    let [no_sycl, clang, no_kernel, host] = best(
        [
            &mut scythe(&["-fsycl"], &plain),
            &mut clang,
            &mut scythe(&["-fsycl"], &source),
            &mut scythe(&["-fsycl", "-fsycl-host-only"], &source),
        ],
        ROUNDS,
    )?;
    report.add(
        "no SYCL header: scythe -fsycl -c against clang++ -c",
        no_sycl.elapsed / clang.elapsed,
        "x",
        Limit::AtMost(1.1),
    );
    report.add(
        "SYCL header, no kernel: against its own host pass",
        no_kernel.elapsed / host.elapsed,
        "x",
        Limit::AtMost(1.3),
    );
    Ok(())
}

/// Measures the processor time of a pass over a source that only includes `<sycl/sycl.hpp>`, beyond
/// that of a pass over an empty source.
fn passes(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("compiling the header for one side, best of {ROUNDS}"));
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    };
    write("only.cpp", "#include <sycl/sycl.hpp>\n")?;
    write("empty.cpp", "")?;
    for (name, side) in [("host", "-fsycl-host-only"), ("device", "-fsycl-device-only")] {
        let compile = |source: &str| {
            let mut command = Command::new(prefix.join("bin/scythe"));
            command.args(["-fsycl", "-O2", side, "-c", source, "-o", "o"]).current_dir(folder);
            command
        };
        let [only, empty] = best([&mut compile("only.cpp"), &mut compile("empty.cpp")], ROUNDS)?;
        let name = format!("{name} pass over <sycl/sycl.hpp>, processor time beyond an empty file");
        report.add(&name, only.processor - empty.processor, " s", Limit::AtMost(0.12));
    }
    Ok(())
}

/// Measures `<sycl/sycl.hpp>` alone, with and without the time of the standard headers that it
/// includes.
fn headers(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("checking the syntax of the headers, best of {ROUNDS}"));
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    };
    write("all.cpp", "#include <sycl/sycl.hpp>\n")?;
    let include = prefix.join("include");
    let clang = |args: &[&str]| {
        let mut command = Command::new("clang++-22");
        command.arg("-std=c++17").args(args).arg("-isystem").arg(&include).current_dir(folder);
        command
    };
    let standard = standard_headers(&include, &mut clang(&["-fsyntax-only", "-H", "all.cpp"]))?;
    write(
        "standard.cpp",
        &standard.iter().map(|h| format!("#include \"{h}\"\n")).collect::<String>(),
    )?;
    let [all, standard] = best(
        [&mut clang(&["-fsyntax-only", "all.cpp"]), &mut clang(&["-fsyntax-only", "standard.cpp"])],
        ROUNDS,
    )?;
    let lines = process::output(&mut clang(&["-E", "all.cpp"]))?.lines().count();
    report.add("<sycl/sycl.hpp>, host -fsyntax-only", all.elapsed, " s", Limit::AtMost(1.1));
    report.add(
        "of which Scythe's own headers",
        (all.elapsed - standard.elapsed).max(0.0),
        " s",
        Limit::AtMost(0.2),
    );
    report.add(
        "<sycl/sycl.hpp> after preprocessing",
        lines as f64,
        " lines",
        Limit::AtMost(120_999.0),
    );
    Ok(())
}

/// Returns the headers outside of `ours` that a header inside of it includes. `-H` prints one
/// header per line, with a dot for each level.
fn standard_headers(ours: &Path, command: &mut Command) -> Result<BTreeSet<String>, String> {
    let outcome = capture(command, LIMIT)?;
    if !outcome.success() {
        return Err(format!("'{}' failed: {}", process::shown(command), outcome.describe()));
    }
    let mut chain: Vec<bool> = Vec::new();
    let mut found = BTreeSet::new();
    for line in outcome.stderr.lines() {
        let Some((dots, path)) = line.split_once(' ').filter(|(d, _)| d.bytes().all(|b| b == b'.'))
        else {
            continue;
        };
        chain.truncate(dots.len() - 1);
        let is_ours = Path::new(path).starts_with(ours);
        if !is_ours && chain.last() == Some(&true) {
            found.insert(path.to_owned());
        }
        chain.push(is_ours);
    }
    Ok(found)
}

/// The time of a command in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub elapsed: f64,
    /// The processor time of the command and the programs that it starts.
    pub processor: f64,
}

/// Runs commands in turn, `rounds` times. Returns the shortest times of each command.
pub fn best<const N: usize>(
    mut commands: [&mut Command; N],
    rounds: usize,
) -> Result<[Time; N], String> {
    let mut best = [Time { elapsed: f64::INFINITY, processor: f64::INFINITY }; N];
    for _ in 0..rounds {
        for (command, best) in commands.iter_mut().zip(&mut best) {
            let before = process::processor_time();
            let outcome = capture(command, LIMIT)?;
            if !outcome.success() {
                return Err(format!(
                    "'{}' failed: {}",
                    process::shown(command),
                    outcome.describe()
                ));
            }
            let processor = process::processor_time().saturating_sub(before);
            best.elapsed = best.elapsed.min(outcome.elapsed.as_secs_f64());
            best.processor = best.processor.min(processor.as_secs_f64());
        }
    }
    Ok(best)
}
