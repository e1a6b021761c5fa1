//! Runs the work-groups of a launch that wait for each other: each on a thread, all at the same
//! time.
//!
//! These threads are separate from the workers. A gang therefore never waits for a worker that is
//! busy, and two gangs at the same time cannot each hold half of the threads that both need: the
//! operating system gives time to all of them. The thread that leads the launch runs its first
//! work-group. Threads are kept for later launches.
//!
//! Kernels wait for each other with [`root_group_wait`], which one work-item of each work-group
//! calls between two barriers of the work-group.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use scythe_hal::{Errc, Error, Result};

use crate::{futex, processors, threads};

/// The symbol by which compiled kernels call [`root_group_wait`].
pub(crate) const SYMBOL: &str = "__scythe_root_group_wait";

/// The number of polls before a thread that waits for the others sleeps.
const POLLS: u32 = 2000;

thread_local! {
    /// The meeting of the gang whose work-group this thread runs.
    static CURRENT: Cell<*const Meeting> = const { Cell::new(ptr::null()) };
}

/// Waits until every work-group of the launch has called this function. Returns at once in a launch
/// whose work-groups are independent: it has only one of them.
pub(crate) extern "C" fn root_group_wait() {
    let current = CURRENT.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: `enter` sets the pointer for the time in which the meeting exists.
    if let Some(meeting) = unsafe { current.as_ref() } {
        meeting.wait();
    }
}

/// A barrier for the threads of a gang, which can be used any number of times.
struct Meeting {
    members: u32,
    arrived: AtomicU32,
    /// The number of completed meetings. Threads that wait sleep on it.
    round: AtomicU32,
}

impl Meeting {
    fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.fetch_add(1, Ordering::AcqRel);
            return futex::wake_all(&self.round);
        }
        for _ in 0..POLLS {
            if self.round.load(Ordering::Acquire) != round {
                return;
            }
            std::hint::spin_loop();
        }
        while self.round.load(Ordering::Acquire) == round {
            futex::wait(&self.round, round);
        }
    }

    /// Calls `f` on this thread as a member of the gang.
    fn enter(&self, f: impl FnOnce()) {
        /// Leaves the gang. A kernel may run another one on its thread (through a host call).
        struct Leave(*const Meeting);
        impl Drop for Leave {
            fn drop(&mut self) {
                let _ = CURRENT.try_with(|current| current.set(self.0));
            }
        }
        let before = CURRENT.try_with(|current| current.replace(self)).unwrap_or(ptr::null());
        let _leave = Leave(before);
        f();
    }
}

/// The threads for gangs of one device.
#[derive(Default)]
pub(crate) struct Gangs {
    /// The processors of the threads, if they differ from those of the program.
    cpus: Option<Vec<usize>>,
    idle: Mutex<Vec<Arc<Member>>>,
}

/// A thread that runs work-groups of one gang after another.
#[derive(Default)]
struct Member {
    task: Mutex<Option<Task>>,
    given: Condvar,
}

/// A work-group of a gang.
struct Task {
    gang: *const Gang<'static>,
    group: u64,
}

// SAFETY: the gang is shared between threads, and `Gangs::run` returns only after each task has
// ended.
unsafe impl Send for Task {}

/// A running launch.
struct Gang<'a> {
    run: &'a (dyn Fn(u64) + Sync),
    meeting: Meeting,
    /// The number of threads that have not finished, besides the leader.
    open: AtomicU32,
}

impl Gang<'_> {
    fn run(&self, group: u64) {
        self.meeting.enter(|| (self.run)(group));
    }
}

