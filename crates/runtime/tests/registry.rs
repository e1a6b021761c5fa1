//! Checks that kernels are found by name, are compared with the expectations of the host, and are
//! removed with their image.

mod common;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{
    Library, Machine, Traits, access, accessor, buffer_on, handle, image, image_with, row,
};
use scythe::launch::Ranges;
use scythe::memory::Mode;
use scythe::memory::coherence::HostAccess;
use scythe::platform::Device;
use scythe::queue::{Action, Order};
use scythe::registry::{self, Constants, DeviceInContext, Expected, ReadyKernel, Slot};
use scythe::{Errc, Result};
use scythe_abi::launch::Shape;

const TASK: Shape = Shape::SingleTask;

fn machine() -> Machine {
    Machine::new(0, |_, _| Ok(()))
}

fn find(
    name: &str,
    tu: u64,
    size: u64,
    shape: Shape,
    device: &'static Device,
) -> Result<Arc<ReadyKernel>> {
    registry::kernel(
        name,
        tu,
        None,
        Expected { functor_size: size, shape },
        DeviceInContext { device, context: 1 },
        &Constants::default(),
    )
}

fn failure(name: &str, size: u64, shape: Shape, device: &'static Device) -> scythe::Error {
    find(name, 0, size, shape, device).err().expect("the lookup fails")
}

#[test]
fn a_kernel_is_known_while_its_library_is() {
    let machine = machine();
    assert!(!registry::is_known("comes_and_goes", 0));
    for _ in 0..3 {
        let library = Library::load(vec![image(&[("comes_and_goes", row(8, TASK))])]);
        assert!(registry::is_known("comes_and_goes", 0));
        find("comes_and_goes", 0, 8, TASK, machine.device).expect("found");
        drop(library);
        assert!(!registry::is_known("comes_and_goes", 0));
        let error = failure("comes_and_goes", 8, TASK, machine.device);
        assert_eq!(error.code, Errc::Kernel);
        assert!(
            error.message.starts_with("no device image contains kernel 'comes_and_goes'"),
            "{}",
            error.message
        );
    }
}

/// Programs with many kernels look up each of them, and each image contains only a few.
#[test]
fn a_lookup_costs_the_same_among_many_images() {
    let best_of_lookups = |images: usize| {
        let name = |at: usize| format!("one_of_{images}_kernels_number_{at}");
        let _library =
            Library::load((0..images).map(|at| image(&[(&name(at), row(8, TASK))])).collect());
        let names: Vec<String> = (0..200).map(|at| name(at * (images / 200))).collect();
        let round = || {
            let start = Instant::now();
            assert!(names.iter().all(|name| registry::is_known(name, 0)));
            start.elapsed()
        };
        (0..10).map(|_| round()).min().expect("there are rounds")
    };
    let (few, many) = (best_of_lookups(200), best_of_lookups(4000));
    assert!(many < few * 5, "200 lookups take {few:?} among 200 images, and {many:?} among 4000");
}

#[test]
fn the_translation_units_own_kernel_comes_first() {
    let machine = machine();
    let kernels = [
        ("both", row(8, TASK)),
        ("both.tu.00000000000000ab", row(16, TASK)),
        ("one", row(8, TASK)),
    ];
    let _library = Library::load(vec![image(&kernels)]);
    let symbol = |name, tu, size| {
        find(name, tu, size, TASK, machine.device).expect("found").symbol().to_owned()
    };
    assert_eq!(symbol("both", 0xab, 16), "both.tu.00000000000000ab");
    assert_eq!(symbol("both", 0, 8), "both");
    assert_eq!(symbol("one", 0xab, 8), "one");
    assert!(registry::is_known("one", 0xab));
}

