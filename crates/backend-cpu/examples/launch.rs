//! Prints the cost of commands on this machine: a chain of empty kernels, submission and waiting,
//! and a stream through memory. Run with `cargo run --release -p scythe-backend-cpu --example
//! launch`.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::compiler::NoCompiler;
use scythe_hal::{
    Command, Event, FunctorBytes, HostKernelWork, HostQueue, HostWork, Result, UsmKind, Work,
};

unsafe extern "C" fn empty(_: *const c_void, _: *const HostBox) {}

/// Computes `y += 2 x`. The functor contains the addresses of `x` and `y`.
unsafe extern "C" fn saxpy(functor: *const c_void, part: *const HostBox) {
    // SAFETY: the functor contains two addresses of arrays that are as long as the range.
    unsafe {
        let [x, y] = functor.cast::<[*mut f32; 2]>().read();
        let (begin, end) = ((*part).begin[0] as usize, (*part).end[0] as usize);
        let x = std::slice::from_raw_parts(x.add(begin), end - begin);
        let y = std::slice::from_raw_parts_mut(y.add(begin), end - begin);
        for (y, x) in y.iter_mut().zip(x) {
            *y += 2.0 * x;
        }
    }
}

fn kernel(
    call: unsafe extern "C" fn(*const c_void, *const HostBox),
    functor: &[u8],
    shape: Shape,
    size: u64,
) -> HostWork {
    HostWork::Kernel(Box::new(HostKernelWork {
        call,
        functor: FunctorBytes::new(functor),
        shape,
        global_size: [size, 1, 1],
        local_size: [1; 3],
        global_offset: [0; 3],
    }))
}

/// Returns the best time of several runs, in nanoseconds, because other programs use the machine
/// too.
fn best(runs: usize, mut f: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        f()?;
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    Ok(best)
}

fn chain(queue: &dyn HostQueue, length: usize, size: u64) -> Result<()> {
    let mut last: Option<Arc<dyn Event>> = None;
    for _ in 0..length {
        let work = kernel(empty, &[], Shape::Range, size);
        // SAFETY: the kernel touches nothing.
        last = Some(unsafe { queue.enqueue_host(Command::new(work, last.as_slice())) }?);
    }
    last.map_or(Ok(()), |event| event.wait())
}

fn main() -> Result<()> {
    let backend = scythe_backend_cpu::backend(&NoCompiler);
    let device = &backend.devices()[0];
    println!("{}, {} threads", device.info().name, device.info().max_compute_units);
    let queue = device.create_host_queue(false)?.expect("the CPU device runs host code");

    const LENGTH: usize = 10_000;
    for size in [1, 1024] {
        let ns = best(20, || chain(&*queue, LENGTH, size))? / LENGTH as f64;
        println!("chain of empty kernels, {size:4} work-items: {ns:7.0} ns each");
    }

    let rounds = best(20, || {
        for _ in 0..1000 {
            chain(&*queue, 1, 1)?;
        }
        Ok(())
    })?;
    println!("submit and wait:                         {:7.0} ns", rounds / 1000.0);

    const COUNT: usize = 1 << 26;
    let x = device.alloc(UsmKind::Shared, COUNT * 4, 64)?;
    let y = device.alloc(UsmKind::Shared, COUNT * 4, 64)?;
    let mut functor = Vec::new();
    functor.extend((x as usize).to_ne_bytes());
    functor.extend((y as usize).to_ne_bytes());
    for array in [x, y] {
        let fill = Work::Fill { dst: array, pattern: 1.0f32.to_ne_bytes().to_vec(), count: COUNT };
        // SAFETY: the array was just allocated with this many elements.
        unsafe { queue.enqueue(Command::new(fill, &[])) }?.wait()?;
    }
    let stream = best(10, || {
        let work = kernel(saxpy, &functor, Shape::Range, COUNT as u64);
        // SAFETY: both arrays live past the wait, and only this kernel uses them.
        unsafe { queue.enqueue_host(Command::new(work, &[])) }?.wait()
    })?;
    println!(
        "saxpy over 2^26 floats:                  {:7.2} ms, {:.1} GB/s",
        stream / 1e6,
        COUNT as f64 * 12.0 / stream
    );
    let copy = best(10, || {
        let work = Work::Memcpy { dst: x, src: y, size: COUNT * 4 };
        // SAFETY: as above.
        unsafe { queue.enqueue(Command::new(work, &[])) }?.wait()
    })?;
    println!(
        "copy of 256 MiB:                         {:7.2} ms, {:.1} GB/s",
        copy / 1e6,
        COUNT as f64 * 8.0 / copy
    );
    // SAFETY: the arrays were allocated above with this kind, and no command uses them any more.
    unsafe {
        device.free(UsmKind::Shared, x);
        device.free(UsmKind::Shared, y);
    }
    Ok(())
}
