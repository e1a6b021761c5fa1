//! Virtual memory of a context: its reserved ranges of addresses, and the physical memory that they
//! are mapped to. Every argument is checked here, so that backends can trust it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use scythe_abi::aspect::Aspect;
use scythe_hal::{self as hal, Access};

use crate::context::Context;
use crate::platform::Device;
use crate::{Errc, Error, Result, invalid, lock};

/// The reserved addresses of a context.
#[derive(Default)]
pub struct Space(Mutex<Ranges>);

#[derive(Default)]
struct Ranges {
    /// The sizes of reserved ranges, by their start.
    reserved: BTreeMap<usize, usize>,
    /// The mappings, by their start.
    mapped: BTreeMap<usize, Mapping>,
    /// Exported allocations: the range that was reserved for each.
    exported: BTreeMap<usize, (usize, usize)>,
}

struct Mapping {
    size: usize,
    device: &'static Device,
    /// Keeps the memory as long as it is mapped.
    memory: Arc<dyn hal::PhysicalMemory>,
    /// Consecutive pieces that end at these addresses and have these modes.
    pieces: Vec<(usize, Access)>,
}

/// Physical memory of a device in a context.
pub struct Physical {
    context: Arc<Context>,
    device: &'static Device,
    size: usize,
    memory: Arc<dyn hal::PhysicalMemory>,
}

/// Returns the functions of a device for virtual memory. `call` is the function that needs them.
fn of_device<'a>(device: &'a Device, call: &str) -> Result<&'a dyn hal::VirtualMemory> {
    let has = device.hal.info().aspects.contains(&(Aspect::ExtOneapiVirtualMem as u32));
    device.hal.virtual_memory().filter(|_| has).ok_or_else(|| {
        Error::new(
            Errc::FeatureNotSupported,
            format!(
                "{call}: device '{}' does not support sycl_ext_oneapi_virtual_mem; check \
                 aspect::ext_oneapi_virtual_mem",
                device.name()
            ),
        )
    })
}

fn check_unit(call: &str, what: &str, value: usize, unit: usize) -> Result<()> {
    if value.is_multiple_of(unit) {
        return Ok(());
    }
    Err(invalid(format!(
        "{call}: the {what} {value:#x} is not a multiple of the granularity {unit:#x}; call \
         get_mem_granularity"
    )))
}

fn check_size(call: &str, start: usize, size: usize) -> Result<usize> {
    match start.checked_add(size) {
        Some(end) if size != 0 => Ok(end),
        _ => Err(invalid(format!(
            "{call}: a range of {size} bytes at {start:#x} is empty or exceeds the address space"
        ))),
    }
}

/// Returns the granularity for one device of the context, or for all of them.
pub fn granularity(
    context: &Context,
    device: Option<&'static Device>,
    recommended: bool,
) -> Result<usize> {
    const CALL: &str = "get_mem_granularity";
    let unit = |device: &Device| of_device(device, CALL)?.granularity(recommended);
    match device {
        Some(device) => unit(context.pick(Some(device))?),
        // Granularities are powers of two.
        None => context.devices().try_fold(1, |all, device| Ok(all.max(unit(device)?))),
    }
}

/// Returns the functions that all devices of the context share, if all devices have them.
fn of_context<'a>(context: &'a Context, call: &str) -> Result<&'a dyn hal::VirtualMemory> {
    for device in context.devices() {
        of_device(device, call)?;
    }
    of_device(context.first(), call)
}

pub fn reserve(context: &Context, start: usize, size: usize) -> Result<usize> {
    const CALL: &str = "reserve_virtual_mem";
    let memory = of_context(context, CALL)?;
    let unit = granularity(context, None, false)?;
    check_unit(CALL, "start", start, unit)?;
    check_unit(CALL, "size", size, unit)?;
    check_size(CALL, start, size)?;
    let at = memory.reserve(start, size)?;
    lock(&context.space.0).reserved.insert(at, size);
    Ok(at)
}

/// # Safety
/// No command uses the range.
pub unsafe fn unreserve(context: &Context, start: usize, size: usize) -> Result<()> {
    const CALL: &str = "free_virtual_mem";
    let memory = of_context(context, CALL)?;
    let end = check_size(CALL, start, size)?;
    let mut ranges = lock(&context.space.0);
    if ranges.reserved.get(&start) != Some(&size) {
        return Err(invalid(format!(
            "{CALL}: {size} bytes at {start:#x} are not a range that reserve_virtual_mem returned \
             for this context"
        )));
    }
    if let Some((at, mapping)) = ranges.mapped.range(start..end).next() {
        return Err(invalid(format!(
            "{CALL}: {} bytes at {at:#x} are still mapped; call unmap first",
            mapping.size
        )));
    }
    // SAFETY: the range was reserved as a whole and nothing is mapped into it.
    unsafe { memory.unreserve(start, size) }?;
    ranges.reserved.remove(&start);
    Ok(())
}

