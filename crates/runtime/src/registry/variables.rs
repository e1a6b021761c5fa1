//! Variables with `device_image_scope`: the image that contains a variable, and its address there.

use std::ffi::c_void;
use std::sync::Arc;

use super::image::Image;
use super::{Constants, DeviceInContext, REGISTRY, link};
use crate::demangle::symbol_name;
use crate::platform::Device;
use crate::{Errc, Error, Result, lock};

/// Checks that exactly one of the device's images contains the variable, which has
/// `device_image_scope`.
pub fn check_one_image(symbol: &str, device: &Device) -> Result<()> {
    let images = images_with(symbol, device);
    let fault = |code, what: String| {
        Err(Error::new(
            code,
            format!(
                "device_global '{}' has the property 'device_image_scope', {what}",
                symbol_name(symbol)
            ),
        ))
    };
    match images.len() {
        1 => Ok(()),
        0 => {
            fault(Errc::KernelNotSupported, format!("but no kernel for {} uses it", device.name()))
        }
        n => fault(
            Errc::Invalid,
            format!("but {n} device images for {} contain it, expected one", device.name()),
        ),
    }
}

/// Returns the address of a variable with `device_image_scope` inside the program of its image.
pub fn address_in_image(
    symbol: &str,
    device: &'static Device,
    context: u64,
) -> Result<*mut c_void> {
    let image = images_with(symbol, device).into_iter().next();
    let image = image
        .ok_or_else(|| Error::new(Errc::Invalid, format!("no device image contains '{symbol}'")))?;
    let libraries = {
        let registry = lock(&REGISTRY);
        let all: Vec<Arc<Image>> = registry.images().cloned().collect();
        link::resolve(&image, &all, device)
    };
    let libraries = libraries.map_err(|error| Error::new(Errc::Build, error.to_string()))?;
    let built =
        image.program(DeviceInContext { device, context }, &libraries, &Constants::default())?;
    let address = built.program.global(symbol)?;
    address.ok_or_else(|| {
        let name = symbol_name(symbol);
        Error::new(
            Errc::KernelNotSupported,
            format!("no code in the device image uses device_global '{name}'"),
        )
    })
}

/// Returns the images that contain the variable and can run on the device. Of each library, only
/// the preferred image is included.
fn images_with(symbol: &str, device: &Device) -> Vec<Arc<Image>> {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let mut best: Vec<(u32, Arc<Image>)> = Vec::new();
    for image in
        registry.images().filter(|image| image.globals.iter().any(|global| global.symbol == symbol))
    {
        let Ok(preference) = image
            .check(device)
            .map_err(|_| ())
            .and_then(|()| image.preference(device).map_err(|_| ()))
        else {
            continue;
        };
        // Images with the same kernels were compiled for different kinds of machines.
        match best.iter_mut().find(|(_, other)| {
            other.kernels.keys().any(|kernel| image.kernels.contains_key(kernel))
        }) {
            Some(known) if known.0 < preference => *known = (preference, image.clone()),
            Some(_) => {}
            None => best.push((preference, image.clone())),
        }
    }
    best.into_iter().map(|(_, image)| image).collect()
}
