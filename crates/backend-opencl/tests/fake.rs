//! Tests the handling of driver failures, and the calls that the backend makes, with a fake driver
//! (`fake/fake.c`).

use std::path::Path;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use scythe_abi::aspect::Aspect;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_backend_opencl::{Discovery, discover};
use scythe_hal::compiler::NoCompiler;
use scythe_hal::library::Library;
use scythe_hal::{
    BuildRequest, Command, Device, Errc, Event, FunctorBytes, Kernel, KernelWork, Queue, Result,
    UsmKind, Work,
};
use scythe_image::Format;

/// The failures, with the numbers of `fake.c`.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the list is complete")]
enum Failure {
    Nothing,
    Build,
    Enqueue,
    Run,
    NoPlatform,
    NoSpirv,
    Context,
    Flush,
}

#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the list is complete")]
enum Counter {
    Kernels,
    Events,
    Markers,
    Flushes,
    Arguments,
    Queues,
    Status,
}

/// The fake driver, which one test at a time uses.
struct Fake {
    fail: unsafe extern "C" fn(i32, i32),
    calls: unsafe extern "C" fn(i32) -> i32,
    _turn: MutexGuard<'static, ()>,
}

impl Fake {
    /// Returns a driver that works correctly until the failure `what` happens after `after`
    /// successful calls.
    fn new(what: Failure, after: i32) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let library = loaded();
        // SAFETY: `fake.c` gives the functions of these names these types.
        let fake = unsafe {
            Self {
                fail: library.get("fake_fail").expect("fake.c defines it"),
                calls: library.get("fake_calls").expect("fake.c defines it"),
                _turn: turn,
            }
        };
        fake.fail(what, after);
        fake
    }

    /// Sets the next failure, and resets the counters.
    fn fail(&self, what: Failure, after: i32) {
        // SAFETY: the function may be called at any time.
        unsafe { (self.fail)(what as i32, after) };
    }

    fn calls(&self, counter: Counter) -> i32 {
        // SAFETY: the function may be called at any time.
        unsafe { (self.calls)(counter as i32) }
    }

    fn discover(&self) -> Discovery {
        discover(&NoCompiler)
    }

    fn device(&self) -> Arc<dyn Device> {
        let found = self.discover();
        let backend =
            found.backends.first().unwrap_or_else(|| panic!("no device: {:?}", found.problems));
        backend.devices()[0].clone()
    }
}

/// Compiles and loads the driver. Its name is that of OpenCL's loader, which nobody looks for
/// again.
fn loaded() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-opencl-{}", process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the driver");
        let (source, library) = (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/fake.c"),
            folder.join("libOpenCL.so.1"),
        );
        let mut compiler = process::Command::new("cc");
        compiler.args([
            "-shared",
            "-fPIC",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wl,-soname,libOpenCL.so.1",
            "-o",
        ]);
        let done = compiler.arg(&library).arg(&source).status().expect("cc starts");
        assert!(done.success(), "fake.c compiles");
        // SAFETY: the library's initialiser reads the environment.
        let loaded = unsafe { Library::load(&library) };
        std::fs::remove_dir_all(&folder).expect("the folder goes");
        loaded.expect("the driver can be loaded")
    })
}

const ROWS: [ParamKind; 3] = [ParamKind::Accessor, ParamKind::StdLayout, ParamKind::StdLayout];

/// Returns a kernel with three words of parameters.
fn kernel(device: &Arc<dyn Device>) -> Arc<dyn Kernel> {
    let program = device
        .build(&BuildRequest::new(b"words", Format::SpirV))
        .expect("the compiler takes anything");
    let params = ROWS.iter().zip(0..).map(|(&kind, i)| Param::unlowered(kind, 8, 8 * i));
    let launch = KernelLaunch {
        shape: Shape::Range,
        functor_size: 24,
        file: "a.cpp".into(),
        line: 1,
        column: 1,
        identity: 1,
        params: params.collect(),
        function: None,
    };
    program.kernel("k", &launch).expect("every kernel is there")
}

fn launch(
    queue: &Arc<dyn Queue>,
    kernel: &Arc<dyn Kernel>,
    words: [u64; 3],
    deps: &[Arc<dyn Event>],
) -> Result<Arc<dyn Event>> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let work = KernelWork {
        kernel: kernel.clone(),
        functor: FunctorBytes::new(&bytes),
        dims: 1,
        global_size: [8, 1, 1],
        local_size: [1; 3],
        global_offset: [0; 3],
        cooperation: Default::default(),
        place: None,
    };
    // SAFETY: the driver's kernels do nothing.
    unsafe { queue.enqueue(Command::new(Work::Kernel(Box::new(work)), deps)) }
}

