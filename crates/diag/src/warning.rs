//! The table of the warning and remark groups that Scythe adds to those of clang.

/// A warning group. Its name follows `-W`, `-Wno-` and `-Werror=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// A function uses an aspect that its `device_has` does not list.
    DeviceHas,
    /// A function needs an aspect that a target of `-fsycl-fixed-targets=` lacks.
    FixedTargets,
    /// An image requires more than its entry points declare, through a function of another unit.
    External,
    /// Ahead-of-time compilation skips a kernel.
    Aot,
    /// The command line has options without effect.
    IgnoredOption,
    /// A sanitizer does not check the kernels of a target.
    Sanitize,
}

/// The compilation step that reports a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// The clang plug-in, in the device pass.
    DevicePass,
    DeviceLink,
    /// The driver, about its command line.
    Driver,
}

impl Group {
    pub const ALL: [Self; 6] = [
        Self::DeviceHas,
        Self::FixedTargets,
        Self::External,
        Self::Aot,
        Self::IgnoredOption,
        Self::Sanitize,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::DeviceHas => "sycl-device-has",
            Self::FixedTargets => "sycl-fixed-targets",
            Self::External => "sycl-external",
            Self::Aot => "sycl-aot",
            Self::IgnoredOption => "sycl-ignored-option",
            Self::Sanitize => "sycl-sanitize",
        }
    }

    /// Returns the option that enables the group, as diagnostics show it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::DeviceHas => "-Wsycl-device-has",
            Self::FixedTargets => "-Wsycl-fixed-targets",
            Self::External => "-Wsycl-external",
            Self::Aot => "-Wsycl-aot",
            Self::IgnoredOption => "-Wsycl-ignored-option",
            Self::Sanitize => "-Wsycl-sanitize",
        }
    }

    pub fn reporter(self) -> Reporter {
        match self {
            Self::DeviceHas | Self::FixedTargets => Reporter::DevicePass,
            Self::External | Self::Aot => Reporter::DeviceLink,
            Self::IgnoredOption | Self::Sanitize => Reporter::Driver,
        }
    }

    /// Returns the groups that a step reports.
    pub fn of(reporter: Reporter) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |group| group.reporter() == reporter)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// The effect of an option on one group or on all groups: the part of the text after `-W` that
/// precedes the group's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    On,
    Off,
    Error,
    NoError,
}

impl Setting {
    /// Splits the text after `-W`, such as `no-error=sycl-aot`, into the setting and the group.
    pub fn divide(text: &str) -> (Self, &str) {
        let prefixes = [("no-error=", Self::NoError), ("error=", Self::Error), ("no-", Self::Off)];
        let found = |(prefix, setting)| Some((setting, text.strip_prefix(prefix)?));
        prefixes.into_iter().find_map(found).unwrap_or((Self::On, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_the_names_after_a_dash() {
        for group in Group::ALL {
            assert_eq!(group.option(), format!("-W{}", group.name()));
            assert_eq!(Group::from_name(group.name()), Some(group));
        }
        assert_eq!(Group::from_name("sycl-unheard-of"), None);
    }

    #[test]
    fn texts_are_divided_at_the_longest_prefix() {
        assert_eq!(Setting::divide("no-error=sycl-aot"), (Setting::NoError, "sycl-aot"));
        assert_eq!(Setting::divide("error=sycl-aot"), (Setting::Error, "sycl-aot"));
        assert_eq!(Setting::divide("no-sycl-aot"), (Setting::Off, "sycl-aot"));
        assert_eq!(Setting::divide("sycl-aot"), (Setting::On, "sycl-aot"));
    }
}
