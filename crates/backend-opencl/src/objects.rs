//! Memory objects (`cl_mem`) under addresses of their own.
//!
//! The runtime knows memory by addresses. A memory object has none that the host could use, so each
//! gets a range of addresses that nothing else in the process has, and that nobody can read or
//! write. Kernels and copies find the object by it.

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
    /// There has been one: without any, nothing is looked up.
    used: AtomicBool,
    /// By address.
    known: RwLock<BTreeMap<usize, Object>>,
}

struct Object {
    raw: Handle,
    size: usize,
    /// Parts that kernels were given: where they begin, and their objects.
    parts: Vec<(usize, Handle)>,
}

// SAFETY: OpenCL's memory objects may be used by any thread, and by many at once.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

/// A place in a memory object.
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
        // SAFETY: the context is alive; no host memory is given.
        let raw = unsafe { (api.create_buffer)(context, READ_WRITE, size, null_mut(), &mut code) };
        check(code, "clCreateBuffer").map_err(|error| {
            Error::new(
                Errc::MemoryAllocation,
                format!("cannot allocate {size} bytes: {}", error.message),
            )
        })?;
        self.adopt(api, raw, size, align)
    }

    /// Takes over a count of `raw`, an object of `size` > 0 bytes.
    pub(crate) fn adopt(
        &self,
        api: &Api,
        raw: Handle,
        size: usize,
        align: usize,
    ) -> Result<*mut c_void> {
        let address = reserve(size, align).inspect_err(|_| {
            // SAFETY: the count is this function's.
            let _ = unsafe { (api.release_mem_object)(raw) };
        })?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(address, Object { raw, size, parts: Vec::new() });
        self.used.store(true, Ordering::Release);
        Ok(address as *mut c_void)
    }

    /// Gives an object back; false where no object has this address.
    pub(crate) fn free(&self, api: &Api, address: *mut c_void) -> bool {
        if !self.used.load(Ordering::Acquire) {
            return false;
        }
        let removed =
            self.known.write().unwrap_or_else(PoisonError::into_inner).remove(&(address as usize));
        let Some(object) = removed else { return false };
        for raw in object.parts.iter().map(|&(_, raw)| raw).chain([object.raw]) {
            // SAFETY: the counts are this table's.
            let _ = unsafe { (api.release_mem_object)(raw) };
        }
        // SAFETY: reserved with this size, and no longer known to anybody.
        unsafe { libc::munmap(address, object.size) };
        true
    }

    /// The object that an address lies in.
    pub(crate) fn find(&self, address: *const c_void) -> Option<Spot> {
        if !self.used.load(Ordering::Acquire) {
            return None;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let (base, object) = known.range(..=address as usize).next_back()?;
        let offset = address as usize - base;
        (offset < object.size).then_some(Spot { raw: object.raw, offset })
    }

    /// The object for a kernel's argument that begins at an address: a part of its own where that
    /// is not the first byte.
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
        // SAFETY: the object is alive; the region is two words, as the type says.
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

    /// Objects may stand behind addresses, which may stand for others later.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }
}

/// Addresses that nobody else has, and nobody can use.
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
    // SAFETY: a new mapping, which no program code can read or write.
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
            // SAFETY: reserved above.
            unsafe { libc::munmap(address as *mut c_void, 10) };
        }
    }

    #[test]
    fn nothing_is_found_where_there_is_nothing() {
        let objects = Objects::default();
        assert!(!objects.is_used() && objects.find(8 as *const c_void).is_none());
    }
}
