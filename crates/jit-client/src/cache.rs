//! The persistent cache of compiled code. One process compiles; later processes load the result,
//! and need not load LLVM.
//!
//! [`Cache::get`] and [`Cache::put`] never fail. If something is wrong with the disk, the folder or
//! an entry, the program is built as without a cache, and `SYCL_CACHE_TRACE` prints the reason. The
//! cache removes an entry that is damaged, or whose LLVM was replaced, and the code is compiled
//! again.
//!
//! `settings` reads the environment, `key` computes what an entry is found by, `entry` is the file
//! format, `folder` manages the files, and `eviction` enforces the size limit.

mod entry;
mod eviction;
mod folder;
mod key;
mod settings;

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use scythe_hal::{CompileRequest, Result};

pub(crate) use entry::{Damage, Entry, FileStamp};
use folder::{Folder, NoCache};
pub(crate) use key::{Key, Toolchain};
use settings::{CacheLocation, Settings};

/// The maximum size of an entry. The CPU backend loads no larger object, so this cache did not
/// write a larger file.
const MAX_ENTRY_BYTES: u64 = 1 << 31;

pub(crate) struct Cache {
    folder: Folder,
    max_bytes: u64,
    trace: Trace,
}

impl Cache {
    /// Returns the cache of this process, which is opened at the first call, or `None` if there is
    /// no cache. Reports an error if a setting has an invalid value.
    pub(crate) fn of_process() -> Result<Option<&'static Self>> {
        static CACHE: OnceLock<Result<Option<Cache>>> = OnceLock::new();
        let opened =
            CACHE.get_or_init(|| Settings::of_process().map(|settings| Cache::open(&settings)));
        opened.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn open(settings: &Settings) -> Option<Self> {
        let trace = Trace(settings.trace);
        let opened = match &settings.location {
            CacheLocation::Folder(root) => Folder::open(root),
            CacheLocation::SwitchedOff => Err(NoCache::SwitchedOff),
            CacheLocation::Unknown => {
                Err(NoCache::NoFolder { variable: scythe_abi::environment::CACHE_DIR.name })
            }
        };
        match opened {
            Ok(folder) => Some(Self { folder, max_bytes: settings.max_bytes, trace }),
            Err(reason) => {
                trace.line(format_args!("not used: {reason}"));
                None
            }
        }
    }

    /// Returns the key of a build with the compiler in these files.
    pub(crate) fn key(
        &self,
        request: &CompileRequest<'_>,
        library: &Path,
        device_lib_dir: &Path,
    ) -> Option<Key> {
        // Neither the processor nor the compiler of a process changes.
        static TOOLCHAIN: OnceLock<Option<Toolchain>> = OnceLock::new();
        let toolchain = TOOLCHAIN.get_or_init(|| {
            let identified = Toolchain::identify(library, device_lib_dir);
            identified
                .inspect_err(|error| {
                    self.trace
                        .line(format_args!("not used: cannot read the run-time compiler: {error}"))
                })
                .ok()
        });
        toolchain.as_ref().map(|toolchain| toolchain.key(request))
    }

    /// Returns the entry for a key.
    pub(crate) fn get(&self, key: &Key) -> Option<Entry> {
        let start = Instant::now();
        let bytes = match self.folder.read(key) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.trace.line(format_args!("miss {key}"));
                return None;
            }
            Err(error) => {
                self.discard(key, &error);
                return None;
            }
        };
        match Entry::decode(bytes, key) {
            Err(damage) => {
                self.discard(key, &damage);
                None
            }
            Ok(entry) => {
                if let Some(compiler) = entry.compiler().filter(|compiler| compiler.is_replaced()) {
                    self.discard(key, &format_args!("'{}' has changed", compiler.path().display()));
                    return None;
                }
                let (bytes, time) = (entry.object().len(), start.elapsed().as_micros());
                self.trace.line(format_args!("hit {key}: {bytes} bytes in {time} us"));
                Some(entry)
            }
        }
    }

    /// Stores an object that `compiler` made.
    pub(crate) fn put(&self, key: &Key, compiler: Option<&FileStamp>, object: &[u8]) {
        let head = entry::encode_head(key, compiler, object);
        let bytes = (head.len() + object.len()) as u64;
        if bytes > self.max_bytes.min(MAX_ENTRY_BYTES)
            || !folder::may_write(bytes.max(eviction::ACCOUNT_BYTES))
        {
            self.trace.line(format_args!("not stored {key}: {bytes} bytes exceed the limit"));
            return;
        }
        self.folder.remove_leftovers();
        if let Err(error) = self.folder.store(key, [&head[..], object]) {
            self.trace.line(format_args!("not stored {key}: {error}"));
            return;
        }
        self.trace.line(format_args!("stored {key}: {bytes} bytes"));
        match eviction::account(&self.folder, bytes, self.max_bytes) {
            Ok(evicted) if evicted.entries == 0 => {}
            Ok(evicted) => {
                self.trace.line(format_args!(
                    "evicted {} entries with {} bytes in total",
                    evicted.entries, evicted.bytes
                ));
            }
            Err(error) => {
                self.trace.line(format_args!("cannot update the size record of the cache: {error}"))
            }
        }
    }

    /// Removes an entry that cannot be used.
    pub(crate) fn discard(&self, key: &Key, reason: &dyn fmt::Display) {
        self.trace.line(format_args!("discarded {key}: {reason}"));
        if let Err(error) = self.folder.remove(key) {
            self.trace.line(format_args!("cannot remove {key}: {error}"));
        }
    }
}

/// Reads the bytes of an entry.
pub(crate) fn read_at_most(path: &Path) -> io::Result<Vec<u8>> {
    contents(&File::open(path)?)
}

fn contents(file: &File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > MAX_ENTRY_BYTES {
        return Err(io::Error::other(format!("{length} bytes exceed the limit")));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(MAX_ENTRY_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Prints lines on standard error if the user asks for them.
#[derive(Clone, Copy)]
struct Trace(bool);

impl Trace {
    fn line(self, text: fmt::Arguments<'_>) {
        if self.0 {
            // One write, so that lines of several processes do not mix. A closed standard error
            // must not stop the program.
            let _ = io::stderr().lock().write_all(format!("scythe: cache: {text}\n").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
