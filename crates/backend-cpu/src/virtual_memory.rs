//! Virtual memory of the CPU device: addresses reserved with `mmap`, and physical memory in
//! anonymous files, so that several ranges can show the same memory.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;
use std::sync::Arc;

use scythe_hal::{Access, Errc, Error, PhysicalMemory, Result, VirtualMemory};

use crate::check;
use crate::device::CpuDevice;

fn failure(what: &str, size: usize) -> Error {
    let why = io::Error::last_os_error();
    let code = match why.raw_os_error() {
        Some(libc::ENOMEM | libc::ENOSPC) => Errc::MemoryAllocation,
        _ => Errc::Runtime,
    };
    Error::new(code, format!("cannot {what} {size} bytes of virtual memory: {why}"))
}

fn protection(access: Access) -> i32 {
    match access {
        Access::None => libc::PROT_NONE,
        Access::Read => libc::PROT_READ,
        Access::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
    }
}

/// Tells the check of widened kernels which bytes kernels may write. The check restores them, which
/// also restores what other ranges show of the same memory.
fn tell_check(start: usize, size: usize, access: Access) {
    check::hidden(start, size);
    if access == Access::ReadWrite {
        check::allocated(start, size);
    }
}

/// Reserves addresses, and replaces what was mapped there if `flags` contain `MAP_FIXED`.
///
/// # Safety
/// With `MAP_FIXED`, the range is reserved, and nothing uses it.
unsafe fn reserve(start: usize, size: usize, flags: i32) -> Option<usize> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: without MAP_FIXED the system replaces no mapping. With it, nothing uses the range
    // (this function's contract).
    let at = unsafe { libc::mmap(start as *mut c_void, size, libc::PROT_NONE, flags, -1, 0) };
    (at != libc::MAP_FAILED).then_some(at as usize)
}

impl VirtualMemory for CpuDevice {
    fn granularity(&self, _recommended: bool) -> Result<usize> {
        // SAFETY: `sysconf` takes no pointers and has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Ok(usize::try_from(page).unwrap_or(4096))
    }

    fn reserve(&self, start: usize, size: usize) -> Result<usize> {
        // SAFETY: the call replaces no mapping.
        unsafe { reserve(start, size, 0) }.ok_or_else(|| failure("reserve", size))
    }

    unsafe fn unreserve(&self, start: usize, size: usize) -> Result<()> {
        // SAFETY: the range was reserved, and nothing is mapped into it (contract of
        // `VirtualMemory::unreserve`).
        match unsafe { libc::munmap(start as *mut c_void, size) } {
            0 => Ok(()),
            _ => Err(failure("free", size)),
        }
    }

    fn physical(&self, size: usize, _exported: bool) -> Result<Arc<dyn PhysicalMemory>> {
        let limit = self.memory_limit();
        let length = libc::off_t::try_from(size).ok().filter(|_| size as u64 <= limit);
        let Some(length) = length else {
            let message =
                format!("cannot allocate {size} bytes of physical memory: the machine has {limit}");
            return Err(Error::new(Errc::MemoryAllocation, message));
        };
        // SAFETY: the name is a C string.
        let file = unsafe { libc::memfd_create(c"sycl".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(failure("allocate", size));
        }
        // SAFETY: the descriptor was just opened, and nothing else owns it.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        // SAFETY: the descriptor is open.
        match unsafe { libc::ftruncate(file.as_raw_fd(), length) } {
            0 => Ok(Arc::new(Physical(file))),
            _ => Err(failure("allocate", size)),
        }
    }

    unsafe fn set_access(&self, start: usize, size: usize, access: Access) -> Result<()> {
        // SAFETY: the range is mapped to memory of this device, and no command uses it (contract of
        // `VirtualMemory::set_access`).
        match unsafe { libc::mprotect(start as *mut c_void, size, protection(access)) } {
            0 => {
                tell_check(start, size, access);
                Ok(())
            }
            _ => Err(failure("change the access to", size)),
        }
    }

    unsafe fn unmap(&self, start: usize, size: usize) -> Result<()> {
        check::hidden(start, size);
        // SAFETY: the range is a mapping of this device, and no command uses it (contract of
        // `VirtualMemory::unmap`).
        let at = unsafe { reserve(start, size, libc::MAP_FIXED) };
        at.map(|_| ()).ok_or_else(|| failure("unmap", size))
    }
}

/// An anonymous file. The system gives it memory when a page is first used, and takes the memory
/// back when the file is closed and no longer mapped.
struct Physical(OwnedFd);

impl PhysicalMemory for Physical {
    unsafe fn map(&self, start: usize, size: usize, offset: usize, access: Access) -> Result<()> {
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let offset = offset as libc::off_t;
        // SAFETY: the range is reserved, nothing is mapped into it, and it ends before the file
        // does (contract of `PhysicalMemory::map`).
        let at = unsafe {
            libc::mmap(
                start as *mut c_void,
                size,
                protection(access),
                flags,
                self.0.as_raw_fd(),
                offset,
            )
        };
        if ptr::eq(at, libc::MAP_FAILED) {
            return Err(failure("map", size));
        }
        tell_check(start, size, access);
        Ok(())
    }

    fn export(&self) -> Result<i32> {
        let copy = self.0.try_clone().map_err(|why| {
            Error::new(Errc::Runtime, format!("cannot export memory as a file descriptor: {why}"))
        })?;
        Ok(copy.into_raw_fd())
    }
}
