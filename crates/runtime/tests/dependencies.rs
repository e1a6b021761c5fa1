//! Checks that random programs produce the same contents as if each command completed before the
//! next one is submitted.
//!
//! The backends run ready commands in random order, so a missing dependency eventually shows up as
//! a wrong number. One device shares the host's memory and the other does not, so contents are
//! copied between them.

mod common;

use std::sync::Arc;

use common::{Library, Machine, access, accessor, buffer_on, handle, image, row, word};
use scythe::context::Context;
use scythe::copy::View;
use scythe::launch::Ranges;
use scythe::memory::coherence::{Access, HostAccess};
use scythe::memory::{Buffer, Mode};
use scythe::platform::{Device, Runtime};
use scythe::queue::{Action, HostCall, Order, Queue};
use scythe::registry::{self, Constants, DeviceInContext, Expected};
use scythe_abi::capi;
use scythe_abi::launch::Shape;
use scythe_hal::KernelWork;
use scythe_hal::null::Random;

const ELEMENTS: usize = 32;
const BUFFERS: usize = 4;

/// The functor of the kernel `mix`: two accessors, element counts, and a constant.
#[repr(C)]
struct Mix {
    dst_data: usize,
    dst: usize,
    src_data: usize,
    src: usize,
    count: u64,
    constant: u64,
}

/// Computes `dst[i] = 31 * dst[i] + src[i] + constant`.
fn mix(dst: &mut [u32], src: &[u32], constant: u32) {
    for (d, s) in dst.iter_mut().zip(src) {
        *d = d.wrapping_mul(31).wrapping_add(*s).wrapping_add(constant);
    }
}

fn run_kernel(work: &KernelWork) {
    let functor = work.functor.as_ptr();
    let (dst, src) = (word(functor, 0) as *mut u32, word(functor, 16) as *const u32);
    let (count, constant) = (word(functor, 32), word(functor, 40) as u32);
    // SAFETY: the runtime stored the addresses of buffers with `count` elements there, and orders
    // this kernel.
    let src = unsafe { std::slice::from_raw_parts(src, count) }.to_vec();
    // SAFETY: the destination also has `count` elements, and the runtime orders this kernel.
    mix(unsafe { std::slice::from_raw_parts_mut(dst, count) }, &src, constant);
}

/// A part of a buffer, and the index of that buffer.
struct Part {
    buffer: Arc<Buffer>,
    root: usize,
    first: usize,
    count: usize,
}

fn part(random: &mut Random, buffers: &[Arc<Buffer>], count: usize) -> Part {
    let root = random.below(buffers.len());
    let first = random.below(ELEMENTS - count + 1);
    let buffer = if count == ELEMENTS && random.below(2) == 0 {
        buffers[root].clone()
    } else {
        Arc::new(buffers[root].view(4 * first as u64, 4 * count as u64).expect("a sub-buffer"))
    };
    Part { buffer, root, first, count }
}

fn ranges() -> Ranges {
    Ranges::of(Shape::SingleTask, 1, [[1; 3], [1; 3], [0; 3]]).expect("a launch")
}

fn submit(queue: &Queue, action: Action<'_>, accesses: &[Access<'_>]) {
    // SAFETY: the buffers and functors of the tests outlive the commands.
    unsafe { queue.submit(action, Order { accesses, ..Order::default() }) }.expect("submitted");
}

fn submit_mix(queue: &Queue, dst: &Part, src: &Part, constant: u32) {
    let functor = Mix {
        dst_data: 0,
        dst: handle(&dst.buffer),
        src_data: 0,
        src: handle(&src.buffer),
        count: dst.count as u64,
        constant: u64::from(constant),
    };
    // SAFETY: `Mix` consists of plain words without padding.
    let bytes =
        unsafe { std::slice::from_raw_parts((&raw const functor).cast::<u8>(), size_of::<Mix>()) };
    let expected = Expected { functor_size: 48, shape: Shape::SingleTask };
    let kernel = registry::kernel(
        "mix",
        0,
        None,
        expected,
        DeviceInContext { device: queue.device, context: 1 },
        &Constants::default(),
    )
    .expect("the kernel");
    let action = Action::kernel(kernel, bytes, &ranges(), None);
    submit(queue, action, &[access(&dst.buffer, Mode::ReadWrite), access(&src.buffer, Mode::Read)]);
}

/// The context of a host task that runs `mix` on host addresses.
struct Task {
    dst: *mut u32,
    src: *const u32,
    count: usize,
    constant: u32,
}

unsafe extern "C" fn run_task(context: *mut std::ffi::c_void) {
    // SAFETY: the context is a `Task`, and the runtime orders this task.
    unsafe {
        let task = &*context.cast::<Task>();
        let src = std::slice::from_raw_parts(task.src, task.count).to_vec();
        mix(std::slice::from_raw_parts_mut(task.dst, task.count), &src, task.constant);
    }
}

