//! `scythe-fuzz barriers|control|kernels --prefix DIR [--count N] [--seed S] [--failures DIR]`:
//! random kernels on the CPU device against a reference. The exit status tells whether they agreed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use scythe_fuzz::batch::{self, Devices, Mismatch, Toolchain};
use scythe_fuzz::kernel::{self, Kernel, Kind};
use scythe_fuzz::{control, kernels, program, reduce};

const USAGE: &str = "usage: scythe-fuzz barriers|control|kernels --prefix DIR [--count N] \
                     [--seed S] [--failures DIR] [--opencl DIR] [--cuda ARCHITECTURE] \
                     [--no-cpu] [--reduce N] [--print]";
/// Kernels in one program.
const BATCH: usize = 100;
/// Programs that the reducer may compile for one failure.
const ATTEMPTS: usize = 60;

struct Options {
    prefix: PathBuf,
    count: usize,
    seed: u64,
    failures: PathBuf,
    /// Failures that are reduced; the others are only listed.
    reduced: usize,
    print: bool,
    devices: Devices,
}

impl Options {
    fn tools(&self, level: &str) -> Toolchain {
        let (prefix, devices) = (self.prefix.clone(), self.devices.clone());
        Toolchain { prefix, level: level.to_owned(), devices, only: None }
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let kind = args.next().unwrap_or_default();
    let result = options(&kind, args).and_then(|o| match kind.as_str() {
        program::Code::NAME => run::<program::Code>(&o),
        control::Code::NAME => run::<control::Code>(&o),
        kernels::Code::NAME => run::<kernels::Code>(&o),
        other => Err(format!(
            "unknown kind of kernels '{other}', expected 'barriers', 'control' or \
             'kernels'\n{USAGE}"
        )),
    });
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("scythe-fuzz: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options(kind: &str, mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut o = Options {
        prefix: PathBuf::new(),
        count: 2000,
        seed: 1,
        failures: std::env::temp_dir(),
        reduced: 5,
        print: false,
        devices: Devices::CPU,
    };
    while let Some(name) = args.next() {
        if name == "--print" {
            o.print = true;
            continue;
        }
        if name == "--no-cpu" {
            o.devices.cpu = false;
            continue;
        }
        let value =
            args.next().ok_or_else(|| format!("option '{name}' requires a value\n{USAGE}"))?;
        let number = || {
            value
                .parse::<u64>()
                .map_err(|e| format!("invalid value '{value}' of option '{name}': {e}"))
        };
        let size = || {
            value
                .parse::<usize>()
                .map_err(|e| format!("invalid value '{value}' of option '{name}': {e}"))
        };
        match name.as_str() {
            "--prefix" => o.prefix = PathBuf::from(&value),
            "--count" => o.count = size()?,
            "--reduce" => o.reduced = size()?,
            "--seed" => o.seed = number()?,
            "--opencl" => o.devices.opencl = Some(PathBuf::from(&value)),
            "--cuda" => o.devices.cuda = Some(value),
            "--failures" => o.failures = PathBuf::from(&value),
            _ => return Err(format!("unknown option '{name}'\n{USAGE}")),
        }
    }
    if o.prefix.as_os_str().is_empty() && !o.print {
        return Err(format!("option '--prefix' is required\n{USAGE}"));
    }
    let Devices { cpu, opencl, cuda } = &o.devices;
    if kind != kernels::Code::NAME && (!cpu || cuda.is_some()) {
        return Err(format!("'--cuda' and '--no-cpu' apply to '{}' only", kernels::Code::NAME));
    }
    if !cpu && opencl.is_none() && cuda.is_none() {
        return Err("'--no-cpu' needs '--opencl' or '--cuda'".to_owned());
    }
    Ok(o)
}

/// Kernels that are compiled alike, by the hundred.
fn batches<K: Kind>(o: &Options) -> Vec<(&'static str, Vec<u64>)> {
    let mut by_level: Vec<(&'static str, Vec<u64>)> = Vec::new();
    for seed in (0..o.count as u64).map(|i| o.seed.wrapping_add(i)) {
        let level = kernel::level::<K>(seed);
        match by_level.iter_mut().find(|(l, _)| *l == level) {
            Some((_, seeds)) => seeds.push(seed),
            None => by_level.push((level, vec![seed])),
        }
    }
    by_level
        .iter()
        .flat_map(|(level, seeds)| seeds.chunks(BATCH).map(|c| (*level, c.to_vec())))
        .collect()
}

/// Runs all batches; the answer is the number of kernels that differ from the reference.
fn run<K: Kind>(o: &Options) -> Result<usize, String> {
    if o.print {
        let kernels: Vec<Kernel<K>> =
            (0..o.count as u64).map(|i| K::generate(o.seed.wrapping_add(i))).collect();
        print!("{}", kernel::program(&kernels));
        return Ok(0);
    }
    let batches = batches::<K>(o);
    let (next, passed, skipped) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<(Mismatch, &'static str)>> = Mutex::new(Vec::new());
    let first_error: Mutex<Option<String>> = Mutex::new(None);
    // The reference takes a small part of a batch's time: as many batches as processors keep those
    // busy.
    let workers =
        std::thread::available_parallelism().map_or(1, |n| n.get()).min(batches.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((level, seeds)) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tools = o.tools(level);
                    let kernels: Vec<Kernel<K>> = seeds.iter().map(|s| K::generate(*s)).collect();
                    match in_folder(|folder| batch::compare(&kernels, &tools, folder)) {
                        Ok(outcome) => {
                            skipped.fetch_add(outcome.skipped, Ordering::Relaxed);
                            let good = seeds.len() - outcome.mismatches.len() - outcome.skipped;
                            let all = passed.fetch_add(good, Ordering::Relaxed) + good;
                            eprintln!("    {all} of {} kernels agree", o.count);
                            let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                            found.extend(outcome.mismatches.into_iter().map(|m| (m, *level)));
                        }
                        Err(e) => {
                            let mut first = first_error.lock().unwrap_or_else(|e| e.into_inner());
                            first.get_or_insert(format!("kernels {:?} {level}: {e}", seeds));
                        }
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(|e| e.into_inner());
    for (i, (mismatch, level)) in found.iter().enumerate() {
        report::<K>(mismatch, level, o, i < o.reduced)?;
    }
    if let Some(message) = first_error.into_inner().unwrap_or_else(|e| e.into_inner()) {
        return Err(message);
    }
    let (passed, skipped) = (passed.into_inner(), skipped.into_inner());
    println!("fuzz {}: {passed} kernels agree, {} do not, {skipped} skipped", K::NAME, found.len());
    Ok(found.len())
}

fn in_folder<T>(work: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
    let folder =
        tempfile::tempdir().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
    work(folder.path())
}

/// Says how a kernel fails, and where its source is.
fn report<K: Kind>(
    mismatch: &Mismatch,
    level: &str,
    o: &Options,
    reduced: bool,
) -> Result<(), String> {
    let seed = mismatch.seed;
    println!(
        "kernel {seed} {level}: {} '{}', expected '{}'",
        mismatch.run, mismatch.got, mismatch.expected
    );
    let mut kernel = K::generate(seed);
    if reduced {
        let tools = Toolchain { only: Some(mismatch.run), ..o.tools(level) };
        let mut failing = |k: &Kernel<K>| {
            let compared =
                in_folder(|folder| batch::compare(std::slice::from_ref(k), &tools, folder));
            compared.is_ok_and(|outcome| !outcome.mismatches.is_empty())
        };
        if failing(&kernel) {
            kernel = reduce::reduce(&kernel, ATTEMPTS, &mut failing);
        } else {
            println!("  the kernel does not fail when it runs alone");
        }
    }
    std::fs::create_dir_all(&o.failures)
        .map_err(|e| format!("cannot create {}: {e}", o.failures.display()))?;
    let path = o.failures.join(format!("{}-{seed}.cpp", K::NAME));
    std::fs::write(&path, kernel::program(&[kernel]))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    println!(
        "  source: {}; to repeat: cargo xtask fuzz {} --seed {seed} --count 1",
        path.display(),
        K::NAME
    );
    Ok(())
}
