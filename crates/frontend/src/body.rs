//! Which function of the program is a kernel: what its attributes say holds for the kernel.
//!
//! That is the call operator of the functor that the entry point takes, its own or of a base class,
//! unless the headers put a functor of their own around the program's: hierarchical kernels and
//! reductions. The call operator of such a functor is annotated `scythe::work_groups` with what the
//! program's work-groups are to the kernel, and the function that calls the program's functor is
//! annotated `scythe::calls_kernel`.

use crate::facts::Kernel;
use crate::reach::{Graph, Node};

/// What the work-groups of the program are to the kernel that the device runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkGroups {
    /// Those that the kernel is launched with.
    #[default]
    Launched,
    /// Loops in work-groups of another size, which is the headers' choice.
    Logical,
    /// Of no shape that the program could name: the headers divide a range among work-groups of one
    /// dimension, which have as many work-items as the program requires, or as the headers like.
    Unknown,
}

/// The function that the program wrote.
pub struct Body<'a> {
    pub node: &'a Node,
    pub work_groups: WorkGroups,
}

/// Looks from the kernel's entry point, since a functor may have several call operators.
pub fn find<'a>(graph: &'a Graph, kernel: &Kernel) -> Option<Body<'a>> {
    let is_call = |node: &Node| {
        node.function.parent.is_some() && node.function.name.starts_with("operator()")
    };
    let entry = graph.position(kernel.entry)?;
    let of_functor = |node: &Node| {
        node.function.parent.is_some_and(|class| kernel.functor_classes.contains(&class))
    };
    let own = graph.nearest(entry, |node| is_call(node) && of_functor(node))?;
    let around = graph.nodes[own].function.attribute("scythe::work_groups");
    let Some(around) = around else {
        return Some(Body { node: &graph.nodes[own], work_groups: WorkGroups::Launched });
    };
    let work_groups = match around.text.as_deref() {
        Some("logical") => WorkGroups::Logical,
        Some("unknown") => WorkGroups::Unknown,
        _ => WorkGroups::Launched,
    };
    let caller =
        graph.nearest(own, |node| node.function.attribute("scythe::calls_kernel").is_some())?;
    let (inner, _) = graph.calls(caller).find(|&(callee, _)| is_call(&graph.nodes[callee]))?;
    Some(Body { node: &graph.nodes[inner], work_groups })
}
