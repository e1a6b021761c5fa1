//! From one work-item to a work-group: what the CPU back end does to a kernel's body.
//!
//! * [`cfg`]: graph algorithms, free of LLVM.
//! * [`convergence`]: where lanes that part run together again.
//! * [`divergence`]: which values and branches differ between work-items.
//! * [`plan`]: the order in which widened code visits blocks.
//! * [`lanes`]: widening a kernel to one work-item per vector lane.
//! * [`group`]: one function for a whole work-group, barriers included.
//! * [`subgroup`]: sub-group primitives as vector code.
//! * [`reference`]: LLVM's own analysis, which ours is compared with.

pub mod cfg;
pub mod convergence;
pub mod divergence;
pub mod group;
pub mod lanes;
pub mod plan;
pub mod reference;
pub mod subgroup;
