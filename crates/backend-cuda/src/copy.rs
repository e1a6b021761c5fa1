//! Copies of boxes, fills, and memory hints.

use scythe_hal::{CopyBox, Hint};

use crate::api::{Address, Api, Copy3d, Handle, Ordinal, Side};
use crate::error::{INVALID_VALUE, SUCCESS};

const MEMORY_HOST: i32 = 1;
const MEMORY_DEVICE: i32 = 2;
const POINTER_MEMORY_TYPE: i32 = 2;
const POINTER_IS_MANAGED: i32 = 8;
/// The driver's maximum pitch.
const MAX_PITCH: usize = 0x7fff_ffff;

/// Copies a box that is not empty. Returns the driver's result code.
///
/// # Safety
/// The box is inside of memory that stays valid until the command has completed, and the stream
/// belongs to the current context.
pub(crate) unsafe fn copy_box(
    api: &Api,
    dst: Address,
    src: Address,
    region: &CopyBox,
    stream: Handle,
) -> i32 {
    let CopyBox { width, rows, planes, .. } = *region;
    let (src_row, dst_row) = (region.src_row_pitch.max(width), region.dst_row_pitch.max(width));
    let whole = rows == 1 || (region.src_row_pitch >= width && region.dst_row_pitch >= width);
    let fits = src_row <= MAX_PITCH && dst_row <= MAX_PITCH && whole;
    if !fits {
        // SAFETY: the caller guarantees the same contract for the whole box.
        return unsafe { each_row(api, dst, src, region, stream) };
    }
    // The driver takes the distance between planes as a number of rows.
    let rows_between = |plane: usize, row: usize| {
        (plane.is_multiple_of(row) && plane / row >= rows).then(|| plane / row)
    };
    let (src_rows, dst_rows) = (
        rows_between(region.src_plane_pitch, src_row),
        rows_between(region.dst_plane_pitch, dst_row),
    );
    let boxed =
        |src: Address, dst: Address, src_rows: usize, dst_rows: usize, depth: usize| Copy3d {
            src: side(api, src, src_row, src_rows),
            dst: side(api, dst, dst_row, dst_rows),
            width,
            height: rows,
            depth,
        };
    if let (Some(src_rows), Some(dst_rows)) = (src_rows, dst_rows) {
        // SAFETY: the caller guarantees that the box is in valid memory and that the stream belongs
        // to the current context.
        return unsafe {
            (api.memcpy_3d_async)(&boxed(src, dst, src_rows, dst_rows, planes), stream)
        };
    }
    for plane in 0..planes {
        let from = src + (plane * region.src_plane_pitch) as u64;
        let to = dst + (plane * region.dst_plane_pitch) as u64;
        // SAFETY: the plane is part of the box, which the caller guarantees to be in valid memory.
        // The stream belongs to the current context.
        let code = unsafe { (api.memcpy_3d_async)(&boxed(from, to, rows, rows, 1), stream) };
        if code != SUCCESS {
            return code;
        }
    }
    SUCCESS
}

/// Copies each row with a separate command.
///
/// # Safety
/// As for [`copy_box`].
unsafe fn each_row(api: &Api, dst: Address, src: Address, region: &CopyBox, stream: Handle) -> i32 {
    for plane in 0..region.planes {
        for row in 0..region.rows {
            let from = src + (plane * region.src_plane_pitch + row * region.src_row_pitch) as u64;
            let to = dst + (plane * region.dst_plane_pitch + row * region.dst_row_pitch) as u64;
            // SAFETY: the row is part of the box, which the caller guarantees to be in valid
            // memory. The stream belongs to the current context.
            let code = unsafe { (api.memcpy_async)(to, from, region.width, stream) };
            if code != SUCCESS {
                return code;
            }
        }
    }
    SUCCESS
}

/// Describes one side of a copy. The driver needs to know whether the memory is on the host or the
/// device; memory that it does not know is on the host.
fn side(api: &Api, at: Address, pitch: usize, height: usize) -> Side {
    let mut kind = 0u32;
    // SAFETY: the attribute is an unsigned number, and any address may be queried.
    let code =
        unsafe { (api.pointer_get_attribute)((&raw mut kind).cast(), POINTER_MEMORY_TYPE, at) };
    let on_device = code == SUCCESS && kind as i32 == MEMORY_DEVICE;
    let side = Side { pitch, height, ..Side::default() };
    match on_device {
        true => Side { memory_type: MEMORY_DEVICE, device: at, ..side },
        false => Side { memory_type: MEMORY_HOST, host: at as usize, ..side },
    }
}

