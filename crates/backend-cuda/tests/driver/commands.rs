//! Tests commands: kernels run for every work-item, copies and fills change the right memory, and
//! events report the right state.

use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::fake::{Fake, enqueue, kernel, launch};
use scythe_abi::launch::Shape;
use scythe_hal::{
    BuildRequest, Command, Cooperation, CopyBox, Device, Errc, Event, Hint, Occupancy, Status,
    UsmKind, Work,
};
use scythe_image::Format;

/// Returns memory of the fake device, which is also host memory.
fn words(device: &Arc<dyn Device>, count: usize) -> &'static mut [u32] {
    let at = device.alloc(UsmKind::Device, 4 * count, 256).expect("memory");
    // SAFETY: the memory has the requested size and is never freed.
    let words = unsafe { std::slice::from_raw_parts_mut(at.cast::<u32>(), count) };
    words.fill(0);
    words
}

#[test]
fn kernels_run_once_for_each_work_item() {
    let fake = Fake::new();
    // A small limit of the grid, so that larger ranges need several launches.
    let device = fake.set("grid_y", 3).device();
    let queue = device.create_queue(false).unwrap();
    let (range, groups) =
        (kernel(&device, "count", Shape::Range, 0), kernel(&device, "count", Shape::NdRange, 0));
    let task = kernel(&device, "count", Shape::SingleTask, 0);
    for (kernel, global, local, offset) in [
        (&range, &[1000][..], &[][..], &[][..]),
        (&range, &[1], &[], &[]),
        (&range, &[70_000], &[], &[5]),
        (&range, &[33, 7], &[], &[2, 3]),
        (&range, &[1, 4096], &[], &[]),
        (&range, &[5, 97, 3], &[], &[1, 0, 7]),
        (&range, &[64, 60, 13], &[], &[]),
        (&groups, &[64, 40], &[8, 4], &[]),
        (&groups, &[6, 6, 6], &[3, 2, 1], &[10, 20, 30]),
        (&task, &[1], &[], &[]),
    ] {
        let seen = words(&device, global.iter().product::<u64>() as usize);
        let work = launch(kernel, seen.as_mut_ptr().cast(), &[], global, local, offset);
        enqueue(&queue, work, &[]).unwrap().wait().unwrap();
        assert!(seen.iter().all(|&n| n == 1), "{global:?} {local:?} {offset:?}");
    }
}

#[test]
fn generic_code_is_translated() {
    let fake = Fake::new();
    let device = fake.device();
    assert!(device.build(&BuildRequest::new(b"BC", Format::LlvmBitcode)).is_ok());
    let error = device.build(&BuildRequest::new(b"XX", Format::LlvmBitcode)).err().unwrap();
    assert_eq!(error.message, "no device code");
}

#[test]
fn a_chain_of_kernels_needs_no_events() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let kernel = kernel(&device, "count", Shape::SingleTask, 0);
    let seen = words(&device, 1);
    let mut last: Vec<Arc<dyn Event>> = Vec::new();
    for _ in 0..1000 {
        let work = launch(&kernel, seen.as_mut_ptr().cast(), &[], &[1], &[], &[]);
        let event = enqueue(&queue, work, &last).unwrap();
        event.abandon();
        last = vec![event];
    }
    assert_eq!((fake.get("records"), fake.get("waits")), (0, 0));
    last[0].wait().unwrap();
    assert_eq!((last[0].status(), seen[0]), (Status::Complete, 1000));
    assert_eq!(fake.get("records"), 0);
}

