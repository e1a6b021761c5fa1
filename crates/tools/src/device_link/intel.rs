//! Device binaries for Intel's GPUs: which devices a target stands for, and SPIR-V, ocloc and an image for each.
//!
//! All parts of all targets are collected first and compiled together, several at a time. Images come in the order of targets,
//! devices and parts. What is linked with other images at run time is bitcode, in images for the same device: ocloc would miss
//! what a part imports, and its binaries export nothing.

use super::filter;
use super::inputs::Group;
use super::ocloc::{self, Fault, Ocloc};
use super::settings::Settings;
use crate::ahead_of_time::device_library_folder;
use crate::{Failure, aspect_filter, parallel};
use scythe_abi::environment::SPIRV_VALIDATOR;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::intel::Version;
use scythe_abi::target::{Family, SEPARATOR, Target};
use scythe_codegen::spirv;
use scythe_device_config::{OCLOC_DEVICE as DEVICE, Table, intel_name};
use scythe_diag::Diagnostic;
use scythe_image::{Format, Image, archive};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What ocloc since 2022 reads. Of version 1.4 it knows some instructions only: comparisons of pointers are not among them.
const SPIRV_VERSION: u32 = 0x0001_0300;

/// Extensions that ocloc since 2022 knows for every device.
const EXTENSIONS: [&str; 4] = [
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_subgroups",
    "SPV_KHR_no_integer_wrap_decoration",
];

/// ocloc by the name that the device configuration gives it, of which there may be several.
#[derive(Default)]
pub struct Toolchain(BTreeMap<String, Ocloc>);

impl Toolchain {
    /// Looks for all that these groups need. Without targets for Intel's GPUs, that is nothing.
    pub fn find(groups: &[Group<'_>], settings: &Settings<'_>) -> Result<Self, Failure> {
        let mut found = BTreeMap::new();
        for target in
            groups.iter().flat_map(|group| &group.targets).copied().filter(|target| target.family() == Family::Intel)
        {
            let name = compiler(target, settings)?;
            if !found.contains_key(name) {
                found.insert(name.to_owned(), Ocloc::find(name, &target.name(), &settings.scratch)?);
            }
        }
        Ok(Self(found))
    }

    /// What stands for the compilers in keys of the cache.
    pub fn identity(&self) -> String {
        self.0.values().map(Ocloc::identity).collect::<Vec<_>>().join("\n")
    }
}

/// Finds mistakes in the options for a target's compiler.
pub fn check(target: Target, settings: &Settings<'_>) -> Result<(), Failure> {
    compiler(target, settings)?;
    options(target, settings).map(|_| ())
}

/// The compiler that the device configuration names.
fn compiler<'a>(target: Target, settings: &'a Settings<'_>) -> Result<&'a str, Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    entry.id().map_err(Failure::new)?;
    Ok(&entry.aot_toolchain)
}

/// The list of devices, and all other options for the compiler: those of the device configuration before the user's.
fn options(target: Target, settings: &Settings<'_>) -> Result<(String, Vec<String>), Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    let (configured, given) = (entry.options(), settings.options_for(target));
    if let Some(word) = ocloc::own_option(&configured).or_else(|| ocloc::own_option(&given)) {
        let message = format!("'{word}' among the options for '{}': device-link passes it to ocloc itself", entry.name);
        return Err(Failure::new(message));
    }
    if target != Target::IntelGen && given.iter().any(|word| word == DEVICE) {
        return Err(Failure::new(format!("'{DEVICE}' among the options for '{}': the target names it", entry.name)));
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
        Some(devices) => Ok((devices, others)),
        None if target != Target::IntelGen => Err(Failure::new(format!(
            "the device configuration names no device for the target '{}': expected '{DEVICE} NAME' in its \
             'aot-toolchain-options'",
            entry.name
        ))),
        None => Err(Failure::new(format!(
            "code for '{0}' needs the option '{DEVICE} NAME[,NAME…]' for its compiler: '-Xsycl-target-backend={0} \"{DEVICE} skl\"', or \
             a target such as 'intel_gpu_skl'",
            entry.name
        ))),
    }
}

