//! Writes fat binaries for NVIDIA GPUs. This program writes PTX, ptxas compiles it to a cubin, and
//! an image contains both.
//!
//! Images are in the order of targets and parts. Without ptxas, or if ptxas does not support the
//! architecture, images contain only PTX, which the driver compiles at run time.

use super::super::settings::Settings;
use super::super::{filter, is_finished_at_run_time};
use super::Compiler as _;
use super::external::{self, FailedRun, Fault, stamp, temporary_folder};
use crate::errors::{CannotCompile, NoArchitecture, NoCuda, NoPtxasOption, UnknownCompilerOption};
use crate::{Failure, aspect_filter, device_library, parallel};
use scythe_abi::cuda::{Architecture, MAX_SLOWEST_SIZE};
use scythe_abi::image_target::ImageTarget;
use scythe_abi::target::{SEPARATOR, Target};
use scythe_codegen::nvptx::{self, toolkit::Toolkit};
use scythe_diag::{Diagnostic, Report};
use scythe_image::{Format, Image, fatbin};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The options of these targets, for errors.
const OPTIONS: &str = "-O0 to -O3, --cuda-path=DIR, -Xptxas OPTION, --ptxas-options=OPTION, \
                       --maxrregcount=N, -v";

/// The kind of the entries in the link cache.
const CACHE_KIND: &str = "binary";

/// The options for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TargetOptions {
    opt_level: u32,
    ptxas: Vec<String>,
    cuda_path: Option<String>,
    /// The architecture, such as `sm_90`.
    arch: String,
    /// The PTX version, times ten.
    ptx_version: u32,
}

/// The compilation of a part for a target.
struct Job {
    target: Target,
    toolkit: Toolkit,
    options: TargetOptions,
    aspects: Vec<u32>,
    part: Image,
}

pub struct Compiler<'s> {
    settings: &'s Settings<'s>,
    /// The installation of CUDA that each target uses.
    tools: Vec<(Target, Toolkit)>,
    jobs: Vec<Job>,
    /// Images that need no compiler, each with the number of jobs before it.
    uncompiled: Vec<(usize, Image)>,
    /// The targets whose architecture ptxas does not support.
    unsupported: Mutex<BTreeSet<String>>,
}

impl<'s> Compiler<'s> {
    pub fn new(settings: &'s Settings<'s>) -> Self {
        Self {
            settings,
            tools: Vec::new(),
            jobs: Vec::new(),
            uncompiled: Vec::new(),
            unsupported: Mutex::default(),
        }
    }
}

