//! The time of the device link: splits a generated module of many kernels with shared helpers into
//! one part per kernel, and compares that with one run of LLVM's `llvm-extract` per kernel. Also
//! measures the growth of time and memory, and a link that finds everything in its cache.
//!
//! All of these programs use only one thread. The limits are for their processor time, which other
//! programs on the machine hardly affect.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Limit, Report};
use crate::process::{self, Scratch, progress};

const FEW: usize = 1_000;
const MANY: usize = 10_000;
/// The number of kernels for the link with a cache, which compiles each of them.
const SOME: usize = 100;
const HELPERS: usize = 200;
const ROUNDS: usize = 3;
/// The number of kernels that are extracted with the stock tool. All kernels would take minutes.
const SAMPLE: usize = 20;

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let scratch = Scratch::new("bench")?;
    let folder = scratch.path();
    let tools = prefix.join("bin/scythe-tools");
    for (name, kernels) in [("none", 0), ("some", SOME), ("few", FEW), ("many", MANY)] {
        let text = folder.join(format!("{name}.ll"));
        std::fs::write(&text, module(kernels))
            .map_err(|e| format!("cannot write {}: {e}", text.display()))?;
        process::output(
            Command::new("llvm-as-22").arg(&text).arg("-o").arg(folder.join(format!("{name}.bc"))),
        )?;
    }
    let mut report = Report::default();
    split(&tools, folder, &mut report)?;
    cached(&tools, folder, &mut report)?;
    Ok(report)
}

/// Measures the time per kernel, the ratio to the stock tool, and the memory.
fn split(tools: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("splitting {FEW} and {MANY} kernels, best of {ROUNDS}"));
    let run = |name: &str| -> Result<Used, String> {
        let mut best: Option<Used> = None;
        for round in 0..ROUNDS {
            // All files are removed at the end, because file systems create files slowly in a
            // folder from which many files were just removed.
            let parts = folder.join(format!("{name}_{round}"));
            std::fs::create_dir(&parts)
                .map_err(|e| format!("cannot create {}: {e}", parts.display()))?;
            let mut command = Command::new(tools);
            command
                .args(["sycl-post-link", "-split=kernel", "-symbols", "-o"])
                .arg(parts.join("out.table"));
            let used = watch(command.arg(folder.join(format!("{name}.bc"))), 0)?;
            best = Some(best.map_or(used, |best| best.min(used)));
        }
        best.ok_or_else(|| "nothing was run".to_owned())
    };
    let (none, few, many) = (run("none")?, run("few")?, run("many")?);
    // The time and memory of the program itself and of LLVM, measured with an empty module.
    let per_kernel =
        |used: Used, kernels: usize| (used.processor - none.processor).max(0.0) / kernels as f64;
    report.add(
        format!("splitting {MANY} kernels, each into a part of its own"),
        many.processor,
        " s",
        Limit::None,
    );
    report.add("elapsed", many.elapsed, " s", Limit::None);
    report.add(format!("per kernel, of {FEW}"), per_kernel(few, FEW) * 1e6, " us", Limit::None);
    report.add(format!("per kernel, of {MANY}"), per_kernel(many, MANY) * 1e6, " us", Limit::None);
    report.add("ratio", per_kernel(many, MANY) / per_kernel(few, FEW), "x", Limit::AtMost(1.3));

    progress(&format!("extracting {SAMPLE} of {MANY} kernels with llvm-extract"));
    let start = children_time()?;
    for sample in 0..SAMPLE {
        let mut command = Command::new("llvm-extract-22");
        command
            .arg(format!("--func={}", symbol(sample * (MANY / SAMPLE))))
            .arg(folder.join("many.bc"));
        process::output(command.arg("-o").arg(folder.join("extracted.bc")))?;
    }
    let stock = (children_time()? - start) / SAMPLE as f64 * MANY as f64;
    report.add(
        format!("llvm-extract once per kernel, by {SAMPLE} of them"),
        stock,
        " s",
        Limit::None,
    );
    report.add("ratio", stock / many.processor, "x", Limit::AtLeast(50.0));

    let mut load = Command::new(tools);
    // Exit status 1 means that there are kernels.
    let loaded = watch(load.arg("llvm-no-spir-kernel").arg(folder.join("many.bc")), 1)?;
    let mebibytes = |used: Used| (used.kibibytes - none.kibibytes).max(0.0) / 1024.0;
    report.add("memory of the linked module", mebibytes(loaded), " MiB", Limit::None);
    report.add("memory of the split at its peak", mebibytes(many), " MiB", Limit::None);
    report.add("ratio", mebibytes(many) / mebibytes(loaded), "x", Limit::AtMost(2.0));
    Ok(())
}

/// Measures a link whose code was linked before, so that its images come from the cache.
fn cached(tools: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("linking {SOME} kernels ahead of time for one level, twice with a cache"));
    let link = || -> Result<(f64, String), String> {
        let mut command = Command::new(tools);
        command.args([
            "device-link",
            "--verbose",
            "--split=per_kernel",
            "--target=x86_64_avx2",
            "--cache=cache",
        ]);
        let command = command.args(["-o", "out.o", "some.bc"]).current_dir(folder);
        let outcome = process::capture(command, Duration::from_secs(600))?;
        if !outcome.success() {
            return Err(format!("'{}' failed: {}", process::shown(command), outcome.describe()));
        }
        Ok((outcome.elapsed.as_secs_f64(), outcome.stderr))
    };
    let (first, _) = link()?;
    let (again, steps) = link()?;
    if !steps.contains("images from the cache") || steps.contains("linking") {
        return Err(format!("the second link did not find its images in the cache:\n{steps}"));
    }
    report.add(format!("device link of {SOME} kernels for x86_64_avx2"), first, " s", Limit::None);
    report.add("the same again, with no device step", again, " s", Limit::None);
    Ok(())
}

