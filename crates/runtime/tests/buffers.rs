//! Tests of coherence, write-back and host accesses, one rule at a time.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Machine, access, buffer_on};
use scythe::copy::View;
use scythe::memory::coherence::{Access, HostAccess};
use scythe::memory::{Buffer, CallbackContext, Destination, Initial, Mode};
use scythe::queue::{Action, HostCall, Order, Queue};
use scythe_abi::capi;
use scythe_hal::Status;

fn machine() -> Machine {
    Machine::new(0, |_, _| Ok(()))
}

fn whole(buffer: &Buffer) -> View<'_> {
    let count = buffer.size / 4;
    let view = capi::View {
        buffer: std::ptr::null_mut(),
        ptr: std::ptr::null_mut(),
        elem_size: 4,
        memory_range: [count, 1, 1],
        offset: [0; 3],
        range: [count, 1, 1],
    };
    View::new("test", &view, Some(buffer)).expect("a view")
}

/// Fills the buffer with a command.
fn fill(queue: &Queue, buffer: &Buffer, value: u32) -> scythe::event::Node {
    let write = Access { buffer, mode: Mode::Write, no_init: true, native: false };
    let action =
        Action::Fill { dst: Box::new(whole(buffer)), pattern: value.to_ne_bytes().to_vec() };
    // SAFETY: the buffer waits for its commands before it is destroyed.
    unsafe { queue.submit(action, Order { accesses: &[write], ..Order::default() }) }
        .expect("submitted")
}

#[test]
fn the_last_release_waits_and_writes_back() {
    let machine = machine();
    for device in [machine.host, machine.device] {
        let queue = machine.queue(device, false);
        let mut data = vec![0; 100];
        let buffer = buffer_on(&mut data);
        fill(&queue, &buffer, 7);
        drop(buffer);
        assert_eq!(data, vec![7; 100]);
    }
}

#[test]
fn without_write_back_the_programs_memory_stays() {
    let machine = machine();
    for device in [machine.host, machine.device] {
        let queue = machine.queue(device, false);
        let mut data = vec![1; 10];
        let buffer = buffer_on(&mut data);
        buffer.set_write_back(false).expect("set");
        fill(&queue, &buffer, 7);
        drop(buffer);
        assert_eq!(data, vec![1; 10]);
    }
}

#[test]
fn contents_go_to_the_final_destination_only() {
    let machine = machine();
    let queue = machine.queue(machine.device, false);
    let (mut data, mut last) = (vec![1; 10], vec![0u32; 10]);
    let buffer = buffer_on(&mut data);
    buffer.set_destination(Destination::Address(last.as_mut_ptr().cast())).expect("set");
    fill(&queue, &buffer, 7);
    drop(buffer);
    assert_eq!((data, last), (vec![1; 10], vec![7; 10]));
}

#[test]
fn a_callback_gets_the_final_contents_and_its_context_ends_once() {
    static SUM: AtomicUsize = AtomicUsize::new(0);
    static ENDS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn write(
        _context: *mut std::ffi::c_void,
        data: *const std::ffi::c_void,
        size: u64,
    ) {
        // SAFETY: the runtime passes `size` bytes of contents.
        let numbers = unsafe { std::slice::from_raw_parts(data.cast::<u32>(), size as usize / 4) };
        SUM.store(numbers.iter().sum::<u32>() as usize, Ordering::SeqCst);
    }
    unsafe extern "C" fn end(_context: *mut std::ffi::c_void) {
        ENDS.fetch_add(1, Ordering::SeqCst);
    }
    let machine = machine();
    let queue = machine.queue(machine.device, false);
    // SAFETY: `Initial::None` contains no address.
    let buffer = unsafe { Buffer::new(40, Initial::None) }.expect("a buffer");
    for _ in 0..2 {
        let context = CallbackContext { ptr: std::ptr::null_mut(), destroy: Some(end) };
        buffer.set_destination(Destination::Call { function: write, context }).expect("set");
    }
    assert_eq!(ENDS.load(Ordering::SeqCst), 1, "the first callback was replaced");
    fill(&queue, &buffer, 3);
    drop(buffer);
    assert_eq!((SUM.load(Ordering::SeqCst), ENDS.load(Ordering::SeqCst)), (30, 2));
}

