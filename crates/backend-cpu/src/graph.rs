//! Graphs of commands that are prepared once.
//!
//! Short commands cost less than their administration. A launch therefore divides the graph into
//! tasks: a command that is worth sharing between threads is one task, and short commands that
//! depend on each other are a sequence, which one thread runs in order without any administration
//! in between. Independent short commands are combined up to [`BIN_NS`].
//!
//! The division depends on the times of kernels, which are known only after they have run. A
//! sequence measures its commands when it first runs, and the graph is divided anew before some of
//! its first launches.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scythe_hal::{Errc, Error, Event, Graph, GraphNode, Keep, Result, Work};

use crate::executor::{Executor, SHARE_NS};
use crate::job::{Cost, Job, NS_PER_WORK_ITEM, UnitJob};
use crate::node::{Node, now};
use crate::timeline::Part;

/// The time up to which independent short commands are combined.
const BIN_NS: f64 = 20_000.0;
/// The time from which a sequence with parallel parts is not worth it.
const SEQUENCE_NS: f64 = 100_000.0;
/// The launches before which the graph is divided anew.
const DIVISIONS: [u32; 4] = [1, 2, 16, 256];

pub(crate) struct CpuGraph {
    executor: &'static Executor,
    local_limit: u64,
    deps: Vec<Vec<usize>>,
    launches: AtomicU32,
    state: Mutex<State>,
}

struct State {
    /// The work of each node. Running launches keep their own references.
    jobs: Vec<Option<Arc<UnitJob>>>,
    tasks: Option<Arc<[Task]>>,
}

/// A command of the executor.
struct Task {
    deps: Vec<usize>,
    is_leaf: bool,
    run: Run,
}

enum Run {
    Marker,
    Shared(Arc<UnitJob>),
    Sequence(Arc<Sequence>),
}

/// Commands that one thread runs in order.
pub(crate) struct Sequence {
    executor: &'static Executor,
    jobs: Vec<Arc<UnitJob>>,
    measured: AtomicBool,
}

impl Sequence {
    /// Runs all commands, or those up to the first that fails.
    ///
    /// # Safety
    /// As for [`UnitJob::run`], for all units of all jobs.
    pub(crate) unsafe fn run(&self) {
        let measure = !self.measured.swap(true, Ordering::Relaxed);
        for job in &self.jobs {
            let start = if measure { now() } else { 0 };
            let part = Part::of(job);
            // SAFETY: the caller guarantees the contract of `UnitJob::run`.
            unsafe { job.run(0..job.units()) };
            drop(part);
            if measure {
                self.executor.record(job, now() - start);
            }
            if job.has_failed() {
                return;
            }
        }
    }

    pub(crate) fn failure(&self) -> Option<Error> {
        self.jobs.iter().find_map(|job| job.failure())
    }
}

