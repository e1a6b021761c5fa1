//! Boxes of elements, and the commands that copy and fill them.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::capi;
use scythe_hal::{CopyBox, Work};

use crate::dispatch::Keep;
use crate::memory::Buffer;
use crate::memory::host_copy::HostBlock;
use crate::{Result, invalid};

/// A box of elements inside a buffer or plain memory. Checked: it lies inside its memory, and no number overflows.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub place: ViewPlace<'a>,
    elem_size: usize,
    memory_range: [usize; 3],
    offset: [usize; 3],
    range: [usize; 3],
}

#[derive(Clone, Copy)]
pub enum ViewPlace<'a> {
    Buffer(&'a Buffer),
    Address(*mut u8),
}

impl<'a> View<'a> {
    /// Checks a view. `what` names it in messages; `buffer` is its buffer handle's.
    pub fn new(what: &str, view: &capi::View, buffer: Option<&'a Buffer>) -> Result<Self> {
        let describe = || {
            format!(
                "{what}: elements {:?} from {:?} of {:?} ({} bytes each)",
                sycl(view.range),
                sycl(view.offset),
                sycl(view.memory_range),
                view.elem_size
            )
        };
        for d in 0..3 {
            let end = view.offset[d].checked_add(view.range[d]);
            if view.range[d] > 0 && end.is_none_or(|end| end > view.memory_range[d]) {
                return Err(invalid(format!("{} do not lie inside", describe())));
            }
        }
        let sizes = [view.elem_size, view.memory_range[0], view.memory_range[1], view.memory_range[2]];
        let bytes = sizes.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let bytes = bytes.filter(|&bytes| bytes <= isize::MAX as u64);
        let Some(bytes) = bytes else { return Err(invalid(format!("{} are too many", describe()))) };
        let place = match buffer {
            Some(buffer) => {
                if bytes > buffer.size {
                    let size = buffer.size;
                    return Err(invalid(format!("{} do not fit the buffer's {size} bytes", describe())));
                }
                ViewPlace::Buffer(buffer)
            }
            None => {
                let empty = view.elem_size == 0 || view.range.contains(&0);
                if view.ptr.is_null() && !empty {
                    return Err(invalid(format!("{}: neither a buffer nor an address is given", describe())));
                }
                ViewPlace::Address(view.ptr.cast())
            }
        };
        let narrow = |numbers: [u64; 3]| numbers.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Self {
            place,
            elem_size: view.elem_size as usize,
            memory_range: narrow(view.memory_range),
            offset: narrow(view.offset),
            range: narrow(view.range),
        })
    }

    pub fn elem_size(&self) -> usize {
        self.elem_size
    }

    pub fn count(&self) -> usize {
        self.range.iter().product()
    }

    fn row_pitch(&self) -> usize {
        self.memory_range[0] * self.elem_size
    }

    fn plane_pitch(&self) -> usize {
        self.memory_range[1] * self.row_pitch()
    }

    /// Bytes from the start of the memory to the box.
    fn start(&self) -> usize {
        self.offset[0] * self.elem_size + self.offset[1] * self.row_pitch() + self.offset[2] * self.plane_pitch()
    }

    /// The box is one run of bytes.
    fn is_contiguous(&self) -> bool {
        let [width, rows, planes] = self.range;
        (rows == 1 && planes == 1) || (width == self.memory_range[0] && (planes == 1 || rows == self.memory_range[1]))
    }
}

/// Numbers in SYCL's order, the fastest last, for messages.
pub fn sycl(mut numbers: [u64; 3]) -> [u64; 3] {
    numbers.reverse();
    numbers
}

/// Work for one command, in steps that each wait for the one before.
pub struct Steps {
    pub first: (Work, Keep),
    pub second: Option<(Work, Keep)>,
}

impl Steps {
    fn one(work: Work, keep: Keep) -> Self {
        Self { first: (work, keep), second: None }
    }
}

