//! Validates kernel launches, and creates the functor that a kernel receives.

use std::sync::Arc;

use scythe_abi::capi;
use scythe_abi::launch::Shape;
use scythe_hal::{self as hal, Cooperation, FunctorBytes, HostKernelWork, KernelWork, Place};

use crate::copy::sycl;
use crate::demangle::symbol_name;
use crate::memory::Buffer;
use crate::platform::Device;
use crate::queue::Action;
use crate::registry::ReadyKernel;
use crate::{Errc, Error, Result, invalid};

/// The ranges of a launch. [`Ranges::new`] validates their form, [`Ranges::check`] their values.
#[derive(Clone, Copy)]
pub struct Ranges {
    pub shape: Shape,
    pub dims: u32,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// The size of a work-group as the program sees it. In a hierarchical kernel, one work-item
    /// runs a whole group of this size. Otherwise this is the local size.
    pub group_size: [u64; 3],
    pub cooperation: Cooperation,
}

impl Ranges {
    /// Creates the ranges of a launch, after checking that its shape exists.
    pub fn new(launch: &capi::KernelLaunch) -> Result<Self> {
        let sizes = [launch.global_size, launch.local_size, launch.global_offset];
        let shape = match launch.shape {
            capi::SHAPE_HIERARCHICAL => Some(Shape::NdRange),
            other => Shape::from_u32(other),
        };
        let Some(shape) = shape else {
            return Err(invalid(format!(
                "kernel shape {} is unknown, expected 0 to 3",
                launch.shape
            )));
        };
        let cooperation = match launch.cooperation {
            _ if shape != Shape::NdRange => Cooperation::None,
            capi::cooperation::ROOT => Cooperation::Root,
            capi::cooperation::CLUSTERS => Cooperation::Clusters(launch.cluster),
            _ => Cooperation::None,
        };
        Ok(Self {
            local_size: *launched_local_size(launch),
            cooperation,
            ..Self::of(shape, launch.dims, sizes)?
        })
    }

