//! Fat binaries for NVIDIA's GPUs: for each part and target PTX by LLVM, a cubin of it by `ptxas`, and both in an image.
//!
//! All parts of all targets are collected first and compiled together, several at a time. Images come in the order of targets
//! and parts. Where there is no `ptxas`, images hold PTX alone, which the driver compiles when a program runs.

use super::filter;
use super::inputs::Group;
use super::ocloc::{stamp, temporary_folder};
use super::settings::Settings;
use crate::ahead_of_time::device_library_folder;
use crate::{Failure, aspect_filter, parallel};
use scythe_abi::cuda::Architecture;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::target::{SEPARATOR, Target};
use scythe_codegen::nvptx::{self, toolkit::Toolkit};
use scythe_diag::{Diagnostic, Severity};
use scythe_image::{Format, Image, fatbin};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What options for these targets may say, for errors.
const OPTIONS: &str = "-O0 to -O3, --cuda-path=DIR, -Xptxas OPTION, --ptxas-options=OPTION, --maxrregcount=N, -v";

/// How to compile for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TargetOptions {
    opt_level: u32,
    ptxas: Vec<String>,
    cuda_path: Option<String>,
    /// Such as `sm_90`.
    arch: String,
    /// Times ten.
    ptx_version: u32,
}

/// Finds mistakes in the options for a target.
pub fn check(target: Target, settings: &Settings<'_>) -> Result<(), Failure> {
    options(target, settings).map(|_| ())
}

/// What the device configuration says, and the user's options after it.
fn options(target: Target, settings: &Settings<'_>) -> Result<TargetOptions, Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    entry.id().map_err(Failure::new)?;
    let (arch, configured) = entry.cuda_options();
    let known = arch.as_deref().and_then(Architecture::from_name);
    let (Some(arch), Some(_)) = (arch, known) else {
        let message = format!("the device configuration names no architecture for the target '{}'", target.name());
        return Err(Failure::new(format!("{message}: expected '-arch=sm_NN' in its 'aot-toolchain-options'")));
    };
    let words = configured.into_iter().chain(settings.options_for(target)).collect();
    let options = parse(words, &target.name())?;
    Ok(TargetOptions { arch, ptx_version: entry.ptx_version(), ..options })
}

/// The target of images, which tells the architecture.
fn image_target(target: Target, arch: &str) -> ImageTarget {
    let name = target.image_target();
    match Architecture::of_target(&name) == Architecture::from_name(arch) {
        true => ImageTarget::parse(name),
        false => ImageTarget::parse(format!("{name}{SEPARATOR}{arch}")),
    }
}

fn parse(words: Vec<String>, target: &str) -> Result<TargetOptions, Failure> {
    let mut options = TargetOptions { opt_level: 3, ..TargetOptions::default() };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let unknown = || Failure::new(format!("unknown option '{word}' for '{target}': expected {OPTIONS}"));
        match (name, value) {
            ("-O0" | "-O1" | "-O2" | "-O3", None) => options.opt_level = u32::from(name.as_bytes()[2] - b'0'),
            ("--cuda-path", Some(path)) => options.cuda_path = Some(path.to_owned()),
            ("-Xptxas" | "-Xcuda-ptxas", None) => options.ptxas.push(words.next().ok_or_else(|| {
                Failure::new(format!("'{word}' for '{target}': expected an option for ptxas after it"))
            })?),
            ("--ptxas-options" | "-Xptxas", Some(list)) => options.ptxas.extend(list.split(',').map(str::to_owned)),
            ("--maxrregcount" | "-maxrregcount", Some(_)) => options.ptxas.push(word),
            ("-v" | "--verbose", None) => options.ptxas.push("-v".to_owned()),
            _ => return Err(unknown()),
        }
    }
    Ok(options)
}

/// CUDA as it is installed here, for each way in which targets name it.
#[derive(Default)]
pub struct Toolchain(Vec<(Target, Toolkit)>);

