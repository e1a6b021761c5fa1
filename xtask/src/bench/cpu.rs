//! The speed of the CPU device: the programs in `benches/cpu` with Scythe, on Intel's OpenCL
//! runtime, and as OpenMP loops.
//!
//! Each contender is a separate process. They run in turn, and the fastest repetition of each
//! counts, so that other load on the machine affects all of them equally. Every process checks its
//! results. Intel's runtime comes from PyPI and is installed in a virtual environment below the
//! target folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Limit, Numbers, Report, value};
use crate::opencl;
use crate::process::{self, CACHE, Scratch, progress};
use crate::workspace::root;

const ROUNDS: usize = 5;
const LIMIT: Duration = Duration::from_secs(300);

/// The options of all contenders. All follow IEEE 754 with contraction within expressions, which is
/// the default of clang and OpenCL. The option that OpenCL needs for exact division and square root
/// is in `benches/cpu/opencl.hpp`.
const COMMON: [&str; 4] = ["-std=c++17", "-O3", "-march=native", "-ffp-contract=on"];
/// Enables vector forms of the maths functions. Loops get them only if `errno` does not matter,
/// which is always the case in kernels.
const OPENMP: [&str; 3] = ["-fopenmp", "-fno-math-errno", "-fveclib=libmvec"];

/// The limits against Intel's runtime: for the mean of all programs, and for each program.
const OPENCL_MEAN: f64 = 0.9;
const OPENCL_EACH: f64 = 0.6;
/// The limit against OpenMP, for programs whose loop does the same work.
const OPENMP_EACH: f64 = 0.95;

struct Program {
    name: &'static str,
    /// Whether the OpenMP loop does the same work per element. The other loops solve the same task
    /// without work-groups, local memory and barriers. Their times are useful, but they are no
    /// limit for kernels with these features.
    same_loop: bool,
}

const fn program(name: &'static str, same_loop: bool) -> Program {
    Program { name, same_loop }
}

const PROGRAMS: [Program; 14] = [
    program("saxpy", true),
    program("triad", true),
    program("stencil3d", true),
    program("nbody", true),
    program("matmul", false),
    program("reduction", false),
    program("scan", false),
    program("bitonic", false),
    program("histogram", false),
    program("mandelbrot", true),
    program("black_scholes", true),
    program("tiles3d", false),
    program("complex", true),
    program("popcount", true),
];

/// The other benchmarks that can be requested.
const OTHERS: [&str; 3] = ["launch", "jit", "barriers"];

pub fn measure(prefix: &Path, names: &[String]) -> Result<Report, String> {
    let known: Vec<&str> = PROGRAMS.iter().map(|p| p.name).chain(OTHERS).collect();
    if let Some(name) = names.iter().find(|n| !known.contains(&n.as_str())) {
        return Err(format!(
            "unknown CPU benchmark '{name}'; expected one of {}",
            known.join(", ")
        ));
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let scratch = Scratch::new("bench-cpu")?;
    let bench = Bench { prefix, folder: scratch.path(), opencl: opencl::runtime()? };
    let mut report = Report::default();
    bench.programs(PROGRAMS.iter().filter(|p| wanted(p.name)), &mut report)?;
    if wanted("launch") {
        bench.launches(&mut report)?;
    }
    if wanted("jit") {
        bench.build(&mut report)?;
    }
    if wanted("barriers") {
        bench.barriers(&mut report)?;
    }
    Ok(report)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Scythe,
    OpenCl,
    OpenMp,
}

struct Bench<'a> {
    prefix: &'a Path,
    folder: &'a Path,
    /// The folder with Intel's libraries.
    opencl: PathBuf,
}

