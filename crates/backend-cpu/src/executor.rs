//! Runs the task graph: worker threads run ready commands, and separate threads run host tasks.
//!
//! * No thread is started before the first command that needs one.
//! * A worker that completes a command continues with one of its followers, in a loop. A chain of
//!   commands therefore needs neither wake-ups nor stack space.
//! * A command whose units are worth sharing is pushed to the queue again, once per thread that may
//!   help. A worker that pops a command starts it, helps with it, or drops it if it is already
//!   complete.
//! * A thread that waits for a command runs the command if no thread has started it, and helps with
//!   it if it is shared. It runs no other command, so it never waits longer than necessary.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use scythe_hal::{Errc, Error, Keep, Result};

use crate::chunk_scheduler::ChunkScheduler;
use crate::cost::CostTable;
use crate::gang::Gangs;
use crate::host_tasks::HostTasks;
use crate::job::{Cost, Job, UnitJob};
use crate::node::{COMPLETE, Kind, Node, READY, RUNNING, Settled, now};
use crate::ready::{ReadyQueue, Searcher};
use crate::timeline::{self, Part};
use crate::{processors, threads};

/// The duration above which work is shared. For shorter work, the other threads would arrive too
/// late.
pub(crate) const SHARE_NS: f64 = 20_000.0;
/// Work that is expected to be short is timed first, on one of this many parts.
const PROBE_PARTS: u64 = 8;
/// The time that a waiting thread polls a command before it sleeps.
const WAIT_NS: u64 = 30_000;
/// The number of polls between two reads of the clock.
const LOOKS: u32 = 16;
/// The number of commands of a chain that a worker runs before it serves other commands.
const CHAIN_LIMIT: u32 = 256;

pub(crate) struct Executor {
    threads: usize,
    /// The processors of the workers, if they differ from those of the program.
    cpus: Option<Vec<usize>>,
    /// Whether waiting threads poll before they sleep. Polling is useless if no other thread can
    /// make progress meanwhile.
    watch: bool,
    ready: ReadyQueue,
    started: OnceLock<Result<()>>,
    costs: CostTable,
    host_tasks: HostTasks,
    gangs: Gangs,
}

/// A thread that runs and completes commands.
pub(crate) struct Runner {
    /// The segment of shared work from which this thread takes units first.
    home: usize,
    worker: Option<WorkerState>,
}

/// The state that only workers have. Other threads leave commands that become ready to the workers.
struct WorkerState {
    searcher: Searcher,
    /// The command that this worker runs next.
    next: Option<Arc<Node>>,
}

impl Runner {
    /// Returns the state of a thread that is not a worker.
    pub(crate) fn guest() -> Self {
        // Any segment works: if a guest takes part, one worker does not.
        Self { home: 0, worker: None }
    }
}

impl Executor {
    /// Creates an executor with this many workers, which are not started yet, on a machine that
    /// gives this process `processors`.
    pub(crate) fn new(threads: usize, processors: usize) -> Self {
        Self::on(threads, processors, None)
    }

