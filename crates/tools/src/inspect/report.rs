//! Collects the facts about the device code in a file, independent of the output format.

use super::code::{self, CodeReport, Generic, THIS_CPU};
use super::devices::{self, Device, Verdict};
use super::{cache, input};
use crate::errors::{NoDeviceCode, UnreadableModule};
use crate::files::{damaged, file_error};
use crate::{Failure, device_code, parallel};
use scythe_abi::aspect::Aspect;
use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::TU_SEPARATOR;
use scythe_abi::requirements::{Conditional, Requirements};
use scythe_device_config::Table;
use scythe_image::manifest::DeviceGlobal;
use scythe_image::{Format, ImageView, Manifest, archive, bundle, container};
use scythe_llvm::Context;
use scythe_split::{Granted, Imports, Mode, Options};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

pub struct Report {
    pub file: String,
    pub images: Vec<ImageReport>,
}

/// What `inspect` knows and does.
pub struct Settings {
    /// The known devices.
    pub table: Table,
    /// Whether to compile generic code for the processor of this machine.
    pub compile: bool,
}

/// A device image, the device code of an object that is not linked yet, or an entry of a cache.
#[derive(Default)]
pub struct ImageReport {
    /// The member of a static library that contains the code.
    pub member: Option<String>,
    pub linked: bool,
    /// Whether the code is from a cache, which does not tell what devices the code needs.
    pub cached: bool,
    pub target: String,
    pub format: String,
    pub options: String,
    pub code_size: u64,
    pub requirements: Requirements,
    /// The requirements for some devices, in addition to those for all.
    pub conditional: Vec<Conditional>,
    pub kernels: Vec<KernelReport>,
    pub exported: Vec<String>,
    pub imported: Vec<String>,
    pub device_globals: Vec<GlobalReport>,
    pub devices: Vec<Device>,
}

/// A variable of device code.
pub struct GlobalReport {
    pub symbol: String,
    pub name: String,
    pub size: u64,
    pub image_scope: bool,
}

pub struct KernelReport {
    pub symbol: String,
    /// The name in C++, if the symbol contains it.
    pub name: String,
    pub launch: Option<KernelLaunch>,
    pub origins: Vec<AspectOrigin>,
    /// The kernel's code for each processor.
    pub code: Vec<CodeReport>,
}

/// The maximum size of decompressed code. Larger code is only counted.
const MAX_CODE_BYTES: u64 = 1 << 30;

impl Report {
    pub fn of_cache(path: &str) -> Result<Self, Failure> {
        Ok(Self { file: path.to_owned(), images: cache::of_folder(path)? })
    }

    pub fn of_file(path: &str, bytes: &[u8], settings: &Settings) -> Result<Self, Failure> {
        if let Some(images) = cache::of_file(path, bytes) {
            return Ok(Self { file: path.to_owned(), images: images? });
        }
        let mut images = Vec::new();
        if archive::is_archive(bytes) {
            for member in archive::members(bytes).map_err(|error| damaged(path, error))? {
                let place = format!("{path}({})", member.name);
                let data = match member.data {
                    Some(data) => Cow::Borrowed(data),
                    // A thin library contains only names.
                    None => Cow::Owned(input::read_file(&beside(path, member.name))?),
                };
                let member = Some(member.name.to_owned());
                images.extend(images_of(&place, member, &data, settings)?);
            }
        } else {
            images = images_of(path, None, bytes, settings)?;
        }
        if images.is_empty() {
            return Err(file_error(path, &NoDeviceCode));
        }
        Ok(Self { file: path.to_owned(), images })
    }

    /// Returns the bytes of code for each target, in alphabetical order.
    pub fn sizes(&self) -> BTreeMap<&str, u64> {
        let mut sizes = BTreeMap::new();
        for image in &self.images {
            *sizes.entry(&*image.target).or_default() += image.code_size;
        }
        sizes
    }

    /// Returns the number of different kernels. Images for several targets contain the same
    /// kernels.
    pub fn kernel_count(&self) -> usize {
        let all = self.images.iter().flat_map(|image| &image.kernels).map(|kernel| &kernel.symbol);
        all.collect::<std::collections::BTreeSet<_>>().len()
    }
}

