//! Turns the code of one work-item into code for a work-group.
//!
//! * [`cfg`]: graph algorithms, independent of LLVM.
//! * [`convergence`]: computes where diverging lanes run together again.
//! * [`divergence`]: computes the values and branches that differ between work-items.
//! * [`plan`]: computes the order in which widened code visits blocks.
//! * [`lanes`]: widens a kernel to one work-item per vector lane.
//! * [`group`]: creates one function for a whole work-group, including barriers.
//! * [`subgroup`]: implements sub-group primitives as vector code.
//! * [`reference`]: compares this divergence analysis with LLVM's.

pub mod cfg;
pub mod convergence;
pub mod divergence;
pub mod group;
pub mod lanes;
pub mod plan;
pub mod reference;
pub mod subgroup;
