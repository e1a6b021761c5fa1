//! Whether LLVM sinks instructions towards their users.
//!
//! On NVIDIA GPUs a work-item that keeps few values alive leaves registers to others. LLVM moves a
//! computation to the block of its only user, however far away, and then keeps all its operands
//! alive: a kernel that computes several sines in a row may need three times the registers.
//! `ptxas` places instructions itself, so passes for these GPUs sink nothing.
//!
//! The choice is a pair of flags of the whole process. Threads with the same choice run at the same
//! time; the others wait. The result of a compilation therefore does not depend on other threads.

use crate::shim;
use std::ffi::CStr;
use std::sync::{Condvar, Mutex, PoisonError};

/// The flags, and their values where LLVM sinks. LLVM 22 declares them as booleans.
const FLAGS: [(&CStr, bool); 2] =
    [(c"instcombine-code-sinking", true), (c"disable-machine-sink", false)];

struct State {
    sinks: bool,
    users: usize,
}

static STATE: Mutex<State> = Mutex::new(State { sinks: true, users: 0 });
static CHANGED: Condvar = Condvar::new();

/// While this object exists, LLVM makes the choice of [`Choice::for_target`].
pub(crate) struct Choice(());

impl Choice {
    /// Waits until no thread needs the other choice.
    pub(crate) fn for_target(triple: Option<&str>) -> Self {
        let sinks = !triple.is_some_and(|triple| triple.starts_with("nvptx"));
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        while state.users > 0 && state.sinks != sinks {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.sinks != sinks {
            for (name, value) in FLAGS {
                // SAFETY: the C string names a boolean flag of LLVM 22. No other thread reads it,
                // because passes run only while there are users.
                unsafe { shim::scythe_llvm_set_flag(name.as_ptr(), i32::from(value == sinks)) };
            }
            state.sinks = sinks;
        }
        state.users += 1;
        Self(())
    }
}

impl Drop for Choice {
    fn drop(&mut self) {
        STATE.lock().unwrap_or_else(PoisonError::into_inner).users -= 1;
        CHANGED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_choices_wait_and_equal_ones_do_not() {
        let first = Choice::for_target(Some("nvptx64-nvidia-cuda"));
        let second = Choice::for_target(Some("nvptx64-nvidia-cuda"));
        let other = std::thread::spawn(|| drop(Choice::for_target(None)));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!other.is_finished(), "the other choice must wait");
        drop(first);
        drop(second);
        other.join().expect("it gets its turn");
    }
}
