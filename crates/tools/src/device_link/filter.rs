//! Selects the parts that a target can run according to the device configuration.
//!
//! Other parts become images without code. A program that launches a kernel of such an image can
//! report the missing feature. [`remarks`] reports each such kernel at the link.

use super::ahead_of_time;
use super::settings::Settings;
use crate::{Failure, aspect_filter};
use scythe_abi::aspect::Aspect;
use scythe_abi::target::Target;
use scythe_device_config::{Lack, Target as Entry};
use scythe_diag::warning::Group;
use scythe_diag::{Code, Diagnostic, Location};
use scythe_image::{Format, Image};

/// Returns the parts that can be compiled for `target`, in order, and an empty image for each other
/// part.
pub fn for_target(
    target: Target,
    parts: &[Image],
    settings: &Settings<'_>,
) -> Result<(Vec<Image>, Vec<Image>), Failure> {
    let (kept, left_out) = for_device(&target.name(), &target.image_target(), parts, settings)?;
    Ok((kept.into_iter().map(|part| parts[part].clone()).collect(), left_out))
}

/// Like [`for_target`], for a device called `name` with the features of the target `entry` in the
/// device configuration. Returns the numbers of the parts.
pub fn for_device(
    entry: &str,
    name: &str,
    parts: &[Image],
    settings: &Settings<'_>,
) -> Result<(Vec<usize>, Vec<Image>), Failure> {
    let entry = aspect_filter::target(&settings.split.targets, entry)?;
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        if lacks(part, entry, settings).is_none() {
            kept.push(index);
            continue;
        }
        removed.push(Image {
            target: name.into(),
            format: Format::Empty,
            options: String::new(),
            manifest: part.manifest.clone(),
            symbols: part.symbols.clone(),
            code: Vec::new(),
        });
    }
    Ok((kept, removed))
}

/// The reason why a target cannot run an image.
enum Reason {
    Lack(Lack),
    /// The size of the work-groups in the slowest of three dimensions, and the limit of the target.
    SlowestSize(u32, u32),
}

/// Returns the first reason why a target cannot run an image. This includes required work-group
/// sizes, which some compilers reject.
fn lacks(image: &Image, entry: &Entry, settings: &Settings<'_>) -> Option<Reason> {
    let required = aspect_filter::requirements_on(&image.manifest, entry);
    if let Err(lack) = entry.check_launch(&required) {
        return Some(Reason::Lack(lack));
    }
    let family = entry.id().ok()?.family();
    let limit = ahead_of_time::compiler(family, settings)?.slowest_size_limit()?;
    // The attribute lists the slowest dimension first.
    let slowest = required
        .work_group_sizes
        .iter()
        .flatten()
        .filter(|sizes| sizes.len() == 3)
        .map(|sizes| sizes[0]);
    let too_large = slowest.filter(|&size| size > limit).max();
    too_large.map(|size| Reason::SlowestSize(size, limit))
}

/// Returns a remark for each kernel and exported function that has no code for a target, in the
/// order of the images.
pub fn remarks(images: &[Image], settings: &Settings<'_>) -> Result<Vec<Diagnostic>, Failure> {
    let mut remarks = Vec::new();
    for image in images.iter().filter(|image| image.format == Format::Empty) {
        let table = &settings.split.targets;
        let by_id = || table.lookup(&Target::of_image_target(image.target.as_str())?.name());
        let named = table.lookup(image.target.as_str()).or_else(by_id);
        let shown = named.map_or(image.target.as_str(), |entry| &*entry.name);
        // A device that only ocloc knows has the features that all Intel GPUs share.
        let known = named.or_else(|| table.lookup(&Target::IntelGen.name()));
        let Some(lack) = known.and_then(|entry| lacks(image, entry, settings)) else { continue };
        let remark = |what: String| {
            let message =
                format!("{what} is left out of the code for '{shown}': {}", describe(&lack));
            Diagnostic::remark(message).code(Code::Warning(Group::Aot))
        };
        for symbol in &image.symbols {
            let remark = remark(format!("kernel '{}'", scythe_split::kernel_name(symbol)));
            remarks.push(match image.manifest.launch(symbol) {
                Some(launch) => remark.at(Location::new(&launch.file, launch.line, launch.column)),
                None => remark,
            });
        }
        let exported = image.manifest.exports.iter();
        remarks.extend(exported.map(|symbol| {
            remark(format!("exported function '{}'", scythe_split::symbol_name(symbol)))
        }));
    }
    Ok(remarks)
}

fn describe(reason: &Reason) -> String {
    let name = |number: u32| {
        Aspect::from_u32(number)
            .map_or_else(|| number.to_string(), |known| known.as_str().to_owned())
    };
    let lack = match reason {
        Reason::Lack(lack) => lack,
        Reason::SlowestSize(size, limit) => {
            return format!(
                "it requires work-groups of {size} work-items in the slowest dimension, and the \
                 target allows {limit} at most"
            );
        }
    };
    match lack {
        Lack::Aspect(aspect) => {
            format!("it uses aspect '{}', which the target lacks", name(*aspect))
        }
        Lack::SubGroupSize(size) => {
            format!("it requires sub-group size {size}, which the target lacks")
        }
        Lack::WorkGroupSize(size, limit) => {
            format!(
                "it requires work-groups of {size} work-items, and the target allows {limit} at \
                 most"
            )
        }
        Lack::FixedTarget(targets) => {
            let names: Vec<String> =
                targets.iter().map(|&target| format!("'{}'", name(target))).collect();
            match names.is_empty() {
                true => "'-fsycl-fixed-targets' of its code leaves no target".to_owned(),
                false => format!(
                    "'-fsycl-fixed-targets' binds it to devices with {}",
                    names.join(" or ")
                ),
            }
        }
    }
}
