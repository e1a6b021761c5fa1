//! Checks that every call of the C interface returns a result, or a status with a message that
//! describes the error.
//!
//! These tests use the device that programs use.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use scythe::capi::buffers::*;
use scythe::capi::devices::*;
use scythe::capi::queues::*;
use scythe::capi::registration::*;
use scythe::capi::submit::*;
use scythe::capi::usm::*;
use scythe_abi::capi::*;
use scythe_hal::Errc;

fn message() -> String {
    // SAFETY: the string lives until this thread's next failing call.
    unsafe { CStr::from_ptr(scythe::capi::scythe_last_error()) }.to_str().expect("UTF-8").to_owned()
}

/// Checks that the status is this error and that the message contains `text`.
#[track_caller]
fn fails(status: Status, code: Errc, text: &str) {
    assert_eq!(status, code as Status, "{}", message());
    assert!(message().contains(text), "'{text}' is not in: {}", message());
}

struct Session {
    device: DeviceHandle,
    context: ContextHandle,
    queue: QueueHandle,
}

impl Session {
    fn new(flags: u32) -> Self {
        let (mut device, mut context, mut queue) = (null_mut(), null_mut(), null_mut());
        // SAFETY: all addresses refer to local variables.
        unsafe {
            assert_eq!(scythe_device_get(null_mut(), 0, &mut device), 0, "{}", message());
            assert_eq!(scythe_context_create(&device, 1, &mut context), 0, "{}", message());
            assert_eq!(scythe_queue_create(context, device, flags, &mut queue), 0, "{}", message());
        }
        Self { device, context, queue }
    }

    fn submit(&self, command: &Command) -> Status {
        // SAFETY: the commands of the tests contain valid or null addresses, and the tests wait for
        // them.
        unsafe { scythe_submit(self.queue, command, null_mut()) }
    }

    fn wait(&self) {
        // SAFETY: the queue is live.
        assert_eq!(unsafe { scythe_queue_wait(self.queue) }, 0);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: each handle is released once.
        unsafe {
            scythe_queue_release(self.queue);
            scythe_context_release(self.context);
        }
    }
}

fn command(kind: u32, u: CommandUnion) -> Command {
    Command {
        kind,
        flags: 0,
        requirements: null(),
        requirement_count: 0,
        deps: null(),
        dep_count: 0,
        place: Place::UNKNOWN,
        u,
    }
}

fn memory(dst: *mut c_void, src: *const c_void, size: u64, pattern_size: u64) -> CommandUnion {
    CommandUnion { memory: Memory { dst, src, size, pattern_size, advice: 0 } }
}

unsafe extern "C" fn count_items(functor: *const c_void, host_box: *const HostBox) {
    // SAFETY: the functor contains the address of a counter, and the box is valid for the call.
    unsafe {
        let counter = *functor.cast::<*const std::sync::atomic::AtomicU64>();
        let b = &*host_box;
        let items: u64 = (0..3).map(|d| b.end[d] - b.begin[d]).product();
        (*counter).fetch_add(items, std::sync::atomic::Ordering::SeqCst);
    }
}

fn launch(shape: u32, dims: u32, global: [u64; 3], local: [u64; 3]) -> KernelLaunch {
    KernelLaunch {
        name: null(),
        tu: 0,
        slot: null_mut(),
        host: Some(count_items),
        functor: null(),
        functor_size: 0,
        shape,
        dims,
        global_size: global,
        local_size: local,
        global_offset: [0; 3],
        constants: null(),
        constant_count: 0,
        cooperation: 0,
        cluster: [0; 3],
    }
}

