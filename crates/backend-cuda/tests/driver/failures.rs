//! Tests failures: errors contain all helpful details, and the process continues.

use crate::fake::{Fake, enqueue, kernel, launch};
use scythe_abi::launch::{KernelLaunch, Shape};
use scythe_hal::{BuildRequest, Errc, Status, UsmKind, Work};
use scythe_image::Format;
use std::ptr::null_mut;

#[test]
fn exhausted_memory_is_an_error_and_the_device_goes_on() {
    let fake = Fake::new();
    let device = fake.set("memory_left", 1 << 20).device();
    for kind in [UsmKind::Device, UsmKind::Host, UsmKind::Shared] {
        let error = device.alloc(kind, 1 << 21, 64).expect_err("there is not that much");
        assert_eq!(error.code, Errc::MemoryAllocation);
        assert!(
            error.message.contains("2097152 bytes") && error.message.contains("OUT_OF_MEMORY"),
            "{error}"
        );
        let at = device.alloc(kind, 1 << 10, 64).expect("there is that much");
        // SAFETY: no command uses the memory.
        unsafe { device.free(kind, at) };
    }
    assert_eq!(
        device.alloc(UsmKind::Device, usize::MAX, 4096).unwrap_err().code,
        Errc::MemoryAllocation
    );
}

#[test]
fn local_memory_beyond_the_devices_is_an_error() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let kernel = kernel(&device, "local", Shape::NdRange, 2);
    let submit = |sizes: [u64; 2]| {
        enqueue(&queue, launch(&kernel, null_mut(), &sizes, &[64], &[64], &[]), &[])
    };
    submit([100, 1]).unwrap();
    // Each accessor starts at a multiple of 128 bytes.
    assert_eq!((fake.get("last_shared"), fake.get("set_attributes")), (256, 0));
    for _ in 0..2 {
        submit([60_000, 60_000]).unwrap();
    }
    assert_eq!(
        (fake.get("last_shared"), fake.get("set_attributes")),
        (120_064, 1),
        "asked for once"
    );
    for sizes in [[200_000, 40_000], [u64::MAX, 1], [1 << 40, 1 << 40]] {
        let error = submit(sizes).err().expect("no device has that much");
        assert_eq!(error.code, Errc::MemoryAllocation);
        assert!(error.message.contains("'<local>'") && error.message.contains("232448"), "{error}");
    }
    submit([1, 1]).unwrap().wait().unwrap();
}

#[test]
fn work_groups_larger_than_a_kernels_registers_allow_are_an_error() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let kernel = kernel(&device, "wide", Shape::NdRange, 0);
    let submit =
        |local: &[u64]| enqueue(&queue, launch(&kernel, null_mut(), &[], local, local, &[]), &[]);
    let error = submit(&[16, 16]).err().expect("registers for 128 work-items");
    assert_eq!(error.code, Errc::NdRange);
    for part in ["{16, 16}", "128 work-items", "'<wide>'", "255 registers"] {
        assert!(error.message.contains(part), "{error}");
    }
    submit(&[128]).unwrap().wait().unwrap();
}

#[test]
fn a_kernel_that_breaks_the_device_is_named_and_other_devices_go_on() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let broken = kernel(&device, "illegal", Shape::SingleTask, 0);
    let at = device.alloc(UsmKind::Device, 64, 64).unwrap();
    let event = enqueue(&queue, launch(&broken, at, &[], &[1], &[], &[]), &[]).unwrap();
    let error = event.wait().expect_err("an illegal address");
    assert_eq!(error.code, Errc::Runtime);
    for part in [
        "Fake GPU 0 is lost",
        "CUDA_ERROR_ILLEGAL_ADDRESS (700)",
        "while kernel '<illegal>' was running",
    ] {
        assert!(error.message.contains(part), "{error}");
    }
    assert_eq!((event.status(), event.wait()), (Status::Complete, Err(error.clone())));
    // Later calls report the same error.
    assert_eq!(enqueue(&queue, Work::Marker, &[event]).err(), Some(error.clone()));
    assert_eq!(device.alloc(UsmKind::Device, 64, 64), Err(error.clone()));
    assert_eq!(device.create_queue(false).err(), Some(error.clone()));
    assert_eq!(device.build(&BuildRequest::new(crate::fake::CODE, Format::Ptx)).err(), Some(error));
    // SAFETY: no command uses the memory.
    unsafe { device.free(UsmKind::Device, at) };
    let other = Fake::new();
    let device = other.device();
    let queue = device.create_queue(false).unwrap();
    enqueue(&queue, Work::Marker, &[]).unwrap().wait().unwrap();
}

