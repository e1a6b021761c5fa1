//! Stacks for kernels. Kernels keep private variables on the stack, and run on threads of the
//! program, whose stacks have any size.
//!
//! [`with`] runs code on the thread's stack if the rest of that stack is large enough, otherwise on
//! another stack. A thread keeps this stack for its next launches, unless it is very large.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use corosensei::on_stack;
use corosensei::stack::{DefaultStack, Stack};

/// What library functions that kernels call need, and signal handlers of the program.
const RESERVE: usize = 32 << 10;
/// The minimum size of another stack.
const MIN_BYTES: usize = 1 << 20;
/// The maximum size of a stack that a thread keeps.
const MAX_KEPT: usize = 64 << 20;
/// The largest need of code for which no stack is checked: any function of a library may need that
/// much.
const SMALL: usize = 16 << 10;

/// The stack size of host kernels, whose need only the host compiler knows, and of threads.
pub(crate) const HOST_BYTES: usize = 1 << 20;

thread_local! {
    /// The addresses of the stack of this thread, once they are known.
    static OWN: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
    /// The addresses of the other stack on which this thread runs, if it does.
    static OTHER: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
    /// Stacks that this thread keeps.
    static KEPT: RefCell<Option<DefaultStack>> = const { RefCell::new(None) };
}

/// Calls `f` where it has at least `bytes` bytes of stack. Returns an error, and does not call `f`,
/// if there is no memory for another stack.
pub(crate) fn with<R>(bytes: usize, f: impl FnOnce() -> R) -> std::io::Result<R> {
    if bytes <= SMALL || bytes.saturating_add(RESERVE) <= rest() {
        return Ok(f());
    }
    let kept = KEPT.try_with(|kept| kept.borrow_mut().take()).ok().flatten();
    let needed = bytes.checked_add(RESERVE).filter(|&needed| needed < isize::MAX as usize);
    let needed = needed.ok_or(std::io::ErrorKind::OutOfMemory)?;
    let mut stack = match kept.filter(|stack| size(stack) >= needed) {
        Some(stack) => stack,
        None => DefaultStack::new(needed.max(MIN_BYTES))?,
    };
    let bounds = (stack.limit().get(), stack.base().get());
    let before = OTHER.try_with(|other| other.replace(Some(bounds))).ok().flatten();
    let result = on_stack(&mut stack, f);
    let _ = OTHER.try_with(|other| other.set(before));
    if size(&stack) <= MAX_KEPT {
        // A thread that is about to end keeps nothing.
        let _ = KEPT.try_with(|kept| kept.replace(Some(stack)));
    }
    Ok(result)
}

/// Returns whether an address is on the stack of this thread, or on the other stack on which this
/// thread runs.
pub(crate) fn contains(address: usize) -> bool {
    let other = OTHER.try_with(Cell::get).ok().flatten();
    own().contains(&address) || other.is_some_and(|(low, high)| (low..high).contains(&address))
}

fn size(stack: &DefaultStack) -> usize {
    // The limit includes the guard page.
    (stack.base().get() - stack.limit().get()).saturating_sub(4096)
}

/// Returns the number of bytes below this function on the current stack, or 0 if it is neither the
/// thread's own nor one of this module.
fn rest() -> usize {
    let local = 0u8;
    let here = (&raw const local) as usize;
    let range = match OTHER.try_with(Cell::get).ok().flatten() {
        Some((low, high)) => low..high,
        None => own(),
    };
    if range.contains(&here) { here - range.start } else { 0 }
}

/// Returns the addresses of this thread's own stack, or none if they are unknown.
fn own() -> Range<usize> {
    let known = OWN.try_with(|own| {
        let bounds = own.get().unwrap_or_else(ask);
        own.set(Some(bounds));
        bounds
    });
    let (low, high) = known.unwrap_or_default();
    low..high
}

/// Asks the C library for the addresses of this thread's stack. Returns zeros if it does not know
/// them.
fn ask() -> (usize, usize) {
    let (mut address, mut size, mut guard) = (std::ptr::null_mut(), 0, 0);
    // SAFETY: the attributes are written before they are read, and destroyed afterwards.
    unsafe {
        let mut attributes = std::mem::zeroed::<libc::pthread_attr_t>();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return (0, 0);
        }
        libc::pthread_attr_getstack(&attributes, &mut address, &mut size);
        libc::pthread_attr_getguardsize(&attributes, &mut guard);
        libc::pthread_attr_destroy(&mut attributes);
    }
    let low = address as usize;
    // Versions of the C library differ in whether the addresses contain the guard.
    (low.saturating_add(guard), low.saturating_add(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the address of a variable.
    #[inline(never)]
    fn here() -> usize {
        let local = std::hint::black_box(0u8);
        (&raw const local) as usize
    }

    /// Writes to `bytes` bytes of stack, and returns their sum.
    #[inline(never)]
    fn fill<const BYTES: usize>() -> usize {
        let array = std::hint::black_box([1u8; BYTES]);
        array.iter().map(|&byte| usize::from(byte)).sum()
    }

    #[test]
    fn the_stack_holds_local_variables_only() {
        assert!(contains(here()));
        let heap = Box::new(0u8);
        assert!(!contains((&raw const *heap) as usize));
    }

    #[test]
    fn code_runs_on_another_stack_only_if_it_must() {
        let small = std::thread::Builder::new().stack_size(128 << 10);
        let run = || {
            let outer = here();
            let stays = |bytes| with(bytes, || own().contains(&here())).expect("there is memory");
            assert!(stays(0) && stays(40 << 10));
            assert!(!stays(100 << 10) && !stays(4 << 20));
            assert_eq!(with(4 << 20, fill::<{ 3 << 20 }>).expect("there is memory"), 3 << 20);
            let inside = with(1 << 20, || {
                assert!(contains(here()) && contains(outer));
                let first = here();
                let on_same = with(64 << 10, || first.abs_diff(here()) < 64 << 10);
                let other = with(8 << 20, || first.abs_diff(here()) > 64 << 10);
                on_same.is_ok_and(|same| same) && other.is_ok_and(|other| other)
            });
            assert!(inside.expect("there is memory"));
            assert!(!contains(with(1 << 20, here).expect("there is memory")));
        };
        small.spawn(run).expect("the thread starts").join().expect("nothing fails");
    }

    #[test]
    fn needs_that_no_memory_meets_are_errors() {
        assert!(with(usize::MAX, || ()).is_err());
        assert!(with(1 << 60, || ()).is_err());
    }
}
