//! Writes x86-64 objects for the CPU, one for each part and instruction-set level, so that programs
//! need no compiler at run time.
//!
//! Images are in the order of targets, parts and levels, lowest level first.

use super::super::filter;
use super::super::settings::Settings;
use super::external;
use crate::errors::{CannotCompile, LevelGiven, UnknownCompilerOption, UnknownLevel};
use crate::{Failure, aspect_filter, device_library, parallel};
use scythe_abi::aspect::Aspect;
use scythe_abi::checks::Checks;
use scythe_abi::jit::SCALAR_OPTION;
use scythe_abi::target::{Level, Target};
use scythe_codegen::compile_to_object;
use scythe_image::{Format, Image};
use scythe_passes::target::cpu;
use std::collections::BTreeSet;
use std::path::Path;

/// The options of these targets, for errors.
const OPTIONS: &str = "-march=LEVEL[,LEVEL…], -O0 to -O3, -mscalar";

/// The kind of the entries in the link cache.
const CACHE_KIND: &str = "cpu";

/// The options for one target.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TargetOptions {
    levels: BTreeSet<Level>,
    opt_level: u32,
    /// Whether code runs one work-item at a time, without vectors.
    scalar: bool,
}

/// The compilation of a part for a level.
struct Job {
    /// The number of the target.
    target: usize,
    part: usize,
    level: Level,
}

pub struct Compiler<'s> {
    settings: &'s Settings<'s>,
    targets: Vec<TargetOptions>,
    parts: Vec<Image>,
    jobs: Vec<Job>,
    /// Images without code, each with the number of its target.
    left_out: Vec<(usize, Image)>,
}

impl<'s> Compiler<'s> {
    pub fn new(settings: &'s Settings<'s>) -> Self {
        let (targets, parts, jobs, left_out) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { settings, targets, parts, jobs, left_out }
    }
}

impl super::Compiler for Compiler<'_> {
    fn check(&self, target: Target) -> Result<(), Failure> {
        options(target, self.settings).map(|_| ())
    }

    /// Finds nothing: the compiler is part of this program.
    fn find_tools(&mut self, _: &[Target]) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns an empty text: all keys cover this program and its device library.
    fn identity(&self) -> String {
        String::new()
    }

    fn slowest_size_limit(&self) -> Option<u32> {
        None
    }

    fn builds_generic_images(&self) -> bool {
        true
    }

    fn add(&mut self, target: Target, parts: &[Image]) -> Result<(), Failure> {
        let (kept, left_out) = filter::for_target(target, parts, self.settings)?;
        let options = options(target, self.settings)?;
        let (parts, levels) = (kept.len(), options.levels.len());
        self.settings.tell(format_args!("compiling {parts} parts for {levels} levels of the CPU"));
        let target = self.targets.len();
        for part in kept {
            let number = self.parts.len();
            let jobs = options.levels.iter().map(|&level| Job { target, part: number, level });
            self.jobs.extend(jobs);
            self.parts.push(part);
        }
        self.targets.push(options);
        self.left_out.extend(left_out.into_iter().map(|image| (target, image)));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Image>, Failure> {
        let folder = device_library::folder()?;
        let objects =
            parallel::map(self.settings.jobs, &self.jobs, |job| self.compile(job, &folder));
        let mut images = Vec::new();
        for (job, object) in self.jobs.iter().zip(objects) {
            images.push((job.target, image(&self.parts[job.part], job.level, object?)));
        }
        images.extend(self.left_out);
        images.sort_by_key(|(target, _)| *target);
        Ok(images.into_iter().map(|(_, image)| image).collect())
    }
}

impl Compiler<'_> {
    /// Compiles the object of one job.
    fn compile(&self, job: &Job, device_library: &Path) -> Result<Vec<u8>, Failure> {
        let key = self.key(job);
        let cached = self.settings.cache.as_ref().zip(key.as_ref());
        if let Some(code) = cached.and_then(|(cache, key)| cache.binary(CACHE_KIND, key)) {
            return Ok(code);
        }
        let options = scythe_codegen::Options {
            target: self.targets[job.target].for_level(job.level),
            device_lib_dir: Some(device_library.to_owned()),
            dump_dir: None,
            aspects: vec![Aspect::ExtIntelX86_64 as u32],
        };
        let code = compile_to_object(&self.parts[job.part].code, &options).map_err(|error| {
            let (target, reason) = (job.level.as_str().to_owned(), error.to_string());
            Failure::new(&CannotCompile { target, reason })
        })?;
        if let Some((cache, key)) = cached {
            cache.keep_binary(CACHE_KIND, key, &code);
        }
        Ok(code)
    }

    fn key(&self, job: &Job) -> Option<blake3::Hash> {
        self.settings.cache.as_ref()?;
        let TargetOptions { levels: _, opt_level, scalar } = &self.targets[job.target];
        let options = format!("{} {opt_level} {scalar}", job.level.as_str());
        Some(external::key(&self.parts[job.part], &[options.as_bytes()]))
    }
}

