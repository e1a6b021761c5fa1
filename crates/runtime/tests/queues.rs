//! Tests of the order and the errors of queues.

mod common;

use std::ffi::c_void;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use common::{Library, Machine, image, row};
use scythe::event::Node;
use scythe::launch::Ranges;
use scythe::queue::{Action, HostCall, Order, Queue};
use scythe::registry::{self, Constants, DeviceInContext, Expected};
use scythe::{Errc, Error};
use scythe_abi::launch::Shape;
use scythe_hal::Status;

type Log = Arc<Mutex<Vec<u64>>>;

/// Creates backends whose kernels log their number, and fail for number 13.
fn machine(seed: u64) -> (Machine, Log) {
    let log: Log = Arc::default();
    let seen = log.clone();
    let machine = Machine::new(seed, move |_, work| {
        let number = common::word(work.functor.as_ptr(), 0) as u64;
        if number == 13 {
            return Err(Error::new(Errc::Runtime, "thirteen failed"));
        }
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(number);
        Ok(())
    });
    (machine, log)
}

/// Loads the kernel once for all tests: unloading it in one test would drop commands of another.
fn load() {
    static LIBRARY: OnceLock<Mutex<Library>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        Mutex::new(Library::load(vec![image(&[("numbered", row(8, Shape::SingleTask))])]))
    });
}

fn launch(queue: &Queue, number: u64, order: Order<'_>) -> Node {
    let expected = Expected { functor_size: 8, shape: Shape::SingleTask };
    let kernel = registry::kernel(
        "numbered",
        0,
        None,
        expected,
        DeviceInContext { device: queue.device, context: 1 },
        &Constants::default(),
    )
    .expect("the kernel");
    let ranges = Ranges::of(Shape::SingleTask, 1, [[1; 3], [1; 3], [0; 3]]).expect("a launch");
    // SAFETY: the functor contains no address.
    unsafe { queue.submit(Action::kernel(kernel, &number.to_ne_bytes(), &ranges, None), order) }
        .expect("submitted")
}

fn take(log: &Log) -> Vec<u64> {
    std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner))
}

#[test]
fn an_in_order_queue_keeps_the_order_across_backends() {
    unsafe extern "C" fn push(context: *mut c_void) {
        // SAFETY: the context is the address of a log that the test keeps alive.
        let log = unsafe { &*context.cast::<Log>() };
        log.lock().unwrap_or_else(PoisonError::into_inner).push(1000);
    }
    load();
    for seed in 1..30 {
        let (machine, log) = machine(seed);
        let queue = machine.queue(machine.device, true);
        let mut expected = Vec::new();
        for number in 20..60 {
            if number % 5 == 0 {
                // SAFETY: the test waits for the queue below, and the log outlives that wait.
                let (call, commit) =
                    unsafe { HostCall::new(push, None, (&raw const log).cast_mut().cast()) };
                // SAFETY: the test waits for the queue below, and the log outlives that wait.
                unsafe { queue.submit(Action::HostTask(call), Order::default()) }
                    .expect("submitted");
                commit.commit();
                expected.push(1000);
            } else {
                launch(&queue, number, Order::default());
                expected.push(number);
            }
        }
        queue.wait();
        assert_eq!(take(&log), expected, "seed {seed}");
    }
}

#[test]
fn events_and_barriers_order_an_out_of_order_queue() {
    load();
    for seed in 1..50 {
        let (machine, log) = machine(seed);
        let queue = machine.queue(machine.host, false);
        machine.host_backend.pause();
        let first: Vec<Node> =
            (1..5).map(|number| launch(&queue, number, Order::default())).collect();
        launch(&queue, 5, Order { events: &first, ..Order::default() });
        // SAFETY: a marker contains no address.
        unsafe { queue.submit(Action::Marker, Order { barrier: true, ..Order::default() }) }
            .expect("submitted");
        launch(&queue, 6, Order::default());
        launch(&queue, 7, Order::default());
        machine.host_backend.resume();
        queue.wait();
        let seen = take(&log);
        assert_eq!(seen[4], 5, "seed {seed}: {seen:?}");
        assert!(seen[5..].iter().all(|&number| number > 5), "seed {seed}: {seen:?}");
    }
}

#[test]
fn a_failure_is_collected_once_and_drops_what_depends_on_it() {
    load();
    for in_order in [false, true] {
        let (machine, log) = machine(0);
        let queue = machine.queue(machine.host, in_order);
        machine.host_backend.pause();
        let failed = launch(&queue, 13, Order::default());
        for number in 1..4 {
            launch(
                &queue,
                number,
                Order { events: std::slice::from_ref(&failed), ..Order::default() },
            );
        }
        assert!(queue.take_errors().is_empty());
        machine.host_backend.resume();
        queue.wait();
        assert!(take(&log).is_empty());
        assert_eq!(queue.take_errors(), vec![Error::new(Errc::Runtime, "thirteen failed")]);
        assert!(queue.take_errors().is_empty(), "errors are handed over once");
        let late = launch(&queue, 4, Order { events: &[failed], ..Order::default() });
        assert!(late.event.wait().is_err(), "also when the event has failed before");
        queue.wait();
        assert_eq!(queue.take_errors().len(), 1);
        launch(&queue, 5, Order::default());
        queue.wait();
        assert_eq!(take(&log), vec![5], "the queue goes on");
    }
}

#[test]
fn a_failure_crosses_backends() {
    load();
    let (machine, log) = machine(0);
    let (here, there) = (machine.queue(machine.host, false), machine.queue(machine.device, false));
    let failed = launch(&here, 13, Order::default());
    let node = launch(&there, 1, Order { events: &[failed], ..Order::default() });
    assert_eq!(node.event.wait(), Err(Error::new(Errc::Runtime, "thirteen failed")));
    assert_eq!(there.take_errors().len(), 1);
    assert!(take(&log).is_empty());
}

#[test]
fn submission_does_not_wait_and_memory_stays_bounded() {
    load();
    let (machine, log) = machine(0);
    for in_order in [false, true] {
        let queue = machine.queue(machine.host, in_order);
        machine.host_backend.pause();
        let node = launch(&queue, 1, Order::default());
        assert_eq!(node.event.status(), Status::Submitted);
        machine.host_backend.resume();
        for number in 0..2000 {
            launch(&queue, 100 + number, Order::default());
            if number % 100 == 0 {
                queue.wait();
                assert!(queue.is_empty());
            }
        }
        queue.wait();
        assert_eq!(take(&log).len(), 2001);
    }
}

#[test]
fn a_queue_may_go_before_its_commands_complete() {
    load();
    let (machine, log) = machine(0);
    let queue = machine.queue(machine.host, true);
    machine.host_backend.pause();
    let node = launch(&queue, 2, Order::default());
    drop(queue);
    machine.host_backend.resume();
    node.event.wait().expect("success");
    std::thread::sleep(Duration::from_millis(1));
    assert_eq!(take(&log), vec![2]);
}