impl super::Compiler for Compiler<'_> {
    fn check(&self, target: Target) -> Result<(), Failure> {
        options(target, self.settings).map(|_| ())
    }

    fn find_tools(&mut self, targets: &[Target]) -> Result<(), Failure> {
        for &target in targets {
            let options = options(target, self.settings)?;
            let toolkit = match options.cuda_path.as_deref().or(self.settings.cuda_path.as_deref())
            {
                None => Toolkit::find(),
                Some(path) => Toolkit::at(Path::new(path)).ok_or_else(|| {
                    Failure::new(&NoCuda { path: path.to_owned(), target: target.name() })
                })?,
            };
            self.tools.push((target, toolkit));
        }
        let lacking: Vec<String> =
            self.tools.iter().filter(|f| f.1.ptxas.is_none()).map(|f| f.0.name()).collect();
        if !lacking.is_empty() {
            remark_on_ptx("no ptxas was found", &lacking);
        }
        Ok(())
    }

    fn identity(&self) -> String {
        let libclc = (!self.tools.is_empty()).then(nvptx::libraries::libclc);
        let toolkits = self
            .tools
            .iter()
            .flat_map(|(_, toolkit)| [toolkit.ptxas.clone(), toolkit.libdevice.clone()]);
        let file =
            |path: Option<PathBuf>| format!("{path:?} {:?}", path.as_deref().and_then(stamp));
        toolkits.chain(libclc).map(file).collect::<Vec<_>>().join("\n")
    }

    fn slowest_size_limit(&self) -> Option<u32> {
        Some(MAX_SLOWEST_SIZE)
    }

    fn builds_generic_images(&self) -> bool {
        false
    }

    fn add(&mut self, target: Target, parts: &[Image]) -> Result<(), Failure> {
        let (kept, left_out) = filter::for_target(target, parts, self.settings)?;
        let entry = aspect_filter::target(&self.settings.split.targets, &target.name())?;
        let aspects: Vec<u32> = entry.aspects.iter().map(|&aspect| aspect as u32).collect();
        // `find_tools` has found the toolkits of all targets.
        let Some((_, toolkit)) = self.tools.iter().find(|(known, _)| *known == target) else {
            return Ok(());
        };
        for part in kept {
            let own = options(target, self.settings)?;
            if is_finished_at_run_time(&part) {
                let (target, options) =
                    (image_target(target, &own.arch), self.settings.run_time_options.clone());
                self.uncompiled.push((self.jobs.len(), Image { target, options, ..part.clone() }));
            }
            if part.symbols.is_empty() || !part.manifest.imports.is_empty() {
                continue;
            }
            self.jobs.push(Job {
                target,
                toolkit: toolkit.clone(),
                options: own,
                aspects: aspects.clone(),
                part,
            });
        }
        let jobs = self.jobs.len();
        self.uncompiled.extend(left_out.into_iter().map(|image| (jobs, image)));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Image>, Failure> {
        let mut images = Vec::new();
        if !self.jobs.is_empty() {
            let folder = device_library::folder()?;
            self.settings.tell(format_args!("compiling {} parts for NVIDIA GPUs", self.jobs.len()));
            let made =
                parallel::map(self.settings.jobs, &self.jobs, |job| self.compile(job, &folder));
            let unsupported = self.unsupported.lock().unwrap_or_else(PoisonError::into_inner);
            if !unsupported.is_empty() {
                let targets: Vec<String> = unsupported.iter().cloned().collect();
                remark_on_ptx("ptxas does not support the architecture", &targets);
            }
            for (index, (job, code)) in self.jobs.iter().zip(made).enumerate() {
                images.push((index, image(job, code?)));
            }
        }
        images.extend(self.uncompiled);
        images.sort_by_key(|(index, _)| *index);
        Ok(images.into_iter().map(|(_, image)| image).collect())
    }
}