impl Gangs {
    pub(crate) fn new(cpus: Option<Vec<usize>>) -> Self {
        Self { cpus, idle: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Member>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `run` with each number below `groups`, each on its own thread, and returns when all
    /// have ended. Reports an error, and calls nothing, if a thread cannot be started.
    pub(crate) fn run(&'static self, groups: u64, run: &(dyn Fn(u64) + Sync)) -> Result<()> {
        let Ok(count) = u32::try_from(groups) else {
            let message = format!("{groups} work-groups cannot run at the same time");
            return Err(Error::new(Errc::NdRange, message));
        };
        if count == 0 {
            return Ok(());
        }
        let members = self.take(count as usize - 1)?;
        let meeting =
            Meeting { members: count, arrived: AtomicU32::new(0), round: AtomicU32::new(0) };
        let gang = Gang { run, meeting, open: AtomicU32::new(count - 1) };
        for (member, group) in members.iter().zip(1..) {
            let gang = ptr::from_ref(&gang).cast();
            let mut task = member.task.lock().unwrap_or_else(PoisonError::into_inner);
            *task = Some(Task { gang, group });
            member.given.notify_one();
        }
        gang.run(0);
        loop {
            match gang.open.load(Ordering::Acquire) {
                0 => break,
                open => futex::wait(&gang.open, open),
            }
        }
        self.lock().extend(members);
        Ok(())
    }

    /// Takes idle threads, and starts those that are missing.
    fn take(&'static self, count: usize) -> Result<Vec<Arc<Member>>> {
        let mut taken = {
            let mut idle = self.lock();
            let rest = idle.len().saturating_sub(count);
            idle.split_off(rest)
        };
        while taken.len() < count {
            let member = Arc::<Member>::default();
            let own = member.clone();
            match threads::spawn("scythe-gang", move || self.serve(&own)) {
                Ok(()) => taken.push(member),
                Err(error) => {
                    self.lock().extend(taken);
                    let message = format!(
                        "cannot start {count} threads for work-groups that run at the same time \
                         on the CPU device: {error}"
                    );
                    return Err(Error::new(Errc::Runtime, message));
                }
            }
        }
        Ok(taken)
    }

    fn serve(&self, member: &Member) {
        if let Some(cpus) = &self.cpus {
            processors::bind(cpus);
        }
        loop {
            let mut task = member.task.lock().unwrap_or_else(PoisonError::into_inner);
            let Task { gang, group } = loop {
                match task.take() {
                    Some(task) => break task,
                    None => {
                        task = member.given.wait(task).unwrap_or_else(PoisonError::into_inner);
                    }
                }
            };
            drop(task);
            // SAFETY: the leader keeps the gang until `open` is 0.
            let gang = unsafe { &*gang };
            gang.run(group);
            let open: *const AtomicU32 = &gang.open;
            // SAFETY: the gang exists until this subtraction.
            if unsafe { (*open).fetch_sub(1, Ordering::AcqRel) } == 1 {
                // The leader may have ended: only the address is used.
                futex::wake_address(open);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn members_meet_any_number_of_times_and_threads_are_used_again() {
        let gangs: &'static Gangs = Box::leak(Box::default());
        const ROUNDS: u64 = 300;
        for groups in [1u64, 2, 7, 3] {
            let steps: Vec<AtomicU64> = (0..groups).map(|_| AtomicU64::new(0)).collect();
            let late = AtomicU64::new(0);
            gangs
                .run(groups, &|group| {
                    for round in 0..ROUNDS {
                        steps[group as usize].store(round + 1, Ordering::Relaxed);
                        root_group_wait();
                        let behind = steps.iter().any(|s| s.load(Ordering::Relaxed) < round + 1);
                        late.fetch_add(u64::from(behind), Ordering::Relaxed);
                        root_group_wait();
                    }
                })
                .unwrap();
            assert_eq!(late.load(Ordering::Relaxed), 0, "{groups} groups");
            assert!(steps.iter().all(|s| s.load(Ordering::Relaxed) == ROUNDS));
        }
        assert_eq!(gangs.lock().len(), 6, "threads of the largest gang");
    }

    #[test]
    fn gangs_run_side_by_side() {
        let gangs: &'static Gangs = Box::leak(Box::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let total = AtomicU64::new(0);
                        let run = |group| {
                            total.fetch_add(group, Ordering::Relaxed);
                            root_group_wait();
                            assert_eq!(total.load(Ordering::Relaxed), 10);
                        };
                        gangs.run(5, &run).unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn waits_outside_of_gangs_return() {
        root_group_wait();
    }
}
