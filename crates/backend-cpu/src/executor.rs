//! Runs the task graph: worker threads take ready commands, and threads of their own run host
//! tasks.
//!
//! * No thread is started before the first command that needs one.
//! * A worker that completes a command goes on with one of its followers itself, from a loop: a
//!   chain of commands needs no wake-ups and no stack.
//! * A command whose units are worth sharing is put into the queue again, once per thread that may
//!   help; what a worker finds there it starts, helps with, or (when done by then) drops.
//! * A thread that waits for a command runs it if nobody has begun, and helps with it if it is
//!   shared; it runs no other command, so it never waits longer than it must.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use scythe_hal::{Errc, Error, Result};

use crate::cost::CostTable;
use crate::host_tasks::HostTasks;
use crate::job::{Cost, Job, UnitJob};
use crate::node::{COMPLETE, Keep, Kind, Node, READY, RUNNING, Settled, now};
use crate::ready::{ReadyQueue, Searcher};
use crate::share::Share;
use crate::{processors, threads};

/// Work that takes longer than this is shared: with less, the others would come too late.
const SHARE_NS: f64 = 20_000.0;
/// Of work expected to be short, this part is done first and timed.
const PROBE_PARTS: u64 = 8;
/// How long a thread that waits for a command watches it before it sleeps.
const WAIT_NS: u64 = 30_000;
/// Looks at a command between two looks at the clock.
const LOOKS: u32 = 16;
/// Commands that a worker follows along a chain before it lets others have a turn.
const CHAIN_LIMIT: u32 = 256;

pub(crate) struct Executor {
    threads: usize,
    /// What the workers run on, where it is not what the program does.
    cpus: Option<Vec<usize>>,
    /// Waiting threads watch before they sleep; pointless where no other thread could make progress
    /// meanwhile.
    watch: bool,
    ready: ReadyQueue,
    started: OnceLock<Result<()>>,
    costs: CostTable,
    host_tasks: HostTasks,
}

/// A thread that runs and completes commands.
pub(crate) struct Runner {
    /// The segment of shared work that this thread begins with.
    home: usize,
    worker: Option<WorkerState>,
}

/// What only workers have: other threads leave what becomes ready to them.
struct WorkerState {
    searcher: Searcher,
    /// The command that this worker runs next.
    next: Option<Arc<Node>>,
}

impl Runner {
    /// A thread that is not a worker.
    pub(crate) fn guest() -> Self {
        // Any segment will do: where a guest takes part, one worker stays away.
        Self { home: 0, worker: None }
    }
}

impl Executor {
    /// An executor with this many workers (not started yet) on a machine that gives us
    /// `processors`.
    pub(crate) fn new(threads: usize, processors: usize) -> Self {
        Self::on(threads, processors, None)
    }

