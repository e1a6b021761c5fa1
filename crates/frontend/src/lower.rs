//! The passes that run inside clang, right after the module is annotated, and where their dumps and
//! times go.

use std::path::PathBuf;

use scythe_llvm::Module;
use scythe_passes::aspects::warning::Warning;
use scythe_passes::{Aspects, launch_metadata};

use crate::annotate::UnitNotes;
use crate::aspects::Located;
use crate::facts::Loc;
use crate::options::Options;
use crate::unit::Speaker;
use crate::warnings::{Fate, Pragmas};

/// Adds the launch rows and runs the front end's pipeline. Dumps go to the folder that the options
/// name (else the current one), the time report to standard error; both only where they are asked
/// for. Warnings go where clang's go.
pub fn run(
    module: &Module,
    notes: &UnitNotes,
    options: &Options,
    pragmas: &Pragmas,
    speaker: &Speaker,
) -> Result<(), String> {
    for kernel in &notes.kernels {
        if module.function(&kernel.symbol).is_some() {
            launch_metadata::add(module, &kernel.symbol, &kernel.launch);
        }
    }
    scythe_passes::specialization::qualify_names(module, &notes.tu_id);
    let pipeline = scythe_passes::Options {
        verify: cfg!(debug_assertions),
        time: options.time_passes,
        dump_after: options.dump_after.clone(),
    };
    let folder = options.dump_dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut unwritten = None;
    let sources = Located { facts: &notes.aspects, locate: &|loc| speaker.locate(loc) };
    let warn = |warning: Warning| {
        let fate = options.warnings.fate(warning.group);
        let place =
            warning.place.as_ref().map(|place| Loc(place.handle)).filter(|&loc| loc != Loc(0));
        let fate = place
            .map_or(fate, |at| pragmas.fate(warning.group, fate, |loc| speaker.is_before(loc, at)));
        if fate != Fate::Ignored {
            speaker.warn(&warning, fate);
        }
    };
    let aspects =
        Aspects { sources: &sources, fixed_targets: &options.fixed_targets, report: &warn };
    let report = scythe_passes::front_end_pipeline(module, &aspects, &pipeline, &mut |dump| {
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
