//! The function that compiled kernels call if an assertion fails.

use scythe_hal::assertion::Assertion;
use std::ffi::{CStr, c_char};

/// The symbol by which compiled kernels call [`assertion_failed`].
pub(crate) const SYMBOL: &str = "__scythe_assertion_failed";

/// Reports the failure and ends the process.
///
/// # Safety
/// Each text is null or a C string.
pub(crate) unsafe extern "C" fn assertion_failed(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
    global_0: u64,
    global_1: u64,
    global_2: u64,
    local_0: u64,
    local_1: u64,
    local_2: u64,
) -> ! {
    let text = |text: *const c_char| {
        if text.is_null() {
            return "?".to_owned();
        }
        // SAFETY: the text is not null, so it is a C string by this function's contract.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    };
    let (expression, file, function) = (text(expression), text(file), text(function));
    Assertion {
        expression: &expression,
        file: &file,
        line,
        function: &function,
        global_id: [global_0, global_1, global_2],
        local_id: [local_0, local_1, local_2],
    }
    .abort()
}
