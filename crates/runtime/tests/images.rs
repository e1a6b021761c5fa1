//! Tests of images that need other images, and of images whose requirements a device does not meet.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{Library, Machine, Traits, image_with, row};
use scythe::launch::{Ranges, check_local_memory};
use scythe::platform::Device;
use scythe::queue::{Action, Order};
use scythe::registry::{self, BundleState, Constants, DeviceInContext, Expected, ReadyKernel};
use scythe::{Errc, Error, Result};
use scythe_abi::aspect::Aspect;
use scythe_abi::capi::{self, SHAPE_HIERARCHICAL};
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal::DeviceInfo;
use scythe_image::Format;

const TASK: Shape = Shape::SingleTask;

fn find(name: &str, device: &'static Device) -> Result<Arc<ReadyKernel>> {
    registry::kernel(
        name,
        0,
        None,
        Expected { functor_size: 8, shape: TASK },
        DeviceInContext { device, context: 1 },
        &Constants::default(),
    )
}

fn failure(name: &str, device: &'static Device) -> Error {
    find(name, device).err().expect("the lookup fails")
}

/// Creates an image with one kernel. The null backend's code is the name of the kernel.
fn kernel(name: &str, traits: Traits<'_>) -> Vec<u8> {
    image_with(&[(name, row(8, TASK))], &traits)
}

fn code(text: &str, traits: Traits<'_>) -> Vec<u8> {
    image_with(&[], &Traits { code: Some(text), ..traits })
}

fn machine() -> Machine {
    Machine::with_device(adjust, 0, |_, _| Ok(()))
}

fn adjust(info: &mut DeviceInfo) {
    info.aspects = vec![Aspect::Fp64 as u32, Aspect::ExtIntelGpuSkl as u32];
    info.sub_group_sizes = vec![8, 16];
}

fn launch(kernel: Arc<ReadyKernel>, machine: &Machine) {
    let ranges = Ranges::of(TASK, 1, [[1; 3], [1; 3], [0; 3]]).expect("a launch");
    let queue = machine.queue(machine.host, false);
    // SAFETY: the kernel uses no memory.
    unsafe { queue.submit(Action::kernel(kernel, &[0; 8], &ranges, None), Order::default()) }
        .expect("submitted");
    queue.wait();
}

/// Returns the libraries that a launch of the kernel is linked with.
fn linked(name: &str) -> Result<Vec<String>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let machine = Machine::new(0, move |kernel, _| {
        *note.lock().unwrap() = kernel.libraries.clone();
        Ok(())
    });
    launch(find(name, machine.host)?, &machine);
    Ok(seen.lock().unwrap().clone())
}

#[test]
fn code_for_one_device_is_linked_with_its_like_and_else_with_generic_code() {
    let for_skl = |traits: Traits<'static>| Traits { target: Some("intel_gpu_skl"), ..traits };
    let imports = for_skl(Traits { imports: &["shared"], ..Traits::default() });
    let _app = Library::load(vec![kernel("for_skl", imports)]);
    let exports =
        |target| Traits { exports: &["shared"], target: Some(target), ..Traits::default() };
    let _other = Library::load(vec![code("for pvc", exports("intel_gpu_pvc"))]);
    assert!(
        linked("for_skl").expect_err("for another device").message.contains("target intel_gpu_pvc")
    );
    let _generic = Library::load(vec![code("generic", exports("spirv64-unknown-unknown"))]);
    assert_eq!(linked("for_skl").expect("complete"), ["generic"]);
    let _own = Library::load(vec![code("for skl", exports("intel_gpu_skl"))]);
    assert_eq!(linked("for_skl").expect("complete"), ["for skl"]);
}

#[test]
fn imports_come_from_whichever_library_exports_them_and_theirs_in_turn() {
    let _app = Library::load(vec![kernel(
        "imports",
        Traits { imports: &["one", "own"], exports: &["own"], ..Traits::default() },
    )]);
    let error = linked("imports").expect_err("nobody exports it");
    assert_eq!(error.code, Errc::Build);
    for part in ["kernel 'imports' on null", "imports 'one'", "format", "target null"] {
        assert!(error.message.contains(part), "'{part}' is not in: {}", error.message);
    }
    let _other_target = Library::load(vec![code(
        "other",
        Traits { exports: &["one"], target: Some("else"), ..Traits::default() },
    )]);
    let error = linked("imports").expect_err("not for this target");
    assert!(error.message.contains("and target else in"), "{}", error.message);

    // The imports form a cycle, and there is another image that is not needed.
    let one = Library::load(vec![
        code("unused", Traits { exports: &["unused"], ..Traits::default() }),
        code("1", Traits { exports: &["one"], imports: &["two"], ..Traits::default() }),
    ]);
    let error = linked("imports").expect_err("the library lacks something itself");
    assert!(error.message.contains("imports 'two'"), "{}", error.message);
    let two = Library::load(vec![code(
        "2",
        Traits { exports: &["two"], imports: &["one", "own"], ..Traits::default() },
    )]);
    assert_eq!(linked("imports").expect("complete"), ["1", "2"]);

    // A second library with the symbol has no effect until the first one is removed.
    let _again =
        Library::load(vec![code("1 again", Traits { exports: &["one"], ..Traits::default() })]);
    assert_eq!(linked("imports").expect("complete"), ["1", "2"]);
    drop(one);
    assert_eq!(linked("imports").expect("complete"), ["1 again"]);
    drop(two);
}

