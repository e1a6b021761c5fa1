//! Memory for a loaded object. It is writable until it has been filled, and then permanently
//! protected.

use std::{io, ptr, slice};

pub(super) const PAGE: u64 = 4096;

pub(super) struct Mapping {
    start: *mut u8,
    len: usize,
}

// SAFETY: `Mapping` owns its memory, and writes to it only through `&mut self`.
unsafe impl Send for Mapping {}
// SAFETY: shared references give addresses only, not access to the memory.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` zero bytes. `len` must be a multiple of the page size and not zero.
    pub(super) fn new(len: usize) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the kernel chooses the address of a new mapping, so no existing mapping is
        // affected.
        let start = unsafe {
            libc::mmap(ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start: start.cast(), len })
    }

    pub(super) fn address(&self) -> usize {
        self.start as usize
    }

    /// Returns the contents, which must be filled before [`Mapping::protect`].
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has `len` bytes, is writable until `protect`, and is borrowed
        // mutably.
        unsafe { slice::from_raw_parts_mut(self.start, self.len) }
    }

    /// Makes `..constants` executable and `constants..data` read-only. The rest stays writable.
    /// Both offsets must be multiples of the page size inside of the mapping.
    pub(super) fn protect(&mut self, constants: usize, data: usize) -> io::Result<()> {
        self.protect_part(0, constants, libc::PROT_READ | libc::PROT_EXEC)?;
        self.protect_part(constants, data, libc::PROT_READ)
    }

    fn protect_part(&mut self, from: usize, to: usize, protection: i32) -> io::Result<()> {
        if from == to {
            return Ok(());
        }
        // SAFETY: the range is inside of the mapping, which this object owns, and nothing borrows
        // its contents.
        match unsafe { libc::mprotect(self.start.add(from).cast(), to - from, protection) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this object owns the mapping, and the users of addresses in it have released the
        // object.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}