/// One device to compile for, or a range of devices that only ocloc knows.
struct Device<'t> {
    compiler: &'t Ocloc,
    /// As the user or the device configuration writes it.
    name: String,
    /// The target of its images; of a range, what to call it.
    target: String,
    /// That target as messages name it.
    shown: String,
    /// The target of the device configuration that tells what it has.
    entry: String,
    options: Vec<String>,
}

impl Device<'_> {
    fn options(&self) -> Vec<String> {
        [DEVICE.to_owned(), self.name.clone()].into_iter().chain(self.options.iter().cloned()).collect()
    }
}

/// The SPIR-V of a part, for all devices with the same answers to the part's questions.
struct Translation {
    part: usize,
    /// The aspects of the devices. Empty if the part does not ask for them.
    aspects: Vec<u32>,
    spirv: OnceLock<Result<Vec<u8>, String>>,
}

struct Job {
    device: usize,
    translation: usize,
}

/// What is to be compiled for Intel's GPUs.
pub struct Work<'t, 's> {
    toolchain: &'t Toolchain,
    settings: &'s Settings<'s>,
    devices: Vec<Device<'t>>,
    parts: Vec<Image>,
    translations: Vec<Translation>,
    jobs: Vec<Job>,
    /// Images that need no compiler, each with its device.
    finished: Vec<(usize, Image)>,
}

impl<'t, 's> Work<'t, 's> {
    pub fn new(toolchain: &'t Toolchain, settings: &'s Settings<'s>) -> Self {
        let (devices, parts, translations) = (Vec::new(), Vec::new(), Vec::new());
        Self { toolchain, settings, devices, parts, translations, jobs: Vec::new(), finished: Vec::new() }
    }

    /// Adds the parts of a program for a target: for each of its devices what it can run, and word of the rest.
    pub fn add(&mut self, target: Target, parts: &[Image]) -> Result<(), Failure> {
        if parts.is_empty() {
            return Ok(());
        }
        let first_part = self.parts.len();
        self.parts.extend_from_slice(parts);
        for device in self.devices_of(target)? {
            let index = self.devices.len();
            let (kept, left_out) = filter::for_device(&device.entry, &device.target, parts, self.settings)?;
            for number in kept {
                let part = &parts[number];
                if !part.symbols.is_empty() && part.manifest.imports.is_empty() {
                    self.add_job(index, first_part + number, &device.entry)?;
                }
                if super::is_finished_at_run_time(part) {
                    let symbols = kernels(part);
                    self.settings.tell(format_args!("{}: also to be finished at run time: {symbols}", device.shown));
                    self.finished.push((index, Image { target: device.target.as_str().into(), ..part.clone() }));
                }
            }
            self.finished.extend(left_out.into_iter().map(|image| (index, image)));
            self.devices.push(device);
        }
        Ok(())
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

    fn devices_of(&self, target: Target) -> Result<Vec<Device<'t>>, Failure> {
        let compiler = &self.toolchain.0[compiler(target, self.settings)?];
        let (list, options) = options(target, self.settings)?;
        let named = |name: &str, target: String| {
            let known = self.settings.split.targets.lookup(&target).is_some();
            let entry = if known { target.clone() } else { Target::IntelGen.name() };
            let shown = target.clone();
            Device { compiler, name: name.to_owned(), target, shown, entry, options: options.clone() }
        };
        if target != Target::IntelGen {
            return self.devices_of_entry(target, compiler, &list, &options);
        }
        let mut devices: Vec<Device<'t>> = Vec::new();
        for name in list.split(',').map(str::trim) {
            match known_target(name) {
                Some(known) => devices.push(named(name, known)),
                // The number of a PCI device.
                None if name.starts_with("0x") => devices.push(named(name, target.name())),
                None => {
                    let range = name.contains(':');
                    let versions = if range { compiler.range(name) } else { compiler.devices(name) };
                    match versions.is_empty() {
                        // ocloc tells the devices apart where it knows them.
                        true if range => devices.push(named(name, target.name())),
                        true => return Err(unknown_device(compiler, name, &target.name(), None)),
                        false => {
                            let all = versions.iter().map(|version| named(&version.to_string(), intel_name(*version)));
                            devices.extend(all);
                        }
                    }
                }
            }
        }
        // Each device once, however many names of it there are.
        let mut met = HashSet::new();
        devices.retain(|device| device.target == target.name() || met.insert(device.target.clone()));
        Ok(devices)
    }

