//! The words of passes for programs that are checked when they run: `-fsanitize=` and
//! `-fsycl-check-accessors`.
//!
//! Host passes get the user's `-fsanitize=` unchanged. Clang's driver ignores the option for
//! devices, so the device pass gets it in the form for clang's front end or for the plug-in:
//!
//! | sanitizer | in device code |
//! |---|---|
//! | `undefined` and its parts | clang adds checks, which call the sanitizer's runtime library |
//! | `address` | the compiler for the CPU adds checks of all accesses |
//! | `thread` | the compiler for the CPU adds checks of races and barriers |
//!
//! All other sanitizers check host code only.

use std::collections::BTreeSet;

use scythe_abi::checks::Checks;
use scythe_abi::target::{Family, Target};
use scythe_diag::warning::Group;

use crate::args::{Invocation, Item};
use crate::flags::Steps;
use crate::own_warnings::{self, Fate};

/// The macro by which the headers check the indices of accessors.
const CHECK_ACCESSORS: &str = "-D__SCYTHE_CHECK_ACCESSORS__=1";

/// The positions in reports come from debug information. A later `-g` of the user adds to it.
const POSITIONS: &str = "-gline-tables-only";

/// The parts of clang's group `undefined` that device code can have. Device code has no virtual
/// calls and no calls through pointers. Clang checks the alignment and the value of pointers only
/// in the default address space, which device code does not use.
const UNDEFINED: &[&str] = &[
    "array-bounds",
    "bool",
    "builtin",
    "enum",
    "float-cast-overflow",
    "integer-divide-by-zero",
    "nonnull-attribute",
    "pointer-overflow",
    "return",
    "returns-nonnull-attribute",
    "shift-base",
    "shift-exponent",
    "signed-integer-overflow",
    "unreachable",
    "vla-bound",
];

/// Clang's groups of sanitizers, and their parts in device code.
const GROUPS: &[(&str, &[&str])] = &[
    ("undefined", UNDEFINED),
    ("bounds", &["array-bounds"]),
    ("shift", &["shift-base", "shift-exponent"]),
    (
        "implicit-integer-truncation",
        &["implicit-unsigned-integer-truncation", "implicit-signed-integer-truncation"],
    ),
    (
        "implicit-integer-arithmetic-value-change",
        &["implicit-signed-integer-truncation", "implicit-integer-sign-change"],
    ),
    (
        "implicit-conversion",
        &[
            "implicit-unsigned-integer-truncation",
            "implicit-signed-integer-truncation",
            "implicit-integer-sign-change",
            "implicit-bitfield-conversion",
        ],
    ),
    (
        "integer",
        &[
            "integer-divide-by-zero",
            "shift-base",
            "shift-exponent",
            "signed-integer-overflow",
            "unsigned-integer-overflow",
            "unsigned-shift-base",
            "implicit-unsigned-integer-truncation",
            "implicit-signed-integer-truncation",
            "implicit-integer-sign-change",
        ],
    ),
    ("nullability", &["nullability-arg", "nullability-assign", "nullability-return"]),
];

/// Parts that no group above contains.
const SINGLE: &[&str] = &["float-divide-by-zero"];

/// Checks whose failure always ends the program.
const FATAL: &[&str] = &["return", "unreachable"];

/// Sanitizers that do not concern kernels.
const HOST_ONLY: &[&str] = &["leak", "function", "vptr", "object-size", "local-bounds"];

/// The sanitizers of device code.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sanitizers {
    /// The checks that the compiler for the CPU adds.
    checks: Vec<&'static str>,
    /// The checks that clang adds.
    undefined: BTreeSet<&'static str>,
    /// The checks of clang after which the program continues, and those that trap.
    recover: BTreeSet<&'static str>,
    trap: BTreeSet<&'static str>,
    /// Sanitizers that check no kernels.
    others: Vec<String>,
    /// Whether the user wants no warnings about kernels that are not checked.
    quiet: bool,
}

impl Sanitizers {
    /// Returns the sanitizers that the options select.
    pub fn of(invocation: &Invocation) -> Self {
        let words = invocation.items.iter().filter_map(|item| match item {
            Item::Option { words, .. } => words.first().map(String::as_str),
            Item::Input(_) => None,
        });
        Self::from_words(words)
    }

    fn from_words<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Self {
        let quiet = own_warnings::fate(Group::Sanitize, words.clone()) == Fate::Ignored;
        let mut names: Vec<&str> = Vec::new();
        let mut undefined = BTreeSet::new();
        let mut recover: BTreeSet<_> = all_parts().collect();
        FATAL.iter().for_each(|part| _ = recover.remove(part));
        let mut trap = BTreeSet::new();
        for word in words {
            let set = |prefix: &str| word.strip_prefix(prefix).map(|list| list.split(','));
            if let Some(list) = set("-fsanitize=") {
                for name in list {
                    names.retain(|known| *known != name);
                    names.push(name);
                    undefined.extend(parts(name));
                }
            } else if let Some(list) = set("-fno-sanitize=") {
                for name in list {
                    names.retain(|known| *known != name && name != "all");
                    parts(name).for_each(|part| _ = undefined.remove(part));
                }
            } else if let Some(list) = set("-fsanitize-recover=") {
                recover.extend(list.flat_map(parts));
            } else if let Some(list) = set("-fno-sanitize-recover=") {
                list.flat_map(parts).for_each(|part| _ = recover.remove(part));
            } else if let Some(list) = set("-fsanitize-trap=") {
                trap.extend(list.flat_map(parts));
            } else if let Some(list) = set("-fno-sanitize-trap=") {
                list.flat_map(parts).for_each(|part| _ = trap.remove(part));
            } else if word == "-fno-sanitize-recover" {
                recover.clear();
            } else if word == "-fsanitize-trap" || word == "-fsanitize-undefined-trap-on-error" {
                trap.extend(all_parts());
            }
        }
        let mut checks = Vec::new();
        let mut others = Vec::new();
        for name in names {
            match name {
                "address" => checks.push("address"),
                "thread" => checks.extend(["races", "barriers"]),
                _ if parts(name).next().is_some() || HOST_ONLY.contains(&name) => {}
                _ => others.push(name.to_owned()),
            }
        }
        let of = |set: BTreeSet<&'static str>| &set & &undefined;
        let (recover, trap) = (of(recover), of(trap));
        let recover = &recover - &trap;
        Self { checks, undefined, recover, trap, others, quiet }
    }

