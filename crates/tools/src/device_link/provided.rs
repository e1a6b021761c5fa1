//! What the device images of a shared library export, so that programs linked with it may leave it
//! undefined.

use crate::Failure;
use crate::files::{self, file_error};
use scythe_image::container;
use std::collections::HashSet;

/// All symbols that images in these files export.
pub fn symbols<'a>(libraries: impl Iterator<Item = &'a str>) -> Result<HashSet<String>, Failure> {
    let mut symbols = HashSet::new();
    for path in libraries {
        let bytes = files::read(path)?;
        let images = container::find_all(&bytes).map_err(|error| file_error(path, error))?;
        if images.is_empty() {
            return Err(file_error(
                path,
                "no device image: expected a library that was linked with device code",
            ));
        }
        for image in images {
            symbols.extend(image.manifest().map_err(|error| file_error(path, error))?.exports);
        }
    }
    Ok(symbols)
}