impl CpuGraph {
    pub(crate) fn new(
        executor: &'static Executor,
        local_limit: u64,
        nodes: &[GraphNode],
    ) -> Result<Self> {
        let jobs = nodes
            .iter()
            .map(|node| job(executor, local_limit, &node.work))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            executor,
            local_limit,
            deps: nodes.iter().map(|node| node.deps.clone()).collect(),
            launches: AtomicU32::new(0),
            state: Mutex::new(State { jobs, tasks: None }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Launches the graph after `deps`.
    pub(crate) fn launch(
        &self,
        deps: &[&Node],
        keep: Keep,
        profiling: bool,
    ) -> Result<Arc<dyn Event>> {
        let launch = self.launches.fetch_add(1, Ordering::Relaxed);
        let tasks = {
            let mut state = self.lock();
            if DIVISIONS.contains(&launch) {
                state.tasks = None;
            }
            match &state.tasks {
                Some(tasks) => tasks.clone(),
                None => {
                    let divided: Arc<[Task]> = self.divide(&state.jobs).into();
                    state.tasks = Some(divided.clone());
                    divided
                }
            }
        };
        let executor = self.executor;
        if let [task] = &tasks[..] {
            return Ok(executor.submit(task.job(), deps, keep, profiling)?);
        }
        // The times of the launch are those between two markers.
        let first = match profiling {
            true => Some(executor.submit(Job::Marker, deps, None, true)?),
            false => None,
        };
        let mut sent: Vec<Arc<Node>> = Vec::with_capacity(tasks.len());
        for task in &tasks[..] {
            let before: Vec<&Node> = match (&first, task.deps.is_empty()) {
                (Some(first), true) => vec![first],
                (None, true) => deps.to_vec(),
                _ => task.deps.iter().map(|&before| &*sent[before]).collect(),
            };
            sent.push(executor.submit(task.job(), &before, None, false)?);
        }
        let leaves = tasks.iter().zip(&sent).filter(|(task, _)| task.is_leaf);
        let mut leaves: Vec<&Node> = leaves.map(|(_, node)| &**node).collect();
        if leaves.is_empty() {
            leaves.extend_from_slice(deps);
        }
        Ok(executor.submit_end(&leaves, keep, first)?)
    }

    /// Divides the graph into tasks. Each task follows those it depends on.
    fn divide(&self, jobs: &[Option<Arc<UnitJob>>]) -> Vec<Task> {
        let count = jobs.len();
        let times: Vec<f64> = jobs.iter().map(|job| self.time(job.as_deref())).collect();
        let large: Vec<bool> = jobs
            .iter()
            .zip(&times)
            .map(|(job, &time)| {
                let units = job.as_ref().map_or(0, |job| job.units());
                time > SHARE_NS && units > 1 && self.executor.threads() > 1
            })
            .collect();
        // Edges between a large command and another one lead to a later stage, and no edge leads to
        // an earlier stage.
        let mut stages: Vec<usize> = Vec::with_capacity(count);
        for (node, deps) in self.deps.iter().enumerate() {
            let stage =
                |&before: &usize| stages[before] + usize::from(large[node] || large[before]);
            stages.push(deps.iter().map(stage).max().unwrap_or(0));
        }
        let mut groups = Groups::new(count);
        for node in (0..count).filter(|&node| !large[node]) {
            for &before in &self.deps[node] {
                if !large[before] && stages[before] == stages[node] {
                    groups.join(before, node);
                }
            }
        }
        let mut total = vec![0.0; count];
        let mut longest = vec![0.0f64; count];
        let mut paths = vec![0.0f64; count];
        for (node, deps) in self.deps.iter().enumerate() {
            let group = groups.of(node);
            let inside = deps.iter().filter(|&&before| groups.find(before) == group);
            let before = inside.map(|&before| paths[before]).fold(0.0, f64::max);
            paths[node] = before + times[node];
            total[group] += times[node];
            longest[group] = longest[group].max(paths[node]);
        }
        // The members of each task by the stage and the first member.
        let mut members: std::collections::BTreeMap<(usize, usize), Vec<usize>> =
            Default::default();
        for (node, &stage) in stages.iter().enumerate() {
            let group = groups.of(node);
            let apart = total[group] > SEQUENCE_NS && longest[group] * 1.5 < total[group];
            let first = if apart { node } else { group };
            members.entry((stage, first)).or_default().push(node);
        }
        let mut bins: Vec<(usize, f64, Vec<usize>)> = Vec::new();
        let mut open: Option<usize> = None;
        for ((stage, _), nodes) in members {
            let time: f64 = nodes.iter().map(|&node| times[node]).sum();
            let group = groups.of(nodes[0]);
            let closed = large[nodes[0]] || nodes.len() == 1 && total[group] > time;
            match open.filter(|&at| bins[at].0 == stage && bins[at].1 + time <= BIN_NS && !closed) {
                Some(at) => {
                    bins[at].1 += time;
                    bins[at].2.extend(nodes);
                }
                None => {
                    if !closed {
                        open = Some(bins.len());
                    }
                    bins.push((stage, time, nodes));
                }
            }
        }
        let mut place = vec![0; count];
        for (task, (_, _, nodes)) in bins.iter().enumerate() {
            nodes.iter().for_each(|&node| place[node] = task);
        }
        let mut is_leaf = vec![true; bins.len()];
        let mut tasks: Vec<Task> = Vec::with_capacity(bins.len());
        for (task, (_, _, mut nodes)) in bins.into_iter().enumerate() {
            nodes.sort_unstable();
            let outside = nodes.iter().flat_map(|&node| &self.deps[node]);
            let mut deps: Vec<usize> =
                outside.map(|&before| place[before]).filter(|&before| before != task).collect();
            deps.sort_unstable();
            deps.dedup();
            deps.iter().for_each(|&before| is_leaf[before] = false);
            let mut found: Vec<Arc<UnitJob>> =
                nodes.iter().filter_map(|&node| jobs[node].clone()).collect();
            let run = match found.len() {
                0 => Run::Marker,
                1 => found.pop().map_or(Run::Marker, Run::Shared),
                _ => Run::Sequence(Arc::new(Sequence {
                    executor: self.executor,
                    jobs: found,
                    measured: AtomicBool::new(false),
                })),
            };
            tasks.push(Task { deps, is_leaf: true, run });
        }
        tasks.iter_mut().zip(is_leaf).for_each(|(task, leaf)| task.is_leaf = leaf);
        tasks
    }

    fn time(&self, job: Option<&UnitJob>) -> f64 {
        match job.map(UnitJob::cost) {
            None => 0.0,
            Some(Cost::Nanoseconds(time)) => time,
            Some(Cost::Kernel { code, items }) => {
                self.executor.estimate(code, items).unwrap_or(NS_PER_WORK_ITEM * items as f64)
            }
        }
    }
}

impl Task {
    fn job(&self) -> Job {
        match &self.run {
            Run::Marker => Job::Marker,
            Run::Shared(job) => Job::Units(UnitJob::shared(job)),
            Run::Sequence(sequence) => Job::Units(UnitJob::sequence(sequence)),
        }
    }
}

/// Makes the job of a command, or `None` if it has nothing to run.
fn job(executor: &'static Executor, local_limit: u64, work: &Work) -> Result<Option<Arc<UnitJob>>> {
    let estimate = |code, items| executor.estimate(code, items);
    match Job::new(work.clone(), executor, local_limit, &estimate)? {
        Job::Units(job) => Ok(Some(Arc::new(job))),
        Job::Marker => Ok(None),
        Job::HostTask(_) => Err(Error::new(Errc::Runtime, "a graph contains host code")),
    }
}

impl Graph for CpuGraph {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn update(&self, changes: &[(usize, &Work)]) -> Result<bool> {
        let made = changes
            .iter()
            .map(|&(node, work)| Ok((node, job(self.executor, self.local_limit, work)?)))
            .collect::<Result<Vec<_>>>()?;
        let mut state = self.lock();
        for (node, job) in made {
            state.jobs[node] = job;
        }
        state.tasks = None;
        Ok(true)
    }
}

/// Disjoint sets of nodes. The smallest member represents a set.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn find(&self, mut node: usize) -> usize {
        while self.0[node] != node {
            node = self.0[node];
        }
        node
    }

    fn of(&mut self, node: usize) -> usize {
        let first = self.find(node);
        self.0[node] = first;
        first
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_by_their_smallest_member() {
        let mut groups = Groups::new(6);
        groups.join(4, 5);
        groups.join(1, 4);
        groups.join(2, 3);
        assert_eq!((0..6).map(|node| groups.of(node)).collect::<Vec<_>>(), [0, 1, 2, 2, 1, 1]);
    }
}
