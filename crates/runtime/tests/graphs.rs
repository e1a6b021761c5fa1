//! Checks that launches of random graphs give the same contents as their commands in order, on a
//! device that shares the host's memory and on one that does not.

mod common;

use std::ffi::c_void;
use std::sync::Arc;

use common::{Machine, access, buffer_on};
use scythe::copy::View;
use scythe::graph::body::{Candidate, Content, NodeKind, OwnedAccess, RepeatedTask};
use scythe::graph::exec::Exec;
use scythe::graph::record::RecordedEvent;
use scythe::graph::{Graph, NodeRef, Options, QueueOrder};
use scythe::memory::coherence::HostAccess;
use scythe::memory::{Buffer, Mode};
use scythe::platform::Device;
use scythe_abi::capi;
use scythe_hal::Errc;
use scythe_hal::null::Random;

const ELEMENTS: usize = 16;
const BUFFERS: usize = 3;

fn view(buffer: &Arc<Buffer>) -> View<'static> {
    let part = [ELEMENTS as u64, 1, 1];
    let view = capi::View {
        buffer: std::ptr::null_mut(),
        ptr: std::ptr::null_mut(),
        elem_size: 4,
        memory_range: part,
        offset: [0; 3],
        range: part,
    };
    // SAFETY: the extra reference keeps the buffer for the whole test.
    let buffer: &'static Buffer = unsafe { &*Arc::into_raw(buffer.clone()) };
    View::new("a view", &view, Some(buffer)).expect("a view")
}

fn owned(buffer: &Arc<Buffer>, mode: Mode) -> OwnedAccess {
    OwnedAccess { buffer: buffer.clone(), mode, no_init: false, native: false }
}

/// What a node does to the buffers.
#[derive(Clone, Copy)]
enum Step {
    Fill(usize, u32),
    Copy(usize, usize),
    /// A host task that adds a number to each element.
    Add(usize, u32),
}

struct Task {
    buffer: Arc<Buffer>,
    value: u32,
}

unsafe extern "C" fn add(context: *mut c_void) {
    // SAFETY: the context is a task, which the test keeps.
    let task = unsafe { &*context.cast::<Task>() };
    let at = task.buffer.host_address().expect("an address").cast::<u32>();
    for i in 0..ELEMENTS {
        // SAFETY: the buffer has this many elements, and the runtime orders this task.
        unsafe { *at.add(i) = (*at.add(i)).wrapping_add(task.value) };
    }
}

unsafe extern "C" fn destroy(context: *mut c_void) {
    // SAFETY: `candidate` created the context, and this is its only release.
    drop(unsafe { Box::from_raw(context.cast::<Task>()) });
}

fn candidate(step: Step, buffers: &[Arc<Buffer>]) -> Candidate {
    let (kind, content, accesses) = match step {
        Step::Fill(to, value) => (
            NodeKind::Memfill,
            Content::Fill { dst: view(&buffers[to]), pattern: value.to_ne_bytes().to_vec() },
            vec![owned(&buffers[to], Mode::Write)],
        ),
        Step::Copy(to, from) => (
            NodeKind::Memcpy,
            Content::Copy { dst: view(&buffers[to]), src: view(&buffers[from]) },
            vec![owned(&buffers[to], Mode::Write), owned(&buffers[from], Mode::Read)],
        ),
        Step::Add(to, value) => {
            let task = Box::new(Task { buffer: buffers[to].clone(), value });
            let context = Box::into_raw(task).cast();
            // SAFETY: `add` only reads the task, which `destroy` frees.
            let task = unsafe { RepeatedTask::new(add, Some(destroy), context) };
            let content = Content::HostTask(Arc::new(task));
            (NodeKind::HostTask, content, vec![owned(&buffers[to], Mode::ReadWrite)])
        }
    };
    Candidate { kind, content: Arc::new(content), accesses, events: Vec::new() }
}

fn apply(step: Step, model: &mut [[u32; ELEMENTS]; BUFFERS]) {
    match step {
        Step::Fill(to, value) => model[to] = [value; ELEMENTS],
        Step::Copy(to, from) => model[to] = model[from],
        Step::Add(to, value) => model[to].iter_mut().for_each(|x| *x = x.wrapping_add(value)),
    }
}