#[test]
fn null_handles_and_addresses_are_errors() {
    let mut count = 0u32;
    // SAFETY: the interface must handle null pointers.
    unsafe {
        fails(scythe_platform_count(null_mut()), Errc::Invalid, "'count' is null");
        fails(
            scythe_platform_info(null_mut(), 0, null_mut(), 0, null_mut()),
            Errc::Invalid,
            "platform handle is null",
        );
        fails(
            scythe_device_info(null_mut(), 0, null_mut(), 0, null_mut()),
            Errc::Invalid,
            "device handle is null",
        );
        fails(
            scythe_device_platform(null_mut(), null_mut()),
            Errc::Invalid,
            "device handle is null",
        );
        assert_eq!(scythe_device_has_aspect(null_mut(), 0), 0);
        fails(scythe_queue_wait(null_mut()), Errc::Invalid, "queue handle is null");
        fails(scythe_event_wait(null_mut()), Errc::Invalid, "event handle is null");
        fails(scythe_submit(null_mut(), null(), null_mut()), Errc::Invalid, "command is null");
        let empty = command(command_kind::EMPTY, memory(null_mut(), null(), 0, 0));
        fails(scythe_submit(null_mut(), &empty, null_mut()), Errc::Invalid, "queue handle is null");
        fails(scythe_buffer_create(null(), null_mut()), Errc::Invalid, "is null");
        fails(scythe_usm_free(null_mut(), null_mut()), Errc::Invalid, "context handle is null");
        scythe_queue_retain(null_mut());
        scythe_queue_release(null_mut());
        scythe_event_release(null_mut());
        scythe_context_release(null_mut());
        scythe_buffer_release(null_mut());
        scythe_buffer_set_final(null_mut(), null_mut(), None, null_mut(), None);
        scythe_host_access_end(null_mut());
        scythe_queue_drain_errors(null_mut(), None, null_mut());
        scythe_queue_leave_errors(null_mut(), None, None, null_mut());
        __tgt_register_lib(null_mut());
        __tgt_unregister_lib(null_mut());
        assert_eq!(scythe_kernel_known(null(), 0), 0);
        fails(scythe_kernel_find(null(), 0, null_mut()), Errc::Invalid, "'symbol' is null");
        fails(scythe_kernel_find(null(), 0, &mut null()), Errc::Invalid, "name");
        fails(
            scythe_kernel_list(None, null_mut()),
            Errc::Invalid,
            "callback for the list of kernels is null",
        );
        fails(
            scythe_kernel_compatible(null_mut(), null(), 0, 0, &mut 0),
            Errc::Invalid,
            "device handle is null",
        );
        assert_eq!(scythe_platform_count(&mut count), 0);
    }
    assert_eq!(count, 1);
}

#[test]
fn unknown_numbers_are_named() {
    let s = Session::new(0);
    let mut out = null_mut();
    // SAFETY: the handles are live, and the addresses refer to local variables.
    unsafe {
        fails(scythe_queue_create(s.context, s.device, 16, &mut out), Errc::Invalid, "flags 0x10");
        fails(
            scythe_kernel_compatible(s.device, c"none".as_ptr(), 0, 3, &mut 0),
            Errc::Invalid,
            "bundle state 3 is unknown",
        );
        fails(
            scythe_device_get(null_mut(), 77, &mut null_mut()),
            Errc::Invalid,
            "device 77 does not exist",
        );
        fails(
            scythe_device_info(s.device, 4711, null_mut(), 0, null_mut()),
            Errc::Invalid,
            "parameter 4711 is unknown",
        );
        let mut ptr = null_mut();
        fails(
            scythe_usm_alloc(s.context, s.device, 9, 1, 0, &mut ptr),
            Errc::Invalid,
            "kind 9 is unknown",
        );
        fails(
            scythe_usm_alloc(s.context, s.device, 0, 1, 3, &mut ptr),
            Errc::Invalid,
            "3 of an allocation is not",
        );
    }
    fails(
        s.submit(&command(99, memory(null_mut(), null(), 0, 0))),
        Errc::Invalid,
        "command kind 99",
    );
    let mut flagged = command(0, memory(null_mut(), null(), 0, 0));
    flagged.flags = 24;
    fails(s.submit(&flagged), Errc::Invalid, "flags 0x18");
    flagged.flags = 0;
    (flagged.dep_count, flagged.deps) = (u64::MAX, null());
    fails(s.submit(&flagged), Errc::Invalid, "'deps' gives");
}

