//! A safe layer with lifetimes over LLVM 22's C API, and a C++ shim for functions that the C API
//! lacks.
//!
//! The crate works inside clang's process, on a module that clang owns ([`Module::borrowed`]), and
//! stand-alone.
//!
//! # Handles
//!
//! A [`Context`] owns everything, and a [`Module`] borrows its context. All other types ([`Value`],
//! [`Function`], [`Instruction`], [`Type`], [`Metadata`], …) are copyable handles: a pointer from
//! LLVM, with the lifetime of the context. Handles come only from LLVM and are never null, so LLVM
//! may dereference the handles of each call in this crate. `SAFETY` comments call such a handle
//! live.
//!
//! As in LLVM itself, the type system does not check two rules:
//! * a handle to an erased object (by `erase`, or together with its module) must not be used again;
//! * a [`Builder`] must have an insertion point, and its operands must have the types that the
//!   instruction accepts. [`Module::verify`] finds violations that are not memory-unsafe. This
//!   crate checks indices.
//!
//! No handle is `Send` or `Sync`: a context and everything in it belong to one thread.

mod attribute;
mod block;
mod builder;
mod clone;
mod context;
mod debug_info;
mod debug_loc;
mod demangle;
mod error;
mod extract;
mod fatal_errors;
mod frames;
mod function;
mod global;
mod global_graph;
pub mod graph;
mod instruction;
mod lanes;
mod lazy;
mod metadata;
mod module;
mod no_wrap;
mod pass_pipeline;
mod placement;
mod remarks;
mod scope;
mod shim;
mod sinking;
mod spirv;
mod target_machine;
mod text;
mod types;
mod uniformity;
mod value;

pub use attribute::{Attribute, AttributeKind, Place};
pub use block::BasicBlock;
pub use builder::Builder;
pub use clone::{CloneScope, ValueMap};
pub use context::{Context, ContextRef};
pub use debug_info::{DebugBuilder, DebugPosition, DebugScope, DebugVariable, RewritePosition};
pub use debug_loc::DebugLoc;
pub use demangle::demangle;
pub use error::Error;
pub use extract::Extractor;
pub use frames::Frames;
pub use function::{CallConv, Function};
pub use global::{GlobalAlias, GlobalVariable};
pub use global_graph::GlobalGraph;
pub use instruction::Instruction;
pub use lanes::const_vector;
pub use lazy::LazyModule;
pub use metadata::{Metadata, MetadataKind};
pub use module::Module;
pub use pass_pipeline::{PassOptions, run_function_passes, run_passes};
pub use remarks::{Remark, with_remarks};
pub use scope::SyncScope;
pub use spirv::translate_to_spirv;
pub use target_machine::{
    OptLevel, TargetMachine, TargetOptions, default_triple, host_cpu, host_features, llvm_version,
};
pub use types::Type;
pub use uniformity::Known;
pub use value::Value;

pub use llvm_sys::LLVMAtomicOrdering as AtomicOrdering;
pub use llvm_sys::LLVMAtomicRMWBinOp as AtomicRmwOp;
pub use llvm_sys::LLVMIntPredicate as IntPredicate;
pub use llvm_sys::LLVMLinkage as Linkage;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use llvm_sys::LLVMRealPredicate as RealPredicate;
pub use llvm_sys::LLVMTypeKind as TypeKind;
pub use llvm_sys::LLVMVisibility as Visibility;

/// LLVM's own pointer types, for callers that receive or return raw modules.
pub mod raw {
    pub use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef, LLVMValueRef};
}