/// # Safety
/// No command uses the range.
pub unsafe fn unmap(context: &Context, start: usize, size: usize) -> Result<()> {
    let mut ranges = lock(&context.space.0);
    let found = ranges.mapped.get(&start).filter(|mapping| mapping.size == size);
    let Some(mapping) = found else {
        return Err(invalid(format!(
            "unmap: {size} bytes at {start:#x} are not a range that physical_mem::map mapped in \
             this context"
        )));
    };
    // SAFETY: the range was mapped as a whole, and no command uses it (this function's contract).
    unsafe { of_device(mapping.device, "unmap")?.unmap(start, size) }?;
    ranges.mapped.remove(&start);
    Ok(())
}

impl Ranges {
    /// Returns the starts of the mappings that together contain `start..end`.
    fn covering(&self, call: &str, start: usize, end: usize) -> Result<Vec<usize>> {
        let mut covered = start;
        let mut starts = Vec::new();
        let first = self.mapped.range(..=start).next_back().map_or(start, |(&at, _)| at);
        for (&at, mapping) in self.mapped.range(first..end) {
            if at <= covered && at + mapping.size > covered {
                covered = at + mapping.size;
                starts.push(at);
            }
        }
        if covered >= end {
            return Ok(starts);
        }
        Err(invalid(format!(
            "{call}: the address {covered:#x} is not mapped to physical memory in this context"
        )))
    }
}

impl Mapping {
    /// Sets the mode of `start..end`, as far as this mapping at `at` contains it.
    fn set(&mut self, at: usize, start: usize, end: usize, access: Access) {
        let mut pieces = Vec::new();
        let mut begin = at;
        for &(stop, mode) in &self.pieces {
            let cuts = [(stop.min(start), mode), (stop.min(end), access), (stop, mode)];
            for (cut, mode) in cuts {
                if cut > begin {
                    pieces.push((cut, mode));
                    begin = cut;
                }
            }
        }
        self.pieces = pieces;
    }
}

/// # Safety
/// No command uses the range.
pub unsafe fn set_access(
    context: &Context,
    start: usize,
    size: usize,
    access: Access,
) -> Result<()> {
    const CALL: &str = "set_access_mode";
    let unit = granularity(context, None, false)?;
    check_unit(CALL, "address", start, unit)?;
    check_unit(CALL, "size", size, unit)?;
    let end = check_size(CALL, start, size)?;
    let mut ranges = lock(&context.space.0);
    for at in ranges.covering(CALL, start, end)? {
        let Some(mapping) = ranges.mapped.get_mut(&at) else { continue };
        let (first, last) = (start.max(at), end.min(at + mapping.size));
        let memory = of_device(mapping.device, CALL)?;
        // SAFETY: the mapping contains the range, and no command uses it (this function's
        // contract).
        unsafe { memory.set_access(first, last - first, access) }?;
        mapping.set(at, first, last, access);
    }
    Ok(())
}

pub fn access(context: &Context, start: usize, size: usize) -> Result<Access> {
    const CALL: &str = "get_access_mode";
    let end = check_size(CALL, start, size)?;
    let ranges = lock(&context.space.0);
    let mut modes = Vec::new();
    for at in ranges.covering(CALL, start, end)? {
        let mut begin = at;
        for &(stop, mode) in &ranges.mapped[&at].pieces {
            if begin < end && stop > start && !modes.contains(&mode) {
                modes.push(mode);
            }
            begin = stop;
        }
    }
    match modes[..] {
        [mode] => Ok(mode),
        _ => Err(invalid(format!(
            "{CALL}: parts of the {size} bytes at {start:#x} have different access modes"
        ))),
    }
}

/// Returns the device of the accessible memory that is mapped to an address.
pub fn device_of(space: &Space, address: usize) -> Option<&'static Device> {
    let ranges = lock(&space.0);
    let (_, mapping) = ranges.mapped.range(..=address).next_back()?;
    let &(_, mode) = mapping.pieces.iter().find(|&&(stop, _)| address < stop)?;
    (mode != Access::None).then_some(mapping.device)
}

impl Physical {
    pub fn new(context: &Arc<Context>, device: &'static Device, size: usize) -> Result<Self> {
        const CALL: &str = "physical_mem";
        let device = context.pick(Some(device))?;
        let memory = of_device(device, CALL)?;
        check_unit(CALL, "size", size, memory.granularity(false)?)?;
        check_size(CALL, 0, size)?;
        let memory = memory.physical(size, false)?;
        Ok(Self { context: context.clone(), device, size, memory })
    }

