//! Buffers: their contents on the host and on devices, and the order of accesses to them.
//!
//! * [`Memory`] is the state that a buffer and its sub-buffers share: one host copy, one copy per
//!   device with separate memory, flags that mark the current copies, and the [`track::Tracker`] of
//!   accesses.
//! * [`Buffer`] is the object behind a handle: a range of bytes of a [`Memory`].
//! * [`coherence`] updates a copy before a command uses it.
//! * [`finish`] destroys a buffer: it waits and writes the contents back.
//!
//! Commands that use buffers are submitted one at a time ([`submission`]). Finding the conflicts of
//! all buffers of a command and recording its accesses must be one atomic step. Otherwise two
//! threads could make two commands wait for each other.

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

/// Proof that only this thread submits commands with buffers. It is acquired before the lock of any
/// [`Memory`].
pub struct Submission(#[allow(dead_code, reason = "held for its lock")] MutexGuard<'static, ()>);

/// Waits until this thread may submit.
pub fn submission() -> Submission {
    static TURN: Mutex<()> = Mutex::new(());
    Submission(lock(&TURN))
}

/// The mode of a command's access to a buffer.
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

/// The copy of the contents that a command uses.
#[derive(Clone, Copy)]
pub enum MemoryLocation {
    Host,
    /// A device, which may use the host's copy; see [`Buffer::place`].
    Device(&'static Device),
}

/// The state that a buffer and its sub-buffers share.
pub struct Memory {
    pub size: u64,
    /// The device whose copy is a memory object of the program. The contents are stored there when
    /// the buffer is destroyed.
    home: Option<&'static Device>,
    /// Whether the destructor of the last buffer waits even if nothing is written back. It does not
    /// wait for contents that only commands have made.
    waits: bool,
    state: Mutex<State>,
}

struct State {
    host: HostCopy,
    host_status: CopyStatus,
    copies: Vec<DeviceCopy>,
    /// Whether there are any contents: provided by the program, or written by a command.
    has_contents: bool,
    tracker: Tracker,
    /// Whether an allocation may replace the program's memory, because its address was not returned
    /// yet.
    exchangeable: bool,
    write_back: bool,
    destination: Destination,
}

#[derive(Default)]
struct CopyStatus {
    current: bool,
    /// The command that makes the copy current.
    ready: Option<Node>,
}

struct DeviceCopy {
    device: &'static Device,
    ptr: *mut c_void,
    status: CopyStatus,
}

/// The destination of the write-back when the last buffer is released.
pub enum Destination {
    None,
    Address(*mut u8),
    Call { function: WriteBack, context: CallbackContext },
}

/// The context pointer of a callback, and the function that destroys it.
pub struct CallbackContext {
    pub ptr: *mut c_void,
    pub destroy: Option<Destroy>,
}

impl Drop for CallbackContext {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the creator of the context provided `destroy` to be called once, when the
            // context is no longer used.
            unsafe { destroy(self.ptr) };
        }
    }
}

// SAFETY: the addresses are used only under the lock, by commands that events order, and by the
// last release. The program passed them for this use.
unsafe impl Send for State {}

/// The source of a new buffer's contents.
pub enum Initial {
    None,
    /// Memory that lives as long as the buffer and may be written. `only_copy`: the program
    /// requested that the buffer uses exactly this memory.
    Program {
        ptr: *mut u8,
        only_copy: bool,
    },
    /// Memory that is copied immediately.
    Copy(*const u8),
}

