//! The table of targets: constants of the default configuration, extended by the user's files.

use crate::errors::{AmdGpu, UnknownTarget};
use crate::{Error, Warning, yaml};
use scythe_abi::aspect::Aspect;
use scythe_abi::cuda::Architecture;
use scythe_abi::intel::Version;
use scythe_abi::target::{Family, TRIPLE_SUFFIXES, Target as Id};
use scythe_diag::Report;
use scythe_diag::spelling::nearest;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A target of `-fsycl-targets=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name on the command line. It is never an alias.
    pub name: Cow<'static, str>,
    /// The aspects of every device of this target, in the order of their numbers.
    pub aspects: Cow<'static, [Aspect]>,
    /// Whether the name stands for several devices, some of which may have more aspects.
    pub may_support_other_aspects: bool,
    /// The sub-group sizes, in increasing order. If other aspects are possible, an empty list means
    /// that the sizes are unknown.
    pub sub_group_sizes: Cow<'static, [u32]>,
    /// The ahead-of-time compiler. Empty if there is none.
    pub aot_toolchain: Cow<'static, str>,
    /// The options by which that compiler selects the device.
    pub aot_toolchain_options: Cow<'static, str>,
    /// The largest number of work-items in a work-group, if known.
    pub max_work_group_size: Option<u64>,
    /// The largest size of a work-group's local memory in bytes, if known.
    pub local_mem_size: Option<u64>,
    /// For NVIDIA GPUs, the first PTX version, times ten, that supports the architecture.
    pub first_ptx: Option<u32>,
}

include!(concat!(env!("OUT_DIR"), "/targets.rs"));

/// The facts about all targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The targets of the user's files, after all updates.
    added: BTreeMap<String, Target>,
}

impl Target {
    /// Makes a target of which only the name is known. The name may determine the compiler:
    /// `intel_gpu_NAME` is compiled by `ocloc -device NAME`, `nvidia_gpu_sm_NN` by `ptxas
    /// -arch=sm_NN`, and `x86_64_NAME` by Scythe.
    pub fn new(name: &str) -> Self {
        let (toolchain, options) = inferred(name);
        Self {
            name: Cow::Owned(name.to_owned()),
            aspects: Cow::default(),
            may_support_other_aspects: false,
            sub_group_sizes: Cow::default(),
            aot_toolchain: toolchain,
            aot_toolchain_options: options,
            max_work_group_size: None,
            local_mem_size: None,
            first_ptx: None,
        }
    }

    pub fn has(&self, aspect: Aspect) -> bool {
        self.aspects.contains(&aspect)
    }

    /// Returns the aspect that only devices of this target have. Targets for several devices and
    /// the user's targets have none.
    pub fn architecture(&self) -> Option<Aspect> {
        // Of the architectures of one target, the most specific one has the highest number.
        let own = self.aspects.iter().copied().rfind(|aspect| aspect.is_architecture())?;
        Some(own).filter(|_| !self.may_support_other_aspects || self.has(Aspect::Cpu))
    }
}

/// Returns the compiler that a name determines, and the options that select the device.
pub(crate) fn inferred(name: &str) -> (Cow<'static, str>, Cow<'static, str>) {
    let rest = |family: Family| name.strip_prefix(family.prefix()).filter(|rest| !rest.is_empty());
    if let Some(device) = rest(Family::Intel) {
        let version = Version::in_name(name).map(|version| version.to_string());
        let device = version.as_deref().unwrap_or(device);
        return (Cow::Borrowed("ocloc"), Cow::Owned(format!("-device {device}")));
    }
    if let Some(arch) = rest(Family::Nvidia).filter(|arch| Architecture::from_name(arch).is_some())
    {
        return (Cow::Borrowed("ptxas"), Cow::Owned(format!("-arch={arch}")));
    }
    match rest(Family::Cpu) {
        Some(_) => (Cow::Borrowed("scythe"), Cow::default()),
        None => (Cow::default(), Cow::default()),
    }
}

impl Table {
    /// Returns the default configuration.
    pub const fn embedded() -> Self {
        Self { added: BTreeMap::new() }
    }

    /// Returns the target with this name, alias, triple or bundle id.
    pub fn lookup(&self, name: &str) -> Option<&Target> {
        let find = |name: &str| self.added.get(name).or_else(|| embedded(name));
        let short = || {
            TRIPLE_SUFFIXES
                .iter()
                .find_map(|suffix| find(Self::canonical(name.strip_suffix(suffix)?)))
        };
        // A bundle id has an architecture after the triple.
        let by_id = || find(Self::canonical(&Id::of_id(name)?.name()));
        find(Self::canonical(name)).or_else(short).or_else(by_id)
    }

