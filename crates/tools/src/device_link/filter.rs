//! Which parts a target's compiler is given: those that the device configuration says it can run.
//!
//! What a target lacks a feature for stays known in images without code, so that a program that launches such a kernel learns
//! what its device lacks.

use super::settings::Settings;
use crate::{Failure, aspect_filter};
use scythe_abi::target::Target;
use scythe_image::{Format, Image};

/// The parts that can be compiled for `target`, in order, and an empty image for each of the others.
pub fn for_target(
    target: Target,
    parts: &[Image],
    settings: &Settings<'_>,
) -> Result<(Vec<Image>, Vec<Image>), Failure> {
    let (kept, left_out) = for_device(&target.name(), &target.image_target(), parts, settings)?;
    Ok((kept.into_iter().map(|part| parts[part].clone()).collect(), left_out))
}

/// The same for one device called `name`, which has what the device configuration says of target `entry`; parts by number.
pub fn for_device(
    entry: &str,
    name: &str,
    parts: &[Image],
    settings: &Settings<'_>,
) -> Result<(Vec<usize>, Vec<Image>), Failure> {
    let entry = aspect_filter::target(&settings.split.targets, entry)?;
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let lack = aspect_filter::lacks(&part.properties, entry).map_err(|error| Failure::new(error.to_string()))?;
        match lack {
            None => kept.push(index),
            Some(lack) => {
                let kernels = part.symbols.iter().map(|symbol| scythe_split::kernel_name(symbol));
                let kernels = kernels.collect::<Vec<_>>().join(", ");
                settings.tell(format_args!("left out for {name}: {kernels} ({lack})"));
                removed.push(Image {
                    target: name.to_owned(),
                    format: Format::Empty,
                    options: String::new(),
                    properties: part.properties.clone(),
                    symbols: part.symbols.clone(),
                    code: Vec::new(),
                });
            }
        }
    }
    Ok((kept, removed))
}