impl Memory {
    /// Creates a memory of `size` bytes.
    ///
    /// # Safety
    /// The address in `initial` must be valid for `size` bytes: for the lifetime of the memory, or
    /// for this call if it is copied.
    unsafe fn new(size: u64, initial: Initial) -> Result<Arc<Self>> {
        let bytes = usize::try_from(size)
            .map_err(|_| invalid(format!("a buffer of {size} bytes is too large")))?;
        if bytes > isize::MAX as usize {
            return Err(invalid(format!("a buffer of {size} bytes is too large")));
        }
        let mut exchangeable = false;
        let waits = !matches!(initial, Initial::None);
        let (host, destination) = match initial {
            Initial::None => (HostCopy::None, Destination::None),
            Initial::Program { ptr, only_copy } => {
                exchangeable = !only_copy;
                (HostCopy::Program(ptr), Destination::Address(ptr))
            }
            Initial::Copy(ptr) => {
                let block = HostBlock::new(bytes)?;
                // SAFETY: the caller guarantees that the source is valid; the block is new and has
                // the same size.
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
        Ok(Arc::new(Self { size, home: None, waits, state: Mutex::new(state) }))
    }

    /// Creates the state for a memory object of the program, which `device` accesses by this
    /// address. The contents are valid after `ready` has completed.
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
        Arc::new(Self { size, home: Some(device), waits: true, state: Mutex::new(state) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        for copy in state.copies.drain(..) {
            // SAFETY: this device allocated the copy in `coherence`, or created the address for a
            // memory object. `finish` ensured that no command uses it.
            unsafe { copy.device.hal.free(UsmKind::Device, copy.ptr) };
        }
    }
}

impl State {
    /// Returns the address of the host copy. Allocates the copy if it does not exist.
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

    /// Stops using the program's memory as the host copy, if this is still possible, because the
    /// program stated that the contents are not written back to it.
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

/// Holds a [`Memory`] for its buffers. Dropping the last reference destroys the contents.
struct Lease(Arc<Memory>);

impl Drop for Lease {
    fn drop(&mut self) {
        finish::finish(&self.0);
    }
}

/// A range of bytes of a [`Memory`]: the object behind a handle.
pub struct Buffer {
    lease: Arc<Lease>,
    offset: u64,
    pub size: u64,
    is_view: bool,
    /// The destination of a sub-buffer, if the program set one. The destination of a whole buffer
    /// is in its memory.
    destination: Mutex<Option<Destination>>,
}

// SAFETY: the addresses are used only as described for `State`.
unsafe impl Send for Buffer {}
// SAFETY: the addresses are used only as described for `State`, and a lock protects the
// destination.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Creates a buffer of `size` bytes.
    ///
    /// # Safety
    /// The contract of the variant of [`Initial`] must hold for `size` bytes.
    pub unsafe fn new(size: u64, initial: Initial) -> Result<Self> {
        // SAFETY: the caller guarantees that the address in `initial` is valid for `size` bytes.
        let memory = unsafe { Memory::new(size, initial) }?;
        let lease = Arc::new(Lease(memory));
        Ok(Self { lease, offset: 0, size, is_view: false, destination: Mutex::new(None) })
    }

    /// Creates a buffer for a native memory object of the program. The contents are valid after
    /// `ready` has completed.
    ///
    /// # Safety
    /// `native` must be a live memory object of the device's driver and context.
    pub unsafe fn from_native(
        device: &'static Device,
        native: hal::Native,
        ready: Option<Node>,
    ) -> Result<Self> {
        // SAFETY: the caller guarantees that `native` is a live memory object of the device's
        // driver and context.
        let (ptr, size) = unsafe { device.interop()?.memory_from_native(native) }?;
        let size = size as u64;
        let lease = Arc::new(Lease(Memory::of_object(size, device, ptr, ready)));
        Ok(Self { lease, offset: 0, size, is_view: false, destination: Mutex::new(None) })
    }

    /// Returns the memory object of the contents that [`Buffer::place`] makes current for a command
    /// on `device`; the caller owns one reference. Returns `None` if the command uses the host's
    /// copy.
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

    /// Returns whether the copy of `device` is a native object of its driver.
    fn has_object(&self, device: &Device) -> bool {
        self.memory().home.is_some_and(|home| home.id == device.id)
            || device.hal.interop().is_some_and(hal::Interop::memory_is_native)
    }

    /// Returns the native memory objects of the device copies. The caller owns one reference to
    /// each.
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

    /// Returns the copy that a command at `place` uses. `native` requests a native object, if the
    /// device has one.
    pub fn place(&self, place: MemoryLocation, native: bool) -> MemoryLocation {
        match place {
            MemoryLocation::Device(device)
                if self.memory().home.is_some_and(|home| home.id == device.id) =>
            {
                place
            }
            MemoryLocation::Device(device) if device.hal.shares_host_memory() => {
                MemoryLocation::Host
            }
            MemoryLocation::Device(device) if native && !self.has_object(device) => {
                MemoryLocation::Host
            }
            place => place,
        }
    }

    /// Creates a sub-buffer of `size` bytes at `offset` of this buffer.
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

    /// Returns an address that identifies the memory which the buffer shares with its views.
    pub fn memory_address(&self) -> *const Memory {
        Arc::as_ptr(self.memory())
    }

    /// Returns whether the contents are written to the program when the buffer is destroyed.
    pub fn writes_back(&self) -> bool {
        let state = lock(&self.memory().state);
        let own = lock(&self.destination);
        let whole = state.write_back && !matches!(state.destination, Destination::None);
        whole || own.as_ref().is_some_and(|own| !matches!(own, Destination::None))
    }

    /// Returns the range of bytes of this buffer in the memory.
    pub fn bytes(&self) -> std::ops::Range<u64> {
        self.offset..self.offset + self.size
    }

    /// Returns the host address of the buffer, which stays valid as long as the buffer lives.
    pub fn host_address(&self) -> Result<*mut u8> {
        let base = lock(&self.memory().state).host_address(self.memory().size)?;
        Ok(base.wrapping_add(self.offset as usize))
    }

    /// Sets the destination of the write-back at the last release, and replaces the previous
    /// destination.
    pub fn set_destination(&self, destination: Destination) -> Result<()> {
        // The old destination is dropped after the locks are released: its destructor calls a
        // function of the program.
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
