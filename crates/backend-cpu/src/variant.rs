//! Variants: kernels that are recompiled for work-group sizes for which their general code is slow.
//! Rows that are shorter than a vector leave most of its lanes idle ([`scythe_abi::cpu::Layout`]),
//! division by a size that is not a constant is slow, and general code with many barriers is
//! designed for rows that are not full.
//!
//! A variant computes the same results as the general code, so it can replace the general code at
//! any launch. It is built when launches of its size have used the general code for about the time
//! that building takes. This happens once for each kernel and size, and only for a few sizes. If a
//! variant cannot be built, launches keep using the general code.

use std::sync::{Mutex, MutexGuard, OnceLock};

use scythe_abi::cpu::{Form, Layout};
use scythe_abi::environment::CPU_VARIANTS;
use scythe_hal::{Errc, Error, Result};

/// The maximum number of sizes of one kernel that are tracked. Programs that try out every size get
/// the general code for the other sizes.
const MAX_VARIANTS: usize = 8;
/// The approximate time to build a variant.
const WORTH_NS: f64 = 30e6;
/// An upper bound of the work-group size. No device supports larger groups.
const MAX_WORK_ITEMS: u64 = 1 << 20;

/// The time at which variants are built: the value of [`CPU_VARIANTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// When they are worthwhile.
    Auto,
    /// At the first launch for which a variant is suitable.
    Always,
    Never,
}

impl Mode {
    fn parse(setting: Option<&str>) -> Result<Self> {
        match setting.map(str::trim) {
            None | Some("" | "auto") => Ok(Self::Auto),
            Some("always") => Ok(Self::Always),
            Some("never") => Ok(Self::Never),
            Some(other) => Err(Error::new(Errc::Invalid, CPU_VARIANTS.refusal(other))),
        }
    }

    /// Returns the mode for this process. Reports an error if the setting is invalid.
    pub(crate) fn of_process() -> Result<Self> {
        static MODE: OnceLock<Result<Mode>> = OnceLock::new();
        let read = || {
            let text =
                std::env::var_os(CPU_VARIANTS.name).map(|text| text.to_string_lossy().into_owned());
            Self::parse(text.as_deref())
        };
        MODE.get_or_init(read).clone()
    }
}

/// The variants of one kernel. `C` is the type of their code.
pub(crate) struct Variants<C> {
    /// The number of lanes of the general code, or 0 if variants would not be faster.
    lanes: u32,
    /// Whether a variant is worthwhile for every size.
    every_size: bool,
    known: Mutex<Vec<Known<C>>>,
}

struct Known<C> {
    local_size: [u64; 3],
    /// The total time of launches of this size, in nanoseconds.
    spent: f64,
    state: State<C>,
}

enum State<C> {
    General,
    Building,
    Ready(C),
    Impossible,
}

impl<C: Clone> Variants<C> {
    pub(crate) fn new(form: Form) -> Self {
        Self {
            lanes: form.lanes,
            every_size: form.lanes > 0 && form.every_size != 0,
            known: Mutex::new(Vec::new()),
        }
    }

    /// Returns the variant for a launch with work-groups of this size, if there is one. `cost`
    /// returns the estimated time of the launch with the general code, in nanoseconds. `build`
    /// builds the variant, or fails.
    pub(crate) fn find(
        &self,
        local_size: [u64; 3],
        cost: impl FnOnce() -> f64,
        build: impl FnOnce() -> Option<C>,
    ) -> Option<C> {
        // Check the common case first: rows that are at least as long as a vector.
        if local_size[0] >= u64::from(self.lanes) && !self.every_size {
            return None;
        }
        let mode = Mode::of_process().unwrap_or(Mode::Never);
        self.find_in(mode, local_size, cost, build)
    }

    fn find_in(
        &self,
        mode: Mode,
        local_size: [u64; 3],
        cost: impl FnOnce() -> f64,
        build: impl FnOnce() -> Option<C>,
    ) -> Option<C> {
        let items = local_size.iter().try_fold(1u64, |n, &s| n.checked_mul(s));
        let small = items.is_some_and(|n| (1..=MAX_WORK_ITEMS).contains(&n));
        if mode == Mode::Never
            || !small
            || !(self.every_size || Layout::pays(local_size, self.lanes))
        {
            return None;
        }
        let mut known = self.lock();
        let at = match known.iter().position(|k| k.local_size == local_size) {
            Some(at) => at,
            None if known.len() == MAX_VARIANTS => return None,
            None => {
                known.push(Known { local_size, spent: 0.0, state: State::General });
                known.len() - 1
            }
        };
        match &known[at].state {
            State::Ready(code) => return Some(code.clone()),
            State::Building | State::Impossible => return None,
            State::General => {}
        }
        known[at].spent += cost();
        if mode == Mode::Auto && known[at].spent < WORTH_NS {
            return None;
        }
        known[at].state = State::Building;
        // Other threads use the general code meanwhile.
        drop(known);
        let built = build();
        // Entries are never removed, so the index is still valid.
        self.lock()[at].state = built.clone().map_or(State::Impossible, State::Ready);
        built
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Known<C>>> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants() -> Variants<u32> {
        Variants::new(Form { lanes: 16, ..Form::default() })
    }

    #[test]
    fn a_variant_is_built_when_the_general_code_has_taken_as_long() {
        let variants = variants();
        let launch =
            |ns: f64, build: Option<u32>| variants.find_in(Mode::Auto, [8, 8, 1], || ns, || build);
        assert_eq!(launch(WORTH_NS * 0.6, Some(1)), None);
        assert_eq!(launch(WORTH_NS * 0.6, Some(2)), Some(2));
        assert_eq!(launch(WORTH_NS, Some(3)), Some(2), "built once");
    }

    #[test]
    fn what_cannot_be_built_is_tried_once() {
        let variants = variants();
        let launch =
            |build: Option<u32>| variants.find_in(Mode::Always, [4, 4, 4], || 0.0, || build);
        assert_eq!(launch(None), None);
        assert_eq!(launch(Some(1)), None);
    }

    #[test]
    fn sizes_that_fill_vectors_and_too_many_sizes_keep_the_general_code() {
        let variants = variants();
        let launch = |size| variants.find_in(Mode::Always, size, || 1e12, || Some(1));
        assert_eq!(launch([16, 4, 1]), None);
        assert_eq!(launch([u64::MAX, u64::MAX, 2]), None);
        assert_eq!(launch([0, 4, 4]), None);
        let dividing = Variants::new(Form { lanes: 16, every_size: 1, ..Form::default() });
        assert_eq!(dividing.find_in(Mode::Always, [64, 1, 1], || 0.0, || Some(1)), Some(1));
        let built = (1..=20).filter(|&y| launch([2, y, 1]).is_some()).count();
        assert_eq!(built, MAX_VARIANTS);
        assert_eq!(variants.find_in(Mode::Never, [2, 1, 1], || 1e12, || Some(1)), None);
        assert_eq!(Variants::new(Form::default()).find([1, 64, 1], || 1e12, || Some(1)), None);
    }

    #[test]
    fn settings_that_make_no_sense_are_explained() {
        assert_eq!(Mode::parse(None), Ok(Mode::Auto));
        assert_eq!(Mode::parse(Some("always")), Ok(Mode::Always));
        assert_eq!(Mode::parse(Some("never")), Ok(Mode::Never));
        let error = Mode::parse(Some("sometimes")).unwrap_err();
        assert!(error.message.contains("SCYTHE_CPU_VARIANTS is 'sometimes'"), "{error}");
    }
}
