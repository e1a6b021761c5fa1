//! `lower-nvptx [OPTION...] FILE`: runs the lowering for NVIDIA GPUs, without any library.
//!
//! Options: `-O0` to `-O3`; `--arch=` and `--ptx=` for the target; `--stage=` for the output to
//! print: a stage of the lowering (`prepared`, `lowered`, `optimized`), `local-memory` for that
//! pass alone, or `ptx`, the default.

use crate::{Observer, number, read};
use scythe_llvm::{Context, Module, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::target::nvptx::lowering::local_memory;
use scythe_passes::target::nvptx::{self, Stage, address_spaces};

pub fn run(args: &[String]) -> Result<String, String> {
    let (file, words) = args.split_last().ok_or("usage: lower-nvptx [OPTION...] FILE")?;
    let (mut stage, mut opt_level, mut sm, mut ptx) = ("ptx", 3, 90, "83");
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("--arch", value) => sm = number(word, value.strip_prefix("sm_").unwrap_or(value))?,
            ("--ptx", value) => ptx = value,
            ("--stage", value) => stage = value,
            (level, "") => {
                let level =
                    level.strip_prefix("-O").ok_or_else(|| format!("unknown option '{word}'"))?;
                opt_level = number(word, level)?;
            }
            _ => return Err(format!("unknown option '{word}'")),
        }
    }
    let target = TargetOptions {
        triple: "nvptx64-nvidia-cuda".into(),
        cpu: format!("sm_{sm}"),
        features: format!("+ptx{ptx}"),
        opt_level: OptLevel::from_number(opt_level),
    };
    let (name, text) = read(file)?;
    lower(&name, &text, &target, &nvptx::Options { opt_level, sm }, stage)
}

/// Returns the module's text after the stage, or the PTX.
fn lower(
    name: &str,
    text: &str,
    target: &TargetOptions,
    options: &nvptx::Options,
    wanted: &str,
) -> Result<String, String> {
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), name).map_err(|e| e.to_string())?;
    let machine = TargetMachine::new(target).map_err(|e| e.to_string())?;
    let short = TargetMachine::with_short_pointers(target).map_err(|e| e.to_string())?;
    assert!(
        short.data_layout().contains("p3:32:32") && !machine.data_layout().contains("p3:32:32")
    );
    if wanted == "local-memory" {
        local_memory::run(&module);
        return module.verify().map(|()| module.to_string()).map_err(|e| e.to_string());
    }
    let module = match module.triple().starts_with("spir") {
        true => address_spaces::run(&context, module, &machine).map_err(|e| e.to_string())?,
        false => module,
    };
    nvptx::prepare(&module, &machine, options).map_err(|e| e.to_string())?;
    let mut observer = Observer::new(wanted);
    let mut observe =
        |stage: Stage, module: &Module<'_>| Ok(observer.observe(stage.name(), module)?);
    let machine = nvptx::lower(&module, &machine, &short, options, &mut observe)
        .map_err(|e| e.to_string())?;
    if wanted == "ptx" {
        let ptx = machine.emit_assembly(module).map_err(|e| e.to_string())?;
        return String::from_utf8(ptx).map_err(|e| e.to_string());
    }
    observer.text()
}
