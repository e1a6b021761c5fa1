//! What the compilers that run as programs of their own share.

use scythe_image::Image;
use std::path::Path;

/// A folder for this user alone, below `folder`, which goes when its value does.
pub fn temporary_folder(folder: &Path) -> Result<tempfile::TempDir, String> {
    tempfile::Builder::new()
        .prefix(".device-link-")
        .tempdir_in(folder)
        .map_err(|error| format!("has no temporary folder in '{}': {error}", folder.display()))
}

/// The size and the time of the last change of a file, which tell versions of it apart.
pub fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// The key of what a compiler makes of a part in the link cache. `fields` are all other things that
/// the result depends on.
pub fn key(part: &Image, fields: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(&part.code).as_bytes());
    for field in fields {
        // The length before each field keeps different lists of fields apart.
        hasher.update(&(field.len() as u64).to_le_bytes()).update(field);
    }
    hasher.finalize()
}