    /// The devices of a target that the device configuration describes: one, unless its `-device` names several.
    fn devices_of_entry(
        &self,
        target: Target,
        compiler: &'t Ocloc,
        list: &str,
        options: &[String],
    ) -> Result<Vec<Device<'t>>, Failure> {
        let (entry, name) = (target.name(), target.image_target());
        let device = |device: &str, image: String| {
            let (name, options) = (device.to_owned(), options.to_vec());
            let shown = entry.clone();
            Device { compiler, name, target: image, shown, entry: entry.clone(), options }
        };
        // The runtime knows the versions of the default configuration.
        let embedded = Table::embedded().lookup(&name).and_then(|row| row.ocloc_device());
        if embedded.as_deref() == Some(list) {
            return Ok(vec![device(list, name)]);
        }
        let mut devices = Vec::new();
        for word in list.split(',').map(str::trim) {
            let versions = match (Version::from_ocloc(word), word.contains(':')) {
                (Some(version), _) => vec![version],
                (None, true) => compiler.range(word),
                (None, false) => compiler.devices(word),
            };
            let told = |version: &Version| device(&version.to_string(), format!("{name}{SEPARATOR}{version}"));
            match versions.as_slice() {
                // Only the driver can tell whether such code runs on its device.
                [] if word.starts_with("0x") => devices.push(device(word, name.clone())),
                [] => return Err(unknown_device(compiler, word, &target.name(), None)),
                [version] => devices.push(Device { name: word.to_owned(), ..told(version) }),
                several => devices.extend(several.iter().map(told)),
            }
        }
        let mut met = HashSet::new();
        devices.retain(|device| met.insert(device.target.clone()));
        Ok(devices)
    }

    /// Compiles all that was added.
    pub fn finish(self) -> Result<Vec<Image>, Failure> {
        if self.devices.is_empty() {
            return Ok(Vec::new());
        }
        let folder = device_library_folder()?;
        if !self.jobs.is_empty() {
            self.settings.tell(format_args!("compiling {} device binaries for Intel GPUs", self.jobs.len()));
        }
        let binaries = parallel::map(self.settings.jobs, &self.jobs, |job| self.compile(job, &folder));
        let mut images: Vec<(usize, Image)> = Vec::new();
        // Ranges may hold devices that are named as well.
        let mut made = HashSet::new();
        for (job, binaries) in self.jobs.iter().zip(binaries) {
            let number = self.translations[job.translation].part;
            for (target, code) in binaries? {
                if made.insert((target.clone(), number)) {
                    images.push((job.device, finished(&self.parts[number], target, code)));
                }
            }
        }
        images.extend(self.finished);
        images.sort_by_key(|(device, _)| *device);
        Ok(images.into_iter().map(|(_, image)| image).collect())
    }

    /// The binaries of one job, each with its target: one, but for ranges.
    fn compile(&self, job: &Job, device_library: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let (device, translation) = (&self.devices[job.device], &self.translations[job.translation]);
        let part = &self.parts[translation.part];
        let fail = |what: String, log: Option<&str>| {
            let message = format!("cannot compile device code for '{}': {what}", device.shown);
            let mut fault = Diagnostic::error(message).note(format!("the code holds {}", kernels(part)));
            if let Some(log) = log.filter(|log| !log.is_empty()) {
                fault = fault.note(format!("what {} said:\n{log}", device.compiler.name()));
            }
            Failure::from(fault)
        };
        let options = device.options();
        let key = self.key(device, translation, &options);
        let cached = self.settings.cache.as_ref().zip(key.as_ref());
        if let Some(code) = cached.and_then(|(cache, key)| cache.binary(key)) {
            return binaries(device, &code, "").map_err(|what| fail(what, None));
        }
        let spirv = translation.spirv.get_or_init(|| translate(part, &translation.aspects, device_library));
        let spirv = spirv.as_ref().map_err(|what| fail(what.clone(), None))?;
        let compiled = device.compiler.compile(spirv, &options, &self.settings.scratch);
        let (code, log) = compiled.map_err(|fault| match device.compiler.is_unknown_device(&device.name, &fault) {
            true => unknown_device(device.compiler, &device.name, &device.shown, Some(&fault)),
            false => fail(format!("{} {}", device.compiler.name(), fault.message), Some(&fault.log)),
        })?;
        if !log.is_empty() {
            self.settings.tell(format_args!("{} for {}: {log}", device.compiler.name(), device.name));
        }
        let made = binaries(device, &code, &log).map_err(|what| fail(what, Some(&log)))?;
        // What the log told of the device is not in the cache.
        if let Some((cache, key)) = cached.filter(|_| !device.name.starts_with("0x")) {
            cache.keep_binary(key, &code);
        }
        Ok(made)
    }

    fn key(&self, device: &Device<'_>, translation: &Translation, options: &[String]) -> Option<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(blake3::hash(&self.parts[translation.part].code).as_bytes());
        let aspects: Vec<u8> = translation.aspects.iter().flat_map(|aspect| aspect.to_le_bytes()).collect();
        let options = options.join("\0");
        for field in [&aspects, device.compiler.identity().as_bytes(), options.as_bytes()] {
            hasher.update(&(field.len() as u64).to_le_bytes()).update(field);
        }
        self.settings.cache.is_some().then(|| hasher.finalize())
    }
}