    pub fn map(&self, start: usize, size: usize, offset: usize, access: Access) -> Result<()> {
        const CALL: &str = "physical_mem::map";
        let unit = of_device(self.device, CALL)?.granularity(false)?;
        for (what, value) in [("address", start), ("size", size), ("offset", offset)] {
            check_unit(CALL, what, value, unit)?;
        }
        let end = check_size(CALL, start, size)?;
        if offset.checked_add(size).is_none_or(|last| last > self.size) {
            return Err(invalid(format!(
                "{CALL}: the physical memory has {} bytes, fewer than {size} from offset {offset}",
                self.size
            )));
        }
        let mut ranges = lock(&self.context.space.0);
        let reserved = ranges.reserved.range(..=start).next_back();
        if reserved.is_none_or(|(&at, &length)| end > at + length) {
            return Err(invalid(format!(
                "{CALL}: {size} bytes at {start:#x} are not reserved in the context of the \
                 physical memory; call reserve_virtual_mem"
            )));
        }
        let before = ranges.mapped.range(..end).next_back();
        if before.is_some_and(|(&at, mapping)| at + mapping.size > start) {
            return Err(invalid(format!(
                "{CALL}: a part of the {size} bytes at {start:#x} is already mapped; call unmap \
                 first"
            )));
        }
        // SAFETY: the range is reserved, nothing is mapped into it, and it lies within the memory.
        unsafe { self.memory.map(start, size, offset, access) }?;
        let mapping = Mapping {
            size,
            device: self.device,
            memory: self.memory.clone(),
            pieces: vec![(end, access)],
        };
        ranges.mapped.insert(start, mapping);
        Ok(())
    }
}

/// Returns an error unless the device exports memory.
fn check_exports(device: &Device, call: &str) -> Result<()> {
    if device.hal.info().aspects.contains(&(Aspect::ExtOneapiMemoryExportLinear as u32)) {
        return Ok(());
    }
    Err(Error::new(
        Errc::FeatureNotSupported,
        format!(
            "{call}: device '{}' does not support sycl_ext_oneapi_memory_export; check \
             aspect::ext_oneapi_memory_export_linear",
            device.name()
        ),
    ))
}

fn not_exported(call: &str, at: usize) -> Error {
    invalid(format!("{call}: {at:#x} was not allocated with alloc_exportable_device_mem"))
}

/// Allocates memory of a device that other interfaces can import.
pub fn alloc_exported(
    context: &Arc<Context>,
    device: &'static Device,
    align: usize,
    size: usize,
) -> Result<usize> {
    const CALL: &str = "alloc_exportable_device_mem";
    let device = context.pick(Some(device))?;
    check_exports(device, CALL)?;
    let memory = of_device(device, CALL)?;
    let unit = memory.granularity(false)?;
    let align = align.max(1);
    if !align.is_power_of_two() {
        return Err(invalid(format!("{CALL}: the alignment {align} is not a power of two")));
    }
    let whole = size.max(1).checked_next_multiple_of(unit);
    let room = whole.and_then(|whole| whole.checked_add(if align > unit { align } else { 0 }));
    let (Some(whole), Some(room)) = (whole, room) else {
        return Err(Error::new(
            Errc::MemoryAllocation,
            format!("{CALL}: {size} bytes aligned to {align} exceed the address space"),
        ));
    };
    let memory = memory.physical(whole, true)?;
    let start = reserve(context, 0, room)?;
    let at = start.next_multiple_of(align);
    let physical = Physical { context: context.clone(), device, size: whole, memory };
    if let Err(error) = physical.map(at, whole, 0, Access::ReadWrite) {
        // SAFETY: nothing uses the range yet.
        unsafe { unreserve(context, start, room) }?;
        return Err(error);
    }
    lock(&context.space.0).exported.insert(at, (start, room));
    Ok(at)
}

/// Returns a new file descriptor of exported memory, which the program owns.
pub fn export(context: &Context, device: &'static Device, at: usize) -> Result<i32> {
    const CALL: &str = "export_device_mem_handle";
    check_exports(context.pick(Some(device))?, CALL)?;
    let ranges = lock(&context.space.0);
    let mapping = ranges.exported.get(&at).and_then(|_| ranges.mapped.get(&at));
    mapping.ok_or_else(|| not_exported(CALL, at))?.memory.export()
}

/// # Safety
/// No command uses the memory.
pub unsafe fn free_exported(context: &Context, device: &'static Device, at: usize) -> Result<()> {
    const CALL: &str = "free_exportable_mem";
    check_exports(context.pick(Some(device))?, CALL)?;
    let (start, room, size) = {
        let mut ranges = lock(&context.space.0);
        let (start, room) = ranges.exported.remove(&at).ok_or_else(|| not_exported(CALL, at))?;
        let size = ranges.mapped.get(&at).map(|mapping| mapping.size);
        (start, room, size.ok_or_else(|| not_exported(CALL, at))?)
    };
    // SAFETY: no command uses the memory (this function's contract).
    unsafe {
        unmap(context, at, size)?;
        unreserve(context, start, room)
    }
}

/// Returns the mode for a number of the C interface.
pub fn access_from(number: u32) -> Result<Access> {
    Ok(match number {
        0 => Access::None,
        1 => Access::Read,
        2 => Access::ReadWrite,
        _ => return Err(invalid(format!("access mode {number} is unknown, expected 0 to 2"))),
    })
}
