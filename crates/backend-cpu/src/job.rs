//! The work of a command in executable form: a number of units. Any thread may run any range of
//! units.
//!
//! [`Job::new`] checks everything that can be checked in advance, so running units cannot fail.
//! Only host tasks return errors.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::{
    Cooperation, CopyBox, Errc, Error, HostKernelWork, HostTask, HostWork, KernelWork, Result, Work,
};
use scythe_trace::{Category, Name};

use crate::barrier;
use crate::check;
use crate::copy;
use crate::debugger::attached::runs_at_submission;
use crate::executor::Executor;
use crate::gang::Gangs;
use crate::graph::Sequence;
use crate::program::{Code, CpuKernel, Sizes};
use crate::sanitize;
use crate::stack;
use crate::tiling::Tiling;

/// The estimated time for a thread to copy one byte, in nanoseconds: 10 GB/s.
const NS_PER_BYTE: f64 = 0.1;

/// The estimated time per work-item of a kernel that has not run yet.
pub(crate) const NS_PER_WORK_ITEM: f64 = 2.0;

#[expect(clippy::large_enum_variant, reason = "nearly all jobs have units")]
pub(crate) enum Job {
    /// No work: the command completes as soon as it is ready.
    Marker,
    /// A host task, for the threads of host tasks. `None` once a thread has taken it.
    HostTask(Option<HostTask>),
    Units(UnitJob),
}

/// A job that several threads can share.
pub(crate) struct UnitJob {
    tiling: Tiling,
    work: UnitWork,
    /// Whether work-items of one group reached different barriers.
    diverged: AtomicBool,
    /// Whether the thread that submits the command runs it, for debuggers.
    at_submission: bool,
    /// The difference between the kernel's two forms, if they are compared, or the reason why the
    /// work-groups could not run at the same time.
    error: OnceLock<Error>,
}

enum UnitWork {
    Kernel {
        work: Box<KernelWork>,
        code: Code,
        sizes: Sizes,
        /// The work-groups, if they run at the same time. They are then one unit of the job.
        gang: Option<Gang>,
    },
    HostKernel {
        work: Box<HostKernelWork>,
    },
    Copy {
        dst: *mut u8,
        src: *const u8,
        region: CopyBox,
    },
    Fill {
        dst: *mut u8,
        pattern: Vec<u8>,
    },
    /// A command of a graph.
    Shared(Arc<UnitJob>),
    /// Several commands of a graph, as one unit.
    Sequence(Arc<Sequence>),
}

/// Work-groups that wait for each other.
struct Gang {
    threads: &'static Gangs,
    /// Each unit is one work-group.
    tiling: Tiling,
}

// SAFETY: only the threads that run units use the addresses inside a job, under the contract of
// `Queue::enqueue`.
unsafe impl Send for UnitJob {}
// SAFETY: running units needs only shared access, and the addresses are used as stated for `Send`.
unsafe impl Sync for UnitJob {}

/// The amount of work of a job, as far as it is known before the job runs.
pub(crate) enum Cost {
    /// A number of work-items of the kernel at the address `code`.
    Kernel {
        code: usize,
        items: u64,
    },
    Nanoseconds(f64),
}

impl Job {
    /// Checks `work` and divides it into units for the threads of `executor`. `local_limit` is the
    /// maximum local memory of a group. `estimate` returns the estimated time in nanoseconds for a
    /// number of work-items of the code at an address, if it is known.
    pub(crate) fn new(
        work: Work,
        executor: &'static Executor,
        local_limit: u64,
        estimate: &dyn Fn(usize, u64) -> Option<f64>,
    ) -> Result<Self> {
        let threads = executor.threads();
        match work {
            Work::Marker | Work::Hint { .. } => Ok(Self::Marker),
            Work::Kernel(work) => kernel_job(work, executor, local_limit, estimate),
            Work::Memcpy { dst, src, size } => {
                let region = CopyBox {
                    width: size,
                    rows: 1,
                    planes: 1,
                    src_row_pitch: size,
                    src_plane_pitch: size,
                    dst_row_pitch: size,
                    dst_plane_pitch: size,
                };
                // A single thread copies ranges that overlap. If several threads copied parts, one
                // part could overwrite the source of another.
                let apart = (dst as usize).abs_diff(src as usize) >= size;
                copy_job(dst, src, region, if apart { threads } else { 1 })
            }
            Work::CopyRect { dst, src, region } => {
                copy_job(dst, src, copy::merge_rows(region), threads)
            }
            Work::Fill { dst, pattern, count } => {
                if pattern.is_empty() {
                    return Ok(Self::Marker);
                }
                if pattern.len().checked_mul(count).is_none() {
                    let message = format!(
                        "a fill with {count} patterns of {} bytes exceeds the address space",
                        pattern.len()
                    );
                    return Err(Error::new(Errc::Invalid, message));
                }
                Self::units(
                    [count as u64, 1, 1],
                    threads,
                    UnitWork::Fill { dst: dst.cast(), pattern },
                )
            }
        }
    }