    /// Like [`Self::new`], with workers that run only on the processors `cpus`.
    pub(crate) fn on(threads: usize, processors: usize, cpus: Option<Vec<usize>>) -> Self {
        Self {
            threads,
            gangs: Gangs::new(cpus.clone()),
            cpus,
            watch: processors > 1,
            ready: ReadyQueue::new(threads, processors),
            started: OnceLock::new(),
            costs: CostTable::new(),
            host_tasks: HostTasks::new(),
        }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the threads for work-groups that wait for each other.
    pub(crate) fn gangs(&self) -> &Gangs {
        &self.gangs
    }

    /// Submits a command that runs after `deps`.
    pub(crate) fn submit(
        &'static self,
        job: Job,
        deps: &[&Node],
        keep: Keep,
        profiling: bool,
    ) -> Result<Arc<Node>> {
        if matches!(job, Job::Units(_)) {
            self.started.get_or_init(|| self.start()).clone()?;
        }
        let node = Node::new(self, job, keep, profiling);
        self.enter(&node, deps);
        Ok(node)
    }

    /// Submits a command without work that runs after `deps`. Its times begin with the end of
    /// `first`, if there is one.
    pub(crate) fn submit_end(
        &'static self,
        deps: &[&Node],
        keep: Keep,
        first: Option<Arc<Node>>,
    ) -> Result<Arc<Node>> {
        let node = match first {
            Some(first) => Node::end_since(self, keep, first),
            None => Node::new(self, Job::Marker, keep, false),
        };
        self.enter(&node, deps);
        Ok(node)
    }

    fn enter(&'static self, node: &Arc<Node>, deps: &[&Node]) {
        if let Some(ready) = Arc::clone(node).attach(deps) {
            if ready.error().is_none() && ready.runs_at_submission() {
                return self.run_here(ready);
            }
            let mut idle = VecDeque::new();
            self.place(ready, &mut Runner::guest(), &mut idle);
            self.complete_all(idle, &mut Runner::guest());
        }
    }

    fn start(&'static self) -> Result<()> {
        threads::pin_library();
        let spawned = (0..self.threads)
            .map(|index| threads::spawn("scythe-worker", move || self.work(index)));
        let (running, failed): (Vec<_>, Vec<_>) = spawned.partition(std::result::Result::is_ok);
        match failed.into_iter().next() {
            // Fewer workers than requested do all the work, only more slowly.
            Some(Err(error)) if running.is_empty() => {
                let message = format!("cannot start a worker thread for the CPU device: {error}");
                Err(Error::new(Errc::Runtime, message))
            }
            _ => Ok(()),
        }
    }

    // --- Completion
    // -------------------------------------------------------------------------------------------

    /// Completes `node`, which has run, and releases the commands that waited for it.
    pub(crate) fn finish(&'static self, node: Arc<Node>, runner: &mut Runner) {
        // SAFETY: all work of the command is done, and only this thread completes it.
        if let Some(error) = unsafe { node.unit_job() }.and_then(UnitJob::failure) {
            node.fail(error);
        }
        if let Some(worker) = &mut runner.worker
            && worker.next.is_none()
            && node.has_no_followers()
        {
            self.ready.begin_search(&mut worker.searcher);
        }
        let mut idle = VecDeque::new();
        self.complete(node, runner, &mut idle);
        self.complete_all(idle, runner);
    }

    /// Completes the commands in `idle`, and all commands that become ready by that and also have
    /// nothing to run.
    fn complete_all(&'static self, mut idle: VecDeque<Arc<Node>>, runner: &mut Runner) {
        while let Some(node) = idle.pop_front() {
            self.complete(node, runner, &mut idle);
        }
    }

    fn complete(
        &'static self,
        node: Arc<Node>,
        runner: &mut Runner,
        idle: &mut VecDeque<Arc<Node>>,
    ) {
        // SAFETY: every command is completed once, after its work or instead of it, so no other
        // thread uses its body any more.
        let (mut followers, keep) = unsafe { node.complete() };
        while let Some(settled) = followers.settle_next(node.error()) {
            if let Settled::Ready(follower) = settled {
                self.place(follower, runner, idle);
            }
        }
        // Dropped after completion, because the drop may wait for this command.
        if keep.is_some() {
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| drop(keep)));
        }
    }

    /// Puts a command without pending dependencies into the queue that will run it, or into `idle`
    /// if it has nothing to run.
    fn place(&'static self, node: Arc<Node>, runner: &mut Runner, idle: &mut VecDeque<Arc<Node>>) {
        if node.error().is_some() || node.kind() == Kind::Marker {
            return idle.push_back(node);
        }
        if node.kind() == Kind::HostTask {
            if let Err((node, error)) = self.host_tasks.push(self, node) {
                node.fail(error);
                idle.push_back(node);
            }
            return;
        }
        node.set_ready();
        match &mut runner.worker {
            Some(worker) if worker.next.is_none() => worker.next = Some(node),
            _ => self.ready.push_one(node),
        }
    }

    // --- Running
    // -------------------------------------------------------------------------------------------

    fn work(&'static self, index: usize) {
        if let Some(cpus) = &self.cpus {
            processors::bind(cpus);
        }
        timeline::name_worker(index);
        let state = WorkerState { searcher: self.ready.searcher(index), next: None };
        let mut runner = Runner { home: index, worker: Some(state) };
        let mut chain = 0;
        while let Some(worker) = &mut runner.worker {
            let node = match worker.next.take() {
                Some(node) if chain < CHAIN_LIMIT => {
                    chain += 1;
                    self.ready.end_search(&mut worker.searcher);
                    node
                }
                others_turn => {
                    if let Some(node) = others_turn {
                        self.ready.push_one(node);
                    }
                    chain = 0;
                    self.ready.next(&mut worker.searcher)
                }
            };
            self.run(node, &mut runner);
        }
    }

    /// Runs all of a command without pending dependencies, which no other thread knows, in order.
    fn run_here(&'static self, node: Arc<Node>) {
        node.set_ready();
        // SAFETY: this thread has claimed the command.
        if let (true, Some(job)) = (node.claim(), unsafe { node.unit_job() }) {
            // SAFETY: the command is claimed and none of its units has run, so no unit runs twice.
            unsafe { job.run(0..job.units()) };
            self.finish(node, &mut Runner::guest());
        }
    }

    /// Starts `node`, helps with it, or drops it.
    fn run(&'static self, node: Arc<Node>, runner: &mut Runner) {
        if node.claim() {
            self.lead(node, runner);
        } else if node.phase() == RUNNING && node.scheduler().is_some_and(ChunkScheduler::join) {
            self.take_part(node, runner);
        }
    }

    /// Runs a command that this thread has claimed, either alone or as the first of several
    /// threads.
    fn lead(&'static self, node: Arc<Node>, runner: &mut Runner) {
        // SAFETY: this thread has claimed the command, and uses the job only until it shares or
        // finishes the command.
        let Some(job) = (unsafe { node.unit_job() }) else { return self.finish(node, runner) };
        let units = job.units();
        let part = Part::of(job);
        // SAFETY: the command is claimed and none of its units has run, so no unit runs twice.
        let done = unsafe { self.run_alone(job, units) };
        if done == 0 {
            Part::cancel(part)
        } else {
            drop(part)
        }
        if done == units {
            return self.finish(node, runner);
        }
        let wanted = node.set_scheduler(ChunkScheduler::new(done..units, self.threads)).wanted();
        self.ready.push(std::iter::repeat_with(|| Arc::clone(&node)).take(wanted));
        self.take_part(node, runner);
    }

    /// Runs all units if that is quick, otherwise as many as were needed to find out. Returns their
    /// number.
    ///
    /// # Safety
    /// As for [`UnitJob::run`], for all units.
    unsafe fn run_alone(&self, job: &UnitJob, units: u64) -> u64 {
        if self.threads == 1 || units == 1 {
            let start = now();
            // SAFETY: the contract of this function covers all units.
            unsafe { job.run(0..units) };
            self.record(job, now() - start);
            return units;
        }
        let expected = match job.cost() {
            Cost::Kernel { code, items } => self.costs.estimate(code, items),
            Cost::Nanoseconds(ns) => Some(ns),
        };
        // Nothing is known about a kernel's first launch. Sharing a short launch costs less than
        // not sharing a long one.
        if expected.is_none_or(|ns| ns > SHARE_NS) {
            return 0;
        }
        let start = now();
        let probe = (units / PROBE_PARTS).max(1);
        // SAFETY: the contract of this function covers all units.
        unsafe { job.run(0..probe) };
        let spent = (now() - start) as f64;
        if spent / probe as f64 * (units - probe) as f64 > SHARE_NS {
            return probe;
        }
        // SAFETY: the contract of this function covers all units, and these units have not run yet.
        unsafe { job.run(probe..units) };
        self.record(job, now() - start);
        units
    }

    /// Returns the estimated time of `items` work-items of the kernel at `code`, in nanoseconds of
    /// one thread, or `None` if the kernel has not run yet.
    pub(crate) fn estimate(&self, code: usize, items: u64) -> Option<f64> {
        self.costs.estimate(code, items)
    }

    pub(crate) fn record(&self, job: &UnitJob, ns: u64) {
        if let Cost::Kernel { code, items } = job.cost() {
            self.costs.record(code, items, ns);
        }
    }

    /// Runs units of a shared command until none are left. The thread that runs the last unit
    /// finishes the command.
    fn take_part(&'static self, node: Arc<Node>, runner: &mut Runner) {
        let Some(scheduler) = node.scheduler() else { return };
        let mut start = now();
        let mut part = None;
        while let Some(units) = scheduler.take(runner.home) {
            let count = units.end - units.start;
            // SAFETY: this thread holds units that have not run, so the command cannot be finished.
            let Some(job) = (unsafe { node.unit_job() }) else { return };
            if part.is_none() {
                part = Part::of(job);
            }
            // SAFETY: the scheduler gave these units to this thread only.
            unsafe { job.run(units) };
            let end = now();
            scheduler.add_busy(end - start);
            start = end;
            if scheduler.done(count) {
                // All units are done, and only this thread knows that. The job stays valid until
                // this thread finishes the command.
                self.record(job, scheduler.busy());
                drop(part);
                return self.finish(node, runner);
            }
        }
    }

    // --- Waiting
    // -------------------------------------------------------------------------------------------

    /// Returns once `node` has completed.
    pub(crate) fn wait(&'static self, node: &Node) {
        let mut helped = false;
        let mut end = None;
        loop {
            for _ in 0..LOOKS {
                match node.phase() {
                    COMPLETE => return,
                    READY if node.claim() => self.lead(node.arc(), &mut Runner::guest()),
                    RUNNING if !helped && node.scheduler().is_some() => {
                        helped = true;
                        if node.scheduler().is_some_and(ChunkScheduler::join) {
                            self.take_part(node.arc(), &mut Runner::guest());
                        }
                    }
                    _ => std::hint::spin_loop(),
                }
            }
            let time = now();
            if !self.watch || time >= *end.get_or_insert(time + WAIT_NS) {
                return node.sleep();
            }
        }
    }
}
