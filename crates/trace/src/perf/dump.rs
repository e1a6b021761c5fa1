//! The format `jitdump` of `perf`, version 1: a header, and a record with name and code for each
//! function. Numbers are in the byte order of the machine.
//!
//! `perf record` finds the file because the process maps its first page as executable. The times
//! are those of the monotonic clock, so `perf record` needs `-k mono`.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use scythe_own_files::Output;

use super::Function;
use crate::now;

const MAGIC: u32 = 0x4A69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
/// `EM_X86_64`.
const MACHINE: u32 = 62;
/// The kind of record for code that was loaded.
const CODE_LOAD: u32 = 0;
/// The length of such a record without the name and the code.
const RECORD_BYTES: usize = 56;

pub(super) struct Dump {
    file: File,
    path: PathBuf,
    /// The number of the next function.
    index: u64,
}

impl Dump {
    pub(super) fn create() -> Result<Self, String> {
        let path = PathBuf::from(format!("jit-{}.dump", std::process::id()));
        let fail = |error| format!("cannot write '{}': {error}", path.display());
        let output = Output { read: true, nonblocking: false, mode: 0o600 };
        let mut file = output.open(&path).map_err(fail)?;
        file.set_len(0).map_err(fail)?;
        let mut header = Vec::new();
        for word in [MAGIC, VERSION, HEADER_BYTES, MACHINE, 0, std::process::id()] {
            header.extend(word.to_ne_bytes());
        }
        header.extend(now().to_ne_bytes());
        header.extend(0u64.to_ne_bytes());
        file.write_all(&header).map_err(fail)?;
        // SAFETY: this creates a new mapping of an open file, which stays until the process ends.
        let mapped = unsafe {
            let rights = libc::PROT_READ | libc::PROT_EXEC;
            libc::mmap(std::ptr::null_mut(), 4096, rights, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        if mapped == libc::MAP_FAILED {
            return Err(fail(std::io::Error::last_os_error()));
        }
        Ok(Self { file, path, index: 0 })
    }

    /// # Safety
    /// The code of all functions is readable.
    pub(super) unsafe fn add(
        &mut self,
        names: &[String],
        functions: &[Function],
    ) -> Result<(), String> {
        let mut bytes = Vec::new();
        for (name, function) in names.iter().zip(functions) {
            // SAFETY: the caller guarantees that the code is readable.
            let code =
                unsafe { std::slice::from_raw_parts(function.address as *const u8, function.size) };
            self.index += 1;
            push_record(&mut bytes, name, function.address as u64, code, self.index);
        }
        let written = self.file.write_all(&bytes);
        written.map_err(|error| format!("cannot write '{}': {error}", self.path.display()))
    }
}

fn push_record(bytes: &mut Vec<u8>, name: &str, address: u64, code: &[u8], index: u64) {
    let name = name.replace('\0', " ");
    let length = RECORD_BYTES + name.len() + 1 + code.len();
    bytes.extend(CODE_LOAD.to_ne_bytes());
    bytes.extend((length as u32).to_ne_bytes());
    bytes.extend(now().to_ne_bytes());
    bytes.extend(std::process::id().to_ne_bytes());
    bytes.extend(crate::thread_id().to_ne_bytes());
    for number in [address, address, code.len() as u64, index] {
        bytes.extend(number.to_ne_bytes());
    }
    bytes.extend(name.as_bytes());
    bytes.push(0);
    bytes.extend(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_length() {
        let mut bytes = Vec::new();
        push_record(&mut bytes, "f(int)", 0x1000, &[0x90, 0xc3], 7);
        assert_eq!(bytes.len(), RECORD_BYTES + 7 + 2);
        assert_eq!(bytes[4..8], (bytes.len() as u32).to_ne_bytes());
        assert_eq!(bytes[24..32], 0x1000u64.to_ne_bytes());
        assert_eq!(bytes[48..56], 7u64.to_ne_bytes());
        assert_eq!(&bytes[56..], b"f(int)\0\x90\xc3");
    }
}