/// Copies `src` to `dst`; the bases are the addresses of their memories.
pub fn copy(dst: &View<'_>, dst_base: *mut u8, src: &View<'_>, src_base: *mut u8) -> Result<Steps> {
    let (count, elem_size) = (src.count(), src.elem_size);
    if count != dst.count() || elem_size != dst.elem_size {
        return Err(invalid(format!(
            "copy of {count} elements of {elem_size} bytes to {} elements of {} bytes",
            dst.count(),
            dst.elem_size
        )));
    }
    let size = count * elem_size;
    if size == 0 {
        return Ok(Steps::one(Work::Marker, None));
    }
    let to: *mut c_void = dst_base.wrapping_add(dst.start()).cast();
    let from: *const c_void = src_base.wrapping_add(src.start()).cast_const().cast();
    if dst.is_contiguous() && src.is_contiguous() {
        return Ok(Steps::one(Work::Memcpy { dst: to, src: from, size }, None));
    }
    // A contiguous side can take the other's shape.
    if dst.range == src.range || src.is_contiguous() || dst.is_contiguous() {
        let shape = if src.is_contiguous() && dst.range != src.range { dst } else { src };
        let pitches = |view: &View<'_>| {
            if view.is_contiguous() {
                let row = shape.range[0] * elem_size;
                (row, row * shape.range[1])
            } else {
                (view.row_pitch(), view.plane_pitch())
            }
        };
        let region = region(shape, elem_size, pitches(src), pitches(dst));
        return Ok(Steps::one(Work::CopyRect { dst: to, src: from, region }, None));
    }
    // Two shapes with gaps: through memory without.
    let between = Arc::new(HostBlock::new(size)?);
    let middle: *mut c_void = between.address().cast();
    let dense = |view: &View<'_>| (view.range[0] * elem_size, view.range[0] * view.range[1] * elem_size);
    let gather = region(src, elem_size, (src.row_pitch(), src.plane_pitch()), dense(src));
    let scatter = region(dst, elem_size, dense(dst), (dst.row_pitch(), dst.plane_pitch()));
    Ok(Steps {
        first: (Work::CopyRect { dst: middle, src: from, region: gather }, Some(Box::new(between.clone()))),
        second: Some((Work::CopyRect { dst: to, src: middle, region: scatter }, Some(Box::new(between)))),
    })
}

/// Fills `dst` with a pattern of one element.
pub fn fill(dst: &View<'_>, dst_base: *mut u8, pattern: Vec<u8>) -> Result<Steps> {
    if dst.count() == 0 || pattern.is_empty() {
        return Ok(Steps::one(Work::Marker, None));
    }
    let to: *mut c_void = dst_base.wrapping_add(dst.start()).cast();
    if dst.is_contiguous() {
        return Ok(Steps::one(Work::Fill { dst: to, pattern, count: dst.count() }, None));
    }
    // One filled row is the source of every row: its pitches are 0.
    let row = HostBlock::new(dst.range[0] * dst.elem_size)?;
    for i in 0..dst.range[0] {
        // SAFETY: the row was allocated for this many elements.
        unsafe {
            let at = row.address().add(i * dst.elem_size);
            std::ptr::copy_nonoverlapping(pattern.as_ptr(), at, pattern.len());
        }
    }
    let region = region(dst, dst.elem_size, (0, 0), (dst.row_pitch(), dst.plane_pitch()));
    let src: *const c_void = row.address().cast_const().cast();
    Ok(Steps::one(Work::CopyRect { dst: to, src, region }, Some(Box::new(row))))
}

/// Runs of the shape's rows. Pitches are `(row, plane)`.
fn region(shape: &View<'_>, elem_size: usize, src: (usize, usize), dst: (usize, usize)) -> CopyBox {
    CopyBox {
        width: shape.range[0] * elem_size,
        rows: shape.range[1],
        planes: shape.range[2],
        src_row_pitch: src.0,
        src_plane_pitch: src.1,
        dst_row_pitch: dst.0,
        dst_plane_pitch: dst.1,
    }
}
