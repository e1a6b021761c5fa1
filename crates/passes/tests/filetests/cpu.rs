//! `lower-cpu [OPTION...] FILE`: runs the lowering for CPUs and prints the module after one of its
//! stages.
//!
//! Options: `-O0` to `-O3`; `--cpu=`, `--width=` and `--lanes=` for the target;
//! `--local-size=X,Y,Z` to compile the kernel `k` for that work-group size alone; `--scalar` for
//! one work-item at a time; `--stage=` for the stage to print (the last by default).

use crate::{Observer, number, read};
use scythe_abi::checks::Checks;
use scythe_llvm::{Context, Module, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::target::cpu::{self, Stage};

pub fn run(args: &[String]) -> Result<String, String> {
    let (file, words) = args.split_last().ok_or("usage: lower-cpu [OPTION...] FILE")?;
    let mut stage = "optimized";
    let mut options = cpu::Options {
        opt_level: 3,
        cpu: "x86-64".into(),
        features: String::new(),
        vector_width: 0,
        lanes: 4,
        scalar: false,
        for_stepping: false,
        checks: Checks::NONE,
        target: None,
        mark_whole: false,
        linkable: false,
    };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("--cpu", value) => options.cpu = value.into(),
            ("--width", value) => options.vector_width = number(word, value)?,
            ("--lanes", value) => options.lanes = number(word, value)?,
            ("--local-size", value) => {
                let sizes: Vec<u64> =
                    value.split(',').map(|n| number(word, n)).collect::<Result<_, _>>()?;
                let local_size =
                    sizes.try_into().map_err(|_| format!("'{word}' needs three extents"))?;
                let (kernel, local_size) = ("k".into(), Some(local_size));
                options.target = Some(cpu::lowering::specialise::Target { kernel, local_size });
            }
            ("--scalar", "") => options.scalar = true,
            ("--stage", value) => stage = value,
            (level, "") => {
                let level =
                    level.strip_prefix("-O").ok_or_else(|| format!("unknown option '{word}'"))?;
                options.opt_level = number(word, level)?;
            }
            _ => return Err(format!("unknown option '{word}'")),
        }
    }
    let (name, text) = read(file)?;
    lower(&name, &text, &options, stage)
}

/// Returns the module's text after the stage.
fn lower(name: &str, text: &str, options: &cpu::Options, wanted: &str) -> Result<String, String> {
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), name).map_err(|e| e.to_string())?;
    let target = TargetOptions {
        triple: "x86_64-unknown-linux-gnu".into(),
        cpu: options.cpu.clone(),
        features: options.features.clone(),
        opt_level: OptLevel::from_number(options.opt_level),
    };
    let machine = TargetMachine::new(&target).map_err(|e| e.to_string())?;
    let mut observer = Observer::new(wanted);
    let mut observe =
        |stage: Stage, module: &Module<'_>| Ok(observer.observe(stage.name(), module)?);
    cpu::lower(&module, &machine, options, &mut observe).map_err(|e| e.to_string())?;
    observer.text()
}
