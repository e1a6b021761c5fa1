//! Plans the steps for an invocation and the facts about the machine. Planning is pure: the same
//! invocation and facts give the same plan, and no file is changed.
//!
//! The plan of `scythe -fsycl a.cpp b.o -o app`, in which every step starts as soon as the steps
//! that it depends on are done:
//!
//! ```text
//! device pass of a.cpp ─┐
//! unbundle b.o ─────────┴─ device link ─┐
//! host pass of a.cpp ───────────────────┴─ host link
//! ```

mod checks;
mod compile;
mod device_link;
mod link;
pub mod names;
mod precompile;
mod preprocess;
mod unit;

use std::path::PathBuf;

use scythe_abi::target::Target;

use crate::args::{InputKind, Invocation, Mode};
use crate::error::Error;
use crate::facts::Facts;
use crate::header_cache::Request;
use crate::members::Members;
use crate::precompiled;

/// Returns a sentence about each sanitizer of the command line that does not check the kernels of a
/// selected target.
pub fn unchecked(invocation: &Invocation) -> Vec<String> {
    let targets: Vec<Target> =
        invocation.targets.passes().into_iter().flat_map(|pass| pass.targets).collect();
    checks::Sanitizers::of(invocation).unchecked(targets.iter())
}

/// One unit of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The description of the step for messages: `device pass of 'a.cpp'`.
    pub what: String,
    pub action: Action,
    /// The indices of the steps whose outputs this step reads. All are smaller than the index of
    /// this step.
    pub after: Vec<usize>,
    /// The group of the step. Steps of a group compile the same source; their duplicate diagnostics
    /// are printed once.
    pub group: usize,
    /// Pairs of files: once the step has succeeded, the first file is renamed to the second.
    pub publish: Vec<(PathBuf, PathBuf)>,
    /// Files that are removed unless the step succeeds.
    pub unfinished: Vec<PathBuf>,
}

/// The device parts of a precompiled header, each with its bundle id.
pub type DeviceParts = Vec<(String, PathBuf)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Run {
        program: PathBuf,
        args: Vec<String>,
        /// Whether the program reads the driver's standard input. Several steps may read it.
        stdin: bool,
        /// The precompiled header that the program may read.
        header: Option<Request>,
    },
    /// Compute a unit's identity and prepend it to the unit's device modules. For a host compiler
    /// that runs later, write the identity to a file of words and to the integration header. In
    /// both, the final identity replaces the provisional identifier.
    Identify {
        provisional: u64,
        device: Vec<PathBuf>,
        words: Option<(PathBuf, Vec<String>)>,
        header: Option<PathBuf>,
    },
    /// Copy the identity of a device module into the unit's host object.
    Stamp { object: PathBuf, module: PathBuf },
    /// Add device code to an object. A unit with a provisional identifier gets its identity.
    Bundle {
        host: PathBuf,
        device: Vec<(Target, PathBuf)>,
        output: PathBuf,
        provisional: Option<u64>,
    },
    /// Run the linker to find the members of static libraries that the program links.
    Members(Members),
    /// Extract device modules from an object or archive, selected by their indices.
    Unbundle { input: PathBuf, pieces: Vec<UnbundledPiece> },
    /// Report an error unless the passes agree about the functors that these files describe.
    CompareLayouts { host: PathBuf, device: Vec<PathBuf> },
    /// Add the files that device passes read to the files that the host pass read, and write one
    /// dependency file, in which `source` comes first. Files in the folders `hidden` are left out.
    Dependencies {
        host: PathBuf,
        device: Vec<PathBuf>,
        output: PathBuf,
        phony: bool,
        hidden: Vec<PathBuf>,
        source: String,
    },
    /// Join the preprocessed texts of a unit's passes into one bundle, in a file or, without one,
    /// on standard output. The bundle names the compiler, so that caches can tell compilers apart.
    /// Line markers do not show files in the folder `hidden`.
    JoinTexts {
        unit: u64,
        compiler: u64,
        parts: Vec<(String, PathBuf)>,
        output: Option<PathBuf>,
        hidden: PathBuf,
    },
    /// Join the precompiled headers of a unit's passes into one file. Bundle ids identify the
    /// headers.
    JoinPrecompiled { host: PathBuf, device: DeviceParts, note: String, output: PathBuf },
    /// Copy the part of a device pass from such a file.
    ExtractPrecompiled { input: PathBuf, id: String, output: PathBuf },
    /// Extract the texts of a bundle.
    DivideText { input: PathBuf, outputs: Vec<(String, PathBuf)> },
    /// Copy an object or archive, without its device code.
    Strip { input: PathBuf, output: PathBuf },
    /// Store in an object the names of the kernels whose device link is final. Files list the
    /// names.
    MarkLinked { object: PathBuf, kernels: Vec<PathBuf>, output: PathBuf },
    /// Report an error unless all kernels in these modules are already linked. Each module is
    /// paired with the name of the user's file for messages.
    NewKernels { modules: Vec<(PathBuf, String)>, linked: Vec<String>, linked_in: String },
}

