//! Runs the IR passes inside clang, after the module is annotated, and writes their dumps and
//! times.

use std::path::PathBuf;

use scythe_abi::names::CHECKS_ATTRIBUTE;
use scythe_diag::{Diagnostic, Report};
use scythe_llvm::{Module, Place};
use scythe_passes::aspects::warning::Warning;
use scythe_passes::{Aspects, launch_metadata};

use crate::annotate::UnitNotes;
use crate::aspects::Located;
use crate::errors::Pass;
use crate::errors::parts::Output;
use crate::facts::Loc;
use crate::functor_layouts::unwritable;
use crate::options::Options;
use crate::unit::Reporter;
use crate::warnings::{Fate, Pragmas};

/// Adds the launch rows and runs the pipeline of the front end. On request, dumps go to the folder
/// that the options name (by default the current folder), and the time report goes to standard
/// error. Warnings go through clang.
pub fn run(
    module: &Module,
    notes: &UnitNotes,
    options: &Options,
    pragmas: &Pragmas,
    reporter: &Reporter,
) -> Result<(), Diagnostic<Loc>> {
    for kernel in &notes.kernels {
        let Some(function) = module.function(&kernel.symbol) else { continue };
        launch_metadata::add(module, &kernel.symbol, &kernel.launch);
        if !options.checks.is_empty() {
            let names = options.checks.names();
            let attribute = module.context().string_attribute(CHECKS_ATTRIBUTE, &names);
            function.add_attribute(Place::Function, attribute);
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
    let sources = Located { facts: &notes.aspects, locate: &|loc| reporter.locate(loc) };
    let warn = |warning: Warning| {
        let fate = options.warnings.fate(warning.group);
        let place =
            warning.place.as_ref().map(|place| Loc(place.handle)).filter(|&loc| loc != Loc(0));
        let fate = place.map_or(fate, |at| {
            pragmas.fate(warning.group, fate, |loc| reporter.is_before(loc, at))
        });
        if fate != Fate::Ignored {
            reporter.warn(&warning, fate);
        }
    };
    let aspects =
        Aspects { sources: &sources, fixed_targets: &options.fixed_targets, report: &warn };
    let report = scythe_passes::front_end_pipeline(module, &aspects, &pipeline, &mut |dump| {
        let path = folder.join(dump.file_name);
        if let Err(error) = std::fs::write(&path, dump.ir) {
            unwritten.get_or_insert(unwritable(Output::Dump, &path, &error));
        }
    })
    .map_err(|error| Pass { error }.report())?;
    if options.time_passes {
        eprint!("{report}");
    }
    unwritten.map_or(Ok(()), Err)
}