/// Returns the path of a name that is relative to a file's folder.
fn beside(path: &str, name: &str) -> String {
    Path::new(path).with_file_name("").join(name).to_string_lossy().into_owned()
}

/// Reports the device code of one file or member.
fn images_of(
    place: &str,
    member: Option<String>,
    bytes: &[u8],
    settings: &Settings,
) -> Result<Vec<ImageReport>, Failure> {
    let images = container::find_all(bytes).map_err(|error| damaged(place, error))?;
    // Compiling takes most of the time.
    let reports = parallel::map(parallel::processors(), &images, |image| {
        of_image(place, &member, image, settings)
    });
    let mut reports = reports.into_iter().collect::<Result<Vec<_>, _>>()?;
    if reports.is_empty() && bundle::is_object(bytes) {
        for bundle in bundle::list(bytes).map_err(|error| damaged(place, error))? {
            if let Some(target) = bundle.device_triple() {
                reports.extend(of_bundle(place, &member, target, bundle.data, settings)?);
            }
        }
    }
    Ok(reports)
}

fn of_image(
    place: &str,
    member: &Option<String>,
    image: &ImageView<'_>,
    settings: &Settings,
) -> Result<ImageReport, Failure> {
    let manifest = image.manifest().map_err(|error| damaged(place, error))?;
    let symbols: Vec<String> = image.symbols().map(str::to_owned).collect();
    let mut report = describe(image.target, manifest, &symbols, &settings.table);
    report.member = member.clone();
    report.linked = true;
    report.format = image.format.to_string();
    report.options = image.options.to_owned();
    report.code_size = image.code_size();
    if image.code_size() <= MAX_CODE_BYTES && !symbols.is_empty() {
        let code = image.code().map_err(|error| damaged(place, error))?;
        match image.format {
            Format::LlvmBitcode if settings.compile => {
                report.compile(&Generic { bitcode: &code, options: image.options });
            }
            format => report.attach(code::of_code(format, image.target, &code)),
        }
    }
    if image.format == Format::Empty {
        // An image without code only lists the kernels that were left out. No device runs it.
        for device in
            report.devices.iter_mut().filter(|device| !matches!(device.verdict, Verdict::Lacks(_)))
        {
            device.verdict = Verdict::Lacks("code, which was left out".into());
        }
    }
    Ok(report)
}

/// Reports the device code of a fat object, split as a link of this object alone would split it.
fn of_bundle(
    place: &str,
    member: &Option<String>,
    target: &str,
    code: &[u8],
    settings: &Settings,
) -> Result<Vec<ImageReport>, Failure> {
    let context = Context::new();
    let module = context
        .parse_bitcode(code, place)
        .map_err(|error| file_error(place, &UnreadableModule { reason: error.to_string() }))?;
    let options = Options {
        mode: Mode::Off,
        export: true,
        imports: Imports::Any,
        foreign: true,
        targets: settings.table.clone(),
        granted: Granted::default(),
    };
    let triple = module.triple();
    let Some(split) = device_code::link_and_split(vec![module], &triple, &options)? else {
        return Ok(Vec::new());
    };
    let mut reports = Vec::new();
    for part in split.parts() {
        let bitcode = part.module.to_bitcode();
        let mut report = describe(target, part.manifest, &part.symbols, &settings.table);
        if settings.compile && !part.symbols.is_empty() {
            report.compile(&Generic { bitcode: &bitcode, options: "" });
        }
        report.member = member.clone();
        report.format = "llvmbc".into();
        report.code_size = bitcode.len() as u64;
        reports.push(report);
    }
    Ok(reports)
}

