//! The groups of warnings and remarks that Scythe adds to clang's: one table.

/// A group: the name after `-W`, `-Wno-` and `-Werror=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// A function uses an aspect that its `device_has` does not list.
    DeviceHas,
    /// A function needs an aspect that a target of `-fsycl-fixed-targets=` lacks.
    FixedTargets,
    /// An image needs more than its entry points declare, through a function of another unit.
    External,
    /// Ahead-of-time compilation leaves out a kernel.
    Aot,
}

/// The step that reports a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// The plug-in, in the device pass.
    DevicePass,
    DeviceLink,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::DeviceHas, Self::FixedTargets, Self::External, Self::Aot];

    pub const fn name(self) -> &'static str {
        match self {
            Self::DeviceHas => "sycl-device-has",
            Self::FixedTargets => "sycl-fixed-targets",
            Self::External => "sycl-external",
            Self::Aot => "sycl-aot",
        }
    }

    /// The option that turns the group on, as diagnostics show it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::DeviceHas => "-Wsycl-device-has",
            Self::FixedTargets => "-Wsycl-fixed-targets",
            Self::External => "-Wsycl-external",
            Self::Aot => "-Wsycl-aot",
        }
    }

    pub fn reporter(self) -> Reporter {
        match self {
            Self::DeviceHas | Self::FixedTargets => Reporter::DevicePass,
            Self::External | Self::Aot => Reporter::DeviceLink,
        }
    }

    /// The groups that a step reports.
    pub fn of(reporter: Reporter) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |group| group.reporter() == reporter)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// What an option says of a group or of all: the part before the name in the text after `-W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    On,
    Off,
    Error,
    NoError,
}

impl Setting {
    /// Divides the text after `-W`, such as `no-error=sycl-aot`.
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
