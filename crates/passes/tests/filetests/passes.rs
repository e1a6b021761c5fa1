//! `run-passes PASS[,PASS...] [--llvm=PIPELINE] FILE`: runs passes of this crate, in order, then
//! LLVM's.
//!
//! The module is verified after each pass, and must survive a round trip through bitcode. It must
//! also be valid after an error.

use crate::read;
use scythe_llvm::{Context, PassOptions, run_passes};
use scythe_passes::{Options, by_name, pipeline};

pub fn run(args: &[String]) -> Result<String, String> {
    let (passes, llvm, file) = match args {
        [passes, file] => (passes, None, file),
        [passes, option, file] => {
            let llvm = option.strip_prefix("--llvm=");
            (passes, Some(llvm.ok_or_else(|| format!("unknown option '{option}'"))?), file)
        }
        _ => return Err("usage: run-passes PASS[,PASS...] [--llvm=PIPELINE] FILE".into()),
    };
    let passes: Vec<_> = passes
        .split(',')
        .map(|name| by_name(name).ok_or_else(|| format!("no pass is called '{name}'")))
        .collect::<Result<_, _>>()?;
    let (name, text) = read(file)?;
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), &name).map_err(|e| e.to_string())?;
    let options = Options { verify: true, ..Options::default() };
    if let Err(error) = pipeline::run(&module, &passes, &options, &mut |_| {}) {
        let error = error.to_string();
        return Err(module
            .verify()
            .err()
            .map_or(error, |e| format!("the module is invalid after an error: {e}")));
    }
    if let Some(llvm) = llvm {
        run_passes(&module, llvm, None, PassOptions::default()).map_err(|e| e.to_string())?;
    }
    context.parse_bitcode(&module.to_bitcode(), "again").map_err(|e| e.to_string())?;
    Ok(module.to_string())
}