impl Toolchain {
    /// Looks for all that these groups need. Without targets for NVIDIA's GPUs, that is nothing.
    pub fn find(groups: &[Group<'_>], settings: &Settings<'_>) -> Result<Self, Failure> {
        let mut found = Vec::new();
        for target in groups.iter().flat_map(|group| &group.targets).copied().filter(|target| target.is_nvptx()) {
            let options = options(target, settings)?;
            let toolkit = match options.cuda_path.as_deref().or(settings.cuda_path.as_deref()) {
                None => Toolkit::find(),
                Some(path) => Toolkit::at(Path::new(path)).ok_or_else(|| {
                    let message = format!("'--cuda-path={path}' for '{}' holds no CUDA", target.name());
                    Failure::new(format!("{message}: expected 'bin/ptxas' or 'nvvm/libdevice' in it"))
                })?,
            };
            found.push((target, toolkit));
        }
        let lacking: Vec<String> = found.iter().filter(|f| f.1.ptxas.is_none()).map(|f| f.0.name()).collect();
        if !lacking.is_empty() {
            let message = format!("no ptxas was found, so that the code for {} is PTX alone", lacking.join(", "));
            let remark = Diagnostic::new(Severity::Remark, message)
                .note("the driver compiles it when a program runs; CUDA, or the wheel nvidia-cuda-nvcc-cu12, has ptxas")
                .note("'--cuda-path=DIR' tells where CUDA is");
            eprint!("{}", remark.render_as("device-link"));
        }
        Ok(Self(found))
    }

    /// What stands for the tools and libraries in keys of the cache.
    pub fn identity(&self) -> String {
        let libclc = (!self.0.is_empty()).then(nvptx::libraries::libclc);
        let toolkits = self.0.iter().flat_map(|(_, toolkit)| [toolkit.ptxas.clone(), toolkit.libdevice.clone()]);
        let file = |path: Option<PathBuf>| format!("{path:?} {:?}", path.as_deref().and_then(stamp));
        toolkits.chain(libclc).map(file).collect::<Vec<_>>().join("\n")
    }
}

struct Job<'t> {
    target: Target,
    toolkit: &'t Toolkit,
    options: TargetOptions,
    aspects: Vec<u32>,
    part: Image,
}

/// What is to be compiled for NVIDIA's GPUs.
pub struct Work<'t, 's> {
    toolchain: &'t Toolchain,
    settings: &'s Settings<'s>,
    jobs: Vec<Job<'t>>,
    /// Code that is to be finished at run time, and word of parts that a target cannot run, each with the number of jobs before it.
    uncompiled: Vec<(usize, Image)>,
}

impl<'t, 's> Work<'t, 's> {
    pub fn new(toolchain: &'t Toolchain, settings: &'s Settings<'s>) -> Self {
        Self { toolchain, settings, jobs: Vec::new(), uncompiled: Vec::new() }
    }

    /// Adds the parts of a program for a target: what it can run, and word of the rest.
    pub fn add(&mut self, target: Target, parts: &[Image]) -> Result<(), Failure> {
        let (kept, left_out) = filter::for_target(target, parts, self.settings)?;
        let entry = aspect_filter::target(&self.settings.split.targets, &target.name())?;
        let aspects: Vec<u32> = entry.aspects.iter().map(|&aspect| aspect as u32).collect();
        // The toolchain was made for the targets of all groups.
        let Some((_, toolkit)) = self.toolchain.0.iter().find(|(known, _)| *known == target) else { return Ok(()) };
        for part in kept {
            let own = options(target, self.settings)?;
            if super::is_finished_at_run_time(&part) {
                let (target, options) = (image_target(target, &own.arch), self.settings.run_time_options.clone());
                self.uncompiled.push((self.jobs.len(), Image { target, options, ..part.clone() }));
            }
            if part.symbols.is_empty() || !part.manifest.imports.is_empty() {
                continue;
            }
            self.jobs.push(Job { target, toolkit, options: own, aspects: aspects.clone(), part });
        }
        let jobs = self.jobs.len();
        self.uncompiled.extend(left_out.into_iter().map(|image| (jobs, image)));
        Ok(())
    }

