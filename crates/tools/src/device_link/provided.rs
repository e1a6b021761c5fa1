//! Reads the symbols that the device images of a shared library export. Programs that are linked
//! with the library may leave them undefined.

use crate::Failure;
use crate::errors::NoDeviceImages;
use crate::files::{self, damaged, file_error};
use scythe_image::container;
use std::collections::HashSet;

/// Returns all symbols that images in these files export.
pub fn symbols<'a>(libraries: impl Iterator<Item = &'a str>) -> Result<HashSet<String>, Failure> {
    let mut symbols = HashSet::new();
    for path in libraries {
        let bytes = files::read(path)?;
        let images = container::find_all(&bytes).map_err(|error| damaged(path, error))?;
        if images.is_empty() {
            return Err(file_error(path, &NoDeviceImages));
        }
        for image in images {
            symbols.extend(image.manifest().map_err(|error| damaged(path, error))?.exports);
        }
    }
    Ok(symbols)
}