    /// Checks host work and cuts kernels into units for `threads` threads.
    pub(crate) fn host(work: HostWork, threads: usize) -> Result<Self> {
        match work {
            HostWork::Task(task) => Ok(Self::HostTask(Some(task))),
            HostWork::Kernel(work) => {
                let extent = unit_counts(work.shape, work.global_size, work.local_size)?;
                Self::units(extent, threads, UnitWork::HostKernel { work })
            }
        }
    }

    fn units(extent: [u64; 3], threads: usize, work: UnitWork) -> Result<Self> {
        let Some(tiling) = Tiling::new(extent, threads) else {
            let [x, y, z] = extent;
            let message =
                format!("a range of {x} × {y} × {z} (fastest first) has more than 2^64-1 elements");
            return Err(Error::new(Errc::NdRange, message));
        };
        Ok(if tiling.units() == 0 {
            Self::Marker
        } else {
            Self::Units(UnitJob {
                tiling,
                work,
                diverged: AtomicBool::new(false),
                at_submission: false,
                error: OnceLock::new(),
            })
        })
    }
}

impl UnitJob {
    /// Returns a job that runs the units of `job`.
    pub(crate) fn shared(job: &Arc<Self>) -> Self {
        Self::of(job.tiling, UnitWork::Shared(job.clone()))
    }

    /// Returns a job with one unit, which runs the whole sequence.
    pub(crate) fn sequence(sequence: &Arc<Sequence>) -> Self {
        Self::of(Tiling::single(), UnitWork::Sequence(sequence.clone()))
    }

    fn of(tiling: Tiling, work: UnitWork) -> Self {
        let (diverged, error) = (AtomicBool::new(false), OnceLock::new());
        Self { tiling, work, diverged, at_submission: false, error }
    }

    /// Returns whether [`UnitJob::failure`] would return an error.
    pub(crate) fn has_failed(&self) -> bool {
        self.diverged.load(Ordering::Relaxed) || self.error.get().is_some()
    }

    pub(crate) fn runs_at_submission(&self) -> bool {
        self.at_submission
    }

    pub(crate) fn units(&self) -> u64 {
        self.tiling.units()
    }

    pub(crate) fn cost(&self) -> Cost {
        match &self.work {
            UnitWork::Shared(job) => job.cost(),
            UnitWork::Sequence(_) => Cost::Nanoseconds(0.0),
            // The time of one thread would say nothing about that of other launches.
            UnitWork::Kernel { gang: Some(_), .. } => Cost::Nanoseconds(0.0),
            UnitWork::Kernel { work, code, .. } => {
                Cost::Kernel { code: code.address(), items: volume(work.global_size) }
            }
            UnitWork::HostKernel { work } => {
                Cost::Kernel { code: work.call as usize, items: volume(work.global_size) }
            }
            UnitWork::Copy { region, .. } => Cost::Nanoseconds(
                NS_PER_BYTE * region.width as f64 * region.rows as f64 * region.planes as f64,
            ),
            UnitWork::Fill { pattern, .. } => {
                Cost::Nanoseconds(NS_PER_BYTE * pattern.len() as f64 * self.tiling.items() as f64)
            }
        }
    }

    /// Returns what threads that run the job show in a timeline.
    pub(crate) fn in_timeline(&self) -> (Category, Name) {
        match &self.work {
            UnitWork::Kernel { work, .. } => {
                let kernel = work.kernel.as_any().downcast_ref::<CpuKernel>();
                let name = kernel.map_or_else(|| Name::of("kernel"), CpuKernel::name_in_timeline);
                (Category::Kernel, name)
            }
            UnitWork::HostKernel { .. } => (Category::Kernel, Name::of("kernel in host mode")),
            UnitWork::Copy { .. } => (Category::Copy, Name::of("copy")),
            UnitWork::Fill { .. } => (Category::Fill, Name::of("fill")),
            UnitWork::Shared(job) => job.in_timeline(),
            UnitWork::Sequence(_) => (Category::Graph, Name::of("graph")),
        }
    }

