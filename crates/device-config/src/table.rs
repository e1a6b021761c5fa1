//! The table of targets: constants of the default configuration, and over them what the user's files say.

use crate::{Error, Warning, yaml};
use scythe_abi::aspect::Aspect;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// One target of `-fsycl-targets=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Spelt as on the command line; never an alias.
    pub name: Cow<'static, str>,
    /// What every device of this target has, in the order of their numbers.
    pub aspects: Cow<'static, [Aspect]>,
    /// The name stands for several devices, some of which may have more aspects.
    pub may_support_other_aspects: bool,
    /// In increasing order. Empty, where other aspects are possible: unknown.
    pub sub_group_sizes: Cow<'static, [u32]>,
    /// The ahead-of-time compiler; empty where there is none.
    pub aot_toolchain: Cow<'static, str>,
    /// What that compiler is told to select the device.
    pub aot_toolchain_options: Cow<'static, str>,
    /// Work-items in a work-group at most, where known.
    pub max_work_group_size: Option<u64>,
    /// Bytes of local memory of a work-group at most, where known.
    pub local_mem_size: Option<u64>,
}

include!(concat!(env!("OUT_DIR"), "/targets.rs"));

/// What target triples may end with. None of it makes a difference.
const SUFFIXES: [&str; 4] = ["-unknown-unknown", "-unknown-unknown-sycldevice", "-unknown-linux", "-unknown-linux-gnu"];

/// What is known of all targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The targets of the user's files, as they are after all updates.
    added: BTreeMap<String, Target>,
}

impl Target {
    /// A target of which nothing is known but its name, and what that tells: `intel_gpu_NAME` is compiled by
    /// `ocloc -device NAME`.
    pub fn new(name: &str) -> Self {
        let (toolchain, options) = match inferred_device(name) {
            Some(device) => (Cow::Borrowed(OCLOC), Cow::Owned(format!("-device {device}"))),
            None => (Cow::default(), Cow::default()),
        };
        Self {
            name: Cow::Owned(name.to_owned()),
            aspects: Cow::default(),
            may_support_other_aspects: false,
            sub_group_sizes: Cow::default(),
            aot_toolchain: toolchain,
            aot_toolchain_options: options,
            max_work_group_size: None,
            local_mem_size: None,
        }
    }

    pub fn has(&self, aspect: Aspect) -> bool {
        self.aspects.contains(&aspect)
    }

    /// The aspect that only devices of this target have. Targets that stand for several devices, and those of the user,
    /// have none.
    pub fn architecture(&self) -> Option<Aspect> {
        // Of the architectures of one target, the most special one has the highest number.
        let own = self.aspects.iter().copied().rfind(|aspect| aspect.is_architecture())?;
        Some(own).filter(|_| !self.may_support_other_aspects || self.has(Aspect::Cpu))
    }
}

pub(crate) const OCLOC: &str = "ocloc";

/// The device in `intel_gpu_DEVICE`.
fn inferred_device(name: &str) -> Option<&str> {
    name.strip_prefix("intel_gpu_").filter(|device| !device.is_empty())
}

impl Table {
    /// The default configuration.
    pub const fn embedded() -> Self {
        Self { added: BTreeMap::new() }
    }

    /// The target with this name, alias, or triple.
    pub fn lookup(&self, name: &str) -> Option<&Target> {
        let name = Self::canonical(name);
        self.added.get(name).or_else(|| embedded(name))
    }

    /// The name under which the table knows a target that has several. Unknown names are their own.
    pub fn canonical(name: &str) -> &str {
        let known = |name: &str| alias(name).or_else(|| embedded(name).map(|target| &*target.name));
        let short = || SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).and_then(known);
        known(name).or_else(short).unwrap_or(name)
    }

    /// The other names of a target.
    pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> {
        ALIASES.iter().filter(move |(_, of)| *of == name).map(|(alias, _)| *alias)
    }

    /// Every target, by name. Aliases are left out.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let mut all: BTreeMap<&str, &Target> = TARGETS.iter().map(|target| (&*target.name, target)).collect();
        all.extend(self.added.iter().map(|(name, target)| (name.as_str(), target)));
        all.into_values()
    }

    /// Adds and updates what a user's file says. An error changes nothing.
    pub fn extend_with_yaml(&mut self, path: impl AsRef<Path>) -> Result<Vec<Warning>, Error> {
        let path = path.as_ref();
        let text = yaml::read(path)?;
        self.extend_with_yaml_text(&path.to_string_lossy(), &text)
    }

    /// The same for text; `file` is its name in messages.
    pub fn extend_with_yaml_text(&mut self, file: &str, text: &str) -> Result<Vec<Warning>, Error> {
        let (entries, warnings) = yaml::parse(file, text)?;
        for entry in entries {
            let name = Self::canonical(&entry.name).to_owned();
            let mut target = self.lookup(&name).cloned().unwrap_or_else(|| Target::new(&name));
            entry.update(&mut target);
            self.added.insert(name, target);
        }
        Ok(warnings)
    }
}

fn embedded(name: &str) -> Option<&'static Target> {
    TARGETS.binary_search_by(|target| (*target.name).cmp(name)).ok().map(|place| &TARGETS[place])
}

fn alias(name: &str) -> Option<&'static str> {
    ALIASES.binary_search_by(|(alias, _)| (*alias).cmp(name)).ok().map(|place| ALIASES[place].1)
}
