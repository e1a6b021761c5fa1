//! Finds what the launcher of an MPI or Slurm job left to all processes of the job on this machine
//! together: its own processors and the limit of its control groups.
//!
//! The launcher is the nearest ancestor of this process that lacks the variable by which it tells
//! the number of processes: `mpirun`, its daemon on another machine, or Slurm's step daemon. Shells
//! and wrapper scripts between both inherited the variable. What the operating system does not show
//! counts as unknown.

use std::path::{Path, PathBuf};

use crate::processors::{parse_list, quota};

/// The number of ancestors to look at.
const GENERATIONS: usize = 32;

/// What all processes of a job on this machine share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// The number of processors in the launcher's affinity mask. It may count processors that are
    /// not online.
    pub processors: Option<usize>,
    /// The limit of control groups, in whole processors, rounded up.
    pub quota: Option<usize>,
}

/// Returns what the processes share whose launcher sets `variable`. `own` lists the processors of
/// this process. A launcher whose mask does not contain them did not derive them from its mask.
pub(crate) fn shared(proc: &Path, groups: &Path, variable: &str, own: &[usize]) -> Shared {
    let Some(launcher) = launcher(proc, variable) else { return Shared::default() };
    let mask = field(&launcher, "Cpus_allowed_list:").and_then(|text| parse_list(&text));
    let contains_own = |mask: &Vec<usize>| own.iter().all(|cpu| mask.contains(cpu));
    Shared {
        processors: mask.filter(contains_own).map(|mask| mask.len()),
        quota: quota(&launcher.join("cgroup"), groups),
    }
}

/// Returns the folder of the launcher in `proc`.
fn launcher(proc: &Path, variable: &str) -> Option<PathBuf> {
    let mut folder = proc.join("self");
    for _ in 0..GENERATIONS {
        // Process 0 is outside of this process's name space.
        let parent: u32 = field(&folder, "PPid:")?.parse().ok().filter(|&id| id > 0)?;
        folder = proc.join(parent.to_string());
        if !has_variable(&folder, variable) {
            return Some(folder);
        }
    }
    None
}

/// Returns whether the environment of a process has a variable. That of another user's process is
/// not readable; such a process is the launcher.
fn has_variable(process: &Path, name: &str) -> bool {
    let environment = std::fs::read(process.join("environ")).unwrap_or_default();
    let mut variables = environment.split(|&byte| byte == 0);
    variables.any(|text| text.strip_prefix(name.as_bytes()).is_some_and(|t| t.starts_with(b"=")))
}

/// Returns the value of a line in the status of a process.
fn field(process: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(process.join("status")).ok()?;
    text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Machine {
            Machine(tempfile::tempdir().unwrap())
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn process(&self, name: &str, parent: u32, mask: &str, environment: &str) {
            let status = format!("Name:\tx\nPPid:\t{parent}\nCpus_allowed_list:\t{mask}\n");
            self.write(&format!("{name}/status"), &status);
            self.write(&format!("{name}/environ"), environment);
        }

        fn shared(&self, own: &[usize]) -> Shared {
            shared(self.0.path(), &self.0.path().join("groups"), "SIZE", own)
        }

        fn processors(&self, own: &[usize]) -> Option<usize> {
            self.shared(own).processors
        }
    }

    #[test]
    fn the_launcher_is_the_first_ancestor_without_the_variable() {
        let machine = Machine::new();
        machine.process("self", 30, "4-5", "A=1\0SIZE=2\0");
        machine.process("30", 20, "4-5", "SIZE=2\0B=\0");
        machine.process("20", 10, "0-7", "A=1\0OTHER_SIZE=2\0SIZES=2\0");
        machine.process("10", 1, "0-63", "");
        assert_eq!(machine.processors(&[4, 5]), Some(8));
        assert_eq!(machine.processors(&[4, 9]), None, "the mask comes from elsewhere");
        machine.write("20/cgroup", "0::/job\n");
        machine.write("groups/job/cpu.max", "250000 100000\n");
        assert_eq!(machine.shared(&[4]), Shared { processors: Some(8), quota: Some(3) });
    }

    #[test]
    fn hidden_launchers_are_unknown() {
        let machine = Machine::new();
        assert_eq!(machine.shared(&[0]), Shared::default(), "there is no /proc");
        machine.process("self", 0, "0", "");
        assert_eq!(machine.shared(&[0]), Shared::default(), "it is in another name space");
        machine.process("self", 7, "0", "");
        assert_eq!(machine.shared(&[0]), Shared::default(), "it has ended");
        machine.process("7", 7, "0", "SIZE=1");
        assert_eq!(machine.shared(&[0]), Shared::default(), "there are no endless chains");
        machine.process("7", 1, "nonsense", "");
        assert_eq!(machine.shared(&[0]), Shared::default());
    }
}
