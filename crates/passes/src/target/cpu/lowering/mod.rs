//! The CPU's own passes: from a kernel for one work-item to a function that runs work-groups.
//!
//! * [`queries`]: finds and answers work-item queries.
//! * [`work_group`]: loops over work-items around the kernel, for LLVM to vectorise.
//! * [`interior`]: cuts the innermost loop into parts that need no tests of the index.
//! * [`uniform_memory`]: fills private memory that is the same for all work-items once.
//! * [`parallel`]: marks the memory accesses that carry no dependence between work-items.
//! * [`items`]: the other form of kernels, with one work-item per vector lane, by [`widening`].
//! * [`local_memory`]: allocates variables in local memory.
//! * [`specialise`]: code for one work-group size.

pub mod interior;
pub mod items;
pub mod local_memory;
pub mod parallel;
pub mod queries;
pub mod specialise;
pub mod uniform_memory;
pub mod widening;
pub mod work_group;
