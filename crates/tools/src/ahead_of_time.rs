//! Device bitcode → x86-64 objects, one for each instruction-set level, so that programs need no compiler when they run.
//!
//! Every module and level is compiled by itself, several at the same time; results come in the
//! order of the modules, and for each in that of the levels, lowest first.

use crate::{Failure, parallel};
use scythe_abi::aspect::Aspect;
use scythe_abi::jit::SCALAR_OPTION;
use scythe_abi::target::Level;
use scythe_codegen::compile_to_object;
use scythe_passes::target::cpu;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// What the options for the CPU target may say, for help texts and errors.
pub const OPTIONS: &str = "-march=LEVEL[,LEVEL…], -O0 to -O3, -mscalar";

/// How to compile.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    pub levels: BTreeSet<Level>,
    pub opt_level: u32,
    /// One work-item at a time, without vectors.
    pub scalar: bool,
}

impl Settings {
    /// Reads options for a target such as `-march=avx2,avx512 -O2`. The last of each kind counts.
    pub fn parse(options: &str, target: &str) -> Result<Self, Failure> {
        let mut settings = Self { levels: Level::DEFAULT.into(), opt_level: 3, scalar: false };
        for word in options.split_whitespace() {
            match (word.strip_prefix("-march="), word) {
                (Some(list), _) => settings.levels = levels(list, target)?,
                (_, "-O0") => settings.opt_level = 0,
                (_, "-O1") => settings.opt_level = 1,
                (_, "-O2") => settings.opt_level = 2,
                (_, "-O3") => settings.opt_level = 3,
                (_, SCALAR_OPTION) => settings.scalar = true,
                _ => {
                    let message = format!("unknown option '{word}' for the CPU target '{target}': expected {OPTIONS}");
                    return Err(Failure::new(message));
                }
            }
        }
        Ok(settings)
    }

    /// What code for a level may use.
    fn target(&self, level: Level) -> cpu::Options {
        cpu::Options {
            opt_level: self.opt_level,
            cpu: level.as_str().to_owned(),
            features: String::new(),
            // As at run time, where the processor has 512 bits, they are used; LLVM by itself would not.
            vector_width: if level.vector_bits() == 512 { 512 } else { 0 },
            lanes: level.vector_bits() / 32,
            scalar: self.scalar,
            target: None,
            linkable: true,
        }
    }
}

fn levels(list: &str, target: &str) -> Result<BTreeSet<Level>, Failure> {
    let level = |name: &str| {
        let place = format!("'-march={list}' for '{target}'");
        let message = || format!("unknown instruction-set level '{name}' in {place}: expected {}", Level::NAMES);
        Level::from_name(name).ok_or_else(|| Failure::new(message()))
    };
    list.split(',').map(level).collect()
}

/// A module compiled for one level.
#[derive(Clone)]
pub struct Object {
    pub level: Level,
    pub code: Vec<u8>,
}

/// Where objects wait that were compiled before.
pub trait Store: Sync {
    /// The object of this code, where it is there.
    fn object(&self, code: &[u8], level: Level, settings: &Settings) -> Option<Vec<u8>>;
    fn keep_object(&self, code: &[u8], level: Level, settings: &Settings, object: &[u8]);
}

/// How to compile, and how many at a time.
pub struct Compiler<'a> {
    pub settings: &'a Settings,
    pub jobs: NonZero<usize>,
    pub store: Option<&'a dyn Store>,
}

impl Compiler<'_> {
    /// The objects of each module, in order: one for each level.
    pub fn compile(&self, modules: &[&[u8]]) -> Result<Vec<Vec<Object>>, Failure> {
        let levels = &self.settings.levels;
        let device_lib_dir = device_library_folder()?;
        let jobs: Vec<_> = modules.iter().flat_map(|code| levels.iter().map(move |level| (*code, *level))).collect();
        let results = parallel::map(self.jobs, &jobs, |(code, level)| self.object(code, *level, &device_lib_dir));

        let mut objects = Vec::new();
        for ((_, level), result) in jobs.iter().zip(results) {
            let place = |error| Failure::new(format!("cannot compile device code for {}: {error}", level.as_str()));
            objects.push(Object { level: *level, code: result.map_err(place)? });
        }
        Ok(objects.chunks(levels.len().max(1)).map(<[_]>::to_vec).collect())
    }

    fn object(&self, code: &[u8], level: Level, device_lib_dir: &Path) -> Result<Vec<u8>, String> {
        if let Some(object) = self.store.and_then(|store| store.object(code, level, self.settings)) {
            return Ok(object);
        }
        let options = scythe_codegen::Options {
            target: self.settings.target(level),
            device_lib_dir: Some(device_lib_dir.to_owned()),
            dump_dir: None,
            aspects: vec![Aspect::ExtIntelX86_64 as u32],
        };
        let object = compile_to_object(code, &options).map_err(|error| error.to_string())?;
        if let Some(store) = self.store {
            store.keep_object(code, level, self.settings, &object);
        }
        Ok(object)
    }
}

/// The device library's folder, seen from this program's file: in an installed tree, or in a cargo target folder.
pub fn device_library_folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let program = program.map_err(|error| Failure::new(format!("cannot find this program's own file: {error}")))?;
    let bin = program.parent().unwrap_or(Path::new("/"));
    let installed = bin.parent().unwrap_or(Path::new("/")).join("lib/scythe/devicelib");
    let built = bin.join("devicelib");
    Ok(if !installed.is_dir() && built.is_dir() { built } else { installed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(options: &str) -> (Vec<Level>, u32) {
        let settings = Settings::parse(options, "x86_64").unwrap();
        (settings.levels.into_iter().collect(), settings.opt_level)
    }

    #[test]
    fn levels_are_sorted_and_named_once() {
        assert_eq!(parsed(""), (Level::DEFAULT.to_vec(), 3));
        assert_eq!(parsed("-march=avx512,sse4.2,x86-64-v4 -O1"), (vec![Level::V2, Level::V4], 1));
        assert_eq!(parsed("-march=avx512 -march=avx2"), (vec![Level::V3], 3));
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |options: &str| Settings::parse(options, "x86_64").unwrap_err().to_string();
        assert!(
            bad("-march=avx2,i386").contains("unknown instruction-set level 'i386' in '-march=avx2,i386' for 'x86_64'")
        );
        assert!(bad("-march=").contains("'x86-64-v3' or 'avx2'"));
        assert!(bad("-O7").contains("unknown option '-O7' for the CPU target 'x86_64': expected -march=LEVEL"));
    }

    #[test]
    fn code_uses_the_whole_width_of_its_level() {
        let settings = Settings::parse("", "x86_64").unwrap();
        let of = |level| (settings.target(level).lanes, settings.target(level).vector_width);
        assert_eq!(Level::ALL.map(of), [(4, 0), (4, 0), (8, 0), (16, 512)]);
    }

    #[test]
    fn broken_bitcode_is_refused_by_the_level_it_was_compiled_for() {
        let settings = Settings::parse("-march=avx2", "x86_64").unwrap();
        let compiler = Compiler { settings: &settings, jobs: NonZero::<usize>::MIN, store: None };
        let error = compiler.compile(&[b"BC"]).err().unwrap().to_string();
        assert!(error.starts_with("error: cannot compile device code for x86-64-v3: "), "{error}");
    }
}
