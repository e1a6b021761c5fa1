//! An assertion that failed in device code: what is said of it, and the end of the process.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// What failed, and in which work-item. Index 0 is the dimension that varies fastest.
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
    /// The line that a program's user reads.
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

    /// Says it and ends the process, as the C library does. Where several fail at once, one is told
    /// of.
    pub fn abort(&self) -> ! {
        static FIRST: Mutex<()> = Mutex::new(());
        let _first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        flush_stdout();
        // Nothing is left to be done where the message cannot be written.
        let _ = writeln!(std::io::stderr(), "{}", self.message());
        std::process::abort()
    }
}

/// What kernels have printed before is often what explains the failure.
fn flush_stdout() {
    unsafe extern "C" {
        static stdout: *mut std::ffi::c_void;
        fn fflush(stream: *mut std::ffi::c_void) -> i32;
    }
    // SAFETY: the C library's variable, which programs may replace but do not while kernels run; a
    // null stream is no stream to flush but all of them, one of which a thread may be waiting at
    // for input.
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
