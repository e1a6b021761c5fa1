//! Buffers: their contents on the host and on devices, and who may touch them when.
//!
//! * [`Memory`] is what buffers and their sub-buffers share: one host copy, one copy per device
//!   that has memory of its own, flags that tell which are current, and the [`track::Tracker`] of
//!   accesses.
//! * [`Buffer`] is what a handle points at: a range of bytes of a [`Memory`].
//! * [`coherence`] brings a copy up to date before a command uses it.
//! * [`finish`] is the end: wait, and write back.
//!
//! Commands that use buffers are submitted one at a time ([`submission`]): finding the conflicts of
//! all buffers of a command and recording its accesses must be one step, or two threads could make
//! two commands wait for each other.

pub mod coherence;
pub mod finish;
pub mod host_copy;
pub mod track;

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard};

use scythe_abi::capi::{Destroy, WriteBack};
use scythe_hal::{self as hal, UsmKind};

use crate::event::Node;
use crate::platform::Device;
use crate::{Result, invalid, lock};
use host_copy::{HostBlock, HostCopy};
use track::Tracker;

/// Proof that this thread is the one that submits commands with buffers. Taken before any
/// [`Memory`]'s lock.
pub struct Submission(#[allow(dead_code, reason = "held for its lock")] MutexGuard<'static, ()>);

/// Waits for the turn to submit.
pub fn submission() -> Submission {
    static TURN: Mutex<()> = Mutex::new(());
    Submission(lock(&TURN))
}

/// How a command uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Read,
    Write,
    ReadWrite,
}

impl Mode {
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

/// Which copy of the contents a command uses.
#[derive(Clone, Copy)]
pub enum Place {
    Host,
    /// A device, which may use the host's copy: [`Buffer::place`] tells.
    Device(&'static Device),
}

/// What buffers and sub-buffers share.
pub struct Memory {
    pub size: u64,
    /// The device whose copy is a memory object of the program's own: contents belong there when
    /// the buffer ends.
    home: Option<&'static Device>,
    state: Mutex<State>,
}

struct State {
    host: HostCopy,
    host_status: CopyStatus,
    copies: Vec<DeviceCopy>,
    /// Whether there are contents at all: given by the program, or written by a command.
    has_contents: bool,
    tracker: Tracker,
    /// The program's memory may be exchanged for an allocation: nobody knows its address yet.
    exchangeable: bool,
    write_back: bool,
    destination: Destination,
}

#[derive(Default)]
struct CopyStatus {
    current: bool,
    /// The command that makes it so.
    ready: Option<Node>,
}

struct DeviceCopy {
    device: &'static Device,
    ptr: *mut c_void,
    status: CopyStatus,
}

/// What the last release writes to.
pub enum Destination {
    None,
    Address(*mut u8),
    Call { function: WriteBack, context: CallbackContext },
}

/// The context pointer of a callback, with its end.
pub struct CallbackContext {
    pub ptr: *mut c_void,
    pub destroy: Option<Destroy>,
}

impl Drop for CallbackContext {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: whoever made the context gave `destroy` to be called once, when it is no
            // longer used.
            unsafe { destroy(self.ptr) };
        }
    }
}

// SAFETY: the addresses are used only under the lock, by commands ordered with events, and by the
// last release; the program handed them over for that.
unsafe impl Send for State {}

/// Where a new buffer's contents come from.
pub enum Initial {
    None,
    /// Lives as long as the buffer, may be written. `only_copy`: the program asked for exactly this
    /// memory.
    Program {
        ptr: *mut u8,
        only_copy: bool,
    },
    /// Copied now.
    Copy(*const u8),
}