/// The resources that a program used.
#[derive(Clone, Copy)]
struct Used {
    /// Seconds of user and system time.
    processor: f64,
    /// Seconds until the program ended.
    elapsed: f64,
    /// The peak of resident memory.
    kibibytes: f64,
}

impl Used {
    fn min(self, other: Self) -> Self {
        Self {
            processor: self.processor.min(other.processor),
            elapsed: self.elapsed.min(other.elapsed),
            kibibytes: self.kibibytes.max(other.kibibytes),
        }
    }
}

/// Runs a program, and queries its peak memory from the kernel until it ends. The peak never
/// decreases, and the last query is within a millisecond of the end.
fn watch(command: &mut Command, expected: i32) -> Result<Used, String> {
    let cannot = |e: std::io::Error| format!("cannot run '{}': {e}", process::shown(command));
    let (start, processor) = (Instant::now(), children_time()?);
    let mut child = Command::new(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .map_err(cannot)?;
    let mut kibibytes = 0.0;
    let status = loop {
        if let Some(peak) = peak_memory(child.id()) {
            kibibytes = peak;
        }
        match child.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let elapsed = start.elapsed().as_secs_f64();
    if status.code() != Some(expected) {
        return Err(format!("'{}' failed, {status}", process::shown(command)));
    }
    Ok(Used { processor: children_time()? - processor, elapsed, kibibytes })
}

/// Returns the seconds of processor time of all child processes that have ended.
fn children_time() -> Result<f64, String> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat")
        .map_err(|e| format!("cannot read /proc/self/stat: {e}"))?;
    // The program's name may contain any characters. The fields after it are numbered from 3, and
    // fields 16 and 17 are the times.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(13).take(2);
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    match ticks[..] {
        [user, system] => Ok((user + system) / TICKS_PER_SECOND),
        _ => Err("/proc/self/stat does not tell the time of children".to_owned()),
    }
}

fn peak_memory(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .trim()
        .strip_suffix(" kB")?
        .trim()
        .parse()
        .ok()
}

fn symbol(kernel: usize) -> String {
    let name = format!("kernel{kernel}");
    format!("_ZTS{}{name}", name.len())
}

/// Returns a module with this many kernels. Each kernel calls three of the helpers, some of which
/// call other helpers.
fn module(kernels: usize) -> String {
    let mut out = String::from("target triple = \"spirv64-unknown-unknown\"\n");
    out += "@table = addrspace(1) constant [16 x i32] zeroinitializer\n";
    let mut line = |text: std::fmt::Arguments<'_>| {
        writeln!(out, "{text}").expect("a string takes all that is written")
    };
    for helper in 0..HELPERS {
        line(format_args!("define linkonce_odr spir_func i32 @helper{helper}(i32 %a) {{"));
        line(format_args!("  %p = getelementptr i32, ptr addrspace(1) @table, i32 %a"));
        line(format_args!("  %x0 = load i32, ptr addrspace(1) %p"));
        for step in 1..=8 {
            line(format_args!("  %t{step} = mul i32 %x{}, {}", step - 1, helper + step + 2));
            line(format_args!("  %x{step} = xor i32 %t{step}, %a"));
        }
        if helper % 4 == 0 {
            line(format_args!("  ret i32 %x8\n}}"));
        } else {
            line(format_args!(
                "  %c = call spir_func i32 @helper{}(i32 %x8)\n  ret i32 %c\n}}",
                helper - 1
            ));
        }
    }
    for kernel in 0..kernels {
        let symbol = symbol(kernel);
        line(format_args!(
            "define weak_odr spir_kernel void @{symbol}(ptr addrspace(1) %p, i32 %x0) \
             \"scythe-shape\"=\"single_task\" \"sycl-module-id\"=\"{}.cpp\" {{",
            kernel / 50
        ));
        for step in 1..=10 {
            line(format_args!("  %t{step} = add i32 %x{}, {}", step - 1, kernel % 1000 + step));
            line(format_args!("  %x{step} = mul i32 %t{step}, %x0"));
        }
        for call in 11..=13 {
            let helper = (kernel * 7 + call * 13) % HELPERS;
            line(format_args!(
                "  %x{call} = call spir_func i32 @helper{helper}(i32 %x{})",
                call - 1
            ));
        }
        line(format_args!("  store i32 %x13, ptr addrspace(1) %p\n  ret void\n}}"));
    }
    let rows: Vec<String> = (0..kernels).map(|kernel| format!("!{kernel}")).collect();
    line(format_args!("!scythe.launch = !{{{}}}", rows.join(", ")));
    for kernel in 0..kernels {
        let (symbol, unit, at) = (symbol(kernel), kernel / 50, kernel % 50 + 1);
        line(format_args!(
            "!{kernel} = !{{!\"{symbol}\", i32 0, i64 16, !\"{unit}.cpp\", i32 {at}, i32 5, i64 \
             {kernel}, i32 3, i64 8, i64 0, i32 0, i32 1, i64 4, i64 8, i32 3}}"
        ));
    }
    out
}
