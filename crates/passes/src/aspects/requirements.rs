//! What a device must offer to run a set of entry points: what device code is split by, and what
//! images say.

use super::metadata::Kinds;
use scythe_llvm::Function;
use std::collections::BTreeSet;

/// What entry points demand together. Two sets of entry points may share an image exactly if
/// [`Requirements::may_share`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Requirements {
    /// Used and declared aspects.
    pub aspects: BTreeSet<u32>,
    /// Numeric sizes only: `automatic` and `primary` fit every device.
    pub sub_group_sizes: BTreeSet<u32>,
    /// Each in the attribute's order.
    pub work_group_sizes: BTreeSet<Vec<u32>>,
    /// `None` without `-fsycl-fixed-targets=`.
    pub fixed_targets: Option<BTreeSet<String>>,
}

impl Requirements {
    /// The requirements of one kernel or exported function.
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

    /// The requirements of entry points that are in one image.
    pub fn of_all<'ctx>(
        entry_points: impl IntoIterator<Item = Function<'ctx>>,
        kinds: Kinds,
    ) -> Self {
        let all: Vec<Self> =
            entry_points.into_iter().map(|entry_point| Self::of(entry_point, kinds)).collect();
        Self::together(&all)
    }

    /// What all of these need. Those that share an image have the same fixed targets; of others
    /// that do not, the ones that all agree on are left.
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

    /// Whether the specification lets entry points with these requirements be in one image: the
    /// same fixed targets, or none and the same of everything else.
    pub fn may_share(&self, other: &Self) -> bool {
        self.share_key() == other.share_key()
    }

    /// Equal for entry points that may share an image, and different for others.
    pub fn share_key(&self) -> Self {
        match &self.fixed_targets {
            Some(_) => Self { fixed_targets: self.fixed_targets.clone(), ..Self::default() },
            None => self.clone(),
        }
    }
}
