//! Tests a driver's errors for code that it cannot build, and commands in every order. `cargo xtask
//! test --backend opencl` names a driver in the environment; without one, these tests do nothing.

use scythe_backend_opencl::discover;
use scythe_hal::compiler::NoCompiler;
use scythe_hal::{BuildRequest, Command, Device, Errc, Event, Queue, Status, UsmKind, Work};
use scythe_image::Format;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// Returns the first device of the driver that the environment names.
fn device() -> Option<Arc<dyn Device>> {
    std::env::var_os("OCL_ICD_FILENAMES")?;
    let found = discover(&NoCompiler);
    let backend =
        found.backends.first().unwrap_or_else(|| panic!("no device: {:?}", found.problems));
    Some(backend.devices()[0].clone())
}

#[test]
fn code_that_cannot_be_built_is_an_error_with_the_drivers_words() {
    let Some(device) = device() else { return };
    for (code, format) in
        [(&b"no words of SPIR-V"[..], Format::SpirV), (b"", Format::SpirV), (b"x", Format::Ptx)]
    {
        let error =
            device.build(&BuildRequest::new(code, format)).err().expect("this is no program");
        assert_eq!(error.code, Errc::Build, "{error}");
    }
    // A header, and a function that ends before it begins.
    let words: [u32; 7] = [0x0723_0203, 0x0001_0000, 0, 10, 0, 0x0001_0038, 0x0001_0038];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let error =
        device.build(&BuildRequest::new(&bytes, Format::SpirV)).err().expect("this is no program");
    assert!(error.code == Errc::Build && error.message.contains("OpenCL: cl"), "{error}");
    // Kernels of device code that cannot be built as a whole are built on first use.
    let apart = device
        .build(&BuildRequest::new(b"BC", Format::LlvmBitcode))
        .expect("one of its kernels may be built");
    let untranslated = apart.native().expect_err("nobody translates it");
    assert!(untranslated.message.ends_with("no run-time compiler is available"), "{untranslated}");
}

#[test]
fn copies_and_fills_follow_their_events() {
    let Some(device) = device() else { return };
    let queue = device.create_queue(true).expect("a queue");
    let size = 3 * 1000;
    let [a, b] = [UsmKind::Device, UsmKind::Shared]
        .map(|kind| device.alloc(kind, size, 4096).expect("memory"));
    assert!((a as usize).is_multiple_of(4096) && (b as usize).is_multiple_of(4096));
    // A pattern that drivers do not support.
    let filled = enqueue(&*queue, Work::Fill { dst: a, pattern: vec![1, 2, 3], count: 1000 }, &[]);
    let copied = enqueue(&*queue, Work::Memcpy { dst: b, src: a, size }, &[filled]);
    let marked = enqueue(&*queue, Work::Marker, std::slice::from_ref(&copied));
    let (send, receive) = channel();
    marked.on_complete(Box::new(move |result| send.send(result).expect("the test waits")));
    assert_eq!(receive.recv().expect("the command ends"), Ok(()));
    assert_eq!((marked.wait(), copied.status()), (Ok(()), Status::Complete));
    let times = copied.times().expect("the queue profiles");
    assert!(times.submit <= times.start && times.start <= times.end, "{times:?}");
    // SAFETY: the commands have completed, and the memory is also accessible on the host.
    let seen = unsafe { std::slice::from_raw_parts(b.cast::<u8>(), size) };
    assert!(seen.chunks(3).all(|chunk| chunk == [1, 2, 3]));
    // SAFETY: no command uses the memory any more.
    unsafe {
        device.free(UsmKind::Device, a);
        device.free(UsmKind::Shared, b);
    }
    let error = device
        .alloc(UsmKind::Shared, usize::MAX / 2, 64)
        .expect_err("there is not that much memory");
    assert_eq!(error.code, Errc::MemoryAllocation);
}

fn enqueue(queue: &dyn Queue, work: Work, deps: &[Arc<dyn Event>]) -> Arc<dyn Event> {
    // SAFETY: the test keeps all memory until the commands have completed.
    unsafe { queue.enqueue(Command::new(work, deps)) }.expect("the command can be enqueued")
}
