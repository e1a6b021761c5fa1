//! Checks whether a target meets the requirements of a device image.

use crate::{Table, Target};
use scythe_abi::aspect::Aspect;
use scythe_abi::requirements::Requirements;
use std::fmt;

/// The first feature that a target lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The number of an aspect.
    Aspect(u32),
    SubGroupSize(u32),
    /// The number of work-items of a work-group, and the limit of the target.
    WorkGroupSize(u64, u64),
    /// The architectures that the image was compiled for.
    FixedTarget(Vec<u32>),
}

/// Returns the name of an aspect, or its number if the aspect is unknown.
fn aspect_name(number: u32) -> String {
    Aspect::from_u32(number)
        .map_or_else(|| format!("aspect {number}"), |aspect| aspect.as_str().to_owned())
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aspect(number) => f.write_str(&aspect_name(*number)),
            Self::SubGroupSize(size) => write!(f, "sub-group size {size}"),
            Self::WorkGroupSize(size, limit) => {
                write!(f, "work-groups of {size} (at most {limit})")
            }
            Self::FixedTarget(targets) if targets.is_empty() => {
                f.write_str("compiled for no target")
            }
            Self::FixedTarget(targets) => {
                let names: Vec<_> = targets.iter().map(|&number| aspect_name(number)).collect();
                write!(f, "compiled for {} only", names.join(", "))
            }
        }
    }
}

impl Target {
    /// Checks whether code with these requirements can be compiled for the target. Compares
    /// aspects, sub-group sizes and fixed targets.
    ///
    /// A target that may support other aspects cannot lack an aspect with certainty. Its devices
    /// may be those of a fixed target with all of its aspects. If it lists no sub-group sizes, all
    /// are possible.
    pub fn check(&self, required: &Requirements) -> Result<(), Lack> {
        let target = self;
        let has = |number: u32| target.aspects.iter().any(|&aspect| aspect as u32 == number);
        let open = target.may_support_other_aspects;
        let missing = required.aspects.iter().flatten().find(|&&aspect| !has(aspect));
        if let Some(&aspect) = missing.filter(|_| !open) {
            return Err(Lack::Aspect(aspect));
        }
        let unsized_ = open && target.sub_group_sizes.is_empty();
        let missing = required
            .sub_group_sizes
            .iter()
            .flatten()
            .find(|size| !target.sub_group_sizes.contains(size));
        if let Some(&size) = missing.filter(|_| !unsized_) {
            return Err(Lack::SubGroupSize(size));
        }
        match &required.fixed_targets {
            Some(fixed)
                if !fixed.iter().any(|&aspect| has(aspect) || open && is_among(target, aspect)) =>
            {
                Err(Lack::FixedTarget(fixed.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Checks whether a device of the target can run code with these requirements: like
    /// [`Target::check`], and also work-group sizes if the limit is known.
    pub fn check_launch(&self, required: &Requirements) -> Result<(), Lack> {
        self.check(required)?;
        let Some(limit) = self.max_work_group_size else { return Ok(()) };
        for sizes in required.work_group_sizes.iter().flatten() {
            let items = sizes.iter().fold(1u64, |items, &size| items.saturating_mul(size.into()));
            if items > limit {
                return Err(Lack::WorkGroupSize(items, limit));
            }
        }
        Ok(())
    }
}

/// Whether some devices of `family` may have this architecture.
fn is_among(family: &Target, architecture: u32) -> bool {
    let table = Table::embedded();
    let is_it = |target: &&Target| {
        target.architecture().is_some_and(|aspect| aspect as u32 == architecture)
    };
    // An unknown architecture may belong to any family.
    table
        .targets()
        .find(is_it)
        .is_none_or(|target| family.aspects.iter().all(|&aspect| target.has(aspect)))
}
