//! The loaded code, by address. A signal handler can search it: the list is only read with atomic
//! operations, and its elements are never freed, only used again.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Loaded code of one object.
pub(crate) struct Loaded {
    /// The addresses of the code.
    pub range: std::ops::Range<usize>,
    /// The object with its addresses, if it has debug information.
    pub image: Option<std::sync::Arc<[u8]>>,
}

struct Element {
    /// The addresses, or 0 twice for an element that is free.
    start: AtomicUsize,
    end: AtomicUsize,
    loaded: AtomicPtr<Loaded>,
    next: AtomicPtr<Element>,
}

static FIRST: AtomicPtr<Element> = AtomicPtr::new(ptr::null_mut());

/// An element that is in the list until it is dropped. Its code must not run any more then.
pub(crate) struct CodeRange(&'static Element);

impl CodeRange {
    pub(crate) fn new(loaded: Loaded) -> Self {
        let range = loaded.range.clone();
        let loaded = Box::into_raw(Box::new(loaded));
        let take = |element: &&'static Element| {
            let free = ptr::null_mut();
            let order = Ordering::AcqRel;
            element.loaded.compare_exchange(free, loaded, order, Ordering::Relaxed).is_ok()
        };
        let element = elements().find(take).unwrap_or_else(|| {
            let element: &'static Element = Box::leak(Box::new(Element {
                start: AtomicUsize::new(0),
                end: AtomicUsize::new(0),
                loaded: AtomicPtr::new(loaded),
                next: AtomicPtr::new(FIRST.load(Ordering::Acquire)),
            }));
            let this = ptr::from_ref(element).cast_mut();
            let mut next = element.next.load(Ordering::Relaxed);
            while let Err(other) =
                FIRST.compare_exchange(next, this, Ordering::AcqRel, Ordering::Acquire)
            {
                next = other;
                element.next.store(next, Ordering::Relaxed);
            }
            element
        });
        element.start.store(range.start, Ordering::Relaxed);
        element.end.store(range.end, Ordering::Release);
        Self(element)
    }
}

impl Drop for CodeRange {
    fn drop(&mut self) {
        self.0.end.store(0, Ordering::Release);
        self.0.start.store(0, Ordering::Release);
        let loaded = self.0.loaded.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: `new` made the box, and no handler uses it: handlers run in threads whose code is
        // loaded.
        drop(unsafe { Box::from_raw(loaded) });
    }
}

fn elements() -> impl Iterator<Item = &'static Element> {
    let mut next = FIRST.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: elements are never freed.
        let element: &'static Element = unsafe { next.as_ref() }?;
        next = element.next.load(Ordering::Acquire);
        Some(element)
    })
}

/// Returns the loaded code at an address. It is valid while that code may run.
pub(super) fn at(address: usize) -> Option<&'static Loaded> {
    let contains = |element: &&Element| {
        let end = element.end.load(Ordering::Acquire);
        (element.start.load(Ordering::Relaxed)..end).contains(&address)
    };
    let element = elements().find(contains)?;
    // SAFETY: the box is valid while the code at `address` is loaded.
    unsafe { element.loaded.load(Ordering::Acquire).as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_until_it_is_unloaded() {
        let range = |start: usize| CodeRange::new(Loaded { range: start..start + 16, image: None });
        let (one, two) = (range(0x7000_0000_0000), range(0x7000_0000_1000));
        assert!(at(0x7000_0000_0000).is_some() && at(0x7000_0000_100f).is_some());
        assert!(at(0x7000_0000_0010).is_none());
        drop(one);
        assert!(at(0x7000_0000_0000).is_none() && at(0x7000_0000_1000).is_some());
        let three = range(0x7000_0000_2000);
        assert_eq!(at(0x7000_0000_2001).map(|l| l.range.start), Some(0x7000_0000_2000));
        drop((two, three));
    }
}