    /// Creates the launch of a kernel over these ranges.
    pub fn launch<'a>(
        &'a self,
        kernel: &'a ReadyKernel,
        functor: &'a [u8],
        place: Option<Place>,
    ) -> hal::LaunchView<'a> {
        hal::LaunchView {
            kernel,
            functor,
            dims: self.dims,
            global_size: &self.global_size,
            local_size: &self.local_size,
            global_offset: &self.global_offset,
            cooperation: self.cooperation,
            place,
        }
    }

    /// Creates the ranges of a native kernel, which cannot be hierarchical.
    pub fn of_native(launch: &capi::NativeLaunch) -> Result<Self> {
        let sizes = [launch.global_size, launch.local_size, launch.global_offset];
        let Some(shape) = Shape::from_u32(launch.shape) else {
            return Err(invalid(format!(
                "kernel shape {} of a native kernel is unknown, expected 0 to 2",
                launch.shape
            )));
        };
        Self::of(shape, launch.dims, sizes)
    }

    /// Creates ranges from a shape, and from the global size, the local size and the offset.
    pub fn of(
        shape: Shape,
        dims: u32,
        [global_size, local_size, global_offset]: [[u64; 3]; 3],
    ) -> Result<Self> {
        if !(1..=3).contains(&dims) || (shape == Shape::SingleTask && dims != 1) {
            return Err(invalid(format!(
                "a {} kernel cannot have {dims} dimensions",
                shape.as_str()
            )));
        }
        for d in dims as usize..3 {
            if (global_size[d], local_size[d], global_offset[d]) != (1, 1, 0) {
                return Err(invalid(format!(
                    "unused dimension {d} of a launch has size {}, local size {} and offset {}, \
                     expected 1, 1 and 0",
                    global_size[d], local_size[d], global_offset[d]
                )));
            }
        }
        if shape == Shape::SingleTask && global_size[0] != 1 {
            return Err(invalid(format!(
                "a single task has global size {}, expected 1",
                global_size[0]
            )));
        }
        let ranges = Self {
            shape,
            dims,
            global_size,
            local_size,
            global_offset,
            group_size: local_size,
            cooperation: Cooperation::None,
        };
        if shape != Shape::NdRange && local_size != [1; 3] {
            return Err(invalid(format!(
                "a {} kernel has local size {}, expected 1",
                shape.as_str(),
                ranges.show(local_size)
            )));
        }
        Ok(ranges)
    }

    /// Checks the ranges against the rules of SYCL and the limits of the device. The requirements
    /// of the kernel are checked first: the device may not meet them with any range.
    pub fn check(&self, device: &Device) -> Result<()> {
        let whole = |d: usize| match self.is_hierarchical() {
            true => self.global_size[d].checked_mul(self.group_size[d]),
            false => Some(self.global_size[d]),
        };
        let items = (0..3).try_fold(1u64, |product, d| product.checked_mul(whole(d)?));
        if items.is_none_or(|items| items > i64::MAX as u64) {
            return Err(self.error("the number of work-items exceeds 2^63 - 1".into()));
        }
        for (size, offset) in self.global_size.iter().zip(self.global_offset) {
            if offset.checked_add(*size).is_none_or(|end| end > i64::MAX as u64) {
                return Err(self.error(format!(
                    "the sum of offset {offset} and size {size} exceeds 2^63 - 1"
                )));
            }
        }
        if self.shape == Shape::NdRange {
            self.check_groups()?;
            self.check_limits(device)?;
        }
        Ok(())
    }

    /// Returns whether one work-item runs each work-group.
    pub fn is_hierarchical(&self) -> bool {
        self.group_size != self.local_size
    }

    fn check_groups(&self) -> Result<()> {
        for d in 0..self.dims as usize {
            let (global, local) = (self.global_size[d], self.local_size[d]);
            let dimension = self.dims as usize - 1 - d;
            if self.group_size[d] == 0 {
                return Err(self.error(format!("the local size in dimension {dimension} is 0")));
            }
            if global % local != 0 {
                return Err(self.error(format!(
                    "in dimension {dimension} the local size {local} does not divide the global \
                     size {global}"
                )));
            }
        }
        Ok(())
    }

    fn check_limits(&self, device: &Device) -> Result<()> {
        let info = device.hal.info();
        for d in 0..self.dims as usize {
            let (local, dimension) = (self.group_size[d], self.dims as usize - 1 - d);
            if info.max_work_item_sizes[d] != 0 && local > info.max_work_item_sizes[d] {
                return Err(self.error(format!(
                    "in dimension {dimension} the local size {local} exceeds the limit of {} on {}",
                    info.max_work_item_sizes[d],
                    device.name()
                )));
            }
        }
        let items = self.group_size.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        if items.is_none_or(|items| items > info.max_work_group_size) {
            return Err(self.error(format!(
                "a work-group of {} work-items exceeds the limit of {} on {}",
                items.map_or_else(|| "2^64 or more".to_owned(), |items| items.to_string()),
                info.max_work_group_size,
                device.name()
            )));
        }
        Ok(())
    }

    /// Checks that the work-groups have the size that the kernel's attribute requires. `required`
    /// is in SYCL's order.
    pub fn check_required(&self, required: &[u32]) -> Result<()> {
        let fastest_first = required.iter().rev().map(|&size| u64::from(size));
        if self.shape != Shape::NdRange
            || (required.len() == self.dims as usize
                && fastest_first.eq(self.group_size[..required.len()].iter().copied()))
        {
            return Ok(());
        }
        let required: Vec<String> = required.iter().map(u32::to_string).collect();
        Err(self.error(format!(
            "the kernel has a required work-group size of {{{}}}",
            required.join(", ")
        )))
    }

    /// Returns whether no work-item runs.
    pub fn is_empty(&self) -> bool {
        self.global_size.contains(&0)
    }

    fn show(&self, numbers: [u64; 3]) -> String {
        let used: Vec<String> =
            sycl(numbers)[3 - self.dims as usize..].iter().map(u64::to_string).collect();
        format!("{{{}}}", used.join(", "))
    }

    fn error(&self, why: String) -> Error {
        let global = self.show(self.global_size);
        let message = match self.shape {
            Shape::NdRange if self.is_hierarchical() => {
                format!("{global} work-groups of size {}: {why}", self.show(self.group_size))
            }
            Shape::NdRange => {
                format!(
                    "nd_range of global size {global}, local size {}: {why}",
                    self.show(self.local_size)
                )
            }
            Shape::SingleTask | Shape::Range => format!("range of size {global}: {why}"),
        };
        Error::new(Errc::NdRange, message)
    }
}

/// Returns the local size on the device. In a hierarchical kernel, a work-group is one work-item.
pub fn launched_local_size(launch: &capi::KernelLaunch) -> &[u64; 3] {
    if launch.shape == capi::SHAPE_HIERARCHICAL { &[1; 3] } else { &launch.local_size }
}