    /// Returns the error of the job, once all units are done. A job of a graph can run again.
    pub(crate) fn failure(&self) -> Option<Error> {
        let work = match &self.work {
            UnitWork::Shared(job) => return job.failure(),
            UnitWork::Sequence(sequence) => return sequence.failure(),
            UnitWork::Kernel { work, .. } => work,
            _ => return self.error.get().cloned(),
        };
        let kernel = work.kernel.as_any().downcast_ref::<CpuKernel>()?;
        if let Some(error) = self.error.get() {
            return Some(error.clone().of_command(Some(kernel.symbol()), work.place));
        }
        self.diverged.swap(false, Ordering::Relaxed).then(|| {
            let message = format!(
                "kernel '{}': work-items of one work-group reached different barriers; all \
                 work-items must reach the same barriers",
                kernel.symbol()
            );
            Error::new(Errc::Kernel, message).of_command(None, work.place)
        })
    }

    /// Runs these units.
    ///
    /// # Safety
    /// The contract of `Queue::enqueue` holds for the addresses in the job, and no unit runs twice.
    pub(crate) unsafe fn run(&self, units: Range<u64>) {
        // These jobs hold no guard themselves, because the jobs inside do.
        match &self.work {
            // SAFETY: the caller guarantees the contract of this function.
            UnitWork::Shared(job) => return unsafe { job.run(units) },
            // SAFETY: the caller guarantees the contract of this function.
            UnitWork::Sequence(sequence) => return unsafe { sequence.run() },
            _ => {}
        }
        let _alone = check::alone();
        match &self.work {
            UnitWork::Shared(_) | UnitWork::Sequence(_) => {}
            UnitWork::Kernel { work, code, sizes, gang } => {
                let Some(kernel) = work.kernel.as_any().downcast_ref::<CpuKernel>() else { return };
                let part = |code: &Code, tiling: &Tiling, units: Range<u64>| {
                    // SAFETY: the caller guarantees that the addresses are valid and that no unit
                    // runs twice. `kernel_job` checked the functor against the launch description.
                    let done = unsafe {
                        let may_fail = gang.is_none();
                        kernel.run(code, work, *sizes, tiling, units, may_fail)
                    };
                    if let Err(error) = done {
                        drop(self.error.set(error));
                    }
                    if barrier::take_report() {
                        self.diverged.store(true, Ordering::Relaxed);
                    }
                    if let Some(error) = sanitize::take_failure() {
                        drop(self.error.set(error));
                    }
                };
                let run = |code: &Code| match gang {
                    None => part(code, &self.tiling, units.clone()),
                    Some(Gang { threads, tiling }) => {
                        let group = |group| part(code, tiling, group..group + 1);
                        if let Err(error) = threads.run(tiling.units(), &group) {
                            drop(self.error.set(error));
                        }
                    }
                };
                match kernel.scalar() {
                    None => run(code),
                    Some(scalar) => {
                        // SAFETY: `_alone` is the guard of `check::alone`, and memory that commands
                        // use is not freed before the commands are complete.
                        match unsafe { check::run(kernel.symbol(), || run(scalar), || run(code)) } {
                            Ok(()) => {}
                            Err(error) => drop(self.error.set(error)),
                        }
                    }
                }
            }
            UnitWork::HostKernel { work } => {
                let mut host_box = HostBox {
                    global_size: work.global_size,
                    global_offset: work.global_offset,
                    local_size: work.local_size,
                    begin: [0; 3],
                    end: [0; 3],
                };
                let run = || {
                    self.tiling.for_each_box(units, |b| {
                        (host_box.begin, host_box.end) = (b.begin, b.end);
                        // SAFETY: `functor` contains the functor that `call` was compiled for, and
                        // the box is valid during the call.
                        unsafe { (work.call)(work.functor.as_ptr().cast(), &host_box) }
                    });
                };
                if let Err(error) = stack::with(stack::HOST_BYTES, run) {
                    let message = format!(
                        "a kernel in host mode needs {} bytes of stack, which cannot be \
                         allocated: {error}",
                        stack::HOST_BYTES
                    );
                    drop(self.error.set(Error::new(Errc::MemoryAllocation, message)));
                }
            }
            UnitWork::Copy { dst, src, region } => self.tiling.for_each_box(units, |b| {
                // SAFETY: the caller guarantees that both regions are valid, and the box is inside
                // of them.
                unsafe { copy::copy_box(*dst, *src, region, b) }
            }),
            UnitWork::Fill { dst, pattern } => self.tiling.for_each_box(units, |b| {
                let (first, count) = (b.begin[0] as usize, (b.end[0] - b.begin[0]) as usize);
                // SAFETY: the caller guarantees that the destination is valid, and `first + count`
                // patterns are inside of it.
                unsafe { copy::fill(dst.add(first * pattern.len()), pattern, count) }
            }),
        }
    }
}

