//! Kernels compiled anew for work-group sizes that their general code serves badly: rows shorter
//! than a vector leave most of its lanes idle ([`scythe_abi::cpu::Layout`]), dividing by a size
//! takes long that is not a constant, and general code with many barriers is made for rows that are
//! not full.
//!
//! A variant computes what the general code computes, so it may take its place at any launch. It is
//! built when the general code has been busy with launches of that size for as long as building
//! takes, once for each kernel and size, and for a few sizes only. Where it cannot be built, the
//! general code stays.

use std::sync::{Mutex, MutexGuard, OnceLock};

use scythe_abi::cpu::{Form, Layout};
use scythe_abi::environment::CPU_VARIANTS;
use scythe_hal::{Errc, Error, Result};

/// Sizes of one kernel that are looked after; programs that try out every size get the general code
/// for the rest.
const MAX_VARIANTS: usize = 8;
/// About what building a variant takes.
const WORTH_NS: f64 = 30e6;
/// Groups with more work-items than any device takes.
const MAX_WORK_ITEMS: u64 = 1 << 20;

/// When variants are built: the value of [`CPU_VARIANTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// When they are worth it.
    Auto,
    /// At the first launch that one suits.
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

    /// Of this process. An error is a setting that makes no sense.
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

/// The variants of one kernel, each a `C`.
pub(crate) struct Variants<C> {
    /// Of the general code; 0 where variants would be no better.
    lanes: u32,
    /// Code for one size pays for every size.
    every_size: bool,
    known: Mutex<Vec<Known<C>>>,
}

struct Known<C> {
    local_size: [u64; 3],
    /// What launches of this size have taken, in nanoseconds.
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

    /// The variant for a launch with work-groups of this size, where there is one. `cost` is what
    /// the launch may take with the general code, in nanoseconds; `build` makes the variant, or
    /// fails.
    pub(crate) fn find(
        &self,
        local_size: [u64; 3],
        cost: impl FnOnce() -> f64,
        build: impl FnOnce() -> Option<C>,
    ) -> Option<C> {
        // The common case first: rows at least a vector long.
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
        // Others go on with the general code meanwhile.
        drop(known);
        let built = build();
        // Entries are only added: it is where it was.
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
