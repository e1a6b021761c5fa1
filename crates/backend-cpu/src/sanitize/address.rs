//! The interface of the process's address sanitizer, which a program has if it is linked with
//! `-fsanitize=address`, and the zones around variables and local accessors that no access may
//! touch.
//!
//! The sanitizer replaces the C library's allocation functions. All buffers and USM come from them,
//! so the sanitizer knows the bounds of each, and keeps freed memory for a while.

use std::cell::Cell;
use std::ffi::{CString, c_int, c_void};
use std::sync::OnceLock;

use scythe_abi::checks::{Checks, WRITE};

use super::report::{self, Position};
use super::run::Run;

/// Returns the first byte of a range that no access may touch, or 0.
type Find = unsafe extern "C" fn(usize, usize) -> usize;
/// Changes whether accesses may touch a range.
type Mark = unsafe extern "C" fn(usize, usize);
/// Reports an access and ends the process: address of code, frame, stack pointer, address, whether
/// it writes, size, and a number for experiments.
type Report = unsafe extern "C" fn(usize, usize, usize, usize, c_int, usize, u32);

/// The functions of the sanitizer.
struct Interface {
    forbidden: Find,
    forbid: Mark,
    allow: Mark,
    report: Report,
}

/// Returns the address of a symbol of the process.
pub(super) fn of_process(name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name is a C string.
    let found: *mut c_void = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found as usize)
}

/// Returns the sanitizer of the process, if it has one.
fn interface() -> Option<&'static Interface> {
    static INTERFACE: OnceLock<Option<Interface>> = OnceLock::new();
    let find = || {
        let forbidden = of_process("__asan_region_is_poisoned")?;
        let forbid = of_process("__asan_poison_memory_region")?;
        let allow = of_process("__asan_unpoison_memory_region")?;
        let report = of_process("__asan_report_error")?;
        // SAFETY: the interface of the sanitizer defines these types of the symbols.
        unsafe {
            Some(Interface {
                forbidden: std::mem::transmute::<usize, Find>(forbidden),
                forbid: std::mem::transmute::<usize, Mark>(forbid),
                allow: std::mem::transmute::<usize, Mark>(allow),
                report: std::mem::transmute::<usize, Report>(report),
            })
        }
    };
    INTERFACE.get_or_init(find).as_ref()
}

/// Whether the process has an address sanitizer.
pub(super) fn is_available() -> bool {
    interface().is_some()
}

/// Reports the access and ends the process, if the access touches memory that it must not.
pub(super) fn check(run: &Run, at: usize, bytes: u64, kind: u32, position: Position) {
    let Some(interface) = interface() else { return };
    let size = usize::try_from(bytes).unwrap_or(usize::MAX);
    // SAFETY: the function accepts every range.
    let bad = unsafe { (interface.forbidden)(at, size) };
    if bad == 0 {
        return;
    }
    report::forbidden_access(run, (at, bytes), bad, kind & WRITE != 0, position);
    let frame = 0u8;
    let stack = (&raw const frame) as usize;
    let code = check as fn(&Run, usize, u64, u32, Position) as usize;
    // SAFETY: the function ends the process.
    unsafe { (interface.report)(code, stack, stack, bad, (kind & WRITE) as c_int, size, 0) }
}

/// Forbids accesses to the zones around a variable. `first` is the address of the first zone.
pub(super) fn forbid_zones(first: usize, before: u64, bytes: u64, after: u64) {
    let Some(interface) = interface() else { return };
    // SAFETY: the zones belong to the variable, and no correct code accesses them.
    unsafe {
        (interface.forbid)(first, before as usize);
        (interface.forbid)(first + (before + bytes) as usize, after as usize);
    }
}

/// Allows accesses to memory whose variables have ended.
pub(super) fn allow(first: usize, bytes: u64) {
    if let Some(interface) = interface() {
        // SAFETY: the memory belonged to variables of checked code alone.
        unsafe { (interface.allow)(first, bytes as usize) };
    }
}

thread_local! {
    /// The first address and the size of the memory of local accessors.
    static ACCESSORS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Whether the address is in a local accessor of the launch that this thread runs.
pub(super) fn is_local_accessor(at: usize) -> bool {
    let (first, size) = ACCESSORS.try_with(Cell::get).unwrap_or_default();
    at.wrapping_sub(first) < size
}

/// The memory of the local accessors of a launch. Each accessor lies between two zones.
pub(crate) struct LocalMemory {
    whole: (usize, usize),
    before: (usize, usize),
}

impl LocalMemory {
    /// The size of a zone, which keeps the alignment of accessors.
    const ZONE: usize = 128;

    /// Returns the size of the zones between accessors.
    pub fn zone(checks: Checks) -> usize {
        if checks.contains(Checks::ADDRESS) && is_available() { Self::ZONE } else { 0 }
    }

    /// Begins the use of memory.
    pub fn begin(first: *mut u8, size: usize) -> Self {
        let whole = (first as usize, size);
        let before = ACCESSORS.try_with(|cell| cell.replace(whole)).unwrap_or_default();
        Self { whole, before }
    }

    /// Forbids accesses to all memory except the accessors: addresses and sizes in ascending order.
    pub fn forbid_rest(&self, accessors: impl Iterator<Item = (usize, usize)>) {
        let Some(interface) = interface() else { return };
        let end = self.whole.0 + self.whole.1;
        let mut next = self.whole.0;
        for (first, size) in accessors.chain([(end, 0)]) {
            // SAFETY: the memory between accessors belongs to this launch alone.
            unsafe { (interface.forbid)(next, first - next) };
            next = first + size;
        }
    }
}

impl Drop for LocalMemory {
    fn drop(&mut self) {
        allow(self.whole.0, self.whole.1 as u64);
        let _ = ACCESSORS.try_with(|cell| cell.set(self.before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_memory_is_known_while_it_is_used() {
        let mut memory = [0u8; 32];
        let first = memory.as_mut_ptr();
        let outer = LocalMemory::begin(first, 32);
        drop(LocalMemory::begin(std::ptr::null_mut(), 0));
        assert!(is_local_accessor(first as usize + 31));
        drop(outer);
        assert!(!is_local_accessor(first as usize));
    }
}