    /// The same with workers that run on these processors only.
    pub(crate) fn on(threads: usize, processors: usize, cpus: Option<Vec<usize>>) -> Self {
        Self {
            threads,
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
        if let Some(ready) = Arc::clone(&node).attach(deps) {
            let mut idle = VecDeque::new();
            self.place(ready, &mut Runner::guest(), &mut idle);
            self.complete_all(idle, &mut Runner::guest());
        }
        Ok(node)
    }

    fn start(&'static self) -> Result<()> {
        threads::pin_library();
        let spawned = (0..self.threads)
            .map(|index| threads::spawn("scythe-worker", move || self.work(index)));
        let (running, failed): (Vec<_>, Vec<_>) = spawned.partition(std::result::Result::is_ok);
        match failed.into_iter().next() {
            // Fewer workers than wanted do all the work, only more slowly.
            Some(Err(error)) if running.is_empty() => {
                let message = format!("cannot start a worker thread for the CPU device: {error}");
                Err(Error::new(Errc::Runtime, message))
            }
            _ => Ok(()),
        }
    }

    // --- Completion
    // -------------------------------------------------------------------------------------------

    /// `node` has run: completes it and releases what waited for it.
    pub(crate) fn finish(&'static self, node: Arc<Node>, runner: &mut Runner) {
        // SAFETY: all the command's work is done, and only this thread completes it.
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

    /// Completes the commands of `idle`, and all that become ready by that and have nothing to run
    /// either.
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
        // SAFETY: a command comes here once: after its work, or instead of it.
        let (mut followers, keep) = unsafe { node.complete() };
        while let Some(settled) = followers.settle_next(node.error()) {
            if let Settled::Ready(follower) = settled {
                self.place(follower, runner, idle);
            }
        }
        // After completion, because what is kept may wait for this very command when it is dropped.
        if keep.is_some() {
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| drop(keep)));
        }
    }

    /// Puts a command that waits for nothing where it will be run; in `idle` when there is nothing
    /// to run.
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

    /// Starts `node`, helps with it, or drops it.
    fn run(&'static self, node: Arc<Node>, runner: &mut Runner) {
        if node.claim() {
            self.lead(node, runner);
        } else if node.phase() == RUNNING && node.share().is_some_and(Share::join) {
            self.take_part(node, runner);
        }
    }

    /// Runs a command that this thread has claimed: alone, or as the first of several.
    fn lead(&'static self, node: Arc<Node>, runner: &mut Runner) {
        // SAFETY: this thread has claimed the command, and uses the job only until it shares or
        // finishes it.
        let Some(job) = (unsafe { node.unit_job() }) else { return self.finish(node, runner) };
        let units = job.units();
        // SAFETY: the command is claimed and none of its units has been done.
        let done = unsafe { self.run_alone(job, units) };
        if done == units {
            return self.finish(node, runner);
        }
        let wanted = node.set_share(Share::new(done..units, self.threads)).wanted();
        self.ready.push(std::iter::repeat_with(|| Arc::clone(&node)).take(wanted));
        self.take_part(node, runner);
    }

    /// Does all units where that is quick, else as many as it took to find out; returns their
    /// number.
    ///
    /// # Safety
    /// As for [`UnitJob::run`], for all units.
    unsafe fn run_alone(&self, job: &UnitJob, units: u64) -> u64 {
        if self.threads == 1 || units == 1 {
            let start = now();
            // SAFETY: the caller's contract.
            unsafe { job.run(0..units) };
            self.record(job, now() - start);
            return units;
        }
        let expected = match job.cost() {
            Cost::Kernel { code, items } => self.costs.estimate(code, items),
            Cost::Nanoseconds(ns) => Some(ns),
        };
        // Nothing is known of a kernel's first launch: sharing a short one costs less than not
        // sharing a long one.
        if expected.is_none_or(|ns| ns > SHARE_NS) {
            return 0;
        }
        let start = now();
        let probe = (units / PROBE_PARTS).max(1);
        // SAFETY: the caller's contract.
        unsafe { job.run(0..probe) };
        let spent = (now() - start) as f64;
        if spent / probe as f64 * (units - probe) as f64 > SHARE_NS {
            return probe;
        }
        // SAFETY: the caller's contract; these are the remaining units.
        unsafe { job.run(probe..units) };
        self.record(job, now() - start);
        units
    }

    /// What `items` work-items of the kernel at `code` may take, in nanoseconds of one thread;
    /// `None` when it has not run yet.
    pub(crate) fn estimate(&self, code: usize, items: u64) -> Option<f64> {
        self.costs.estimate(code, items)
    }

    fn record(&self, job: &UnitJob, ns: u64) {
        if let Cost::Kernel { code, items } = job.cost() {
            self.costs.record(code, items, ns);
        }
    }

    /// Does units of a shared command until there are none left; finishes the command if it did the
    /// last.
    fn take_part(&'static self, node: Arc<Node>, runner: &mut Runner) {
        let Some(share) = node.share() else { return };
        let mut start = now();
        while let Some(units) = share.take(runner.home) {
            let count = units.end - units.start;
            // SAFETY: this thread holds units that are not done, so the command cannot be finished.
            let Some(job) = (unsafe { node.unit_job() }) else { return };
            // SAFETY: the share gave these units to this thread alone.
            unsafe { job.run(units) };
            let end = now();
            share.add_busy(end - start);
            start = end;
            if share.done(count) {
                // All units are done and this thread alone knows: the job stays until it finishes
                // the command.
                self.record(job, share.busy());
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
                    RUNNING if !helped && node.share().is_some() => {
                        helped = true;
                        if node.share().is_some_and(Share::join) {
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
