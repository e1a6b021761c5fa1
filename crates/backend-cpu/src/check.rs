//! The check of widened kernels: each launch also runs in the scalar form, one work-item at a time.
//! Both forms must leave the same bytes in all memory that the device knows.
//!
//! The device knows all memory that was allocated on it: USM, and buffers, which are not in host
//! memory while the check is on. The check of a launch saves the contents of this memory, runs the
//! scalar form, saves its results and restores the previous contents, runs the widened form, and
//! compares the memory with the results of the scalar form. While the check is on, commands run one
//! at a time, each on one thread.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use scythe_abi::environment::CHECK_WIDENING;
use scythe_hal::{Errc, Error, Result};

const CHECK_VARIABLE: &str = CHECK_WIDENING.name;

/// The size of the pieces in which memory is compared and restored.
const PIECE: usize = 4096;

/// The number of bytes of a difference that the error message shows.
const TOLD: usize = 8;

fn parse(setting: Option<&str>) -> Result<bool> {
    match setting.map(str::trim) {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Error::new(Errc::Invalid, CHECK_WIDENING.refusal(other))),
    }
}

/// Returns whether this process checks widened kernels. Reports an error if the setting is invalid.
pub(crate) fn of_process() -> Result<bool> {
    static CHECK: OnceLock<Result<bool>> = OnceLock::new();
    let read = || {
        let text = std::env::var_os(CHECK_VARIABLE).map(|text| text.to_string_lossy().into_owned());
        parse(text.as_deref())
    };
    CHECK.get_or_init(read).clone()
}

/// Like [`of_process`], for use after an invalid setting has been reported.
pub(crate) fn is_on() -> bool {
    of_process().unwrap_or(false)
}

/// The device's allocations: address and size.
static ALLOCATIONS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn allocated(address: usize, size: usize) {
    if is_on() {
        lock(&ALLOCATIONS).insert(address, size);
    }
}

/// Removes an allocation. Must be called before the memory is freed.
pub(crate) fn freed(address: usize) {
    if is_on() {
        lock(&ALLOCATIONS).remove(&address);
    }
}

/// Removes the bytes of a range, which kernels can no longer access, from the allocations. Must be
/// called before that.
pub(crate) fn hidden(start: usize, size: usize) {
    if is_on() {
        hide(&mut lock(&ALLOCATIONS), start, start + size);
    }
}

fn hide(allocations: &mut BTreeMap<usize, usize>, start: usize, end: usize) {
    let overlapping: Vec<_> = allocations
        .range(..end)
        .filter(|&(&address, &size)| address + size > start)
        .map(|(&address, &size)| (address, address + size))
        .collect();
    for (first, last) in overlapping {
        allocations.remove(&first);
        if first < start {
            allocations.insert(first, start - first);
        }
        if last > end {
            allocations.insert(end, last - end);
        }
    }
}

/// Returns a guard to hold while a command changes memory, or `None` if the check is off.
pub(crate) fn alone() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    is_on().then(|| lock(&TURN))
}

/// The contents of one allocation.
struct Contents {
    address: usize,
    bytes: Vec<u8>,
}

/// Runs both forms of a launch, and compares their results.
///
/// # Safety
/// The caller holds the guard of [`alone`], and both forms may run. Meanwhile nothing else changes
/// or frees the device's memory.
pub(crate) unsafe fn run(
    kernel: &str,
    scalar: impl FnOnce(),
    widened: impl FnOnce(),
) -> Result<()> {
    // Allocations that are made or freed meanwhile do not belong to the launch.
    let allocations = lock(&ALLOCATIONS).clone();
    // SAFETY: these are the device's allocations. Nothing frees or changes them during the launch
    // (this function's contract).
    let before = unsafe { contents(&allocations) }?;
    scalar();
    // SAFETY: these are the device's allocations. Nothing frees or changes them during the launch
    // (this function's contract).
    let expected = unsafe { contents(&allocations) }?;
    for (old, new) in before.iter().zip(&expected) {
        let pieces = old.bytes.chunks(PIECE).zip(new.bytes.chunks(PIECE)).enumerate();
        for (n, (piece, _)) in pieces.filter(|(_, (piece, changed))| piece != changed) {
            let at = (old.address + n * PIECE) as *mut u8;
            // SAFETY: the piece is part of a live allocation, which nothing else uses meanwhile
            // (this function's contract).
            unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), at, piece.len()) };
        }
    }
    drop(before);
    widened();
    for contents in &expected {
        // SAFETY: the allocation is live, and nothing else uses it meanwhile (this function's
        // contract).
        let now = unsafe {
            std::slice::from_raw_parts(contents.address as *const u8, contents.bytes.len())
        };
        if let Some(at) = now.iter().zip(&contents.bytes).position(|(a, b)| a != b) {
            return Err(difference(kernel, contents, now, at));
        }
    }
    Ok(())
}

