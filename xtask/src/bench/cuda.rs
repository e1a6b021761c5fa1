//! `bench cuda --package DIR`: bundles SYCL programs and the same algorithms in CUDA C++, for a
//! machine with an NVIDIA GPU and nvcc.
//!
//! On that machine, the bundle's script compiles the CUDA programs, runs both versions in turn,
//! prints times and ratios, and checks each limit.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cuda::{Bundle, Form, compile, copy, toolkit};
use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{files, root};

pub fn package(args: &[String]) -> Result<ExitCode, String> {
    let (args, given) = stage::take_installed(args, "--prefix")?;
    let folder = match args.as_slice() {
        [flag, folder] if flag == "--package" => PathBuf::from(folder),
        _ => return Err("'bench cuda' needs --package DIR".to_owned()),
    };
    setup::ensure(Purpose::Bench)?;
    let prefix = stage::given_or_staged(given, Profile::Release)?;
    let count = fill(&prefix, &folder)?;
    println!("{count} benchmarks in {}", folder.display());
    Ok(ExitCode::SUCCESS)
}

fn fill(prefix: &Path, folder: &Path) -> Result<usize, String> {
    let (sources, cuda) = (root().join("benches/cuda"), toolkit()?);
    let bundle = Bundle::new(prefix, folder)?;
    let programs = files(&sources, &["cpp"])?;
    progress(&format!("compiling {} benchmarks", programs.len()));
    let made = process::parallel(&programs, |source| {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let name = name
            .strip_suffix(".sycl.cpp")
            .ok_or_else(|| format!("{} is not a benchmark", source.display()))?;
        compile(prefix, source, &Form::Ahead.options(&cuda), &folder.join("bin").join(name))?;
        let peer = sources.join(format!("{name}.cu"));
        copy(&peer, &folder.join("cases").join(format!("{name}.cu")))?;
        Ok::<_, String>(name.to_owned())
    });
    let names = made.into_iter().collect::<Result<Vec<_>, _>>()?;
    for header in files(&sources, &["hpp", "cuh"])? {
        copy(&header, &folder.join("cases").join(header.file_name().unwrap_or_default()))?;
    }
    bundle.write("list", &(names.join("\n") + "\n"), false)?;
    bundle.write("run.sh", include_str!("cuda/run.sh"), true)?;
    Ok(names.len())
}