fn kernel_job(
    work: Box<KernelWork>,
    executor: &'static Executor,
    local_limit: u64,
    estimate: &dyn Fn(usize, u64) -> Option<f64>,
) -> Result<Job> {
    let Some(kernel) = work.kernel.as_any().downcast_ref::<CpuKernel>() else {
        let message = "the kernel was built for another backend than that of the queue";
        return Err(Error::new(Errc::BackendMismatch, message));
    };
    let groups = unit_counts(kernel.shape(), work.global_size, work.local_size)?;
    if let Some(required) =
        kernel.required_size().filter(|&r| kernel.shape() == Shape::NdRange && r != work.local_size)
    {
        let ([a, b, c], [x, y, z]) = (work.local_size, required);
        let message = format!(
            "kernel '{}' requires work-groups of {x} × {y} × {z} work-items (fastest first), not \
             {a} × {b} × {c}",
            kernel.symbol()
        );
        return Err(Error::new(Errc::NdRange, message));
    }
    let local_bytes = kernel.local_bytes(&work.functor)?;
    if local_bytes as u64 > local_limit {
        let message = format!(
            "kernel '{}' needs {local_bytes} bytes of local memory, but the device has \
             {local_limit}",
            kernel.symbol()
        );
        return Err(Error::new(Errc::MemoryAllocation, message));
    }
    let items = volume(work.global_size);
    let code = kernel.code(work.local_size, |address| {
        estimate(address, items).unwrap_or(NS_PER_WORK_ITEM * items as f64)
    });
    let alone = kernel.is_alone();
    let is_for_stepping = kernel.is_for_stepping();
    let gang = gang_of(&work, kernel, groups, executor)?;
    let is_gang = gang.is_some();
    let extent = if is_gang { [1; 3] } else { groups };
    let mut job = Job::units(
        extent,
        executor.threads(),
        UnitWork::Kernel { work, code, sizes: Sizes { num_groups: groups, local_bytes }, gang },
    )?;
    if let Job::Units(job) = &mut job {
        if alone {
            job.tiling = job.tiling.undivided();
        }
        // Work-groups that wait for each other need several threads.
        job.at_submission = is_for_stepping && !is_gang && runs_at_submission();
    }
    Ok(job)
}

/// Returns the gang of a launch whose work-groups wait for each other.
fn gang_of(
    work: &KernelWork,
    kernel: &CpuKernel,
    groups: [u64; 3],
    executor: &'static Executor,
) -> Result<Option<Gang>> {
    let count = volume(groups);
    match work.cooperation {
        Cooperation::None => Ok(None),
        Cooperation::Root if count <= 1 => Ok(None),
        Cooperation::Root if count <= executor.threads() as u64 => {
            // There are fewer work-groups than units for this many threads.
            let tiling = Tiling::new(groups, executor.threads());
            Ok(tiling.map(|tiling| Gang { threads: executor.gangs(), tiling }))
        }
        Cooperation::Root => {
            let message = format!(
                "kernel '{}' has {count} work-groups that wait for each other, but the CPU device \
                 runs {} at the same time",
                kernel.symbol(),
                executor.threads()
            );
            Err(Error::new(Errc::NdRange, message))
        }
        Cooperation::Clusters(_) => {
            let message = format!(
                "kernel '{}' has clusters of work-groups, which the CPU device does not have",
                kernel.symbol()
            );
            Err(Error::new(Errc::FeatureNotSupported, message))
        }
    }
}

fn copy_job(dst: *mut c_void, src: *const c_void, region: CopyBox, threads: usize) -> Result<Job> {
    let extent = [region.width as u64, region.rows as u64, region.planes as u64];
    let mut job =
        Job::units(extent, threads, UnitWork::Copy { dst: dst.cast(), src: src.cast(), region })?;
    if let (1, Job::Units(job)) = (threads, &mut job) {
        job.tiling = job.tiling.undivided();
    }
    Ok(job)
}

fn volume(size: [u64; 3]) -> u64 {
    size.iter().fold(1, |n: u64, &s| n.saturating_mul(s))
}

/// The work-groups of a launch, or its work-items where it has no work-groups.
fn unit_counts(shape: Shape, global: [u64; 3], local: [u64; 3]) -> Result<[u64; 3]> {
    match shape {
        Shape::SingleTask => Ok([1; 3]),
        Shape::Range => Ok(global),
        Shape::NdRange => group_counts(global, local),
    }
}

fn group_counts(global: [u64; 3], local: [u64; 3]) -> Result<[u64; 3]> {
    let mut groups = [0; 3];
    for i in 0..3 {
        if local[i] == 0 || !global[i].is_multiple_of(local[i]) {
            let message = format!(
                "the work-group size {} does not divide the global size {} (dimension {i} counted \
                 from the fastest)",
                local[i], global[i]
            );
            return Err(Error::new(Errc::NdRange, message));
        }
        groups[i] = global[i] / local[i];
    }
    Ok(groups)
}
