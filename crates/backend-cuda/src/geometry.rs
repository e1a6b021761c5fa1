//! Computes blocks and grids for ranges. Pure arithmetic. Index 0 is the fastest dimension, `x`.
//!
//! A range kernel skips work-items outside of the range only in `x` (`scythe_abi::cuda`). The `y`
//! and `z` of a block must therefore divide the range.

use crate::limits::Limits;
use scythe_abi::cuda::SUB_GROUP_SIZE;

/// Widths of blocks with several rows, best first. The best width gives two rows of a warp each, so
/// that neighbours in `y` share a cache.
const WIDTHS: [u32; 9] = [64, 128, 32, 256, 16, 8, 4, 2, 1];
/// The minimum size to which blocks are reduced to occupy more multiprocessors.
const SMALLEST: u32 = 64;

/// The block of a kernel's last range with several dimensions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Remembered {
    pub(crate) global: [u64; 3],
    pub(crate) block: [u32; 3],
}

/// Returns the block for a range of one dimension. It has `threads` threads, or fewer if that
/// occupies more multiprocessors.
pub(crate) fn line(global: u64, threads: u32, limits: &Limits) -> [u32; 3] {
    let mut x = threads;
    while x > SMALLEST && global.div_ceil(u64::from(x)) < u64::from(limits.multiprocessors) {
        x /= 2;
    }
    let needed = global.min(u64::from(x)).next_multiple_of(u64::from(SUB_GROUP_SIZE)) as u32;
    [x.min(needed).min(threads), 1, 1]
}

/// Returns the block for a range of several dimensions, with up to `threads` threads.
pub(crate) fn block(global: [u64; 3], threads: u32, limits: &Limits) -> [u32; 3] {
    let mut best = ([1, 1, 1], 0.0);
    for x in WIDTHS.into_iter().filter(|&x| x <= threads && x <= limits.max_block[0]) {
        if u64::from(x) >= 2 * global[0].next_power_of_two() {
            continue;
        }
        let y = divisor(global[1], (threads / x).min(limits.max_block[1]));
        let z = divisor(global[2], (threads / (x * y)).min(limits.max_block[2]));
        let padded = global[0].next_multiple_of(u64::from(x));
        let used = global[0] as f64 / padded as f64 * f64::from(x * y * z);
        // A slightly larger block does not justify a worse shape.
        if used > best.1 * 1.05 {
            best = ([x, y, z], used);
        }
    }
    best.0
}

/// Returns the largest divisor of `n` that is at most `most`.
fn divisor(n: u64, most: u32) -> u32 {
    (1..=most.max(1)).rev().find(|&d| n.is_multiple_of(u64::from(d))).unwrap_or(1)
}

/// The part of a range that one launch covers: its first group, and its number of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) first: [u32; 3],
    pub(crate) groups: [u32; 3],
}

/// Divides `groups` into parts that do not exceed the maximum grid `most`.
pub(crate) fn parts(groups: [u32; 3], most: [u32; 3]) -> impl Iterator<Item = Part> {
    let most = most.map(|n| n.max(1));
    let counts: [u32; 3] = std::array::from_fn(|d| groups[d].div_ceil(most[d]));
    let total = counts.iter().map(|&n| u64::from(n)).product::<u64>();
    (0..total).map(move |part| {
        let (cx, cy) = (u64::from(counts[0]), u64::from(counts[1]));
        let at = [part % cx, part / cx % cy, part / (cx * cy)];
        let first: [u32; 3] = std::array::from_fn(|d| at[d] as u32 * most[d]);
        Part { first, groups: std::array::from_fn(|d| most[d].min(groups[d] - first[d])) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            sm: 90,
            driver: 13_000,
            multiprocessors: 132,
            max_threads: 1024,
            max_block: [1024, 1024, 64],
            max_grid: [0x7fff_ffff, 65_535, 65_535],
            local_memory: 232_448,
            plain_local_memory: 49_152,
            memory: 1 << 37,
            has_pools: true,
            has_virtual_memory: true,
            cooperates: true,
            max_cluster: 8,
        }
    }

    #[test]
    fn lines_are_whole_warps_and_occupy_the_device() {
        let limits = limits();
        assert_eq!(line(1 << 28, 256, &limits), [256, 1, 1]);
        assert_eq!(line(1, 256, &limits), [32, 1, 1]);
        assert_eq!(line(10_000, 256, &limits), [64, 1, 1]);
        assert_eq!(line(20_000, 256, &limits), [128, 1, 1]);
        assert_eq!(line(100, 16, &limits), [16, 1, 1], "a kernel with many registers");
    }

    #[test]
    fn blocks_are_wide_and_divide_the_slower_dimensions() {
        let limits = limits();
        for global in [
            [4096, 4096, 1],
            [512, 512, 512],
            [33, 7, 5],
            [1, 1000, 1],
            [1, 1, 97],
            [3, 3, 3],
            [1000, 1, 1],
        ] {
            let [x, y, z] = block(global, 256, &limits);
            assert!(x * y * z <= 256 && x * y * z >= 1, "{global:?}");
            assert!(
                global[1].is_multiple_of(u64::from(y)) && global[2].is_multiple_of(u64::from(z)),
                "{global:?}"
            );
            assert!(z <= 64);
        }
        assert_eq!(block([4096, 4096, 1], 256, &limits), [64, 4, 1]);
        assert_eq!(block([1, 4096, 1], 256, &limits), [1, 256, 1]);
        assert_eq!(block([1 << 20, 1, 1], 256, &limits), [256, 1, 1]);
    }

    #[test]
    fn parts_cover_each_group_once() {
        assert_eq!(
            parts([7, 1, 1], [10, 10, 10]).collect::<Vec<_>>(),
            [Part { first: [0; 3], groups: [7, 1, 1] }]
        );
        let mut seen = vec![0; 5 * 7 * 3];
        for part in parts([5, 7, 3], [2, 3, 3]) {
            for z in part.first[2]..part.first[2] + part.groups[2] {
                for y in part.first[1]..part.first[1] + part.groups[1] {
                    for x in part.first[0]..part.first[0] + part.groups[0] {
                        seen[(x + 5 * (y + 7 * z)) as usize] += 1;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
        assert_eq!(parts([1, 100_000, 1], [0x7fff_ffff, 65_535, 65_535]).count(), 2);
    }
}
