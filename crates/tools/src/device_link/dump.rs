//! `--dump-device-code`: writes the code of each image to a file.

use super::temps::plain;
use crate::Failure;
use crate::dump::extension;
use crate::files::{self, Outputs};
use scythe_image::{Format, Image};
use std::path::Path;

/// Stages one file per image, `SOURCE-TARGET-HASH.EXTENSION`. The source is the file of the first
/// kernel. The hash covers the code and the symbols of the image, so several links can write to one
/// folder. Equal images share a file.
pub fn stage(folder: &str, images: &[Image], outputs: &mut Outputs) -> Result<(), Failure> {
    files::make_folder(folder)?;
    for image in images.iter().filter(|image| image.format != Format::Empty) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(image.symbols.join("\n").as_bytes()).update(&image.code);
        let hash = hasher.finalize().to_hex();
        let target = plain(image.target.as_str());
        let name =
            format!("{}-{target}-{}.{}", source(image), &hash[..12], extension(image.format));
        outputs.add(&Path::new(folder).join(name).to_string_lossy(), &image.code)?;
    }
    Ok(())
}

/// Returns the name, without folders, of the source of an image's first kernel.
fn source(image: &Image) -> String {
    let launch = image.symbols.first().and_then(|symbol| image.manifest.launch(symbol));
    let file = launch.and_then(|launch| {
        Some(Path::new(&launch.file).file_name()?.to_string_lossy().into_owned())
    });
    file.unwrap_or_else(|| "device".to_owned())
}