#[test]
fn several_kernels_under_way_are_all_named() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    fake.set("pending", 1);
    let (first, broken) = (
        kernel(&device, "wide", Shape::SingleTask, 0),
        kernel(&device, "illegal", Shape::SingleTask, 0),
    );
    enqueue(&queue, launch(&first, null_mut(), &[], &[1], &[], &[]), &[]).unwrap();
    let event = enqueue(&queue, launch(&broken, null_mut(), &[], &[1], &[], &[]), &[]).unwrap();
    let error = event.wait().expect_err("an illegal address");
    assert!(error.message.contains("'<wide>', '<illegal>'"), "{error}");
    assert!(error.message.contains("CUDA_LAUNCH_BLOCKING"), "{error}");
    // Completion callbacks get the error, too.
    let (send, receive) = std::sync::mpsc::channel();
    event.on_complete(Box::new(move |result| send.send(result).expect("the test listens")));
    assert_eq!(receive.recv().unwrap(), Err(error));
}

#[test]
fn code_that_the_driver_does_not_take_is_an_error_with_its_words() {
    let fake = Fake::new();
    let device = fake.set("ptx_limit", 80).set("driver", 12000).device();
    let error = device
        .build(&BuildRequest::new(crate::fake::CODE, Format::Ptx))
        .err()
        .expect("the driver is too old");
    assert_eq!(error.code, Errc::Build);
    for part in ["PTX 8.3", "CUDA 12.0", "too old", "nvidia_gpu_sm_90", "UNSUPPORTED_PTX_VERSION"] {
        assert!(error.message.contains(part), "{error}");
    }
    let error =
        device.build(&BuildRequest::new(b"nonsense", Format::Ptx)).err().expect("no device code");
    assert!(
        error.code == Errc::Build && error.message.contains("line 1: this is no device code"),
        "{error}"
    );
    let error =
        device.build(&BuildRequest::new(b"", Format::SpirV)).err().expect("not for this device");
    assert!(error.code == Errc::Build && error.message.contains("spirv"), "{error}");
}

#[test]
fn libraries_are_linked_and_missing_kernels_named() {
    let fake = Fake::new();
    let device = fake.device();
    let program = device
        .build(&BuildRequest {
            libraries: &[b"library"],
            ..BuildRequest::new(b".version 8.3 count deep ", Format::Ptx)
        })
        .expect("the driver links");
    let rows = KernelLaunch {
        shape: Shape::Range,
        functor_size: 0,
        file: String::new(),
        line: 0,
        column: 0,
        identity: 0,
        params: Vec::new(),
        function: None,
    };
    assert!(program.kernel("library", &rows).is_ok());
    let error = program.kernel("another", &rows).err().expect("there is none");
    assert!(error.code == Errc::Kernel && error.message.contains("'<another>'"), "{error}");
    let error = program.kernel("deep", &rows).err().expect("no thread can have that much");
    assert!(
        error.code == Errc::KernelNotSupported
            && error.message.contains("1048576 bytes of private"),
        "{error}"
    );
}

#[test]
fn kernels_of_large_images_are_loaded_one_by_one() {
    let fake = Fake::new();
    let device = fake.device();
    let request =
        BuildRequest { kernel_count: 100, ..BuildRequest::new(b"large", Format::LlvmBitcode) };
    let program = device.build(&request).expect("nothing is compiled yet");
    let launch = KernelLaunch {
        shape: Shape::SingleTask,
        functor_size: 0,
        file: String::new(),
        line: 0,
        column: 0,
        identity: 0,
        params: Vec::new(),
        function: None,
    };
    assert!(program.kernel("first", &launch).is_ok() && program.kernel("second", &launch).is_ok());
    // This kernel shares variables with others, so the module has all kernels from now on.
    assert!(program.kernel("shares", &launch).is_ok() && program.kernel("shared", &launch).is_ok());
    assert!(program.kernel("third", &launch).is_err());
}