/// Copies all allocations.
///
/// # Safety
/// The allocations are live, and nothing changes them during the call.
unsafe fn contents(allocations: &BTreeMap<usize, usize>) -> Result<Vec<Contents>> {
    let copy = |(&address, &size): (&usize, &usize)| {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| {
            let message = format!(
                "{CHECK_VARIABLE}: cannot allocate memory to copy an allocation of {size} bytes"
            );
            Error::new(Errc::MemoryAllocation, message)
        })?;
        // SAFETY: the caller guarantees a live allocation of this size (this function's contract).
        bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(address as *const u8, size) });
        Ok(Contents { address, bytes })
    };
    allocations.iter().map(copy).collect()
}

fn difference(kernel: &str, expected: &Contents, now: &[u8], at: usize) -> Error {
    let told = |bytes: &[u8]| {
        let end = bytes.len().min(at + TOLD);
        bytes[at..end].iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
    };
    let message = format!(
        "kernel '{kernel}': the widened form writes the bytes {} at offset {at} of the allocation \
         of {} bytes at {:#x}, but the scalar form writes {} ({CHECK_VARIABLE} compares them). \
         Check the kernel for data races; if it has none, report a compiler bug",
        told(now),
        now.len(),
        expected.address,
        told(&expected.bytes)
    );
    Error::new(Errc::Kernel, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_strictly() {
        for (setting, on) in
            [(None, false), (Some(""), false), (Some("0"), false), (Some(" 1 "), true)]
        {
            assert_eq!(parse(setting).unwrap(), on);
        }
        let bad = parse(Some("yes")).unwrap_err();
        assert_eq!(bad.code, Errc::Invalid);
        assert!(
            bad.message.contains("SCYTHE_CHECK_WIDENING is 'yes', expected '0' or '1'"),
            "{bad}"
        );
    }

    #[test]
    fn hidden_bytes_are_parts_of_allocations() {
        let mut allocations = BTreeMap::from([(0, 10), (20, 40), (100, 10)]);
        hide(&mut allocations, 30, 40);
        assert_eq!(allocations, BTreeMap::from([(0, 10), (20, 10), (40, 20), (100, 10)]));
        hide(&mut allocations, 5, 45);
        assert_eq!(allocations, BTreeMap::from([(0, 5), (45, 15), (100, 10)]));
        hide(&mut allocations, 60, 110);
        assert_eq!(allocations, BTreeMap::from([(0, 5), (45, 15)]));
    }

    #[test]
    fn forms_start_from_the_same_memory_and_must_leave_the_same() {
        let mut memory = vec![1u8; 3 * PIECE];
        let address = memory.as_mut_ptr() as usize;
        lock(&ALLOCATIONS).insert(address, memory.len());
        // SAFETY: the address is inside of the vector, which outlives the test.
        let add = |at: usize, n: u8| unsafe { *((address + at) as *mut u8) += n };
        let last = 3 * PIECE - 1;
        // SAFETY: nothing else uses the memory.
        unsafe { run("good", || add(last, 4), || add(last, 4)) }.unwrap();
        assert_eq!((memory[last], memory[0]), (5, 1));
        // SAFETY: nothing else uses the memory.
        let error = unsafe { run("bad", || add(last, 1), || add(last - 1, 1)) }.unwrap_err();
        lock(&ALLOCATIONS).remove(&address);
        assert_eq!(error.code, Errc::Kernel);
        let text = format!(
            "kernel 'bad': the widened form writes the bytes 02 05 at offset {} ",
            last - 1
        );
        assert!(error.message.contains(&text) && error.message.contains("writes 01 06"), "{error}");
    }
}
