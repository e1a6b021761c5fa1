//! Turns the nodes of an executable graph into steps for the backends.
//!
//! Commands of the device that no host code separates form one prepared graph of the backend
//! ([`hal::Graph`]). Host tasks, kernels of host mode, and all commands on backends without graphs
//! are single steps.
//!
//! The number of changes between device and host on the longest path to a node is its stage. Edges
//! never lead to an earlier stage, so the device commands of one stage can be launched as a unit.

use std::collections::BTreeSet;
use std::sync::Arc;

use scythe_hal::{self as hal, GraphNode, HostKernelWork, HostWork, Keep, KernelWork, Work};

use super::body::{Content, RepeatedTask};
use super::exec::Flat;
use crate::copy;
use crate::copy::{View, ViewPlace};
use crate::dispatch::{BackendQueue, HostBackendQueue, Job};
use crate::launch::{Placed, find, place_accessors};
use crate::platform::Device;
use crate::registry::ReadyKernel;
use crate::{Result, invalid};

/// A part of a launch.
pub struct Step {
    pub deps: Vec<usize>,
    run: Run,
}

enum Run {
    Graph(Arc<dyn hal::Graph>),
    Plain(Work),
    Kernel(Arc<ReadyKernel>, Box<KernelWork>),
    HostKernel(Box<HostKernelWork>),
    HostTask(Arc<RepeatedTask>),
}

/// The steps of a graph for certain addresses of its buffers.
pub struct Plan {
    pub steps: Vec<Step>,
    /// What the works refer to.
    _keep: Vec<Keep>,
    /// For each node the place of its work in a graph of the backend: step and index.
    places: Vec<Option<(usize, usize)>>,
}

impl Step {
    /// Returns the job of the step.
    pub fn job<'a>(&self, device: &'a BackendQueue, host: &'a HostBackendQueue) -> Job<'a> {
        match &self.run {
            Run::Graph(graph) => Job::Graph(device, graph.clone()),
            Run::Plain(work) => Job::Plain(device, work.clone()),
            Run::Kernel(kernel, work) => {
                Job::Kernel { backend_queue: device, work: work.clone(), kernel: kernel.clone() }
            }
            Run::HostKernel(work) => Job::Host(
                host,
                HostWork::Kernel(Box::new(HostKernelWork {
                    functor: work.functor.clone(),
                    ..**work
                })),
            ),
            Run::HostTask(task) => {
                let task = task.clone();
                let run = move || {
                    task.run();
                    Ok(())
                };
                Job::Host(host, HostWork::Task(Box::new(run)))
            }
        }
    }
}

/// The backend's work for one node: nothing, or a chain of commands.
struct Chain {
    works: Vec<(Work, Keep)>,
    kernel: Option<Arc<ReadyKernel>>,
}

/// Makes the device work of a node.
fn chain(content: &Content, placed: &[Placed<'_>]) -> Result<Chain> {
    let mut kernel_of = None;
    let works = match content {
        Content::Kernel { kernel, functor, ranges, place } if !ranges.is_empty() => {
            let mut functor = functor.clone();
            place_accessors(&mut functor, kernel.accessors(), kernel.symbol(), placed)?;
            kernel_of = Some(kernel.clone());
            let work = KernelWork {
                kernel: kernel.clone(),
                functor,
                dims: ranges.dims,
                global_size: ranges.global_size,
                local_size: ranges.local_size,
                global_offset: ranges.global_offset,
                cooperation: ranges.cooperation,
                place: *place,
            };
            vec![(Work::Kernel(Box::new(work)), None)]
        }
        Content::Plain(work) => vec![(work.clone(), None)],
        Content::Copy { dst, src } => {
            let steps = copy::copy(dst, base(dst, placed)?, src, base(src, placed)?)?;
            std::iter::once(steps.first).chain(steps.rest).collect()
        }
        Content::Fill { dst, pattern } => {
            let steps = copy::fill(dst, base(dst, placed)?, pattern.clone())?;
            std::iter::once(steps.first).chain(steps.rest).collect()
        }
        _ => vec![(Work::Marker, None)],
    };
    Ok(Chain { works, kernel: kernel_of })
}

fn base(view: &View<'_>, placed: &[Placed<'_>]) -> Result<*mut u8> {
    match view.place {
        ViewPlace::Address(ptr) => Ok(ptr),
        ViewPlace::Buffer(buffer) => find(placed, buffer)
            .ok_or_else(|| invalid("a node of a graph uses a buffer that it does not require")),
    }
}

/// Returns the stage of each node.
fn stages(flat: &Flat) -> Vec<usize> {
    let mut stages = Vec::with_capacity(flat.nodes.len());
    for node in &flat.nodes {
        let on_host = node.content.is_on_host();
        let stage = |&before: &usize| {
            stages[before] + usize::from(on_host || flat.nodes[before].content.is_on_host())
        };
        stages.push(node.deps.iter().map(stage).max().unwrap_or(0));
    }
    stages
}

