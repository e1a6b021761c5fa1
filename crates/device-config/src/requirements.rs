//! What a device image needs of its device, and whether a target has it.
//!
//! The layouts are those of the property set `SYCL/device requirements`: arrays of little-endian 32-bit numbers.

use crate::{Table, Target};
use scythe_abi::aspect::Aspect;
use std::fmt;

/// The properties of one image. A property that is not there is `None`, which for `fixed_targets` differs from an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// Numbers of aspects, of which the device must have all.
    pub aspects: Option<Vec<u32>>,
    /// Sub-group sizes, of which the device must support all.
    pub sub_group_sizes: Option<Vec<u32>>,
    /// Work-group sizes, of which the device must support all.
    pub work_group_sizes: Option<Vec<Vec<u32>>>,
    /// Aspects of architectures, of which the device must have one.
    pub fixed_targets: Option<Vec<u32>>,
}

/// A property that is not laid out as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementsError {
    pub property: &'static str,
    pub message: String,
}

impl fmt::Display for RequirementsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the property '{}' {}", self.property, self.message)
    }
}

impl std::error::Error for RequirementsError {}

/// The first thing that a target lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The number of an aspect.
    Aspect(u32),
    SubGroupSize(u32),
    /// Work-items of a work-group, and how many the target allows.
    WorkGroupSize(u64, u64),
    /// The architectures that the image was compiled for.
    FixedTarget(Vec<u32>),
}

/// The aspect's name, or its number where nobody knows it.
fn aspect_name(number: u32) -> String {
    Aspect::from_u32(number).map_or_else(|| format!("aspect {number}"), |aspect| aspect.as_str().to_owned())
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aspect(number) => f.write_str(&aspect_name(*number)),
            Self::SubGroupSize(size) => write!(f, "sub-group size {size}"),
            Self::WorkGroupSize(size, limit) => write!(f, "work-groups of {size} (at most {limit})"),
            Self::FixedTarget(targets) if targets.is_empty() => f.write_str("compiled for no target"),
            Self::FixedTarget(targets) => {
                let names: Vec<_> = targets.iter().map(|&number| aspect_name(number)).collect();
                write!(f, "compiled for {} only", names.join(", "))
            }
        }
    }
}

impl Requirements {
    pub const PROPERTY_SET: &str = "SYCL/device requirements";
    pub const ASPECT: &str = "aspect";
    pub const SUB_GROUP_SIZE: &str = "reqd_sub_group_size";
    pub const WORK_GROUP_SIZE: &str = "reqd_work_group_size";
    pub const FIXED_TARGET: &str = "fixed_target";

    /// Reads the properties; `property` returns the bytes of one.
    pub fn read<'a>(property: impl Fn(&str) -> Option<&'a [u8]>) -> Result<Self, RequirementsError> {
        let numbers = |name| property(name).map(|bytes| numbers(name, bytes)).transpose();
        Ok(Self {
            aspects: numbers(Self::ASPECT)?,
            sub_group_sizes: numbers(Self::SUB_GROUP_SIZE)?,
            work_group_sizes: numbers(Self::WORK_GROUP_SIZE)?.map(|numbers| work_groups(&numbers)).transpose()?,
            fixed_targets: numbers(Self::FIXED_TARGET)?,
        })
    }

    /// Whether code with these requirements can be compiled for the target: aspects, sub-group sizes and fixed targets.
    ///
    /// A target that may support other aspects cannot be told to lack one, and its devices may be those of a fixed target that has
    /// all it has for certain; where it lists no sub-group sizes, all are possible.
    pub fn check(&self, target: &Target) -> Result<(), Lack> {
        let has = |number: u32| target.aspects.iter().any(|&aspect| aspect as u32 == number);
        let open = target.may_support_other_aspects;
        let missing = self.aspects.iter().flatten().find(|&&aspect| !has(aspect));
        if let Some(&aspect) = missing.filter(|_| !open) {
            return Err(Lack::Aspect(aspect));
        }
        let unsized_ = open && target.sub_group_sizes.is_empty();
        let missing = self.sub_group_sizes.iter().flatten().find(|size| !target.sub_group_sizes.contains(size));
        if let Some(&size) = missing.filter(|_| !unsized_) {
            return Err(Lack::SubGroupSize(size));
        }
        match &self.fixed_targets {
            Some(fixed) if !fixed.iter().any(|&aspect| has(aspect) || open && is_among(target, aspect)) => {
                Err(Lack::FixedTarget(fixed.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Whether a device of the target can run it: all of [`Requirements::check`], and the work-group sizes where the limit
    /// is known.
    pub fn check_launch(&self, target: &Target) -> Result<(), Lack> {
        self.check(target)?;
        let Some(limit) = target.max_work_group_size else { return Ok(()) };
        for sizes in self.work_group_sizes.iter().flatten() {
            let items = sizes.iter().fold(1u64, |items, &size| items.saturating_mul(size.into()));
            if items > limit {
                return Err(Lack::WorkGroupSize(items, limit));
            }
        }
        Ok(())
    }
}

/// Some devices of `family` may have this architecture.
fn is_among(family: &Target, architecture: u32) -> bool {
    let table = Table::embedded();
    let is_it = |target: &&Target| target.architecture().is_some_and(|aspect| aspect as u32 == architecture);
    // An architecture that nobody knows may be anything.
    table.targets().find(is_it).is_none_or(|target| family.aspects.iter().all(|&aspect| target.has(aspect)))
}

pub(crate) fn numbers(property: &'static str, bytes: &[u8]) -> Result<Vec<u32>, RequirementsError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let message = format!("has {} bytes: expected a multiple of 4", bytes.len());
        return Err(RequirementsError { property, message });
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Entries `count, size, size, …`.
fn work_groups(numbers: &[u32]) -> Result<Vec<Vec<u32>>, RequirementsError> {
    let fail = |message| RequirementsError { property: Requirements::WORK_GROUP_SIZE, message };
    let mut sizes = Vec::new();
    let mut rest = numbers;
    while let Some((&count, after)) = rest.split_first() {
        if !(1..=3).contains(&count) {
            return Err(fail(format!("has an entry of {count} dimensions: expected 1, 2 or 3")));
        }
        let (entry, after) = after
            .split_at_checked(count as usize)
            .ok_or_else(|| fail(format!("ends after {} of {count} dimensions of an entry", after.len())))?;
        sizes.push(entry.to_vec());
        rest = after;
    }
    Ok(sizes)
}
