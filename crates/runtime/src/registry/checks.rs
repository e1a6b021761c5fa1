//! Warns if a device other than the CPU runs kernels that a sanitizer should check.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use scythe_abi::checks::Checks;
use scythe_abi::names::CHECKS_PROPERTY_SET;
use scythe_hal::BackendKind;
use scythe_image::PropertySets;

use crate::platform::Device;

/// Returns the checks that the kernels of an image request.
pub(super) fn of(sets: &PropertySets) -> Checks {
    let names = sets.get(CHECKS_PROPERTY_SET).into_iter().flat_map(|set| set.iter());
    names.fold(Checks::NONE, |all, (name, _)| all.and(Checks::from_names(name)))
}

/// Warns once for each device that runs such kernels.
pub(super) fn warn_if_unchecked(checks: Checks, device: &Device) {
    static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_cpu = device.platform.backend.kind() == BackendKind::Cpu;
    if checks.is_empty() || checks.contains(Checks::QUIET) || is_cpu {
        return;
    }
    let options = [(Checks::ADDRESS, "address"), (Checks::RACES, "thread")];
    let options = options.into_iter().filter(|(check, _)| checks.contains(*check));
    let options: Vec<_> = options.map(|(_, name)| format!("-fsanitize={name}")).collect();
    let text = format!(
        "scythe: warning: device '{}' runs kernels unchecked that were compiled with {}; only the \
         CPU device checks them [-Wsycl-sanitize]\n",
        device.name(),
        options.join(" and ")
    );
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.insert(text.clone()) {
        // The program runs on if the warning cannot be written.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