#[test]
fn drivers_with_nothing_to_offer_are_named() {
    let fake = Fake::new(Failure::NoPlatform, 0);
    let none = fake.discover();
    assert!(
        none.backends.is_empty() && none.problems[0].contains("found no driver"),
        "{:?}",
        none.problems
    );
    fake.fail(Failure::NoSpirv, 0);
    let none = fake.discover();
    let expected = "device Fake device of platform Fake platform cannot be used: its driver does \
        not support SPIR-V";
    assert!(
        none.backends.is_empty() && none.problems[0].starts_with(expected),
        "{:?}",
        none.problems
    );
    fake.fail(Failure::Context, 0);
    let device = fake.device();
    let error = device.create_queue(false).err().expect("without a context there is no queue");
    assert_eq!(error.message, "OpenCL: clCreateContext failed with CL_OUT_OF_RESOURCES (-5)");
}

#[test]
fn a_failed_build_tells_the_drivers_log() {
    let fake = Fake::new(Failure::Build, 0);
    let error = fake
        .device()
        .build(&BuildRequest::new(b"words", Format::SpirV))
        .err()
        .expect("the compiler fails");
    let log = "OpenCL: clBuildProgram failed with CL_BUILD_PROGRAM_FAILURE (-11):\nfake compiler: \
        12:7: no register is left";
    assert_eq!((error.code, &*error.message), (Errc::Build, log));
}