    /// Returns the words of the device pass.
    fn device_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.checks.is_empty() {
            let checks = Checks::from_names(&self.checks.join(","));
            let checks = if self.quiet { checks.and(Checks::QUIET) } else { checks };
            words.push(format!("-fplugin-arg-scythe-checks={}", checks.names()));
        }
        let lists = [
            ("-fsanitize=", &self.undefined),
            ("-fsanitize-recover=", &self.recover),
            ("-fsanitize-trap=", &self.trap),
        ];
        for (option, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            let list: Vec<_> = list.iter().copied().collect();
            words.extend(["-Xclang".to_owned(), format!("{option}{}", list.join(","))]);
        }
        words
    }

    /// Returns a sentence about each sanitizer that does not check the kernels of a target.
    pub fn unchecked<'a>(&self, targets: impl Iterator<Item = &'a Target>) -> Vec<String> {
        let mut found: Vec<String> = self
            .others
            .iter()
            .map(|name| format!("-fsanitize={name} checks host code, but no kernels"))
            .collect();
        for target in targets.filter(|target| !runs_on_cpu(target)) {
            for (check, name) in [("address", "address"), ("races", "thread")] {
                if self.checks.contains(&check) {
                    let target = target.name();
                    found.push(format!(
                        "-fsanitize={name} does not check kernels for '{target}', only kernels on \
                         the CPU device"
                    ));
                }
            }
        }
        found
    }
}

/// Returns the parts that a name stands for.
fn parts(name: &str) -> Box<dyn Iterator<Item = &'static str>> {
    if name == "all" {
        return Box::new(all_parts());
    }
    if let Some((_, parts)) = GROUPS.iter().find(|(group, _)| *group == name) {
        return Box::new(parts.iter().copied());
    }
    let part = all_parts().find(|part| *part == name);
    Box::new(part.into_iter())
}

fn all_parts() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, parts)| parts.iter().copied()).chain(SINGLE.iter().copied())
}

/// Whether the device code for this target can run on the CPU device.
fn runs_on_cpu(target: &Target) -> bool {
    matches!(target.family(), Family::Generic | Family::Cpu)
}

/// Returns the words of a pass, which the user's options follow.
pub fn words(invocation: &Invocation, step: Steps) -> Vec<String> {
    let mut words = Vec::new();
    if invocation.check_accessors {
        words.push(CHECK_ACCESSORS.to_owned());
    }
    if step == Steps::DEVICE {
        words.extend(Sanitizers::of(invocation).device_words());
        if !words.is_empty() {
            words.insert(0, POSITIONS.to_owned());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(line: &str) -> Vec<String> {
        Sanitizers::from_words(line.split_whitespace()).device_words()
    }

    #[test]
    fn the_plug_in_is_told_of_address_and_thread() {
        assert_eq!(words_of("-fsanitize=address"), ["-fplugin-arg-scythe-checks=address"]);
        assert_eq!(words_of("-fsanitize=thread"), ["-fplugin-arg-scythe-checks=races,barriers"]);
        assert!(words_of("-fsanitize=address -fno-sanitize=all").is_empty());
        assert!(words_of("-fsanitize=leak,vptr").is_empty());
    }

    #[test]
    fn clang_is_told_of_each_part_of_a_group() {
        assert_eq!(
            words_of("-fsanitize=shift,return -fno-sanitize=shift-base"),
            [
                "-Xclang",
                "-fsanitize=return,shift-exponent",
                "-Xclang",
                "-fsanitize-recover=shift-exponent"
            ]
        );
        assert_eq!(
            words_of("-fsanitize=enum,bool -fno-sanitize-recover=all -fsanitize-trap=enum"),
            ["-Xclang", "-fsanitize=bool,enum", "-Xclang", "-fsanitize-trap=enum"]
        );
    }

    #[test]
    fn sanitizers_that_check_no_kernels_are_told() {
        let of = |line: &str| Sanitizers::from_words(line.split_whitespace());
        assert_eq!(
            of("-fsanitize=memory").unchecked([].into_iter()),
            ["-fsanitize=memory checks host code, but no kernels"]
        );
        assert_eq!(
            of("-fsanitize=null,undefined").unchecked([].into_iter()),
            ["-fsanitize=null checks host code, but no kernels"]
        );
        let targets = [Target::Generic, Target::Cpu, Target::Ptx];
        let cpu = || targets.iter().take(2);
        assert!(of("-fsanitize=address,leak").unchecked(cpu()).is_empty());
        assert!(of("-fsanitize=undefined").unchecked(targets.iter()).is_empty());
        let [found] = &of("-fsanitize=thread").unchecked(targets.iter())[..] else { panic!() };
        assert!(found.starts_with("-fsanitize=thread does not check kernels for "), "{found}");
    }
}
