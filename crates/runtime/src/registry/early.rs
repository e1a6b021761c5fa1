//! Loads machine code when a program creates its first queue for a device.
//!
//! To load code takes a driver as long as many launches. Programs expect to pay for it while they
//! set up, not when they first launch a kernel. Code that would be compiled first is not loaded
//! early, nor is that of large programs, which may never use most of it.

use std::sync::{Arc, Mutex};

use scythe_hal::preference;

use super::image::Image;
use super::{DeviceInContext, GENERATION, REGISTRY, kernel_of_symbol};
use crate::lock;
use std::sync::atomic::Ordering;

/// The limits for all code of a program.
const MOST_KERNELS: usize = 64;
const MOST_BYTES: usize = 8 << 20;

/// Loads the code of all registered images that were compiled for the device, once for each device
/// and generation. A launch reports the errors.
pub fn load(place: DeviceInContext) {
    if !place.device.hal.loads_early() {
        return;
    }
    static LOADED: Mutex<Vec<(u32, u64)>> = Mutex::new(Vec::new());
    let current = (place.device.id, GENERATION.load(Ordering::Acquire));
    let mut loaded = lock(&LOADED);
    if loaded.contains(&current) {
        return;
    }
    loaded.retain(|(device, _)| *device != place.device.id);
    loaded.push(current);
    drop(loaded);
    for symbol in symbols(place) {
        // An error is reported when the program launches the kernel.
        let _ = kernel_of_symbol(&symbol, place);
    }
}

/// Returns the kernels in machine code for the device, in order, or none if there are too many.
fn symbols(place: DeviceInContext) -> Vec<String> {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let fits = |image: &&Arc<Image>| {
        let preference = image.preference(place.device);
        preference.is_ok_and(|preference| preference >= preference::EXACT)
            && image.imports.is_empty()
            && image.globals.is_empty()
    };
    let images: Vec<_> = registry.images().filter(fits).collect();
    let kernels: usize = images.iter().map(|image| image.kernels.len()).sum();
    let bytes: usize = images.iter().map(|image| image.size()).sum();
    if kernels > MOST_KERNELS || bytes > MOST_BYTES {
        return Vec::new();
    }
    let mut symbols: Vec<String> =
        images.iter().flat_map(|image| image.kernels.keys().cloned()).collect();
    symbols.sort_unstable();
    symbols
}
