//! Finds the devices of a target for Intel GPUs: one device, a list, or a range that ocloc expands.

use super::super::super::settings::Settings;
use super::super::external::FailedRun;
use super::TargetOptions;
use super::ocloc::{self, Ocloc};
use crate::Failure;
use crate::errors::UnknownDevice;
use scythe_abi::intel::Version;
use scythe_abi::target::{SEPARATOR, Target};
use scythe_device_config::{OCLOC_DEVICE as DEVICE, Table, intel_name};
use scythe_diag::{Diagnostic, Report};
use std::collections::HashSet;
use std::sync::Arc;

/// One device to compile for, or a range of devices that only ocloc knows.
pub struct Device {
    pub compiler: Arc<Ocloc>,
    /// The name of the device, as the user or the device configuration writes it.
    pub name: String,
    /// The target of the images. The images of a range get their targets from ocloc's output.
    pub target: String,
    /// The target in messages.
    pub shown: String,
    /// The target in the device configuration that describes its features.
    pub entry: String,
    pub options: Vec<String>,
}

impl Device {
    /// Returns the options for ocloc.
    pub fn options(&self) -> Vec<String> {
        [DEVICE.to_owned(), self.name.clone()]
            .into_iter()
            .chain(self.options.iter().cloned())
            .collect()
    }
}

/// Returns the devices of a target.
pub fn of_target(
    target: Target,
    compiler: &Arc<Ocloc>,
    options: &TargetOptions,
    settings: &Settings<'_>,
) -> Result<Vec<Device>, Failure> {
    let TargetOptions { devices: list, others: options } = options;
    let named = |name: &str, target: String| {
        let known = settings.split.targets.lookup(&target).is_some();
        let entry = if known { target.clone() } else { Target::IntelGen.name() };
        let shown = target.clone();
        Device {
            compiler: compiler.clone(),
            name: name.to_owned(),
            target,
            shown,
            entry,
            options: options.clone(),
        }
    };
    if target != Target::IntelGen {
        return of_entry(target, compiler, list, options);
    }
    let mut devices: Vec<Device> = Vec::new();
    for name in list.split(',').map(str::trim) {
        match known_target(name) {
            Some(known) => devices.push(named(name, known)),
            // The number of a PCI device.
            None if name.starts_with("0x") => devices.push(named(name, target.name())),
            None => {
                let range = name.contains(':');
                let versions = if range { compiler.range(name) } else { compiler.devices(name) };
                match versions.is_empty() {
                    // ocloc expands a range that it cannot list.
                    true if range => devices.push(named(name, target.name())),
                    true => return Err(unknown_device(compiler, name, &target.name(), None)),
                    false => {
                        let all = versions
                            .iter()
                            .map(|version| named(&version.to_string(), intel_name(*version)));
                        devices.extend(all);
                    }
                }
            }
        }
    }
    // A device may have several names in the list.
    let mut met = HashSet::new();
    devices.retain(|device| device.target == target.name() || met.insert(device.target.clone()));
    Ok(devices)
}

/// Returns the devices of a target in the device configuration. There is one device, unless
/// `-device` names several.
fn of_entry(
    target: Target,
    compiler: &Arc<Ocloc>,
    list: &str,
    options: &[String],
) -> Result<Vec<Device>, Failure> {
    let (entry, name) = (target.name(), target.image_target());
    let device = |device: &str, image: String| {
        let (name, options) = (device.to_owned(), options.to_vec());
        let shown = entry.clone();
        Device {
            compiler: compiler.clone(),
            name,
            target: image,
            shown,
            entry: entry.clone(),
            options,
        }
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
        let told =
            |version: &Version| device(&version.to_string(), format!("{name}{SEPARATOR}{version}"));
        match versions.as_slice() {
            // Only the driver knows whether this code runs on its device.
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

/// Returns the target in the default configuration for ocloc's name of a device: `acm-g10`,
/// `9.0.9`.
pub fn known_target(name: &str) -> Option<String> {
    let table = Table::embedded();
    let same = |row: &&scythe_device_config::Target| row.ocloc_device().as_deref() == Some(name);
    let version = || Version::from_ocloc(name).map(intel_name);
    table.targets().find(same).map(|row| row.name.to_string()).or_else(version)
}

/// Makes the error for a device that ocloc does not know.
pub fn unknown_device(
    compiler: &Ocloc,
    name: &str,
    target: &str,
    failed: Option<&FailedRun>,
) -> Failure {
    let error = UnknownDevice {
        compiler: compiler.name(),
        device: name.to_owned(),
        target: target.to_owned(),
        package: ocloc::PACKAGE,
    };
    let error: Diagnostic = error.report();
    match failed.map(|failed| failed.log.as_str()).filter(|log| !log.is_empty()) {
        Some(log) => error.note(format!("{} printed:\n{log}", compiler.name())).into(),
        None => error.into(),
    }
}
