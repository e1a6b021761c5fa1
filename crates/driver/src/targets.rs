//! Device targets: which `-fsycl-targets=` asks for, and the options for each one's back end.
//!
//! The device pass is the same for every target, and objects hold its result once. Targets are a matter of the link: each
//! object and library, however it was compiled, can go into a program for any of them.

use std::collections::BTreeSet;

use scythe_abi::target::Target;

use crate::error::Error;

/// The targets of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Empty: none was named, which means the generic one.
    selected: BTreeSet<Target>,
    /// `-Xsycl-target-backend`, in order; without a target where none was named.
    options: Vec<(Option<Target>, String)>,
}

impl Targets {
    /// `-fsycl-targets=LIST`. The last one counts.
    pub fn select(&mut self, list: &str) -> Result<(), Error> {
        let target = |name| named(name, || format!("-fsycl-targets={list}"));
        self.selected = list.split(',').map(target).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// `-Xsycl-target-backend[=NAME] OPTIONS`.
    pub fn add_options(&mut self, name: Option<&str>, options: String) -> Result<(), Error> {
        let target = name.map(|name| named(name, || spelling(name, &options))).transpose()?;
        self.options.push((target, options));
        Ok(())
    }

    /// Options must be for targets that are asked for, and it must be clear for which.
    pub fn check(&self) -> Result<(), Error> {
        for (target, options) in &self.options {
            match target {
                Some(target) if !self.effective().contains(target) => {
                    let (option, target) = (spelling(target.triple(), options), target.triple());
                    return Err(Error::UnusedOptions { option, target });
                }
                None if self.effective().len() > 1 => {
                    return Err(Error::AmbiguousOptions { options: options.clone(), count: self.effective().len() });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What tells `scythe-tools device-link` the targets of the inputs that follow; nothing where the default is meant.
    pub fn device_link_args(&self) -> Vec<String> {
        let mut args = Vec::new();
        if self.effective() != BTreeSet::from([Target::Generic]) {
            let triples: Vec<_> = self.selected.iter().map(|target| target.triple()).collect();
            args.push(format!("--target={}", triples.join(",")));
        }
        for target in self.effective() {
            let of_target = self.options.iter().filter(|(named, _)| named.is_none_or(|named| named == target));
            let options: Vec<_> = of_target.map(|(_, options)| options.as_str()).collect();
            if !options.is_empty() {
                let option = match target {
                    Target::Generic => "--compile-opts",
                    Target::Cpu => "--cpu-opts",
                };
                args.push(format!("{option}={}", options.join(" ")));
            }
        }
        args
    }

    fn effective(&self) -> BTreeSet<Target> {
        if self.selected.is_empty() { BTreeSet::from([Target::Generic]) } else { self.selected.clone() }
    }
}

fn spelling(name: &str, options: &str) -> String {
    format!("-Xsycl-target-backend={name} {options}")
}

fn named(name: &str, option: impl Fn() -> String) -> Result<Target, Error> {
    Target::from_name(name).ok_or_else(|| Error::UnknownTarget { option: option(), name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use crate::args::parse;
    use crate::error::Error;

    fn device_link_args(args: &[&str]) -> Result<Vec<String>, Error> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        parse(&args).map(|invocation| invocation.targets.device_link_args())
    }

    #[test]
    fn targets_reach_the_device_link_once_each() {
        assert!(device_link_args(&[]).unwrap().is_empty());
        assert!(device_link_args(&["-fsycl-targets=spir64"]).unwrap().is_empty());
        let cpu = ["--target=spir64_x86_64-unknown-unknown"];
        assert_eq!(device_link_args(&["-fsycl-targets=native_cpu,x86_64"]).unwrap(), cpu);
        assert_eq!(device_link_args(&["-fsycl-targets=spir64", "-fsycl-targets=x86_64"]).unwrap(), cpu);
        let both = ["--target=spirv64-unknown-unknown,spir64_x86_64-unknown-unknown"];
        assert_eq!(device_link_args(&["-fsycl-targets=x86_64,spir64"]).unwrap(), both);
    }

    #[test]
    fn options_reach_their_target() {
        let args = device_link_args(&["-Xsycl-target-backend", "-march=avx2", "-fsycl-targets=x86_64"]).unwrap();
        assert_eq!(args, ["--target=spir64_x86_64-unknown-unknown", "--cpu-opts=-march=avx2"]);
        let both = "-fsycl-targets=spir64,spir64_x86_64";
        let args = [both, "-Xsycl-target-backend=spir64", "-O0", "-Xsycl-target-backend=native_cpu", "-march=avx2 -O1"];
        let args = device_link_args(&args).unwrap();
        assert_eq!(args[1..], ["--compile-opts=-O0", "--cpu-opts=-march=avx2 -O1"]);
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |args: &[&str]| device_link_args(args).unwrap_err().to_string();
        let unknown = bad(&["-fsycl-targets=spir64,nvptx64-nvidia-cuda"]);
        assert!(unknown.contains("'nvptx64-nvidia-cuda' in '-fsycl-targets=spir64,nvptx64-nvidia-cuda'"), "{unknown}");
        assert!(unknown.contains("'spir64_x86_64'") && unknown.contains("'spirv64'"), "{unknown}");
        assert!(bad(&["-fsycl-targets="]).contains("unknown device target ''"));
        let unused = bad(&["-Xsycl-target-backend=x86_64", "-march=avx2"]);
        assert!(unused.contains("which '-fsycl-targets=' does not name"), "{unused}");
        let both = bad(&["-fsycl-targets=spir64,x86_64", "-Xsycl-target-backend", "-O1"]);
        assert!(both.contains("can mean any of 2 targets"), "{both}");
        assert!(bad(&["-Xsycl-target-backend=x86_64"]).contains("needs a value"));
    }
}
