//! The calling convention between the CPU backend and compiled kernels.
//!
//! Every kernel `K` of an image becomes one function `__scythe_cpu.K` of type [`KernelFn`] in the
//! built object. Objects are position-independent x86-64 ELF relocatable files. They refer only to
//! symbols of the C library, the maths library and the CPU device library.

//!
//! The object also contains `__scythe_cpu_form.K` of type [`FormFn`], which describes how nd_range
//! kernel `K` was compiled. With it, the backend rejects work-group sizes that the code does not
//! support, and recompiles the kernel for sizes that the code handles inefficiently ([`Layout`]).

use std::ffi::c_void;

/// The maximum number of work-items in a work-group. The device rejects larger groups, and the
/// compiler relies on it. Work-items of a group are loop iterations, so only indices limit a group.
/// This limit keeps the values that live across a barrier (a slot per work-item) to a few
/// megabytes.
pub const MAX_WORK_GROUP_SIZE: u64 = 8192;

/// The data that all calls of one launch share. Index 0 of each array is the dimension that varies
/// fastest.
#[repr(C)]
pub struct Launch {
    /// The addresses of the parameter values, one per kernel parameter; see
    /// [`crate::launch::Param`].
    pub args: *const *const c_void,
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// 1 in every dimension for single tasks and ranges.
    pub local_size: [u64; 3],
    pub num_groups: [u64; 3],
    pub work_dim: u32,
    /// The size of the local memory that the launch provides for its local accessors.
    pub local_bytes: u32,
}

/// A half-open box. For single tasks and ranges it holds work-item indices without the offset, for
/// nd_ranges work-group indices.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Box3 {
    pub begin: [u64; 3],
    pub end: [u64; 3],
}

/// Runs all work-items (or work-groups) of the box. `local_memory` is the calling thread's local
/// memory, large enough for the local accessors of the launch. It is null if there are none.
///
/// # Safety
/// `launch` and `box_` must be valid for the call, `launch.args` must hold one valid address per
/// parameter, and the memory that the kernel reaches through them must be valid.
pub type KernelFn =
    unsafe extern "C" fn(launch: *const Launch, box_: *const Box3, local_memory: *mut u8);

/// A description of how a kernel was compiled.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The number of work-items that run side by side in vector lanes. 0 if code for one work-group
    /// size would be no faster, or would change the results of the kernel.
    pub lanes: u32,
    /// 1 if code for one work-group size pays off for every size, otherwise 0. It does if the
    /// kernel divides by an extent of its work-group, or if its code for any size has no variant
    /// for full rows.
    pub every_size: u32,
    /// The only work-group size that the code supports, or zeros if it supports any size.
    pub required: [u64; 3],
    /// The number of work-items of a sub-group, or 0 if that is not known.
    pub sub_group: u32,
}

/// Writes the description of how a kernel was compiled.
///
/// # Safety
/// `form` must be valid for writes.
pub type FormFn = unsafe extern "C" fn(form: *mut Form);

/// The mapping of the work-items of a group of known size to vector lanes.
///
/// Dimensions with one work-item are treated as the slowest. The lanes hold rows of the fastest
/// remaining dimension. Either a row is at least as long as a vector, or several rows lie side by
/// side, each padded to the next power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The dimensions, the fastest first.
    pub order: [usize; 3],
    /// The size of the group, in this order.
    pub size: [u64; 3],
    pub lanes: u32,
    /// The number of lanes of each row, if several rows lie side by side.
    pub row: Option<u32>,
}

