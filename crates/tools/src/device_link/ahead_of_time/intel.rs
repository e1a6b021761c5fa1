//! Writes device binaries for Intel GPUs. This program writes SPIR-V, and ocloc compiles it for
//! each device.
//!
//! Images are in the order of targets, devices and parts. A part that is linked with other images
//! at run time stays bitcode, in images for the same device: ocloc rejects undefined symbols, and
//! its binaries export nothing.

mod devices;
mod ocloc;

use super::super::settings::Settings;
use super::super::{filter, is_finished_at_run_time};
use super::external::{self, Fault};
use crate::errors::{CannotCompile, DeviceGiven, NoConfiguredDevice, NoDevice, ReservedOption};
use crate::{Failure, aspect_filter, device_library, parallel};
use devices::{Device, known_target, unknown_device};
use ocloc::Ocloc;
use scythe_abi::environment::SPIRV_VALIDATOR;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::intel::Version;
use scythe_abi::target::Target;
use scythe_codegen::spirv;
use scythe_device_config::{OCLOC_DEVICE as DEVICE, intel_name};
use scythe_diag::{Diagnostic, Report};
use scythe_image::{Format, Image, archive};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The version of SPIR-V that ocloc reads since 2022. It supports only a part of version 1.4,
/// without comparisons of pointers.
const SPIRV_VERSION: u32 = 0x0001_0300;

/// The extensions that ocloc supports for every device since 2022.
const EXTENSIONS: [&str; 4] = [
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_subgroups",
    "SPV_KHR_no_integer_wrap_decoration",
];

/// The kind of the entries in the link cache.
const CACHE_KIND: &str = "binary";

/// The options for one target.
struct TargetOptions {
    /// The devices, as a list for ocloc.
    devices: String,
    /// All other options.
    others: Vec<String>,
}

/// The SPIR-V of a part, for all devices with the same aspects.
struct Translation {
    part: usize,
    /// The aspects of the devices. Empty if the part's code does not depend on them.
    aspects: Vec<u32>,
    spirv: OnceLock<Result<Vec<u8>, String>>,
}

/// One run of ocloc.
struct Job {
    device: usize,
    translation: usize,
}

pub struct Compiler<'s> {
    settings: &'s Settings<'s>,
    /// The ocloc programs, by their names in the device configuration.
    tools: BTreeMap<String, Arc<Ocloc>>,
    devices: Vec<Device>,
    parts: Vec<Image>,
    translations: Vec<Translation>,
    jobs: Vec<Job>,
    /// Images that need no compiler, each with the number of its device.
    uncompiled: Vec<(usize, Image)>,
}

impl<'s> Compiler<'s> {
    pub fn new(settings: &'s Settings<'s>) -> Self {
        Self {
            settings,
            tools: BTreeMap::new(),
            devices: Vec::new(),
            parts: Vec::new(),
            translations: Vec::new(),
            jobs: Vec::new(),
            uncompiled: Vec::new(),
        }
    }
}

