//! Tests graphs: edges, repeated launches, updates, and the order with other commands.

use std::sync::Arc;

use crate::fake::{Fake, enqueue, kernel, launch};
use scythe_abi::launch::Shape;
use scythe_hal::{Cooperation, CopyBox, Device, Graph, GraphNode, Hint, UsmKind, Work};

fn words(device: &Arc<dyn Device>, count: usize) -> &'static mut [u32] {
    let at = device.alloc(UsmKind::Device, 4 * count, 256).expect("memory");
    // SAFETY: the memory has the requested size and is never freed.
    let words = unsafe { std::slice::from_raw_parts_mut(at.cast::<u32>(), count) };
    words.fill(0);
    words
}

fn graph(device: &Arc<dyn Device>, nodes: Vec<(Work, Vec<usize>)>) -> Arc<dyn Graph> {
    let nodes: Vec<_> = nodes.into_iter().map(|(work, deps)| GraphNode { work, deps }).collect();
    // SAFETY: tests keep all memory until the commands have completed.
    unsafe { device.create_graph(&nodes) }.expect("a graph").expect("the driver has graphs")
}

#[test]
fn nodes_run_after_those_they_depend_on() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let (a, b) = (words(&device, 64), words(&device, 64));
    let (pa, pb) = (a.as_mut_ptr(), b.as_mut_ptr());
    let count = kernel(&device, "count", Shape::Range, 0);
    let add = |at: *mut u32| launch(&count, at.cast(), &[], &[64], &[], &[]);
    let region = CopyBox {
        width: 8,
        rows: 4,
        planes: 1,
        src_row_pitch: 16,
        src_plane_pitch: 64,
        dst_row_pitch: 16,
        dst_plane_pitch: 64,
    };
    let made = graph(
        &device,
        vec![
            (
                Work::Fill { dst: pa.cast(), pattern: 7u32.to_ne_bytes().to_vec(), count: 64 },
                vec![],
            ),
            (Work::Marker, vec![0]),
            (add(pa), vec![1]),
            (Work::Hint { ptr: pa.cast(), size: 256, hint: Hint::Prefetch }, vec![2]),
            (Work::Memcpy { dst: pb.cast(), src: pa.cast(), size: 256 }, vec![3]),
            (add(pb), vec![4]),
            (Work::Fill { dst: pa.cast(), pattern: vec![1, 2, 3], count: 4 }, vec![4]),
            (Work::CopyRect { dst: pb.cast(), src: pa.cast(), region }, vec![5, 6]),
        ],
    );
    assert_eq!((fake.get("launches"), fake.get("instances")), (0, 1));
    for _ in 0..3 {
        let before = enqueue(&queue, add(pb), &[]).unwrap();
        // SAFETY: tests keep all memory until the commands have completed.
        let event = unsafe { queue.launch_graph(&made, &[before], None) }.unwrap();
        event.wait().unwrap();
        assert_eq!((a[3], b[63], b[16]), (8, 9, 9));
        assert_eq!(b[0].to_ne_bytes(), [1, 2, 3, 1]);
    }
    assert_eq!(fake.get("graph_launches"), 3);
}

#[test]
fn kernels_are_updated_in_place() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(true).unwrap();
    let seen = words(&device, 128);
    let at = seen.as_mut_ptr();
    let count = kernel(&device, "count", Shape::Range, 0);
    let made = graph(
        &device,
        vec![
            (Work::Memcpy { dst: at.cast(), src: at.wrapping_add(64).cast(), size: 256 }, vec![]),
            (launch(&count, at.cast(), &[], &[64], &[], &[]), vec![0]),
        ],
    );
    let change = launch(&count, at.wrapping_add(64).cast(), &[], &[10], &[], &[]);
    assert!(made.update(&[(1, &change)]).unwrap());
    assert!(!made.update(&[(0, &Work::Marker)]).unwrap());
    assert_eq!((fake.get("node_updates"), fake.get("instances")), (1, 1));
    // SAFETY: tests keep all memory until the commands have completed.
    let event = unsafe { queue.launch_graph(&made, &[], None) }.unwrap();
    event.wait().unwrap();
    assert_eq!((seen[0], seen[64], seen[73], seen[74]), (0, 1, 1, 0));
    assert!(event.times().is_some());
}

#[test]
fn nodes_whose_work_groups_wait_for_each_other_have_their_own_words() {
    let fake = Fake::new();
    let device = fake.device();
    let queue = device.create_queue(false).unwrap();
    let count = kernel(&device, "count", Shape::NdRange, 0);
    let seen = words(&device, 64);
    let at = seen.as_mut_ptr();
    let node = || match launch(&count, at.cast(), &[], &[64], &[16], &[]) {
        Work::Kernel(mut work) => {
            work.cooperation = Cooperation::Root;
            Work::Kernel(work)
        }
        other => other,
    };
    let made = graph(&device, vec![(node(), vec![]), (node(), vec![])]);
    for _ in 0..3 {
        // SAFETY: tests keep all memory until the commands have completed.
        unsafe { queue.launch_graph(&made, &[], None) }.unwrap().wait().unwrap();
    }
    assert!(seen.iter().all(|&n| n == 6));
    assert_eq!(fake.get("cooperative"), 6);
}
