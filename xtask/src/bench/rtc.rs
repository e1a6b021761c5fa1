//! The processor time to build a trivial kernel bundle from source text: with the compiler, and
//! from the cache on disk. All processes of the build count.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Limit, Report, numbers, value};
use crate::process::{self, Scratch, progress};
use crate::workspace::root;

const LIMIT: Duration = Duration::from_secs(120);
/// The limits in milliseconds of processor time.
const COMPILED: f64 = 500.0;
const FROM_DISK: f64 = 20.0;
/// The fastest of so many builds counts.
const BUILDS: u32 = 5;

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let mut report = Report::default();
    let scratch = Scratch::new("bench")?;
    progress("measuring kernel bundles from source text");
    let program = scratch.path().join("rtc");
    let mut build = Command::new(prefix.join("bin/scythe"));
    build.args(["-fsycl", "-std=c++17", "-O2"]).arg(root().join("benches/rtc.cpp"));
    process::output(build.arg("-o").arg(&program))?;
    let cache = scratch.path().join("cache");
    let run = |text: u32| {
        let mut command = Command::new(&program);
        command.arg(text.to_string()).env("SYCL_CACHE_DIR", &cache);
        value(&numbers(command.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*"), LIMIT)?, "build")
    };
    let first = run(0)?;
    // The driver precompiles the headers when it sees them for the second time.
    run(1)?;
    let fastest = || {
        let mut texts = 2..2 + BUILDS;
        texts.try_fold(f64::INFINITY, |best, text| Ok::<f64, String>(best.min(run(text)?)))
    };
    // Later runs find the results of earlier ones in the cache.
    let (compiled, stored) = (fastest()?, fastest()?);
    report.add("trivial kernel, first compilation", first, " ms", Limit::None);
    report.add("trivial kernel, compiled", compiled, " ms", Limit::AtMost(COMPILED));
    report.add("trivial kernel, from the disk cache", stored, " ms", Limit::AtMost(FROM_DISK));
    Ok(report)
}
