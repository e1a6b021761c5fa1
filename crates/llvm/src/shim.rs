//! Declarations of `shim/shim.cpp`, `shim/parts.cpp` and `shim/options.cpp`.
//!
//! The contract of every function: handles must be live and of the class that the parameter's name
//! indicates, indices must be in range, and pointers with a length must be valid for it.

use llvm_sys::prelude::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// LLVM's `ValueToValueMapTy`.
#[repr(C)]
pub(crate) struct RawValueMap {
    _private: [u8; 0],
}

/// A callback that gets the caller's data pointer and live metadata.
pub(crate) type VisitMetadata = extern "C" fn(*mut c_void, LLVMMetadataRef);

unsafe extern "C" {
    pub(crate) fn scythe_llvm_set_flag(flag_name: *const c_char, value: c_int) -> c_int;

    pub(crate) fn scythe_llvm_erase_named_metadata(
        module: LLVMModuleRef,
        name: *const c_char,
        len: usize,
    );
    pub(crate) fn scythe_llvm_named_metadata_count(node: LLVMNamedMDNodeRef) -> c_uint;
    pub(crate) fn scythe_llvm_named_metadata_operand(
        node: LLVMNamedMDNodeRef,
        index: c_uint,
    ) -> LLVMMetadataRef;
    pub(crate) fn scythe_llvm_named_metadata_add(
        node: LLVMNamedMDNodeRef,
        operand: LLVMMetadataRef,
    );

    pub(crate) fn scythe_llvm_metadata_class(metadata: LLVMMetadataRef) -> c_uint;
    pub(crate) fn scythe_llvm_metadata_string(
        string: LLVMMetadataRef,
        len: *mut usize,
    ) -> *const c_char;
    pub(crate) fn scythe_llvm_metadata_operand_count(node: LLVMMetadataRef) -> c_uint;
    pub(crate) fn scythe_llvm_metadata_operand(
        node: LLVMMetadataRef,
        index: c_uint,
    ) -> LLVMMetadataRef;
    pub(crate) fn scythe_llvm_metadata_constant(constant: LLVMMetadataRef) -> LLVMValueRef;
    pub(crate) fn scythe_llvm_metadata_distinct_node(
        context: LLVMContextRef,
        operands: *mut LLVMMetadataRef,
        count: usize,
    ) -> LLVMMetadataRef;
    pub(crate) fn scythe_llvm_metadata_set_operand(
        node: LLVMMetadataRef,
        index: c_uint,
        operand: LLVMMetadataRef,
    );
    pub(crate) fn scythe_llvm_global_metadata(
        global_object: LLVMValueRef,
        kind: c_uint,
    ) -> LLVMMetadataRef;
    pub(crate) fn scythe_llvm_instruction_metadata(
        instruction: LLVMValueRef,
        kind: c_uint,
    ) -> LLVMMetadataRef;
    pub(crate) fn scythe_llvm_instruction_set_metadata(
        instruction: LLVMValueRef,
        kind: c_uint,
        node_or_null: LLVMMetadataRef,
    );

    pub(crate) fn scythe_llvm_subprogram_name(
        subprogram: LLVMMetadataRef,
        len: *mut usize,
    ) -> *const c_char;
    pub(crate) fn scythe_llvm_is_debug_scope(metadata: LLVMMetadataRef) -> c_int;
    pub(crate) fn scythe_llvm_scope_subprogram(scope: LLVMMetadataRef) -> LLVMMetadataRef;

    pub(crate) fn scythe_llvm_take_body(to_function: LLVMValueRef, from_function: LLVMValueRef);
    pub(crate) fn scythe_llvm_delete_body(function: LLVMValueRef);
    pub(crate) fn scythe_llvm_strip_function_debug_info(function: LLVMValueRef);
    pub(crate) fn scythe_llvm_erase_alias(alias: LLVMValueRef);
    pub(crate) fn scythe_llvm_copy_function_attributes(
        to_function: LLVMValueRef,
        from_function: LLVMValueRef,
    );
    pub(crate) fn scythe_llvm_clear_parameter_attributes(function: LLVMValueRef, index: c_uint);
    pub(crate) fn scythe_llvm_clear_all_parameter_attributes(function: LLVMValueRef);
    pub(crate) fn scythe_llvm_inline_call(call: LLVMValueRef) -> *const c_char;
    pub(crate) fn scythe_llvm_remove_unreachable_blocks(function: LLVMValueRef) -> c_uint;
    pub(crate) fn scythe_llvm_split_block(
        block: LLVMBasicBlockRef,
        before_instruction_of_block: LLVMValueRef,
        name: *const c_char,
    ) -> LLVMBasicBlockRef;
    pub(crate) fn scythe_llvm_replace_used(
        user: LLVMValueRef,
        from: LLVMValueRef,
        to: LLVMValueRef,
    );
    pub(crate) fn scythe_llvm_append_to_compiler_used(
        module: LLVMModuleRef,
        globals: *mut LLVMValueRef,
        count: usize,
    );

    pub(crate) fn scythe_llvm_value_map_new() -> *mut RawValueMap;
    pub(crate) fn scythe_llvm_value_map_free(map: *mut RawValueMap);
    pub(crate) fn scythe_llvm_value_map_insert(
        map: *mut RawValueMap,
        from: LLVMValueRef,
        to: LLVMValueRef,
    );
    pub(crate) fn scythe_llvm_value_map_get(
        map: *mut RawValueMap,
        from: LLVMValueRef,
    ) -> LLVMValueRef;
    pub(crate) fn scythe_llvm_map_constant(
        map: *mut RawValueMap,
        constant: LLVMValueRef,
    ) -> LLVMValueRef;
    pub(crate) fn scythe_llvm_map_metadata(
        map: *mut RawValueMap,
        metadata: LLVMMetadataRef,
        poison_missing: c_int,
    ) -> LLVMMetadataRef;
    pub(crate) fn scythe_llvm_clone_function_into(
        to_function: LLVMValueRef,
        from_function: LLVMValueRef,
        map: *mut RawValueMap,
        scope: c_uint,
        poison_missing: c_int,
    );
    pub(crate) fn scythe_llvm_copy_global_variable_attributes(
        to_variable: LLVMValueRef,
        from_variable: LLVMValueRef,
    );
    pub(crate) fn scythe_llvm_add_global_variable_attribute(
        variable: LLVMValueRef,
        name: *const c_char,
        name_len: usize,
        value: *const c_char,
        value_len: usize,
    );
    pub(crate) fn scythe_llvm_global_variable_attribute(
        variable: LLVMValueRef,
        name: *const c_char,
        name_len: usize,
        len: *mut usize,
    ) -> *const c_char;
    pub(crate) fn scythe_llvm_copy_global_metadata(
        to: LLVMValueRef,
        from: LLVMValueRef,
        map: *mut RawValueMap,
        poison_missing: c_int,
    );

    pub(crate) fn scythe_llvm_function_units(
        function: LLVMValueRef,
        visit: VisitMetadata,
        data: *mut c_void,
    );
    pub(crate) fn scythe_llvm_variable_units(
        variable: LLVMValueRef,
        visit: VisitMetadata,
        data: *mut c_void,
    );
    pub(crate) fn scythe_llvm_metadata_names_globals(module: LLVMModuleRef) -> c_int;
    pub(crate) fn scythe_llvm_clone_function_sharing_metadata(
        to_function: LLVMValueRef,
        from_function: LLVMValueRef,
        map: *mut RawValueMap,
    );
    pub(crate) fn scythe_llvm_share_global_metadata(to: LLVMValueRef, from: LLVMValueRef);
    pub(crate) fn scythe_llvm_append_to_global_ctors(
        module: LLVMModuleRef,
        function: LLVMValueRef,
        priority: c_int,
    );
    pub(crate) fn scythe_llvm_append_to_global_dtors(
        module: LLVMModuleRef,
        function: LLVMValueRef,
        priority: c_int,
    );
    pub(crate) fn scythe_llvm_append_to_used(
        module: LLVMModuleRef,
        globals: *mut LLVMValueRef,
        count: usize,
    );
    pub(crate) fn scythe_llvm_has_indirect_functions(module: LLVMModuleRef) -> c_int;
    pub(crate) fn scythe_llvm_demangle(
        symbol: *const c_char,
        len: usize,
        take: extern "C" fn(*mut c_void, *const c_char, usize),
        data: *mut c_void,
    );
}
