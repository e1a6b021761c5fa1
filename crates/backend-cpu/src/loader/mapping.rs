//! Memory for a loaded object: writable while it is being filled, then protected for good.

use std::{io, ptr, slice};

pub(super) const PAGE: u64 = 4096;

pub(super) struct Mapping {
    start: *mut u8,
    len: usize,
}

// SAFETY: the mapping is owned, and written only through `&mut self`.
unsafe impl Send for Mapping {}
// SAFETY: as above; shared references give addresses, not access.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// `len` zero bytes; `len` is a multiple of the page size and not zero.
    pub(super) fn new(len: usize) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
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

    /// The contents, to be filled before [`Mapping::protect`].
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is `len` bytes, writable until `protect`, and borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.start, self.len) }
    }

    /// Makes `..constants` executable and `constants..data` readable only; the rest stays writable.
    /// Both are multiples of the page size inside the mapping.
    pub(super) fn protect(&mut self, constants: usize, data: usize) -> io::Result<()> {
        self.protect_part(0, constants, libc::PROT_READ | libc::PROT_EXEC)?;
        self.protect_part(constants, data, libc::PROT_READ)
    }

    fn protect_part(&mut self, from: usize, to: usize, protection: i32) -> io::Result<()> {
        if from == to {
            return Ok(());
        }
        // SAFETY: the range lies inside the mapping, which this object owns; nothing borrows its
        // contents.
        match unsafe { libc::mprotect(self.start.add(from).cast(), to - from, protection) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned, and whoever had addresses in it has let go of the object.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}
