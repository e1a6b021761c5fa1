//! Computes this process's share of the machine's processors.
//!
//! The share is the least of the following numbers, and at least 1:
//! * The processors that the affinity mask allows.
//! * In an MPI or Slurm job, an even part of the processors that the launcher itself may use, or of
//!   the machine if the launcher's mask is unknown. Several processes can have the same mask: that
//!   of the whole machine if the launcher binds nothing, or that of a socket.
//! * The limit of control groups, in whole processors, rounded up, and an even part of the
//!   launcher's limit.
//!
//! Invalid values in variables of other software count as absent.

use std::mem;
use std::path::{Path, PathBuf};

use crate::launcher::{self, Shared};

/// Variables in which launchers give the number of a job's processes on this machine. The first
/// valid one counts. They belong to Open MPI, MPICH and Intel MPI (Hydra), MVAPICH2, and Slurm, for
/// launchers that set no variable.
const LOCAL_PROCESSES: [&str; 6] = [
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "PMI_LOCAL_SIZE",
    "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE",
];

/// A variable that is set if Slurm started this process as one of a step's tasks. Without it,
/// Slurm's numbers describe the allocation. A batch script, which is a single process, sees them
/// too.
const SLURM_TASK: &str = "SLURM_PROCID";
/// The index of a Slurm task's machine in its job. `SLURM_TASKS_PER_NODE` lists machines in this
/// order.
const SLURM_NODE: &str = "SLURM_NODEID";

/// Returns the share of this process.
pub(crate) fn share() -> usize {
    let (proc, groups) = (Path::new("/proc"), Path::new("/sys/fs/cgroup"));
    let own = allowed().min(quota(&proc.join("self/cgroup"), groups).unwrap_or(usize::MAX));
    match local_processes(&|name| std::env::var(name).ok()) {
        Some((variable, processes)) => {
            let shared = launcher::shared(proc, groups, variable, &list());
            divide(own, online(), processes, shared)
        }
        None => own.max(1),
    }
}

/// Returns the share of one of `processes` processes that may use `own` processors each.
fn divide(own: usize, online: usize, processes: usize, shared: Shared) -> usize {
    let processors = shared.processors.map_or(online, |count| count.min(online));
    let quota = shared.quota.unwrap_or(usize::MAX);
    own.min(processors.min(quota) / processes.max(1)).max(1)
}

/// Returns the number of processors that the affinity mask allows.
pub(crate) fn allowed() -> usize {
    match list().len() {
        // The machine has more processors than `cpu_set_t` has bits.
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        count => count,
    }
}

/// Returns the numbers of the processors that the affinity mask allows, or an empty list if there
/// are too many processors for a mask.
pub(crate) fn list() -> Vec<usize> {
    // SAFETY: `set` is plain data for which all zeros are valid, and the call gets its size.
    let set = unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        match libc::sched_getaffinity(0, mem::size_of::<libc::cpu_set_t>(), &mut set) {
            0 => set,
            _ => return Vec::new(),
        }
    };
    // SAFETY: the number is less than the size of the set.
    (0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect()
}

/// Restricts the calling thread to these processors. If this fails, the thread runs on its previous
/// processors.
pub(crate) fn bind(cpus: &[usize]) {
    // SAFETY: `set` is plain data for which all zeros are valid. The numbers are less than its
    // size, and the call gets its size.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        cpus.iter()
            .filter(|&&cpu| cpu < libc::CPU_SETSIZE as usize)
            .for_each(|&cpu| libc::CPU_SET(cpu, &mut set));
        libc::sched_setaffinity(0, mem::size_of::<libc::cpu_set_t>(), &set);
    }
}

/// Parses a list like `0-3,8`. Returns `None` if the text is not such a list.
pub(crate) fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last < first || last - first > 1 << 16 {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// Returns the number of the machine's processors that are online.
fn online() -> usize {
    // SAFETY: `sysconf` takes no pointers and has no preconditions.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(count).unwrap_or(1).max(1)
}

/// Returns how many processes of this process's job share the machine, and the variable that says
/// so. Returns `None` outside of jobs.
fn local_processes(variable: &dyn Fn(&str) -> Option<String>) -> Option<(&'static str, usize)> {
    let count = |name: &'static str| {
        let text = variable(name)?;
        if !name.starts_with("SLURM_") {
            return text.trim().parse().ok().filter(|&n: &usize| n > 0);
        }
        variable(SLURM_TASK)?;
        let node = variable(SLURM_NODE).and_then(|n| n.trim().parse().ok()).unwrap_or(0);
        slurm_tasks(&text, node)
    };
    LOCAL_PROCESSES.iter().find_map(|&name| Some((name, count(name)?)))
}

/// Returns the number of tasks of machine `node` in a list like `4(x2),3`: two machines with 4
/// tasks, one with 3.
fn slurm_tasks(list: &str, node: usize) -> Option<usize> {
    let mut before = 0usize;
    for part in list.trim().split(',') {
        let (tasks, machines) = match part.split_once("(x") {
            Some((tasks, rest)) => (tasks, rest.strip_suffix(')')?.parse().ok()?),
            None => (part, 1usize),
        };
        before = before.checked_add(machines)?;
        if node < before {
            return tasks.trim().parse().ok().filter(|&n| n > 0);
        }
    }
    None
}

