//! A kernel launch: the arguments of `scythe_abi::cuda`, straight out of the functor, and a grid.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use scythe_abi::cuda::{LOCAL_ALIGNMENT, Launch};
use scythe_abi::launch::{ParamKind, Shape};
use scythe_hal::{self as hal, Errc, Error, Result};

use crate::api::Handle;
use crate::error::{self, SUCCESS};
use crate::geometry::{self, Part, Remembered};
use crate::program::{CudaKernel, too_much_local};

/// Kernels with up to this many parameters are launched without allocating.
const INLINE: usize = 40;
/// And this many local accessors.
const INLINE_LOCALS: usize = 8;

/// A launch that has been checked: all that can be wrong with it but for the device itself.
pub(crate) struct Checked<'a> {
    kernel: &'a CudaKernel,
    work: hal::Launch<'a>,
    block: [u32; 3],
    groups: [u32; 3],
    dynamic_shared: u32,
}

impl<'a> Checked<'a> {
    /// The context is current. No work-item less than one in any dimension.
    pub(crate) fn new(kernel: &'a CudaKernel, work: hal::Launch<'a>) -> Result<Self> {
        if (work.functor.len() as u64) < kernel.functor_size {
            let (given, name) = (work.functor.len(), kernel.name());
            let message = format!(
                "kernel '{name}' received a functor of {given} bytes, expected {}",
                kernel.functor_size
            );
            return Err(Error::new(Errc::KernelArgument, message));
        }
        if kernel.shape == Shape::SingleTask && kernel.locals == 0 {
            return Ok(Self { kernel, work, block: [1; 3], groups: [1; 3], dynamic_shared: 0 });
        }
        let dynamic_shared = dynamic_shared(kernel, &work)?;
        kernel.allow_shared(dynamic_shared)?;
        let block = match kernel.shape {
            Shape::SingleTask => [1; 3],
            Shape::NdRange => group(kernel, &work)?,
            Shape::Range if work.dims == 1 => {
                geometry::line(work.global_size[0], kernel.threads(), &kernel.gpu().limits)
            }
            Shape::Range => range_block(kernel, *work.global_size),
        };
        let mut groups = [0; 3];
        for d in 0..3 {
            // Dividing takes long.
            let count = match block[d] {
                1 => work.global_size[d],
                threads => work.global_size[d].div_ceil(u64::from(threads)),
            };
            groups[d] = u32::try_from(count).map_err(|_| too_many(kernel, &work, d, count))?;
        }
        Ok(Self { kernel, work, block, groups, dynamic_shared })
    }

    /// Gives the kernel to the driver, whose number says how that went.
    ///
    /// # Safety
    /// The functor holds every parameter at its offset, and the stream is alive and of the current
    /// context.
    pub(crate) unsafe fn launch(&self, stream: Handle) -> i32 {
        let (kernel, work) = (self.kernel, &self.work);
        let count = kernel.params.len() + 1;
        let mut inline = [const { MaybeUninit::<*mut c_void>::uninit() }; INLINE];
        let mut heap = Vec::new();
        let arguments: &mut [MaybeUninit<*mut c_void>] = if count <= INLINE {
            &mut inline[..count]
        } else {
            heap.resize_with(count, MaybeUninit::uninit);
            &mut heap
        };
        let (mut few, mut many) = ([0; INLINE_LOCALS], Vec::new());
        for (argument, param) in arguments.iter_mut().zip(&kernel.params) {
            argument
                .write(work.functor.as_ptr().wrapping_add(param.offset as usize).cast_mut().cast());
        }
        if kernel.locals > 0 {
            let offsets: &mut [u32] = if kernel.locals <= INLINE_LOCALS {
                &mut few
            } else {
                many.resize(kernel.locals, 0);
                &mut many
            };
            // SAFETY: the caller's contract.
            unsafe { self.place_locals(arguments, offsets) };
        }
        let mut launch_block = Launch {
            start: *work.global_offset,
            end: std::array::from_fn(|d| work.global_offset[d] + work.global_size[d]),
            global_size: *work.global_size,
            global_offset: *work.global_offset,
            first_group: [0; 3],
            num_groups: self.groups,
        };
        let launch_block = &raw mut launch_block;
        arguments[count - 1].write(launch_block.cast());
        let arguments = arguments.as_ptr().cast::<*mut c_void>();
        let [bx, by, bz] = self.block;
        let launch = |[gx, gy, gz]: [u32; 3]| {
            // SAFETY: as many arguments as the kernel has parameters, each as large as the kernel
            // takes it; the driver copies them before it returns.
            unsafe {
                let (launch, shared) = (kernel.gpu().api.launch_kernel, self.dynamic_shared);
                launch(kernel.raw, gx, gy, gz, bx, by, bz, shared, stream, arguments, null_mut())
            }
        };
        let most = kernel.gpu().limits.max_grid;
        if (0..3).all(|d| self.groups[d] <= most[d]) {
            return launch(self.groups);
        }
        for Part { first, groups } in geometry::parts(self.groups, most) {
            let start =
                |d: usize| work.global_offset[d] + u64::from(first[d]) * u64::from(self.block[d]);
            // SAFETY: the block is this function's, and the driver is not using it.
            unsafe {
                (*launch_block).first_group = first;
                (*launch_block).start = std::array::from_fn(start);
            }
            let code = launch(groups);
            if code != SUCCESS {
                return code;
            }
        }
        SUCCESS
    }

