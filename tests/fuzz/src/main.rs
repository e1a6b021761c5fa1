//! `scythe-fuzz barriers --prefix DIR [--count N] [--seed S] [--failures DIR]`: random kernels on the CPU device against
//! host mode. The exit status tells whether they agreed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use scythe_fuzz::batch::{self, Mismatch, Toolchain};
use scythe_fuzz::program::Kernel;
use scythe_fuzz::{generate, reduce, render};

const USAGE: &str = "usage: scythe-fuzz barriers --prefix DIR [--count N] [--seed S] [--failures DIR] [--print]";
/// Kernels in one program.
const BATCH: usize = 100;
/// Programs that the reducer may compile for one failure.
const ATTEMPTS: usize = 60;
/// Failures that are reduced; the others are only listed.
const REDUCED: usize = 5;

struct Options {
    prefix: PathBuf,
    count: usize,
    seed: u64,
    failures: PathBuf,
    print: bool,
}

fn main() -> ExitCode {
    match options(std::env::args().skip(1)).and_then(|o| run(&o)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("scythe-fuzz: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    match args.next().as_deref() {
        Some("barriers") => {}
        other => return Err(format!("'{}' is not 'barriers'\n{USAGE}", other.unwrap_or_default())),
    }
    let mut o = Options { prefix: PathBuf::new(), count: 2000, seed: 1, failures: std::env::temp_dir(), print: false };
    while let Some(name) = args.next() {
        if name == "--print" {
            o.print = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("'{name}' wants a value\n{USAGE}"))?;
        let number = || value.parse::<u64>().map_err(|e| format!("'{name} {value}': {e}"));
        match name.as_str() {
            "--prefix" => o.prefix = PathBuf::from(&value),
            "--count" => o.count = usize::try_from(number()?).map_err(|e| format!("'{name} {value}': {e}"))?,
            "--seed" => o.seed = number()?,
            "--failures" => o.failures = PathBuf::from(&value),
            _ => return Err(format!("there is no option '{name}'\n{USAGE}")),
        }
    }
    if o.prefix.as_os_str().is_empty() && !o.print {
        return Err(format!("--prefix is missing\n{USAGE}"));
    }
    Ok(o)
}

/// Part of a kernel's seed, so that a kernel alone is compiled as in its batch.
fn level(seed: u64) -> &'static str {
    match seed % 10 {
        0 => "-O0",
        _ => "-O2",
    }
}

/// Kernels that are compiled alike, by the hundred.
fn batches(o: &Options) -> Vec<(&'static str, Vec<u64>)> {
    let seeds = (0..o.count as u64).map(|i| o.seed.wrapping_add(i));
    let (unoptimised, optimised): (Vec<u64>, Vec<u64>) = seeds.partition(|s| level(*s) == "-O0");
    let of = |level: &'static str, seeds: &[u64]| seeds.chunks(BATCH).map(|c| (level, c.to_vec())).collect::<Vec<_>>();
    [of("-O2", &optimised), of("-O0", &unoptimised)].concat()
}

/// Runs all batches; the answer is the number of kernels on which the modes disagree.
fn run(o: &Options) -> Result<usize, String> {
    if o.print {
        let kernels: Vec<Kernel> = (0..o.count as u64).map(|i| generate::kernel(o.seed.wrapping_add(i))).collect();
        print!("{}", render::program(&kernels));
        return Ok(0);
    }
    let batches = batches(o);
    let (next, passed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<(Mismatch, &'static str)>> = Mutex::new(Vec::new());
    let first_error: Mutex<Option<String>> = Mutex::new(None);
    // Host mode takes a small part of a batch's time: as many batches as processors keep those busy.
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(batches.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((level, seeds)) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tools = Toolchain { prefix: o.prefix.clone(), level: (*level).to_owned() };
                    let kernels: Vec<Kernel> = seeds.iter().map(|s| generate::kernel(*s)).collect();
                    match in_folder(|folder| batch::compare(&kernels, &tools, folder)) {
                        Ok(mismatches) => {
                            let good = seeds.len() - mismatches.len();
                            let all = passed.fetch_add(good, Ordering::Relaxed) + good;
                            eprintln!("    {all} of {} kernels agree", o.count);
                            let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                            found.extend(mismatches.into_iter().map(|m| (m, *level)));
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
        report(mismatch, level, o, i < REDUCED)?;
    }
    if let Some(message) = first_error.into_inner().unwrap_or_else(|e| e.into_inner()) {
        return Err(message);
    }
    println!("fuzz barriers: {} kernels agree, {} do not", passed.into_inner(), found.len());
    Ok(found.len())
}

fn in_folder<T>(work: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    work(folder.path())
}

/// Says how a kernel fails, and where its source is.
fn report(mismatch: &Mismatch, level: &str, o: &Options, reduced: bool) -> Result<(), String> {
    let seed = mismatch.seed;
    println!("kernel {seed} {level}: device '{}', host '{}'", mismatch.device, mismatch.host);
    let mut kernel = generate::kernel(seed);
    if reduced {
        let tools = Toolchain { prefix: o.prefix.clone(), level: level.to_owned() };
        let failing = |k: &Kernel| {
            in_folder(|folder| batch::compare(std::slice::from_ref(k), &tools, folder)).is_ok_and(|m| !m.is_empty())
        };
        if failing(&kernel) {
            kernel = reduce::reduce(&kernel, ATTEMPTS, failing);
        } else {
            println!("  alone it does not fail");
        }
    }
    std::fs::create_dir_all(&o.failures).map_err(|e| format!("cannot make {}: {e}", o.failures.display()))?;
    let path = o.failures.join(format!("kernel-{seed}.cpp"));
    std::fs::write(&path, render::program(&[kernel])).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    println!("  source: {}; again: cargo xtask fuzz barriers --seed {seed} --count 1", path.display());
    Ok(())
}
