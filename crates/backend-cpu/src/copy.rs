//! Copies and fills of plain memory, in parts that several threads can execute.

use scythe_abi::cpu::Box3;
use scythe_hal::CopyBox;

/// The approximate size of the blocks in which fills are written. A block stays in the first-level
/// cache.
const FILL_BLOCK: usize = 4096;

/// Returns the same region with adjacent rows (and planes) merged into one.
pub(crate) fn merge_rows(mut r: CopyBox) -> CopyBox {
    let dense_rows = r.rows > 1 && r.src_row_pitch == r.width && r.dst_row_pitch == r.width;
    if let (true, Some(width)) = (dense_rows, r.width.checked_mul(r.rows)) {
        (r.width, r.rows, r.src_row_pitch, r.dst_row_pitch) = (width, 1, width, width);
    }
    let dense_planes = r.rows == 1 && r.src_plane_pitch == r.width && r.dst_plane_pitch == r.width;
    if let (true, Some(width)) = (dense_planes && r.planes > 1, r.width.checked_mul(r.planes)) {
        (r.width, r.planes) = (width, 1);
    }
    r
}

/// Copies a part of a region. `part` counts bytes, rows and planes.
///
/// # Safety
/// `part` is inside of `region`, whose source is readable and whose destination is writable.
pub(crate) unsafe fn copy_box(dst: *mut u8, src: *const u8, region: &CopyBox, part: &Box3) {
    let [x, width] = [part.begin[0] as usize, (part.end[0] - part.begin[0]) as usize];
    for z in part.begin[2] as usize..part.end[2] as usize {
        for y in part.begin[1] as usize..part.end[1] as usize {
            let from = z * region.src_plane_pitch + y * region.src_row_pitch + x;
            let to = z * region.dst_plane_pitch + y * region.dst_row_pitch + x;
            // SAFETY: the caller guarantees that both rows are inside of the region. `copy` allows
            // them to overlap.
            unsafe { std::ptr::copy(src.add(from), dst.add(to), width) }
        }
    }
}

/// Writes `count` copies of `pattern` to `dst`.
///
/// # Safety
/// `count * pattern.len()` bytes from `dst` are writable.
pub(crate) unsafe fn fill(dst: *mut u8, pattern: &[u8], count: usize) {
    let total = pattern.len() * count;
    let Some((&first, rest)) = pattern.split_first() else { return };
    if rest.iter().all(|&b| b == first) {
        // SAFETY: the caller guarantees that `total` bytes from `dst` are writable.
        return unsafe { dst.write_bytes(first, total) };
    }
    if count == 0 {
        return;
    }
    // Build one block by doubling, then repeat it: the source stays in the cache, and every copy is
    // long.
    let block = (FILL_BLOCK / pattern.len()).clamp(1, count) * pattern.len();
    // SAFETY: `block` is at most `total`, so all writes are inside of the memory that the caller
    // guarantees. Source and destination of each copy do not overlap.
    unsafe {
        std::ptr::copy_nonoverlapping(pattern.as_ptr(), dst, pattern.len());
        let mut made = pattern.len();
        while made < block {
            let more = made.min(block - made);
            std::ptr::copy_nonoverlapping(dst, dst.add(made), more);
            made += more;
        }
        let mut at = block;
        while at < total {
            let more = block.min(total - at);
            std::ptr::copy_nonoverlapping(dst, dst.add(at), more);
            at += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_repeats_the_pattern() {
        for len in [1usize, 2, 3, 4, 12, 16, 5000] {
            for count in [0usize, 1, 2, 3, 1000, 5000] {
                let pattern: Vec<u8> = (0..len).map(|i| (i * 7 + 1) as u8).collect();
                let mut out = vec![0xEE; len * count + 1];
                // SAFETY: `out` has room for `count` patterns and one more byte.
                unsafe { fill(out.as_mut_ptr(), &pattern, count) };
                let right = out[..len * count].chunks(len).all(|chunk| chunk == pattern);
                assert!(right && out[len * count] == 0xEE, "{len} {count}");
            }
        }
    }

    #[test]
    fn rows_without_gaps_are_merged() {
        let dense = CopyBox {
            width: 4,
            rows: 3,
            planes: 2,
            src_row_pitch: 4,
            src_plane_pitch: 12,
            dst_row_pitch: 4,
            dst_plane_pitch: 12,
        };
        let merged = merge_rows(dense);
        assert_eq!((merged.width, merged.rows, merged.planes), (24, 1, 1));
        let kept = merge_rows(CopyBox { dst_row_pitch: 5, dst_plane_pitch: 15, ..dense });
        assert_eq!((kept.width, kept.rows, kept.planes), (4, 3, 2));
    }
}