#[test]
fn unloading_waits_for_kernels_that_call_into_the_library() {
    static RUN: AtomicUsize = AtomicUsize::new(0);
    let machine = Machine::new(0, |_, _| {
        std::thread::sleep(Duration::from_millis(30));
        RUN.fetch_add(1, Ordering::SeqCst);
        Ok(())
    });
    let _app =
        Library::load(vec![kernel("calls", Traits { imports: &["called"], ..Traits::default() })]);
    // Other libraries that are loaded and unloaded in the meantime have no effect.
    let others = Arc::new(AtomicBool::new(true));
    let go_on = others.clone();
    let thread = std::thread::spawn(move || {
        while go_on.load(Ordering::Relaxed) {
            drop(Library::load(vec![code(
                "g",
                Traits { exports: &["another"], ..Traits::default() },
            )]));
        }
    });
    for round in 1..=3 {
        let library =
            Library::load(vec![code("f", Traits { exports: &["called"], ..Traits::default() })]);
        let ranges = Ranges::of(TASK, 1, [[1; 3], [1; 3], [0; 3]]).expect("a launch");
        let queue = machine.queue(machine.host, false);
        let kernel = find("calls", machine.host).expect("linked");
        // SAFETY: the kernel uses no memory.
        unsafe { queue.submit(Action::kernel(kernel, &[0; 8], &ranges, None), Order::default()) }
            .expect("submitted");
        drop(library);
        assert_eq!(RUN.load(Ordering::SeqCst), round);
        assert_eq!(
            failure("calls", machine.host).code,
            Errc::Build,
            "the function went with its library"
        );
    }
    others.store(false, Ordering::Relaxed);
    thread.join().expect("libraries can come and go");
}

#[test]
fn libraries_come_and_go_while_kernels_are_looked_up() {
    let machine = machine();
    let _app =
        Library::load(vec![kernel("busy", Traits { imports: &["fleeting"], ..Traits::default() })]);
    let device = machine.host;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                for _ in 0..300 {
                    drop(Library::load(vec![code(
                        "f",
                        Traits { exports: &["fleeting"], ..Traits::default() },
                    )]));
                }
            });
        }
        scope.spawn(move || {
            for _ in 0..600 {
                match find("busy", device) {
                    Ok(kernel) => assert_eq!(kernel.symbol(), "busy"),
                    Err(error) => assert!(
                        matches!(error.code, Errc::Build | Errc::Kernel),
                        "{}",
                        error.message
                    ),
                }
            }
        });
    });
}

#[test]
fn a_library_of_the_same_kernels_takes_over_when_the_first_goes() {
    let machine = machine();
    let first = Library::load(vec![kernel("shared", Traits::default())]);
    let second = Library::load(vec![kernel("shared", Traits::default())]);
    launch(find("shared", machine.host).expect("found"), &machine);
    drop(first);
    launch(find("shared", machine.host).expect("found in the second"), &machine);
    let _third = Library::load(vec![kernel("shared", Traits::default())]);
    drop(second);
    launch(find("shared", machine.host).expect("found in the third"), &machine);
}

