//! Tests the list of devices, their properties, and the reasons why there are none.

use std::path::Path;

use crate::fake::{Fake, services};
use scythe_abi::aspect::Aspect;
use scythe_backend_cuda::discover_with;
use scythe_hal::info::DeviceType;
use scythe_hal::{BackendKind, Errc, NativeKind, Priority};
use scythe_image::Format;

#[test]
fn devices_say_what_the_driver_says_of_them() {
    let fake = Fake::new();
    let found = fake.set("devices", 2).discover();
    assert_eq!(found.backends.len(), 1);
    let platform = found.backends[0].platform();
    assert_eq!(
        (platform.name.as_str(), platform.version.as_str()),
        ("NVIDIA CUDA BACKEND", "CUDA 13.0")
    );
    assert_eq!(found.backends[0].kind(), BackendKind::Cuda);
    let devices = found.backends[0].devices();
    assert_eq!(devices.len(), 2);
    let info = devices[1].info();
    assert_eq!((info.name.as_str(), info.version.as_str()), ("Fake GPU 1", "9.0"));
    assert_eq!((info.driver_version.as_str(), info.device_type), ("CUDA 13.0", DeviceType::Gpu));
    assert_eq!((info.max_work_group_size, info.max_work_item_sizes), (1024, [1024, 1024, 64]));
    assert_eq!((info.local_mem_size, &info.sub_group_sizes[..]), (232_448, &[32][..]));
    assert_eq!(info.max_parameter_size, 32_764 - 128, "the launch block takes its part");
    for aspect in
        [Aspect::Gpu, Aspect::Fp16, Aspect::Fp64, Aspect::Atomic64, Aspect::ExtNvidiaGpuSm90]
    {
        assert!(info.aspects.contains(&(aspect as u32)), "{aspect:?}");
    }
    assert!(!info.aspects.contains(&(Aspect::ExtNvidiaGpuSm80 as u32)));
    assert_eq!(fake.get("streams"), 0, "nothing is made before it is needed");
}

#[test]
fn details_are_those_of_the_hardware() {
    let fake = Fake::new();
    let devices = fake.set("devices", 2).set("memory_left", 12345).devices();
    let details = &devices[1].info().details;
    assert_eq!(details.pci_address.as_deref(), Some("0000:3c:00.0"));
    assert_eq!(details.uuid.map(|uuid| (uuid[0], uuid[15])), Some((16, 31)));
    assert_eq!((details.memory_clock_rate, details.memory_bus_width), (Some(2619), Some(5120)));
    assert_eq!(details.max_mem_bandwidth, Some(3_352_320_000_000));
    assert_eq!(details.gpu_eu_count(), None);
    assert_eq!(devices[1].free_memory(), Ok(12345));
    let aspects = &devices[1].info().aspects;
    for aspect in [
        Aspect::ExtIntelPciAddress,
        Aspect::ExtIntelDeviceInfoUuid,
        Aspect::ExtIntelMemoryClockRate,
        Aspect::ExtIntelMemoryBusWidth,
        Aspect::ExtIntelMaxMemBandwidth,
        Aspect::ExtIntelFreeMemory,
    ] {
        assert!(aspects.contains(&(aspect as u32)), "{aspect:?}");
    }
    assert!(aspects.is_sorted() && !aspects.contains(&(Aspect::ExtIntelGpuSlices as u32)));
}

#[test]
fn a_machine_without_a_driver_is_told_so() {
    let found = discover_with(Path::new("libcuda-that-is-not-there.so.1"), services());
    assert!(found.backends.is_empty());
    assert!(found.problems[0].starts_with("cannot load the CUDA driver"), "{:?}", found.problems);
    // Another library is not a driver.
    let found = discover_with(Path::new("libc.so.6"), services());
    assert!(found.problems[0].contains("does not provide cuInit"), "{:?}", found.problems);
    let fake = Fake::new();
    let found = fake.set("init_error", 3).discover();
    assert!(found.backends.is_empty() && found.problems[0].contains("CUDA_ERROR_NOT_INITIALIZED"));
    let fake = Fake::new();
    let found = fake.set("init_error", 100).discover();
    assert_eq!(found.problems, ["the CUDA driver found no device"]);
}

#[test]
fn the_best_code_for_a_device_is_preferred() {
    let fake = Fake::new();
    let device = fake.device();
    let prefer = |format, target: &str| device.preference(format, &target.into());
    let order = [
        (Format::Fatbin, "nvidia_gpu_sm_90a"),
        (Format::Fatbin, "nvidia_gpu_sm_90"),
        (Format::Fatbin, "nvidia_gpu_sm_80"),
        (Format::Ptx, "nvptx64-nvidia-cuda"),
        (Format::Fatbin, "nvidia_gpu_sm_70"),
        (Format::LlvmBitcode, "spir64"),
    ];
    let numbers: Vec<u32> =
        order.iter().map(|(format, target)| prefer(*format, target).unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a > b), "{numbers:?}");
    for (format, target) in [
        (Format::Fatbin, "nvidia_gpu_sm_100"),
        (Format::Fatbin, "nvidia_gpu_sm_80a"),
        (Format::SpirV, "spir64"),
        (Format::CpuObject, "x86_64"),
    ] {
        let error = prefer(format, target).expect_err(target);
        assert!(
            error.code == Errc::KernelNotSupported && error.message.contains("Fake GPU 0"),
            "{error}"
        );
    }
}

#[test]
fn peers_are_those_that_the_driver_names() {
    let fake = Fake::new();
    let devices = fake.set("devices", 2).devices();
    assert!(devices[0].can_access_peer(&*devices[1], false));
    assert!(devices[0].can_access_peer(&*devices[1], true));
    assert!(!devices[1].can_access_peer(&*devices[0], true), "no atomics in this direction");
    assert!(!devices[0].can_access_peer(&*devices[0], false));
}

#[test]
fn streams_have_the_priority_of_their_queue() {
    let fake = Fake::new();
    let device = fake.device();
    for (in_order, priority, number) in
        [(true, Priority::High, -5), (false, Priority::Low, 0), (false, Priority::High, -5)]
    {
        let queue = device.create_queue_with_priority(in_order, false, priority).unwrap();
        assert_ne!(queue.expect("priorities").native().unwrap() as usize, 0);
        assert_eq!(fake.get("last_priority"), number);
    }
}

#[test]
fn native_objects_are_the_drivers() {
    let fake = Fake::new();
    let devices = fake.set("devices", 2).devices();
    assert_eq!(devices[1].interop().unwrap().native(NativeKind::Device).unwrap() as usize, 1);
    assert_eq!(devices[1].interop().unwrap().native(NativeKind::Context).unwrap() as usize, 0x101);
    assert!(devices[0].interop().unwrap().native(NativeKind::Platform).is_err());
    let queue = devices[0].create_queue(false).unwrap();
    assert_ne!(queue.native().unwrap() as usize, 0);
    assert_eq!(fake.get("peers"), 2, "both devices reach each other's memory");
    // SAFETY: null is not an event, which the call checks.
    let error =
        unsafe { devices[0].interop().unwrap().event_from_native(std::ptr::null_mut()) }.err();
    assert_eq!(error.unwrap().code, Errc::Invalid);
}
