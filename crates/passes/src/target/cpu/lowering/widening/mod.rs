//! Turns the code of one work-item into code of a work-group.
//!
//! * [`cfg`]: graph algorithms, independent of LLVM.
//! * [`convergence`]: where lanes that diverge run together again.
//! * [`divergence`]: the values and branches that differ between work-items.
//! * [`plan`]: the order in which widened code visits blocks.
//! * [`lanes`]: widens a kernel to one work-item per vector lane.
//! * [`group`]: one function for a whole work-group, barriers included.
//! * [`subgroup`]: sub-group primitives as vector code.
//! * [`reference`]: compares our analysis of divergence with LLVM's.

pub mod cfg;
pub mod convergence;
pub mod divergence;
pub mod group;
pub mod lanes;
pub mod plan;
pub mod reference;
pub mod subgroup;