#[test]
fn host_and_device_must_agree() {
    let machine = machine();
    let _library = Library::load(vec![image(&[("agreed", row(24, Shape::Range))])]);
    let error = failure("agreed", 16, Shape::Range, machine.device);
    assert_eq!(error.code, Errc::KernelArgument);
    assert_eq!(
        error.message,
        "kernel 'agreed' (test.cpp:7:3) has a functor of 16 bytes in the host program and 24 bytes \
         in the device image; compile host and device code from the same source with the same \
         options"
    );
    let error = failure("agreed", 24, Shape::NdRange, machine.device);
    assert_eq!(error.code, Errc::KernelArgument);
    assert!(
        error.message.contains("launched as nd_range, but was compiled as range"),
        "{}",
        error.message
    );
    find("agreed", 0, 24, Shape::Range, machine.device).expect("found");
    assert_eq!(
        failure("agreed", 16, Shape::Range, machine.device).code,
        Errc::KernelArgument,
        "also once it is built"
    );
}

#[test]
fn two_kernels_of_one_name_are_never_mixed_up() {
    let machine = machine();
    let other = scythe_abi::launch::KernelLaunch { identity: 2, line: 70, ..row(8, TASK) };
    let _libraries = [
        Library::load(vec![image(&[("twice", row(8, TASK))])]),
        Library::load(vec![image(&[("twice", other)])]),
    ];
    let error = failure("twice", 8, TASK, machine.device);
    assert_eq!(error.code, Errc::Kernel);
    assert_eq!(
        error.message,
        "two different kernels have the name 'twice': test.cpp:7:3 and test.cpp:70:3; rename one \
         of them"
    );
}

/// Replaces the checksum of an image with the correct one.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Err(scythe_image::ImageError::Checksum { seen, .. }) =
        scythe_image::ImageView::parse(&bytes)
    {
        bytes[24..32].copy_from_slice(&seen.to_le_bytes());
    }
    bytes
}

