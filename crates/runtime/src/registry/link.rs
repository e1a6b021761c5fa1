//! Finds the images that a kernel's image must be linked with: the images that export its imports,
//! and the images that export the imports of those.
//!
//! Images are searched in the order of registration. Only images with the format and target of the
//! kernel's image are considered and, if that is bitcode for one device, also generic images. The
//! run-time compiler links bitcode, and the loader links objects. If several images export a
//! symbol, the first one whose requirements the device meets is used. Only properties are read.
//! Imports that only branches of `if_device_has` use are ignored on devices that do not take these
//! branches: such branches are removed before the code is compiled.

use std::fmt;
use std::sync::Arc;

use scythe_abi::names::GENERIC_TRIPLE;
use scythe_image::Format;

use super::image::Image;
use crate::demangle::symbol_name;
use crate::platform::Device;

/// Returns the images that `image` needs in addition to itself, each once, in the order in which
/// they are needed. An error names the symbols that no image exports, and the image that imports
/// them.
pub(super) fn resolve(
    image: &Arc<Image>,
    all: &[Arc<Image>],
    device: &Device,
) -> Result<Vec<Arc<Image>>, Unresolved> {
    let mut linked = vec![image.clone()];
    let mut next = 0;
    while let Some(importer) = linked.get(next).cloned() {
        next += 1;
        let mut missing = Vec::new();
        for symbol in importer.imports_on(device) {
            if !linked.iter().any(|image| image.exports.contains(symbol)) {
                match exporter(symbol, &importer, all, device) {
                    Some(image) => linked.push(image.clone()),
                    None => missing.push(symbol.clone()),
                }
            }
        }
        if !missing.is_empty() {
            let other = all
                .iter()
                .find(|image| missing.iter().any(|symbol| image.exports.contains(symbol)));
            return Err(Unresolved { symbols: missing, exporter: other.cloned(), importer });
        }
    }
    linked.remove(0);
    Ok(linked)
}

/// Returns the image that exports the symbol. If the device supports none of them, it returns the
/// first one, whose requirements then appear in the error message.
fn exporter<'a>(
    symbol: &str,
    importer: &Image,
    all: &'a [Arc<Image>],
    device: &Device,
) -> Option<&'a Arc<Image>> {
    // Bitcode that was compiled for one device may call functions that were compiled for all
    // devices. Bitcode for NVIDIA GPUs has a different form.
    let nvidia = importer.target.nvidia().is_some();
    let generic = |image: &Image| {
        !nvidia && image.format == Format::LlvmBitcode && image.target.as_str() == GENERIC_TRIPLE
    };
    let own = |image: &Image| image.target == importer.target;
    let exports =
        |image: &&Arc<Image>| image.exports.contains(symbol) && image.format == importer.format;
    let mut exporters: Vec<_> =
        all.iter().filter(exports).filter(|image| own(image) || generic(image)).collect();
    exporters.sort_by_key(|image| !own(image));
    let mut fitting = exporters.into_iter().peekable();
    let first = fitting.peek().copied();
    fitting.find(|image| image.check(device).is_ok()).or(first)
}

/// Imports that no image exports. Its conversion to text calls the C++ library and must not happen
/// while the registry is locked: a thread in `dlclose`, which holds the dynamic loader's lock, may
/// be waiting for the registry.
pub(super) struct Unresolved {
    symbols: Vec<String>,
    importer: Arc<Image>,
    /// An image that exports a symbol, but for other targets or formats.
    exporter: Option<Arc<Image>>,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> =
            self.symbols.iter().map(|symbol| format!("'{}'", symbol_name(symbol))).collect();
        let Image { library, format, target, .. } = &*self.importer;
        write!(
            f,
            "the device image in '{library}' imports {}, which no loaded ",
            names.join(", ")
        )?;
        write!(f, "device image of format {format} and target {target} exports")?;
        match self.exporter.as_deref() {
            Some(Image { library, format, target, .. }) => {
                write!(f, "; the image of format {format} and target {target} in '{library}' does")
            }
            None => Ok(()),
        }
    }
}
