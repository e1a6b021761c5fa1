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
const LIMIT: Duration = Duration::from_secs(120);

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let scratch = Scratch::new("bench")?;
    let mut report = Report::default();
    program(prefix, scratch.path(), &mut report)?;
    without_kernels(prefix, scratch.path(), &mut report)?;
    headers(prefix, scratch.path(), &mut report)?;
    Ok(report)
}

/// Measures the time from source to executable, with both compilers in turn.
fn program(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("compiling two programs, best of {ROUNDS}"));
    let mut sycl = Command::new(prefix.join("bin/scythe"));
    sycl.args(["-fsycl", "-O2"])
        .arg(root().join("examples/vector_add.cpp"))
        .args(["-o", "vadd"])
        .current_dir(folder);
    let mut plain = Command::new("clang++-22");
    plain
        .arg("-O2")
        .arg(root().join("benches/plain_vector_add.cpp"))
        .args(["-o", "plain"])
        .current_dir(folder);
    let [sycl, plain] = best([&mut sycl, &mut plain], ROUNDS)?;
    report.add("clang++ -O2, plain C++ with <vector> and <iostream>", plain, " s", Limit::None);
    report.add("scythe -fsycl -O2 examples/vector_add.cpp", sycl, " s", Limit::None);
    report.add("ratio", sycl / plain, "x", Limit::AtMost(2.5));
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
        no_sycl / clang,
        "x",
        Limit::AtMost(1.1),
    );
    report.add(
        "SYCL header, no kernel: against its own host pass",
        no_kernel / host,
        "x",
        Limit::AtMost(1.3),
    );
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
    report.add("<sycl/sycl.hpp>, host -fsyntax-only", all, " s", Limit::AtMost(1.1));
    report.add(
        "of which Scythe's own headers",
        (all - standard).max(0.0),
        " s",
        Limit::AtMost(0.2),
    );
    report.add(
        "<sycl/sycl.hpp> after preprocessing",
        lines as f64,
        " lines",
        Limit::AtMost(119_999.0),
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

/// Returns the best time of each command. The commands run in turn, so that a busy machine affects
/// all of them equally.
pub fn best<const N: usize>(
    mut commands: [&mut Command; N],
    rounds: usize,
) -> Result<[f64; N], String> {
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (command, best) in commands.iter_mut().zip(&mut best) {
            let outcome = capture(command, LIMIT)?;
            if !outcome.success() {
                return Err(format!(
                    "'{}' failed: {}",
                    process::shown(command),
                    outcome.describe()
                ));
            }
            *best = best.min(outcome.elapsed.as_secs_f64());
        }
    }
    Ok(best)
}
