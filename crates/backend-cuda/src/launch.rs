//! Kernel launches: passes arguments (`scythe_abi::cuda`) directly from the functor, and computes
//! the grid.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use scythe_abi::cuda::{LOCAL_ALIGNMENT, Launch};
use scythe_abi::launch::{ParamKind, Shape};
use scythe_hal::{self as hal, Cooperation, Errc, Error, Result};

use crate::api::{Address, Handle, KernelNode, LaunchAttribute, LaunchConfig};
use crate::error::{self, SUCCESS};
use crate::geometry::{self, Part, Remembered};
use crate::program::{CudaKernel, too_much_local};

/// The maximum number of parameters for a launch without allocation.
const INLINE: usize = 40;
/// The maximum number of local accessors for a launch without allocation.
const INLINE_LOCALS: usize = 8;

/// A checked launch. Only the device itself can still reject it.
pub(crate) struct Checked<'a> {
    kernel: &'a CudaKernel,
    work: hal::LaunchView<'a>,
    block: [u32; 3],
    groups: [u32; 3],
    dynamic_shared: u32,
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER_DIMENSION: i32 = 4;
/// `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE`.
const COOPERATIVE_LAUNCH_TOO_LARGE: i32 = 720;

impl<'a> Checked<'a> {
    /// Checks a launch. The context must be current, and the range must have at least one work-item
    /// in each dimension.
    pub(crate) fn new(kernel: &'a CudaKernel, work: hal::LaunchView<'a>) -> Result<Self> {
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
            // Avoid the division if possible, because it is slow.
            let count = match block[d] {
                1 => work.global_size[d],
                threads => work.global_size[d].div_ceil(u64::from(threads)),
            };
            groups[d] = u32::try_from(count).map_err(|_| too_many(kernel, &work, d, count))?;
        }
        Ok(Self { kernel, work, block, groups, dynamic_shared })
    }

    /// Returns the position of the submission.
    pub(crate) fn place(&self) -> Option<hal::Place> {
        self.work.place
    }

    /// Returns whether the work-groups wait for each other, so that the launch needs a word at
    /// which they meet.
    pub(crate) fn meets(&self) -> bool {
        self.work.cooperation == Cooperation::Root
    }

    /// Submits the kernel to the driver. Returns the driver's result code. `meeting` is the address
    /// of the word of [`Checked::meets`], or 0 for other launches.
    ///
    /// # Safety
    /// The functor contains every parameter at its offset, and the stream is alive and belongs to
    /// the current context. No launch that uses the same word runs at the same time.
    pub(crate) unsafe fn launch(&self, stream: Handle, meeting: Address) -> i32 {
        let (kernel, [bx, by, bz]) = (self.kernel, self.block);
        let (api, shared) = (kernel.gpu().api, self.dynamic_shared);
        // SAFETY: there are as many arguments as the kernel has parameters, and each is as large as
        // its parameter. The driver copies them before the call returns. The caller guarantees that
        // the stream is valid and that the functor contains every parameter.
        unsafe {
            self.submit(meeting, |grid @ [gx, gy, gz], arguments| match self.work.cooperation {
                Cooperation::None => (api.launch_kernel)(
                    kernel.raw,
                    gx,
                    gy,
                    gz,
                    bx,
                    by,
                    bz,
                    shared,
                    stream,
                    arguments,
                    null_mut(),
                ),
                Cooperation::Root => (api.launch_cooperative_kernel)(
                    kernel.raw, gx, gy, gz, bx, by, bz, shared, stream, arguments,
                ),
                Cooperation::Clusters([x, y, z]) => {
                    let Some(launch) = api.launch_kernel_ex else { return error::INVALID_VALUE };
                    let mut cluster =
                        LaunchAttribute { id: CLUSTER_DIMENSION, padding: [0; 4], value: [0; 16] };
                    cluster.value[..3].copy_from_slice(&[x, y, z]);
                    let config = LaunchConfig {
                        grid,
                        block: self.block,
                        shared,
                        stream,
                        attributes: &cluster,
                        attribute_count: 1,
                    };
                    launch(&config, kernel.raw, arguments, null_mut())
                }
            })
        }
    }

    /// Returns whether a node of a graph can be changed to this launch: nodes keep their kind.
    pub(crate) fn is_plain(&self) -> bool {
        self.work.cooperation == Cooperation::None && self.is_single()
    }

    /// Returns whether one launch of the driver covers the range.
    pub(crate) fn is_single(&self) -> bool {
        let most = self.kernel.gpu().limits.max_grid;
        (0..3).all(|d| self.groups[d] <= most[d])
    }

    /// Calls `set` with the launch as parameters of a graph's node, if [`Checked::is_single`].
    ///
    /// # Safety
    /// The functor contains every parameter at its offset.
    pub(crate) unsafe fn with_params(&self, mut set: impl FnMut(&KernelNode) -> i32) -> i32 {
        // SAFETY: the caller guarantees that the functor contains every parameter.
        unsafe {
            self.submit(0, |grid, arguments| {
                set(&KernelNode {
                    function: self.kernel.raw,
                    grid,
                    block: self.block,
                    shared: self.dynamic_shared,
                    arguments,
                    extra: null_mut(),
                    kernel: null_mut(),
                    context: null_mut(),
                })
            })
        }
    }

    /// Calls `call` with the grid and the arguments of each launch. `meeting` is as for
    /// [`Checked::launch`].
    ///
    /// # Safety
    /// The functor contains every parameter at its offset.
    unsafe fn submit(
        &self,
        meeting: Address,
        mut call: impl FnMut([u32; 3], *const *mut c_void) -> i32,
    ) -> i32 {
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
            // SAFETY: the caller guarantees that the functor contains every parameter at its
            // offset.
            unsafe { self.place_locals(arguments, offsets) };
        }
        let mut launch_block = Launch {
            start: *work.global_offset,
            end: std::array::from_fn(|d| work.global_offset[d] + work.global_size[d]),
            global_size: *work.global_size,
            global_offset: *work.global_offset,
            first_group: [0; 3],
            num_groups: self.groups,
            meeting,
        };
        let launch_block = &raw mut launch_block;
        arguments[count - 1].write(launch_block.cast());
        let arguments = arguments.as_ptr().cast::<*mut c_void>();
        let most = kernel.gpu().limits.max_grid;
        // Parts of a range would not run at the same time. The driver rejects too large a grid.
        if self.is_single() || self.work.cooperation != Cooperation::None {
            return call(self.groups, arguments);
        }
        for Part { first, groups } in geometry::parts(self.groups, most) {
            let start =
                |d: usize| work.global_offset[d] + u64::from(first[d]) * u64::from(self.block[d]);
            // SAFETY: the launch block is a local variable of this function, and the driver has
            // copied it in earlier launches.
            unsafe {
                (*launch_block).first_group = first;
                (*launch_block).start = std::array::from_fn(start);
            }
            let code = call(groups, arguments);
            if code != SUCCESS {
                return code;
            }
        }
        SUCCESS
    }

    /// Makes the arguments of local accessors point to their offsets, which are consecutive.
    /// `offsets` has room for all of them.
    ///
    /// # Safety
    /// The functor contains every parameter at its offset.
    unsafe fn place_locals(&self, arguments: &mut [MaybeUninit<*mut c_void>], offsets: &mut [u32]) {
        let locals = self
            .kernel
            .params
            .iter()
            .zip(arguments)
            .filter(|(param, _)| param.kind == ParamKind::Local);
        let mut next = 0u32;
        for ((param, argument), offset) in locals.zip(offsets) {
            // SAFETY: the caller guarantees that the functor contains the accessor at this offset.
            let size = unsafe {
                local_size(self.work.functor.as_ptr().wrapping_add(param.offset as usize))
            };
            *offset = next;
            argument.write((&raw mut *offset).cast());
            // `dynamic_shared` has checked that the total fits.
            next += (size as u32).next_multiple_of(LOCAL_ALIGNMENT);
        }
    }

    /// Returns the error of a failed launch. The caller must not hold the lock of a stream.
    pub(crate) fn error(&self, code: i32) -> Error {
        let (kernel, gpu) = (self.kernel, self.kernel.gpu());
        let what = format!("launching kernel '{}'", kernel.name());
        if code == COOPERATIVE_LAUNCH_TOO_LARGE {
            let message = format!(
                "kernel '{}' uses use_root_sync with {:?} work-groups of {:?} work-items (fastest \
                 first), which cannot run at the same time on {}: query max_num_work_groups",
                kernel.name(),
                self.groups,
                self.block,
                gpu.name
            );
            return Error::new(Errc::NdRange, message);
        }
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

/// Returns the size of a local accessor, which is its second word.
///
/// # Safety
/// Two words are readable at `at`.
unsafe fn local_size(at: *const u8) -> u64 {
    // SAFETY: the caller guarantees that two words are readable. The read allows any alignment,
    // because the accessor may be anywhere in the functor.
    unsafe { at.add(8).cast::<u64>().read_unaligned() }
}

/// Returns the total size of the local accessors' memory. Reports an error if it exceeds the
/// maximum for any kernel.
fn dynamic_shared(kernel: &CudaKernel, work: &hal::LaunchView<'_>) -> Result<u32> {
    if kernel.locals == 0 {
        return Ok(0);
    }
    let mut total = 0u64;
    for param in kernel.params.iter().filter(|param| param.kind == ParamKind::Local) {
        // SAFETY: the functor has at least the size in the launch description, which includes the
        // accessor.
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

/// Returns the work-group of an nd_range. The device supports this size, but the kernel may not.
fn group(kernel: &CudaKernel, work: &hal::LaunchView<'_>) -> Result<[u32; 3]> {
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

/// Returns the block of a range with several dimensions. Reuses the block of the last range if the
/// size is the same.
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

fn too_many(kernel: &CudaKernel, work: &hal::LaunchView<'_>, d: usize, count: u64) -> Error {
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