unsafe extern "C" fn end_task(context: *mut std::ffi::c_void) {
    // SAFETY: `submit_task` created the task with `Box::into_raw`, and it is destroyed once.
    drop(unsafe { Box::from_raw(context.cast::<Task>()) });
}

fn submit_task(queue: &Queue, dst: &Part, src: &Part, constant: u32) {
    let task = Task {
        dst: dst.buffer.host_address().expect("an address").cast(),
        src: src.buffer.host_address().expect("an address").cast(),
        count: dst.count,
        constant,
    };
    // SAFETY: the functions expect this type of context.
    let (call, commit) =
        unsafe { HostCall::new(run_task, Some(end_task), Box::into_raw(Box::new(task)).cast()) };
    submit(
        queue,
        Action::HostTask(call),
        &[access(&dst.buffer, Mode::ReadWrite), access(&src.buffer, Mode::Read)],
    );
    commit.commit();
}

fn view_of(part: &Part) -> View<'_> {
    let view = capi::View {
        buffer: std::ptr::null_mut(),
        ptr: std::ptr::null_mut(),
        elem_size: 4,
        memory_range: [part.count as u64, 1, 1],
        offset: [0; 3],
        range: [part.count as u64, 1, 1],
    };
    View::new("test", &view, Some(&part.buffer)).expect("a view")
}

/// The queues and kernels that a random program uses.
trait Stage {
    fn queues(&self) -> Vec<Arc<Queue>>;
    fn mix(&self, queue: &Queue, dst: &Part, src: &Part, constant: u32);
    fn check_end(&self) {}
}

/// Two null backends. Kernels come from an image.
impl Stage for Machine {
    fn queues(&self) -> Vec<Arc<Queue>> {
        [(self.host, false), (self.host, true), (self.device, false), (self.device, true)]
            .map(|(device, in_order)| self.queue(device, in_order))
            .into()
    }
    fn mix(&self, queue: &Queue, dst: &Part, src: &Part, constant: u32) {
        submit_mix(queue, dst, src, constant);
    }
    fn check_end(&self) {
        assert_eq!(self.device_backend.allocations(), 0, "device copies are freed");
    }
}

