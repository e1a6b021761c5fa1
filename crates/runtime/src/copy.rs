//! Boxes of elements, and the commands that copy and fill them.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::capi;
use scythe_hal::{CopyBox, Keep, Work};

use crate::memory::Buffer;
use crate::memory::host_copy::HostBlock;
use crate::{Result, invalid};

/// A box of elements in a buffer or in plain memory. It is validated: it lies inside its memory,
/// and no number overflows.
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
    /// Validates a view. `what` names it in messages; `buffer` is the buffer of its handle.
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
                return Err(invalid(format!("{} exceed the memory range", describe())));
            }
        }
        let sizes =
            [view.elem_size, view.memory_range[0], view.memory_range[1], view.memory_range[2]];
        let bytes = sizes.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let bytes = bytes.filter(|&bytes| bytes <= isize::MAX as u64);
        let Some(bytes) = bytes else {
            return Err(invalid(format!("{} exceed the address space", describe())));
        };
        let place = match buffer {
            Some(buffer) => {
                if bytes > buffer.size {
                    let size = buffer.size;
                    return Err(invalid(format!(
                        "{} exceed the buffer's {size} bytes",
                        describe()
                    )));
                }
                ViewPlace::Buffer(buffer)
            }
            None => {
                let empty = view.elem_size == 0 || view.range.contains(&0);
                if view.ptr.is_null() && !empty {
                    return Err(invalid(format!(
                        "{}: expected a buffer or an address that is not null",
                        describe()
                    )));
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

    /// Returns whether the box is in plain memory.
    pub fn is_plain(&self) -> bool {
        matches!(self.place, ViewPlace::Address(_))
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

    /// Returns the number of bytes from the start of the memory to the box.
    fn start(&self) -> usize {
        self.offset[0] * self.elem_size
            + self.offset[1] * self.row_pitch()
            + self.offset[2] * self.plane_pitch()
    }

    /// Returns whether the box is a single run of bytes.
    fn is_contiguous(&self) -> bool {
        let [width, rows, planes] = self.range;
        (rows == 1 && planes == 1)
            || (width == self.memory_range[0] && (planes == 1 || rows == self.memory_range[1]))
    }

    /// Returns boxes that together are the first `count` elements of this one in row-major order:
    /// planes, rows and a part of a row, or a single box if that suffices.
    fn first(&self, count: usize) -> Vec<Self> {
        let [width, rows, planes] = self.range;
        if count >= width * rows * planes {
            return vec![*self];
        }
        if self.is_contiguous() {
            // The same memory, as a single row.
            let [x, y, z] = self.offset;
            let before = (z * self.memory_range[1] + y) * self.memory_range[0] + x;
            let memory_range = [self.memory_range.iter().product(), 1, 1];
            return vec![Self {
                memory_range,
                offset: [before, 0, 0],
                range: [count, 1, 1],
                ..*self
            }];
        }
        let (full_planes, rest) = (count / (width * rows), count % (width * rows));
        let (full_rows, part) = (rest / width, rest % width);
        let [x, y, z] = self.offset;
        let boxes = [
            Self { range: [width, rows, full_planes], ..*self },
            Self { range: [width, full_rows, 1], offset: [x, y, z + full_planes], ..*self },
            Self { range: [part, 1, 1], offset: [x, y + full_rows, z + full_planes], ..*self },
        ];
        boxes.into_iter().filter(|part| part.count() > 0).collect()
    }

    /// Returns the address of the box in memory that starts at `base`.
    fn address(&self, base: *mut u8) -> *mut c_void {
        base.wrapping_add(self.start()).cast()
    }
}

/// Reverses numbers to SYCL's order, the fastest dimension last, for messages.
pub fn sycl(mut numbers: [u64; 3]) -> [u64; 3] {
    numbers.reverse();
    numbers
}

/// The work of one command, in steps that each wait for the previous step.
pub struct Steps {
    pub first: (Work, Keep),
    pub rest: Vec<(Work, Keep)>,
}

impl Steps {
    fn one(work: Work, keep: Keep) -> Self {
        Self { first: (work, keep), rest: Vec::new() }
    }
}

/// Copies the elements of `src` to the first elements of `dst`, both in row-major order. The bases
/// are the addresses of the memory of each view.
pub fn copy(dst: &View<'_>, dst_base: *mut u8, src: &View<'_>, src_base: *mut u8) -> Result<Steps> {
    let (count, elem_size) = (src.count(), src.elem_size);
    if count > dst.count() || elem_size != dst.elem_size {
        return Err(invalid(format!(
            "cannot copy {count} elements of {elem_size} bytes to {} elements of {} bytes: \
             expected a destination at least as large, with the same element size",
            dst.count(),
            dst.elem_size
        )));
    }
    let size = count * elem_size;
    if size == 0 {
        return Ok(Steps::one(Work::Marker, None));
    }
    let from = src.address(src_base).cast_const();
    let parts;
    let parts = match count == dst.count() {
        true => std::slice::from_ref(dst),
        false => {
            parts = dst.first(count);
            &parts[..]
        }
    };
    let [dst] = parts else { return copy_to_parts(parts, dst_base, src, from) };
    let to = dst.address(dst_base);
    if dst.is_contiguous() && src.is_contiguous() {
        return Ok(Steps::one(Work::Memcpy { dst: to, src: from, size }, None));
    }
    // A contiguous side can use the shape of the other side.
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
    // Both shapes have gaps.
    copy_to_parts(parts, dst_base, src, from)
}

/// Copies the elements of `src`, whose box begins at `from`, to boxes with the same number of
/// elements. If the elements of `src` have gaps between them, they are first copied to contiguous
/// memory.
fn copy_to_parts(
    parts: &[View<'_>],
    dst_base: *mut u8,
    src: &View<'_>,
    from: *const c_void,
) -> Result<Steps> {
    let elem_size = src.elem_size;
    let dense =
        |view: &View<'_>| (view.range[0] * elem_size, view.range[0] * view.range[1] * elem_size);
    let mut steps: VecDeque<(Work, Keep)> = VecDeque::new();
    let mut between = None;
    let mut at = from;
    if !src.is_contiguous() {
        let block = Arc::new(HostBlock::new(src.count() * elem_size)?);
        let middle: *mut c_void = block.address().cast();
        let gather = region(src, elem_size, (src.row_pitch(), src.plane_pitch()), dense(src));
        steps.push_back((
            Work::CopyRect { dst: middle, src: from, region: gather },
            Some(Box::new(block.clone())),
        ));
        at = middle.cast_const();
        between = Some(block);
    }
    for part in parts {
        let scatter = region(part, elem_size, dense(part), (part.row_pitch(), part.plane_pitch()));
        let work = Work::CopyRect { dst: part.address(dst_base), src: at, region: scatter };
        steps.push_back((work, between.clone().map(|block| Box::new(block) as _)));
        at = at.wrapping_byte_add(part.count() * elem_size);
    }
    let first = steps.pop_front().unwrap_or((Work::Marker, None));
    Ok(Steps { first, rest: steps.into() })
}

/// Fills `dst` with a pattern of one element.
pub fn fill(dst: &View<'_>, dst_base: *mut u8, pattern: Vec<u8>) -> Result<Steps> {
    if dst.count() == 0 || pattern.is_empty() {
        return Ok(Steps::one(Work::Marker, None));
    }
    let to = dst.address(dst_base);
    if dst.is_contiguous() {
        return Ok(Steps::one(Work::Fill { dst: to, pattern, count: dst.count() }, None));
    }
    // One filled row is the source of every row, so the pitches of the source are 0.
    let row = HostBlock::new(dst.range[0] * dst.elem_size)?;
    for i in 0..dst.range[0] {
        // SAFETY: the row was allocated for `dst.range[0]` elements of `dst.elem_size` bytes.
        unsafe {
            let at = row.address().add(i * dst.elem_size);
            std::ptr::copy_nonoverlapping(pattern.as_ptr(), at, pattern.len());
        }
    }
    let region = region(dst, dst.elem_size, (0, 0), (dst.row_pitch(), dst.plane_pitch()));
    let src: *const c_void = row.address().cast_const().cast();
    Ok(Steps::one(Work::CopyRect { dst: to, src, region }, Some(Box::new(row))))
}

/// Returns the copy region for the rows of the shape. Pitches are `(row, plane)`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn view(memory_range: [usize; 3], offset: [usize; 3], range: [usize; 3]) -> View<'static> {
        View {
            place: ViewPlace::Address(std::ptr::null_mut()),
            elem_size: 1,
            memory_range,
            offset,
            range,
        }
    }

    /// Returns the offsets of all elements of a box, in row-major order.
    fn elements(view: &View<'_>) -> Vec<usize> {
        let [width, rows, planes] = view.range;
        let of_row = |z: usize, y: usize| {
            (0..width).map(move |x| x + y * view.row_pitch() + z * view.plane_pitch())
        };
        (0..planes)
            .flat_map(|z| (0..rows).flat_map(move |y| of_row(z, y)))
            .map(|element| element + view.start())
            .collect()
    }

    #[test]
    fn the_first_elements_of_a_box_are_boxes_in_row_major_order() {
        let shapes = [
            view([5, 4, 3], [1, 1, 0], [3, 2, 3]),
            view([5, 4, 3], [0, 0, 1], [5, 4, 2]),
            view([5, 4, 1], [0, 1, 0], [5, 3, 1]),
            view([9, 1, 1], [2, 0, 0], [7, 1, 1]),
        ];
        for shape in shapes {
            let all = elements(&shape);
            for count in 1..=all.len() {
                let parts = shape.first(count);
                assert!(parts.len() <= 3 && parts.iter().all(|part| part.count() > 0));
                assert!(parts.len() == 1 || !shape.is_contiguous());
                assert_eq!(parts.iter().flat_map(elements).collect::<Vec<_>>(), all[..count]);
            }
        }
    }
}
