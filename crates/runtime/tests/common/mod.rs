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
use scythe_abi::requirements::Requirements;
use scythe_abi::tgt::{BinDesc, DeviceImage};
use scythe_hal::null::{NullBackend, Options, Order};
use scythe_hal::{Backend, BackendKind, DeviceInfo};
use scythe_image::manifest::{EntryPoint, Import};
use scythe_image::{Format, Image, Manifest};

/// A launch row without parameters.
pub fn row(functor_size: u64, shape: Shape) -> KernelLaunch {
    KernelLaunch {
        shape,
        functor_size,
        file: "test.cpp".into(),
        line: 7,
        column: 3,
        identity: 1,
        params: Vec::new(),
    }
}

/// An accessor at `offset` of the functor.
pub fn accessor(offset: u64) -> Param {
    Param::pointer(ParamKind::Accessor, offset)
}

/// A device image for the null backend with these kernels.
pub fn image(kernels: &[(&str, KernelLaunch)]) -> Vec<u8> {
    image_with(kernels, &Traits::default())
}

/// A kernel of a manifest.
pub fn entry_point(symbol: &str, launch: KernelLaunch) -> EntryPoint {
    EntryPoint { symbol: symbol.to_owned(), launch: Some(launch), ..EntryPoint::default() }
}

/// What an image says of itself besides its kernels.
#[derive(Default)]
pub struct Traits<'a> {
    pub exports: &'a [&'a str],
    pub imports: &'a [&'a str],
    /// Lists of requirements, by their names in `SYCL/device requirements`.
    pub requirements: &'a [(&'a str, &'a [u32])],
    /// Its code, for the null backend; by default its kernels.
    pub code: Option<&'a str>,
    pub target: Option<&'a str>,
    pub format: Option<Format>,
}

/// A device image with these kernels and traits.
pub fn image_with(kernels: &[(&str, KernelLaunch)], traits: &Traits<'_>) -> Vec<u8> {
    let list = |name: &str| {
        let found = traits.requirements.iter().find(|(known, _)| *known == name);
        found.map(|(_, numbers)| numbers.to_vec())
    };
    let import = |symbol: &&str| Import { symbol: (*symbol).to_owned(), conditions: Vec::new() };
    let manifest = Manifest {
        entry_points: kernels
            .iter()
            .map(|(symbol, launch)| entry_point(symbol, launch.clone()))
            .collect(),
        requirements: Requirements {
            aspects: list("aspect"),
            sub_group_sizes: list("reqd_sub_group_size"),
            // One size.
            work_group_sizes: list("reqd_work_group_size").map(|size| vec![size]),
            fixed_targets: list("fixed_target"),
        },
        exports: traits.exports.iter().map(|&symbol| symbol.to_owned()).collect(),
        imports: traits.imports.iter().map(import).collect(),
        ..Manifest::default()
    };
    let symbols: Vec<String> = kernels.iter().map(|(symbol, _)| (*symbol).to_owned()).collect();
    let code = traits.code.map_or_else(|| symbols.join("\n"), str::to_owned).into_bytes();
    let (target, format) =
        (traits.target.unwrap_or("null").into(), traits.format.unwrap_or(Format::LlvmBitcode));
    Image { target, format, options: String::new(), manifest, symbols, code }.to_bytes()
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
        let descriptor = Box::new(BinDesc {
            num_device_images: rows.len() as i32,
            device_images: rows.as_ptr(),
        });
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
    /// Both backends call `run` for kernels and draw the order of ready commands from `seed` (0:
    /// first come, first served).
    pub fn new(
        seed: u64,
        run: impl Fn(&scythe_hal::null::NullKernel, &scythe_hal::KernelWork) -> scythe::Result<()>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::with_device(|_| {}, seed, run)
    }

    /// Likewise, with devices that say something else of themselves.
    pub fn with_device(
        adjust: fn(&mut DeviceInfo),
        seed: u64,
        run: impl Fn(&scythe_hal::null::NullKernel, &scythe_hal::KernelWork) -> scythe::Result<()>
        + Send
        + Sync
        + 'static,
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