/// A device module in an object or archive, and the file to write it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbundledPiece {
    pub index: usize,
    pub target: Target,
    pub output: PathBuf,
}

/// Steps in an order in which they could run sequentially.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub steps: Vec<Step>,
    /// Warnings about the plan for the user.
    pub warnings: Vec<String>,
    /// Intermediate files, each with the user's file that it represents. Messages name the user's
    /// file instead.
    pub names: Vec<(String, String)>,
}

impl Plan {
    /// Adds a step and returns its index.
    fn push(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }
}

/// Makes the plan for an invocation with `-fsycl`.
pub fn plan(invocation: &Invocation, facts: &Facts) -> Result<Plan, Error> {
    check(invocation)?;
    preprocess::check(invocation, facts)?;
    precompiled::check(invocation, facts)?;
    let mut plan = Plan::default();
    match invocation.mode {
        Mode::OneSide => compile::one_side(&mut plan, invocation, facts),
        Mode::Preprocess => preprocess::texts(&mut plan, invocation, facts),
        Mode::Precompile => precompile::headers(&mut plan, invocation, facts),
        Mode::Link if invocation.device_images() => {
            link::device_images(&mut plan, invocation, facts)?;
        }
        _ if invocation.device_only => compile::device_only(&mut plan, invocation, facts),
        Mode::Syntax => compile::syntax(&mut plan, invocation, facts),
        Mode::Assembly => compile::assembly(&mut plan, invocation, facts),
        Mode::Object => compile::objects(&mut plan, invocation, facts),
        Mode::Link => link::program(&mut plan, invocation, facts)?,
    }
    Ok(plan)
}

/// Reports an error for requests that no plan can satisfy.
fn check(invocation: &Invocation) -> Result<(), Error> {
    let sources = invocation.inputs().filter(|i| i.kind == InputKind::Source).count();
    if invocation.inputs().next().is_none() {
        return Err(Error::NoInput);
    }
    if invocation.int_header.is_some() && sources > 1 {
        return Err(Error::OneHeader { count: sources });
    }
    let separate = match invocation.mode {
        Mode::Object | Mode::Assembly | Mode::Preprocess | Mode::Precompile => true,
        Mode::Link => invocation.device_only && !invocation.device_link_only,
        Mode::Syntax | Mode::OneSide => false,
    };
    let mut compiled = invocation.inputs().filter(|i| i.kind != InputKind::Linkable).count();
    if invocation.device_only && invocation.mode != Mode::Preprocess {
        compiled = sources * invocation.targets.passes().len();
    }
    if let Some(output) = invocation.output.as_ref().filter(|_| separate && compiled > 1) {
        return Err(Error::OneOutput { output: output.clone(), count: compiled });
    }
    if invocation.device_link_only && invocation.mode != Mode::Link {
        return Err(Error::DeviceLinkMode);
    }
    if invocation.mode == Mode::Link && !invocation.device_only {
        if invocation.emit_llvm {
            return Err(Error::EmitLlvm);
        }
        if invocation.device_link_only
            && let Some(words) = invocation.has(crate::flags::Meaning::Shared)
        {
            return Err(Error::LinkKinds { option: words.concat() });
        }
        if let Some(words) = invocation.has(crate::flags::Meaning::Static) {
            return Err(Error::Static { option: words.concat() });
        }
    }
    Ok(())
}