    /// Compiles all that was added.
    pub fn finish(self) -> Result<Vec<Image>, Failure> {
        let mut images = Vec::new();
        if !self.jobs.is_empty() {
            let folder = device_library_folder()?;
            self.settings.tell(format_args!("compiling {} parts for NVIDIA GPUs", self.jobs.len()));
            let made = parallel::map(self.settings.jobs, &self.jobs, |job| self.compile(job, &folder));
            for (index, (job, code)) in self.jobs.iter().zip(made).enumerate() {
                images.push((index, finished(job, code?)));
            }
        }
        images.extend(self.uncompiled);
        images.sort_by_key(|(index, _)| *index);
        Ok(images.into_iter().map(|(_, image)| image).collect())
    }

    /// The code of one image.
    fn compile(&self, job: &Job<'_>, device_library: &Path) -> Result<Vec<u8>, Failure> {
        let (arch, ptx_version) = (job.options.arch.as_str(), job.options.ptx_version);
        let key = self.key(job);
        let cached = self.settings.cache.as_ref().zip(key.as_ref());
        if let Some(code) = cached.and_then(|(cache, key)| cache.binary(key)) {
            return Ok(code);
        }
        let options = nvptx::Options {
            opt_level: job.options.opt_level,
            arch: arch.to_owned(),
            ptx_version,
            device_lib_dir: Some(device_library.to_owned()),
            libdevice: job.toolkit.libdevice.clone(),
            dump_dir: None,
            aspects: job.aspects.clone(),
        };
        let mut ptx =
            nvptx::translate(&job.part.code, &[], &options).map_err(|what| fail(job, what.to_string(), None))?;
        let code = match &job.toolkit.ptxas {
            None => {
                // The driver wants a C string.
                ptx.push(0);
                ptx
            }
            Some(ptxas) => {
                let cubin = self.assemble(job, ptxas, arch, &ptx)?;
                let sm = Architecture::from_name(arch).map_or(0, |arch| arch.sm);
                let entries = [fatbin::Entry::cubin(sm, &cubin), fatbin::Entry::ptx(sm, ptx_version, &ptx)];
                fatbin::write(&entries)
            }
        };
        if let Some((cache, key)) = cached {
            cache.keep_binary(key, &code);
        }
        Ok(code)
    }

    /// A cubin, by ptxas, in a folder of its own.
    fn assemble(&self, job: &Job<'_>, ptxas: &Path, arch: &str, ptx: &[u8]) -> Result<Vec<u8>, Failure> {
        let work = temporary_folder(&self.settings.scratch).map_err(|what| fail(job, format!("ptxas {what}"), None))?;
        let (input, output) = (work.path().join("device.ptx"), work.path().join("device.cubin"));
        let full = |error: std::io::Error| fail(job, format!("cannot write '{}': {error}", input.display()), None);
        std::fs::write(&input, ptx).map_err(full)?;
        let mut command = Command::new(ptxas);
        command.arg(format!("-arch={arch}")).arg(format!("-O{}", job.options.opt_level));
        command.args(&job.options.ptxas).arg("-o").arg(&output).arg(&input).stdin(Stdio::null());
        let done = command
            .current_dir(work.path())
            .output()
            .map_err(|error| fail(job, format!("ptxas cannot be started ('{}'): {error}", ptxas.display()), None))?;
        let folder = work.path().join("").to_string_lossy().into_owned();
        let text = [done.stdout, done.stderr].concat();
        let log = String::from_utf8_lossy(&text).replace(&folder, "");
        if !done.status.success() {
            return Err(fail(job, format!("ptxas ended with {}", done.status), Some(&log)));
        }
        if job.options.ptxas.iter().any(|word| word == "-v") && !log.is_empty() {
            eprint!("{log}");
        }
        match std::fs::read(&output) {
            Ok(cubin) if cubin.starts_with(b"\x7fELF") => Ok(cubin),
            Ok(other) => Err(fail(job, format!("ptxas wrote {} bytes that are no ELF file", other.len()), Some(&log))),
            Err(error) => Err(fail(job, format!("ptxas wrote nothing: {error}"), Some(&log))),
        }
    }