impl Action<'_> {
    /// Creates the launch of an image's kernel, or a marker if no work-item runs.
    pub fn kernel(
        kernel: Arc<ReadyKernel>,
        functor: &[u8],
        ranges: &Ranges,
        place: Option<Place>,
    ) -> Self {
        if ranges.is_empty() {
            return Self::Marker;
        }
        let work = Box::new(KernelWork {
            kernel: kernel.clone(),
            functor: FunctorBytes::new(functor),
            dims: ranges.dims,
            global_size: ranges.global_size,
            local_size: ranges.local_size,
            global_offset: ranges.global_offset,
            cooperation: ranges.cooperation,
            place,
        });
        Self::Kernel { kernel, work }
    }

    /// Creates the launch of a kernel in host mode, or a marker if no work-item runs.
    pub fn host_kernel(call: capi::HostKernel, functor: &[u8], ranges: &Ranges) -> Self {
        if ranges.is_empty() {
            return Self::Marker;
        }
        Self::HostKernel(Box::new(HostKernelWork {
            call,
            functor: FunctorBytes::new(functor),
            shape: ranges.shape,
            global_size: ranges.global_size,
            local_size: ranges.local_size,
            global_offset: ranges.global_offset,
        }))
    }
}

/// Returns the size of the local accessors of a work-group, each at a multiple of `align`.
pub fn local_memory(kernel: &ReadyKernel, functor: &[u8], align: u64) -> u64 {
    kernel.local_accessors().iter().fold(0u64, |total, &offset| {
        let head = functor
            .get(offset..)
            .and_then(|rest| rest.get(8..16))
            .and_then(|bytes| bytes.try_into().ok());
        let bytes = head.map_or(0, u64::from_ne_bytes).checked_next_multiple_of(align);
        total.saturating_add(bytes.unwrap_or(u64::MAX))
    })
}

/// Checks that the local accessors of a work-group fit into the local memory of the device. The
/// functor must have the size that the launch rows of the kernel state.
pub fn check_local_memory(
    kernel: &ReadyKernel,
    functor: &[u8],
    shape: Shape,
    device: &Device,
) -> Result<()> {
    if kernel.local_accessors().is_empty() {
        return Ok(());
    }
    if shape != Shape::NdRange {
        let message = format!(
            "kernel '{}' has a local accessor, but is launched as {}; launch it with an nd_range",
            symbol_name(kernel.symbol()),
            shape.as_str()
        );
        return Err(Error::new(Errc::KernelArgument, message));
    }
    let total = local_memory(kernel, functor, 1);
    let limit = device.hal.info().local_mem_size;
    if total <= limit {
        return Ok(());
    }
    let message = format!(
        "kernel '{}' needs {total} bytes of local memory in each work-group, which exceeds the \
         limit of {limit} on {}",
        symbol_name(kernel.symbol()),
        device.name()
    );
    Err(Error::new(Errc::MemoryAllocation, message))
}

/// A buffer that a command uses, and its address for that command.
pub struct Placed<'a> {
    pub buffer: &'a Buffer,
    pub address: *mut u8,
}

/// Returns the address of `buffer`, or `None` if the command does not use it.
pub fn find(placed: &[Placed<'_>], buffer: *const Buffer) -> Option<*mut u8> {
    placed.iter().find(|p| std::ptr::eq(p.buffer, buffer)).map(|p| p.address)
}

/// Stores the addresses of buffers in the accessors of a functor. `accessors` are the offsets of
/// the accessors. Buffer handles are only compared: a handle that is no longer valid does not match
/// any of the command's buffers.
pub fn place_accessors(
    functor: &mut FunctorBytes,
    accessors: &[usize],
    kernel: &str,
    placed: &[Placed<'_>],
) -> Result<()> {
    for (index, &offset) in accessors.iter().enumerate() {
        if offset.checked_add(size_of::<capi::AccessorHead>()).is_none_or(|end| end > functor.len())
        {
            return Err(Error::new(
                Errc::KernelArgument,
                format!(
                    "accessor {index} of kernel '{kernel}' lies outside its functor of {} bytes",
                    functor.len()
                ),
            ));
        }
        // SAFETY: the functor contains a whole accessor head at `offset`, and any bytes are a valid
        // `AccessorHead`.
        let head =
            unsafe { functor.as_ptr().add(offset).cast::<capi::AccessorHead>().read_unaligned() };
        let address = if head.buffer.is_null() {
            // A default-constructed accessor does not refer to a buffer.
            std::ptr::null_mut()
        } else {
            find(placed, head.buffer.cast()).ok_or_else(|| {
                Error::new(
                    Errc::KernelArgument,
                    format!(
                        "accessor {index} of kernel '{kernel}' uses a buffer that its command \
                         group does not require: construct the accessor with the handler, or call \
                         handler::require"
                    ),
                )
            })?
        };
        functor.put_u64(offset, address as u64);
    }
    Ok(())
}