#[test]
fn launches_in_order_use_one_event_unless_somebody_keeps_it() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_in_order_queue(false).unwrap().expect("a queue of its own");
    let kernel = kernel(&device, "count", Shape::SingleTask, 0);
    let seen = words(&device, 1);
    let submit = |last: &mut Option<Arc<dyn Event>>| {
        let Work::Kernel(work) =
            launch(&kernel, seen.as_ptr().cast_mut().cast(), &[], &[1], &[], &[])
        else {
            unreachable!("a kernel was asked for")
        };
        // SAFETY: the memory is never freed.
        unsafe { queue.launch(&work.view(), last) }
    };
    assert!(submit(&mut None).is_none(), "the queue has no stream yet");
    let mut last = Some(
        enqueue(&queue, launch(&kernel, seen.as_ptr().cast_mut().cast(), &[], &[1], &[], &[]), &[])
            .unwrap(),
    );
    let first = Arc::as_ptr(last.as_ref().unwrap());
    for _ in 0..100 {
        submit(&mut last).expect("the short way").unwrap();
        last.as_ref().unwrap().abandon();
        assert!(std::ptr::addr_eq(first, Arc::as_ptr(last.as_ref().unwrap())));
    }
    assert_eq!((fake.get("records"), fake.get("waits"), fake.get("launches")), (1, 0, 101));
    fake.set("pending", 1);
    let kept = last.clone().unwrap();
    submit(&mut last).expect("the short way").unwrap();
    assert!(!Arc::ptr_eq(&kept, last.as_ref().unwrap()));
    assert_eq!(
        (kept.status(), last.as_ref().unwrap().status()),
        (Status::Running, Status::Running)
    );
    last.unwrap().wait().unwrap();
    assert_eq!((kept.status(), seen[0]), (Status::Complete, 102));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| submit(&mut None).expect("the short way"));
        assert_eq!(other.join().unwrap(), Ok(()));
    });
    assert_eq!(fake.get("launches"), 103, "a thread without a context gets it");
    let over = enqueue(&queue, Work::Marker, &[]).unwrap();
    assert!(submit(&mut Some(over)).is_none(), "what was never in a stream is not followed there");
    let timed = device.create_in_order_queue(true).unwrap().expect("a queue of its own");
    enqueue(&timed, launch(&kernel, seen.as_mut_ptr().cast(), &[], &[1], &[], &[]), &[]).unwrap();
    let Work::Kernel(work) = launch(&kernel, seen.as_mut_ptr().cast(), &[], &[1], &[], &[]) else {
        return;
    };
    assert!(
        // SAFETY: the memory is never freed.
        unsafe { timed.launch(&work.view(), &mut None) }.is_none(),
        "commands that are timed have two events"
    );
}

#[test]
fn independent_launches_wait_for_nothing() {
    let fake = Fake::new();
    let device = fake.set("pending", 1).device();
    let queue = device.create_queue(false).unwrap();
    let kernel = kernel(&device, "count", Shape::SingleTask, 0);
    let seen = words(&device, 1);
    let before = fake.get("streams");
    for _ in 0..100 {
        let Work::Kernel(work) = launch(&kernel, seen.as_mut_ptr().cast(), &[], &[1], &[], &[])
        else {
            return;
        };
        let mut event = None;
        // SAFETY: the memory is never freed.
        unsafe { queue.launch(&work.view(), &mut event) }.expect("the short way").unwrap();
        event.expect("an event").abandon();
    }
    assert_eq!((fake.get("records"), fake.get("waits"), fake.get("launches")), (0, 0, 100));
    assert_eq!(fake.get("streams") - before, 8);
}

#[test]
fn an_event_that_somebody_keeps_ends_before_what_follows_it() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let kernel = kernel(&device, "count", Shape::SingleTask, 0);
    let seen = words(&device, 1);
    let submit = |deps: &[Arc<dyn Event>]| {
        enqueue(&queue, launch(&kernel, seen.as_ptr().cast_mut().cast(), &[], &[1], &[], &[]), deps)
            .unwrap()
    };
    let first = submit(&[]);
    let second = submit(std::slice::from_ref(&first));
    assert_eq!(fake.get("records"), 1, "behind the first, since the test keeps its event");
    fake.set("pending", 1);
    assert_eq!(first.status(), Status::Running);
    fake.set("pending", 0);
    assert_eq!((first.status(), second.wait()), (Status::Complete, Ok(())));
}

#[test]
fn commands_of_different_streams_wait_for_each_other() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let kernel = kernel(&device, "count", Shape::SingleTask, 0);
    let seen = words(&device, 2);
    fake.set("pending", 1);
    let before = fake.get("streams");
    let mut branch = |at: usize| {
        let work = launch(&kernel, (&raw mut seen[at..][0]).cast(), &[], &[1], &[], &[]);
        enqueue(&queue, work, &[]).unwrap()
    };
    let (one, two) = (branch(0), branch(1));
    assert_eq!(fake.get("streams") - before, 2, "independent commands may run at the same time");
    let joined = enqueue(&queue, Work::Marker, &[one.clone(), two]).unwrap();
    assert_eq!(fake.get("waits"), 1, "one follows in its stream, the other is waited for");
    let (send, receive) = channel();
    joined.on_complete(Box::new(move |result| send.send(result).expect("the test listens")));
    assert!(receive.try_recv().is_err());
    fake.set("pending", 0);
    assert_eq!(receive.recv().expect("the command ends"), Ok(()));
    assert_eq!(joined.status(), Status::Complete);
    assert_eq!(enqueue(&queue, Work::Marker, &[joined]).unwrap().status(), Status::Complete);
}

