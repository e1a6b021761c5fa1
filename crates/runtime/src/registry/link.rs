//! Which images a kernel's image must be linked with: those that export what it imports, and what they import in turn.
//!
//! Images are searched in the order of registration, those with the kernel's format and target only: bitcode is linked by the
//! run-time compiler, objects by the loader. Among several that export a symbol, the first whose requirements the device meets
//! is taken. Nothing is read but properties.

use std::sync::Arc;

use super::image::Image;
use crate::platform::Device;

/// The images that `image` needs besides itself, each once, in the order in which they are needed. An error names a symbol that
/// nobody exports, and who imports it.
pub(super) fn resolve(image: &Arc<Image>, all: &[Arc<Image>], device: &Device) -> Result<Vec<Arc<Image>>, String> {
    let mut linked = vec![image.clone()];
    let mut next = 0;
    while let Some(importer) = linked.get(next).cloned() {
        next += 1;
        for symbol in &importer.imports {
            if !linked.iter().any(|image| image.exports.contains(symbol)) {
                linked.push(exporter(symbol, &importer, all, device)?);
            }
        }
    }
    linked.remove(0);
    Ok(linked)
}

fn exporter(symbol: &str, importer: &Image, all: &[Arc<Image>], device: &Device) -> Result<Arc<Image>, String> {
    let exporters = || all.iter().filter(|image| image.exports.contains(symbol));
    let fitting = || exporters().filter(|image| image.format == importer.format && image.target == importer.target);
    let supported = fitting().find(|image| image.check(device).is_ok());
    // Where none is supported, the first says what the device lacks.
    if let Some(image) = supported.or_else(|| fitting().next()) {
        return Ok(image.clone());
    }
    let mut message = format!(
        "its device image in '{}' imports '{symbol}', which no loaded device image of format {} and target {} exports",
        importer.library, importer.format, importer.target
    );
    if let Some(other) = exporters().next() {
        message.push_str(&format!(
            "; one of format {} and target {} in '{}' does",
            other.format, other.target, other.library
        ));
    }
    Err(message)
}