    fn key(&self, job: &Job<'_>) -> Option<blake3::Hash> {
        self.settings.cache.as_ref()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(blake3::hash(&job.part.code).as_bytes());
        let fields = [job.target.name(), format!("{:?} {:?}", job.options, job.aspects), self.toolchain.identity()];
        for field in fields {
            hasher.update(&(field.len() as u64).to_le_bytes()).update(field.as_bytes());
        }
        Some(hasher.finalize())
    }
}

/// The image of a part's code.
fn finished(job: &Job<'_>, code: Vec<u8>) -> Image {
    let format = if job.toolkit.ptxas.is_some() { Format::Fatbin } else { Format::Ptx };
    let (manifest, symbols) = (job.part.manifest.clone(), job.part.symbols.clone());
    let target = image_target(job.target, &job.options.arch);
    Image { target, format, options: String::new(), manifest, symbols, code }
}

fn fail(job: &Job<'_>, what: String, log: Option<&str>) -> Failure {
    let message = format!("cannot compile device code for '{}': {what}", job.target.name());
    let kernels: Vec<String> = job.part.symbols.iter().map(|symbol| scythe_split::kernel_name(symbol)).collect();
    let mut fault = Diagnostic::error(message).note(format!("the code holds {}", kernels.join(", ")));
    if let Some(log) = log.map(str::trim).filter(|log| !log.is_empty()) {
        fault = fault.note(format!("what ptxas said:\n{}", with_kernel_names(log, &job.part.symbols)));
    }
    fault.into()
}

/// ptxas knows kernels by their symbols in PTX; people know them by name.
fn with_kernel_names(log: &str, symbols: &[String]) -> String {
    let mut longest_first: Vec<&String> = symbols.iter().collect();
    longest_first.sort_by_key(|symbol| std::cmp::Reverse(symbol.len()));
    longest_first.into_iter().fold(log.to_owned(), |log, symbol| {
        log.replace(&scythe_abi::cuda::symbol(symbol), &scythe_split::kernel_name(symbol))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<TargetOptions, Failure> {
        parse(scythe_device_config::words::split(text), "nvidia_gpu_sm_90")
    }

    #[test]
    fn options_for_ptxas_are_passed_on() {
        let options = parsed("-O2 -Xptxas -dlcm=ca --ptxas-options=-v,-warn-spills --maxrregcount=64").unwrap();
        assert_eq!(options.opt_level, 2);
        assert_eq!(options.ptxas, ["-dlcm=ca", "-v", "-warn-spills", "--maxrregcount=64"]);
        assert_eq!(parsed("--cuda-path=/x").unwrap().cuda_path.as_deref(), Some("/x"));
        assert_eq!(parsed("").unwrap().opt_level, 3);
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |text| parsed(text).unwrap_err().to_string();
        assert!(bad("-O7").contains("unknown option '-O7' for 'nvidia_gpu_sm_90': expected -O0"), "{}", bad("-O7"));
        assert!(bad("-Xptxas").contains("expected an option for ptxas after it"));
    }

    #[test]
    fn logs_name_kernels_as_people_do() {
        let symbols = ["_ZTS1K".to_owned(), "_ZTS1K.tu.0123456789abcdef".to_owned()];
        let log = "ptxas error : Entry function '_ZTS1K$2etu$2e0123456789abcdef' uses too much shared data";
        assert_eq!(with_kernel_names(log, &symbols), "ptxas error : Entry function 'K' uses too much shared data");
    }
}
