//! The `device_global` variables of the program and their memory on each device.
//!
//! Programs register their variables when they are loaded. A registration holds the address of the
//! host object, which identifies the variable in calls, and the variable's name in device code. A
//! variable has one allocation for each context and device. The runtime creates it when a copy or a
//! kernel whose image contains the variable first needs it, and fills it with the contents of the
//! host object: the initial value. Images of all libraries find the allocation by the variable's
//! name, so that all kernels share it.
//!
//! A variable with `device_image_scope` is part of the program if the backend cannot bind it to
//! memory ([`scythe_hal::Device::binds_globals`]). The registry then returns its address.
//!
//! The memory of a variable lives as long as it may be used. Its owners are the table, as long as
//! the variable is registered and the context exists, the kernels that were built with it, and the
//! pending commands of destroyed queues.

use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use scythe_abi::aspect::Aspect;
use scythe_hal::{Command, Keep, UsmKind, Work};
use scythe_image::manifest::DeviceGlobal;

use crate::demangle::symbol_name;
use crate::event::Node;
use crate::platform::Device;
use crate::queue::Queue;
use crate::{Errc, Error, Result, invalid, lock, registry};

/// The alignment of the allocations, sufficient for any type of the headers.
const ALIGNMENT: usize = 128;

static TABLE: Mutex<Table> = Mutex::new(Table { variables: Vec::new(), memory: Vec::new() });

struct Table {
    variables: Vec<Variable>,
    memory: Vec<Arc<Memory>>,
}

/// A variable of the program.
struct Variable {
    /// The address of the host object.
    host: usize,
    symbol: String,
    size: usize,
    /// The number of translation units that have registered the variable.
    count: usize,
}

/// The allocation of a variable on one device, in one context.
pub struct Memory {
    symbol: String,
    context: u64,
    device: &'static Device,
    pub size: usize,
    pub address: *mut c_void,
}

// SAFETY: this type does not dereference the address. Events order the commands that copy to it.
unsafe impl Send for Memory {}
// SAFETY: this type does not dereference the address, as stated for `Send`.
unsafe impl Sync for Memory {}

impl Memory {
    pub fn symbol(&self) -> &str {
        &self.symbol
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the device made this allocation with this kind, and no reference to it is left.
        unsafe { self.device.hal.free(UsmKind::Device, self.address) }
    }
}

/// The description of a variable in an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageVariable {
    pub symbol: String,
    pub size: usize,
    pub image_scope: bool,
}

impl ImageVariable {
    /// Validates a variable from an image's manifest.
    pub fn new(variable: DeviceGlobal) -> std::result::Result<Self, String> {
        let DeviceGlobal { symbol, size, image_scope } = variable;
        let size =
            usize::try_from(size).ok().filter(|&size| size > 0 && size <= isize::MAX as usize);
        let size = size.ok_or_else(|| {
            format!("the size of device_global '{symbol}' exceeds the address space")
        })?;
        Ok(Self { symbol, size, image_scope })
    }
}

/// Registers a variable whose host object is at `host`. Ignores null, which denotes a variable that
/// the program does not contain.
pub fn register(host: *const c_void, symbol: &str, size: u64) {
    let Ok(size) = usize::try_from(size) else { return };
    if host.is_null() || size == 0 {
        return;
    }
    let variables = &mut lock(&TABLE).variables;
    match variables.iter_mut().find(|known| known.host == host as usize && known.symbol == symbol) {
        Some(known) => known.count += 1,
        None => variables.push(Variable {
            host: host as usize,
            symbol: symbol.to_owned(),
            size,
            count: 1,
        }),
    }
}

/// Reverts one call of [`register`]. The last call for a variable also drops its memory.
pub fn unregister(host: *const c_void, symbol: &str) {
    let mut table = lock(&TABLE);
    let Some(at) = table
        .variables
        .iter()
        .position(|known| known.host == host as usize && known.symbol == symbol)
    else {
        return;
    };
    table.variables[at].count -= 1;
    if table.variables[at].count > 0 {
        return;
    }
    let gone = table.variables.swap_remove(at).symbol;
    let mut dropped = Vec::new();
    if table.variables.iter().all(|known| known.symbol != gone) {
        dropped = take(&mut table.memory, |memory| memory.symbol == gone);
    }
    drop(table);
    drop(dropped);
}

/// Keeps the memory of a context alive until these commands, which may use it, have completed. The
/// context may be destroyed before.
pub fn keep_until_complete(context: u64, commands: &[Node]) {
    let used: Vec<Arc<Memory>> =
        lock(&TABLE).memory.iter().filter(|memory| memory.context == context).cloned().collect();
    if used.is_empty() {
        return;
    }
    for command in commands {
        let used = used.clone();
        command.event.on_complete(Box::new(move |_| drop(used)));
    }
}

/// Drops the memory of a destroyed context.
pub fn forget_context(context: u64) {
    let dropped = take(&mut lock(&TABLE).memory, |memory| memory.context == context);
    drop(dropped);
}

/// Removes and returns the matching items. Dropping them may call drivers, which must not happen
/// under the lock of the table.
fn take(memory: &mut Vec<Arc<Memory>>, which: impl Fn(&Memory) -> bool) -> Vec<Arc<Memory>> {
    let (gone, kept) = std::mem::take(memory).into_iter().partition(|memory| which(memory));
    *memory = kept;
    gone
}