#[test]
fn kernels_that_need_more_than_the_device_has_are_refused_unbuilt() {
    let machine = machine();
    let (fp16, fp64) = (&[Aspect::Fp16 as u32][..], &[Aspect::Fp64 as u32][..]);
    let broken = Some("error: nobody should build this");
    let needs = |name: &'static str, property: &'static str, words| {
        kernel(
            name,
            Traits { requirements: &[(property, words)], code: broken, ..Traits::default() },
        )
    };
    let _library = Library::load(vec![
        needs("half", "aspect", fp16),
        needs("wide", "reqd_sub_group_size", &[32]),
        needs("big", "reqd_work_group_size", &[64, 64]),
        needs("elsewhere", "fixed_target", &[Aspect::ExtIntelGpuBdw as u32]),
        needs("nowhere", "fixed_target", &[]),
        kernel("double", Traits { requirements: &[("aspect", fp64)], ..Traits::default() }),
    ]);
    let refused = |name: &str, sentence: &str| {
        let error = failure(name, machine.device);
        assert_eq!(error.code, Errc::KernelNotSupported);
        assert_eq!(error.message, format!("{sentence} (kernel '{name}', device 'null')"));
        assert_eq!(
            registry::is_compatible(name, 0, machine.device, BundleState::Executable),
            Ok(false)
        );
    };
    refused(
        "half",
        "Kernel uses optional feature corresponding to 'aspect::fp16' but device does not support \
         this aspect.",
    );
    refused(
        "wide",
        "Kernel has a required sub-group size of '32' but device does not support this sub-group \
         size.",
    );
    refused(
        "big",
        "Kernel has a required work-group size of '64, 64' but device does not support this \
         work-group size.",
    );
    refused(
        "elsewhere",
        "Kernel was compiled with '-fsycl-fixed-targets=intel_gpu_bdw' but was submitted to a \
         different device.",
    );
    refused(
        "nowhere",
        "Kernel was compiled with '-fsycl-fixed-targets=' but was submitted to a different device.",
    );
    find("double", machine.device).expect("a device that has what it needs");
    assert_eq!(
        registry::is_compatible("double", 0, machine.device, BundleState::Executable),
        Ok(true)
    );
    let known = registry::kernel_symbols();
    assert!(
        ["half", "wide", "double"]
            .iter()
            .all(|name| known.iter().any(|symbol| symbol.to_bytes() == name.as_bytes()))
    );
}

#[test]
fn what_a_kernel_is_linked_with_may_need_more_than_the_device_has() {
    let machine = machine();
    let fp16: &[(&str, &[u32])] = &[("aspect", &[Aspect::Fp16 as u32])];
    let _app = Library::load(vec![kernel(
        "links_half",
        Traits { imports: &["half_function"], ..Traits::default() },
    )]);
    let _half = Library::load(vec![code(
        "h",
        Traits { exports: &["half_function"], requirements: fp16, ..Traits::default() },
    )]);
    let error = failure("links_half", machine.device);
    assert_eq!(error.code, Errc::KernelNotSupported);
    assert!(error.message.starts_with(
        "Kernel uses optional feature corresponding to 'aspect::fp16' but device does not"
    ));
    assert!(error.message.contains("The kernel uses device code from '"), "{}", error.message);
    // A different definition that the device can run is preferred.
    let _plain =
        Library::load(vec![code("p", Traits { exports: &["half_function"], ..Traits::default() })]);
    find("links_half", machine.device).expect("linked with the other");
}

#[test]
fn an_image_that_was_filtered_out_tells_what_was_missing() {
    let machine = machine();
    let fp16: &[(&str, &[u32])] = &[("aspect", &[Aspect::Fp16 as u32])];
    let empty = |name, requirements| {
        kernel(
            name,
            Traits {
                requirements,
                format: Some(Format::Empty),
                code: Some(""),
                ..Traits::default()
            },
        )
    };
    let _library = Library::load(vec![empty("filtered", fp16), empty("no_code", &[])]);
    assert!(failure("filtered", machine.device).message.contains("'aspect::fp16'"));
    let error = failure("no_code", machine.device);
    assert_eq!(error.code, Errc::KernelNotSupported);
    assert!(error.message.starts_with("kernel 'no_code' on null: "), "{}", error.message);
}

#[test]
fn a_required_work_group_size_must_be_launched() {
    let machine = machine();
    let size: &[(&str, &[u32])] = &[("reqd_work_group_size", &[4, 8])];
    let image = image_with(
        &[("sized", row(8, Shape::NdRange))],
        &Traits { requirements: size, ..Traits::default() },
    );
    let _library = Library::load(vec![image]);
    let expected = Expected { functor_size: 8, shape: Shape::NdRange };
    let kernel = registry::kernel(
        "sized",
        0,
        None,
        expected,
        DeviceInContext { device: machine.device, context: 1 },
        &Constants::default(),
    )
    .expect("found");
    let required = kernel.work_group_size().expect("it requires a size");
    let ranges = |dims, local_size| Ranges {
        shape: Shape::NdRange,
        dims,
        global_size: [64, 64, 1],
        local_size,
        global_offset: [0; 3],
        group_size: local_size,
        cooperation: Default::default(),
    };
    ranges(2, [8, 4, 1])
        .check_required(required)
        .expect("the required size, fastest dimension first");
    let error = ranges(2, [4, 8, 1]).check_required(required).expect_err("turned round");
    assert_eq!(
        (error.code, &*error.message),
        (
            Errc::NdRange,
            "nd_range of global size {64, 64}, local size {8, 4}: the kernel has a required \
             work-group size of {4, 8}"
        )
    );
    assert_eq!(
        ranges(1, [32, 1, 1]).check_required(required).expect_err("one dimension").code,
        Errc::NdRange
    );

    // One work-item for each of 3 x 5 groups, whose size the program specifies.
    let hierarchical = |size| Ranges::new(&hierarchical(2, [5, 3, 1], size)).expect("a launch");
    let right = hierarchical([8, 4, 1]);
    assert_eq!((right.shape, right.local_size), (Shape::NdRange, [1; 3]));
    right.check_required(required).expect("the size that the program sees");
    let error =
        hierarchical([1; 3]).check_required(required).expect_err("the size that is launched");
    assert_eq!(error.code, Errc::NdRange);
}