fn describe(target: &str, manifest: Manifest, symbols: &[String], table: &Table) -> ImageReport {
    let kernels = symbols.iter().map(|symbol| {
        let known = manifest.entry_point(symbol);
        KernelReport {
            launch: known.and_then(|entry| entry.launch.clone()),
            origins: known.map(|entry| entry.aspect_origins.clone()).unwrap_or_default(),
            ..KernelReport::of_symbol(symbol)
        }
    });
    let global = |DeviceGlobal { symbol, size, image_scope }: &DeviceGlobal| GlobalReport {
        symbol: symbol.clone(),
        name: scythe_split::symbol_name(symbol.split(TU_SEPARATOR).next().unwrap_or(symbol)),
        size: *size,
        image_scope: *image_scope,
    };
    ImageReport {
        target: target.to_owned(),
        kernels: kernels.collect(),
        exported: manifest.exports.iter().map(|symbol| scythe_split::symbol_name(symbol)).collect(),
        imported: manifest
            .imports
            .iter()
            .map(|import| scythe_split::symbol_name(&import.symbol))
            .collect(),
        device_globals: manifest.globals.iter().map(global).collect(),
        devices: devices::judge(target, &manifest.requirements, &manifest.conditional, table),
        requirements: manifest.requirements,
        conditional: manifest.conditional,
        ..ImageReport::default()
    }
}

impl GlobalReport {
    /// Describes the size and the location of the variable.
    pub fn details(&self) -> String {
        let scope = if self.image_scope { ", in this image alone" } else { "" };
        format!("{} bytes{scope}", self.size)
    }
}

impl ImageReport {
    /// Adds what the code would be like on this machine's processor.
    fn compile(&mut self, code: &Generic<'_>) {
        match code::compiled(code) {
            Ok(reports) => self.attach(reports),
            Err(reason) => {
                for kernel in &mut self.kernels {
                    kernel.code.push(CodeReport {
                        processor: THIS_CPU.to_owned(),
                        remark: Some(reason.clone()),
                        ..CodeReport::default()
                    });
                }
            }
        }
    }

    /// Returns the device requirements, each as text for users.
    pub fn needs(&self) -> Vec<String> {
        let aspect = |&number: &u32| {
            Aspect::from_u32(number)
                .map_or_else(|| format!("aspect {number}"), |aspect| aspect.as_str().to_owned())
        };
        let requirements = &self.requirements;
        let features = |requirements: &Requirements| -> Vec<String> {
            let sizes = requirements
                .sub_group_sizes
                .iter()
                .flatten()
                .map(|size| format!("sub-group size {size}"));
            requirements.aspects.iter().flatten().map(aspect).chain(sizes).collect()
        };
        let mut needs = features(requirements);
        needs.extend(requirements.work_group_sizes.iter().flatten().map(|sizes| {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!("work-group size {}", sizes.join("×"))
        }));
        if let Some(fixed) = &requirements.fixed_targets {
            let names: Vec<String> = fixed.iter().map(aspect).collect();
            needs.push(format!(
                "one of the fixed targets: {}",
                if names.is_empty() { "none".into() } else { names.join(", ") }
            ));
        }
        for Conditional { condition, requirements } in &self.conditional {
            let devices = condition.describe(|number| aspect(&number));
            needs.extend(
                features(requirements)
                    .into_iter()
                    .map(|need| format!("{need} (on devices with {devices})")),
            );
        }
        needs
    }
}

impl KernelReport {
    pub fn of_symbol(symbol: &str) -> Self {
        Self {
            symbol: symbol.to_owned(),
            name: scythe_split::kernel_name(symbol),
            launch: None,
            origins: Vec::new(),
            code: Vec::new(),
        }
    }

    /// Describes the launch and its location on one line.
    pub fn summary(&self) -> String {
        match &self.launch {
            Some(launch) => {
                let parameters = launch.params.len();
                let plural = if parameters == 1 { "" } else { "s" };
                format!(
                    "{}, {}, {parameters} parameter{plural}",
                    launch.shape.as_str(),
                    place_of(launch)
                )
            }
            None => "launch unknown".into(),
        }
    }
}

/// Formats the location of the call that launches a kernel.
pub fn place_of(launch: &KernelLaunch) -> String {
    format!("{}:{}:{}", launch.file, launch.line, launch.column)
}
