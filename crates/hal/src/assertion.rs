//! Reports a failed assertion of device code and aborts the process.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// A failed assertion and the work-item in which it failed. Index 0 is the dimension that varies
/// fastest.
#[derive(Clone, Copy, Debug)]
pub struct Assertion<'a> {
    pub expression: &'a str,
    pub file: &'a str,
    pub line: u32,
    pub function: &'a str,
    pub global_id: [u64; 3],
    pub local_id: [u64; 3],
}

impl Assertion<'_> {
    /// Returns the line that is printed for the user of the program.
    pub fn message(&self) -> String {
        let Self {
            expression,
            file,
            line,
            function,
            global_id: [gx, gy, gz],
            local_id: [lx, ly, lz],
        } = self;
        format!(
            "{file}:{line}: {function}: global id: [{gx},{gy},{gz}], local id: [{lx},{ly},{lz}] \
             Assertion `{expression}` failed."
        )
    }

    /// Prints the message and aborts the process, as the C library does. If several assertions fail
    /// at once, only one is reported.
    pub fn abort(&self) -> ! {
        static FIRST: Mutex<()> = Mutex::new(());
        let _first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        flush_stdout();
        // If writing the message fails, the process still aborts.
        let _ = writeln!(std::io::stderr(), "{}", self.message());
        std::process::abort()
    }
}

/// Flushes the earlier output of kernels, which often explains the failure.
fn flush_stdout() {
    unsafe extern "C" {
        static stdout: *mut std::ffi::c_void;
        fn fflush(stream: *mut std::ffi::c_void) -> i32;
    }
    // SAFETY: `stdout` is a variable of the C library. Programs may assign to it, but not while
    // kernels run. A null stream must not be passed: `fflush` would flush all streams, including
    // one on which a thread may be waiting for input.
    unsafe {
        if !stdout.is_null() {
            fflush(stdout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_place_and_the_work_item() {
        let assertion = Assertion {
            expression: "x > 0",
            file: "a.cpp",
            line: 7,
            function: "void f(int)",
            global_id: [5, 1, 0],
            local_id: [1, 1, 0],
        };
        let expected =
            "a.cpp:7: void f(int): global id: [5,1,0], local id: [1,1,0] Assertion `x > 0` failed.";
        assert_eq!(assertion.message(), expected);
    }
}
