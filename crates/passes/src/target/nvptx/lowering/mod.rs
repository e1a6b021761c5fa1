//! Passes for NVPTX alone.
//!
//! * [`atomics`]: scopes and orders of atomic accesses.
//! * [`by_value`]: objects passed by value become copies that the caller makes.
//! * [`copies`]: small aligned copies in accesses of 16 bytes.
//! * [`denormals`]: lets modules with different treatment of denormals be linked.
//! * [`launch`]: answers work-item queries from the launch block.
//! * [`local_memory`]: pointers to local memory become offsets into shared memory.
//! * [`maths`]: maths intrinsics that the target lacks.
//! * [`names`]: symbols that PTX accepts.
//! * [`short_pointers`]: pointers to shared memory in 32 bits.

pub mod atomics;
pub mod by_value;
pub mod copies;
pub mod denormals;
pub mod launch;
pub mod local_memory;
pub mod maths;
pub mod names;
pub mod short_pointers;