fn random_step(random: &mut Random, tasks: bool) -> Step {
    let (to, from) = (random.below(BUFFERS), random.below(BUFFERS - 1));
    match random.below(if tasks { 3 } else { 2 }) {
        0 => Step::Fill(to, random.below(1000) as u32),
        1 => Step::Copy(to, (to + 1 + from) % BUFFERS),
        _ => Step::Add(to, random.below(1000) as u32),
    }
}

fn check(machine: &Machine, device: &'static Device, seed: u64, tasks: bool) {
    let mut random = Random::new(seed);
    let queue = machine.queue(device, seed.is_multiple_of(2));
    let mut data = [[0u32; ELEMENTS]; BUFFERS];
    let buffers: Vec<_> = data.iter_mut().map(|data| buffer_on(data)).collect();
    let owner = Graph::create(queue.context.clone(), device, Options::default()).expect("a graph");
    owner.graph.bind(&queue).expect("the queue does not record");
    let mut model = [[0u32; ELEMENTS]; BUFFERS];
    let steps: Vec<_> = (0..12).map(|_| random_step(&mut random, tasks)).collect();
    for &step in &steps {
        let added = owner.graph.add(&queue, candidate(step, &buffers), QueueOrder::default());
        added.expect("a node");
    }
    queue.stop_recording();
    let exec = Exec::new(&owner.graph, true, false).expect("an executable graph");
    for round in 0..4u32 {
        exec.launch(&queue, &[]).expect("a launch");
        steps.iter().for_each(|&step| apply(step, &mut model));
        if round == 1 {
            for (buffer, expected) in buffers.iter().zip(&model) {
                let (_access, at) =
                    HostAccess::begin(&access(buffer, Mode::Read)).expect("an access");
                // SAFETY: the buffer has this many elements, and the access orders this read.
                let seen = unsafe { std::slice::from_raw_parts(at.cast::<u32>(), ELEMENTS) };
                assert_eq!(seen, expected, "seed {seed}");
            }
        }
    }
    queue.wait();
    assert!(queue.take_errors().is_empty());
    for (buffer, expected) in buffers.iter().zip(&model) {
        let (_access, at) = HostAccess::begin(&access(buffer, Mode::Read)).expect("an access");
        // SAFETY: the buffer has this many elements, and the access orders this read.
        let seen = unsafe { std::slice::from_raw_parts(at.cast::<u32>(), ELEMENTS) };
        assert_eq!(seen, expected, "seed {seed}");
    }
    // The views above keep the buffers, so their memory must live as long as the process.
    std::mem::forget(buffers);
}

#[test]
fn random_graphs_give_the_results_of_their_commands_in_order() {
    for seed in 1..40 {
        let machine = Machine::new(seed, |_, _| Ok(()));
        check(&machine, machine.host, seed, true);
        check(&machine, machine.device, seed, true);
        check(&machine, machine.device, seed, false);
    }
}

#[test]
fn edges_without_cycles_and_events_of_recorded_commands() {
    let machine = Machine::new(0, |_, _| Ok(()));
    let queue = machine.queue(machine.host, false);
    let options = Options::default();
    let owner = Graph::create(queue.context.clone(), machine.host, options).expect("a graph");
    let graph = owner.graph.clone();
    graph.bind(&queue).expect("the queue does not record");
    let empty = || Candidate {
        kind: NodeKind::Empty,
        content: Arc::new(Content::Marker),
        accesses: Vec::new(),
        events: Vec::new(),
    };
    for _ in 0..3 {
        graph.add(&queue, empty(), QueueOrder::default()).expect("a node");
    }
    let node = |index| NodeRef { graph: graph.clone(), index };
    graph.make_edge(&node(0), &node(1)).expect("an edge");
    graph.make_edge(&node(1), &node(2)).expect("an edge");
    graph.make_edge(&node(0), &node(1)).expect("the same edge");
    let refused = graph.make_edge(&node(2), &node(0)).expect_err("a cycle");
    assert_eq!(refused.code, Errc::Invalid);
    assert_eq!((graph.roots(), graph.leaves(), graph.before(1)), (vec![0], vec![2], vec![0]));

    let event = RecordedEvent { graph: graph.clone(), index: Some(0) }.node();
    assert_eq!(event.event.wait().expect_err("no command").code, Errc::Invalid);
    drop(owner);
    assert!(!queue.is_recording());
}