#[test]
fn info_gives_size_and_as_much_as_fits() {
    let s = Session::new(0);
    let mut len = 0;
    let mut text = [0u8; 3];
    // SAFETY: the handles are live, and the addresses refer to local variables.
    unsafe {
        assert_eq!(scythe_device_info(s.device, device_param::NAME, null_mut(), 0, &mut len), 0);
        assert!(len > 3);
        assert_eq!(
            scythe_device_info(s.device, device_param::NAME, text.as_mut_ptr().cast(), 3, &mut len),
            0
        );
        assert!(text.iter().all(|&b| b != 0) && len > 3);
        for param in 0..=device_param::ASPECTS {
            assert_eq!(
                scythe_device_info(s.device, param, null_mut(), 0, &mut len),
                0,
                "parameter {param}"
            );
        }
        for param in device_param::ID..=device_param::GPU_HW_THREADS_PER_EU {
            let status = scythe_device_info(s.device, param, null_mut(), 0, &mut len);
            let expected = if param == device_param::FREE_MEMORY {
                0
            } else {
                Errc::FeatureNotSupported as i32
            };
            assert_eq!(status, expected, "parameter {param}");
        }
    }
}

#[test]
fn bad_ranges_are_refused_with_their_numbers() {
    let s = Session::new(0);
    let check = |launch: KernelLaunch, code: Errc, text: &str| {
        fails(
            s.submit(&command(command_kind::KERNEL, CommandUnion { kernel: launch })),
            code,
            text,
        );
    };
    check(
        launch(2, 2, [30, 64, 1], [8, 16, 1]),
        Errc::NdRange,
        "nd_range of global size {64, 30}, local size {16, 8}: in dimension 1 the local size 8 \
         does not divide the global \
         size 30",
    );
    check(launch(2, 1, [8, 1, 1], [0, 1, 1]), Errc::NdRange, "the local size in dimension 0 is 0");
    check(
        launch(2, 1, [1 << 40, 1, 1], [1 << 40, 1, 1]),
        Errc::NdRange,
        "1099511627776 exceeds the limit",
    );
    check(
        launch(1, 3, [1 << 40, 1 << 40, 1], [1; 3]),
        Errc::NdRange,
        "the number of work-items exceeds 2^63 - 1",
    );
    check(launch(1, 4, [1; 3], [1; 3]), Errc::Invalid, "4 dimensions");
    check(launch(1, 0, [1; 3], [1; 3]), Errc::Invalid, "0 dimensions");
    check(launch(7, 1, [1; 3], [1; 3]), Errc::Invalid, "shape 7 is unknown");
    check(launch(1, 1, [4, 2, 1], [1; 3]), Errc::Invalid, "unused dimension 1");
    check(launch(1, 1, [4, 1, 1], [4, 1, 1]), Errc::Invalid, "local size {4}, expected 1");
    check(launch(0, 1, [4, 1, 1], [1; 3]), Errc::Invalid, "single task has global size 4");
    let mut offset = launch(1, 1, [4, 1, 1], [1; 3]);
    offset.global_offset[0] = u64::MAX;
    check(offset, Errc::NdRange, "exceeds 2^63 - 1");
    let mut unknown = launch(1, 1, [4, 1, 1], [1; 3]);
    unknown.host = None;
    check(unknown, Errc::Invalid, "'kernel name' is null");
    unknown.name = c"_ZTS7Nowhere".as_ptr();
    check(unknown, Errc::Kernel, "no device image contains kernel '_ZTS7Nowhere'");
    unknown.functor_size = 8;
    check(unknown, Errc::Invalid, "'functor' gives 8 values");
}

#[test]
fn kernels_of_host_mode_run_every_item_and_empty_ranges_none() {
    let s = Session::new(queue_flags::IN_ORDER);
    let counter = std::sync::atomic::AtomicU64::new(0);
    let address = &raw const counter;
    for (shape, dims, global, local, items) in [
        (0, 1, [1, 1, 1], [1, 1, 1], 1),
        (1, 3, [100, 30, 7], [1, 1, 1], 21_000),
        (2, 2, [64, 8, 1], [8, 2, 1], 32),
        (1, 1, [0, 1, 1], [1, 1, 1], 0),
    ] {
        let mut kernel = launch(shape, dims, global, local);
        (kernel.functor, kernel.functor_size) = ((&raw const address).cast(), 8);
        assert_eq!(
            s.submit(&command(command_kind::KERNEL, CommandUnion { kernel })),
            0,
            "{}",
            message()
        );
        s.wait();
        assert_eq!(counter.swap(0, std::sync::atomic::Ordering::SeqCst), items);
    }
}

