//! Types.

use crate::text::{copy_string, take_message};
use crate::{ContextRef, Module, Value};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement,
};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A type. Types are uniqued in their context, so equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'ctx> {
    raw: NonNull<llvm_sys::LLVMType>,
    life: PhantomData<&'ctx ()>,
}

impl<'ctx> Type<'ctx> {
    /// # Safety
    /// `raw` is a type of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMTypeRef) -> Self {
        Self { raw: NonNull::new(raw).expect("LLVM gives no null types"), life: PhantomData }
    }

    pub(crate) fn ptr(self) -> LLVMTypeRef {
        self.raw.as_ptr()
    }

    pub fn context(self) -> ContextRef<'ctx> {
        // SAFETY: the type is live, and its context lives for `'ctx`.
        unsafe { ContextRef::from_raw(LLVMGetTypeContext(self.ptr())) }
    }

    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: the type is live.
        unsafe { LLVMGetTypeKind(self.ptr()) }
    }

    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    pub fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    pub fn is_function(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMFunctionTypeKind
    }

    pub fn is_struct(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMStructTypeKind
    }

    /// Returns the width of an integer type.
    pub fn int_width(self) -> Option<u32> {
        // SAFETY: the type is a live integer type.
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind)
            .then(|| unsafe { LLVMGetIntTypeWidth(self.ptr()) })
    }

    /// Returns the address space of a pointer type.
    pub fn address_space(self) -> Option<u32> {
        // SAFETY: the type is a live pointer type.
        self.is_pointer().then(|| unsafe { LLVMGetPointerAddressSpace(self.ptr()) })
    }

    pub fn array(self, len: u64) -> Type<'ctx> {
        // SAFETY: the type is live.
        unsafe { Type::from_raw(LLVMArrayType2(self.ptr(), len)) }
    }

    /// Returns `<len x self>`, where `len` is at least 1.
    pub fn vector(self, len: u32) -> Type<'ctx> {
        // SAFETY: the type is live, and LLVM supports the length.
        unsafe { Type::from_raw(LLVMVectorType(self.ptr(), len.max(1))) }
    }

    /// Returns a function type with the return type `self`.
    pub fn function(self, params: &[Type<'ctx>], variadic: bool) -> Type<'ctx> {
        let mut raw: Vec<_> = params.iter().map(|t| t.ptr()).collect();
        // SAFETY: the types are live. LLVM copies the list.
        unsafe {
            Type::from_raw(LLVMFunctionType(
                self.ptr(),
                raw.as_mut_ptr(),
                raw.len() as u32,
                variadic as i32,
            ))
        }
    }

    /// Returns the return type of a function type.
    pub fn return_type(self) -> Option<Type<'ctx>> {
        // SAFETY: the type is a live function type.
        self.is_function().then(|| unsafe { Type::from_raw(LLVMGetReturnType(self.ptr())) })
    }

    /// Returns the parameters of a function type, the fields of a struct, or the element type of an
    /// array or vector, in order.
    pub fn contained(self) -> Vec<Type<'ctx>> {
        match self.kind() {
            LLVMTypeKind::LLVMFunctionTypeKind => {
                // SAFETY: the type is a live function type.
                let count = unsafe { LLVMCountParamTypes(self.ptr()) } as usize;
                let mut raw = vec![std::ptr::null_mut(); count];
                // SAFETY: `raw` has room for all parameters.
                unsafe { LLVMGetParamTypes(self.ptr(), raw.as_mut_ptr()) };
                // SAFETY: LLVM filled the list with types of the same context.
                raw.into_iter().map(|t| unsafe { Type::from_raw(t) }).collect()
            }
            LLVMTypeKind::LLVMStructTypeKind => {
                // SAFETY: the type is a live struct type.
                let count = unsafe { LLVMCountStructElementTypes(self.ptr()) };
                // SAFETY: the index is in range, so LLVM returns a type of the same context.
                (0..count)
                    .map(|i| unsafe { Type::from_raw(LLVMStructGetTypeAtIndex(self.ptr(), i)) })
                    .collect()
            }
            LLVMTypeKind::LLVMArrayTypeKind
            | LLVMTypeKind::LLVMVectorTypeKind
            | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                // SAFETY: the type is a live array or vector type.
                vec![unsafe { Type::from_raw(LLVMGetElementType(self.ptr())) }]
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether this is a struct without padding between its fields.
    pub fn is_packed_struct(self) -> bool {
        // SAFETY: the type is a live struct type.
        self.is_struct() && unsafe { LLVMIsPackedStruct(self.ptr()) != 0 }
    }

    /// Returns the element type of a fixed vector, or the type itself for any other type.
    pub fn scalar(self) -> Self {
        let vector = self.kind() == LLVMTypeKind::LLVMVectorTypeKind;
        if vector { self.element().unwrap_or(self) } else { self }
    }

    /// Returns the number of elements of an array or fixed vector type.
    pub fn element_count(self) -> Option<u64> {
        match self.kind() {
            // SAFETY: the type is a live array type.
            LLVMTypeKind::LLVMArrayTypeKind => Some(unsafe { LLVMGetArrayLength2(self.ptr()) }),
            LLVMTypeKind::LLVMVectorTypeKind => {
                // SAFETY: the type is a live vector type.
                Some(unsafe { LLVMGetVectorSize(self.ptr()) } as u64)
            }
            _ => None,
        }
    }

    /// Returns the name of an identified struct type.
    pub fn struct_name(self) -> Option<String> {
        if !self.is_struct() {
            return None;
        }
        // SAFETY: the type is a live struct type. LLVM returns null for literal structs.
        let name = unsafe { LLVMGetStructName(self.ptr()) };
        // SAFETY: if the pointer is not null, it is a C string that lives as long as the type.
        (!name.is_null()).then(|| unsafe { copy_string(name, libc::strlen(name)) })
    }

    /// Returns whether LLVM knows the size of the type. It does not for void, functions, labels and
    /// opaque structs.
    pub fn is_sized(self) -> bool {
        // SAFETY: the type is live.
        unsafe { LLVMTypeIsSized(self.ptr()) != 0 }
    }

    /// Returns the number of bytes between consecutive elements of this type, under the module's
    /// data layout, or `None` if the type has no size.
    pub fn alloc_size(self, module: &Module<'ctx>) -> Option<u64> {
        // SAFETY: the module is live and owns the layout, and the type is sized.
        self.is_sized().then(|| unsafe {
            LLVMABISizeOfType(LLVMGetModuleDataLayout(module.ptr()), self.ptr())
        })
    }

    /// Returns the alignment under the module's data layout, or `None` if the type has no size.
    pub fn abi_align(self, module: &Module<'ctx>) -> Option<u32> {
        // SAFETY: the module is live and owns the layout, and the type is sized.
        self.is_sized().then(|| unsafe {
            LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(module.ptr()), self.ptr())
        })
    }

    /// Returns the offset of a struct field under the module's data layout. Returns `None` for
    /// other types, and for an index beyond the last field.
    pub fn field_offset(self, module: &Module<'ctx>, index: u32) -> Option<u64> {
        let has = self.is_struct() && self.is_sized() && (index as usize) < self.contained().len();
        // SAFETY: the module is live and owns the layout. The type is a sized struct type with more
        // than `index` fields.
        has.then(|| unsafe {
            LLVMOffsetOfElement(LLVMGetModuleDataLayout(module.ptr()), self.ptr(), index)
        })
    }

    // --- Constants of this type ---

    /// Creates an integer constant. For a type other than an integer type, returns the type's zero
    /// value.
    pub fn const_int(self, value: u64) -> Value<'ctx> {
        if self.int_width().is_none() {
            return self.const_null();
        }
        // SAFETY: the type is a live integer type.
        unsafe { Value::from_raw(LLVMConstInt(self.ptr(), value, 0)) }
    }

    pub fn const_null(self) -> Value<'ctx> {
        // SAFETY: the type is live.
        unsafe { Value::from_raw(LLVMConstNull(self.ptr())) }
    }

    pub fn undef(self) -> Value<'ctx> {
        // SAFETY: the type is live.
        unsafe { Value::from_raw(LLVMGetUndef(self.ptr())) }
    }

    pub fn poison(self) -> Value<'ctx> {
        // SAFETY: the type is live.
        unsafe { Value::from_raw(LLVMGetPoison(self.ptr())) }
    }

    /// Creates an array constant with elements of this type.
    pub fn const_array(self, elements: &[Value<'ctx>]) -> Value<'ctx> {
        let mut raw: Vec<_> = elements.iter().map(|v| v.ptr()).collect();
        // SAFETY: the type and the constants are live. LLVM copies the list.
        unsafe { Value::from_raw(LLVMConstArray2(self.ptr(), raw.as_mut_ptr(), raw.len() as u64)) }
    }
}

impl std::fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: the type is live. `take_message` disposes the text.
        f.write_str(&unsafe { take_message(LLVMPrintTypeToString(self.ptr())) })
    }
}

impl std::fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
