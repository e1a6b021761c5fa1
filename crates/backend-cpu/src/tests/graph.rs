//! Tests order, errors and waiting.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::null::Random;
use scythe_hal::{Command, Device, Errc, Error, Event, HostWork, Status, Work};

use super::{context, device, enqueue, host_kernel, host_queue, queue};

/// One node of a random graph. It must run once, after its dependencies.
struct Task {
    runs: AtomicU32,
    complete: AtomicBool,
    deps: Vec<Arc<Task>>,
    wrong: Arc<AtomicUsize>,
}

impl Task {
    fn run(&self) {
        if self.deps.iter().any(|dep| !dep.complete.load(Ordering::Relaxed)) {
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.complete.store(true, Ordering::Relaxed);
    }
}

unsafe extern "C" fn run_task(functor: *const c_void, _: *const HostBox) {
    // SAFETY: the test keeps its tasks until all have run.
    unsafe { context::<Task>(functor) }.run();
}

/// A task and its event.
type Submitted = (Arc<Task>, Arc<dyn Event>);

#[test]
fn random_graphs_run_in_order_and_once() {
    for threads in [1, 2, 5] {
        let queue = queue(threads);
        let wrong = Arc::new(AtomicUsize::new(0));
        // The commands of all producers, so that graphs of different threads depend on each other.
        let known: Mutex<Vec<Submitted>> = Mutex::default();
        std::thread::scope(|scope| {
            for producer in 0..4u64 {
                let (queue, wrong, known) = (&queue, &wrong, &known);
                scope.spawn(move || {
                    let mut random = Random::new(0x1234_5678 + producer);
                    for step in 0..3000 {
                        let mut picked: Vec<Submitted> = Vec::new();
                        {
                            let known = known.lock().unwrap();
                            for _ in 0..random.below(if step % 100 == 0 { 40 } else { 5 }) {
                                if !known.is_empty() {
                                    let recent = known.len().min(1 + random.below(200));
                                    let (task, event) =
                                        &known[known.len() - 1 - random.below(recent)];
                                    picked.push((Arc::clone(task), Arc::clone(event)));
                                }
                            }
                        }
                        let (deps, events): (Vec<_>, Vec<_>) = picked.into_iter().unzip();
                        let task = Arc::new(Task {
                            runs: AtomicU32::new(0),
                            complete: AtomicBool::new(false),
                            deps,
                            wrong: Arc::clone(wrong),
                        });
                        let work = if random.below(50) == 0 {
                            let task = Arc::clone(&task);
                            HostWork::Task(Box::new(move || {
                                task.run();
                                Ok(())
                            }))
                        } else {
                            host_kernel(run_task, &*task, Shape::SingleTask, [1; 3], [1; 3])
                        };
                        let event = enqueue(queue, work, &events);
                        if random.below(100) == 0 {
                            event.wait().unwrap();
                            assert!(task.complete.load(Ordering::Relaxed));
                        }
                        known.lock().unwrap().push((task, event));
                    }
                });
            }
        });
        let known = known.into_inner().unwrap();
        for (task, event) in &known {
            event.wait().unwrap();
            assert_eq!(task.runs.load(Ordering::Relaxed), 1);
        }
        assert_eq!(wrong.load(Ordering::Relaxed), 0, "{threads} threads");
    }
}

unsafe extern "C" fn count(functor: *const c_void, _: *const HostBox) {
    // SAFETY: the tests keep their counters until all kernels have run.
    unsafe { context::<AtomicUsize>(functor) }.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn long_chains_use_neither_stack_nor_wake_ups() {
    let queue = queue(2);
    let counter = AtomicUsize::new(0);
    let gate = Arc::new(AtomicBool::new(false));
    let opened = Arc::clone(&gate);
    let first = enqueue(
        &queue,
        HostWork::Task(Box::new(move || {
            while !opened.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Ok(())
        })),
        &[],
    );
    let mut last = first;
    for i in 0..100_000 {
        let deps = std::slice::from_ref(&last);
        last = if i % 2 == 0 {
            enqueue(&queue, Work::Marker, deps)
        } else {
            let kernel = host_kernel(count, &counter, Shape::SingleTask, [1; 3], [1; 3]);
            enqueue(&queue, kernel, deps)
        };
    }
    assert_eq!(last.status(), Status::Submitted);
    gate.store(true, Ordering::Relaxed);
    last.wait().unwrap();
    assert_eq!(counter.load(Ordering::Relaxed), 50_000);
}

#[test]
fn failure_reaches_all_that_follow_and_runs_none_of_it() {
    let queue = queue(2);
    let error = Error::new(Errc::Runtime, "the task did not like it");
    let counter = AtomicUsize::new(0);
    let failing = {
        let error = error.clone();
        enqueue(
            &queue,
            HostWork::Task(Box::new(move || {
                std::thread::sleep(Duration::from_millis(5));
                Err(error)
            })),
            &[],
        )
    };
    let fine = enqueue(&queue, Work::Marker, &[]);
    let kernel = host_kernel(count, &counter, Shape::SingleTask, [1; 3], [1; 3]);
    let after = enqueue(&queue, kernel, &[fine.clone(), failing.clone()]);
    let marker = enqueue(&queue, Work::Marker, std::slice::from_ref(&after));
    assert_eq!(failing.wait(), Err(error.clone()));
    assert_eq!(after.wait(), Err(error.clone()));
    assert_eq!(marker.wait(), Err(error.clone()));
    // The same holds if the dependency has failed before the command is submitted.
    let late = host_kernel(count, &counter, Shape::SingleTask, [1; 3], [1; 3]);
    assert_eq!(enqueue(&queue, late, &[marker]).wait(), Err(error));
    assert_eq!(fine.wait(), Ok(()));
    assert_eq!(counter.load(Ordering::Relaxed), 0);
    let panicking = enqueue(&queue, HostWork::Task(Box::new(|| panic!("on purpose"))), &[]);
    assert_eq!(panicking.wait().unwrap_err().code, Errc::Runtime);
}

#[test]
fn callbacks_come_once_and_with_the_outcome() {
    let queue = queue(1);
    let (send, receive) = mpsc::channel();
    let failing =
        enqueue(&queue, HostWork::Task(Box::new(|| Err(Error::new(Errc::Kernel, "no")))), &[]);
    for _ in 0..2 {
        let send = send.clone();
        failing.on_complete(Box::new(move |outcome| send.send(outcome).unwrap()));
        let _ = failing.wait();
    }
    drop(send);
    let outcomes: Vec<_> = receive.iter().collect();
    assert_eq!(outcomes.len(), 2);
    assert!(
        outcomes.iter().all(|outcome| outcome.as_ref().is_err_and(|error| error.message == "no"))
    );
    // A callback that panics takes nothing else with it.
    let event = enqueue(&queue, HostWork::Task(Box::new(|| Ok(()))), &[]);
    event.on_complete(Box::new(|_| {
        if std::thread::current().name() == Some("scythe-host") {
            panic!("on purpose")
        }
    }));
    event.wait().unwrap();
    enqueue(&queue, HostWork::Task(Box::new(|| Ok(()))), &[]).wait().unwrap();
}

#[test]
fn host_tasks_hold_up_neither_kernels_nor_each_other() {
    let queue = queue(1);
    let (send, receive) = mpsc::channel::<()>();
    let waiting = enqueue(
        &queue,
        HostWork::Task(Box::new(move || {
            receive.recv().map_err(|_| Error::new(Errc::Runtime, "nobody sends"))
        })),
        &[],
    );
    let counter = AtomicUsize::new(0);
    let kernel = host_kernel(count, &counter, Shape::SingleTask, [1; 3], [1; 3]);
    enqueue(&queue, kernel, &[]).wait().unwrap();
    assert_eq!(waiting.status() as u32 & 2, 0, "the host task still waits");
    let sending = HostWork::Task(Box::new(move || {
        send.send(()).map_err(|_| Error::new(Errc::Runtime, "nobody listens"))
    }));
    enqueue(&queue, sending, &[]).wait().unwrap();
    waiting.wait().unwrap();
}

unsafe extern "C" fn sleep_100_ms(_: *const c_void, _: *const HostBox) {
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn submission_does_not_wait_and_independent_kernels_overlap() {
    let queue = queue(2);
    let nothing = ();
    enqueue(&queue, Work::Marker, &[]).wait().unwrap();
    let start = Instant::now();
    let slow = [(); 2].map(|()| {
        enqueue(&queue, host_kernel(sleep_100_ms, &nothing, Shape::SingleTask, [1; 3], [1; 3]), &[])
    });
    let submitted = start.elapsed();
    assert!(submitted < Duration::from_millis(50), "{submitted:?}");
    for event in slow {
        event.wait().unwrap();
    }
    assert!(start.elapsed() < Duration::from_millis(190), "{:?}", start.elapsed());
}

#[test]
fn profiling_gives_times_in_order() {
    let queue = host_queue(&device(2), true);
    let nothing = ();
    let first = enqueue(
        &queue,
        host_kernel(sleep_100_ms, &nothing, Shape::SingleTask, [1; 3], [1; 3]),
        &[],
    );
    let second = enqueue(&queue, Work::Marker, std::slice::from_ref(&first));
    second.wait().unwrap();
    let (a, b) = (first.times().unwrap(), second.times().unwrap());
    assert!(a.submit <= a.start && a.start + 99_000_000 <= a.end, "{a:?}");
    assert!(b.submit <= b.start && b.start <= b.end && a.end <= b.end, "{b:?}");
    let plain = enqueue(&self::queue(1), Work::Marker, &[]);
    assert_eq!(plain.times(), None);
}

#[test]
fn what_is_kept_is_dropped_after_the_work() {
    let queue = queue(2);
    let kept = Arc::new(());
    let nothing = ();
    let work = host_kernel(sleep_100_ms, &nothing, Shape::SingleTask, [1; 3], [1; 3]);
    let command = Command { work, deps: &[], keep: Some(Box::new(Arc::clone(&kept))) };
    // SAFETY: the kernel touches nothing.
    let event = unsafe { queue.enqueue_host(command) }.unwrap();
    assert_eq!(Arc::strong_count(&kept), 2);
    event.wait().unwrap();
    let end = Instant::now() + Duration::from_secs(5);
    while Arc::strong_count(&kept) > 1 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn events_and_kernels_of_other_backends_are_refused() {
    struct Foreign;
    impl Event for Foreign {
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
        fn status(&self) -> Status {
            Status::Complete
        }
        fn wait(&self) -> scythe_hal::Result<()> {
            Ok(())
        }
        fn on_complete(&self, f: Box<dyn FnOnce(scythe_hal::Result<()>) + Send>) {
            f(Ok(()));
        }
        fn times(&self) -> Option<scythe_hal::Times> {
            None
        }
    }
    let queue = queue(1);
    // SAFETY: the work touches nothing.
    let refused = unsafe { queue.enqueue(Command::new(Work::Marker, &[Arc::new(Foreign)])) };
    assert_eq!(refused.err().unwrap().code, Errc::BackendMismatch);
}

#[test]
fn senseless_thread_count_is_an_error_of_the_first_queue() {
    let device = crate::device::CpuDevice::new(
        crate::threads::worker_count(Some("lots")),
        &scythe_hal::compiler::NoCompiler,
    );
    assert!(device.info().max_compute_units >= 1);
    let error = device.create_queue(false).err().unwrap();
    assert!(
        error.message.contains("SCYTHE_CPU_THREADS") && error.message.contains("lots"),
        "{error}"
    );
}
