//! Memory objects (`cl_mem`) with addresses.
//!
//! The runtime identifies memory by addresses. A memory object has no address that the host could
//! use. Therefore each memory object gets a range of addresses that nothing else in the process
//! uses and that cannot be read or written. Kernels and copies find the object by its address.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use scythe_hal::{Errc, Error, Result};

use crate::api::{Api, Handle, check};

const READ_WRITE: u64 = 1;
const MISALIGNED: i32 = -13;
const BUFFER_CREATE_TYPE_REGION: u32 = 0x1220;

#[derive(Default)]
pub(crate) struct Objects {
    /// Whether there has been an object. Without any, lookups are skipped.
    used: AtomicBool,
    /// The objects, by address.
    known: RwLock<BTreeMap<usize, Object>>,
}

struct Object {
    raw: Handle,
    size: usize,
    /// The parts that were arguments of kernels: their offsets and sub-buffers.
    parts: Vec<(usize, Handle)>,
}

// SAFETY: OpenCL's memory objects may be used by several threads at once.
unsafe impl Send for Object {}
// SAFETY: OpenCL's memory objects may be used by several threads at once.
unsafe impl Sync for Object {}

/// A position in a memory object.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) raw: Handle,
    pub(crate) offset: usize,
}

impl Objects {
    pub(crate) fn alloc(
        &self,
        api: &Api,
        context: Handle,
        size: usize,
        align: usize,
    ) -> Result<*mut c_void> {
        let mut code = 0;
        // SAFETY: the context is alive, and no host memory is passed.
        let raw = unsafe { (api.create_buffer)(context, READ_WRITE, size, null_mut(), &mut code) };
        check(code, "clCreateBuffer").map_err(|error| {
            Error::new(
                Errc::MemoryAllocation,
                format!("cannot allocate {size} bytes: {}", error.message),
            )
        })?;
        self.adopt(api, raw, size, align)
    }

    /// Adds an object of `size` bytes, which must not be 0. Takes over a reference count of `raw`.
    pub(crate) fn adopt(
        &self,
        api: &Api,
        raw: Handle,
        size: usize,
        align: usize,
    ) -> Result<*mut c_void> {
        let address = reserve(size, align).inspect_err(|_| {
            // SAFETY: this function owns the reference count.
            let _ = unsafe { (api.release_mem_object)(raw) };
        })?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(address, Object { raw, size, parts: Vec::new() });
        self.used.store(true, Ordering::Release);
        Ok(address as *mut c_void)
    }

    /// Releases an object. Returns false if no object has this address.
    pub(crate) fn free(&self, api: &Api, address: *mut c_void) -> bool {
        if !self.used.load(Ordering::Acquire) {
            return false;
        }
        let removed =
            self.known.write().unwrap_or_else(PoisonError::into_inner).remove(&(address as usize));
        let Some(object) = removed else { return false };
        for raw in object.parts.iter().map(|&(_, raw)| raw).chain([object.raw]) {
            // SAFETY: this table owns the reference counts.
            let _ = unsafe { (api.release_mem_object)(raw) };
        }
        // SAFETY: the range was reserved with this size, and nothing refers to it any more.
        unsafe { libc::munmap(address, object.size) };
        true
    }

    /// Returns the object that contains an address.
    pub(crate) fn find(&self, address: *const c_void) -> Option<Spot> {
        if !self.used.load(Ordering::Acquire) {
            return None;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let (base, object) = known.range(..=address as usize).next_back()?;
        let offset = address as usize - base;
        (offset < object.size).then_some(Spot { raw: object.raw, offset })
    }

    /// Returns the object for a kernel's argument that starts at an address: a sub-buffer unless
    /// the address is that of the object's first byte.
    pub(crate) fn argument(&self, api: &Api, address: *const c_void) -> Option<Result<Handle>> {
        let spot = self.find(address)?;
        if spot.offset == 0 {
            return Some(Ok(spot.raw));
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let (_, object) = known.range_mut(..=address as usize).next_back()?;
        if let Some(&(_, part)) = object.parts.iter().find(|(offset, _)| *offset == spot.offset) {
            return Some(Ok(part));
        }
        let region = [spot.offset, object.size - spot.offset];
        let mut code = 0;
        // SAFETY: the object is alive. The region consists of two words, as its type requires.
        let part = unsafe {
            (api.create_sub_buffer)(
                object.raw,
                0,
                BUFFER_CREATE_TYPE_REGION,
                region.as_ptr().cast(),
                &mut code,
            )
        };
        if code == MISALIGNED {
            let message = format!(
                "a sub-buffer starts at byte {} of its buffer, expected a multiple of \
                 info::device::mem_base_addr_align",
                spot.offset
            );
            return Some(Err(Error::new(Errc::Invalid, message)));
        }
        Some(check(code, "clCreateSubBuffer").map(|()| {
            object.parts.push((spot.offset, part));
            part
        }))
    }

    /// Returns whether addresses may refer to objects. The same address may later refer to another
    /// object.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }
}

/// Reserves addresses that nothing else uses and that cannot be accessed.
fn reserve(size: usize, align: usize) -> Result<usize> {
    const PAGE: usize = 4096;
    let exhausted = || {
        Error::new(Errc::MemoryAllocation, format!("cannot reserve {size} bytes of address space"))
    };
    if align > PAGE {
        let message = format!(
            "alignment {align} is not supported on this device, expected at most {PAGE} bytes"
        );
        return Err(Error::new(Errc::MemoryAllocation, message));
    }
    // SAFETY: this is a new mapping, which cannot be read or written.
    let address = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(null_mut(), size, libc::PROT_NONE, flags, -1, 0)
    };
    if address == libc::MAP_FAILED { Err(exhausted()) } else { Ok(address as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_addresses_differ_and_are_aligned() {
        let (a, b) = (reserve(10, 256).unwrap(), reserve(10, 256).unwrap());
        assert!(a != b && a % 256 == 0 && b % 256 == 0);
        assert!(reserve(10, 1 << 20).is_err());
        for address in [a, b] {
            // SAFETY: the range was reserved above.
            unsafe { libc::munmap(address as *mut c_void, 10) };
        }
    }

    #[test]
    fn nothing_is_found_where_there_is_nothing() {
        let objects = Objects::default();
        assert!(!objects.is_used() && objects.find(8 as *const c_void).is_none());
    }
}
