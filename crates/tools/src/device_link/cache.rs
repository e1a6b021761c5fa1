//! The link cache: images of whole links and code that was compiled ahead of time, by the hash of
//! all inputs.
//!
//! An entry is a file with a magic number, the hash of its contents, and the contents. An entry
//! gets its final name when it is complete, so several links can share a folder. A damaged entry is
//! written again. If an entry cannot be written, the link warns and continues. Unfinished files are
//! removed after an hour. If the files exceed [`MAX_BYTES`], the least recently used ones are
//! removed.

use crate::{Failure, device_library, files};
use scythe_diag::Diagnostic;
use scythe_image::{Image, ImageView, container};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MAGIC: [u8; 8] = *b"SCYTHELC";
/// The size that the cache may have, in bytes.
const MAX_BYTES: u64 = 1 << 30;
const HEAD: usize = MAGIC.len() + blake3::OUT_LEN;

pub struct Cache {
    folder: PathBuf,
    /// See [`program_identity`].
    identity: blake3::Hash,
}

impl Cache {
    /// Opens the cache in this folder. Makes the folder if necessary, for its owner only.
    pub fn open(folder: &str) -> Result<Self, Failure> {
        files::make_private_folder(folder)?;
        remove_unfinished(Path::new(folder));
        Ok(Self { folder: PathBuf::from(folder), identity: program_identity()? })
    }

    /// Returns the images of an earlier link.
    pub fn images(&self, key: &blake3::Hash) -> Option<Vec<Image>> {
        let contents = self.read(&name("link", key))?;
        let mut images = Vec::new();
        let mut rest = contents.as_slice();
        while !rest.is_empty() {
            let (view, length) = ImageView::parse_prefix(rest).ok()?;
            images.push(view.to_image().ok()?);
            rest = &rest[length..];
        }
        Some(images)
    }

    pub fn keep_images(&self, key: &blake3::Hash, images: &[Image]) {
        let contents: Vec<u8> = images.iter().flat_map(Image::to_bytes).collect();
        self.write(&name("link", key), &contents);
    }

    /// Returns code of an earlier compilation. Names of entries start with `kind`. `key` covers the
    /// input and the compiler, except for this program.
    pub fn binary(&self, kind: &str, key: &blake3::Hash) -> Option<Vec<u8>> {
        self.read(&self.binary_name(kind, key))
    }

    pub fn keep_binary(&self, kind: &str, key: &blake3::Hash, binary: &[u8]) {
        self.write(&self.binary_name(kind, key), binary);
    }

    fn binary_name(&self, kind: &str, key: &blake3::Hash) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.identity.as_bytes()).update(key.as_bytes());
        name(kind, &hasher.finalize())
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let mut bytes = std::fs::read(&path).ok()?;
        let head = bytes.get(..HEAD)?;
        let sound = head.starts_with(&MAGIC)
            && head[MAGIC.len()..] == *blake3::hash(&bytes[HEAD..]).as_bytes();
        if let Ok(file) = File::options().append(true).open(&path) {
            // The time of the last use. A cache that cannot be written can still be read.
            let _ = file.set_modified(SystemTime::now());
        }
        sound.then(|| bytes.split_off(HEAD))
    }

    fn write(&self, name: &str, contents: &[u8]) {
        let bytes = [&MAGIC[..], blake3::hash(contents).as_bytes(), contents].concat();
        if let Err(Failure(faults)) =
            files::write(&self.folder.join(name).to_string_lossy(), &bytes)
        {
            for fault in faults {
                let warning = Diagnostic { severity: scythe_diag::Severity::Warning, ..fault };
                eprint!("{}", warning.render_as("device-link"));
            }
        }
        enforce_limit(&self.folder, MAX_BYTES);
    }
}

/// Removes the unfinished files of interrupted links. Newer files may belong to a running link.
fn remove_unfinished(folder: &Path) {
    const AGE: std::time::Duration = std::time::Duration::from_secs(3600);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let unfinished =
            name.as_encoded_bytes().starts_with(b".") && name.as_encoded_bytes().ends_with(b".tmp");
        let modified = || entry.metadata().and_then(|data| data.modified()).ok()?.elapsed().ok();
        if unfinished && modified().is_some_and(|age| age > AGE) {
            // Another link may have removed the file.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Removes the least recently used files if the cache exceeds the limit, until an eighth is free.
/// The folder belongs to the user, who may keep other files there: only entries are removed.
fn enforce_limit(folder: &Path, limit: u64) {
    let is_entry = |name: &str| name.rsplit_once('-').is_some_and(|(_, key)| is_key(key));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_entry))
        .filter_map(|entry| {
            let data = entry.metadata().ok()?;
            Some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
    if total <= limit {
        return;
    }
    entries.sort();
    for (_, size, path) in entries {
        if total <= limit - limit / 8 {
            break;
        }
        // Another link may have removed the file.
        let _ = std::fs::remove_file(path);
        total -= size;
    }
}

fn is_key(text: &str) -> bool {
    text.len() == 2 * blake3::OUT_LEN && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn name(kind: &str, key: &blake3::Hash) -> String {
    format!("{kind}-{}", key.to_hex())
}

/// Returns the hash of this program for keys: its version, its file, LLVM, and the device library.
pub fn program_identity() -> Result<blake3::Hash, Failure> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.update(
        format!("container {}, LLVM {:?}", container::VERSION, scythe_llvm::llvm_version())
            .as_bytes(),
    );
    let program = std::env::current_exe().unwrap_or_default();
    hasher.update(blake3::hash(&files::read(&program.to_string_lossy())?).as_bytes());
    for file in library_files(&device_library::folder()?) {
        hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update(blake3::hash(&files::read(&file.to_string_lossy())?).as_bytes());
    }
    Ok(hasher.finalize())
}

/// Returns the files of the device library, sorted by name. Empty if it is not installed.
fn library_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn the_least_recently_used_entries_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = |n: u8| dir.path().join(name("link", &blake3::hash(&[n])));
        for n in 0..4 {
            std::fs::write(path(n), [0; 100]).unwrap();
            let file = File::options().append(true).open(path(n)).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(10 - u64::from(n))).unwrap();
        }
        let other = dir.path().join("mine-0123");
        std::fs::write(&other, [0; 1000]).unwrap();
        enforce_limit(dir.path(), 400);
        assert!((0..4).all(|n| path(n).exists()));
        enforce_limit(dir.path(), 300);
        assert_eq!([0, 1, 2, 3].map(|n| path(n).exists()), [true, true, false, false]);
        assert!(other.exists());
    }
}
