//! Tells the process's thread sanitizer in which order the runtime runs host code. A program has
//! the sanitizer if it is linked with `-fsanitize=thread`.
//!
//! The sanitizer does not see how the runtime's threads wait for each other. Every call into the
//! runtime, and every host task, therefore counts as one that synchronises with all others. Races
//! between host code that calls the runtime in between are not found.

use std::ffi::c_void;
use std::sync::OnceLock;

/// A function of the sanitizer that takes the address of an object by which threads synchronise.
type Synchronise = unsafe extern "C" fn(*mut c_void);

struct Interface {
    acquire: Synchronise,
    release: Synchronise,
}

/// The object by which all threads synchronise. Only its address matters.
static OBJECT: u64 = 0;

fn interface() -> Option<&'static Interface> {
    static INTERFACE: OnceLock<Option<Interface>> = OnceLock::new();
    let find = |name: &std::ffi::CStr| {
        // SAFETY: the name is a C string.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        // SAFETY: the interface of the sanitizer defines this type of both symbols.
        (!found.is_null())
            .then(|| unsafe { std::mem::transmute::<*mut c_void, Synchronise>(found) })
    };
    INTERFACE
        .get_or_init(|| {
            let (acquire, release) = (find(c"__tsan_acquire")?, find(c"__tsan_release")?);
            Some(Interface { acquire, release })
        })
        .as_ref()
}

fn object() -> *mut c_void {
    (&raw const OBJECT).cast_mut().cast()
}

/// Orders what follows on this thread behind what other threads did before [`release`].
pub(crate) fn acquire() {
    if let Some(interface) = interface() {
        // SAFETY: the sanitizer only uses the address.
        unsafe { (interface.acquire)(object()) }
    }
}

/// Orders what this thread did before what follows [`acquire`] on other threads.
pub(crate) fn release() {
    if let Some(interface) = interface() {
        // SAFETY: the sanitizer only uses the address.
        unsafe { (interface.release)(object()) }
    }
}