#[test]
fn memory_commands_check_and_work() {
    let s = Session::new(queue_flags::IN_ORDER | queue_flags::PROFILING);
    let (mut ptr, mut kind, mut device) = (null_mut::<c_void>(), 0, null_mut());
    let mut back = [0u16; 100];
    // SAFETY: the handles are live. Allocations and variables outlive the commands, because the
    // test waits for them.
    unsafe {
        assert_eq!(scythe_usm_alloc(s.context, s.device, usm_kind::SHARED, 200, 0, &mut ptr), 0);
        assert_eq!(ptr as usize % 128, 0);
        let middle = ptr.cast::<u8>().add(150).cast();
        assert_eq!(scythe_usm_query(s.context, middle, &mut kind, &mut device), 0);
        assert_eq!((kind, device), (usm_kind::SHARED, s.device));
        assert_eq!(
            scythe_usm_query(s.context, (&raw const back).cast(), &mut kind, &mut device),
            0
        );
        assert_eq!((kind, device), (usm_kind::UNKNOWN, null_mut()));

        let pattern = 0x1234u16;
        let pattern = (&raw const pattern).cast();
        fails(
            s.submit(&command(4, memory(ptr, pattern, 201, 2))),
            Errc::Invalid,
            "fill of 201 bytes with a pattern of 2",
        );
        fails(
            s.submit(&command(4, memory(ptr, pattern, 200, 0))),
            Errc::Invalid,
            "pattern of 0 bytes",
        );
        fails(
            s.submit(&command(4, memory(null_mut(), pattern, 200, 2))),
            Errc::Invalid,
            "null address",
        );
        fails(
            s.submit(&command(3, memory(null_mut(), ptr, 1, 0))),
            Errc::Invalid,
            "memcpy of 1 bytes",
        );
        fails(
            s.submit(&command(3, memory(ptr, ptr, u64::MAX, 0))),
            Errc::Invalid,
            "18446744073709551615 bytes",
        );
        assert_eq!(s.submit(&command(4, memory(ptr, pattern, 200, 2))), 0);
        assert_eq!(s.submit(&command(8, memory(ptr, null(), 200, 0))), 0);
        assert_eq!(s.submit(&command(9, memory(ptr, null(), 200, 0))), 0);
        let mut event = null_mut();
        let copy = command(3, memory(back.as_mut_ptr().cast(), ptr, 200, 0));
        assert_eq!(scythe_submit(s.queue, &copy, &mut event), 0);
        assert_eq!(scythe_event_wait(event), 0);
        assert_eq!(scythe_event_status(event), 2);
        let mut times = [0; 3];
        for (param, time) in times.iter_mut().enumerate() {
            assert_eq!(scythe_event_profiling(event, param as u32, time), 0, "{}", message());
        }
        assert!(times[0] <= times[1] && times[1] <= times[2], "{times:?}");
        fails(
            scythe_event_profiling(event, 3, &mut times[0]),
            Errc::Invalid,
            "parameter 3 is unknown",
        );
        scythe_event_release(event);
        assert_eq!(back, [0x1234; 100]);

        fails(
            scythe_usm_free(s.context, ptr.cast::<u8>().add(1).cast()),
            Errc::Invalid,
            "not the start",
        );
        assert_eq!(scythe_usm_free(s.context, ptr), 0);
        fails(scythe_usm_free(s.context, ptr), Errc::Invalid, "not the start of a live allocation");
        assert_eq!(scythe_usm_free(s.context, null_mut()), 0);
        assert_eq!(
            scythe_usm_alloc(s.context, s.device, usm_kind::DEVICE, usize::MAX / 2, 0, &mut ptr),
            0
        );
        assert!(ptr.is_null(), "exhausted memory is null, not an error");
    }
}

#[test]
fn profiling_needs_its_queue_property() {
    let s = Session::new(0);
    let mut event = null_mut();
    // SAFETY: the handles are live, and the addresses refer to local variables.
    unsafe {
        let empty = command(0, memory(null_mut(), null(), 0, 0));
        assert_eq!(scythe_submit(s.queue, &empty, &mut event), 0);
        fails(scythe_event_profiling(event, 0, &mut 0), Errc::Invalid, "enable_profiling");
        scythe_event_release(event);
    }
}

