//! Source positions of instructions and functions, as debug information has them.

use crate::text::copy_string;
use crate::{Function, Instruction, Metadata, shim};
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::ffi::{c_char, c_uint};

/// A position in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DebugLoc {
    pub directory: String,
    pub file: String,
    pub line: u32,
    /// 0 where it is not known.
    pub column: u32,
    /// The name of the source function, as written.
    pub function: String,
}

impl<'ctx> Instruction<'ctx> {
    /// Where the instruction comes from: innermost position first, then the calls it was inlined
    /// through.
    pub fn debug_locs(self) -> Vec<DebugLoc> {
        let mut out = Vec::new();
        let mut next = self.debug_loc_metadata();
        while let Some(location) = next {
            let raw = location.ptr();
            // SAFETY: a live location, of which each part is asked.
            let (line, column, scope, inlined_at) = unsafe {
                let scope = Metadata::from_nullable(LLVMDILocationGetScope(raw));
                let inlined_at = Metadata::from_nullable(LLVMDILocationGetInlinedAt(raw));
                (LLVMDILocationGetLine(raw), LLVMDILocationGetColumn(raw), scope, inlined_at)
            };
            if let Some(scope) = scope {
                out.push(at(scope, line, column));
            }
            next = inlined_at;
        }
        out
    }

    /// The innermost position.
    pub fn debug_loc(self) -> Option<DebugLoc> {
        self.debug_locs().into_iter().next()
    }
}

impl Function<'_> {
    /// Where the function is declared.
    pub fn debug_loc(self) -> Option<DebugLoc> {
        let subprogram = self.subprogram()?;
        // SAFETY: a live subprogram.
        Some(at(subprogram, unsafe { LLVMDISubprogramGetLine(subprogram.ptr()) }, 0))
    }
}

fn at(scope: Metadata<'_>, line: u32, column: u32) -> DebugLoc {
    // SAFETY: live metadata, and asked for being a scope before its parts are.
    unsafe {
        let is_scope = shim::scythe_llvm_is_debug_scope(scope.ptr()) != 0;
        let file = if is_scope { LLVMDIScopeGetFile(scope.ptr()) } else { std::ptr::null_mut() };
        let function = Metadata::from_nullable(shim::scythe_llvm_scope_subprogram(scope.ptr()));
        DebugLoc {
            directory: file_part(file, LLVMDIFileGetDirectory),
            file: file_part(file, LLVMDIFileGetFilename),
            line,
            column,
            function: function.map_or(String::new(), |f| {
                let mut len = 0;
                let name = shim::scythe_llvm_subprogram_name(f.ptr(), &mut len);
                copy_string(name, len)
            }),
        }
    }
}

/// # Safety
/// `file` is null or a live `DIFile`.
unsafe fn file_part(
    file: LLVMMetadataRef,
    part: unsafe extern "C" fn(LLVMMetadataRef, *mut c_uint) -> *const c_char,
) -> String {
    if file.is_null() {
        return String::new();
    }
    let mut len = 0;
    // SAFETY: a live file by this function's contract; the string lives as long as it.
    unsafe {
        let data = part(file, &mut len);
        copy_string(data, len as usize)
    }
}