impl Bench<'_> {
    fn programs<'p>(
        &self,
        programs: impl Iterator<Item = &'p Program>,
        report: &mut Report,
    ) -> Result<(), String> {
        let mut lines = Vec::new();
        let (mut against_opencl, mut against_openmp) = (Vec::new(), Vec::new());
        for program in programs {
            progress(&format!("{}, best of {ROUNDS} turns", program.name));
            let [ours, opencl, openmp] = self.fastest(program.name)?;
            let (to_opencl, to_openmp) = (opencl / ours, openmp / ours);
            lines.push(format!(
                "{:14} {:>10.2} {:>10.2} {:>10.2} {to_opencl:>10.2} {to_openmp:>10.2}{}",
                program.name,
                ours * 1e3,
                opencl * 1e3,
                openmp * 1e3,
                if program.same_loop { "" } else { "  (OpenMP: another algorithm)" },
            ));
            against_opencl.push(to_opencl);
            let name = program.name;
            report.add(
                format!("{name}: speed against OpenCL"),
                to_opencl,
                "x",
                Limit::AtLeast(OPENCL_EACH),
            );
            if program.same_loop {
                report.add(
                    format!("{name}: speed against OpenMP"),
                    to_openmp,
                    "x",
                    Limit::AtLeast(OPENMP_EACH),
                );
                against_openmp.push(to_openmp);
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        println!(
            "{:14} {:>10} {:>10} {:>10} {:>10} {:>10}",
            "", "scythe ms", "OpenCL ms", "OpenMP ms", "to OpenCL", "to OpenMP"
        );
        lines.iter().for_each(|l| println!("{l}"));
        println!();
        report.add(
            "geometric mean against OpenCL",
            mean(&against_opencl),
            "x",
            Limit::AtLeast(OPENCL_MEAN),
        );
        if !against_openmp.is_empty() {
            report.add("geometric mean against OpenMP", mean(&against_openmp), "x", Limit::None);
        }
        Ok(())
    }

    /// Returns the seconds of Scythe, OpenCL and OpenMP, which run in turn.
    fn fastest(&self, name: &str) -> Result<[f64; 3], String> {
        let contenders = [Contender::Scythe, Contender::OpenCl, Contender::OpenMp];
        for who in contenders {
            self.compile(who, name)?;
        }
        let mut best = [f64::INFINITY; 3];
        for _ in 0..ROUNDS {
            for (who, best) in contenders.into_iter().zip(&mut best) {
                *best = best
                    .min(value(&self.numbers(who, name, &[], &self.cache("warm"))?, "seconds")?);
            }
        }
        Ok(best)
    }

    fn launches(&self, report: &mut Report) -> Result<(), String> {
        progress(&format!("launches, best of {ROUNDS} turns"));
        let (ours, opencl) = self.both("launch", &[])?;
        let (us, ms) = (1e6, 1e3);
        report.add(
            "empty kernel, in-order queue, each of 10,000",
            value(&ours, "empty")? * us,
            " us",
            Limit::AtMost(1.0),
        );
        report.add("the same with OpenCL", value(&opencl, "empty")? * us, " us", Limit::None);
        report.add(
            "first kernel from main, warm cache",
            value(&ours, "first")? * ms,
            " ms",
            Limit::AtMost(10.0),
        );
        report.add(
            "the same with OpenCL, no cache",
            value(&opencl, "first")? * ms,
            " ms",
            Limit::None,
        );
        Ok(())
    }

    /// Measures the first product with an empty cache.
    fn build(&self, report: &mut Report) -> Result<(), String> {
        progress(&format!("building the tiled matrix product, best of {ROUNDS} turns"));
        let contenders = [Contender::Scythe, Contender::OpenCl];
        for who in contenders {
            self.compile(who, "matmul")?;
        }
        let mut best = [f64::INFINITY; 2];
        for round in 0..ROUNDS {
            for (who, best) in contenders.into_iter().zip(&mut best) {
                let empty = self.cache(&format!("empty-{round}"));
                *best =
                    best.min(value(&self.numbers(who, "matmul", &["build"], &empty)?, "build")?);
            }
        }
        let [ours, opencl] = best;
        report.add(
            "cold build of the tiled matrix product",
            ours * 1e3,
            " ms",
            Limit::AtMost(100.0),
        );
        report.add("the same with OpenCL", opencl * 1e3, " ms", Limit::None);
        Ok(())
    }

    /// Measures the time per work-item and barrier, by work-group size. With linear growth, the
    /// time is the same for all sizes of at least a full vector.
    fn barriers(&self, report: &mut Report) -> Result<(), String> {
        progress(&format!("barriers, best of {ROUNDS} turns"));
        let (ours, opencl) = self.both("barriers", &[])?;
        let sizes = |numbers: &Numbers| {
            let size = |name: &String| name.strip_prefix("group-")?.parse::<u64>().ok();
            let mut all: Vec<(u64, f64)> =
                numbers.iter().filter_map(|(n, v)| Some((size(n)?, *v * 1e9))).collect();
            all.sort_by_key(|(size, _)| *size);
            all
        };
        let (ours, opencl) = (sizes(&ours), sizes(&opencl));
        println!("{:>10} {:>34} {:>12}", "work-group", "ns per work-item and barrier", "OpenCL");
        for (size, ns) in &ours {
            let peer = opencl
                .iter()
                .find(|(s, _)| s == size)
                .map_or(String::new(), |(_, ns)| format!("{ns:.3}"));
            println!("{size:>10} {ns:>34.3} {peer:>12}");
        }
        println!();
        let full: Vec<f64> =
            ours.iter().filter(|(size, _)| *size >= 64).map(|(_, ns)| *ns).collect();
        let (least, most) = full
            .iter()
            .fold((f64::INFINITY, 0.0), |(l, m): (f64, f64), ns| (l.min(*ns), m.max(*ns)));
        report.add(
            "barriers: slowest to fastest work-group of 64 or more",
            most / least,
            "x",
            Limit::AtMost(2.0),
        );
        Ok(())
    }

    /// Returns the best of all numbers that the Scythe and OpenCL forms of a program print.
    fn both(&self, name: &str, args: &[&str]) -> Result<(Numbers, Numbers), String> {
        let mut best = (Numbers::new(), Numbers::new());
        self.compile(Contender::Scythe, name)?;
        self.compile(Contender::OpenCl, name)?;
        for _ in 0..ROUNDS {
            for (who, best) in [(Contender::Scythe, &mut best.0), (Contender::OpenCl, &mut best.1)]
            {
                for (key, value) in self.numbers(who, name, args, &self.cache("warm"))? {
                    let entry: &mut f64 = best.entry(key).or_insert(f64::INFINITY);
                    *entry = entry.min(value);
                }
            }
        }
        Ok(best)
    }

    fn executable(&self, who: Contender, name: &str) -> PathBuf {
        self.folder.join(format!("{name}-{who:?}").to_lowercase())
    }

    fn cache(&self, name: &str) -> PathBuf {
        self.folder.join(format!("cache-{name}"))
    }

    fn compile(&self, who: Contender, name: &str) -> Result<(), String> {
        let mut command = match who {
            Contender::Scythe => Command::new(self.prefix.join("bin/scythe")),
            _ => Command::new("clang++-22"),
        };
        command.args(COMMON);
        match who {
            Contender::Scythe => command.arg("-fsycl"),
            Contender::OpenCl => command.arg("-DPEER_OPENCL"),
            Contender::OpenMp => command.arg("-DPEER_OPENMP").args(OPENMP),
        };
        command
            .arg(root().join(format!("benches/cpu/{name}.cpp")))
            .arg("-o")
            .arg(self.executable(who, name));
        if who == Contender::OpenCl {
            command.arg("-lOpenCL");
        }
        process::output(&mut command).map(drop)
    }

    /// Runs a program once. It prints `name value` lines.
    fn numbers(
        &self,
        who: Contender,
        name: &str,
        args: &[&str],
        cache: &Path,
    ) -> Result<Numbers, String> {
        // `env` sets variables that this process itself must not have.
        let mut command = Command::new("env");
        command.arg(format!("{CACHE}={}", cache.display()));
        if who == Contender::OpenCl {
            command.args(opencl::variables(&self.opencl));
        }
        command.arg(self.executable(who, name)).args(args);
        super::numbers(&mut command, LIMIT)
    }
}

/// Geometric; of ratios.
fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert!((mean(&[0.5, 2.0]) - 1.0).abs() < 1e-12);
        assert!((mean(&[4.0]) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn every_program_has_its_file() {
        for name in PROGRAMS.iter().map(|p| p.name).chain(["launch", "barriers"]) {
            assert!(root().join(format!("benches/cpu/{name}.cpp")).exists(), "{name}");
        }
    }
}
