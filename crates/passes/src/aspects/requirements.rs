//! The features that a device must support to run a set of entry points. Device code is split by
//! these requirements, and images list them.

use super::metadata::Kinds;
use scythe_llvm::Function;
use std::collections::BTreeSet;

/// The combined requirements of entry points. Two sets of entry points may share an image exactly
/// if [`Requirements::may_share`] returns true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Requirements {
    /// Used and declared aspects.
    pub aspects: BTreeSet<u32>,
    /// Numeric sub-group sizes only, because every device supports `automatic` and `primary`.
    pub sub_group_sizes: BTreeSet<u32>,
    /// Required work-group sizes, each in the attribute's order.
    pub work_group_sizes: BTreeSet<Vec<u32>>,
    /// The fixed targets, or `None` without `-fsycl-fixed-targets=`.
    pub fixed_targets: Option<BTreeSet<String>>,
}

impl Requirements {
    /// Returns the requirements of one kernel or exported function.
    pub fn of(entry_point: Function<'_>, kinds: Kinds) -> Self {
        let mut aspects = kinds.used(entry_point);
        aspects.extend(kinds.declared(entry_point).unwrap_or_default());
        Self {
            aspects,
            sub_group_sizes: kinds.sub_group_sizes(entry_point).into_keys().collect(),
            work_group_sizes: kinds.work_group_size(entry_point).into_iter().collect(),
            fixed_targets: kinds.fixed_targets(entry_point).filter(|targets| !targets.is_empty()),
        }
    }

    /// Returns the combined requirements of the entry points of one image.
    pub fn of_entry_points<'ctx>(
        entry_points: impl IntoIterator<Item = Function<'ctx>>,
        kinds: Kinds,
    ) -> Self {
        let all: Vec<Self> =
            entry_points.into_iter().map(|entry_point| Self::of(entry_point, kinds)).collect();
        Self::together(&all)
    }

    /// Combines requirements. Entry points that share an image have the same fixed targets. If the
    /// lists of fixed targets differ, the result has the targets that are in all lists.
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = all.into_iter();
        let Some(mut sum) = all.next().cloned() else { return Self::default() };
        for one in all {
            sum.aspects.extend(&one.aspects);
            sum.sub_group_sizes.extend(&one.sub_group_sizes);
            sum.work_group_sizes.extend(one.work_group_sizes.iter().cloned());
            sum.fixed_targets = match (sum.fixed_targets, &one.fixed_targets) {
                (Some(a), Some(b)) => Some(&a & b),
                (a, b) => a.or_else(|| b.clone()),
            };
        }
        sum
    }

    /// Returns whether the specification allows entry points with these requirements to be in one
    /// image: both have the same fixed targets, or both have none and all other requirements are
    /// equal.
    pub fn may_share(&self, other: &Self) -> bool {
        self.share_key() == other.share_key()
    }

    /// Returns a key that is equal for exactly those entry points that may share an image.
    pub fn share_key(&self) -> Self {
        match &self.fixed_targets {
            Some(_) => Self { fixed_targets: self.fixed_targets.clone(), ..Self::default() },
            None => self.clone(),
        }
    }
}