#[test]
fn in_order_queues_keep_to_their_own_streams() {
    let fake = Fake::new();
    let device = fake.device();
    let [one, two] =
        [(); 2].map(|()| device.create_in_order_queue(false).unwrap().expect("one of its own"));
    let kernel = kernel(&device, "count", Shape::SingleTask, 0);
    let seen = words(&device, 1);
    let work = || launch(&kernel, seen.as_ptr().cast_mut().cast(), &[], &[1], &[], &[]);
    let before = fake.get("streams");
    fake.set("pending", 1);
    let first = enqueue(&one, work(), &[]).unwrap();
    let second = enqueue(&two, work(), std::slice::from_ref(&first)).unwrap();
    assert_eq!(
        (fake.get("streams") - before, fake.get("waits")),
        (2, 1),
        "the second waits in its own stream"
    );
    let third = enqueue(&two, work(), &[second]).unwrap();
    assert_eq!((fake.get("streams") - before, fake.get("waits")), (2, 1), "and is followed there");
    fake.set("pending", 0);
    assert_eq!(third.wait(), Ok(()));
}

#[test]
fn memory_is_copied_and_filled() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let run = |work: Work| enqueue(&queue, work, &[]).unwrap().wait().unwrap();
    let at = device.alloc(UsmKind::Shared, 4096, 1024).unwrap();
    assert!((at as usize).is_multiple_of(1024));
    // SAFETY: the memory has the requested size.
    let bytes = unsafe { std::slice::from_raw_parts_mut(at.cast::<u8>(), 4096) };
    for pattern in [vec![7], vec![1, 2], vec![1, 2, 3, 4], vec![1, 2, 3], (0..16).collect()] {
        bytes.fill(255);
        let count = 4000 / pattern.len();
        run(Work::Fill { dst: at, pattern: pattern.clone(), count });
        let filled = count * pattern.len();
        assert!(bytes[..filled].chunks(pattern.len()).all(|chunk| chunk == pattern), "{pattern:?}");
        assert!(bytes[filled..].iter().all(|&b| b == 255), "{pattern:?}");
    }
    for plane_pitch in [64, 72, 40] {
        let mut to = vec![0u8; 1024];
        bytes.iter_mut().enumerate().for_each(|(i, b)| *b = (i % 251) as u8);
        let region = CopyBox {
            width: 5,
            rows: 4,
            planes: 3,
            src_row_pitch: 16,
            src_plane_pitch: plane_pitch,
            dst_row_pitch: 8,
            dst_plane_pitch: 32,
        };
        run(Work::CopyRect { dst: to.as_mut_ptr().cast(), src: at, region });
        for (plane, row, x) in
            (0..3).flat_map(|p| (0..4).flat_map(move |r| (0..5).map(move |x| (p, r, x))))
        {
            assert_eq!(
                to[plane * 32 + row * 8 + x],
                bytes[plane * plane_pitch + row * 16 + x],
                "{plane_pitch}"
            );
        }
        assert!((0..1024).filter(|i| i % 8 >= 5).all(|i| to[i] == 0));
    }
    // SAFETY: no command uses the memory any more.
    unsafe { device.free(UsmKind::Shared, at) };
    assert_eq!(fake.get("frees"), 1);
}

#[test]
fn hints_reach_the_driver_and_never_fail() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let ptr = device.alloc(UsmKind::Shared, 4096, 64).unwrap();
    for (hint, size) in [
        (Hint::Prefetch, 4096),
        (Hint::Prefetch, 0),
        (Hint::Advice(3), 4096),
        (Hint::Advice(99), 4096),
    ] {
        enqueue(&queue, Work::Hint { ptr, size, hint }, &[]).unwrap().wait().unwrap();
    }
    assert_eq!((fake.get("prefetches"), fake.get("advises")), (1, 2));
}