#[test]
fn constant_data_is_copied_and_never_written() {
    let machine = machine();
    let queue = machine.queue(machine.host, false);
    let data = vec![5u32; 10];
    // SAFETY: the data is copied during the call.
    let buffer = unsafe { Buffer::new(40, Initial::Copy(data.as_ptr().cast())) }.expect("a buffer");
    fill(&queue, &buffer, 7);
    let (held, address) = HostAccess::begin(&access(&buffer, Mode::Read)).expect("access");
    // SAFETY: the access provides the address of ten numbers.
    assert_eq!(unsafe { *address.cast::<u32>() }, 7);
    drop(held);
    drop(buffer);
    assert_eq!(data, vec![5; 10]);
}

#[test]
fn commands_wait_for_the_end_of_a_host_access() {
    let machine = machine();
    for device in [machine.host, machine.device] {
        let queue = machine.queue(device, true);
        let mut data = vec![0; 10];
        let buffer = buffer_on(&mut data);
        let (held, _) = HostAccess::begin(&access(&buffer, Mode::Read)).expect("access");
        let node = fill(&queue, &buffer, 9);
        let after = fill(&queue, &buffer, 10);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(node.event.status(), Status::Submitted);
        assert!(!queue.is_empty());
        assert!(!queue.is_busy(), "no backend has the command");
        drop(held);
        after.event.wait().expect("success");
        assert!(queue.is_empty());
        drop(buffer);
        assert_eq!(data, vec![10; 10]);
    }
}

#[test]
fn reading_commands_do_not_wait_for_a_reading_host() {
    let machine = machine();
    let queue = machine.queue(machine.host, false);
    let (mut data, mut copy) = (vec![3; 10], vec![0; 10]);
    let (from, to) = (buffer_on(&mut data), buffer_on(&mut copy));
    let (held, _) = HostAccess::begin(&access(&from, Mode::Read)).expect("access");
    let accesses = [access(&from, Mode::Read), access(&to, Mode::Write)];
    let action = Action::Copy { dst: Box::new(whole(&to)), src: Box::new(whole(&from)) };
    // SAFETY: the buffers wait for the command before they are destroyed.
    let node = unsafe { queue.submit(action, Order { accesses: &accesses, ..Order::default() }) }
        .expect("submitted");
    node.event.wait().expect("success");
    drop(held);
    drop((from, to));
    assert_eq!(copy, vec![3; 10]);
}

#[test]
fn sub_buffers_that_do_not_overlap_do_not_wait_for_each_other() {
    let machine = machine();
    let queue = machine.queue(machine.host, false);
    let mut data = vec![0; 20];
    let buffer = buffer_on(&mut data);
    let (low, high) = (buffer.view(0, 40).expect("a view"), buffer.view(40, 40).expect("a view"));
    let (held, _) = HostAccess::begin(&access(&low, Mode::ReadWrite)).expect("access");
    fill(&queue, &high, 1).event.wait().expect("not held up by the other half");
    let node = fill(&queue, &buffer, 2);
    assert_eq!(node.event.status(), Status::Submitted);
    drop(held);
    drop((low, high, buffer));
    assert_eq!(data, vec![2; 20]);
}

#[test]
fn a_view_beyond_its_buffer_is_an_error() {
    let mut data = vec![0; 10];
    let buffer = buffer_on(&mut data);
    let error = buffer.view(36, 8).err().expect("too long");
    assert_eq!(
        error.message,
        "a sub-buffer of 8 bytes from byte 36 does not fit its buffer of 40 bytes"
    );
    assert!(buffer.view(u64::MAX, 8).is_err());
}