/// Fills memory with a pattern of at least one byte, at least once. Returns the driver's result
/// code.
///
/// The driver supports patterns of 1, 2 or 4 bytes. Other patterns are written once and then
/// doubled.
///
/// # Safety
/// As for [`copy_box`], for `count` patterns at `dst`.
pub(crate) unsafe fn fill(
    api: &Api,
    dst: Address,
    pattern: &[u8],
    count: usize,
    stream: Handle,
) -> i32 {
    let total = pattern.len() * count;
    // SAFETY: the caller guarantees that `total` bytes at `dst` are valid and that the stream
    // belongs to the current context.
    unsafe {
        let code = match *shortest(pattern) {
            [a] => (api.memset_d8_async)(dst, a, total, stream),
            [a, b] if dst.is_multiple_of(2) => {
                (api.memset_d16_async)(dst, u16::from_ne_bytes([a, b]), total / 2, stream)
            }
            [a, b, c, d] if dst.is_multiple_of(4) => {
                (api.memset_d32_async)(dst, u32::from_ne_bytes([a, b, c, d]), total / 4, stream)
            }
            _ => return double(api, dst, pattern, total, stream),
        };
        // The driver fills only memory that it knows, but it copies to any memory of the process.
        match code {
            INVALID_VALUE => double(api, dst, pattern, total, stream),
            code => code,
        }
    }
}

/// Fills memory by writing the pattern once and then doubling it.
///
/// # Safety
/// As for [`fill`].
unsafe fn double(api: &Api, dst: Address, pattern: &[u8], total: usize, stream: Handle) -> i32 {
    // The driver has read small pageable memory when the call returns.
    // SAFETY: `total` is at least the pattern's length, so the caller guarantees that the
    // destination is valid.
    let mut code =
        unsafe { (api.memcpy_async)(dst, pattern.as_ptr() as Address, pattern.len(), stream) };
    let mut done = pattern.len();
    while code == SUCCESS && done < total {
        let size = done.min(total - done);
        // SAFETY: both parts are inside of the `total` bytes that the caller guarantees, and they
        // do not overlap.
        code = unsafe { (api.memcpy_async)(dst + done as u64, dst, size, stream) };
        done += size;
    }
    code
}

/// Returns the shortest pattern that gives the same bytes.
fn shortest(pattern: &[u8]) -> &[u8] {
    let same = |n: &usize| {
        pattern.len().is_multiple_of(*n) && pattern.chunks(*n).all(|chunk| chunk == &pattern[..*n])
    };
    [1, 2, 4].into_iter().find(same).map_or(pattern, |n| &pattern[..n])
}

/// Forwards a hint if it is useful to the driver: for managed memory, and for numbers that the
/// driver knows.
///
/// # Safety
/// As for [`copy_box`], for `size` bytes at `at`.
pub(crate) unsafe fn hint(
    api: &Api,
    device: Ordinal,
    at: Address,
    size: usize,
    hint: Hint,
    stream: Handle,
) {
    let mut managed = 0u32;
    // SAFETY: the attribute is a `CUbool`, which is an unsigned number in C. Any address may be
    // queried.
    let code =
        unsafe { (api.pointer_get_attribute)((&raw mut managed).cast(), POINTER_IS_MANAGED, at) };
    if code != SUCCESS || managed == 0 {
        return;
    }
    // A failed hint only affects speed.
    // SAFETY: the caller guarantees that `size` bytes at `at` are valid and that the stream belongs
    // to the current context.
    let _ = unsafe {
        match (hint, api.hints.prefetch, api.hints.advise) {
            (Hint::Prefetch, Some(prefetch), _) => prefetch(at, size, device, stream),
            (Hint::Advice(number), _, Some(advise)) => advise(at, size, number, device),
            _ => SUCCESS,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_as_short_as_they_can_be() {
        assert_eq!(shortest(&[7; 16]), [7]);
        assert_eq!(shortest(&[1, 2, 1, 2, 1, 2]), [1, 2]);
        assert_eq!(shortest(&[1, 2, 3, 4, 1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(shortest(&[1, 2, 3]), [1, 2, 3]);
    }
}
