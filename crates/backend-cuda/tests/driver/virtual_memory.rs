//! Tests virtual memory: the calls of the driver, access by several GPUs, exported and exhausted
//! memory. Also tests registered memory of the host.

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;

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
    let physical = memory.physical(2 * UNIT, false).unwrap();
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
    let physical = memory.physical(UNIT, false).unwrap();
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
    let physical = memory.physical(UNIT, false).unwrap();
    // SAFETY: the range is reserved, and no command uses it.
    unsafe { physical.map(start, UNIT, 0, Access::Read) }.unwrap();
    // SAFETY: the range is mapped and readable.
    assert_eq!(unsafe { *(start as *const u8) }, 0);
}

#[test]
fn exhausted_memory_is_an_error() {
    let fake = Fake::new();
    let device = fake.set("memory_left", 100).device();
    let error = device.virtual_memory().unwrap().physical(UNIT, false).err().expect("too large");
    assert_eq!(error.code, Errc::MemoryAllocation);
    assert!(error.message.contains("cuMemCreate failed with CUDA_ERROR_OUT_OF_MEMORY"), "{error}");
}

#[test]
fn exported_memory_is_that_of_its_file_descriptor() {
    let fake = Fake::new();
    let device = fake.device();
    assert!(device.info().aspects.contains(&(Aspect::ExtOneapiMemoryExportLinear as u32)));
    let memory = device.virtual_memory().unwrap();
    let start = memory.reserve(0, UNIT).unwrap();
    let physical = memory.physical(UNIT, true).unwrap();
    // SAFETY: the range is reserved, and no command uses it.
    unsafe { physical.map(start, UNIT, 0, Access::ReadWrite) }.unwrap();
    // SAFETY: the range is mapped and writable.
    unsafe { *(start as *mut u8) = 7 };
    // SAFETY: the descriptor is new, and nothing else owns it.
    let file = unsafe { File::from_raw_fd(physical.export().unwrap()) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, 0).unwrap();
    assert_eq!(byte, [7]);
}

#[test]
fn host_memory_is_registered_for_all_gpus() {
    let fake = Fake::new();
    let device = fake.device();
    assert!(device.info().aspects.contains(&(Aspect::ExtOneapiRegisterHostMemory as u32)));
    let memory = [0u8; 64];
    let start = memory.as_ptr() as usize;
    // SAFETY: the array outlives the registrations.
    unsafe {
        device.register_host(start, 64, true).unwrap();
        assert_eq!(fake.get("registered"), 1 | 2 | 8, "portable, mapped, read-only");
        let again = device.register_host(start, 64, false).unwrap_err();
        assert!(again.message.contains("cuMemHostRegister failed"), "{again}");
        device.unregister_host(start).unwrap();
        assert_eq!(device.unregister_host(start).unwrap_err().code, Errc::Runtime);
    }
}
