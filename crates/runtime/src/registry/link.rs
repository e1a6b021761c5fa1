//! Which images a kernel's image must be linked with: those that export what it imports, and what
//! they import in turn.
//!
//! Images are searched in the order of registration, those with the kernel's format and target
//! only, and where it is bitcode for one device, also generic ones: bitcode is linked by the
//! run-time compiler, objects by the loader. Among several that export a symbol, the first whose
//! requirements the device meets is taken. Nothing is read but properties. What only branches of
//! `if_device_has` import is not looked for on devices that do not take them: such branches are
//! removed before the code is compiled.

use std::fmt;
use std::sync::Arc;

use scythe_abi::names::GENERIC_TRIPLE;
use scythe_image::Format;

use super::image::Image;
use crate::demangle::symbol_name;
use crate::platform::Device;

/// The images that `image` needs besides itself, each once, in the order in which they are needed.
/// An error names the symbols that nobody exports, and who imports them.
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

/// Where no image that exports the symbol is supported, the first says what the device lacks.
fn exporter<'a>(
    symbol: &str,
    importer: &Image,
    all: &'a [Arc<Image>],
    device: &Device,
) -> Option<&'a Arc<Image>> {
    // Bitcode that was compiled for one device may call what was compiled for all.
    // That for NVIDIA's GPUs is of another kind.
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

/// Imports that nobody exports. Turning it into text asks the C++ library, and so must wait until
/// the registry is free: a thread in `dlclose`, which holds the dynamic loader, may be waiting for
/// it.
pub(super) struct Unresolved {
    symbols: Vec<String>,
    importer: Arc<Image>,
    /// One that exports a symbol for others.
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