/// The target of the default configuration that ocloc's name of a device stands for: `acm-g10`, `9.0.9`.
fn known_target(name: &str) -> Option<String> {
    let table = Table::embedded();
    let same = |row: &&scythe_device_config::Target| row.ocloc_device().as_deref() == Some(name);
    let version = || Version::from_ocloc(name).map(intel_name);
    table.targets().find(same).map(|row| row.name.to_string()).or_else(version)
}

fn translate(part: &Image, aspects: &[u32], device_library: &Path) -> Result<Vec<u8>, String> {
    let options = spirv::Options {
        device_lib_dir: Some(PathBuf::from(device_library)),
        extensions: EXTENSIONS.map(str::to_owned).into(),
        version: SPIRV_VERSION,
        aspects: aspects.to_vec(),
        validator: std::env::var_os(SPIRV_VALIDATOR.name).filter(|name| !name.is_empty()).map(PathBuf::from),
        ..spirv::Options::default()
    };
    spirv::translate(&part.code, &[], &options).map_err(|error| error.to_string())
}

/// What ocloc wrote, each binary with its target. Members of an archive are named by the bits of an address and a version,
/// `64.9.0.9`.
fn binaries(device: &Device<'_>, code: &[u8], log: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    if !archive::is_archive(code) {
        let told = || log.lines().find_map(|line| line.strip_prefix("Auto-detected target")?.rsplit(' ').next());
        let target = Some(&device.target).filter(|_| !device.name.starts_with("0x")).cloned();
        let target = target.or_else(|| known_target(told()?)).unwrap_or_else(|| device.target.clone());
        return Ok(vec![(target, code.to_vec())]);
    }
    let members = archive::members(code).map_err(|error| format!("{}: {error}", device.compiler.name()))?;
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
        return Err(format!(
            "{} wrote an archive of {seen}: expected names such as '64.9.0.9'",
            device.compiler.name()
        ));
    }
    Ok(binaries)
}

fn unknown_device(compiler: &Ocloc, name: &str, target: &str, fault: Option<&Fault>) -> Failure {
    let message = format!(
        "{} does not know the device '{name}' of target '{target}'; a later version of the package {} may",
        compiler.name(),
        ocloc::PACKAGE
    );
    let error = Diagnostic::error(message);
    match fault.map(|fault| fault.log.as_str()).filter(|log| !log.is_empty()) {
        Some(log) => error.note(format!("it said:\n{log}")).into(),
        None => error.into(),
    }
}

/// The image of a part's binary.
fn finished(part: &Image, target: String, code: Vec<u8>) -> Image {
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

/// The kernels of a part, for messages.
fn kernels(part: &Image) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = part.symbols.iter().take(SHOWN).map(|symbol| scythe_split::kernel_name(symbol)).collect();
    match (names.len(), part.symbols.len().saturating_sub(SHOWN)) {
        (0, _) => "no kernel".to_owned(),
        (1, _) => format!("kernel {}", names[0]),
        (_, 0) => format!("kernels {}", names.join(", ")),
        (_, more) => format!("kernels {} and {more} more", names.join(", ")),
    }
}
