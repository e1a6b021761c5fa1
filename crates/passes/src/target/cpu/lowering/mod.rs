//! The passes that only the CPU needs. They turn a kernel for one work-item into a function that
//! runs work-groups.
//!
//! * [`queries`]: finds and resolves work-item queries.
//! * [`work_group`]: creates loops over work-items around the kernel, for LLVM to vectorise.
//! * [`checks`]: adds checks for sanitizers.
//! * [`interior`]: splits the innermost loop into parts, one of which needs no tests of the index.
//! * [`interleave`]: decides how many vectors an iteration of that loop computes.
//! * [`uniform_memory`]: fills private memory once if it is the same for all work-items.
//! * [`merged_rows`]: decides whether neighbouring work-groups run as one row.
//! * [`parallel`]: marks the memory accesses that carry no dependence between work-items.
//! * [`items`]: creates the alternative form of kernels with one work-item per vector lane, using
//!   [`widening`].
//! * [`linear`]: lets sub-groups consist of neighbours by linear id.
//! * [`local_atomics`]: replaces atomic operations in local memory by plain accesses.
//! * [`local_memory`]: allocates variables in local memory.
//! * [`debug_info`]: keeps debug information valid, and shows work-items to debuggers.
//! * [`report`]: tells how each kernel was compiled.
//! * [`specialise`]: specialises code for one work-group size.

pub mod checks;
pub mod debug_info;
pub mod interior;
pub mod interleave;
pub mod items;
pub mod linear;
pub mod local_atomics;
pub mod local_memory;
pub mod matrices;
pub mod merged_rows;
pub mod parallel;
pub mod queries;
pub mod report;
pub mod specialise;
pub mod uniform_memory;
pub mod widening;
pub mod work_group;
