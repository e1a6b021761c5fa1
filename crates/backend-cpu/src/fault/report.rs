//! The text of a report about a fault.

use std::fmt::Write;

use scythe_hal::demangle::symbol_name;

use super::running::Running;
use super::{code, lines};

/// The number of callers that are searched for a line of the source.
const CALLERS: usize = 32;

/// A fault of a kernel.
pub(super) struct Fault {
    pub signal: i32,
    /// The address that was accessed, for faults of memory.
    pub address: usize,
    /// The address of the kernel's instruction.
    pub place: usize,
    /// The frame pointer, if the code uses one.
    pub frame: usize,
    pub running: Option<&'static Running>,
}

/// Returns the text: one line without an end.
pub(super) fn text(fault: &Fault) -> String {
    let kernel = fault.running.and_then(|running| running.kernel());
    let kernel = kernel.map_or_else(|| "?".to_owned(), symbol_name);
    let mut text = String::new();
    let line = line(fault);
    if let Some((file, line)) = &line {
        let _ = write!(text, "{file}:{line}: ");
    }
    let _ = write!(text, "kernel '{kernel}'");
    if let Some((item, dimensions)) = fault.running.and_then(|running| running.work_item()) {
        let ids = |ids: [u64; 3]| {
            let ids: Vec<_> = ids.iter().take(dimensions).map(u64::to_string).collect();
            ids.join(",")
        };
        let (global, local) = (ids(item.global_id), ids(item.local_id));
        let _ = write!(text, ": global id: [{global}], local id: [{local}]");
    }
    let _ = match fault.signal {
        libc::SIGFPE => write!(text, ": division by zero, or an integer overflow in a division"),
        libc::SIGILL => write!(text, ": trap, or an instruction that the processor lacks"),
        libc::SIGBUS => write!(text, ": access to memory without contents at {:#x}", fault.address),
        _ if fault.address < 4096 => {
            write!(text, ": access through a null pointer, at address {:#x}", fault.address)
        }
        _ => write!(text, ": access to an invalid address, {:#x}", fault.address),
    };
    // Optimised code with debug information has instructions that belong to no line.
    let has_lines = code::at(fault.place).is_some_and(|loaded| loaded.image.is_some());
    if line.is_none() && !has_lines {
        let _ = write!(text, " (compile with -g to see the line)");
    }
    text
}

/// Reads words of this process at an address that may be invalid.
pub(super) fn words<const COUNT: usize>(address: usize) -> Option<[usize; COUNT]> {
    let mut words = [0usize; COUNT];
    let bytes = size_of_val(&words);
    let to = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: bytes };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes };
    // SAFETY: `words` has this many bytes. The system checks the other address.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    (read == bytes as isize).then_some(words)
}

/// Returns the file and the line of the fault, or those of the closest caller that has them.
fn line(fault: &Fault) -> Option<(String, u32)> {
    if let Some(found) = line_at(fault.place) {
        return Some(found);
    }
    let mut frame = fault.frame;
    for _ in 0..CALLERS {
        // Code for debuggers keeps the address of its frame in the frame pointer: the caller's
        // frame, and the return address. In other code, it may be any number.
        let [next, back] = words(frame)?;
        code::at(back.wrapping_sub(1))?;
        if let Some(found) = line_at(back.wrapping_sub(1)) {
            return Some(found);
        }
        frame = next;
    }
    None
}

fn line_at(address: usize) -> Option<(String, u32)> {
    let image = code::at(address)?.image.as_ref()?;
    lines::find(image, address as u64)
}
