//! New ranges for the kernel of a graph node.
//!
//! A kernel over a range may get an nd_range, of which only the global range and the offset matter.
//! A kernel over an nd_range may get a range, for which this module chooses the work-groups.

use scythe_abi::launch::Shape;

use crate::launch::Ranges;
use crate::platform::Device;
use crate::{Result, invalid};

/// The largest number of work-items in chosen work-groups. All devices accept it.
const CHOSEN_GROUP: u64 = 256;

/// Returns `before` with new sizes. `shape`, `dims` and the sizes are those of the new ranges, and
/// `required` is the size of work-groups that the kernel requires, in SYCL's order.
pub fn updated(
    before: &Ranges,
    shape: Shape,
    dims: u32,
    sizes: [[u64; 3]; 3],
    required: Option<&[u32]>,
    device: &Device,
) -> Result<Ranges> {
    if dims != before.dims || before.shape == Shape::SingleTask {
        return Err(invalid(format!(
            "the new range of a kernel node has {dims} dimensions, but the node's kernel is a {} \
             kernel with {} dimensions",
            before.shape.as_str(),
            before.dims
        )));
    }
    if before.is_hierarchical() {
        return Err(invalid("the range of a hierarchical kernel cannot be updated"));
    }
    let [mut global, mut local, mut offset] = sizes;
    for d in dims as usize..3 {
        (global[d], local[d], offset[d]) = (1, 1, 0);
    }
    match (before.shape, shape) {
        (Shape::Range, Shape::NdRange) => {
            Ranges::of(shape, dims, [global, local, offset])?.check(device)?;
            local = [1; 3];
        }
        (Shape::NdRange, Shape::Range) => local = groups(global, dims, required),
        _ => {}
    }
    let ranges = Ranges {
        cooperation: before.cooperation,
        ..Ranges::of(before.shape, dims, [global, local, offset])?
    };
    ranges.check(device)?;
    if let Some(required) = required {
        ranges.check_required(required)?;
    }
    Ok(ranges)
}

/// Returns the required size of work-groups, or a size that divides `global`.
fn groups(global: [u64; 3], dims: u32, required: Option<&[u32]>) -> [u64; 3] {
    let mut local = [1; 3];
    if let Some(required) = required {
        for (size, &required) in local.iter_mut().zip(required.iter().rev()) {
            *size = u64::from(required);
        }
        return local;
    }
    let mut left = CHOSEN_GROUP;
    for (size, global) in local.iter_mut().zip(global).take(dims as usize) {
        *size = (1..=global.min(left)).rev().find(|size| global.is_multiple_of(*size)).unwrap_or(1);
        left /= *size;
    }
    local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_work_groups_divide_the_range() {
        for (global, dims, required, local) in [
            ([1024, 1, 1], 1, None, [256, 1, 1]),
            ([100, 1, 1], 1, None, [100, 1, 1]),
            ([257, 1, 1], 1, None, [1, 1, 1]),
            ([64, 6, 10], 3, None, [64, 3, 1]),
            ([0, 8, 1], 2, None, [1, 8, 1]),
            ([64, 64, 1], 2, Some(&[4, 8][..]), [8, 4, 1]),
        ] {
            assert_eq!(groups(global, dims, required), local, "{global:?}");
        }
    }
}
