//! Checks that the launch of a kernel provides the scratch memory that the kernel uses.
//!
//! The headers mark the function that returns this memory, and the function by which a launch with
//! the property `work_group_scratch_size` provides it. A kernel that reaches only the first one
//! would use memory that nobody allocated.

use scythe_diag::Report;

use crate::call_site::CallSite;
use crate::errors::NoScratchMemory;
use crate::facts::{Decl, Kernel, Loc, Source};
use crate::reach::Graph;

/// The annotation of the function that returns the memory.
const USES: &str = "scythe::uses_scratch_memory";
/// The annotation of the function that provides it.
const PROVIDES: &str = "scythe::provides_scratch_memory";

/// Whether a kernel uses scratch memory.
pub fn is_used(graph: &Graph, entry: Decl) -> bool {
    let uses = |index: usize| graph.nodes[index].function.attribute(USES).is_some();
    let Some(start) = graph.position(entry) else { return false };
    graph.reachable(start).iter().any(|&(index, _)| uses(index))
}

/// Reports kernels that use scratch memory without having any. Returns true if there are none.
pub fn check(source: &impl Source, graph: &Graph, kernels: &[Kernel], sites: &[CallSite]) -> bool {
    let has = |index: usize, name: &str| graph.nodes[index].function.attribute(name).is_some();
    if !(0..graph.nodes.len()).any(|index| has(index, USES)) {
        return true;
    }
    let mut sound = true;
    for (kernel, site) in kernels.iter().zip(sites) {
        let Some(start) = graph.position(kernel.entry) else { continue };
        let reached: Vec<(usize, Loc)> = graph.reachable(start);
        let use_of_memory = reached.iter().find(|&&(index, _)| has(index, USES));
        let provided = reached.iter().any(|&(index, _)| has(index, PROVIDES));
        let Some(&(_, call)) = use_of_memory.filter(|_| !provided) else { continue };
        let error = NoScratchMemory { kernel: kernel.name.clone() };
        let note = "the kernel uses the memory here".to_owned();
        source.report(&error.report().at(site.loc).note_at(call, note));
        sound = false;
    }
    sound
}
