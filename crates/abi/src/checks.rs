//! The checks that the compiler can add to kernels for the CPU device, and the functions that such
//! kernels call. The CPU backend defines the functions.
//!
//! Texts and numbers pass as plain arguments. `position` is a C string: the position in the program
//! as `file:line:column`, then one line for each call between the program and the instruction,
//! innermost first. It is empty if the kernel was compiled without debug information. `g0`, `g1`
//! and `g2` are the global id of the work-item, the fastest dimension first.

use crate::environment::{CHECK, Variable};

/// A set of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks(pub u32);

impl Checks {
    pub const NONE: Self = Self(0);
    /// Accesses to memory outside of allocations, accessors and variables (`-fsanitize=address`).
    pub const ADDRESS: Self = Self(1);
    /// Accesses of work-items to the same memory without a barrier between them
    /// (`-fsanitize=thread`, `SCYTHE_CHECK=races`).
    pub const RACES: Self = Self(2);
    /// Barriers that not all work-items of a work-group reach (`SCYTHE_CHECK=barriers`).
    pub const BARRIERS: Self = Self(4);
    /// Undefined operations (`-fsanitize=undefined`). Clang adds the checks themselves.
    pub const UNDEFINED: Self = Self(8);
    /// No check: on a device that cannot check the kernels, the runtime does not warn
    /// (`-Wno-sycl-sanitize`).
    pub const QUIET: Self = Self(16);

    /// The names in [`crate::names::CHECKS_ATTRIBUTE`]. The environment variable has the second
    /// and the third.
    const NAMES: [(&'static str, Self); 5] = [
        ("address", Self::ADDRESS),
        ("races", Self::RACES),
        ("barriers", Self::BARRIERS),
        ("undefined", Self::UNDEFINED),
        ("quiet", Self::QUIET),
    ];

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the names of the checks, separated by commas.
    pub fn names(self) -> String {
        let names = Self::NAMES.into_iter().filter(|(_, check)| self.contains(*check));
        names.map(|(name, _)| name).collect::<Vec<_>>().join(",")
    }

    /// Returns the checks with these names. Unknown names are ignored.
    pub fn from_names(names: &str) -> Self {
        let known = |name: &str| Self::NAMES.into_iter().find(|(known, _)| *known == name);
        let checks = names.split(',').filter_map(known).map(|(_, check)| check);
        checks.fold(Self::NONE, Self::and)
    }

    /// Parses the value of [`CHECK`]. The error is the message for the user.
    pub fn of_setting(value: Option<&str>) -> Result<Self, String> {
        let mut checks = Self::NONE;
        for name in value.unwrap_or("").split(',').map(str::trim).filter(|name| !name.is_empty()) {
            checks = checks.and(match name {
                "barriers" => Self::BARRIERS,
                "races" => Self::RACES,
                "all" => Self::BARRIERS.and(Self::RACES),
                _ => return Err(SETTING.refusal(value.unwrap_or(""))),
            });
        }
        Ok(checks)
    }
}

const SETTING: &Variable = &CHECK;

/// The functions that checked kernels call.
pub mod functions {
    /// `void (g0, g1, g2)`: a work-item is about to call a function that has checks itself.
    pub const ITEM: &str = "__scythe_check_item";
    /// `void (pointer, u64 bytes, u32 kind, position, g0, g1, g2)`: an access to memory. The kind
    /// is a sum of [`super::WRITE`], [`super::ATOMIC`] and [`super::TRUSTED`].
    pub const ACCESS: &str = "__scythe_check_access";
    /// `void (pointer, u64 bytes, u32 kind, position)`: the same in a function that was not inlined
    /// into its kernel, for the work-item of the last call.
    pub const ACCESS_IN_CALL: &str = "__scythe_check_access_in_call";
    /// `void (u32 scope, position, g0, g1, g2)`: a work-item reaches a barrier.
    pub const BARRIER: &str = "__scythe_check_barrier";
    /// `void (g0, g1, g2)`: a work-item reaches the end of the kernel.
    pub const END: &str = "__scythe_check_end";
    /// `void (pointer, u64 before, u64 bytes, u64 after)`: a variable of a work-item begins to
    /// exist between two zones that must not be accessed. The pointer is the first zone.
    pub const PRIVATE: &str = "__scythe_check_private";
    /// The same arguments: the variable ends.
    pub const PRIVATE_END: &str = "__scythe_check_private_end";
    /// The same arguments: the work-group has this variable in local memory until it ends.
    pub const LOCAL: &str = "__scythe_check_local";
    /// `void (data, g0, g1, g2)`: clang's check has failed and reports it next. The data begin with
    /// the position.
    pub const UNDEFINED: &str = "__scythe_check_undefined";

    pub const ALL: [&str; 9] =
        [ITEM, ACCESS, ACCESS_IN_CALL, BARRIER, END, PRIVATE, PRIVATE_END, LOCAL, UNDEFINED];

    /// The beginning of the names of functions that report failed checks of clang.
    pub const UNDEFINED_HANDLER: &str = "__ubsan_handle_";
}

/// The kind of an access: it writes.
pub const WRITE: u32 = 1;
/// The kind of an access: it is atomic.
pub const ATOMIC: u32 = 2;
/// The kind of an access: it is part of the device library and races with no other.
pub const TRUSTED: u32 = 4;

/// The function of a kernel that returns its [`Checks`]: `u32 ()`. The kernel's name follows.
pub const DESCRIPTION_PREFIX: &str = "__scythe_cpu_checks.";

/// The type of that function.
pub type DescriptionFn = unsafe extern "C" fn() -> u32;

/// The size of the zones around variables and local accessors. It is a multiple of the granule of
/// the address sanitizer, 8 bytes.
pub const ZONE: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(Checks::of_setting(None), Ok(Checks::NONE));
        assert_eq!(Checks::of_setting(Some(" races, ")), Ok(Checks::RACES));
        let all = Checks::RACES.and(Checks::BARRIERS);
        assert_eq!(Checks::of_setting(Some("barriers,races")), Ok(all));
        assert_eq!(Checks::of_setting(Some("all")), Ok(all));
        let error = Checks::of_setting(Some("race")).unwrap_err();
        assert!(error.contains("SCYTHE_CHECK is 'race', expected"), "{error}");
    }

    #[test]
    fn names_are_read_back() {
        let some = Checks::ADDRESS.and(Checks::RACES);
        assert_eq!(some.names(), "address,races");
        assert_eq!(Checks::from_names(&some.names()), some);
    }
}
