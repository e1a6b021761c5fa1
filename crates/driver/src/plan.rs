//! Arguments and facts → steps. Pure: the same invocation and facts give the same plan, and nothing
//! is touched.
//!
//! The plan of `scythe -fsycl a.cpp b.o -o app`, where every step starts as soon as those it needs
//! are done:
//!
//! ```text
//! device pass of a.cpp ─┐
//! unbundle b.o ─────────┴─ device link ─┐
//! host pass of a.cpp ───────────────────┴─ host link
//! ```

mod compile;
mod device_link;
mod link;
mod names;
mod precompile;
mod preprocess;
mod unit;

use std::path::PathBuf;

use scythe_abi::target::Target;

use crate::args::{InputKind, Invocation, Mode};
use crate::error::Error;
use crate::facts::Facts;
use crate::members::Members;
use crate::precompiled;

/// One unit of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, for messages: `device pass of 'a.cpp'`.
    pub what: String,
    pub action: Action,
    /// The steps whose outputs it reads: indices, all smaller than its own.
    pub after: Vec<usize>,
    /// Steps of one group compile the same source: they say the same thing once.
    pub group: usize,
    /// Once the step has succeeded, each first file becomes the second.
    pub publish: Vec<(PathBuf, PathBuf)>,
    /// Files that must not remain unless the step succeeds.
    pub unfinished: Vec<PathBuf>,
}

/// The parts of a precompiled header, each with its bundle id.
pub type DeviceParts = Vec<(String, PathBuf)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Run {
        program: PathBuf,
        args: Vec<String>,
        /// The program reads the driver's standard input; several steps may.
        stdin: bool,
    },
    /// Find out a unit's identity, and put it in front of its device modules. A host compiler that
    /// comes later is told by a file of words, and by the integration header. Both name the
    /// provisional identifier, and then the final one.
    Identify {
        provisional: u64,
        device: Vec<PathBuf>,
        words: Option<(PathBuf, Vec<String>)>,
        header: Option<PathBuf>,
    },
    /// Write the identity that a device module has into the unit's host object.
    Stamp { object: PathBuf, module: PathBuf },
    /// Put device code into an object. A unit with a provisional identifier gets its identity.
    Bundle {
        host: PathBuf,
        device: Vec<(Target, PathBuf)>,
        output: PathBuf,
        provisional: Option<u64>,
    },
    /// Ask the linker which members of static libraries the program takes.
    Members(Members),
    /// Take device code out of an object or archive: pieces by their place among all there are.
    Unbundle { input: PathBuf, pieces: Vec<UnbundledPiece> },
    /// An error unless the passes agree about the functors that they wrote down in these files.
    Agreement { host: PathBuf, device: Vec<PathBuf> },
    /// Add what device passes read to what the host pass read, and make one dependency file of it.
    /// Files in the folder `hidden` are none of the user's.
    Dependencies {
        host: PathBuf,
        device: Vec<PathBuf>,
        output: PathBuf,
        phony: bool,
        hidden: PathBuf,
    },
    /// Make one bundle of the preprocessed texts of a unit's passes, by which caches also know the
    /// compiler; on standard output without a file. Files in the folder `hidden` are none of the
    /// user's.
    JoinTexts {
        unit: u64,
        compiler: u64,
        parts: Vec<(String, PathBuf)>,
        output: Option<PathBuf>,
        hidden: PathBuf,
    },
    /// Make one file of the precompiled headers of a unit's passes, which go by their bundle ids.
    JoinPrecompiled { host: PathBuf, device: DeviceParts, note: String, output: PathBuf },
    /// Copy a device pass's part of such a file.
    ExtractPrecompiled { input: PathBuf, id: String, output: PathBuf },
    /// Take the texts out of a bundle.
    DivideText { input: PathBuf, outputs: Vec<(String, PathBuf)> },
    /// Copy an object or archive, without its device code.
    Strip { input: PathBuf, output: PathBuf },
    /// Note in an object the names of the kernels that are linked for good, read from files.
    MarkLinked { object: PathBuf, kernels: Vec<PathBuf>, output: PathBuf },
    /// An error unless all kernels in these modules are among those linked before. Each module goes
    /// with the file that the user knows it by.
    NewKernels { modules: Vec<(PathBuf, String)>, linked: Vec<String>, linked_in: String },
}

/// A piece of device code in an object or archive, and where it is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbundledPiece {
    pub index: usize,
    pub target: Target,
    pub output: PathBuf,
}

/// Steps in an order in which they could run one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub steps: Vec<Step>,
    /// What the user should know about the plan.
    pub warnings: Vec<String>,
    /// Intermediate files, each with the user's file that it stands for: messages name that
    /// instead.
    pub names: Vec<(String, String)>,
}

impl Plan {
    /// Adds a step and gives its index.
    fn push(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }
}

/// The plan for an invocation with `-fsycl`.
pub fn plan(invocation: &Invocation, facts: &Facts) -> Result<Plan, Error> {
    check(invocation)?;
    preprocess::check(invocation, facts)?;
    precompiled::check(invocation, facts)?;
    invocation.targets.check_options(&facts.found_targets())?;
    let mut plan = Plan::default();
    match invocation.mode {
        Mode::OneSide => compile::one_side(&mut plan, invocation, facts),
        Mode::Preprocess => preprocess::texts(&mut plan, invocation, facts),
        Mode::Precompile => precompile::headers(&mut plan, invocation, facts),
        _ if invocation.device_only => compile::device_only(&mut plan, invocation, facts),
        Mode::Syntax => compile::syntax(&mut plan, invocation, facts),
        Mode::Assembly => compile::assembly(&mut plan, invocation, facts),
        Mode::Object => compile::objects(&mut plan, invocation, facts),
        Mode::Link => link::program(&mut plan, invocation, facts)?,
    }
    Ok(plan)
}

/// Requests that no plan can meet.
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
        Mode::Link => invocation.device_only,
        Mode::Syntax | Mode::OneSide => false,
    };
    let mut compiled = invocation.inputs().filter(|i| i.kind != InputKind::Linkable).count();
    if invocation.device_only && invocation.mode != Mode::Preprocess {
        compiled = sources * invocation.targets.passes().len();
    }
    if let Some(output) = invocation.output.as_ref().filter(|_| separate && compiled > 1) {
        return Err(Error::OneOutput { output: output.clone(), count: compiled });
    }
    if invocation.device_link_only && (invocation.mode != Mode::Link || invocation.device_only) {
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
