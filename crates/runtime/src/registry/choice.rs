//! Selects the image that provides a kernel for a device, and the images that it is linked with, or
//! determines why no image fits.
//!
//! Requirements are compared first, and only properties are read: an image that a device cannot run
//! is never opened, and a query builds nothing.

use std::fmt;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;
use scythe_hal::preference;
use scythe_image::Format;

use super::entry::on_device;
use super::image::{Image, KernelFacts};
use super::{Registry, link};
use crate::demangle::symbol_name;
use crate::platform::Device;
use crate::{Errc, Error, settings};

/// An image that contains the requested kernel.
pub(super) struct Candidate {
    pub(super) image: Arc<Image>,
    pub(super) facts: KernelFacts,
}

/// Returns two different kernels with the same name, if there are any. Code for different targets
/// may differ, because each target has its own macros. In that case, the kernel's position in the
/// source decides.
pub(super) fn conflict<'a>(
    fitting: &[&'a Candidate],
) -> Option<(&'a KernelLaunch, &'a KernelLaunch)> {
    let place = |launch: &'a KernelLaunch| (&launch.file, launch.line, launch.column);
    let differ = |a: &'a Candidate, b: &'a Candidate| {
        let (one, other) = (&a.facts.launch, &b.facts.launch);
        let related = a.image.target != b.image.target && place(one) == place(other);
        one.identity != other.identity && !related
    };
    let pairs = fitting
        .iter()
        .enumerate()
        .flat_map(|(i, a)| fitting[i + 1..].iter().map(move |b| (*a, *b)));
    pairs
        .into_iter()
        .find(|&(a, b)| differ(a, b))
        .map(|(a, b)| (&*a.facts.launch, &*b.facts.launch))
}

/// A candidate that the device can run, and the images to link it with.
pub(super) struct Ranked<'a> {
    /// The preference of the device, on the scale of [`scythe_hal::preference`].
    pub(super) preference: u32,
    pub(super) candidate: &'a Candidate,
    pub(super) libraries: Vec<Arc<Image>>,
}

impl Ranked<'_> {
    /// Describes the chosen image and the reason, for the trace.
    pub(super) fn describe(&self) -> String {
        let Image { format, target, .. } = &*self.candidate.image;
        format!("the image of {format} for {target}, {}", preference::describe(self.preference))
    }
}

/// The reason why a candidate does not fit the device. Later variants are more informative.
pub(super) enum Rejection {
    /// The code is for other devices.
    Code(Unfit),
    /// The image imports symbols that no image exports.
    Link(link::Unresolved),
    /// The image, or an image that it is linked with, has requirements that the device does not
    /// meet.
    Requirements(String),
}

/// The reasons why the device cannot run the code of images.
#[derive(Default)]
pub(super) struct Unfit {
    /// The reasons, one sentence each.
    reasons: Vec<String>,
    /// The targets whose images do not contain the kernel because the device link left it out.
    left_out: Vec<String>,
}

impl Unfit {
    fn reason(message: String) -> Self {
        Self { reasons: vec![message], left_out: Vec::new() }
    }

    fn add(&mut self, other: Self) {
        for (list, more) in
            [(&mut self.reasons, other.reasons), (&mut self.left_out, other.left_out)]
        {
            for text in more {
                if !list.contains(&text) {
                    list.push(text);
                }
            }
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))?;
        if self.left_out.is_empty() {
            return Ok(());
        }
        let targets: Vec<String> =
            self.left_out.iter().map(|target| format!("'{target}'")).collect();
        let between = if self.reasons.is_empty() { "" } else { "; " };
        let targets = targets.join(", ");
        write!(f, "{between}the device link left the kernel out of the image for {targets}")
    }
}

impl Rejection {
    /// Returns how informative the rejection is.
    fn weight(&self) -> u32 {
        match self {
            Self::Code(_) => 0,
            Self::Link(_) => 1,
            Self::Requirements(_) => 2,
        }
    }

    /// Combines this rejection with an earlier one. Returns the more informative one, or the
    /// earlier one if both are equally informative. Reasons about code for other devices are
    /// merged.
    fn join(self, known: Option<Self>) -> Self {
        match (known, self) {
            (Some(Self::Code(mut known)), Self::Code(more)) => {
                known.add(more);
                Self::Code(known)
            }
            (Some(known), rejection) if known.weight() >= rejection.weight() => known,
            (_, rejection) => rejection,
        }
    }

