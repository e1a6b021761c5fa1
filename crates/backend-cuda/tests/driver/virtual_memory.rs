//! Tests virtual memory: the calls of the driver, access by several GPUs, and exhausted memory.

use std::ffi::c_void;

use crate::fake::{Fake, enqueue};
use scythe_abi::aspect::Aspect;
use scythe_hal::{Access, Errc, Work};

const UNIT: usize = 1 << 16;

#[test]
fn a_range_shows_the_physical_memory_that_it_is_mapped_to() {
    let fake = Fake::new();
    let device = fake.device();
    assert!(device.info().aspects.contains(&(Aspect::ExtOneapiVirtualMem as u32)));
    let memory = device.virtual_memory().expect("the driver has it");
    assert_eq!((memory.granularity(false), memory.granularity(true)), (Ok(UNIT), Ok(2 * UNIT)));
    let start = memory.reserve(0, 4 * UNIT).unwrap();
    let physical = memory.physical(2 * UNIT).unwrap();
    // SAFETY: the ranges are reserved, and no command uses them.
    unsafe {
        physical.map(start, UNIT, UNIT, Access::ReadWrite).unwrap();
        physical.map(start + UNIT, 2 * UNIT, 0, Access::None).unwrap();
        memory.set_access(start + UNIT, 2 * UNIT, Access::Read).unwrap();
    }
    let queue = device.create_queue(false).unwrap();
    let fill = Work::Fill { dst: start as *mut c_void, pattern: vec![7; 4], count: UNIT / 4 };
    enqueue(&queue, fill, &[]).unwrap().wait().unwrap();
    // SAFETY: the second half of the physical memory is also mapped here, for reading.
    assert_eq!(unsafe { *((start + 3 * UNIT - 4) as *const u32) }, 0x0707_0707);
    // SAFETY: these are the whole ranges, and no command uses them.
    unsafe {
        memory.unmap(start, UNIT).unwrap();
        memory.unmap(start + UNIT, 2 * UNIT).unwrap();
        memory.unreserve(start, 4 * UNIT).unwrap();
    }
    drop(physical);
    assert_eq!((fake.get("reserved"), fake.get("physical")), (0, 0));
}

#[test]
fn gpus_in_use_that_can_access_the_memory_get_access() {
    let fake = Fake::new();
    let devices = fake.set("devices", 3).devices();
    devices[2].create_queue(false).unwrap();
    let memory = devices[0].virtual_memory().unwrap();
    let start = memory.reserve(0, UNIT).unwrap();
    let physical = memory.physical(UNIT).unwrap();
    // SAFETY: the range is reserved, and no command uses it.
    unsafe { physical.map(start, UNIT, 0, Access::ReadWrite) }.unwrap();
    assert_eq!(fake.get("grants_made"), 2);
}

#[test]
fn drivers_without_read_only_memory_or_hints_still_map() {
    let fake = Fake::new();
    let device = fake.set("no_read_only", 1).set("no_hints", 1).device();
    let memory = device.virtual_memory().unwrap();
    let start = memory.reserve(64 * UNIT, UNIT).unwrap();
    let physical = memory.physical(UNIT).unwrap();
    // SAFETY: the range is reserved, and no command uses it.
    unsafe { physical.map(start, UNIT, 0, Access::Read) }.unwrap();
    // SAFETY: the range is mapped and readable.
    assert_eq!(unsafe { *(start as *const u8) }, 0);
}

#[test]
fn exhausted_memory_is_an_error() {
    let fake = Fake::new();
    let device = fake.set("memory_left", 100).device();
    let error = device.virtual_memory().unwrap().physical(UNIT).err().expect("too large");
    assert_eq!(error.code, Errc::MemoryAllocation);
    assert!(error.message.contains("cuMemCreate failed with CUDA_ERROR_OUT_OF_MEMORY"), "{error}");
}
