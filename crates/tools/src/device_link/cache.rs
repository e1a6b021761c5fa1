//! The link cache: images of whole links and code that was compiled ahead of time, by the hash of
//! all inputs.
//!
//! An entry is a file with a magic number, a checksum, its key, and the contents. The checksum
//! covers the kind and the key of the entry as well, so that no entry can stand for another one. An
//! entry gets its final name when it is complete, so several links can share a folder. A damaged
//! entry is written again. If an entry cannot be written, the link warns and continues. Unfinished
//! files are removed after an hour. If the files exceed [`MAX_BYTES`], the least recently used ones
//! are removed.
//!
//! Entries become part of programs. Therefore the folder and the entries must belong to the user,
//! and nobody else may write to them (`scythe_own_files`). Another folder is refused.

use crate::errors::{NotOwnFolder, Unwritable};
use crate::files::{file_error, reason};
use crate::{Failure, device_library, files};
use scythe_diag::Diagnostic;
use scythe_image::{Image, ImageView, container};
use scythe_own_files as own;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

/// The kind of the entries for whole links.
const IMAGES: &str = "link";
const MAGIC: [u8; 8] = *b"SCYTHLC2";
/// The size that the cache may have, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// The position of the key in an entry, and that of the contents.
const KEY: usize = MAGIC.len() + blake3::OUT_LEN;
const HEAD: usize = KEY + blake3::OUT_LEN;

pub struct Cache {
    folder: own::Folder,
    path: String,
    /// See [`program_identity`].
    identity: blake3::Hash,
}

impl Cache {
    /// Opens the cache in this folder. Makes the folder if necessary, for its owner only.
    pub fn open(folder: &str) -> Result<Self, Failure> {
        files::make_private_folder(folder)?;
        let path = folder.to_owned();
        let folder = own::Folder::open(Path::new(folder))
            .map_err(|error| file_error(&path, &NotOwnFolder { reason: reason(&error) }))?;
        remove_unfinished(&folder);
        Ok(Self { folder, path, identity: program_identity()? })
    }

    /// Returns the images of an earlier link.
    pub fn images(&self, key: &blake3::Hash) -> Option<Vec<Image>> {
        let contents = self.read(IMAGES, key)?;
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
        self.write(IMAGES, key, &contents);
    }

    /// Returns code of an earlier compilation. Names of entries start with `kind`. `key` covers the
    /// input and the compiler, except for this program.
    pub fn binary(&self, kind: &str, key: &blake3::Hash) -> Option<Vec<u8>> {
        self.read(kind, &self.binary_key(key))
    }

    pub fn keep_binary(&self, kind: &str, key: &blake3::Hash, binary: &[u8]) {
        self.write(kind, &self.binary_key(key), binary);
    }

    fn binary_key(&self, key: &blake3::Hash) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.identity.as_bytes()).update(key.as_bytes());
        hasher.finalize()
    }

    fn read(&self, kind: &str, key: &blake3::Hash) -> Option<Vec<u8>> {
        let mut file = self.folder.read(name(kind, key)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let head = bytes.get(..HEAD)?;
        let is_sound = head.starts_with(&MAGIC)
            && head[KEY..] == *key.as_bytes()
            && head[MAGIC.len()..KEY] == *checksum(kind, key, &bytes[HEAD..]).as_bytes();
        // The time of the last use. A cache that cannot be written can still be read.
        let _ = file.set_modified(SystemTime::now());
        is_sound.then(|| bytes.split_off(HEAD))
    }

    fn write(&self, kind: &str, key: &blake3::Hash, contents: &[u8]) {
        let name = name(kind, key);
        if let Err(error) = self.replace(&name, kind, key, contents) {
            let path = Path::new(&self.path).join(&name);
            let reason = reason(&error);
            let Failure(faults) = file_error(&path.to_string_lossy(), &Unwritable { reason });
            for fault in faults {
                let warning = Diagnostic { severity: scythe_diag::Severity::Warning, ..fault };
                eprint!("{}", warning.render_as("device-link"));
            }
        }
        enforce_limit(&self.folder, MAX_BYTES);
    }

    /// Writes an entry under its final name at once.
    fn replace(
        &self,
        name: &str,
        kind: &str,
        key: &blake3::Hash,
        contents: &[u8],
    ) -> io::Result<()> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!(".{name}.{}-{count}.tmp", std::process::id());
        // A process of another container may have the same number.
        let _ = self.folder.remove(&unfinished);
        let mut file = self.folder.create_new(&unfinished)?;
        let checksum = checksum(kind, key, contents);
        let parts = [&MAGIC[..], checksum.as_bytes(), key.as_bytes(), contents];
        let written = parts.iter().try_for_each(|part| file.write_all(part));
        let written = written.and_then(|()| self.folder.rename(&unfinished, &self.folder, name));
        written.inspect_err(|_| {
            let _ = self.folder.remove(&unfinished);
        })
    }
}

fn checksum(kind: &str, key: &blake3::Hash, contents: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes()).update(&[0]).update(key.as_bytes()).update(contents);
    hasher.finalize()
}