#[test]
fn devices_without_shared_memory_have_memory_objects() {
    let fake = Fake::new(Failure::Nothing, 0);
    let device = fake.device();
    let has = |aspect: Aspect| device.info().aspects.contains(&(aspect as u32));
    assert!(
        !has(Aspect::UsmDeviceAllocations)
            && !has(Aspect::UsmSharedAllocations)
            && !device.shares_host_memory()
    );
    let queue = device.create_queue(false).expect("a queue");
    let there = device.alloc(UsmKind::Device, 64, 256).expect("memory");
    let other = device.alloc(UsmKind::Device, 64, 256).expect("memory");
    let from: Vec<u8> = (0..64).collect();
    let mut back = vec![0u8; 64];
    let (src, dst) = (from.as_ptr().cast(), back.as_mut_ptr().cast());
    let works = [
        Work::Memcpy { dst: there, src, size: 64 },
        Work::Fill { dst: there.wrapping_byte_add(16), pattern: vec![7; 4], count: 4 },
        // A pattern that drivers do not support.
        Work::Fill { dst: there.wrapping_byte_add(48), pattern: vec![1, 2, 3], count: 3 },
        Work::Memcpy { dst: other.wrapping_byte_add(8), src: there.wrapping_byte_add(8), size: 56 },
        Work::Memcpy { dst, src: other.wrapping_byte_add(8), size: 56 },
    ];
    let mut before: Vec<Arc<dyn Event>> = Vec::new();
    for work in works {
        // SAFETY: all memory outlives the wait below.
        before = vec![
            unsafe { queue.enqueue(Command::new(work, &before)) }.expect("the driver takes it"),
        ];
    }
    before[0].wait().expect("nothing goes wrong");
    let mut expected: Vec<u8> = (8..64).collect();
    expected[8..24].fill(7);
    expected[40..49].copy_from_slice(&[1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert_eq!(back[..56], expected);
    assert!(
        device.interop().expect("a driver").memory_to_native(there).expect("no failure").is_some()
    );
    // SAFETY: the memory was allocated above, and no command uses it any more.
    unsafe {
        device.free(UsmKind::Device, there);
        device.free(UsmKind::Device, other);
    }
    assert!(
        device.interop().expect("a driver").memory_to_native(other).expect("no failure").is_none()
    );
}

#[test]
fn an_address_that_is_none_is_no_argument() {
    let fake = Fake::new(Failure::Nothing, 0);
    let device = fake.device();
    let queue = device.create_queue(false).expect("a queue");
    let error = launch(&queue, &kernel(&device), [0x1234, 0, 0], &[])
        .err()
        .expect("no memory object is there");
    assert_eq!(error.code, Errc::KernelArgument);
    assert!(
        error.message.starts_with("argument 0 of kernel 'k': 0x1234 is not in an allocation"),
        "{error}"
    );
}

#[test]
fn commands_of_a_device_that_is_lost_fail_and_so_does_what_waits_for_them() {
    let fake = Fake::new(Failure::Run, 2);
    let device = fake.device();
    let kernel = kernel(&device);
    for queue in [device.create_queue(false).expect("a queue"), in_order(&device)] {
        fake.fail(Failure::Run, 1);
        let good = launch(&queue, &kernel, [0; 3], &[]).expect("the driver takes it");
        let lost = launch(&queue, &kernel, [0; 3], std::slice::from_ref(&good))
            .expect("the driver takes it");
        let error = lost.wait().expect_err("the device is lost");
        assert_eq!(error.code, Errc::Runtime);
        assert!(error.message.contains("CL_OUT_OF_RESOURCES (-5): the device is lost"), "{error}");
        let next = launch(&queue, &kernel, [0; 3], &[lost]).expect("it fails as an event");
        assert_eq!(next.wait(), Err(error));
        fake.fail(Failure::Enqueue, 0);
        let refused =
            launch(&queue, &kernel, [0; 3], &[]).err().expect("the driver takes nothing any more");
        assert_eq!(
            refused.message,
            "OpenCL: clEnqueueNDRangeKernel failed with CL_DEVICE_NOT_AVAILABLE (-2)"
        );
    }
}

#[test]
fn commands_that_the_driver_has_taken_are_not_refused_when_flushing_fails() {
    let fake = Fake::new(Failure::Nothing, 0);
    let device = fake.device();
    for queue in [device.create_queue(false).expect("a queue"), in_order(&device)] {
        fake.fail(Failure::Flush, 0);
        let used = Arc::new(());
        let keep: Box<dyn std::any::Any + Send + Sync> = Box::new(used.clone());
        let (from, mut to) = ([1u8; 8], [0u8; 8]);
        let there = device.alloc(UsmKind::Device, 8, 8).expect("memory");
        let work = Work::Memcpy { dst: there, src: from.as_ptr().cast(), size: 8 };
        // SAFETY: all memory outlives the waits.
        let event = unsafe { queue.enqueue(Command { work, deps: &[], keep: Some(keep) }) }
            .expect("the driver has taken it");
        assert!(fake.calls(Counter::Flushes) > 0);
        event.wait().expect("the command ends well");
        assert_eq!(Arc::strong_count(&used), 1, "what the command used is dropped after its end");
        let back = Work::Memcpy { dst: to.as_mut_ptr().cast(), src: there, size: 8 };
        // SAFETY: as above.
        unsafe { queue.enqueue(Command::new(back, &[event])) }
            .expect("the driver has taken it")
            .wait()
            .expect("it ends well");
        assert_eq!(to, from);
        // SAFETY: the memory was allocated above, and no command uses it any more.
        unsafe { device.free(UsmKind::Device, there) };
    }
}

fn in_order(device: &Arc<dyn Device>) -> Arc<dyn Queue> {
    device
        .create_in_order_queue(false)
        .expect("no failure")
        .expect("in-order queues are the driver's own")
}

#[test]
fn in_order_queues_ask_for_events_only_where_somebody_looks() {
    let fake = Fake::new(Failure::Nothing, 0);
    let device = fake.device();
    let (queue, kernel) = (in_order(&device), kernel(&device));
    fake.fail(Failure::Nothing, 0);
    let mut last: Option<Arc<dyn Event>> = None;
    for _ in 0..100 {
        let event = launch(&queue, &kernel, [0; 3], last.as_slice()).expect("the driver takes it");
        event.abandon();
        last = Some(event);
    }
    use Counter::{Arguments, Events, Kernels, Markers, Status};
    assert_eq!(
        [Kernels, Events, Markers, Status, Arguments].map(|c| fake.calls(c)),
        [100, 0, 0, 0, 3]
    );
    let last = last.expect("there is one");
    last.wait().expect("nothing goes wrong");
    last.wait().expect("nothing goes wrong");
    assert_eq!(
        [Events, Markers].map(|c| fake.calls(c)),
        [1, 1],
        "one marker stands for the last command"
    );

    // The events that the program holds belong to their own commands.
    fake.fail(Failure::Nothing, 0);
    let held: Vec<_> = (0..10)
        .map(|_| launch(&queue, &kernel, [0; 3], &[]).expect("the driver takes it"))
        .collect();
    assert!(
        fake.calls(Markers) <= 1 && fake.calls(Events) == 10,
        "each has an event before the next command"
    );
    held.iter().for_each(|event| event.wait().expect("nothing goes wrong"));
    assert!(fake.calls(Events) == 10, "no event stands for two commands");
}

#[test]
fn arguments_that_stay_are_not_set_again() {
    let fake = Fake::new(Failure::Nothing, 0);
    let device = fake.device();
    let (queue, kernel) = (in_order(&device), kernel(&device));
    fake.fail(Failure::Nothing, 0);
    for (words, calls) in [([0, 1, 2], 3), ([0, 1, 2], 3), ([0, 9, 2], 4), ([0, 9, 3], 5)] {
        launch(&queue, &kernel, words, &[]).expect("the driver takes it");
        assert_eq!(fake.calls(Counter::Arguments), calls);
    }
}

#[test]
fn kernels_tell_what_the_driver_tells() {
    let fake = Fake::new(Failure::Nothing, 0);
    let device = fake.device();
    let kernel = kernel(&device);
    let needs = kernel.resources().unwrap();
    assert_eq!((needs.max_group_size, needs.spill_bytes), (Some(128), None));
    let occupancy = device.occupancy(&*kernel, [40, 1, 1], 0).unwrap();
    assert_eq!((occupancy.per_unit, occupancy.together), (None, 1));
    assert_eq!(occupancy.sub_groups, Some((16, 3)));
}