/// Returns the number of whole processors that control groups allow, rounded up. `membership` lists
/// the process's control groups, and `root` is their mount point. The limits of parent groups apply
/// too.
pub(crate) fn quota(membership: &Path, root: &Path) -> Option<usize> {
    let list = std::fs::read_to_string(membership).ok()?;
    let mut least: Option<usize> = None;
    for line in list.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let own = path.trim_start_matches('/');
        let mounts: [PathBuf; 2] = if controllers.is_empty() {
            [root.to_owned(), root.join("unified")]
        } else if controllers.split(',').any(|c| c == "cpu") {
            [root.join(controllers), root.join("cpu")]
        } else {
            continue;
        };
        for mount in mounts {
            let folder = mount.join(own);
            let above = folder.ancestors().take_while(|f| f.starts_with(&mount));
            let limits = above.filter_map(|f| {
                if controllers.is_empty() { unified_limit(f) } else { split_limit(f) }
            });
            least = limits.chain(least).min();
        }
    }
    least
}

/// Reads `cpu.max` of the unified hierarchy: time and period in microseconds, or `max` for no
/// limit.
fn unified_limit(folder: &Path) -> Option<usize> {
    let text = std::fs::read_to_string(folder.join("cpu.max")).ok()?;
    let mut words = text.split_whitespace();
    whole(words.next()?, words.next()?)
}

/// Reads the same from two files of the older hierarchy, in which -1 means no limit.
fn split_limit(folder: &Path) -> Option<usize> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    whole(read("cpu.cfs_quota_us")?.trim(), read("cpu.cfs_period_us")?.trim())
}

fn whole(time: &str, period: &str) -> Option<usize> {
    let (time, period): (u64, u64) = (time.parse().ok()?, period.parse().ok()?);
    if time == 0 || period == 0 {
        return None;
    }
    usize::try_from(time.div_ceil(period)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes(variables: &[(&str, &str)]) -> usize {
        let job =
            local_processes(&|name| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_owned()));
        job.map_or(1, |(_, processes)| processes)
    }

    #[test]
    fn processes_of_a_job_share_what_the_launcher_has() {
        let unknown = Shared::default();
        assert_eq!(divide(64, 64, 4, unknown), 16);
        assert_eq!(divide(64, 64, 100, unknown), 1);
        assert_eq!(divide(16, 64, 4, unknown), 16, "its launcher gave it a part of its own");
        assert_eq!(divide(8, 64, 4, unknown), 8, "the others may have more");
        assert_eq!(divide(32, 64, 4, unknown), 16, "two processes have the same mask");
        let job = |processors, quota| Shared { processors, quota };
        assert_eq!(divide(16, 64, 4, job(Some(16), None)), 4, "the job has 16, unbound");
        assert_eq!(divide(4, 64, 4, job(Some(16), None)), 4, "the job has 16, bound");
        assert_eq!(divide(64, 64, 4, job(Some(256), None)), 16, "some are not online");
        assert_eq!(divide(6, 64, 4, job(Some(64), Some(6))), 1, "all are in one group");
        assert_eq!(divide(3, 64, 4, job(Some(64), None)), 3, "each is in a group of its own");
    }

    #[test]
    fn launchers_tell_how_many_processes_there_are() {
        assert_eq!(processes(&[]), 1);
        for name in &LOCAL_PROCESSES[..4] {
            assert_eq!(processes(&[(name, "6")]), 6);
            for bad in ["", "0", "-2", "many", "99999999999999999999999"] {
                assert_eq!(processes(&[(name, bad)]), 1, "{name}={bad}");
            }
        }
        assert_eq!(processes(&[("OMPI_COMM_WORLD_LOCAL_SIZE", "x"), ("MPI_LOCALNRANKS", "3")]), 3);
    }

    #[test]
    fn slurm_lists_the_tasks_of_each_machine() {
        let task =
            [("SLURM_PROCID", "9"), ("SLURM_NODEID", "2"), ("SLURM_TASKS_PER_NODE", "4(x2),3")];
        assert_eq!(processes(&task), 3);
        assert_eq!(processes(&task[1..]), 1, "a batch script is one process");
        assert_eq!(slurm_tasks("4(x2),3", 1), Some(4));
        assert_eq!(slurm_tasks("8", 0), Some(8));
        for bad in ["", "4(x", "4(xx2)", "(x2)", "0", "4(x2),3"] {
            assert_eq!(slurm_tasks(bad, 7), None, "{bad}");
        }
    }

    #[test]
    fn control_groups_limit_processors() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let quota = |list: &str| {
            write("list", list);
            quota(&root.path().join("list"), root.path())
        };
        write("job/cpu.max", "250000 100000\n");
        write("job/step/cpu.max", "max 100000\n");
        assert_eq!(quota("0::/job/step\n"), Some(3), "a limit above holds below");
        assert_eq!(quota("0::/\n"), None);
        write("cpu/old/cpu.cfs_quota_us", "400000\n");
        write("cpu/old/cpu.cfs_period_us", "100000\n");
        assert_eq!(quota("3:memory:/old\n1:cpu:/old\n"), Some(4));
        write("cpu/old/cpu.cfs_quota_us", "-1\n");
        assert_eq!(quota("1:cpu:/old\n"), None);
        write("job/cpu.max", "garbage");
        assert_eq!(quota("0::/job\nnonsense\n"), None);
    }
}