    /// Returns the reason for the trace. It contains no symbol names; see [`link::Unresolved`].
    fn reason(&self) -> String {
        match self {
            Self::Code(unfit) => unfit.to_string(),
            Self::Requirements(message) => message.clone(),
            Self::Link(_) => "it imports symbols that no loaded image exports".to_owned(),
        }
    }

    /// Returns the error for the submission of the kernel. The caller must not hold the registry;
    /// see [`link::Unresolved`].
    pub(super) fn error(self, symbol: &str, device: &Device) -> Error {
        match self {
            Self::Code(unfit) => {
                on_device(symbol, Error::new(Errc::KernelNotSupported, unfit.to_string()), device)
            }
            Self::Link(missing) => {
                on_device(symbol, Error::new(Errc::Build, missing.to_string()), device)
            }
            Self::Requirements(message) => {
                let message = format!(
                    "{message} (kernel '{}', device '{}')",
                    symbol_name(symbol),
                    device.name()
                );
                Error::new(Errc::KernelNotSupported, message)
            }
        }
    }
}

/// Returns the candidates that the device can run, in the order in which they are tried, and the
/// reason why it cannot run the others.
///
/// An image is chosen for a kernel and a device as follows:
///
/// 1. An image is excluded if the device does not meet its requirements (`SYCL/device
///    requirements`), if it imports symbols that no loaded image exports, or if it is linked with
///    an image that the device cannot run.
/// 2. The device states how well the code fits ([`scythe_hal::Device::preference`]): compiled ahead
///    of time for this device, compiled ahead of time for a device with compatible code, generic, a
///    last resort, or not at all.
/// 3. The best image comes first. Among equal images, the order of registration decides, and within
///    one program the order of its images.
///
/// The first image is built. If the driver rejects it, the next one is tried, until none is left.
pub(super) fn rank<'a>(
    candidates: &[&'a Candidate],
    registry: &Registry,
    device: &Device,
) -> (Vec<Ranked<'a>>, Option<Rejection>) {
    let judged = candidates.iter().map(|&candidate| {
        let judgement = judge(candidate, registry, device);
        if let Err(rejection) = &judgement
            && settings::trace().images
        {
            let Image { format, target, .. } = &*candidate.image;
            let line = format!(
                "the image of {format} for {target} cannot run on {}: {}",
                device.name(),
                rejection.reason()
            );
            settings::trace_line("images", &line);
        }
        judgement
    });
    choose(judged, |ranked| ranked.preference)
}

/// Returns the accepted items, the most preferred first and otherwise in the given order, and the
/// most informative rejection of the others.
fn choose<T>(
    judged: impl IntoIterator<Item = std::result::Result<T, Rejection>>,
    preference: impl Fn(&T) -> u32,
) -> (Vec<T>, Option<Rejection>) {
    let mut accepted = Vec::new();
    let mut rejected: Option<Rejection> = None;
    for judgement in judged {
        match judgement {
            Ok(found) => accepted.push(found),
            Err(rejection) => rejected = Some(rejection.join(rejected.take())),
        }
    }
    // The sort is stable, so equal items keep their order.
    accepted.sort_by_key(|found| std::cmp::Reverse(preference(found)));
    (accepted, rejected)
}

/// Judges a candidate. Requirements are compared first: those of the image, then those of all
/// images that it is linked with.
fn judge<'a>(
    candidate: &'a Candidate,
    registry: &Registry,
    device: &Device,
) -> std::result::Result<Ranked<'a>, Rejection> {
    let images = || registry.images().cloned().collect();
    let (preference, libraries) = judge_image(&candidate.image, images, device)?;
    Ok(Ranked { preference, candidate, libraries })
}