#[test]
fn bad_buffers_and_accesses_are_refused() {
    let s = Session::new(0);
    let (mut buffer, mut sub, mut data, mut access) =
        (null_mut(), null_mut(), null_mut(), null_mut());
    let desc = BufferDesc { size: 40, elem_size: 4, host_data: null_mut(), flags: 0, reserved: 0 };
    // SAFETY: the handles are live, and the addresses refer to local variables.
    unsafe {
        let bad = BufferDesc { flags: 64, ..desc };
        fails(scythe_buffer_create(&bad, &mut buffer), Errc::Invalid, "flags 0x40");
        let bad = BufferDesc { elem_size: 0, ..desc };
        fails(scythe_buffer_create(&bad, &mut buffer), Errc::Invalid, "element size of 0 bytes");
        let bad = BufferDesc { size: u64::MAX, elem_size: 1, ..desc };
        fails(scythe_buffer_create(&bad, &mut buffer), Errc::Invalid, "too large");
        assert_eq!(scythe_buffer_create(&desc, &mut buffer), 0, "{}", message());
        fails(scythe_buffer_create_sub(buffer, 30, 11, &mut sub), Errc::Invalid, "does not fit");
        fails(
            scythe_host_access_begin(buffer, 3, 0, &mut data, &mut access),
            Errc::Accessor,
            "mode 3 is unknown",
        );

        let view = View {
            buffer,
            ptr: null_mut(),
            elem_size: 4,
            memory_range: [10, 1, 1],
            offset: [0; 3],
            range: [10, 1, 1],
        };
        let fill = |dst: View, pattern: *const c_void| {
            s.submit(&command(
                command_kind::FILL_VIEW,
                CommandUnion { fill: Fill { dst, pattern } },
            ))
        };
        let seven = 7u32;
        let seven: *const c_void = (&raw const seven).cast();
        fails(fill(view, seven), Errc::Invalid, "the command group does not require");
        fails(
            fill(View { offset: [1, 0, 0], ..view }, seven),
            Errc::Invalid,
            "[1, 1, 10] from [0, 0, 1] of [1, 1, 10]",
        );
        fails(
            fill(View { memory_range: [11, 1, 1], ..view }, seven),
            Errc::Invalid,
            "exceed the buffer's 40 bytes",
        );
        fails(
            fill(View { buffer: null_mut(), ..view }, seven),
            Errc::Invalid,
            "expected a buffer or an address",
        );
        let huge = View { memory_range: [1 << 40, 1 << 40, 1], ..view };
        fails(fill(huge, seven), Errc::Invalid, "exceed the address space");
        fails(fill(view, null()), Errc::Invalid, "'pattern' gives 4 values");
        let requirement = Requirement { buffer: null_mut(), mode: 0, flags: 0 };
        let mut empty = command(0, memory(null_mut(), null(), 0, 0));
        (empty.requirements, empty.requirement_count) = (&requirement, 1);
        fails(s.submit(&empty), Errc::Invalid, "buffer handle is null");
        scythe_buffer_release(buffer);
    }
}

#[test]
fn a_failed_submission_leaves_a_host_tasks_context_to_the_caller() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    static ENDS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn call(_: *mut c_void) {
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    unsafe extern "C" fn end(_: *mut c_void) {
        ENDS.fetch_add(1, Ordering::SeqCst);
    }
    let s = Session::new(queue_flags::IN_ORDER);
    let task = HostTask { call: Some(call), destroy: Some(end), ctx: null_mut() };
    let mut bad = command(command_kind::HOST_TASK, CommandUnion { host_task: task });
    bad.flags = 16;
    fails(s.submit(&bad), Errc::Invalid, "flags 0x10");
    let none = HostTask { call: None, ..task };
    fails(
        s.submit(&command(command_kind::HOST_TASK, CommandUnion { host_task: none })),
        Errc::Invalid,
        "the function of the host task is null",
    );
    assert_eq!(ENDS.load(Ordering::SeqCst), 0);
    for _ in 0..100 {
        assert_eq!(
            s.submit(&command(command_kind::HOST_TASK, CommandUnion { host_task: task })),
            0
        );
    }
    s.wait();
    assert_eq!(CALLS.load(Ordering::SeqCst), 100);
    for _ in 0..500 {
        if ENDS.load(Ordering::SeqCst) == 100 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(ENDS.load(Ordering::SeqCst), 100);
}