/// Removes the unfinished files of interrupted links. Newer files may belong to a running link.
fn remove_unfinished(folder: &own::Folder) {
    const AGE: std::time::Duration = std::time::Duration::from_secs(3600);
    for name in folder.names().unwrap_or_default() {
        let is_unfinished =
            name.as_encoded_bytes().starts_with(b".") && name.as_encoded_bytes().ends_with(b".tmp");
        let modified = || folder.metadata(&name).and_then(|d| d.modified()).ok()?.elapsed().ok();
        if is_unfinished && modified().is_some_and(|age| age > AGE) {
            // Another link may have removed the file.
            let _ = folder.remove(&name);
        }
    }
}

/// Removes the least recently used files if the cache exceeds the limit, until an eighth is free.
/// The user may keep other files in the folder: only entries are removed.
fn enforce_limit(folder: &own::Folder, limit: u64) {
    let is_entry = |name: &str| name.rsplit_once('-').is_some_and(|(_, key)| is_key(key));
    let names = folder.names().unwrap_or_default();
    let mut entries: Vec<(SystemTime, u64, String)> = names
        .into_iter()
        .filter_map(|name| name.into_string().ok().filter(|name| is_entry(name)))
        .filter_map(|name| {
            let data = folder.metadata(&name).ok()?;
            Some((data.modified().ok()?, data.len(), name))
        })
        .collect();
    let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
    if total <= limit {
        return;
    }
    entries.sort();
    for (_, size, name) in entries {
        if total <= limit - limit / 8 {
            break;
        }
        // Another link may have removed the file.
        let _ = folder.remove(&name);
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
    use std::fs::File;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, UNIX_EPOCH};

    fn key(n: u8) -> blake3::Hash {
        blake3::hash(&[n])
    }

    fn cache(folder: &Path) -> Cache {
        let path = folder.to_str().unwrap().to_owned();
        Cache { folder: own::Folder::open(folder).unwrap(), path, identity: key(0) }
    }

    #[test]
    fn the_least_recently_used_entries_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = |n: u8| dir.path().join(name("link", &key(n)));
        for n in 0..4 {
            std::fs::write(path(n), [0; 100]).unwrap();
            let file = File::options().append(true).open(path(n)).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(10 - u64::from(n))).unwrap();
        }
        let other = dir.path().join("mine-0123");
        std::fs::write(&other, [0; 1000]).unwrap();
        let folder = own::Folder::open(dir.path()).unwrap();
        enforce_limit(&folder, 400);
        assert!((0..4).all(|n| path(n).exists()));
        enforce_limit(&folder, 300);
        assert_eq!([0, 1, 2, 3].map(|n| path(n).exists()), [true, true, false, false]);
        assert!(other.exists());
    }

    #[test]
    fn entries_hold_their_kind_and_key() {
        let dir = tempfile::tempdir().unwrap();
        let cache = cache(dir.path());
        let path = |kind: &str, n: u8| dir.path().join(name(kind, &key(n)));
        cache.write("cpu", &key(1), b"one");
        assert_eq!(cache.read("cpu", &key(1)).unwrap(), b"one");
        // An entry under another name is not that entry.
        std::fs::copy(path("cpu", 1), path("cpu", 2)).unwrap();
        std::fs::copy(path("cpu", 1), path("link", 1)).unwrap();
        assert!(cache.read("cpu", &key(2)).is_none() && cache.read("link", &key(1)).is_none());
        let mut bytes = std::fs::read(path("cpu", 1)).unwrap();
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            std::fs::write(path("cpu", 1), &bytes).unwrap();
            assert!(cache.read("cpu", &key(1)).is_none(), "byte {at}");
            bytes[at] ^= 1;
        }
        cache.write("cpu", &key(1), b"again");
        assert_eq!(cache.read("cpu", &key(1)).unwrap(), b"again");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3, "no temporary file is left");
    }

    #[test]
    fn folders_and_entries_of_others_are_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("shared");
        std::fs::create_dir(&folder).unwrap();
        let set_mode = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        set_mode(&folder, 0o1777);
        let refused = Cache::open(folder.to_str().unwrap()).err().expect("others can write");
        let text = refused.to_string();
        assert!(text.contains("other users can write to it (mode 1777)"), "{text}");
        set_mode(&folder, 0o700);
        let cache = cache(&folder);
        cache.write("cpu", &key(1), b"one");
        let entry = folder.join(name("cpu", &key(1)));
        set_mode(&entry, 0o666);
        assert!(cache.read("cpu", &key(1)).is_none());
        std::fs::rename(&entry, dir.path().join("theirs")).unwrap();
        set_mode(&dir.path().join("theirs"), 0o600);
        symlink(dir.path().join("theirs"), &entry).unwrap();
        assert!(cache.read("cpu", &key(1)).is_none(), "a link");
        cache.write("cpu", &key(1), b"one");
        assert_eq!(cache.read("cpu", &key(1)).unwrap(), b"one");
    }
}