/// Judges an image whose imports `all` may export. Returns the device's preference and the images
/// to link it with.
pub(super) fn judge_image(
    image: &Arc<Image>,
    all: impl FnOnce() -> Vec<Arc<Image>>,
    device: &Device,
) -> std::result::Result<(u32, Vec<Arc<Image>>), Rejection> {
    image.check(device).map_err(Rejection::Requirements)?;
    if image.format == Format::Empty {
        return Err(Rejection::Code(Unfit {
            left_out: vec![image.target.to_string()],
            ..Unfit::default()
        }));
    }
    let preference = image.preference(device);
    let preference = preference.map_err(|error| Rejection::Code(Unfit::reason(error.message)))?;
    let mut libraries = Vec::new();
    if !image.imports.is_empty() {
        libraries = link::resolve(image, &all(), device).map_err(Rejection::Link)?;
    }
    for library in &libraries {
        library.check(device).map_err(|message| {
            Rejection::Requirements(format!(
                "{message} The kernel uses device code from '{}'.",
                library.library
            ))
        })?;
    }
    Ok((preference, libraries))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A judgement for tests: the index and the preference of an accepted image, or a rejection.
    type Judged = std::result::Result<(usize, u32), Rejection>;

    fn chosen(judged: Vec<Judged>) -> (Vec<(usize, u32)>, Option<Rejection>) {
        choose(judged, |found| found.1)
    }

    #[test]
    fn exact_goes_before_compatible_before_generic_before_a_last_resort() {
        let steps = [
            preference::GENERIC,
            preference::LAST_RESORT,
            preference::EXACT,
            preference::COMPATIBLE,
            preference::GENERIC + 1,
            preference::EXACT,
        ];
        let (order, rejected) = chosen(steps.into_iter().enumerate().map(Ok).collect());
        assert_eq!(order.iter().map(|found| found.0).collect::<Vec<_>>(), [2, 5, 3, 4, 0, 1]);
        assert!(rejected.is_none());
    }

    #[test]
    fn what_says_most_is_kept_and_code_for_others_is_listed() {
        let code = |text: &str| Err(Rejection::Code(Unfit::reason(text.to_owned())));
        let left_out = |target: &str| {
            Err(Rejection::Code(Unfit { left_out: vec![target.to_owned()], ..Unfit::default() }))
        };
        let lacks = |text: &str| Err(Rejection::Requirements(text.to_owned()));
        let reason = |judged| chosen(judged).1.expect("rejected").reason();
        assert_eq!(
            reason(vec![code("for skl"), code("for pvc"), code("for skl")]),
            "for skl; for pvc"
        );
        assert_eq!(
            reason(vec![left_out("dg1"), code("for skl"), left_out("rkl"), left_out("dg1")]),
            "for skl; the device link left the kernel out of the image for 'dg1', 'rkl'"
        );
        assert_eq!(
            reason(vec![code("for skl"), lacks("no fp64"), lacks("no fp16"), code("for pvc")]),
            "no fp64"
        );
    }

    /// Returns random lists of images, from a generator that is the same on all machines.
    fn random_lists(count: usize) -> impl Iterator<Item = Vec<Option<u32>>> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = move |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        (0..count).map(move |_| {
            let length = next(9);
            let mut image = || {
                let step = [
                    preference::LAST_RESORT,
                    preference::GENERIC,
                    preference::COMPATIBLE,
                    preference::EXACT,
                ][next(4) as usize];
                (next(3) != 0).then(|| step + next(3) as u32)
            };
            (0..length).map(|_| image()).collect()
        })
    }

    fn judged(images: &[Option<u32>]) -> Vec<Judged> {
        let judge = |(index, image): (usize, &Option<u32>)| match image {
            Some(preference) => Ok((index, *preference)),
            None => Err(Rejection::Code(Unfit::reason(format!("image {index}")))),
        };
        images.iter().enumerate().map(judge).collect()
    }

    #[test]
    fn every_image_that_can_run_is_tried_once_the_best_first_and_equals_in_order() {
        for images in random_lists(10_000) {
            let (order, rejected) = chosen(judged(&images));
            assert_eq!(order.len(), images.iter().flatten().count(), "{images:?}");
            assert_eq!(rejected.is_some(), images.contains(&None), "{images:?}");
            for pair in order.windows(2) {
                let ((before, better), (after, worse)) = (pair[0], pair[1]);
                assert!(
                    better > worse || better == worse && before < after,
                    "{images:?}: {order:?}"
                );
            }
        }
    }

    #[test]
    fn the_choice_depends_on_the_order_of_images_only_among_equals() {
        for images in random_lists(10_000) {
            let reversed: Vec<_> = images.iter().rev().copied().collect();
            let fits = |images: &[Option<u32>]| {
                chosen(judged(images)).0.into_iter().map(|(_, fit)| fit).collect::<Vec<_>>()
            };
            assert_eq!(fits(&images), fits(&reversed), "{images:?}");
            // Images that cannot run have no effect.
            let able: Vec<_> = images.iter().copied().filter(Option::is_some).collect();
            assert_eq!(fits(&images), fits(&able), "{images:?}");
        }
    }
}
