//! Brings copies of a buffer up to date, and records accesses.
//!
//! For each command, in the order of submission: [`prepare`] gives the address that the command
//! will use and adds what it must wait for, enqueuing copies between devices where its place is out
//! of date; [`record`] then notes the access. Currency is of the whole memory: a write through a
//! sub-buffer first brings the rest along.
//!
//! Copies between places count as reads of the contents: they wait for the last write, and the next
//! write waits for them.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_hal::{UsmKind, Work};

use super::track::Tracked;
use super::{Buffer, CopyStatus, DeviceCopy, Memory, Mode, Place, State, Submission, submission};
use crate::dispatch::{Job, dispatch};
use crate::event::{Node, OwnEvent};
use crate::platform::Device;
use crate::{Result, lock, settings};

/// Alignment of device copies.
const DEVICE_ALIGNMENT: usize = 256;

/// How one command uses one buffer.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub buffer: &'a Buffer,
    pub mode: Mode,
    /// Earlier contents need not be kept.
    pub no_init: bool,
    /// A host task gets the driver's object of the buffer.
    pub native: bool,
}

impl Access<'_> {
    /// Whether the command sees, or leaves alone, bytes that were there before.
    fn needs_contents(&self) -> bool {
        let whole = self.buffer.size == self.buffer.memory().size;
        !(self.mode.writes() && self.no_init && whole)
    }
}

/// Gives the address of the buffer's first byte at `place`, and adds to `deps` what the command
/// must wait for.
pub fn prepare(
    _turn: &Submission,
    access: &Access<'_>,
    place: Place,
    deps: &mut Vec<Node>,
) -> Result<*mut u8> {
    prepare_by(access, place, false, deps)
}

fn prepare_by(
    access: &Access<'_>,
    place: Place,
    by_host: bool,
    deps: &mut Vec<Node>,
) -> Result<*mut u8> {
    let memory = access.buffer.memory();
    let mut state = lock(&memory.state);
    let base = state.place(place, memory.size)?;
    if access.needs_contents() {
        state.make_current(place, memory.size)?;
    }
    state.tracker.conflicts(&access.buffer.bytes(), access.mode.writes(), by_host, deps);
    deps.extend(state.status(place).ready_node());
    Ok(base.wrapping_add(access.buffer.offset as usize))
}

/// Notes the access of a command that waits for what [`prepare`] found.
pub fn record(_turn: &Submission, access: &Access<'_>, place: Place, node: &Node) {
    record_by(access, place, false, node);
}

fn record_by(access: &Access<'_>, place: Place, by_host: bool, node: &Node) {
    let mut state = lock(&access.buffer.memory().state);
    let writes = access.mode.writes();
    if writes {
        state.has_contents = true;
        state.host_status.current = false;
        state.copies.iter_mut().for_each(|copy| copy.status.current = false);
        state.status(place).current = true;
    }
    state.tracker.add(Tracked {
        bytes: access.buffer.bytes(),
        writes,
        by_host,
        node: node.clone(),
    });
}

impl State {
    /// The copy at `place`, allocated where there is none.
    fn place(&mut self, place: Place, size: u64) -> Result<*mut u8> {
        match place {
            Place::Host => self.host_address(size),
            Place::Device(device) => {
                if let Some(copy) = self.copies.iter().find(|copy| copy.device.id == device.id) {
                    return Ok(copy.ptr.cast());
                }
                let ptr =
                    device.hal.alloc(UsmKind::Device, (size as usize).max(1), DEVICE_ALIGNMENT)?;
                self.copies.push(DeviceCopy { device, ptr, status: CopyStatus::default() });
                Ok(ptr.cast())
            }
        }
    }

    /// The status of a copy that [`State::place`] has made.
    fn status(&mut self, place: Place) -> &mut CopyStatus {
        match place {
            Place::Host => &mut self.host_status,
            Place::Device(device) => {
                match self.copies.iter().position(|copy| copy.device.id == device.id) {
                    Some(at) => &mut self.copies[at].status,
                    None => &mut self.host_status,
                }
            }
        }
    }

    /// Has the contents copied to `place` where they are newer elsewhere.
    pub(super) fn make_current(&mut self, place: Place, size: u64) -> Result<()> {
        if !self.has_contents || self.status(place).current {
            return Ok(());
        }
        if !self.host_status.current {
            let Some(from) = self.copies.iter().find(|copy| copy.status.current) else {
                return Ok(());
            };
            let (device, src) = (from.device, from.ptr);
            let dst: *mut c_void = self.host_address(size)?.cast();
            let node = self.copy(device, dst, src, size, Place::Device(device))?;
            self.host_status = CopyStatus { current: true, ready: Some(node) };
        }
        if let Place::Device(device) = place {
            let dst: *mut c_void = self.place(place, size)?.cast();
            let src: *mut c_void = self.host_address(size)?.cast();
            let node = self.copy(device, dst, src, size, Place::Host)?;
            *self.status(place) = CopyStatus { current: true, ready: Some(node) };
        }
        Ok(())
    }

    /// Enqueues a copy of all contents between the host and `device`.
    fn copy(
        &mut self,
        device: &'static Device,
        dst: *mut c_void,
        src: *mut c_void,
        size: u64,
        from: Place,
    ) -> Result<Node> {
        if settings::trace().memory {
            let direction = if matches!(from, Place::Host) { "to" } else { "from" };
            settings::trace_line(
                "memory",
                &format!("copying {size} bytes {direction} {}", device.name()),
            );
        }
        let mut deps = Vec::new();
        self.tracker.conflicts(&(0..size), false, false, &mut deps);
        deps.extend(self.status(from).ready_node());
        let work = Work::Memcpy { dst, src, size: size as usize };
        // SAFETY: both copies are `size` bytes and live until the commands recorded in the tracker
        // have completed. Writes of the contents are ordered by `deps` before, and by the tracker
        // after this.
        let node = unsafe { dispatch(&device.target(false)?, Job::Plain(work), &mut deps, None) }?;
        self.tracker.add(Tracked {
            bytes: 0..size,
            writes: false,
            by_host: false,
            node: node.clone(),
        });
        Ok(node)
    }
}

impl CopyStatus {
    /// The command that makes the copy current, until it has.
    fn ready_node(&mut self) -> Option<Node> {
        if self.ready.as_ref().is_some_and(Node::is_complete) {
            self.ready = None;
        }
        self.ready.clone()
    }
}

/// An access by the host program: commands that conflict wait until it is dropped.
pub struct HostAccess {
    event: Arc<OwnEvent>,
    /// The program may use the address until then, even if the buffer goes first.
    _memory: Arc<Memory>,
}

impl HostAccess {
    /// Waits for commands that conflict, and gives the address of the buffer's current contents.
    /// Fails when one of those commands failed.
    pub fn begin(access: &Access<'_>) -> Result<(Self, *mut u8)> {
        let mut deps = Vec::new();
        let event = OwnEvent::new();
        let address = {
            let _turn = submission();
            let address = prepare_by(access, Place::Host, true, &mut deps)?;
            record_by(access, Place::Host, true, &event.node());
            address
        };
        let begun = Self { event, _memory: access.buffer.memory().clone() };
        for dep in deps {
            // A command's failure is its queue's to report; what the host finds is what there is.
            let _ = dep.event.wait();
        }
        Ok((begun, address))
    }
}

impl Drop for HostAccess {
    fn drop(&mut self) {
        self.event.complete(Ok(()));
    }
}
