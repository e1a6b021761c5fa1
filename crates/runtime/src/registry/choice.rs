//! Which image a device gets a kernel from, and what it is linked with; or why from none.
//!
//! Requirements are compared before anything else, and only properties are read: an image that a device cannot run is never
//! opened, and nothing is built for a question.

use std::fmt::Write as _;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;

use super::image::{Image, KernelFacts};
use super::{Registry, link, on_device};
use crate::demangle::symbol_name;
use crate::platform::Device;
use crate::{Errc, Error};

/// An image with the kernel that is looked for.
pub(super) struct Candidate {
    pub(super) image: Arc<Image>,
    pub(super) facts: KernelFacts,
}

/// Two kernels of one name that are not the same, if there are such. Code for different targets may differ, because each
/// has its own macros; then the kernel's place in the source tells.
pub(super) fn conflict<'a>(fitting: &[&'a Candidate]) -> Option<(&'a KernelLaunch, &'a KernelLaunch)> {
    let place = |launch: &'a KernelLaunch| (&launch.file, launch.line, launch.column);
    let differ = |a: &'a Candidate, b: &'a Candidate| {
        let (one, other) = (&a.facts.launch, &b.facts.launch);
        let related = a.image.target != b.image.target && place(one) == place(other);
        one.identity != other.identity && !related
    };
    let pairs = fitting.iter().enumerate().flat_map(|(i, a)| fitting[i + 1..].iter().map(move |b| (*a, *b)));
    pairs.into_iter().find(|&(a, b)| differ(a, b)).map(|(a, b)| (&*a.facts.launch, &*b.facts.launch))
}

/// A candidate that the device can run, with the images to link it with.
pub(super) struct Ranked<'a> {
    preference: u32,
    pub(super) candidate: &'a Candidate,
    pub(super) libraries: Vec<Arc<Image>>,
}

/// Why a candidate is not for the device; a later kind says more.
pub(super) enum Rejection {
    /// Its code is for other devices.
    Code(String),
    /// It imports what nobody exports.
    Link(link::Unresolved),
    /// It, or an image it is linked with, demands what the device does not have.
    Requirements(String),
}

impl Rejection {
    /// How much it says.
    fn weight(&self) -> u32 {
        match self {
            Self::Code(_) => 0,
            Self::Link(_) => 1,
            Self::Requirements(_) => 2,
        }
    }

    /// What whoever submits the kernel is told. Not while the registry is held: see [`link::Unresolved`].
    pub(super) fn error(self, symbol: &str, device: &Device) -> Error {
        match self {
            Self::Code(message) => on_device(symbol, Error::new(Errc::KernelNotSupported, message), device),
            Self::Link(missing) => on_device(symbol, Error::new(Errc::Build, missing.to_string()), device),
            Self::Requirements(message) => {
                let message = format!("{message} (kernel '{}', device '{}')", symbol_name(symbol), device.name());
                Error::new(Errc::KernelNotSupported, message)
            }
        }
    }
}

/// The candidates that the device can run, the most preferred first and else in the order of registration; and why it cannot
/// run the others.
pub(super) fn rank<'a>(
    candidates: &[&'a Candidate],
    registry: &Registry,
    device: &Device,
) -> (Vec<Ranked<'a>>, Option<Rejection>) {
    let mut ranked = Vec::new();
    let mut rejected: Option<Rejection> = None;
    for &candidate in candidates {
        match judge(candidate, registry, device) {
            Ok(found) => ranked.push(found),
            Err(rejection) => {
                rejected = Some(match (rejected.take(), rejection) {
                    (Some(Rejection::Code(mut known)), Rejection::Code(message)) => {
                        if !known.contains(&message) {
                            // Writing to a string cannot fail.
                            let _ = write!(known, "; {message}");
                        }
                        Rejection::Code(known)
                    }
                    (Some(known), rejection) if known.weight() >= rejection.weight() => known,
                    (_, rejection) => rejection,
                });
            }
        }
    }
    ranked.sort_by_key(|ranked: &Ranked<'_>| std::cmp::Reverse(ranked.preference));
    (ranked, rejected)
}

/// Compares requirements first: of the image, and before linking of all that it is linked with.
fn judge<'a>(
    candidate: &'a Candidate,
    registry: &Registry,
    device: &Device,
) -> std::result::Result<Ranked<'a>, Rejection> {
    let image = &candidate.image;
    image.check(device).map_err(Rejection::Requirements)?;
    let preference = image.preference(device).map_err(|error| Rejection::Code(error.message))?;
    let mut libraries = Vec::new();
    if !image.imports.is_empty() {
        let all: Vec<_> = registry.images().cloned().collect();
        libraries = link::resolve(image, &all, device).map_err(Rejection::Link)?;
    }
    for library in &libraries {
        library.check(device).map_err(|message| {
            Rejection::Requirements(format!("{message} The kernel needs device code of '{}'.", library.library))
        })?;
    }
    Ok(Ranked { preference, candidate, libraries })
}