impl super::Compiler for Compiler<'_> {
    fn check(&self, target: Target) -> Result<(), Failure> {
        tool(target, self.settings)?;
        options(target, self.settings).map(|_| ())
    }

    fn find_tools(&mut self, targets: &[Target]) -> Result<(), Failure> {
        for &target in targets {
            let name = tool(target, self.settings)?;
            if !self.tools.contains_key(name) {
                let found = Ocloc::find(name, &target.name(), &self.settings.scratch)?;
                self.tools.insert(name.to_owned(), Arc::new(found));
            }
        }
        Ok(())
    }

    fn identity(&self) -> String {
        self.tools.values().map(|ocloc| ocloc.identity()).collect::<Vec<_>>().join("\n")
    }

    fn slowest_size_limit(&self) -> Option<u32> {
        None
    }

    fn builds_generic_images(&self) -> bool {
        false
    }

    fn add(&mut self, target: Target, parts: &[Image]) -> Result<(), Failure> {
        if parts.is_empty() {
            return Ok(());
        }
        let first_part = self.parts.len();
        self.parts.extend_from_slice(parts);
        let ocloc = &self.tools[tool(target, self.settings)?];
        let options = options(target, self.settings)?;
        for device in devices::of_target(target, ocloc, &options, self.settings)? {
            let index = self.devices.len();
            let (kept, left_out) =
                filter::for_device(&device.entry, &device.target, parts, self.settings)?;
            for number in kept {
                let part = &parts[number];
                if !part.symbols.is_empty() && part.manifest.imports.is_empty() {
                    self.add_job(index, first_part + number, &device.entry)?;
                }
                if is_finished_at_run_time(part) {
                    let symbols = kernels(part);
                    self.settings.tell(format_args!(
                        "{}: also to be finished at run time: {symbols}",
                        device.shown
                    ));
                    self.uncompiled.push((
                        index,
                        Image { target: device.target.as_str().into(), ..part.clone() },
                    ));
                }
            }
            self.uncompiled.extend(left_out.into_iter().map(|image| (index, image)));
            self.devices.push(device);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Image>, Failure> {
        if self.devices.is_empty() {
            return Ok(Vec::new());
        }
        let folder = device_library::folder()?;
        if !self.jobs.is_empty() {
            self.settings
                .tell(format_args!("compiling {} device binaries for Intel GPUs", self.jobs.len()));
        }
        let binaries =
            parallel::map(self.settings.jobs, &self.jobs, |job| self.compile(job, &folder));
        let mut images: Vec<(usize, Image)> = Vec::new();
        // A device may be in a range and also have a name in the list.
        let mut made = HashSet::new();
        for (job, binaries) in self.jobs.iter().zip(binaries) {
            let number = self.translations[job.translation].part;
            for (target, code) in binaries? {
                if made.insert((target.clone(), number)) {
                    images.push((job.device, image(&self.parts[number], target, code)));
                }
            }
        }
        images.extend(self.uncompiled);
        images.sort_by_key(|(device, _)| *device);
        Ok(images.into_iter().map(|(_, image)| image).collect())
    }
}

impl Compiler<'_> {
    /// Compiles the binaries of one job, each with its target. Only a range of devices has several.
    fn compile(&self, job: &Job, device_library: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let (device, translation) =
            (&self.devices[job.device], &self.translations[job.translation]);
        let part = &self.parts[translation.part];
        let compiler = device.compiler.name();
        let fail = |error: Diagnostic, log: &str| {
            let mut error = error.note(format!("the code contains {}", kernels(part)));
            if !log.is_empty() {
                error = error.note(format!("{compiler} printed:\n{log}"));
            }
            Failure::from(error)
        };
        let no_output = |reason: String, log: &str| {
            fail(Fault::Output(reason).report(&device.shown, &compiler), log)
        };
        let options = device.options();
        let key = self.key(job);
        let cached = self.settings.cache.as_ref().zip(key.as_ref());
        if let Some(code) = cached.and_then(|(cache, key)| cache.binary(CACHE_KIND, key)) {
            return binaries(device, &code, "").map_err(|reason| no_output(reason, ""));
        }
        let spirv =
            translation.spirv.get_or_init(|| translate(part, &translation.aspects, device_library));
        let spirv = spirv.as_ref().map_err(|reason| {
            let (target, reason) = (device.shown.clone(), reason.clone());
            fail(CannotCompile { target, reason }.report(), "")
        })?;
        let tell = |command: &str| self.settings.tell(format_args!("{command}"));
        let compiled = device.compiler.compile(spirv, &options, &self.settings.scratch, &tell);
        let (code, log) = compiled.map_err(|failed| {
            match device.compiler.is_unknown_device(&device.name, &failed) {
                true => {
                    unknown_device(&device.compiler, &device.name, &device.shown, Some(&failed))
                }
                false => fail(failed.fault.report(&device.shown, &compiler), &failed.log),
            }
        })?;
        if !log.is_empty() {
            self.settings.tell(format_args!("{compiler} for {}: {log}", device.name));
        }
        let made = binaries(device, &code, &log).map_err(|reason| no_output(reason, &log))?;
        // The target of a PCI device comes from ocloc's log, which the cache does not contain.
        if let Some((cache, key)) = cached.filter(|_| !device.name.starts_with("0x")) {
            cache.keep_binary(CACHE_KIND, key, &code);
        }
        Ok(made)
    }

    fn key(&self, job: &Job) -> Option<blake3::Hash> {
        self.settings.cache.as_ref()?;
        let (device, translation) =
            (&self.devices[job.device], &self.translations[job.translation]);
        let aspects = translation.aspects.iter().flat_map(|aspect| aspect.to_le_bytes());
        let (aspects, options) = (aspects.collect::<Vec<u8>>(), device.options().join("\0"));
        let fields = [&aspects, device.compiler.identity().as_bytes(), options.as_bytes()];
        Some(external::key(&self.parts[translation.part], &fields))
    }

    fn add_job(&mut self, device: usize, part: usize, entry: &str) -> Result<(), Failure> {
        let entry = aspect_filter::target(&self.settings.split.targets, entry)?;
        let aspects = match self.parts[part].manifest.asks_for_aspects {
            true => entry.aspects.iter().map(|&aspect| aspect as u32).collect(),
            false => Vec::new(),
        };
        let same = |known: &Translation| known.part == part && known.aspects == aspects;
        let translation = self.translations.iter().position(same).unwrap_or_else(|| {
            self.translations.push(Translation { part, aspects, spirv: OnceLock::new() });
            self.translations.len() - 1
        });
        self.jobs.push(Job { device, translation });
        Ok(())
    }
}

