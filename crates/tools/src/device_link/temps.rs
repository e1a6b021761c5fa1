//! `--save-temps`: writes the finished code of each image to files.

use crate::Failure;
use crate::dump::extension;
use crate::files::{Outputs, damaged};
use scythe_image::{Format, Image, fatbin};

/// Stages the files `PREFIX_N-TARGET.EXTENSION`. A fat binary becomes one file for each part: PTX
/// and cubins. Bitcode is left out, because the parts are files already.
pub fn stage(prefix: &str, images: &[Image], outputs: &mut Outputs) -> Result<(), Failure> {
    for (index, image) in images.iter().enumerate() {
        let stem = format!("{prefix}_{index}-{}", plain(image.target.as_str()));
        match image.format {
            Format::LlvmBitcode | Format::Empty => {}
            Format::Fatbin => {
                for entry in fatbin::read(&image.code).map_err(|error| damaged(&stem, error))? {
                    let extension = match entry.kind {
                        fatbin::Kind::Ptx => "ptx",
                        fatbin::Kind::Cubin => "cubin",
                    };
                    outputs.add(&format!("{stem}.{extension}"), entry.code)?;
                }
            }
            // A file needs no NUL at its end.
            Format::Ptx => {
                let code = image.code.strip_suffix(&[0]).unwrap_or(&image.code);
                outputs.add(&format!("{stem}.ptx"), code)?;
            }
            format => outputs.add(&format!("{stem}.{}", extension(format)), &image.code)?,
        }
    }
    Ok(())
}

/// Returns the name of a target with characters that suit file names.
pub fn plain(target: &str) -> String {
    target.replace(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c), "-")
}
