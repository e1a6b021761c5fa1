//! The manifest as property sets: the form in which `sycl-post-link` and other tools write it to
//! files. The specification defines the names and layouts of the `SYCL/…` sets.

use std::collections::HashMap;
use std::fmt;

use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::{
    ASPECT_ORIGINS, ASPECT_QUERIES, CONDITIONAL_IMPORTS, CONDITIONAL_REQUIREMENTS, DEVICE_GLOBALS,
    DEVICE_REQUIREMENTS, EXPORTED_SYMBOLS, IMPORTED_SYMBOLS, KERNEL_ATTRIBUTES,
    KERNEL_WORK_GROUP_SIZES, LAUNCH_PROPERTY_SET, SPECIALIZATION_CONSTANTS,
};
use scythe_abi::requirements::{Conditional, Requirements};

use super::{DeviceGlobal, EntryPoint, Import, Manifest, SpecializationConstant};
use crate::{PropertySet, PropertySets, PropertyValue};

const ASPECT: &str = "aspect";
const SUB_GROUP_SIZE: &str = "reqd_sub_group_size";
const WORK_GROUP_SIZE: &str = "reqd_work_group_size";
const FIXED_TARGET: &str = "fixed_target";
/// The only property of [`ASPECT_QUERIES`].
const ASKS: &str = "asks";

/// A property that does not have the layout of its set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactError {
    pub set: &'static str,
    pub property: String,
    pub message: String,
}

impl fmt::Display for FactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the property '{}' of set {} {}", self.property, self.set, self.message)
    }
}

impl std::error::Error for FactError {}

type Result<T> = std::result::Result<T, FactError>;

impl Manifest {
    /// Returns the property sets. Empty sets are left out.
    pub fn to_properties(&self) -> PropertySets {
        let mut sets = PropertySets::default();
        let mut add = |set: &str, name: &str, value: PropertyValue| {
            sets.set(set).insert(name, value);
        };
        for (entry, launch) in
            self.entry_points.iter().filter_map(|entry| Some((entry, entry.launch.as_ref()?)))
        {
            add(LAUNCH_PROPERTY_SET, &entry.symbol, launch.to_bytes().into());
        }
        for symbol in &self.exports {
            add(EXPORTED_SYMBOLS, symbol, 1.into());
        }
        for import in &self.imports {
            add(IMPORTED_SYMBOLS, &import.symbol, 1.into());
        }
        for constant in &self.constants {
            add(SPECIALIZATION_CONSTANTS, &constant.symbol, constant.size.into());
        }
        for DeviceGlobal { symbol, size, image_scope } in &self.globals {
            let mut value = size.to_le_bytes().to_vec();
            value.push(u8::from(*image_scope));
            add(DEVICE_GLOBALS, symbol, value.into());
        }
        for (name, numbers) in required_numbers(&self.requirements) {
            add(DEVICE_REQUIREMENTS, name, to_bytes(&numbers).into());
        }
        for entry in &self.entry_points {
            if !entry.aspect_origins.is_empty() {
                let text: String =
                    entry.aspect_origins.iter().map(|line| format!("{line}\n")).collect();
                add(ASPECT_ORIGINS, &entry.symbol, text.into_bytes().into());
            }
            if let Some(size) = &entry.work_group_size {
                add(KERNEL_WORK_GROUP_SIZES, &entry.symbol, to_bytes(size).into());
            }
            if !entry.attributes.is_empty() {
                add(KERNEL_ATTRIBUTES, &entry.symbol, entry.attributes.clone().into_bytes().into());
            }
        }
        for Conditional { condition, requirements } in &self.conditional {
            for (name, numbers) in required_numbers(requirements) {
                add(
                    CONDITIONAL_REQUIREMENTS,
                    &format!("{condition} {name}"),
                    to_bytes(&numbers).into(),
                );
            }
        }
        for import in self.imports.iter().filter(|import| !import.conditions.is_empty()) {
            let text: String =
                import.conditions.iter().map(|condition| format!("{condition}\n")).collect();
            add(CONDITIONAL_IMPORTS, &import.symbol, text.into_bytes().into());
        }
        if self.asks_for_aspects {
            add(ASPECT_QUERIES, ASKS, 1.into());
        }
        for (set, properties) in self.other.iter() {
            for (name, value) in properties.iter() {
                add(set, name, value.clone());
            }
        }
        sets
    }

    /// Reads property sets. Unknown sets are kept in [`Manifest::other`].
    pub fn from_properties(sets: &PropertySets) -> Result<Self> {
        let mut reader = Reader::default();
        for (name, set) in sets.iter() {
            reader.read(name, set)?;
        }
        Ok(reader.manifest)
    }
}

