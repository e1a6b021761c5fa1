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

/// A type: uniqued in its context, so equality is identity.
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
        // SAFETY: live type; its context lives for 'ctx.
        unsafe { ContextRef::from_raw(LLVMGetTypeContext(self.ptr())) }
    }

    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: live type.
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

    /// The width of an integer type.
    pub fn int_width(self) -> Option<u32> {
        // SAFETY: live integer type.
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind)
            .then(|| unsafe { LLVMGetIntTypeWidth(self.ptr()) })
    }

    /// The address space of a pointer type.
    pub fn address_space(self) -> Option<u32> {
        // SAFETY: live pointer type.
        self.is_pointer().then(|| unsafe { LLVMGetPointerAddressSpace(self.ptr()) })
    }

    pub fn array(self, len: u64) -> Type<'ctx> {
        // SAFETY: live type.
        unsafe { Type::from_raw(LLVMArrayType2(self.ptr(), len)) }
    }

    /// `<len x self>`; `len` is at least 1.
    pub fn vector(self, len: u32) -> Type<'ctx> {
        // SAFETY: live type and a length that LLVM allows.
        unsafe { Type::from_raw(LLVMVectorType(self.ptr(), len.max(1))) }
    }

    /// A function type that returns `self`.
    pub fn function(self, params: &[Type<'ctx>], variadic: bool) -> Type<'ctx> {
        let mut raw: Vec<_> = params.iter().map(|t| t.ptr()).collect();
        // SAFETY: live types; LLVM copies the list.
        unsafe {
            Type::from_raw(LLVMFunctionType(
                self.ptr(),
                raw.as_mut_ptr(),
                raw.len() as u32,
                variadic as i32,
            ))
        }
    }

    /// What a function type returns.
    pub fn return_type(self) -> Option<Type<'ctx>> {
        // SAFETY: live function type.
        self.is_function().then(|| unsafe { Type::from_raw(LLVMGetReturnType(self.ptr())) })
    }

    /// The parameters of a function type, the fields of a struct, the element of an array or
    /// vector: in order.
    pub fn contained(self) -> Vec<Type<'ctx>> {
        match self.kind() {
            LLVMTypeKind::LLVMFunctionTypeKind => {
                // SAFETY: live function type.
                let count = unsafe { LLVMCountParamTypes(self.ptr()) } as usize;
                let mut raw = vec![std::ptr::null_mut(); count];
                // SAFETY: `raw` has room for all parameters.
                unsafe { LLVMGetParamTypes(self.ptr(), raw.as_mut_ptr()) };
                // SAFETY: types of the same context.
                raw.into_iter().map(|t| unsafe { Type::from_raw(t) }).collect()
            }
            LLVMTypeKind::LLVMStructTypeKind => {
                // SAFETY: live struct type.
                let count = unsafe { LLVMCountStructElementTypes(self.ptr()) };
                // SAFETY: an index in range gives a type of the same context.
                (0..count)
                    .map(|i| unsafe { Type::from_raw(LLVMStructGetTypeAtIndex(self.ptr(), i)) })
                    .collect()
            }
            LLVMTypeKind::LLVMArrayTypeKind
            | LLVMTypeKind::LLVMVectorTypeKind
            | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                // SAFETY: live sequence type.
                vec![unsafe { Type::from_raw(LLVMGetElementType(self.ptr())) }]
            }
            _ => Vec::new(),
        }
    }

    /// A struct without gaps between its fields.
    pub fn is_packed_struct(self) -> bool {
        // SAFETY: live struct type.
        self.is_struct() && unsafe { LLVMIsPackedStruct(self.ptr()) != 0 }
    }

    /// The type of a fixed vector's elements; any other type itself.
    pub fn scalar(self) -> Self {
        let vector = self.kind() == LLVMTypeKind::LLVMVectorTypeKind;
        if vector { self.element().unwrap_or(self) } else { self }
    }

    /// The number of elements of an array or fixed vector type.
    pub fn element_count(self) -> Option<u64> {
        match self.kind() {
            // SAFETY: live array type.
            LLVMTypeKind::LLVMArrayTypeKind => Some(unsafe { LLVMGetArrayLength2(self.ptr()) }),
            LLVMTypeKind::LLVMVectorTypeKind => {
                // SAFETY: live vector type.
                Some(unsafe { LLVMGetVectorSize(self.ptr()) } as u64)
            }
            _ => None,
        }
    }

    /// The name of an identified struct type.
    pub fn struct_name(self) -> Option<String> {
        if !self.is_struct() {
            return None;
        }
        // SAFETY: live struct type; null for literal structs.
        let name = unsafe { LLVMGetStructName(self.ptr()) };
        // SAFETY: not null, then a C string that lives as long as the type.
        (!name.is_null()).then(|| unsafe { copy_string(name, libc::strlen(name)) })
    }

    /// Has a size known to LLVM: not void, a function, a label or an opaque struct.
    pub fn is_sized(self) -> bool {
        // SAFETY: live type.
        unsafe { LLVMTypeIsSized(self.ptr()) != 0 }
    }

    /// Bytes between consecutive elements of this type, under the module's data layout. `None`
    /// without a size.
    pub fn alloc_size(self, module: &Module<'ctx>) -> Option<u64> {
        // SAFETY: live module and sized type; the layout belongs to the module.
        self.is_sized().then(|| unsafe {
            LLVMABISizeOfType(LLVMGetModuleDataLayout(module.ptr()), self.ptr())
        })
    }

    /// The alignment under the module's data layout. `None` without a size.
    pub fn abi_align(self, module: &Module<'ctx>) -> Option<u32> {
        // SAFETY: live module and sized type; the layout belongs to the module.
        self.is_sized().then(|| unsafe {
            LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(module.ptr()), self.ptr())
        })
    }

    /// Where a field of a struct begins, under the module's data layout. `None` for other types,
    /// and beyond the last field.
    pub fn field_offset(self, module: &Module<'ctx>, index: u32) -> Option<u64> {
        let has = self.is_struct() && self.is_sized() && (index as usize) < self.contained().len();
        // SAFETY: live module and sized struct type with more than `index` fields; the layout
        // belongs to the module.
        has.then(|| unsafe {
            LLVMOffsetOfElement(LLVMGetModuleDataLayout(module.ptr()), self.ptr(), index)
        })
    }

    // --- Constants of this type ---

    /// An integer constant; of an integer type only, else zero of the type.
    pub fn const_int(self, value: u64) -> Value<'ctx> {
        if self.int_width().is_none() {
            return self.const_null();
        }
        // SAFETY: live integer type.
        unsafe { Value::from_raw(LLVMConstInt(self.ptr(), value, 0)) }
    }

    pub fn const_null(self) -> Value<'ctx> {
        // SAFETY: live type.
        unsafe { Value::from_raw(LLVMConstNull(self.ptr())) }
    }

    pub fn undef(self) -> Value<'ctx> {
        // SAFETY: live type.
        unsafe { Value::from_raw(LLVMGetUndef(self.ptr())) }
    }

    pub fn poison(self) -> Value<'ctx> {
        // SAFETY: live type.
        unsafe { Value::from_raw(LLVMGetPoison(self.ptr())) }
    }

    /// An array constant with elements of this type.
    pub fn const_array(self, elements: &[Value<'ctx>]) -> Value<'ctx> {
        let mut raw: Vec<_> = elements.iter().map(|v| v.ptr()).collect();
        // SAFETY: live type and constants; LLVM copies the list.
        unsafe { Value::from_raw(LLVMConstArray2(self.ptr(), raw.as_mut_ptr(), raw.len() as u64)) }
    }
}

impl std::fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: live type; the text is ours to dispose.
        f.write_str(&unsafe { take_message(LLVMPrintTypeToString(self.ptr())) })
    }
}

impl std::fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