#[test]
fn profiled_commands_tell_their_times() {
    let fake = Fake::new();
    let device = fake.device();
    let seen = words(&device, 4);
    let [plain, timed] = [false, true].map(|profiling| device.create_queue(profiling).unwrap());
    let copy = || Work::Memcpy {
        dst: seen.as_ptr().cast_mut().cast(),
        src: (&raw const seen[2]).cast(),
        size: 8,
    };
    let event = enqueue(&plain, copy(), &[]).unwrap();
    event.wait().unwrap();
    assert_eq!((event.times(), fake.get("records")), (None, 0));
    let first = enqueue(&timed, copy(), &[]).unwrap();
    let second = enqueue(&timed, copy(), std::slice::from_ref(&first)).unwrap();
    second.wait().unwrap();
    let [first, second] = [first, second].map(|event| event.times().expect("the queue profiles"));
    assert!(
        first.submit <= first.start && first.start < first.end && first.end <= second.start,
        "{first:?} {second:?}"
    );
}

#[test]
fn what_a_command_uses_is_kept_until_it_has_completed() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let seen = words(&device, 4);
    let kept = Arc::new(());
    fake.set("pending", 1);
    let work = Work::Memcpy {
        dst: seen.as_ptr().cast_mut().cast(),
        src: (&raw const seen[2]).cast(),
        size: 8,
    };
    let command = Command { work, deps: &[], keep: Some(Box::new(kept.clone())) };
    // SAFETY: the memory is never freed.
    let event = unsafe { queue.enqueue(command) }.unwrap();
    assert_eq!(Arc::strong_count(&kept), 2);
    fake.set("pending", 0);
    let (send, receive) = channel();
    event.on_complete(Box::new(move |result| send.send(result).expect("the test listens")));
    receive.recv().unwrap().unwrap();
    while Arc::strong_count(&kept) > 1 {
        std::thread::yield_now();
    }
}

/// Returns a launch whose work-groups depend on each other.
fn cooperating(work: Work, cooperation: Cooperation) -> Work {
    match work {
        Work::Kernel(mut work) => {
            work.cooperation = cooperation;
            Work::Kernel(work)
        }
        other => other,
    }
}

#[test]
fn work_groups_that_wait_for_each_other_are_launched_together() {
    let fake = Fake::new();
    let device = fake.device();
    let count = kernel(&device, "count", Shape::NdRange, 0);
    let seen = words(&device, 64 * 40);
    let at = seen.as_mut_ptr();
    let work = |global: &[u64]| {
        let work = launch(&count, at.cast(), &[], global, &[8, 4], &[]);
        cooperating(work, Cooperation::Root)
    };
    for in_order in [false, true] {
        let queue = match in_order {
            true => device.create_in_order_queue(false).unwrap().unwrap(),
            false => device.create_queue(false).unwrap(),
        };
        for _ in 0..3 {
            enqueue(&queue, work(&[64, 40]), &[]).unwrap().wait().unwrap();
        }
    }
    assert!(seen.iter().all(|&n| n == 6));
    assert_eq!((fake.get("cooperative"), fake.get("launches")), (6, 6));
    // 32 work-items: 64 blocks on each of 132 multiprocessors.
    let occupancy = device.occupancy(&*count, [8, 4, 1], 0).unwrap();
    assert_eq!(occupancy, Occupancy { per_unit: Some(64), together: 64 * 132, sub_groups: None });
    let large = device.occupancy(&*count, [2048, 1, 1], 0).unwrap();
    let full = device.occupancy(&*count, [8, 4, 1], 1 << 20).unwrap();
    assert_eq!((large.together, full.together), (0, 0));
    let queue = device.create_queue(false).unwrap();
    let error = enqueue(&queue, work(&[8 * 64 * 132 + 8, 4]), &[]).err().unwrap();
    assert_eq!(error.code, Errc::NdRange);
    assert!(error.message.contains("query max_num_work_groups"), "{error}");
}

#[test]
fn clusters_reach_the_driver() {
    let fake = Fake::new();
    let device = fake.device();
    assert_eq!(device.info().max_cluster_size, 8);
    let queue = device.create_queue(false).unwrap();
    let count = kernel(&device, "count", Shape::NdRange, 0);
    let seen = words(&device, 64 * 8);
    let work = launch(&count, seen.as_mut_ptr().cast(), &[], &[64, 8], &[8, 4], &[]);
    let work = cooperating(work, Cooperation::Clusters([4, 2, 1]));
    enqueue(&queue, work, &[]).unwrap().wait().unwrap();
    assert!(seen.iter().all(|&n| n == 1));
    assert_eq!(fake.get("clusters"), 1);
    let old = Fake::new();
    assert_eq!(old.set("has_clusters", 0).device().info().max_cluster_size, 0);
}