/// Creates a launch of one work-item for each work-group of this size.
fn hierarchical(dims: u32, groups: [u64; 3], size: [u64; 3]) -> capi::KernelLaunch {
    capi::KernelLaunch {
        name: std::ptr::null(),
        tu: 0,
        slot: std::ptr::null_mut(),
        host: None,
        functor: std::ptr::null(),
        functor_size: 0,
        shape: SHAPE_HIERARCHICAL,
        dims,
        global_size: groups,
        local_size: size,
        global_offset: [0; 3],
        constants: std::ptr::null(),
        constant_count: 0,
        cooperation: 0,
        cluster: [0; 3],
    }
}

#[test]
fn kernels_of_a_driver_are_not_hierarchical() {
    let native = |shape| {
        let (args, arg_count) = (std::ptr::null(), 0);
        let (global_size, local_size, global_offset) = ([4, 1, 1], [2, 1, 1], [0; 3]);
        let kernel = std::ptr::null_mut();
        Ranges::of_native(&capi::NativeLaunch {
            kernel,
            args,
            arg_count,
            shape,
            dims: 1,
            global_size,
            local_size,
            global_offset,
        })
    };
    let ranges = native(Shape::NdRange as u32).expect("a launch");
    assert_eq!((ranges.local_size, ranges.group_size), ([2, 1, 1], [2, 1, 1]));
    let error = native(SHAPE_HIERARCHICAL).err().expect("no shape of such a kernel");
    assert!(
        error.message.contains("kernel shape 3 of a native kernel is unknown, expected 0 to 2"),
        "{}",
        error.message
    );
}

#[test]
fn hierarchical_work_groups_have_the_devices_limits() {
    let machine = Machine::with_device(|info| info.max_work_group_size = 64, 0, |_, _| Ok(()));
    let check = |groups: [u64; 3], size: [u64; 3]| {
        Ranges::new(&hierarchical(3, groups, size)).expect("a launch").check(machine.device)
    };
    check([1 << 40, 1, 1], [4, 4, 4]).expect("as many as there may be");
    for (groups, size) in [
        ([1; 3], [65, 1, 1]),
        ([1; 3], [1 << 32; 3]),
        ([1 << 60, 1, 1], [8, 1, 1]),
        ([1; 3], [0; 3]),
    ] {
        let error = check(groups, size).expect_err("too many, or none");
        assert_eq!(error.code, Errc::NdRange, "{}", error.message);
    }
    let error = check([2, 1, 3], [5, 1, 13]).expect_err("65");
    let expected = "{3, 1, 2} work-groups of size {13, 1, 5}: a work-group of 65 work-items \
        exceeds the limit of 64 on null";
    assert_eq!(error.message, expected);
}

#[test]
fn local_memory_is_limited_as_the_device_says() {
    let machine = Machine::with_device(|info| info.local_mem_size = 1000, 0, |_, _| Ok(()));
    let local = |offset| Param::pointer(ParamKind::Local, offset);
    let launch_row = KernelLaunch { params: vec![local(0), local(16)], ..row(32, TASK) };
    let _library = Library::load(vec![image_with(&[("greedy", launch_row)], &Traits::default())]);
    let expected = Expected { functor_size: 32, shape: TASK };
    let kernel = registry::kernel(
        "greedy",
        0,
        None,
        expected,
        DeviceInContext { device: machine.device, context: 1 },
        &Constants::default(),
    )
    .expect("found");
    let check = |first: u64, second: u64| {
        let functor: Vec<u8> =
            [0, first, 0, second].iter().flat_map(|word| word.to_ne_bytes()).collect();
        check_local_memory(&kernel, &functor, Shape::NdRange, machine.device)
    };
    check(600, 400).expect("as much as there is");
    let error = check(600, 401).expect_err("too much");
    assert_eq!(
        (error.code, &*error.message),
        (
            Errc::MemoryAllocation,
            "kernel 'greedy' needs 1001 bytes of local memory in each work-group, which exceeds \
             the limit of 1000 on null"
        )
    );
    assert!(check(u64::MAX, u64::MAX).is_err());
}
