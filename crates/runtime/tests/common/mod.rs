//! Shared helpers of the runtime's tests: generated images, and a runtime on null backends.
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
use scythe_hal::null::{NullBackend, NullKernel, NullOptions, Order};
use scythe_hal::{Backend, BackendKind, DeviceInfo, KernelWork};
use scythe_image::manifest::{EntryPoint, Import};
use scythe_image::{Format, Image, Manifest};

/// Creates a launch row without parameters.
pub fn row(functor_size: u64, shape: Shape) -> KernelLaunch {
    KernelLaunch {
        shape,
        functor_size,
        file: "test.cpp".into(),
        line: 7,
        column: 3,
        identity: 1,
        params: Vec::new(),
        function: None,
    }
}

/// Creates an accessor at `offset` of the functor.
pub fn accessor(offset: u64) -> Param {
    Param::pointer(ParamKind::Accessor, offset)
}

/// Creates a device image for the null backend with these kernels.
pub fn image(kernels: &[(&str, KernelLaunch)]) -> Vec<u8> {
    image_with(kernels, &Traits::default())
}

/// Creates a kernel of a manifest.
pub fn entry_point(symbol: &str, launch: KernelLaunch) -> EntryPoint {
    EntryPoint { symbol: symbol.to_owned(), launch: Some(launch), ..EntryPoint::default() }
}

/// The properties of an image in addition to its kernels.
#[derive(Default)]
pub struct Traits<'a> {
    pub exports: &'a [&'a str],
    pub imports: &'a [&'a str],
    /// Lists of requirements, with their names in `SYCL/device requirements`.
    pub requirements: &'a [(&'a str, &'a [u32])],
    /// The code for the null backend. The default is the list of kernels.
    pub code: Option<&'a str>,
    pub target: Option<&'a str>,
    pub format: Option<Format>,
}

/// Creates a device image with these kernels and properties.
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
            // The list holds a single work-group size.
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

/// Images that are registered until it is dropped, like the images of a loaded library.
pub struct Library {
    descriptor: Box<BinDesc>,
    _rows: Vec<DeviceImage>,
    _images: Vec<Vec<u8>>,
}

// SAFETY: the addresses point into memory that the library owns.
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

/// The behaviour of the kernels of a [`Machine`].
pub trait Run: Fn(&NullKernel, &KernelWork) -> scythe::Result<()> + Send + Sync + 'static {}

impl<F: Fn(&NullKernel, &KernelWork) -> scythe::Result<()> + Send + Sync + 'static> Run for F {}

/// A runtime with a host that shares memory, and a device that does not.
pub struct Machine {
    pub host_backend: Arc<NullBackend>,
    pub device_backend: Arc<NullBackend>,
    pub host: &'static Device,
    pub device: &'static Device,
}

impl Machine {
    /// Creates a machine. Both backends call `run` for kernels and select the order of ready
    /// commands with `seed` (0: first come, first served).
    pub fn new(seed: u64, run: impl Run) -> Self {
        Self::with_device(|_| {}, seed, run)
    }

    /// Creates a machine whose devices have a modified description.
    pub fn with_device(adjust: fn(&mut DeviceInfo), seed: u64, run: impl Run) -> Self {
        let order = if seed == 0 { Order::Fifo } else { Order::Shuffled(seed) };
        let run = Arc::new(run);
        let backend = |kind, shares_host_memory| {
            let run = run.clone();
            NullBackend::new(NullOptions {
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
        Queue::new(context, device, in_order, false, None).expect("a queue")
    }
}

/// Creates a buffer on this memory.
pub fn buffer_on(data: &mut [u32]) -> Arc<Buffer> {
    let initial = Initial::Program { ptr: data.as_mut_ptr().cast(), only_copy: false };
    // SAFETY: the tests keep `data` until the buffer is destroyed.
    Arc::new(unsafe { Buffer::new(size_of_val(data) as u64, initial) }.expect("a buffer"))
}

pub fn access(buffer: &Buffer, mode: Mode) -> Access<'_> {
    Access { buffer, mode, no_init: false, native: false }
}

/// Returns the word at `offset` of a functor.
pub fn word(functor: *const u8, offset: usize) -> usize {
    // SAFETY: the kernels of the tests have functors of at least `offset + 8` bytes.
    unsafe { functor.add(offset).cast::<usize>().read_unaligned() }
}

/// Returns the handle of a buffer as stored in a functor.
pub fn handle(buffer: &Arc<Buffer>) -> usize {
    Arc::as_ptr(buffer).cast::<c_void>() as usize
}