/// A partially read manifest, with the indices of its entry points and imports.
#[derive(Default)]
struct Reader {
    manifest: Manifest,
    entry_points: HashMap<String, usize>,
    imports: HashMap<String, usize>,
}

impl Reader {
    fn read(&mut self, name: &str, set: &PropertySet) -> Result<()> {
        match name {
            LAUNCH_PROPERTY_SET => {
                for (symbol, value) in bytes_of(LAUNCH_PROPERTY_SET, set) {
                    let launch = KernelLaunch::from_bytes(value?);
                    let launch = launch.ok_or_else(|| {
                        wrong(LAUNCH_PROPERTY_SET, symbol, "does not contain a launch row")
                    })?;
                    self.entry_point(symbol).launch = Some(launch);
                }
            }
            EXPORTED_SYMBOLS => {
                self.manifest.exports = set.iter().map(|(symbol, _)| symbol.to_owned()).collect()
            }
            IMPORTED_SYMBOLS => {
                for (symbol, _) in set.iter() {
                    self.import(symbol);
                }
            }
            SPECIALIZATION_CONSTANTS => {
                for (symbol, value) in set.iter() {
                    let size = value.as_u32();
                    let size = size.ok_or_else(|| {
                        wrong(SPECIALIZATION_CONSTANTS, symbol, "is not a number")
                    })?;
                    self.manifest
                        .constants
                        .push(SpecializationConstant { symbol: symbol.to_owned(), size });
                }
            }
            DEVICE_GLOBALS => {
                for (symbol, value) in bytes_of(DEVICE_GLOBALS, set) {
                    let (size, image_scope) = match value?.split_first_chunk::<8>() {
                        Some((size, &[scope @ (0 | 1)])) => (u64::from_le_bytes(*size), scope == 1),
                        _ => {
                            return Err(wrong(
                                DEVICE_GLOBALS,
                                symbol,
                                "does not contain a size and a flag of 0 or 1",
                            ));
                        }
                    };
                    self.manifest.globals.push(DeviceGlobal {
                        symbol: symbol.to_owned(),
                        size,
                        image_scope,
                    });
                }
            }
            DEVICE_REQUIREMENTS => self.read_requirements(set)?,
            ASPECT_ORIGINS => {
                for (symbol, value) in bytes_of(ASPECT_ORIGINS, set) {
                    let text = String::from_utf8_lossy(value?);
                    self.entry_point(symbol).aspect_origins =
                        text.lines().filter_map(AspectOrigin::parse).collect();
                }
            }
            KERNEL_WORK_GROUP_SIZES => {
                for (symbol, value) in bytes_of(KERNEL_WORK_GROUP_SIZES, set) {
                    let sizes = numbers(KERNEL_WORK_GROUP_SIZES, symbol, value?)?;
                    if !(1..=3).contains(&sizes.len()) {
                        return Err(wrong(
                            KERNEL_WORK_GROUP_SIZES,
                            symbol,
                            "does not contain one to three sizes",
                        ));
                    }
                    self.entry_point(symbol).work_group_size = Some(sizes);
                }
            }
            KERNEL_ATTRIBUTES => {
                for (symbol, value) in bytes_of(KERNEL_ATTRIBUTES, set) {
                    self.entry_point(symbol).attributes =
                        String::from_utf8_lossy(value?).into_owned();
                }
            }
            CONDITIONAL_REQUIREMENTS => {
                for (name, value) in bytes_of(CONDITIONAL_REQUIREMENTS, set) {
                    self.manifest.conditional.push(read_conditional(name, value?)?);
                }
            }
            CONDITIONAL_IMPORTS => {
                for (symbol, value) in bytes_of(CONDITIONAL_IMPORTS, set) {
                    let fail = |why: String| wrong(CONDITIONAL_IMPORTS, symbol, why);
                    let text = std::str::from_utf8(value?)
                        .map_err(|_| fail("is not UTF-8 text".to_owned()))?;
                    let read = |line: &str| {
                        line.parse().map_err(|error| fail(format!("has an invalid line: {error}")))
                    };
                    self.import(symbol).conditions =
                        text.lines().map(read).collect::<Result<_>>()?;
                }
            }
            ASPECT_QUERIES => self.manifest.asks_for_aspects = set.get(ASKS).is_some(),
            other => {
                let kept = self.manifest.other.set(other);
                for (property, value) in set.iter() {
                    kept.insert(property, value.clone());
                }
            }
        }
        Ok(())
    }

