//! Metadata: strings, constants, nodes, and where they hang.

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
    /// `raw` is metadata of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMMetadataRef) -> Self {
        Self {
            raw: NonNull::new(raw).expect("LLVM gives no null metadata here"),
            life: PhantomData,
        }
    }

    /// # Safety
    /// `raw` is null, or metadata of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_nullable(raw: LLVMMetadataRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, life: PhantomData })
    }

    pub(crate) fn ptr(self) -> LLVMMetadataRef {
        self.raw.as_ptr()
    }

    fn class(self) -> u32 {
        // SAFETY: live metadata.
        unsafe { shim::scythe_llvm_metadata_class(self.ptr()) }
    }

    pub fn is_node(self) -> bool {
        self.class() == NODE
    }

    /// The text of a metadata string.
    pub fn string(self) -> Option<String> {
        if self.class() != STRING {
            return None;
        }
        let mut len = 0;
        // SAFETY: live metadata string.
        let data = unsafe { shim::scythe_llvm_metadata_string(self.ptr(), &mut len) };
        // SAFETY: LLVM gave a string with its length.
        Some(unsafe { copy_string(data, len) })
    }

    /// The constant that this metadata wraps: also how functions and globals are named by metadata.
    pub fn constant(self) -> Option<Value<'ctx>> {
        // SAFETY: live constant metadata.
        (self.class() == CONSTANT)
            .then(|| unsafe { Value::from_raw(shim::scythe_llvm_metadata_constant(self.ptr())) })
    }

    /// The integer constant that this metadata wraps.
    pub fn int(self) -> Option<u64> {
        self.constant()?.const_int_value()
    }

    /// Number of operands of a node; 0 for anything else.
    pub fn operand_count(self) -> usize {
        if !self.is_node() {
            return 0;
        }
        // SAFETY: live node.
        unsafe { shim::scythe_llvm_metadata_operand_count(self.ptr()) as usize }
    }

    /// Operand `index`; `None` for null operands and beyond the end.
    pub fn operand(self, index: usize) -> Option<Metadata<'ctx>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: live node with more than `index` operands; null operands are allowed.
        unsafe {
            Metadata::from_nullable(shim::scythe_llvm_metadata_operand(self.ptr(), index as u32))
        }
    }

    /// All operands of a node, null ones as `None`.
    pub fn operands(self) -> Vec<Option<Metadata<'ctx>>> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    /// The metadata as an argument of a call to an intrinsic.
    pub fn as_value(self, context: crate::ContextRef<'ctx>) -> Value<'ctx> {
        // SAFETY: live context and metadata.
        unsafe { Value::from_raw(LLVMMetadataAsValue(context.ptr(), self.ptr())) }
    }
}

/// Metadata on functions and global variables.
macro_rules! global_metadata {
    ($ty:ident) => {
        impl<'ctx> $ty<'ctx> {
            /// The (first) node of this kind.
            pub fn metadata(self, kind: MetadataKind) -> Option<Metadata<'ctx>> {
                // SAFETY: a live global object; null when absent.
                unsafe {
                    Metadata::from_nullable(shim::scythe_llvm_global_metadata(self.ptr(), kind.0))
                }
            }

            /// Sets the only node of this kind. Anything but a node is left alone.
            pub fn set_metadata(self, kind: MetadataKind, node: Metadata<'ctx>) {
                if node.is_node() {
                    // SAFETY: a live global object and node.
                    unsafe { LLVMGlobalSetMetadata(self.ptr(), kind.0, node.ptr()) }
                }
            }

            pub fn erase_metadata(self, kind: MetadataKind) {
                // SAFETY: a live global object.
                unsafe { LLVMGlobalEraseMetadata(self.ptr(), kind.0) }
            }
        }
    };
}
global_metadata!(Function);
global_metadata!(GlobalVariable);

impl<'ctx> Instruction<'ctx> {
    pub fn metadata(self, kind: MetadataKind) -> Option<Metadata<'ctx>> {
        // SAFETY: live instruction; null when absent.
        unsafe {
            Metadata::from_nullable(shim::scythe_llvm_instruction_metadata(self.ptr(), kind.0))
        }
    }

    /// Sets or, with `None`, removes. Anything but a node is left alone.
    pub fn set_metadata(self, kind: MetadataKind, node: Option<Metadata<'ctx>>) {
        if node.is_none_or(|n| n.is_node()) {
            let raw = node.map_or(std::ptr::null_mut(), |n| n.ptr());
            // SAFETY: live instruction, and null or a live node.
            unsafe { shim::scythe_llvm_instruction_set_metadata(self.ptr(), kind.0, raw) }
        }
    }
}
