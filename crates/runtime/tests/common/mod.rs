//! What the runtime's tests share: images made on the spot, and a runtime on null backends.
#![allow(dead_code, reason = "each test uses its part")]

use std::ffi::c_void;
use std::sync::Arc;

use scythe::context::Context;
use scythe::memory::coherence::Access;
use scythe::memory::{Buffer, Initial, Mode};
use scythe::platform::{Device, Runtime};
use scythe::queue::Queue;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_abi::names::{EXPORTED_SYMBOLS, IMPORTED_SYMBOLS, LAUNCH_PROPERTY_SET};
use scythe_abi::tgt::{BinDesc, DeviceImage};
use scythe_hal::null::{NullBackend, Options, Order};
use scythe_hal::{Backend, BackendKind, DeviceInfo};
use scythe_image::{Format, Image, PropertySets};

/// A launch row without parameters.
pub fn row(functor_size: u64, shape: Shape) -> KernelLaunch {
    KernelLaunch { shape, functor_size, file: "test.cpp".into(), line: 7, column: 3, identity: 1, params: Vec::new() }
}

/// An accessor at `offset` of the functor.
pub fn accessor(offset: u64) -> Param {
    Param::pointer(ParamKind::Accessor, offset)
}

/// A device image for the null backend with these kernels.
pub fn image(kernels: &[(&str, KernelLaunch)]) -> Vec<u8> {
    let mut properties = PropertySets::default();
    for (symbol, launch) in kernels {
        properties.set(LAUNCH_PROPERTY_SET).insert(symbol, launch.to_bytes());
    }
    let symbols: Vec<String> = kernels.iter().map(|(symbol, _)| (*symbol).to_owned()).collect();
    let code = symbols.join("\n").into_bytes();
    Image { target: "null".into(), format: Format::LlvmBitcode, options: String::new(), properties, symbols, code }
        .to_bytes()
}

/// What an image says of itself besides its kernels.
#[derive(Default)]
pub struct Traits<'a> {
    pub exports: &'a [&'a str],
    pub imports: &'a [&'a str],
    /// Properties of `SYCL/device requirements`: arrays of words.
    pub requirements: &'a [(&'a str, &'a [u32])],
    /// Its code, for the null backend; by default its kernels.
    pub code: Option<&'a str>,
    pub target: Option<&'a str>,
    pub format: Option<Format>,
}

/// A device image with these kernels and traits.
pub fn image_with(kernels: &[(&str, KernelLaunch)], traits: &Traits<'_>) -> Vec<u8> {
    let mut properties = PropertySets::default();
    for (symbol, launch) in kernels {
        properties.set(LAUNCH_PROPERTY_SET).insert(symbol, launch.to_bytes());
    }
    for (set, symbols) in [(EXPORTED_SYMBOLS, traits.exports), (IMPORTED_SYMBOLS, traits.imports)] {
        for symbol in symbols {
            properties.set(set).insert(symbol, 1);
        }
    }
    for (name, words) in traits.requirements {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        properties.set("SYCL/device requirements").insert(name, bytes);
    }
    let symbols: Vec<String> = kernels.iter().map(|(symbol, _)| (*symbol).to_owned()).collect();
    let code = traits.code.map_or_else(|| symbols.join("\n"), str::to_owned).into_bytes();
    let (target, format) = (traits.target.unwrap_or("null").into(), traits.format.unwrap_or(Format::LlvmBitcode));
    Image { target, format, options: String::new(), properties, symbols, code }.to_bytes()
}

/// Images registered until it is dropped, as a loaded library's are.
pub struct Library {
    descriptor: Box<BinDesc>,
    _rows: Vec<DeviceImage>,
    _images: Vec<Vec<u8>>,
}

// SAFETY: the addresses point into memory that the library itself owns.
unsafe impl Send for Library {}

impl Library {
    pub fn load(images: Vec<Vec<u8>>) -> Self {
        let rows: Vec<DeviceImage> = images
            .iter()
            .map(|image| {
                let range = image.as_ptr_range();
                DeviceImage { image_start: range.start.cast(), image_end: range.end.cast() }
            })
            .collect();
        let descriptor = Box::new(BinDesc { num_device_images: rows.len() as i32, device_images: rows.as_ptr() });
        // SAFETY: descriptor and images live until `drop` unregisters them.
        unsafe { scythe::registry::register(&raw const *descriptor) };
        Self { descriptor, _rows: rows, _images: images }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        scythe::registry::unregister(&raw const *self.descriptor);
    }
}

/// A runtime with a host that shares memory, and a device that does not.
pub struct Machine {
    pub host_backend: Arc<NullBackend>,
    pub device_backend: Arc<NullBackend>,
    pub host: &'static Device,
    pub device: &'static Device,
}

impl Machine {
    /// Both backends call `run` for kernels and draw the order of ready commands from `seed` (0: first come, first
    /// served).
    pub fn new(
        seed: u64,
        run: impl Fn(&scythe_hal::null::NullKernel, &scythe_hal::KernelWork) -> scythe::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::with_device(|_| {}, seed, run)
    }

    /// Likewise, with devices that say something else of themselves.
    pub fn with_device(
        adjust: fn(&mut DeviceInfo),
        seed: u64,
        run: impl Fn(&scythe_hal::null::NullKernel, &scythe_hal::KernelWork) -> scythe::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let order = if seed == 0 { Order::Fifo } else { Order::Shuffled(seed) };
        let run = Arc::new(run);
        let backend = |kind, shares_host_memory| {
            let run = run.clone();
            NullBackend::new(Options {
                kind,
                shares_host_memory,
                order,
                run: Box::new(move |kernel, work| run(kernel, work)),
                adjust,
            })
        };
        let host_backend = backend(BackendKind::Host, true);
        let device_backend = backend(BackendKind::OpenCl, false);
        let backends: Vec<Arc<dyn Backend>> = vec![host_backend.clone(), device_backend.clone()];
        let runtime = Runtime::new(backends).expect("a runtime");
        Self { host_backend, device_backend, host: runtime.devices[0], device: runtime.devices[1] }
    }

    pub fn queue(&self, device: &'static Device, in_order: bool) -> Arc<Queue> {
        let context = Arc::new(Context::new(vec![self.host, self.device]).expect("a context"));
        Queue::new(context, device, in_order, false).expect("a queue")
    }
}

/// A buffer on this memory.
pub fn buffer_on(data: &mut [u32]) -> Arc<Buffer> {
    let initial = Initial::Program { ptr: data.as_mut_ptr().cast(), only_copy: false };
    // SAFETY: the tests keep `data` until the buffer is gone.
    Arc::new(unsafe { Buffer::new(size_of_val(data) as u64, initial) }.expect("a buffer"))
}

pub fn access(buffer: &Buffer, mode: Mode) -> Access<'_> {
    Access { buffer, mode, no_init: false, native: false }
}

/// The word at `offset` of a functor.
pub fn word(functor: *const u8, offset: usize) -> usize {
    // SAFETY: the tests' kernels have functors of at least `offset + 8` bytes.
    unsafe { functor.add(offset).cast::<usize>().read_unaligned() }
}

/// The handle that a functor holds for a buffer.
pub fn handle(buffer: &Arc<Buffer>) -> usize {
    Arc::as_ptr(buffer).cast::<c_void>() as usize
}
