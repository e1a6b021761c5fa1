//! Passes that only NVPTX needs.
//!
//! * [`atomics`]: emits the scopes and orders of atomic accesses.
//! * [`by_value`]: makes callers copy objects that are passed by value.
//! * [`copies`]: makes small aligned copies in accesses of 16 bytes.
//! * [`denormals`]: makes it possible to link modules that treat denormals differently.
//! * [`extremes`]: skips atomic maxima and minima that change nothing.
//! * [`launch`]: resolves work-item queries from the launch block.
//! * [`local_arrays`]: aligns variables of functions for wide accesses.
//! * [`local_memory`]: replaces pointers to local memory by offsets into shared memory.
//! * [`loops`]: unrolls loops that LLVM leaves as they are.
//! * [`maths`]: replaces maths intrinsics that the target lacks.
//! * [`names`]: gives symbols names that PTX accepts.
//! * [`read_only`]: marks loads of memory that nothing writes.
//! * [`short_pointers`]: shortens pointers to shared memory to 32 bits.
//! * [`single_calls`]: inlines functions that are called in one place.

pub mod atomics;
pub mod by_value;
pub mod copies;
pub mod denormals;
pub mod extremes;
pub mod launch;
pub mod local_arrays;
pub mod local_memory;
pub mod loops;
pub mod maths;
pub mod matrices;
pub mod names;
pub mod read_only;
pub mod short_pointers;
pub mod single_calls;
