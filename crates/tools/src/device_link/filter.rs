//! Which parts a target's compiler is given: those that the device configuration says it can run.
//!
//! What a target lacks a feature for stays known in images without code, so that a program that
//! launches such a kernel learns what its device lacks. Whoever links is told of each such kernel:
//! [`remarks`].

use super::ahead_of_time;
use super::settings::Settings;
use crate::{Failure, aspect_filter};
use scythe_abi::aspect::Aspect;
use scythe_abi::target::Target;
use scythe_abi::warning::Group;
use scythe_device_config::{Lack, Target as Entry};
use scythe_diag::{Diagnostic, Location, Severity};
use scythe_image::{Format, Image};

/// The parts that can be compiled for `target`, in order, and an empty image for each of the
/// others.
pub fn for_target(
    target: Target,
    parts: &[Image],
    settings: &Settings<'_>,
) -> Result<(Vec<Image>, Vec<Image>), Failure> {
    let (kept, left_out) = for_device(&target.name(), &target.image_target(), parts, settings)?;
    Ok((kept.into_iter().map(|part| parts[part].clone()).collect(), left_out))
}

/// The same for one device called `name`, which has what the device configuration says of target
/// `entry`; parts by number.
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

/// Why an image is not for a target.
enum Reason {
    Lack(Lack),
    /// The size of its work-groups in the slowest of three dimensions, and the target's limit.
    SlowestSize(u32, u32),
}

/// The first thing that a target lacks for an image; also of required work-group sizes, which some
/// compilers refuse.
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

/// A remark for each kernel and exported function that was left out of the code for a target, in
/// the order of the images.
pub fn remarks(images: &[Image], settings: &Settings<'_>) -> Result<Vec<Diagnostic>, Failure> {
    let mut remarks = Vec::new();
    for image in images.iter().filter(|image| image.format == Format::Empty) {
        let table = &settings.split.targets;
        let by_id = || table.lookup(&Target::of_image_target(image.target.as_str())?.name());
        let named = table.lookup(image.target.as_str()).or_else(by_id);
        let shown = named.map_or(image.target.as_str(), |entry| &*entry.name);
        // A device that only ocloc knows has what is known of all Intel GPUs.
        let known = named.or_else(|| table.lookup(&Target::IntelGen.name()));
        let Some(lack) = known.and_then(|entry| lacks(image, entry, settings)) else { continue };
        let remark = |what: String| {
            let message =
                format!("{what} is left out of the code for '{shown}': {}", describe(&lack));
            Diagnostic::new(Severity::Remark, message).code(Group::Aot.option())
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
