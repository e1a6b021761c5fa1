//! Destroys a buffer: waits for the commands that use it, and writes its contents back.
//!
//! A buffer that is destroyed inside a host task must not wait there, because it could wait for
//! that same task. A buffer of a range alone need not wait: the program may hold a host accessor
//! that its commands wait for. The remaining steps then run after the commands have completed.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use scythe_trace::Span;

use super::{Destination, Memory, MemoryLocation, submission};
use crate::event::{Node, when_all};
use crate::{lock, thread_sanitizer};

thread_local! {
    static IN_HOST_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function of a host task. Buffers that are destroyed in it do not wait.
pub fn in_host_task<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            let _ = IN_HOST_TASK.try_with(|flag| flag.set(self.0));
        }
    }
    let _reset = Reset(IN_HOST_TASK.try_with(|flag| flag.replace(true)).unwrap_or(true));
    thread_sanitizer::acquire();
    let result = f();
    thread_sanitizer::release();
    result
}

/// Returns whether this thread runs a host task. It must not wait for commands, because one of them
/// is its own.
pub fn is_in_host_task() -> bool {
    IN_HOST_TASK.try_with(Cell::get).unwrap_or(false)
}

/// Finishes a memory after its last buffer was destroyed.
pub(super) fn finish(memory: &Arc<Memory>) {
    let destination = {
        let mut state = lock(&memory.state);
        std::mem::replace(&mut state.destination, Destination::None)
    };
    let wanted = lock(&memory.state).write_back;
    let destination = if wanted { destination } else { Destination::None };
    write_when_done(memory, 0..memory.size, destination);
}

/// Finishes a sub-buffer that has its own destination.
pub(super) fn write_view(memory: &Arc<Memory>, bytes: Range<u64>, destination: Destination) {
    write_when_done(memory, bytes, destination);
}

fn write_when_done(memory: &Arc<Memory>, bytes: Range<u64>, destination: Destination) {
    let commands = bring_home(memory, &destination);
    let waits = memory.waits || !matches!(destination, Destination::None);
    let write = Writer { memory: memory.clone(), bytes, destination };
    if is_in_host_task() || !waits {
        when_all(&commands, move |_| write.write());
    } else {
        let _wait = Span::wait("destructor of a buffer");
        for command in commands {
            // The queue of a failed command reports the failure. The remaining contents are still
            // written back.
            let _ = command.event.wait();
        }
        write.write();
    }
}

/// Copies the contents to the host if they are to be written back. Returns all commands to wait
/// for.
fn bring_home(memory: &Arc<Memory>, destination: &Destination) -> Vec<Node> {
    let _turn = submission();
    let mut state = lock(&memory.state);
    if !matches!(destination, Destination::None) && memory.size > 0 {
        // If the copy cannot be enqueued, the host copy stays as it is: a destructor cannot report
        // an error.
        let _ = state.make_current(MemoryLocation::Host, memory.size);
    }
    if let Some(home) = memory.home {
        // If the copy cannot be enqueued, the memory object of the program stays as it is.
        let _ = state.make_current(MemoryLocation::Device(home), memory.size);
    }
    state.tracker.commands().cloned().collect()
}

struct Writer {
    memory: Arc<Memory>,
    bytes: Range<u64>,
    destination: Destination,
}

// SAFETY: the program passed the destination for a single use, by the thread that destroys the
// buffer.
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
                    // SAFETY: the program provided `to` for the contents of the buffer, and `copy`
                    // allows overlap.
                    unsafe { std::ptr::copy(source, *to, size as usize) };
                }
            }
            Destination::Call { function, context } => {
                // SAFETY: the program provided the function and its context for this call, and the
                // contents stay valid during the call.
                unsafe { function(context.ptr, source.cast(), size) };
            }
        }
    }
}