/// The device that programs use. Kernels run in host mode.
struct Cpu(&'static Device);

impl Stage for Cpu {
    fn queues(&self) -> Vec<Arc<Queue>> {
        let context = Arc::new(Context::new(vec![self.0]).expect("a context"));
        let queue =
            |in_order| Queue::new(context.clone(), self.0, in_order, false, None).expect("a queue");
        vec![queue(false), queue(true), queue(false)]
    }
    fn mix(&self, queue: &Queue, dst: &Part, src: &Part, constant: u32) {
        let address = |part: &Part| part.buffer.host_address().expect("an address") as usize;
        let functor = [address(dst), dst.count, address(src), constant as usize];
        let bytes: Vec<u8> = functor.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let action = Action::host_kernel(mix_host, &bytes, &ranges());
        submit(
            queue,
            action,
            &[access(&dst.buffer, Mode::ReadWrite), access(&src.buffer, Mode::Read)],
        );
    }
}

unsafe extern "C" fn mix_host(functor: *const std::ffi::c_void, _box: *const capi::HostBox) {
    let functor = functor.cast::<u8>();
    let (dst, count) = (word(functor, 0) as *mut u32, word(functor, 8));
    let (src, constant) = (word(functor, 16) as *const u32, word(functor, 24) as u32);
    // SAFETY: the functor holds two addresses of `count` numbers each, and the runtime orders this
    // kernel.
    unsafe {
        let src = std::slice::from_raw_parts(src, count).to_vec();
        mix(std::slice::from_raw_parts_mut(dst, count), &src, constant);
    }
}

fn run_program(seed: u64, stage: &dyn Stage) {
    let mut random = Random::new(seed * 0x9e37_79b9 + 1);
    let mut memory: Vec<Vec<u32>> =
        (0..BUFFERS).map(|b| (0..ELEMENTS).map(|i| (b * 1000 + i) as u32).collect()).collect();
    let mut model = memory.clone();
    let buffers: Vec<Arc<Buffer>> = memory.iter_mut().map(|data| buffer_on(data)).collect();
    let queues = stage.queues();
    for step in 0..60u32 {
        let queue = &queues[random.below(queues.len())];
        let count = [ELEMENTS, 8, 5][random.below(3)];
        let (dst, src) = (part(&mut random, &buffers, count), part(&mut random, &buffers, count));
        let source: Vec<u32> = model[src.root][src.first..src.first + count].to_vec();
        let target = &mut model[dst.root][dst.first..dst.first + count];
        match random.below(6) {
            0 | 1 => {
                stage.mix(queue, &dst, &src, step);
                mix(target, &source, step);
            }
            2 => {
                submit_task(queue, &dst, &src, step);
                mix(target, &source, step);
            }
            3 if dst.root != src.root => {
                let (to, from) = (view_of(&dst), view_of(&src));
                let write =
                    Access { buffer: &dst.buffer, mode: Mode::Write, no_init: true, native: false };
                submit(
                    queue,
                    Action::Copy { dst: Box::new(to), src: Box::new(from) },
                    &[write, access(&src.buffer, Mode::Read)],
                );
                target.copy_from_slice(&source);
            }
            4 => {
                let write =
                    Access { buffer: &dst.buffer, mode: Mode::Write, no_init: true, native: false };
                let pattern = step.to_ne_bytes().to_vec();
                submit(queue, Action::Fill { dst: Box::new(view_of(&dst)), pattern }, &[write]);
                target.fill(step);
            }
            _ => {
                let mode = if random.below(2) == 0 { Mode::ReadWrite } else { Mode::Read };
                let (held, address) =
                    HostAccess::begin(&access(&dst.buffer, mode)).expect("access");
                // SAFETY: the access provides the address of this many elements until it is
                // dropped.
                let seen = unsafe { std::slice::from_raw_parts_mut(address.cast::<u32>(), count) };
                assert_eq!(*seen, *target, "seed {seed}, step {step}");
                if mode == Mode::ReadWrite {
                    seen[0] = step;
                    target[0] = step;
                }
                // Commands submitted before the access ends wait for it.
                stage.mix(queue, &dst, &dst, step);
                let copy = target.to_vec();
                mix(target, &copy, step);
                drop(held);
            }
        }
    }
    drop(buffers);
    assert_eq!(memory, model, "seed {seed}");
    stage.check_end();
}

#[test]
fn random_programs_equal_their_sequential_meaning() {
    let mut launch = row(48, Shape::SingleTask);
    launch.params = vec![accessor(0), accessor(16)];
    let _library = Library::load(vec![image(&[("mix", launch)])]);
    for seed in 1..=150 {
        let machine = Machine::new(seed, |_, work| {
            run_kernel(work);
            Ok(())
        });
        run_program(seed, &machine);
    }
}

#[test]
fn random_programs_on_the_cpu_equal_their_sequential_meaning() {
    let cpu = Cpu(Runtime::get().expect("the runtime").devices[0]);
    for seed in 1..=300 {
        run_program(seed, &cpu);
    }
}

unsafe extern "C" fn add_one(functor: *const std::ffi::c_void, _box: *const capi::HostBox) {
    for at in [0, 8] {
        let data = word(functor.cast(), at) as *mut u32;
        // SAFETY: the functor holds the addresses of two buffers, and the runtime lets no other
        // command access them.
        unsafe { (0..ELEMENTS).for_each(|i| *data.add(i) += 1) };
    }
}

#[test]
fn threads_that_submit_at_once_neither_block_each_other_nor_lose_a_write() {
    const THREADS: u64 = 4;
    const COMMANDS: usize = 500;
    let cpu = Cpu(Runtime::get().expect("the runtime").devices[0]);
    let mut memory = vec![vec![0; ELEMENTS]; BUFFERS];
    let buffers: Vec<Arc<Buffer>> = memory.iter_mut().map(|data| buffer_on(data)).collect();
    std::thread::scope(|scope| {
        for thread in 1..=THREADS {
            let (cpu, buffers) = (&cpu, &buffers);
            scope.spawn(move || {
                let (queues, mut random) = (cpu.queues(), Random::new(thread));
                for _ in 0..COMMANDS {
                    // Two different buffers, in any order.
                    let first = random.below(BUFFERS);
                    let second = (first + 1 + random.below(BUFFERS - 1)) % BUFFERS;
                    let pair = [&buffers[first], &buffers[second]];
                    let address =
                        |buffer: &Buffer| buffer.host_address().expect("an address") as usize;
                    let bytes: Vec<u8> =
                        pair.iter().flat_map(|buffer| address(buffer).to_ne_bytes()).collect();
                    let accesses = pair.map(|buffer| access(buffer, Mode::ReadWrite));
                    submit(
                        &queues[random.below(queues.len())],
                        Action::host_kernel(add_one, &bytes, &ranges()),
                        &accesses,
                    );
                }
            });
        }
    });
    drop(buffers);
    assert!(
        memory.iter().all(|data| data.iter().all(|number| *number == data[0])),
        "each command runs alone"
    );
    let sum: u32 = memory.iter().map(|data| data[0]).sum();
    assert_eq!(sum as usize, THREADS as usize * COMMANDS * 2);
}