impl Layout {
    /// Creates the layout for groups of `size` and vectors of `lanes` lanes, a power of two. If
    /// `fixed` is set, vectors are sub-groups that the kernel can observe: the number of lanes
    /// stays, and no lane between two work-items is idle.
    pub fn new(size: [u64; 3], lanes: u32, fixed: bool) -> Self {
        let mut order = [0, 1, 2];
        order.sort_by_key(|&d| size[d] <= 1);
        let size = order.map(|d| size[d]);
        let whole = Self { order, size, lanes, row: None };
        let used = size[0].max(1);
        if used >= u64::from(lanes) {
            return whole;
        }
        let row = used.next_power_of_two();
        if fixed && (row != used || row == 1) {
            return whole;
        }
        let needed = row.saturating_mul(size[1].saturating_mul(size[2]).next_power_of_two());
        let lanes = if fixed { lanes } else { needed.min(u64::from(lanes)) as u32 };
        Self { lanes, row: (u64::from(lanes) > row).then_some(row as u32), ..whole }
    }

    /// Returns the number of vectors that the group needs.
    pub fn items(&self) -> u64 {
        let [x, y, z] = self.size;
        match self.row {
            Some(row) => (y * z).div_ceil(u64::from(self.lanes / row)),
            None => x.div_ceil(u64::from(self.lanes)) * y * z,
        }
    }

    /// Returns the number of sub-groups of a group of `size`, if sub-groups with `lanes` work-items
    /// are visible to the kernel. They are neighbours by linear id.
    pub fn sub_groups(size: [u64; 3], lanes: u32) -> u64 {
        size.iter().product::<u64>().div_ceil(u64::from(lanes.max(1)))
    }

    /// Returns whether code for groups of `size` pays off: whether code for any size, which has
    /// `lanes` lanes along the first dimension, would occupy at least one and a half times as many
    /// lanes.
    pub fn pays(size: [u64; 3], lanes: u32) -> bool {
        let layout = Self::new(size, lanes, false);
        let general = size[0].div_ceil(u64::from(lanes)) * size[1] * size[2] * u64::from(lanes);
        2 * general >= 3 * layout.items() * u64::from(layout.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: [u64; 3]) -> (u32, Option<u32>, u64) {
        let l = Layout::new(size, 16, false);
        (l.lanes, l.row, l.items())
    }

    #[test]
    fn short_rows_lie_side_by_side() {
        assert_eq!(layout([8, 8, 1]), (16, Some(8), 4));
        assert_eq!(layout([4, 4, 4]), (16, Some(4), 4));
        assert_eq!(layout([5, 3, 1]), (16, Some(8), 2));
        assert_eq!(layout([2, 2, 1]), (4, Some(2), 1));
        assert_eq!(layout([3, 1, 1]), (4, None, 1));
        assert_eq!(layout([16, 4, 1]), (16, None, 4));
        assert_eq!(layout([24, 2, 1]), (16, None, 4));
        assert_eq!(layout([1, 1, 1]), (1, None, 1));
    }

    #[test]
    fn dimensions_of_one_come_last() {
        let l = Layout::new([1, 64, 2], 16, false);
        assert_eq!((l.order, l.size, l.row, l.items()), ([1, 2, 0], [64, 2, 1], None, 8));
    }

    #[test]
    fn sub_groups_that_show_keep_their_size() {
        assert_eq!(Layout::new([4, 2, 1], 16, true).row, Some(4));
        assert_eq!(Layout::new([4, 2, 1], 16, true).lanes, 16);
        assert_eq!(Layout::new([5, 3, 1], 16, true).row, None);
        assert_eq!(Layout::new([1, 1, 1], 16, true).lanes, 16);
    }

    #[test]
    fn sub_groups_are_counted_as_kernels_see_them() {
        assert_eq!(Layout::sub_groups([8, 4, 1], 16), 2);
        assert_eq!(Layout::sub_groups([100, 2, 1], 16), 13);
        assert_eq!(Layout::sub_groups([1, 1, 1], 0), 1);
    }

    #[test]
    fn code_of_its_own_pays_for_short_rows() {
        for size in [[8, 8, 1], [4, 4, 4], [1, 64, 1], [5, 3, 1], [2, 1, 1], [1, 1, 1]] {
            assert!(Layout::pays(size, 16), "{size:?}");
        }
        for size in [[16, 16, 1], [12, 4, 1], [24, 1, 1]] {
            assert!(!Layout::pays(size, 16), "{size:?}");
        }
    }
}