/// Returns the memory of a variable. New memory holds the initial value of the variable.
pub fn memory(
    device: &'static Device,
    context: u64,
    symbol: &str,
    size: usize,
) -> Result<Arc<Memory>> {
    let mut table = lock(&TABLE);
    let wanted = |memory: &&Arc<Memory>| {
        memory.symbol == symbol && memory.context == context && memory.device.id == device.id
    };
    if let Some(known) = table.memory.iter().find(wanted) {
        return check_size(symbol, known.size, size).map(|()| known.clone());
    }
    let mut initial = vec![0; size];
    if let Some(variable) = table.variables.iter().find(|known| known.symbol == symbol) {
        check_size(symbol, variable.size, size)?;
        // SAFETY: the program registered an object of this size at this address, and unregisters it
        // before it is destroyed. The program does not write to it: host code copies to the memory
        // of the devices instead.
        initial.copy_from_slice(unsafe {
            std::slice::from_raw_parts(variable.host as *const u8, size)
        });
    }
    let made = allocate(device, context, symbol, initial)?;
    table.memory.push(made.clone());
    Ok(made)
}

/// Allocates the memory of a variable and fills it with the initial value.
fn allocate(
    device: &'static Device,
    context: u64,
    symbol: &str,
    initial: Vec<u8>,
) -> Result<Arc<Memory>> {
    let size = initial.len();
    let aspects = &device.hal.info().aspects;
    if !device.hal.binds_globals() && !aspects.contains(&(Aspect::UsmDeviceAllocations as u32)) {
        let (name, device) = (symbol_name(symbol), device.name());
        let message = format!(
            "device_global '{name}' needs 'aspect::usm_device_allocations', which {device} does \
             not have"
        );
        return Err(Error::new(Errc::FeatureNotSupported, message));
    }
    let address = device.hal.alloc(UsmKind::Device, size, ALIGNMENT)?;
    let made = Arc::new(Memory { symbol: symbol.to_owned(), context, device, size, address });
    let initial = Arc::new(initial);
    let work = Work::Memcpy { dst: address, src: initial.as_ptr().cast(), size };
    let keep: Keep = Some(Box::new(initial.clone()));
    // SAFETY: the source is kept until the command has completed, and nobody else knows of the
    // destination yet.
    unsafe { device.backend_queue(false)?.queue.enqueue(Command { work, deps: &[], keep }) }?
        .wait()?;
    Ok(made)
}

/// The variables of a program that was compiled from source text. Other programs have other
/// variables with the same names. There are no host objects, so the initial values are zero.
#[derive(Default)]
pub struct PrivateVariables(Mutex<Vec<Arc<Memory>>>);

impl PrivateVariables {
    /// Returns the memory of a variable, like [`memory`].
    pub fn memory(
        &self,
        device: &'static Device,
        context: u64,
        symbol: &str,
        size: usize,
    ) -> Result<Arc<Memory>> {
        let mut all = lock(&self.0);
        let wanted = |memory: &&Arc<Memory>| {
            memory.symbol == symbol && memory.context == context && memory.device.id == device.id
        };
        if let Some(known) = all.iter().find(wanted) {
            return check_size(symbol, known.size, size).map(|()| known.clone());
        }
        let made = allocate(device, context, symbol, vec![0; size])?;
        all.push(made.clone());
        Ok(made)
    }
}

fn check_size(symbol: &str, known: usize, wanted: usize) -> Result<()> {
    if known == wanted {
        return Ok(());
    }
    let name = symbol_name(symbol);
    let message = format!(
        "device_global '{name}' has {known} bytes in one part of the program and {wanted} bytes in \
         another; compile all parts with the same definition"
    );
    Err(Error::new(Errc::Invalid, message))
}

/// The part of a variable that a copy reads or writes.
pub struct Part {
    pub host: *const c_void,
    pub size: u64,
    pub image_scope: bool,
    pub offset: u64,
    pub bytes: u64,
}

/// Returns the address of a part of a variable on the queue's device, after checking that the part
/// lies inside the variable.
pub fn place(queue: &Queue, part: &Part) -> Result<*mut c_void> {
    let symbol = {
        let table = lock(&TABLE);
        let known = table.variables.iter().find(|known| known.host == part.host as usize);
        let known = known.ok_or_else(|| {
            invalid(format!(
                "the device_global at {:p} is unknown: declare it at namespace scope in a source \
                 that scythe -fsycl compiles",
                part.host
            ))
        })?;
        check_size(&known.symbol, known.size, usize::try_from(part.size).unwrap_or(usize::MAX))?;
        known.symbol.clone()
    };
    if part.offset.checked_add(part.bytes).is_none_or(|end| end > part.size) {
        return Err(invalid(format!(
            "a copy of {} bytes at offset {} exceeds device_global '{}' of {} bytes",
            part.bytes,
            part.offset,
            symbol_name(&symbol),
            part.size
        )));
    }
    let (device, context, size) = (queue.device, queue.context.id, part.size as usize);
    let base = if part.image_scope {
        registry::check_one_image(&symbol, device)?;
        match device.hal.binds_globals() {
            true => memory(device, context, &symbol, size)?.address,
            false => registry::address_in_image(&symbol, device, context)?,
        }
    } else {
        memory(device, context, &symbol, size)?.address
    };
    Ok(base.wrapping_byte_add(part.offset as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_memory_cannot_have_are_refused() {
        let read = |size| {
            let variable = DeviceGlobal { symbol: "x".into(), size, image_scope: true };
            ImageVariable::new(variable).map(|variable| variable.size)
        };
        assert_eq!(read(258), Ok(258));
        for wrong in [0, 1 << 63, u64::MAX] {
            assert!(read(wrong).is_err_and(|error| error.contains("'x'")), "{wrong}");
        }
    }
}
