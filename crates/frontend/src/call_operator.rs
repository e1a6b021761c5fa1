//! Finds the function of the program that a kernel runs. The attributes of this function apply to
//! the kernel.
//!
//! The function is the call operator of the functor that the entry point takes, or of its base
//! class. Hierarchical kernels and reductions are an exception: the headers wrap the program's
//! functor in a functor of the headers. The call operator of the wrapper has the annotation
//! `scythe::work_groups`, which relates the program's work-groups to those of the kernel. The
//! function that calls the program's functor has the annotation `scythe::calls_kernel`.

use crate::facts::Kernel;
use crate::reach::{Graph, Node};

/// The relation between the work-groups of the program and those of the kernel on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkGroups {
    /// They are the work-groups of the launch.
    #[default]
    Launched,
    /// They are loops in work-groups of another size, which the headers choose.
    Logical,
    /// They have no shape that the program can name. The headers divide a range among
    /// one-dimensional work-groups. Their size is the size that the program requires, or a size
    /// that the headers choose.
    Unknown,
}

/// The call operator of a kernel in the program.
pub struct CallOperator<'a> {
    pub node: &'a Node,
    pub work_groups: WorkGroups,
}

/// Finds the call operator of a kernel. The search starts at the entry point, because a functor may
/// have several call operators.
pub fn find<'a>(graph: &'a Graph, kernel: &Kernel) -> Option<CallOperator<'a>> {
    let is_call = |node: &Node| {
        node.function.parent.is_some() && node.function.name.starts_with("operator()")
    };
    if let Some(function) = &kernel.function {
        let node = &graph.nodes[graph.position(function.decl)?];
        return Some(CallOperator { node, work_groups: WorkGroups::Launched });
    }
    let entry = graph.position(kernel.entry)?;
    let of_functor = |node: &Node| {
        node.function.parent.is_some_and(|class| kernel.functor_classes.contains(&class))
    };
    let own = graph.nearest(entry, |node| is_call(node) && of_functor(node))?;
    let around = graph.nodes[own].function.attribute("scythe::work_groups");
    let Some(around) = around else {
        return Some(CallOperator { node: &graph.nodes[own], work_groups: WorkGroups::Launched });
    };
    let work_groups = match around.text.as_deref() {
        Some("logical") => WorkGroups::Logical,
        Some("unknown") => WorkGroups::Unknown,
        _ => WorkGroups::Launched,
    };
    let caller =
        graph.nearest(own, |node| node.function.attribute("scythe::calls_kernel").is_some())?;
    let (inner, _) = graph.calls(caller).find(|&(callee, _)| is_call(&graph.nodes[callee]))?;
    Some(CallOperator { node: &graph.nodes[inner], work_groups })
}