#[test]
fn damaged_images_are_reported_when_a_kernel_is_missing() {
    let machine = machine();
    let mut damaged = image(&[("lost", row(8, TASK))]);
    let at = damaged.len() - 1;
    damaged[at] ^= 1;
    // The first bytes of a manifest are its version.
    let mut other_version = image(&[("lost", row(8, TASK))]);
    let version = scythe_image::manifest::VERSION.to_le_bytes();
    let at = 32
        + other_version[32..]
            .windows(8)
            .position(|w| w == [version, [1, 0, 0, 0]].concat())
            .expect("a manifest");
    other_version[at] = 99;
    let other_version = with_checksum(other_version);
    let outside = scythe_abi::launch::KernelLaunch { params: vec![accessor(4)], ..row(8, TASK) };
    let images = vec![damaged, other_version, image(&[("lost", outside)]), vec![0; 5], Vec::new()];
    let _library = Library::load(images);
    let message = failure("lost", 8, TASK, machine.device).message;
    let wrong_version = format!(
        "image 1: device image manifest has version 99, expected {}: link the program again",
        scythe_image::manifest::VERSION
    );
    for part in [
        "no device image contains kernel 'lost'",
        "image 0: device image checksum",
        &wrong_version,
        "image 2: parameter 0 of kernel 'lost' has 16 bytes at offset 4, which exceeds its functor \
         of 8 bytes",
        "image 3: not a device image",
        "image 4: ",
    ] {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

#[test]
fn a_build_failure_names_kernel_and_device_each_time() {
    let machine = machine();
    let traits = Traits { code: Some("error: no room"), ..Traits::default() };
    let broken = image_with(&[("broken", row(8, TASK))], &traits);
    let _library = Library::load(vec![broken]);
    for _ in 0..2 {
        let error = failure("broken", 8, TASK, machine.device);
        assert_eq!(
            (error.code, &*error.message),
            (Errc::Build, "kernel 'broken' on null: no room")
        );
    }
}

#[test]
fn slots_remember_within_a_generation_only() {
    let machine = machine();
    let (entry, generation) = (AtomicPtr::new(std::ptr::null_mut::<c_void>()), AtomicU64::new(0));
    let lookup = |size| {
        let slot = Slot { entry: &entry, generation: &generation };
        let expected = Expected { functor_size: size, shape: TASK };
        match registry::remembered(
            &slot,
            expected,
            DeviceInContext { device: machine.device, context: 1 },
        )? {
            Some(kernel) => Ok(kernel),
            None => registry::kernel(
                "slotted",
                0,
                Some(slot),
                expected,
                DeviceInContext { device: machine.device, context: 1 },
                &Constants::default(),
            ),
        }
    };
    let library = Library::load(vec![image(&[("slotted", row(8, TASK))])]);
    let first = lookup(8).expect("found");
    assert!(!entry.load(Ordering::SeqCst).is_null());
    assert!(Arc::ptr_eq(&first, &lookup(8).expect("found")), "the same kernel");
    assert_eq!(lookup(9).err().map(|error| error.code), Some(Errc::KernelArgument));
    drop(first);
    drop(library);
    assert_eq!(lookup(8).err().map(|error| error.code), Some(Errc::Kernel));
    let _library = Library::load(vec![image(&[("slotted", row(16, TASK))])]);
    lookup(16).expect("the new kernel");
}

fn launch(
    machine: &Machine,
    name: &str,
    order: Order<'_>,
    functor: &[u8],
) -> Result<scythe::event::Node> {
    let kernel = find(name, 0, functor.len() as u64, TASK, machine.host)?;
    let ranges = Ranges::of(TASK, 1, [[1; 3], [1; 3], [0; 3]]).expect("a launch");
    let queue = machine.queue(machine.host, false);
    // SAFETY: the tests wait for the command, or drop it.
    unsafe { queue.submit(Action::kernel(kernel, functor, &ranges, None), order) }
}

#[test]
fn unloading_waits_for_running_kernels() {
    static RUN: AtomicUsize = AtomicUsize::new(0);
    let machine = Machine::new(0, |_, _| {
        std::thread::sleep(Duration::from_millis(30));
        RUN.fetch_add(1, Ordering::SeqCst);
        Ok(())
    });
    let library = Library::load(vec![image(&[("slow", row(8, TASK))])]);
    for _ in 0..3 {
        launch(&machine, "slow", Order::default(), &[0; 8]).expect("submitted");
        // Another registration starts a new generation; the wait still includes the earlier
        // kernels.
        drop(Library::load(vec![image(&[("unrelated", row(8, TASK))])]));
    }
    drop(library);
    assert_eq!(RUN.load(Ordering::SeqCst), 3);
}

#[test]
fn a_kernel_still_held_back_is_dropped_with_its_image() {
    let machine = machine();
    let library = Library::load(vec![image(&[("held", row(8, TASK))])]);
    let mut data = vec![0; 4];
    let buffer = buffer_on(&mut data);
    let (access_of_host, _) = HostAccess::begin(&access(&buffer, Mode::ReadWrite)).expect("access");
    let accesses = [access(&buffer, Mode::Read)];
    let node = launch(&machine, "held", Order { accesses: &accesses, ..Order::default() }, &[0; 8])
        .expect("submitted");
    drop(library);
    drop(access_of_host);
    let error = node.event.wait().expect_err("dropped");
    assert_eq!(
        (error.code, &*error.message),
        (Errc::Kernel, "kernel 'held' cannot run: its device image was unloaded before the launch")
    );
}

#[test]
fn an_accessor_needs_its_buffer_among_the_requirements() {
    let machine = machine();
    let with_accessor =
        scythe_abi::launch::KernelLaunch { params: vec![accessor(0)], ..row(16, TASK) };
    let _library = Library::load(vec![image(&[("accessing", with_accessor)])]);
    let mut data = vec![0; 4];
    let buffer = buffer_on(&mut data);
    let mut functor = [0; 16];
    functor[8..].copy_from_slice(&handle(&buffer).to_ne_bytes());
    let error = launch(&machine, "accessing", Order::default(), &functor).err().expect("refused");
    assert_eq!(error.code, Errc::KernelArgument);
    assert!(error.message.contains("accessor 0 of kernel 'accessing'"), "{}", error.message);
    launch(&machine, "accessing", Order::default(), &[0; 16]).expect("an empty accessor is fine");
}
