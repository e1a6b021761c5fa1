//! Code that several targets share: facts about device code, and the passes that are the same for
//! all targets.

pub mod address_spaces;
pub mod async_copies;
pub(crate) mod callers;
pub mod local_variables;
pub mod matrices;
pub mod pointers;
pub mod printf;
pub mod private_memory;
pub mod queries;
pub mod required_sizes;
pub(crate) mod retarget;
pub mod shape;