#[test]
fn a_buffer_may_end_inside_the_host_task_that_uses_it() {
    unsafe extern "C" fn nothing(_context: *mut std::ffi::c_void) {}
    unsafe extern "C" fn end(context: *mut std::ffi::c_void) {
        // SAFETY: the context is a buffer from `Arc::into_raw`, and is destroyed once.
        drop(unsafe { Arc::from_raw(context.cast::<Buffer>()) });
    }
    let machine = machine();
    let queue = machine.queue(machine.device, false);
    let mut data = vec![0; 10];
    let buffer = buffer_on(&mut data);
    fill(&queue, &buffer, 4);
    let context = Arc::into_raw(buffer.clone());
    // SAFETY: the functions expect this type of context.
    let (call, commit) = unsafe { HostCall::new(nothing, Some(end), context.cast_mut().cast()) };
    let accesses = [access(&buffer, Mode::Read)];
    machine.host_backend.pause();
    // SAFETY: the context of the task keeps the buffer alive.
    unsafe {
        queue.submit(Action::HostTask(call), Order { accesses: &accesses, ..Order::default() })
    }
    .expect("submitted");
    commit.commit();
    drop(buffer);
    machine.host_backend.resume();
    queue.wait();
    for _ in 0..500 {
        if machine.device_backend.allocations() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(machine.device_backend.allocations(), 0);
    assert_eq!(data, vec![4; 10], "the contents were written back");
}

#[test]
fn boxes_of_different_shape_and_place_are_copied() {
    let machine = machine();
    let queue = machine.queue(machine.device, false);
    let mut data: Vec<u32> = (0..60).collect();
    let mut out = vec![0; 48];
    let (from, to) = (buffer_on(&mut data), buffer_on(&mut out));
    // The source is a box of 2×2×3 in 3 planes of 4 rows of 5 numbers.
    let src = capi::View {
        buffer: std::ptr::null_mut(),
        ptr: std::ptr::null_mut(),
        elem_size: 4,
        memory_range: [5, 4, 3],
        offset: [1, 2, 0],
        range: [2, 2, 3],
    };
    // The destination is a box of 4×3 in 6 rows of 8 numbers.
    let dst = capi::View { memory_range: [8, 6, 1], offset: [3, 1, 0], range: [4, 3, 1], ..src };
    let action = Action::Copy {
        dst: Box::new(View::new("test", &dst, Some(&to)).expect("a view")),
        src: Box::new(View::new("test", &src, Some(&from)).expect("a view")),
    };
    let accesses = [access(&from, Mode::Read), access(&to, Mode::ReadWrite)];
    // SAFETY: the buffers wait for the command before they are destroyed.
    unsafe { queue.submit(action, Order { accesses: &accesses, ..Order::default() }) }
        .expect("submitted");
    let fill = capi::View { memory_range: [8, 6, 1], offset: [0, 4, 0], range: [2, 2, 1], ..src };
    let action = Action::Fill {
        dst: Box::new(View::new("test", &fill, Some(&to)).expect("a view")),
        pattern: 99u32.to_ne_bytes().to_vec(),
    };
    let accesses = [access(&to, Mode::ReadWrite)];
    // SAFETY: the buffers wait for the command before they are destroyed.
    unsafe { queue.submit(action, Order { accesses: &accesses, ..Order::default() }) }
        .expect("submitted");
    drop((from, to));

    let mut expected = vec![0; 48];
    let picked: Vec<u32> = (0..3)
        .flat_map(|z| (2..4).flat_map(move |y| (1..3).map(move |x| z * 20 + y * 5 + x)))
        .collect();
    for (i, value) in picked.into_iter().enumerate() {
        expected[(1 + i / 4) * 8 + 3 + i % 4] = value;
    }
    for at in [32, 33, 40, 41] {
        expected[at] = 99;
    }
    assert_eq!(out, expected);
}