impl Compiler<'_> {
    /// Compiles the code of one image.
    fn compile(&self, job: &Job, device_library: &Path) -> Result<Vec<u8>, Failure> {
        let (arch, ptx_version) = (job.options.arch.as_str(), job.options.ptx_version);
        let key = self.key(job);
        let cached = self.settings.cache.as_ref().zip(key.as_ref());
        if let Some(code) = cached.and_then(|(cache, key)| cache.binary(CACHE_KIND, key)) {
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
            kernel: None,
        };
        let mut ptx = nvptx::translate(&job.part.code, &[], &options).map_err(|error| {
            let (target, reason) = (job.target.name(), error.to_string());
            fail(job, CannotCompile { target, reason }.report(), "")
        })?;
        let code = match &job.toolkit.ptxas {
            None => {
                // The driver expects a C string.
                ptx.push(0);
                ptx
            }
            Some(ptxas) => {
                let sm = Architecture::from_name(arch).map_or(0, |arch| arch.sm);
                let generic = fatbin::Entry::ptx(sm, ptx_version, &ptx);
                match self.assemble(job, ptxas, arch, &ptx) {
                    Ok(cubin) => fatbin::write(&[fatbin::Entry::cubin(sm, &cubin), generic]),
                    Err(failed) if failed.log.contains(UNKNOWN_ARCHITECTURE) => {
                        let mut unsupported =
                            self.unsupported.lock().unwrap_or_else(PoisonError::into_inner);
                        unsupported.insert(job.target.name());
                        fatbin::write(&[generic])
                    }
                    Err(failed) => {
                        let error = failed.fault.report(&job.target.name(), "ptxas");
                        return Err(fail(job, error, &failed.log));
                    }
                }
            }
        };
        if let Some((cache, key)) = cached {
            cache.keep_binary(CACHE_KIND, key, &code);
        }
        Ok(code)
    }

    fn key(&self, job: &Job) -> Option<blake3::Hash> {
        self.settings.cache.as_ref()?;
        let fields =
            [job.target.name(), format!("{:?} {:?}", job.options, job.aspects), self.identity()];
        Some(external::key(&job.part, &fields.each_ref().map(|field| field.as_bytes())))
    }

    /// Makes a cubin with ptxas, in a temporary folder.
    fn assemble(
        &self,
        job: &Job,
        ptxas: &Path,
        arch: &str,
        ptx: &[u8],
    ) -> Result<Vec<u8>, FailedRun> {
        let work = temporary_folder(&self.settings.scratch)?;
        let (input, output) = (work.path().join("device.ptx"), work.path().join("device.cubin"));
        std::fs::write(&input, ptx).map_err(|error| Fault::Input { file: input.clone(), error })?;
        let mut command = Command::new(ptxas);
        command.arg(format!("-arch={arch}")).arg(format!("-O{}", job.options.opt_level));
        if ptx.windows(LINE_DIRECTIVE.len()).any(|bytes| bytes == LINE_DIRECTIVE) {
            command.arg("-lineinfo");
        }
        command.args(&job.options.ptxas);
        let asks = job.options.ptxas.iter().any(|word| word == "-v");
        if self.settings.is_verbose() && !asks {
            command.arg("-v");
        }
        command.arg("-o").arg(&output).arg(&input).stdin(Stdio::null());
        self.settings.tell(format_args!("{}", external::shown(&command)));
        let done = command
            .current_dir(work.path())
            .output()
            .map_err(|error| Fault::Start { program: ptxas.to_owned(), error })?;
        let folder = work.path().join("").to_string_lossy().into_owned();
        let text = [done.stdout, done.stderr].concat();
        let log = String::from_utf8_lossy(&text).replace(&folder, "");
        if !done.status.success() {
            return Err(FailedRun { fault: Fault::Status(done.status), log });
        }
        if asks && !log.is_empty() {
            eprint!("{log}");
        } else if self.settings.is_verbose() && !log.is_empty() {
            eprint!("{}", with_kernel_names(&log, &job.part.symbols));
        }
        let reason = match std::fs::read(&output) {
            Ok(cubin) if cubin.starts_with(b"\x7fELF") => return Ok(cubin),
            Ok(other) => format!("wrote {} bytes that are not an ELF file", other.len()),
            Err(error) => format!("wrote no output: {error}"),
        };
        Err(FailedRun { fault: Fault::Output(reason), log })
    }
}

/// The end of ptxas' message about an architecture that it does not support.
const UNKNOWN_ARCHITECTURE: &str = "is not defined for option 'gpu-name'";

/// Reports targets whose code is PTX without machine code.
fn remark_on_ptx(reason: &str, targets: &[String]) {
    let message = format!("{reason}, so that the code for {} is PTX alone", targets.join(", "));
    let remark = Diagnostic::remark(message)
        .note(
            "the driver compiles it when a program runs; CUDA, or the wheel \
            nvidia-cuda-nvcc-cu12, has ptxas",
        )
        .note("'--cuda-path=DIR' tells where CUDA is");
    eprint!("{}", remark.render_as("device-link"));
}

/// The directive of line numbers in PTX. Without an option, ptxas drops them.
const LINE_DIRECTIVE: &[u8] = b"\t.loc\t";

/// Returns the options of the device configuration, and then those of the user.
fn options(target: Target, settings: &Settings<'_>) -> Result<TargetOptions, Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    entry.id()?;
    let (arch, configured) = entry.cuda_options();
    let known = arch.as_deref().and_then(Architecture::from_name);
    let (Some(arch), Some(_)) = (arch, known) else {
        return Err(Failure::new(&NoArchitecture { target: target.name() }));
    };
    let words = configured.into_iter().chain(settings.options_for(target)).collect();
    let options = parse(words, &target.name())?;
    Ok(TargetOptions { arch, ptx_version: entry.ptx_version(), ..options })
}

