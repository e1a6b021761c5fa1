//! Turns the code of one work-item into code for a work-group.
//!
//! * [`cfg`]: graph algorithms, independent of LLVM.
//! * [`convergence`]: computes where diverging lanes run together again.
//! * [`cost`]: estimates whether the widened form is faster than the scalar form.
//! * [`counters`]: lets loop counters of 32 bits count in 64 bits.
//! * [`divergence`]: computes the values and branches that differ between work-items.
//! * [`plan`]: computes the order in which widened code visits blocks.
//! * [`merges`]: simplifies φs that look divergent but are not.
//! * [`ranges`]: restores the promises of index arithmetic that does not wrap.
//! * [`lanes`]: widens a kernel to one work-item per vector lane.
//! * [`group`]: creates one function for a whole work-group, including barriers.
//! * [`subgroup`]: implements sub-group primitives as vector code.
//! * [`reference`]: compares this divergence analysis with LLVM's.

pub mod cfg;
pub mod convergence;
pub mod cost;
pub mod counters;
pub mod divergence;
pub mod group;
pub mod lanes;
pub mod merges;
pub mod plan;
pub mod ranges;
pub mod reference;
pub mod subgroup;