    /// Lets the arguments of local accessors be their offsets, one after another, which `offsets`
    /// has room for.
    ///
    /// # Safety
    /// The functor holds every parameter at its offset.
    unsafe fn place_locals(&self, arguments: &mut [MaybeUninit<*mut c_void>], offsets: &mut [u32]) {
        let locals = self
            .kernel
            .params
            .iter()
            .zip(arguments)
            .filter(|(param, _)| param.kind == ParamKind::Local);
        let mut next = 0u32;
        for ((param, argument), offset) in locals.zip(offsets) {
            // SAFETY: passed on.
            let size = unsafe {
                local_size(self.work.functor.as_ptr().wrapping_add(param.offset as usize))
            };
            *offset = next;
            argument.write((&raw mut *offset).cast());
            // `dynamic_shared` has found that it fits.
            next += (size as u32).next_multiple_of(LOCAL_ALIGNMENT);
        }
    }

    /// The error of a launch that failed. No lock of a stream is held.
    pub(crate) fn error(&self, code: i32) -> Error {
        let (kernel, gpu) = (self.kernel, self.kernel.gpu());
        let what = format!("launching kernel '{}'", kernel.name());
        if error::is_sticky(code) || code != error::INVALID_VALUE {
            return gpu.error(code, &what);
        }
        let Self { block, groups, dynamic_shared, .. } = self;
        let message = format!(
            "CUDA: {what} failed with {}; {groups:?} blocks of {block:?} threads, {dynamic_shared} \
             bytes of dynamic and {} of static shared memory, {} registers",
            error::describe(gpu.api, code),
            kernel.static_shared,
            kernel.registers
        );
        Error::new(Errc::NdRange, message)
    }
}

/// A local accessor's second word is its size.
///
/// # Safety
/// Two words can be read at `at`.
unsafe fn local_size(at: *const u8) -> u64 {
    // SAFETY: the caller's contract; it may stand anywhere in the functor.
    unsafe { at.add(8).cast::<u64>().read_unaligned() }
}

/// The local accessors' memory, one after another; an error where that is more than any kernel can
/// have.
fn dynamic_shared(kernel: &CudaKernel, work: &hal::Launch<'_>) -> Result<u32> {
    if kernel.locals == 0 {
        return Ok(0);
    }
    let mut total = 0u64;
    for param in kernel.params.iter().filter(|param| param.kind == ParamKind::Local) {
        // SAFETY: the functor is as large as the launch rows say, which hold the accessor.
        let size = unsafe { local_size(work.functor.as_ptr().wrapping_add(param.offset as usize)) };
        let padded = size.checked_next_multiple_of(u64::from(LOCAL_ALIGNMENT)).unwrap_or(u64::MAX);
        total = total.saturating_add(padded);
    }
    match i32::try_from(total) {
        Ok(total) => Ok(total as u32),
        Err(_) => {
            Err(too_much_local(kernel, total.saturating_add(u64::from(kernel.static_shared))))
        }
    }
}

/// The work-group of an nd_range, which the device allows; the kernel may not.
fn group(kernel: &CudaKernel, work: &hal::Launch<'_>) -> Result<[u32; 3]> {
    let items = work.local_size.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
    match items {
        Some(items) if items <= u64::from(kernel.max_threads) => {
            Ok(work.local_size.map(|n| n as u32))
        }
        _ => {
            let size: Vec<String> =
                work.local_size[..work.dims as usize].iter().rev().map(u64::to_string).collect();
            let message = format!(
                "a work-group of size {{{}}} exceeds the limit of {} work-items for kernel '{}' on \
                 {}: each work-item needs {} registers",
                size.join(", "),
                kernel.max_threads,
                kernel.name(),
                kernel.gpu().name,
                kernel.registers
            );
            Err(Error::new(Errc::NdRange, message))
        }
    }
}

/// The block of a range of several dimensions: the last one's, where that was of the same size.
fn range_block(kernel: &CudaKernel, global: [u64; 3]) -> [u32; 3] {
    let known = kernel.geometry.lock().map(|known| *known).unwrap_or_default();
    if known.global == global {
        return known.block;
    }
    let block = geometry::block(global, kernel.threads(), &kernel.gpu().limits);
    if let Ok(mut known) = kernel.geometry.lock() {
        *known = Remembered { global, block };
    }
    block
}

fn too_many(kernel: &CudaKernel, work: &hal::Launch<'_>, d: usize, count: u64) -> Error {
    let dimension = work.dims as usize - 1 - d.min(work.dims as usize - 1);
    let message = format!(
        "kernel '{}' needs {count} work-groups in dimension {dimension}, which exceeds the limit \
         of {} on {}",
        kernel.name(),
        u32::MAX,
        kernel.gpu().name
    );
    Error::new(Errc::NdRange, message)
}