impl TargetOptions {
    /// Returns the options of code generation for a level.
    fn for_level(&self, level: Level) -> cpu::Options {
        cpu::Options {
            opt_level: self.opt_level,
            cpu: level.as_str().to_owned(),
            features: String::new(),
            // LLVM prefers narrower vectors by default. The run-time compiler also requests all 512
            // bits.
            vector_width: if level.vector_bits() == 512 { 512 } else { 0 },
            lanes: level.vector_bits() / 32,
            scalar: self.scalar,
            for_stepping: false,
            checks: Checks::NONE,
            target: None,
            mark_whole: false,
            linkable: true,
        }
    }
}

/// Returns the options for a target: those for all CPU targets, then those of the device
/// configuration, then those of the user.
fn options(target: Target, settings: &Settings<'_>) -> Result<TargetOptions, Failure> {
    let entry = aspect_filter::target(&settings.split.targets, &target.name())?;
    let (configured, given) = (&*entry.aot_toolchain_options, settings.option_text(target));
    if target != Target::Cpu && given.contains("-march=") && configured.contains("-march=") {
        let (options, target) = (given.to_owned(), target.name());
        return Err(Failure::new(&LevelGiven { options, target }));
    }
    parse(&format!("{} {configured} {given}", settings.cpu_options), &target.name())
}

/// Reads options for a target such as `-march=avx2,avx512 -O2`. The last of each kind counts. As
/// for DPC++'s compiler, an option may begin with two hyphens.
fn parse(options: &str, target: &str) -> Result<TargetOptions, Failure> {
    let mut read = TargetOptions { levels: Level::DEFAULT.into(), opt_level: 3, scalar: false };
    for given in options.split_whitespace() {
        let word = given.strip_prefix('-').filter(|rest| rest.starts_with('-')).unwrap_or(given);
        match (word.strip_prefix("-march="), word) {
            (Some(list), _) => read.levels = levels(list, target)?,
            (_, "-O0") => read.opt_level = 0,
            (_, "-O1") => read.opt_level = 1,
            (_, "-O2") => read.opt_level = 2,
            (_, "-O3") => read.opt_level = 3,
            (_, SCALAR_OPTION) => read.scalar = true,
            _ => {
                let (option, target) = (given.to_owned(), target.to_owned());
                let unknown = UnknownCompilerOption { option, target, expected: OPTIONS };
                return Err(Failure::new(&unknown));
            }
        }
    }
    Ok(read)
}

fn levels(list: &str, target: &str) -> Result<BTreeSet<Level>, Failure> {
    let level = |name: &str| {
        Level::from_name(name).ok_or_else(|| {
            let (name, list, target) = (name.to_owned(), list.to_owned(), target.to_owned());
            Failure::new(&UnknownLevel { name, list, target, expected: Level::NAMES })
        })
    };
    list.split(',').map(level).collect()
}

/// Makes the image of a part's object.
fn image(part: &Image, level: Level, code: Vec<u8>) -> Image {
    Image {
        target: level.into(),
        format: Format::CpuObject,
        options: String::new(),
        manifest: part.manifest.clone(),
        symbols: part.symbols.clone(),
        code,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Compiler as _;
    use super::*;
    use crate::command_line::{Argument, Arguments};
    use scythe_image::Manifest;

    fn parsed(options: &str) -> (Vec<Level>, u32) {
        let options = parse(options, "x86_64").unwrap();
        (options.levels.into_iter().collect(), options.opt_level)
    }

    #[test]
    fn levels_are_sorted_and_named_once() {
        assert_eq!(parsed(""), (Level::DEFAULT.to_vec(), 3));
        assert_eq!(parsed("-march=avx512,sse4.2,x86-64-v4 -O1"), (vec![Level::V2, Level::V4], 1));
        assert_eq!(parsed("-march=avx512 -march=avx2"), (vec![Level::V3], 3));
        assert_eq!(parsed("--march=sse42 -O2"), (vec![Level::V2], 2));
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |options: &str| parse(options, "x86_64").unwrap_err().to_string();
        let level = "unknown instruction-set level 'i386' in '-march=avx2,i386' for 'x86_64'";
        assert!(bad("-march=avx2,i386").contains(level));
        assert!(bad("-march=").contains("'x86-64-v3' or 'avx2'"));
        let option = "unknown option '-O7' for 'x86_64': expected -march=LEVEL";
        assert!(bad("-O7").contains(option));
    }

    #[test]
    fn code_uses_the_whole_width_of_its_level() {
        let options = parse("", "x86_64").unwrap();
        let of = |level| (options.for_level(level).lanes, options.for_level(level).vector_width);
        assert_eq!(Level::ALL.map(of), [(4, 0), (4, 0), (8, 0), (16, 512)]);
    }

    #[test]
    fn broken_bitcode_is_refused_by_the_level_it_was_compiled_for() {
        let arguments = Arguments(vec![Argument::Option("cpu-opts", "-march=avx2".into())]);
        let settings = Settings::read(&arguments).unwrap();
        let part = Image {
            target: scythe_abi::names::GENERIC_TRIPLE.into(),
            format: Format::LlvmBitcode,
            options: String::new(),
            manifest: Manifest::default(),
            symbols: Vec::new(),
            code: b"BC".to_vec(),
        };
        let mut compiler = Box::new(Compiler::new(&settings));
        compiler.add(Target::Cpu, &[part]).unwrap();
        let error = compiler.finish().err().unwrap().to_string();
        assert!(
            error.starts_with("error: cannot compile device code for 'x86-64-v3': "),
            "{error}"
        );
    }
}
