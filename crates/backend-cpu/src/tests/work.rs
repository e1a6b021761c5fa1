//! Tests the effects of commands: host kernels of all shapes, copies, fills.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::{Command, CopyBox, Errc, Work};

use super::{context, enqueue, host_kernel, queue};

struct Coverage {
    extent: [u64; 3],
    hits: Vec<AtomicU8>,
    calls: AtomicUsize,
    /// The number of empty iterations per index, to vary the duration of kernels.
    effort: u32,
}

unsafe extern "C" fn cover(functor: *const c_void, part: *const HostBox) {
    // SAFETY: the test keeps the coverage until the kernel has run, and the box is valid during the
    // call.
    let (coverage, part) = unsafe { (context::<Coverage>(functor), &*part) };
    coverage.calls.fetch_add(1, Ordering::Relaxed);
    for z in part.begin[2]..part.end[2] {
        for y in part.begin[1]..part.end[1] {
            for x in part.begin[0]..part.end[0] {
                let at = (z * coverage.extent[1] + y) * coverage.extent[0] + x;
                coverage.hits[at as usize].fetch_add(1, Ordering::Relaxed);
                for i in 0..coverage.effort {
                    std::hint::black_box(i);
                }
            }
        }
    }
}

#[test]
fn kernels_cover_each_index_once() {
    for threads in [1, 2, 3, 8] {
        let queue = queue(threads);
        for (size, local) in [
            ([1, 1, 1], [1, 1, 1]),
            ([1000, 1, 1], [1, 1, 1]),
            ([100_000, 1, 1], [1, 1, 1]),
            ([37, 41, 1], [1, 1, 1]),
            ([64, 32, 48], [1, 1, 1]),
            ([64, 32, 48], [16, 4, 1]),
            ([128, 1, 1], [128, 1, 1]),
            ([2, 1, 3], [1, 1, 3]),
        ] {
            let shape = if local == [1, 1, 1] { Shape::Range } else { Shape::NdRange };
            let extent = std::array::from_fn(|i| size[i] / local[i]);
            let count = extent.iter().product::<u64>();
            // Each launch runs twice: the second one knows the cost of the first.
            for effort in [0, 0, 200, 0, 2000] {
                let coverage = Coverage {
                    extent,
                    hits: (0..count).map(|_| AtomicU8::new(0)).collect(),
                    calls: AtomicUsize::new(0),
                    effort,
                };
                enqueue(&queue, host_kernel(cover, &coverage, shape, size, local), &[])
                    .wait()
                    .unwrap();
                let once = coverage.hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1);
                assert!(once, "{threads} threads, {size:?} / {local:?}, effort {effort}");
            }
        }
    }
}

#[test]
fn empty_range_runs_nothing_and_wrong_ranges_are_errors() {
    let queue = queue(2);
    let coverage =
        Coverage { extent: [0; 3], hits: Vec::new(), calls: AtomicUsize::new(0), effort: 0 };
    enqueue(&queue, host_kernel(cover, &coverage, Shape::Range, [5, 0, 1], [1; 3]), &[])
        .wait()
        .unwrap();
    assert_eq!(coverage.calls.load(Ordering::Relaxed), 0);
    for (size, local) in [([10, 1, 1], [3, 1, 1]), ([10, 1, 1], [0, 1, 1])] {
        let work = host_kernel(cover, &coverage, Shape::NdRange, size, local);
        // SAFETY: the work is refused.
        let refused = unsafe { queue.enqueue_host(Command::new(work, &[])) };
        assert_eq!(refused.err().unwrap().code, Errc::NdRange);
    }
    let work = host_kernel(cover, &coverage, Shape::Range, [u64::MAX, u64::MAX, 1], [1; 3]);
    // SAFETY: the work is refused.
    let refused = unsafe { queue.enqueue_host(Command::new(work, &[])) };
    assert_eq!(refused.err().unwrap().code, Errc::NdRange);
}

#[test]
fn copies_of_all_sizes_arrive() {
    let queue = queue(3);
    for size in [0, 1, 63, 4096, 100_000, (3 << 20) + 17] {
        let source: Vec<u8> = (0..size).map(|i| ((i * 31) >> 3) as u8).collect();
        let mut copy = vec![0u8; size];
        let work =
            Work::Memcpy { dst: copy.as_mut_ptr().cast(), src: source.as_ptr().cast(), size };
        enqueue(&queue, work, &[]).wait().unwrap();
        assert!(copy == source, "{size}");
    }
    // Overlapping ranges, as for memmove.
    let mut bytes: Vec<u8> = (0..4usize << 20).map(|i| ((i * 7) >> 2) as u8).collect();
    let expected: Vec<u8> = [&bytes[..100], &bytes[..bytes.len() - 100]].concat();
    let (start, size) = (bytes.as_mut_ptr(), bytes.len() - 100);
    let work =
        Work::Memcpy { dst: start.wrapping_add(100).cast(), src: start.cast_const().cast(), size };
    enqueue(&queue, work, &[]).wait().unwrap();
    assert!(bytes == expected);
}

#[test]
fn boxes_are_copied_between_pitches() {
    let queue = queue(2);
    let source: Vec<u32> = (0..20 * 30 * 40).collect();
    let mut copy = vec![u32::MAX; 10 * 12 * 14];
    // A box of 8 × 9 × 11 elements from (5, 6, 7) to (1, 2, 3).
    let region = CopyBox {
        width: 8 * 4,
        rows: 9,
        planes: 11,
        src_row_pitch: 20 * 4,
        src_plane_pitch: 20 * 30 * 4,
        dst_row_pitch: 10 * 4,
        dst_plane_pitch: 10 * 12 * 4,
    };
    let src = source.as_ptr().wrapping_add(5 + 20 * (6 + 30 * 7)).cast();
    let dst = copy.as_mut_ptr().wrapping_add(1 + 10 * (2 + 12 * 3)).cast();
    enqueue(&queue, Work::CopyRect { dst, src, region }, &[]).wait().unwrap();
    for (at, &value) in copy.iter().enumerate() {
        let (x, y, z) = (at % 10, at / 10 % 12, at / 120);
        let inside = (1..9).contains(&x) && (2..11).contains(&y) && (3..14).contains(&z);
        let from = (x + 4) + 20 * ((y + 4) + 30 * (z + 4));
        assert_eq!(value, if inside { source[from] } else { u32::MAX }, "{x} {y} {z}");
    }
}

#[test]
fn fills_of_all_patterns_arrive() {
    let queue = queue(3);
    for (len, count) in [(1, 5_000_000), (4, 1_000_001), (12, 300_000), (3, 1), (8, 0), (0, 7)] {
        let pattern: Vec<u8> = (0..len).map(|i| i as u8 + 1).collect();
        let mut out = vec![0u8; len * count];
        let work = Work::Fill { dst: out.as_mut_ptr().cast(), pattern: pattern.clone(), count };
        enqueue(&queue, work, &[]).wait().unwrap();
        assert!(len == 0 || out.chunks(len).all(|chunk| chunk == pattern), "{len} {count}");
    }
    let work = Work::Fill { dst: std::ptr::null_mut(), pattern: vec![1, 2], count: usize::MAX };
    // SAFETY: the work is refused.
    let refused = unsafe { queue.enqueue(Command::new(work, &[])) };
    assert_eq!(refused.err().unwrap().code, Errc::Invalid);
}
