//! The remarks of LLVM's passes: the reasons why a pass left code as it was.

use crate::ContextRef;
use crate::text::c_string;
use llvm_sys::prelude::LLVMContextRef;
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    /// The context must be live, and the text a C string. The caller must call the function below
    /// before it calls this function again or disposes the context.
    fn scythe_llvm_remarks_begin(context: LLVMContextRef, pass: *const c_char);
    /// Returns a C string from `malloc`, or null.
    fn scythe_llvm_remarks_end(context: LLVMContextRef) -> *mut c_char;
}

/// A remark about a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub function: String,
    pub message: String,
}

/// A collection that has begun. Dropping it ends it, also after a panic.
struct Collection<'ctx>(ContextRef<'ctx>);

impl<'ctx> Collection<'ctx> {
    fn begin(context: ContextRef<'ctx>, pass: &str) -> Self {
        let pass = c_string(pass);
        // SAFETY: the context is live. `end` or `drop` ends the collection.
        unsafe { scythe_llvm_remarks_begin(context.ptr(), pass.as_ptr()) };
        Self(context)
    }

    fn end(self) -> String {
        let text = self.take();
        std::mem::forget(self);
        text
    }

    fn take(&self) -> String {
        // SAFETY: the context is live, and the collection was begun. The pointer is null or a C
        // string from `malloc`, and is not used after the call of `free`.
        unsafe {
            let text = scythe_llvm_remarks_end(self.0.ptr());
            let copy =
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
            libc::free(text.cast());
            copy.unwrap_or_default()
        }
    }
}

impl Drop for Collection<'_> {
    fn drop(&mut self) {
        self.take();
    }
}

/// Calls `action`, and returns its result with the remarks of a pass, such as `loop-vectorize`,
/// about code that it left as it was.
pub fn with_remarks<R>(
    context: ContextRef<'_>,
    pass: &str,
    action: impl FnOnce() -> R,
) -> (R, Vec<Remark>) {
    let collection = Collection::begin(context, pass);
    let result = action();
    let text = collection.end();
    let remarks = text.lines().filter_map(|line| {
        let (function, message) = line.split_once('\t')?;
        Some(Remark { function: function.to_owned(), message: message.to_owned() })
    });
    (result, remarks.collect())
}
