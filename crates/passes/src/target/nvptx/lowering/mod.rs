//! Passes that only NVPTX needs.
//!
//! * [`atomics`]: emits the scopes and orders of atomic accesses.
//! * [`by_value`]: makes callers copy objects that are passed by value.
//! * [`copies`]: makes small aligned copies in accesses of 16 bytes.
//! * [`denormals`]: makes it possible to link modules that treat denormals differently.
//! * [`launch`]: resolves work-item queries from the launch block.
//! * [`local_memory`]: replaces pointers to local memory by offsets into shared memory.
//! * [`maths`]: replaces maths intrinsics that the target lacks.
//! * [`names`]: gives symbols names that PTX accepts.
//! * [`short_pointers`]: shortens pointers to shared memory to 32 bits.

pub mod atomics;
pub mod by_value;
pub mod copies;
pub mod denormals;
pub mod launch;
pub mod local_memory;
pub mod maths;
pub mod names;
pub mod short_pointers;
