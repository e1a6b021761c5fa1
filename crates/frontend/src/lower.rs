//! The passes that run inside clang, right after the module is annotated, and where their dumps and times go.

use std::path::PathBuf;

use scythe_llvm::Module;
use scythe_passes::launch_metadata;

use crate::annotate::UnitNotes;
use crate::options::Options;

/// Adds the launch rows and runs the front end's pipeline. Dumps go to the folder that the options name (else the
/// current one), the time report to standard error; both only where they are asked for.
pub fn run(module: &Module, notes: &UnitNotes, options: &Options) -> Result<(), String> {
    for kernel in &notes.kernels {
        if module.function(&kernel.symbol).is_some() {
            launch_metadata::add(module, &kernel.symbol, &kernel.launch);
        }
    }
    let pipeline = scythe_passes::Options {
        verify: cfg!(debug_assertions),
        time: options.time_passes,
        dump_after: options.dump_after.clone(),
    };
    let folder = options.dump_dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut unwritten = None;
    let report = scythe_passes::front_end_pipeline(module, &pipeline, &mut |dump| {
        let path = folder.join(dump.file_name);
        if let Err(error) = std::fs::write(&path, dump.ir) {
            unwritten.get_or_insert(format!("cannot write '{}': {error}", path.display()));
        }
    })
    .map_err(|error| error.to_string())?;
    if options.time_passes {
        eprint!("{report}");
    }
    unwritten.map_or(Ok(()), Err)
}