impl Memory {
    /// # Safety
    /// The address in `initial` is valid for `size` bytes: for the life of the memory, or for this
    /// call where it is copied.
    unsafe fn new(size: u64, initial: Initial) -> Result<Arc<Self>> {
        let bytes = usize::try_from(size)
            .map_err(|_| invalid(format!("a buffer of {size} bytes is too large")))?;
        if bytes > isize::MAX as usize {
            return Err(invalid(format!("a buffer of {size} bytes is too large")));
        }
        let mut exchangeable = false;
        let (host, destination) = match initial {
            Initial::None => (HostCopy::None, Destination::None),
            Initial::Program { ptr, only_copy } => {
                exchangeable = !only_copy;
                (HostCopy::Program(ptr), Destination::Address(ptr))
            }
            Initial::Copy(ptr) => {
                let block = HostBlock::new(bytes)?;
                // SAFETY: the caller vouches for the source; the block is new and of the same size.
                unsafe { std::ptr::copy_nonoverlapping(ptr, block.address(), bytes) };
                (HostCopy::Owned(block), Destination::None)
            }
        };
        let has_contents = !matches!(host, HostCopy::None);
        let state = State {
            host,
            host_status: CopyStatus { current: has_contents, ready: None },
            copies: Vec::new(),
            has_contents,
            tracker: Tracker::default(),
            exchangeable,
            write_back: true,
            destination,
        };
        Ok(Arc::new(Self { size, home: None, state: Mutex::new(state) }))
    }

    /// The contents of a memory object of the program's own, which `device` knows by this address,
    /// once `ready` has completed.
    fn of_object(
        size: u64,
        device: &'static Device,
        ptr: *mut c_void,
        ready: Option<Node>,
    ) -> Arc<Self> {
        let state = State {
            host: HostCopy::None,
            host_status: CopyStatus::default(),
            copies: vec![DeviceCopy { device, ptr, status: CopyStatus { current: true, ready } }],
            has_contents: true,
            tracker: Tracker::default(),
            exchangeable: false,
            write_back: true,
            destination: Destination::None,
        };
        Arc::new(Self { size, home: Some(device), state: Mutex::new(state) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        for copy in state.copies.drain(..) {
            // SAFETY: allocated by this device in `coherence`; `finish` made sure that no command
            // uses it.
            unsafe { copy.device.hal.free(UsmKind::Device, copy.ptr) };
        }
    }
}

impl State {
    /// The host copy's address; allocates it where there is none.
    fn host_address(&mut self, size: u64) -> Result<*mut u8> {
        self.exchangeable = false;
        if let Some(ptr) = self.host.address() {
            return Ok(ptr);
        }
        let block = HostBlock::new(size as usize)?;
        let ptr = block.address();
        self.host = HostCopy::Owned(block);
        Ok(ptr)
    }

    /// Stops using the program's memory as the host copy, where that is still possible: the program
    /// said that it will not be written back to.
    fn spare_program_memory(&mut self, size: u64) -> Result<()> {
        if let (true, HostCopy::Program(ptr)) = (self.exchangeable, &self.host) {
            let block = HostBlock::new(size as usize)?;
            // SAFETY: the program's memory is valid for the life of the buffer; the block is new
            // and of the same size.
            unsafe { std::ptr::copy_nonoverlapping(*ptr, block.address(), size as usize) };
            self.host = HostCopy::Owned(block);
        }
        self.exchangeable = false;
        Ok(())
    }
}

/// Holds a [`Memory`] for its buffers; the end of the last one is the end of the contents.
struct Lease(Arc<Memory>);

impl Drop for Lease {
    fn drop(&mut self) {
        finish::finish(&self.0);
    }
}

/// A range of bytes of a [`Memory`]: what a handle points at.
pub struct Buffer {
    lease: Arc<Lease>,
    offset: u64,
    pub size: u64,
    is_view: bool,
    /// Of a sub-buffer, where the program asked for one; a whole buffer's is the memory's.
    destination: Mutex<Option<Destination>>,
}

// SAFETY: as for `State`.
unsafe impl Send for Buffer {}
// SAFETY: as for `State`; the destination is behind a lock.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// # Safety
    /// The contract of [`Initial`]'s variants for `size` bytes.
    pub unsafe fn new(size: u64, initial: Initial) -> Result<Self> {
        // SAFETY: passed on.
        let memory = unsafe { Memory::new(size, initial) }?;
        let lease = Arc::new(Lease(memory));
        Ok(Self { lease, offset: 0, size, is_view: false, destination: Mutex::new(None) })
    }

    /// A memory object of the driver's that the program made itself, once `ready` has completed.
    ///
    /// # Safety
    /// `native` is a memory object of the device's driver and context, alive.
    pub unsafe fn from_native(
        device: &'static Device,
        native: hal::Native,
        ready: Option<Node>,
    ) -> Result<Self> {
        // SAFETY: passed on.
        let (ptr, size) = unsafe { device.interop()?.memory_from_native(native) }?;
        let size = size as u64;
        let lease = Arc::new(Lease(Memory::of_object(size, device, ptr, ready)));
        Ok(Self { lease, offset: 0, size, is_view: false, destination: Mutex::new(None) })
    }

    /// The memory object of the contents that [`Buffer::place`] makes current for a command on
    /// `device`, with a count for the caller; `None` where it uses the host's copy.
    pub fn native(&self, device: &Device) -> Result<Option<hal::Native>> {
        if !self.has_object(device) {
            return Ok(None);
        }
        let state = lock(&self.memory().state);
        match state.copies.iter().find(|copy| copy.device.id == device.id) {
            Some(copy) => {
                copy.device.memory_to_native(copy.ptr.wrapping_byte_add(self.offset as usize))
            }
            None => Ok(None),
        }
    }

    /// The copy that `device` has is an object of its driver's.
    fn has_object(&self, device: &Device) -> bool {
        self.memory().home.is_some_and(|home| home.id == device.id)
            || device.hal.interop().is_some_and(hal::Interop::memory_is_native)
    }

    /// The memory objects that devices have of the contents, with a count for the caller each.
    pub fn natives(&self) -> Result<Vec<hal::Native>> {
        let state = lock(&self.memory().state);
        let mut natives = Vec::new();
        for copy in &state.copies {
            match copy.device.memory_to_native(copy.ptr) {
                Ok(native) => natives.extend(native.map(|native| (copy.device, native))),
                Err(error) => {
                    for (device, native) in natives {
                        Device::release_native_memory(device, native);
                    }
                    return Err(error);
                }
            }
        }
        Ok(natives.into_iter().map(|(_, native)| native).collect())
    }

    /// The copy that a command at `place` uses. `native`: as an object of the driver's, where it
    /// has one.
    pub fn place(&self, place: Place, native: bool) -> Place {
        match place {
            Place::Device(device)
                if self.memory().home.is_some_and(|home| home.id == device.id) =>
            {
                place
            }
            Place::Device(device) if device.hal.shares_host_memory() => Place::Host,
            Place::Device(device) if native && !self.has_object(device) => Place::Host,
            place => place,
        }
    }

    /// `size` bytes from `offset` of this buffer.
    pub fn view(&self, offset: u64, size: u64) -> Result<Self> {
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(invalid(format!(
                "a sub-buffer of {size} bytes from byte {offset} does not fit its buffer of {} \
                 bytes",
                self.size
            )));
        }
        let lease = self.lease.clone();
        Ok(Self {
            lease,
            offset: self.offset + offset,
            size,
            is_view: true,
            destination: Mutex::new(None),
        })
    }