fn parse(words: Vec<String>, target: &str) -> Result<TargetOptions, Failure> {
    let mut options = TargetOptions { opt_level: 3, ..TargetOptions::default() };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        match (name, value) {
            ("-O0" | "-O1" | "-O2" | "-O3", None) => {
                options.opt_level = u32::from(name.as_bytes()[2] - b'0')
            }
            ("--cuda-path", Some(path)) => options.cuda_path = Some(path.to_owned()),
            ("-Xptxas" | "-Xcuda-ptxas", None) => {
                options.ptxas.push(words.next().ok_or_else(|| {
                    let (option, target) = (word.clone(), target.to_owned());
                    Failure::new(&NoPtxasOption { option, target })
                })?)
            }
            ("--ptxas-options" | "-Xptxas", Some(list)) => {
                options.ptxas.extend(list.split(',').map(str::to_owned))
            }
            ("--maxrregcount" | "-maxrregcount", Some(_)) => options.ptxas.push(word),
            ("-v" | "--verbose", None) => options.ptxas.push("-v".to_owned()),
            _ => {
                let (option, target) = (word, target.to_owned());
                let unknown = UnknownCompilerOption { option, target, expected: OPTIONS };
                return Err(Failure::new(&unknown));
            }
        }
    }
    Ok(options)
}

/// Makes the image of a part's code.
fn image(job: &Job, code: Vec<u8>) -> Image {
    let format = if job.toolkit.ptxas.is_some() { Format::Fatbin } else { Format::Ptx };
    let (manifest, symbols) = (job.part.manifest.clone(), job.part.symbols.clone());
    let target = image_target(job.target, &job.options.arch);
    Image { target, format, options: String::new(), manifest, symbols, code }
}

/// Returns the target of images, which contains the architecture.
fn image_target(target: Target, arch: &str) -> ImageTarget {
    let name = target.image_target();
    match Architecture::of_target(&name) == Architecture::from_name(arch) {
        true => ImageTarget::parse(name),
        false => ImageTarget::parse(format!("{name}{SEPARATOR}{arch}")),
    }
}

/// Adds the kernels of a job and the text that ptxas printed to an error.
fn fail(job: &Job, error: Diagnostic, log: &str) -> Failure {
    let kernels: Vec<String> =
        job.part.symbols.iter().map(|symbol| scythe_split::kernel_name(symbol)).collect();
    let error = error.note(format!("the code contains {}", kernels.join(", ")));
    match log.trim() {
        "" => error.into(),
        log => {
            let log = with_kernel_names(log, &job.part.symbols);
            error.note(format!("ptxas printed:\n{log}")).into()
        }
    }
}

/// Replaces the symbols of kernels in a log of ptxas by the names of the kernels.
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
        parse(scythe_device_config::shell_words::split(text), "nvidia_gpu_sm_90")
    }

    #[test]
    fn options_for_ptxas_are_passed_on() {
        let options =
            parsed("-O2 -Xptxas -dlcm=ca --ptxas-options=-v,-warn-spills --maxrregcount=64")
                .unwrap();
        assert_eq!(options.opt_level, 2);
        assert_eq!(options.ptxas, ["-dlcm=ca", "-v", "-warn-spills", "--maxrregcount=64"]);
        assert_eq!(parsed("--cuda-path=/x").unwrap().cuda_path.as_deref(), Some("/x"));
        assert_eq!(parsed("").unwrap().opt_level, 3);
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |text| parsed(text).unwrap_err().to_string();
        assert!(
            bad("-O7").contains("unknown option '-O7' for 'nvidia_gpu_sm_90': expected -O0"),
            "{}",
            bad("-O7")
        );
        assert!(bad("-Xptxas").contains("expected an option for ptxas after it"));
    }

    #[test]
    fn logs_name_kernels_as_people_do() {
        let symbols = ["_ZTS1K".to_owned(), "_ZTS1K.tu.0123456789abcdef".to_owned()];
        let log = "ptxas error : Entry function '_ZTS1K$2etu$2e0123456789abcdef' uses too much \
            shared data";
        assert_eq!(
            with_kernel_names(log, &symbols),
            "ptxas error : Entry function 'K' uses too much shared data"
        );
    }
}