    /// Returns the name of the code for a target. The error says that the target is unknown, with
    /// the nearest name, or that there can be no code for it.
    pub fn id(&self, name: &str) -> Result<Id, Error> {
        match self.lookup(name) {
            Some(target) => target.id(),
            None => Err(self.unknown(name)),
        }
    }

    /// Makes the error for an unknown name, with the vendor or the nearest name.
    pub fn unknown(&self, name: &str) -> Error {
        if name.starts_with("amd_gpu_") || name.starts_with("amdgcn") {
            return AmdGpu { name: name.to_owned(), expected: EXPECTED }.report();
        }
        let names = self
            .targets()
            .map(|target| &*target.name)
            .chain(ALIASES.iter().map(|(alias, _)| *alias));
        let hint = nearest(name, names)
            .map(|near| format!(" (did you mean '{near}'?)"))
            .unwrap_or_default();
        let name = name.escape_debug().to_string();
        UnknownTarget { name, hint, expected: EXPECTED }.report()
    }

    /// Returns the name in the default configuration of a target that has several names. Unknown
    /// names stay as they are.
    pub fn canonical(name: &str) -> &str {
        let known = |name: &str| alias(name).or_else(|| embedded(name).map(|target| &*target.name));
        let short =
            || TRIPLE_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).and_then(known);
        known(name).or_else(short).unwrap_or(name)
    }

    /// Returns the other names of a target.
    pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> {
        ALIASES.iter().filter(move |(_, of)| *of == name).map(|(alias, _)| *alias)
    }

    /// Returns all targets by name, without aliases.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let mut all: BTreeMap<&str, &Target> =
            TARGETS.iter().map(|target| (&*target.name, target)).collect();
        all.extend(self.added.iter().map(|(name, target)| (name.as_str(), target)));
        all.into_values()
    }

    /// Adds and updates targets from a user's file. A file with an error changes nothing.
    pub fn extend_with_yaml(&mut self, path: impl AsRef<Path>) -> Result<Vec<Warning>, Error> {
        let path = path.as_ref();
        let text = yaml::read(path)?;
        self.extend_with_yaml_text(&path.to_string_lossy(), &text)
    }

    /// Like [`Table::extend_with_yaml`], for text. `file` is its name in messages.
    pub fn extend_with_yaml_text(&mut self, file: &str, text: &str) -> Result<Vec<Warning>, Error> {
        let known = |name: &str| self.lookup(name).map(|target| target.name.to_string());
        let (entries, mut warnings) =
            yaml::parse(file, text, |name| known(name).unwrap_or_else(|| name.to_owned()))?;
        let mut by_letters = HashMap::new();
        let names = self
            .targets()
            .map(|target| &*target.name)
            .chain(ALIASES.iter().map(|(alias, _)| *alias));
        by_letters.extend(names.map(|name| (name.to_ascii_lowercase(), name.to_owned())));
        for entry in entries {
            let name = entry.target.clone();
            let mut target = self.lookup(&name).cloned().unwrap_or_else(|| Target::new(&name));
            let is_new = !self.added.contains_key(&name) && embedded(&name).is_none();
            let same = by_letters.insert(name.to_ascii_lowercase(), name.clone());
            if let Some(other) = same.filter(|other| is_new && *other != name) {
                let message = format!(
                    "target '{name}' differs from '{other}' only in case; they are different \
                     targets"
                );
                warnings.push(
                    entry
                        .place
                        .iter()
                        .fold(Warning::warning(message), |warning, at| warning.at(at.clone())),
                );
            }
            entry.update(&mut target);
            self.added.insert(name, target);
        }
        Ok(warnings)
    }
}

/// The forms of target names, for messages.
const EXPECTED: &str = "'spir64' (generic code, compiled at run time), 'spir64_x86_64', 'x86_64' \
    or 'native_cpu' (the CPU, ahead \
    of time), 'x86_64_LEVEL' (the CPU, for one level), 'intel_gpu_NAME' or 'spir64_gen' with \
    '-device NAME' for the back end (Intel \
    GPUs), 'nvptx64-nvidia-cuda', 'ptx64' or 'nvidia_gpu_sm_NN' (NVIDIA GPUs), or a target of the \
    device configuration file; \
    '-fsycl-help' lists all";

pub(crate) fn embedded(name: &str) -> Option<&'static Target> {
    TARGETS.binary_search_by(|target| (*target.name).cmp(name)).ok().map(|place| &TARGETS[place])
}

fn alias(name: &str) -> Option<&'static str> {
    ALIASES.binary_search_by(|(alias, _)| (*alias).cmp(name)).ok().map(|place| ALIASES[place].1)
}
