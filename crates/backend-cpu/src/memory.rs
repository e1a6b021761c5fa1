//! Memory for buffers and USM. Every kind is host memory: the device reads and writes it in place.

use std::ffi::c_void;
use std::ptr;

use scythe_hal::{Errc, Error, Result};

use crate::check;

/// A cache line, and the widest vector.
const MIN_ALIGN: usize = 64;
/// From this size on, allocations start at a huge page, and the kernel is asked for such pages: a
/// stream over them misses the TLB 512 times less often.
const HUGE_PAGE: usize = 2 << 20;

/// `limit` is the memory that the machine has: the system would promise more than that and kill the
/// program later.
pub(crate) fn alloc(size: usize, align: usize, limit: u64) -> Result<*mut c_void> {
    let exhausted = |why: &str| {
        let message = format!("cannot allocate {size} bytes aligned to {align}: {why}");
        Err(Error::new(Errc::MemoryAllocation, message))
    };
    if size as u64 > limit {
        return exhausted(&format!("the machine has {limit} bytes of memory"));
    }
    if !align.is_power_of_two() {
        return exhausted("the alignment is not a power of two");
    }
    let huge = size >= 2 * HUGE_PAGE;
    let align = align.max(if huge { HUGE_PAGE } else { MIN_ALIGN });
    let mut memory = ptr::null_mut();
    // SAFETY: the alignment is a power of two and a multiple of the pointer size; `memory` receives
    // the address.
    match unsafe { libc::posix_memalign(&mut memory, align, size) } {
        0 => {
            if huge {
                let whole = size / HUGE_PAGE * HUGE_PAGE;
                // SAFETY: the range was just allocated and starts at a page. Advice may be refused
                // without harm.
                unsafe { libc::madvise(memory, whole, libc::MADV_HUGEPAGE) };
            }
            check::allocated(memory as usize, size);
            Ok(memory)
        }
        libc::EINVAL => exhausted("the alignment is too large"),
        _ => exhausted("memory is exhausted"),
    }
}

/// # Safety
/// `memory` came from [`alloc`] and is not used any more.
pub(crate) unsafe fn free(memory: *mut c_void) {
    check::freed(memory as usize);
    // SAFETY: `posix_memalign` memory is given back by `free`.
    unsafe { libc::free(memory) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_and_writable() {
        for (size, align) in [(1, 1), (100, 64), (4096, 4096), (5 << 20, 8), (7 << 20, 8 << 20)] {
            let memory = alloc(size, align, u64::MAX).unwrap();
            assert_eq!(memory as usize % align.max(MIN_ALIGN), 0);
            // SAFETY: `size` bytes were just allocated.
            unsafe { ptr::write_bytes(memory.cast::<u8>(), 1, size) };
            // SAFETY: from `alloc`, and not used after this.
            unsafe { free(memory) };
        }
    }

    #[test]
    fn exhaustion_is_an_error() {
        for size in [1 << 40, usize::MAX, isize::MAX as usize] {
            assert_eq!(alloc(size, 64, 1 << 30).unwrap_err().code, Errc::MemoryAllocation);
        }
        assert_eq!(
            alloc(usize::MAX - 4096, 64, u64::MAX).unwrap_err().code,
            Errc::MemoryAllocation
        );
        assert_eq!(alloc(64, 1 << 63, u64::MAX).unwrap_err().code, Errc::MemoryAllocation);
    }
}
