//! A safe layer with lifetimes over LLVM 22's C API, and a C++ shim for what the C API lacks.
//!
//! It works inside clang's process, on a module that clang owns ([`Module::borrowed`]), and
//! stand-alone.
//!
//! # Handles
//!
//! A [`Context`] owns everything; a [`Module`] borrows its context. All else ([`Value`],
//! [`Function`], [`Instruction`], [`Type`], [`Metadata`], …) is a copyable handle: a pointer that
//! LLVM gave, with the context's lifetime. Handles come only from LLVM and are never null, so each
//! call into LLVM below may dereference its handles.
//!
//! Two rules the type system does not check, as in LLVM itself:
//! * a handle to something erased (`erase`, or with its module) must not be used again;
//! * operands given to a [`Builder`] must have the types the instruction wants. [`Module::verify`]
//!   finds what is wrong but not memory-unsafe; indices are checked here.
//!
//! No handle is `Send` or `Sync`: a context and all that hangs on it belong to one thread.

mod attribute;
mod block;
mod builder;
mod clone;
mod context;
mod debug_loc;
mod demangle;
mod error;
mod extract;
mod fatal_errors;
mod function;
mod global;
mod global_graph;
pub mod graph;
mod instruction;
mod lanes;
mod metadata;
mod module;
mod no_wrap;
mod pass_pipeline;
mod placement;
mod scope;
mod shim;
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
pub use context::{Context, ContextRef, Diagnostic, Severity};
pub use debug_loc::DebugLoc;
pub use demangle::demangle;
pub use error::Error;
pub use extract::Extractor;
pub use function::{CallConv, Function};
pub use global::{GlobalAlias, GlobalVariable};
pub use global_graph::GlobalGraph;
pub use instruction::Instruction;
pub use lanes::const_vector;
pub use metadata::{Metadata, MetadataKind};
pub use module::Module;
pub use pass_pipeline::{PassOptions, run_function_passes, run_passes};
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

/// LLVM's own pointer types, for those who get or hand out raw modules.
pub mod raw {
    pub use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef, LLVMValueRef};
}