impl Plan {
    /// Makes the plan of a graph whose buffers have the addresses in `placed`.
    ///
    /// # Safety
    /// Addresses in the nodes must be valid whenever the plan is launched.
    pub unsafe fn new(flat: &Flat, device: &Device, placed: &[Placed<'_>]) -> Result<Self> {
        let stages = stages(flat);
        let mut plan =
            Self { steps: Vec::new(), _keep: Vec::new(), places: vec![None; flat.nodes.len()] };
        // The steps after which a node has run.
        let mut ends: Vec<usize> = vec![usize::MAX; flat.nodes.len()];
        let last = stages.iter().copied().max().unwrap_or(0);
        for stage in 0..=last {
            // Host code of a stage precedes its device commands: a host task with a device command
            // in the same stage never waits for it.
            let members: Vec<usize> =
                (0..flat.nodes.len()).filter(|&node| stages[node] == stage).collect();
            let (host, on_device): (Vec<usize>, Vec<usize>) =
                members.into_iter().partition(|&node| flat.nodes[node].content.is_on_host());
            for node in host {
                let deps = plan.steps_before(flat, node, &ends);
                let run = match &*flat.nodes[node].content {
                    Content::HostTask(task) => Run::HostTask(task.clone()),
                    Content::HostKernel { call, functor, ranges } if !ranges.is_empty() => {
                        Run::HostKernel(Box::new(HostKernelWork {
                            call: *call,
                            functor: functor.clone(),
                            shape: ranges.shape,
                            global_size: ranges.global_size,
                            local_size: ranges.local_size,
                            global_offset: ranges.global_offset,
                        }))
                    }
                    _ => Run::Plain(Work::Marker),
                };
                ends[node] = plan.steps.len();
                plan.steps.push(Step { deps, run });
            }
            if !on_device.is_empty() {
                // SAFETY: the caller satisfies the contract of `add_device`.
                unsafe { plan.add_device(flat, device, placed, &on_device, &mut ends) }?;
            }
        }
        Ok(plan)
    }

    /// Adds the device commands of one stage.
    ///
    /// # Safety
    /// As for [`Plan::new`].
    unsafe fn add_device(
        &mut self,
        flat: &Flat,
        device: &Device,
        placed: &[Placed<'_>],
        members: &[usize],
        ends: &mut [usize],
    ) -> Result<()> {
        let chains: Vec<Chain> = members
            .iter()
            .map(|&node| chain(&flat.nodes[node].content, placed))
            .collect::<Result<_>>()?;
        let count: usize = chains.iter().map(|chain| chain.works.len()).sum();
        if count > 1 {
            let mut nodes: Vec<GraphNode> = Vec::with_capacity(count);
            let mut last = vec![None; flat.nodes.len()];
            let mut firsts = vec![0; flat.nodes.len()];
            let mut outer = BTreeSet::new();
            for (&node, chain) in members.iter().zip(&chains) {
                let mut deps = Vec::new();
                for &before in &flat.nodes[node].deps {
                    match last[before] {
                        Some(index) => deps.push(index),
                        None => drop(outer.insert(ends[before])),
                    }
                }
                firsts[node] = nodes.len();
                for (work, _) in &chain.works {
                    let index = nodes.len();
                    nodes.push(GraphNode { work: work.clone(), deps: std::mem::take(&mut deps) });
                    deps.push(index);
                    last[node] = Some(index);
                }
            }
            // SAFETY: the caller guarantees the contract of `Plan::new`.
            if let Some(graph) = unsafe { device.hal.create_graph(&nodes) }? {
                let step = self.steps.len();
                for (&node, chain) in members.iter().zip(chains) {
                    ends[node] = step;
                    self.places[node] = (chain.works.len() == 1).then_some((step, firsts[node]));
                    self._keep.extend(chain.works.into_iter().map(|(_, keep)| keep));
                }
                let deps = outer.into_iter().collect();
                self.steps.push(Step { deps, run: Run::Graph(graph) });
                return Ok(());
            }
        }
        for (&node, chain) in members.iter().zip(chains) {
            let mut deps = self.steps_before(flat, node, ends);
            for (work, keep) in chain.works {
                ends[node] = self.steps.len();
                let run = match (work, &chain.kernel) {
                    (Work::Kernel(work), Some(kernel)) => Run::Kernel(kernel.clone(), work),
                    (work, _) => Run::Plain(work),
                };
                self.steps.push(Step { deps, run });
                self._keep.push(keep);
                deps = vec![ends[node]];
            }
        }
        Ok(())
    }

    fn steps_before(&self, flat: &Flat, node: usize, ends: &[usize]) -> Vec<usize> {
        let steps: BTreeSet<usize> =
            flat.nodes[node].deps.iter().map(|&before| ends[before]).collect();
        steps.into_iter().collect()
    }

    /// Returns the steps that no other step waits for.
    pub fn leaves(&self) -> Vec<usize> {
        let mut leaf = vec![true; self.steps.len()];
        for step in &self.steps {
            step.deps.iter().for_each(|&before| leaf[before] = false);
        }
        (0..leaf.len()).filter(|&step| leaf[step]).collect()
    }

    /// Replaces the work of nodes. Returns `false` if a new plan is needed.
    pub fn update(&self, flat: &Flat, nodes: &[usize], placed: &[Placed<'_>]) -> Result<bool> {
        let mut changes: Vec<(usize, usize, Work)> = Vec::new();
        for &node in nodes {
            let Some((step, index)) = self.places[node] else { return Ok(false) };
            let mut chain = chain(&flat.nodes[node].content, placed)?;
            match (chain.works.pop(), chain.works.is_empty()) {
                (Some((work, None)), true) => changes.push((step, index, work)),
                _ => return Ok(false),
            }
        }
        changes.sort_by_key(|&(step, index, _)| (step, index));
        for group in changes.chunk_by(|a, b| a.0 == b.0) {
            let Run::Graph(graph) = &self.steps[group[0].0].run else { return Ok(false) };
            let list: Vec<_> = group.iter().map(|(_, index, work)| (*index, work)).collect();
            if !graph.update(&list)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