    fn read_requirements(&mut self, set: &PropertySet) -> Result<()> {
        let Manifest { requirements, other, .. } = &mut self.manifest;
        for (name, value) in bytes_of(DEVICE_REQUIREMENTS, set) {
            let value = value?;
            let list = || numbers(DEVICE_REQUIREMENTS, name, value);
            match name {
                ASPECT => requirements.aspects = Some(list()?),
                SUB_GROUP_SIZE => requirements.sub_group_sizes = Some(list()?),
                WORK_GROUP_SIZE => requirements.work_group_sizes = Some(work_groups(&list()?)?),
                FIXED_TARGET => requirements.fixed_targets = Some(list()?),
                _ => {
                    other.set(DEVICE_REQUIREMENTS).insert(name, value.to_vec());
                }
            }
        }
        Ok(())
    }

    /// Returns the entry point `symbol`, and adds it if it is new.
    fn entry_point(&mut self, symbol: &str) -> &mut EntryPoint {
        let list = &mut self.manifest.entry_points;
        let at = *self.entry_points.entry(symbol.to_owned()).or_insert_with(|| {
            list.push(EntryPoint { symbol: symbol.to_owned(), ..EntryPoint::default() });
            list.len() - 1
        });
        &mut list[at]
    }

    /// Returns the import `symbol`, and adds it if it is new.
    fn import(&mut self, symbol: &str) -> &mut Import {
        let list = &mut self.manifest.imports;
        let at = *self.imports.entry(symbol.to_owned()).or_insert_with(|| {
            list.push(Import { symbol: symbol.to_owned(), conditions: Vec::new() });
            list.len() - 1
        });
        &mut list[at]
    }
}

/// Returns the properties that exist, each as the numbers of its layout.
fn required_numbers(requirements: &Requirements) -> Vec<(&'static str, Vec<u32>)> {
    let entry = |sizes: &Vec<u32>| [&[sizes.len() as u32], sizes.as_slice()].concat();
    let work_groups =
        requirements.work_group_sizes.as_ref().map(|all| all.iter().flat_map(entry).collect());
    let all = [
        (ASPECT, requirements.aspects.clone()),
        (SUB_GROUP_SIZE, requirements.sub_group_sizes.clone()),
        (WORK_GROUP_SIZE, work_groups),
        (FIXED_TARGET, requirements.fixed_targets.clone()),
    ];
    all.into_iter().filter_map(|(name, numbers)| Some((name, numbers?))).collect()
}

/// Reads a property with the name `<condition> aspect` or `<condition> reqd_sub_group_size`.
fn read_conditional(name: &str, value: &[u8]) -> Result<Conditional> {
    let fail = |why: String| wrong(CONDITIONAL_REQUIREMENTS, name, why);
    let expected =
        || fail("has an invalid name: expected a condition, a space and a requirement".to_owned());
    let (condition, kind) = name.rsplit_once(' ').ok_or_else(expected)?;
    let condition =
        condition.parse().map_err(|error| fail(format!("has an invalid name: {error}")))?;
    let list = Some(numbers(CONDITIONAL_REQUIREMENTS, name, value)?);
    let requirements = match kind {
        ASPECT => Requirements { aspects: list, ..Requirements::default() },
        SUB_GROUP_SIZE => Requirements { sub_group_sizes: list, ..Requirements::default() },
        _ => return Err(expected()),
    };
    Ok(Conditional { condition, requirements })
}

/// Reads entries of the form `count, size, size, …`.
fn work_groups(numbers: &[u32]) -> Result<Vec<Vec<u32>>> {
    let fail = |message: String| wrong(DEVICE_REQUIREMENTS, WORK_GROUP_SIZE, message);
    let mut sizes = Vec::new();
    let mut rest = numbers;
    while let Some((&count, after)) = rest.split_first() {
        if !(1..=3).contains(&count) {
            return Err(fail(format!("has an entry of {count} dimensions, expected 1, 2 or 3")));
        }
        let (entry, after) = after.split_at_checked(count as usize).ok_or_else(|| {
            fail(format!("ends after {} of {count} dimensions of an entry", after.len()))
        })?;
        sizes.push(entry.to_vec());
        rest = after;
    }
    Ok(sizes)
}

fn to_bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(set: &'static str, property: &str, bytes: &[u8]) -> Result<Vec<u32>> {
    match bytes.as_chunks::<4>() {
        (words, []) => Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect()),
        _ => Err(wrong(
            set,
            property,
            format!("has {} bytes, expected a multiple of 4", bytes.len()),
        )),
    }
}

/// Returns the properties of a set of byte arrays. A property that is a number is an error.
fn bytes_of<'a>(
    set: &'static str,
    properties: &'a PropertySet,
) -> impl Iterator<Item = (&'a str, Result<&'a [u8]>)> {
    properties.iter().map(move |(name, value)| {
        (name, value.as_bytes().ok_or_else(|| wrong(set, name, "is not a byte array")))
    })
}

fn wrong(set: &'static str, property: &str, message: impl Into<String>) -> FactError {
    FactError { set, property: property.to_owned(), message: message.into() }
}
