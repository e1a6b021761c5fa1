//! Memory for buffers and USM. All kinds are host memory, which the device accesses in place.

use std::ffi::c_void;
use std::ptr;

use scythe_hal::{Errc, Error, Result};

use crate::check;

/// The minimum alignment: a cache line, and the widest vector.
const MIN_ALIGN: usize = 64;
/// The size from which allocations start at a huge page and request such pages from the kernel. A
/// stream over huge pages has 512 times fewer TLB misses.
const HUGE_PAGE: usize = 2 << 20;

/// Allocates memory. `limit` is the memory size of the machine: the system would grant more than
/// that and kill the program later.
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
    // SAFETY: the alignment is a power of two and a multiple of the pointer size, and `memory` is
    // writable.
    match unsafe { libc::posix_memalign(&mut memory, align, size) } {
        0 => {
            if huge {
                let whole = size / HUGE_PAGE * HUGE_PAGE;
                // SAFETY: the range was just allocated and starts at a page boundary. A failure of
                // `madvise` has no effect.
                unsafe { libc::madvise(memory, whole, libc::MADV_HUGEPAGE) };
            }
            check::allocated(memory as usize, size);
            Ok(memory)
        }
        libc::EINVAL => exhausted("the alignment is too large"),
        _ => exhausted("memory is exhausted"),
    }
}

/// Frees memory.
///
/// # Safety
/// `memory` came from [`alloc`] and is not used any more.
pub(crate) unsafe fn free(memory: *mut c_void) {
    check::freed(memory as usize);
    // SAFETY: `memory` came from `posix_memalign` in [`alloc`] and is not used any more (this
    // function's contract).
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
            // SAFETY: the memory came from `alloc` and is not used after this.
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