/// Returns the options of the device configuration, and then those of the user.
fn options(target: Target, settings: &Settings<'_>) -> Result<TargetOptions, Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    let (configured, given) = (entry.options(), settings.options_for(target));
    if let Some(word) = ocloc::own_option(&configured).or_else(|| ocloc::own_option(&given)) {
        let (option, target) = (word.to_owned(), entry.name.to_string());
        return Err(Failure::new(&ReservedOption { option, target }));
    }
    if target != Target::IntelGen && given.iter().any(|word| word == DEVICE) {
        return Err(Failure::new(&DeviceGiven { target: entry.name.to_string() }));
    }
    let (mut devices, mut others) = (None, Vec::new());
    let mut all = configured.into_iter().chain(given);
    while let Some(word) = all.next() {
        match word == DEVICE {
            true => devices = all.next(),
            false => others.push(word),
        }
    }
    match devices.filter(|list| !list.is_empty()) {
        Some(devices) => Ok(TargetOptions { devices, others }),
        None if target != Target::IntelGen => {
            Err(Failure::new(&NoConfiguredDevice { target: entry.name.to_string() }))
        }
        None => Err(Failure::new(&NoDevice { target: entry.name.to_string() })),
    }
}

/// Returns the name of ocloc in the device configuration.
fn tool<'a>(target: Target, settings: &'a Settings<'_>) -> Result<&'a str, Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    entry.id()?;
    Ok(&entry.aot_toolchain)
}

/// Makes the image of a part's binary.
fn image(part: &Image, target: String, code: Vec<u8>) -> Image {
    let (manifest, symbols) = (part.manifest.clone(), part.symbols.clone());
    Image {
        target: ImageTarget::parse(target),
        format: Format::IntelGpu,
        options: String::new(),
        manifest,
        symbols,
        code,
    }
}

fn translate(part: &Image, aspects: &[u32], device_library: &Path) -> Result<Vec<u8>, String> {
    let options = spirv::Options {
        device_lib_dir: Some(PathBuf::from(device_library)),
        extensions: EXTENSIONS.map(str::to_owned).into(),
        version: SPIRV_VERSION,
        aspects: aspects.to_vec(),
        validator: std::env::var_os(SPIRV_VALIDATOR.name)
            .filter(|name| !name.is_empty())
            .map(PathBuf::from),
        ..spirv::Options::default()
    };
    spirv::translate(&part.code, &[], &options).map_err(|error| error.to_string())
}

/// Returns the binaries in ocloc's output, each with its target. The name of an archive member
/// consists of the address size in bits and a version, `64.9.0.9`.
fn binaries(device: &Device, code: &[u8], log: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    if !archive::is_archive(code) {
        let told = || {
            log.lines()
                .find_map(|line| line.strip_prefix("Auto-detected target")?.rsplit(' ').next())
        };
        let target = Some(&device.target).filter(|_| !device.name.starts_with("0x")).cloned();
        let target =
            target.or_else(|| known_target(told()?)).unwrap_or_else(|| device.target.clone());
        return Ok(vec![(target, code.to_vec())]);
    }
    let members =
        archive::members(code).map_err(|error| format!("wrote a damaged archive: {error}"))?;
    let binaries: Vec<_> = members
        .iter()
        .filter_map(|member| {
            let version = Version::from_ocloc(member.name.strip_prefix("64.")?)?;
            Some((intel_name(version), member.data?.to_vec()))
        })
        .collect();
    if binaries.is_empty() {
        let names: Vec<&str> = members.iter().map(|member| member.name).collect();
        let seen = names.join(", ");
        return Err(format!("wrote an archive of {seen}: expected names such as '64.9.0.9'"));
    }
    Ok(binaries)
}

/// Lists the kernels of a part, for messages.
fn kernels(part: &Image) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> =
        part.symbols.iter().take(SHOWN).map(|symbol| scythe_split::kernel_name(symbol)).collect();
    match (names.len(), part.symbols.len().saturating_sub(SHOWN)) {
        (0, _) => "no kernel".to_owned(),
        (1, _) => format!("kernel {}", names[0]),
        (_, 0) => format!("kernels {}", names.join(", ")),
        (_, more) => format!("kernels {} and {more} more", names.join(", ")),
    }
}
