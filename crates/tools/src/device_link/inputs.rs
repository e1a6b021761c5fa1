//! Groups the inputs that are linked together, and computes the key of a link.

use super::settings::Settings;
use crate::command_line::{Argument, Arguments};
use crate::{Failure, files};
use scythe_abi::names::GENERIC_TRIPLE;
use scythe_abi::target::Target;
use scythe_device_config::Table;

/// Targets with the same inputs, and these inputs in order.
pub struct Group<'a> {
    pub targets: Vec<Target>,
    pub inputs: Vec<&'a str>,
}

impl Group<'_> {
    pub fn target_names(&self) -> String {
        self.targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the inputs of each target, in order. Targets with the same inputs share a group, in the
/// order of targets.
pub fn groups<'a>(args: &'a Arguments, table: &Table) -> Result<Vec<Group<'a>>, Failure> {
    let mut of_target: std::collections::BTreeMap<Target, Vec<&str>> = Default::default();
    let mut current = vec![Target::Generic];
    for argument in &args.0 {
        match argument {
            Argument::Option("target", list) => current = targets(list, table)?,
            Argument::Option(..) => {}
            Argument::Input(input) => {
                for target in &current {
                    of_target.entry(*target).or_default().push(input);
                }
            }
        }
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (target, inputs) in of_target {
        // Only generic code is shared: other device passes compile for one target.
        let generic = target.device_triple() == GENERIC_TRIPLE;
        match groups.iter_mut().find(|group| generic && group.inputs == inputs) {
            Some(group) => group.targets.push(target),
            None => groups.push(Group { targets: vec![target], inputs }),
        }
    }
    Ok(groups)
}

fn targets(list: &str, table: &Table) -> Result<Vec<Target>, Failure> {
    let mut targets =
        list.split(',').map(|name| target(name, table)).collect::<Result<Vec<_>, _>>()?;
    targets.sort();
    targets.dedup();
    Ok(targets)
}

/// Returns the target with this name.
pub fn target(name: &str, table: &Table) -> Result<Target, Failure> {
    // A bundle id is replaced by the name of its target, which the user knows.
    let by_id =
        || Target::of_id(name).map(|target| target.name()).filter(|_| table.lookup(name).is_none());
    Ok(table.id(&by_id().unwrap_or_else(|| name.to_owned()))?)
}

/// Returns the key of a link: a hash of the inputs, the options, this program, and the compilers
/// that it calls.
pub fn key(
    groups: &[Group<'_>],
    settings: &Settings<'_>,
    compilers: &str,
) -> Result<blake3::Hash, Failure> {
    let mut hasher = blake3::Hasher::new();
    // The length before each field keeps different lists of fields apart.
    let mut field = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    field(b"device-link");
    field(super::cache::program_identity()?.as_bytes());
    field(compilers.as_bytes());
    for text in settings.key_fields() {
        field(text.as_bytes());
    }
    for group in groups {
        field(group.target_names().as_bytes());
        field(&(group.inputs.len() as u64).to_le_bytes());
        for input in &group.inputs {
            field(blake3::hash(&files::read(input)?).as_bytes());
        }
    }
    Ok(hasher.finalize())
}
