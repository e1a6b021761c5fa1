//! The sizes of the stack frames that code generation makes.

use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};

/// The sizes of the stack frames of functions in bytes, by the names of the functions. Functions
/// without a frame are missing. Variables of a size that is not constant are not part of a frame.
pub type Frames = BTreeMap<String, u64>;

type TakeFrame = extern "C" fn(*mut c_void, *const c_char, usize, u64);

unsafe extern "C" {
    /// The module must be live. `take` is called with `data` until the call of the function below,
    /// which must come before another call of this function and before the end of the context.
    fn scythe_llvm_frames_begin(module: LLVMModuleRef, take: TakeFrame, data: *mut c_void);
    /// The context must be that of the module in the call above.
    fn scythe_llvm_frames_end(context: LLVMContextRef);
}

extern "C" fn take(data: *mut c_void, name: *const c_char, len: usize, bytes: u64) {
    // SAFETY: `data` is the map that `collect` passed, which nothing else uses meanwhile.
    let frames = unsafe { &mut *data.cast::<Frames>() };
    // SAFETY: the name has `len` bytes and lives during the call.
    let name = unsafe { std::slice::from_raw_parts(name.cast::<u8>(), len) };
    frames.insert(String::from_utf8_lossy(name).into_owned(), bytes);
}

/// Calls `generate`, which generates the code of the module, and returns its result with the frames
/// that it made. If `is_lost` says so of the result, a fatal error ended the generation, and the
/// context is not used again.
///
/// # Safety
/// The module and its context must be live. `generate` must not panic.
pub(crate) unsafe fn collect<R>(
    module: LLVMModuleRef,
    context: LLVMContextRef,
    generate: impl FnOnce() -> R,
    is_lost: impl FnOnce(&R) -> bool,
) -> (R, Frames) {
    // On the heap and not borrowed while the code generator holds the address.
    let frames = Box::into_raw(Box::<Frames>::default());
    // SAFETY: the caller guarantees a live module. The map lives until the end of the collection.
    unsafe { scythe_llvm_frames_begin(module, take, frames.cast()) };
    let result = generate();
    if is_lost(&result) {
        // The context, which is not disposed, still has the address of the map.
        return (result, Frames::new());
    }
    // SAFETY: the collection was begun for this context, and the context is live.
    unsafe { scythe_llvm_frames_end(context) };
    // SAFETY: the pointer is that of the box above, and the collection has ended.
    let frames = *unsafe { Box::from_raw(frames) };
    (result, frames)
}
