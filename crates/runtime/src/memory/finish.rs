//! The end of a buffer: wait for the commands that use it, and write its contents back.
//!
//! A buffer that ends inside a host task must not wait there for that very task: the rest then
//! happens when the commands have completed.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use super::{Destination, Memory, Place, submission};
use crate::event::{Node, when_all};
use crate::lock;

thread_local! {
    static IN_HOST_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function of a host task: buffers that end in it do not wait.
pub fn in_host_task<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            let _ = IN_HOST_TASK.try_with(|flag| flag.set(self.0));
        }
    }
    let _reset = Reset(IN_HOST_TASK.try_with(|flag| flag.replace(true)).unwrap_or(true));
    f()
}

/// This thread runs a host task: it must not wait for commands, one of which is its own.
pub fn is_in_host_task() -> bool {
    IN_HOST_TASK.try_with(Cell::get).unwrap_or(false)
}

/// What remains of the memory's last buffer.
pub(super) fn finish(memory: &Arc<Memory>) {
    let destination = {
        let mut state = lock(&memory.state);
        std::mem::replace(&mut state.destination, Destination::None)
    };
    let wanted = lock(&memory.state).write_back;
    let destination = if wanted { destination } else { Destination::None };
    write_when_done(memory, 0..memory.size, destination);
}

/// What remains of a sub-buffer with a destination of its own.
pub(super) fn write_view(memory: &Arc<Memory>, bytes: Range<u64>, destination: Destination) {
    write_when_done(memory, bytes, destination);
}

fn write_when_done(memory: &Arc<Memory>, bytes: Range<u64>, destination: Destination) {
    let commands = bring_home(memory, &destination);
    let write = Writer { memory: memory.clone(), bytes, destination };
    if is_in_host_task() {
        when_all(&commands, move |_| write.write());
    } else {
        for command in commands {
            // A command's failure is its queue's to report; the rest of the contents is still the
            // program's.
            let _ = command.event.wait();
        }
        write.write();
    }
}

/// Has the contents copied to the host where they are to be written back; gives all commands to
/// wait for.
fn bring_home(memory: &Arc<Memory>, destination: &Destination) -> Vec<Node> {
    let _turn = submission();
    let mut state = lock(&memory.state);
    if !matches!(destination, Destination::None) && memory.size > 0 {
        // When the copy cannot even be enqueued, the host copy stays as it is: a destructor has
        // nobody to tell.
        let _ = state.make_current(Place::Host, memory.size);
    }
    if let Some(home) = memory.home {
        // As above: what cannot be enqueued leaves the program's object as it is.
        let _ = state.make_current(Place::Device(home), memory.size);
    }
    state.tracker.commands().cloned().collect()
}

struct Writer {
    memory: Arc<Memory>,
    bytes: Range<u64>,
    destination: Destination,
}

// SAFETY: the destination was handed over by the program to be used once, by whichever thread ends
// the buffer.
unsafe impl Send for Writer {}

impl Writer {
    fn write(self) {
        let size = self.bytes.end - self.bytes.start;
        let source = {
            let state = lock(&self.memory.state);
            if !state.has_contents && size > 0 {
                return;
            }
            state.host.address()
        };
        let source = match source {
            Some(ptr) => ptr.wrapping_add(self.bytes.start as usize),
            None if size == 0 => std::ptr::dangling_mut(),
            None => return,
        };
        match &self.destination {
            Destination::None => {}
            Destination::Address(to) => {
                if !std::ptr::eq(*to, source) {
                    // SAFETY: the program gave `to` for the buffer's contents; `copy` allows
                    // overlap.
                    unsafe { std::ptr::copy(source, *to, size as usize) };
                }
            }
            Destination::Call { function, context } => {
                // SAFETY: the function was given with its context for this call; the contents stay
                // for it.
                unsafe { function(context.ptr, source.cast(), size) };
            }
        }
    }
}