    fn memory(&self) -> &Arc<Memory> {
        &self.lease.0
    }

    /// The bytes of the memory that this buffer is.
    pub fn bytes(&self) -> std::ops::Range<u64> {
        self.offset..self.offset + self.size
    }

    /// Where the buffer begins on the host, for as long as it lives.
    pub fn host_address(&self) -> Result<*mut u8> {
        let base = lock(&self.memory().state).host_address(self.memory().size)?;
        Ok(base.wrapping_add(self.offset as usize))
    }

    /// What the last release writes to, instead of what was set before.
    pub fn set_destination(&self, destination: Destination) -> Result<()> {
        // The old one is dropped after the locks: its end is a function of the program.
        let old = if self.is_view {
            lock(&self.destination).replace(destination)
        } else {
            let mut state = lock(&self.memory().state);
            let keeps = matches!(
                (&destination, &state.host),
                (Destination::Address(to), HostCopy::Program(ptr)) if to == ptr
            );
            if !keeps {
                state.spare_program_memory(self.memory().size)?;
            }
            Some(std::mem::replace(&mut state.destination, destination))
        };
        drop(old);
        Ok(())
    }

    pub fn set_write_back(&self, on: bool) -> Result<()> {
        let mut state = lock(&self.memory().state);
        state.write_back = on;
        if !on {
            state.spare_program_memory(self.memory().size)?;
        }
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(destination) = lock(&self.destination).take() {
            finish::write_view(self.memory(), self.bytes(), destination);
        }
    }
}
