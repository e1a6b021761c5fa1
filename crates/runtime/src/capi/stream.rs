//! The text output of kernels.

use std::ffi::c_void;

use scythe_abi::capi::TextSink;

use super::edge_or;
use crate::{invalid, stream};

/// # Safety
/// See [`super`]. `words` must be the memory of a `sycl::stream`, whose second word is the number
/// of chunks of 8 words that follow the first 8 words. No kernel may write to it during the call.
/// It must be sound to call `sink` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_stream_format(
    words: *const u64,
    sink: Option<TextSink>,
    ctx: *mut c_void,
) {
    edge_or((), || {
        let sink = sink.ok_or_else(|| invalid("the text sink is null"))?;
        if words.is_null() {
            return Err(invalid("the stream's memory is null"));
        }
        // SAFETY: `words` is not null, and the caller guarantees that the second word is the number
        // of chunks after the first one and that no kernel writes to them.
        let words = unsafe {
            let chunks = *words.add(1) as usize + 1;
            std::slice::from_raw_parts(words, chunks * 8)
        };
        let text = stream::format(words);
        if !text.is_empty() {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { sink(ctx, text.as_ptr().cast(), text.len()) };
        }
        Ok(())
    });
}
