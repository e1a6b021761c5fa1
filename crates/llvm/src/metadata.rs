//! Metadata: strings, constants and nodes, and their attachments.

use crate::text::copy_string;
use crate::{Function, GlobalVariable, Instruction, Value, shim};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The number of a metadata kind; see [`crate::ContextRef::metadata_kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MetadataKind(pub(crate) u32);

/// Any metadata.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata<'ctx> {
    raw: NonNull<llvm_sys::LLVMOpaqueMetadata>,
    life: PhantomData<&'ctx ()>,
}

const STRING: u32 = 0;
const NODE: u32 = 1;
const CONSTANT: u32 = 2;

impl<'ctx> Metadata<'ctx> {
    /// # Safety
    /// `raw` must be metadata of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMMetadataRef) -> Self {
        Self {
            raw: NonNull::new(raw).expect("LLVM gives no null metadata here"),
            life: PhantomData,
        }
    }

    /// # Safety
    /// `raw` must be null, or metadata of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_nullable(raw: LLVMMetadataRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, life: PhantomData })
    }

    pub(crate) fn ptr(self) -> LLVMMetadataRef {
        self.raw.as_ptr()
    }

    fn class(self) -> u32 {
        // SAFETY: the metadata is live.
        unsafe { shim::scythe_llvm_metadata_class(self.ptr()) }
    }

    pub fn is_node(self) -> bool {
        self.class() == NODE
    }

    /// Returns the text of a metadata string.
    pub fn string(self) -> Option<String> {
        if self.class() != STRING {
            return None;
        }
        let mut len = 0;
        // SAFETY: the metadata is a live string.
        let data = unsafe { shim::scythe_llvm_metadata_string(self.ptr(), &mut len) };
        // SAFETY: LLVM returned a string and its length.
        Some(unsafe { copy_string(data, len) })
    }

    /// Returns the constant that this metadata wraps. Metadata also refers to functions and globals
    /// in this way.
    pub fn constant(self) -> Option<Value<'ctx>> {
        // SAFETY: the metadata is a live constant.
        (self.class() == CONSTANT)
            .then(|| unsafe { Value::from_raw(shim::scythe_llvm_metadata_constant(self.ptr())) })
    }

    /// Returns the integer constant that this metadata wraps.
    pub fn int(self) -> Option<u64> {
        self.constant()?.const_int_value()
    }

    /// Returns the number of operands of a node, or 0 for other metadata.
    pub fn operand_count(self) -> usize {
        if !self.is_node() {
            return 0;
        }
        // SAFETY: the metadata is a live node.
        unsafe { shim::scythe_llvm_metadata_operand_count(self.ptr()) as usize }
    }

    /// Returns operand `index`, or `None` for a null operand or an index beyond the end.
    pub fn operand(self, index: usize) -> Option<Metadata<'ctx>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: the node is live and has more than `index` operands. An operand may be null.
        unsafe {
            Metadata::from_nullable(shim::scythe_llvm_metadata_operand(self.ptr(), index as u32))
        }
    }

    /// Returns all operands of a node. Null operands are `None`.
    pub fn operands(self) -> Vec<Option<Metadata<'ctx>>> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    /// Wraps the metadata as an argument of an intrinsic call.
    pub fn as_value(self, context: crate::ContextRef<'ctx>) -> Value<'ctx> {
        // SAFETY: the context and the metadata are live.
        unsafe { Value::from_raw(LLVMMetadataAsValue(context.ptr(), self.ptr())) }
    }
}

/// Defines the metadata methods of functions and global variables.
macro_rules! global_metadata {
    ($ty:ident) => {
        impl<'ctx> $ty<'ctx> {
            /// Returns the (first) node of this kind.
            pub fn metadata(self, kind: MetadataKind) -> Option<Metadata<'ctx>> {
                // SAFETY: the global object is live. LLVM returns null if it has no such metadata.
                unsafe {
                    Metadata::from_nullable(shim::scythe_llvm_global_metadata(self.ptr(), kind.0))
                }
            }

            /// Sets the only node of this kind. Does nothing if `node` is not a node.
            pub fn set_metadata(self, kind: MetadataKind, node: Metadata<'ctx>) {
                if node.is_node() {
                    // SAFETY: the global object and the node are live.
                    unsafe { LLVMGlobalSetMetadata(self.ptr(), kind.0, node.ptr()) }
                }
            }

            pub fn erase_metadata(self, kind: MetadataKind) {
                // SAFETY: the global object is live.
                unsafe { LLVMGlobalEraseMetadata(self.ptr(), kind.0) }
            }
        }
    };
}
global_metadata!(Function);
global_metadata!(GlobalVariable);

impl<'ctx> Instruction<'ctx> {
    pub fn metadata(self, kind: MetadataKind) -> Option<Metadata<'ctx>> {
        // SAFETY: the instruction is live. LLVM returns null if it has no such metadata.
        unsafe {
            Metadata::from_nullable(shim::scythe_llvm_instruction_metadata(self.ptr(), kind.0))
        }
    }

    /// Sets the node of this kind, or removes it if `node` is `None`. Does nothing if `node` is not
    /// a node.
    pub fn set_metadata(self, kind: MetadataKind, node: Option<Metadata<'ctx>>) {
        if node.is_none_or(|n| n.is_node()) {
            let raw = node.map_or(std::ptr::null_mut(), |n| n.ptr());
            // SAFETY: the instruction is live. The node is null or live.
            unsafe { shim::scythe_llvm_instruction_set_metadata(self.ptr(), kind.0, raw) }
        }
    }
}
