//! Source positions of instructions and functions, from debug information.

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
    /// The column, or 0 if it is not known.
    pub column: u32,
    /// The name of the source function, unmangled.
    pub function: String,
}

impl<'ctx> Instruction<'ctx> {
    /// Returns the positions of the instruction: the innermost position first, then the calls
    /// through which it was inlined.
    pub fn debug_locs(self) -> Vec<DebugLoc> {
        let mut out = Vec::new();
        let mut next = self.debug_loc_metadata();
        while let Some(location) = next {
            let raw = location.ptr();
            // SAFETY: the location is live, and LLVM accepts these queries for every location.
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

    /// Returns the innermost position.
    pub fn debug_loc(self) -> Option<DebugLoc> {
        self.debug_locs().into_iter().next()
    }
}

impl Function<'_> {
    /// Returns the position of the function's declaration.
    pub fn debug_loc(self) -> Option<DebugLoc> {
        let subprogram = self.subprogram()?;
        // SAFETY: the subprogram is live.
        Some(at(subprogram, unsafe { LLVMDISubprogramGetLine(subprogram.ptr()) }, 0))
    }
}

pub(crate) fn at(scope: Metadata<'_>, line: u32, column: u32) -> DebugLoc {
    // SAFETY: the metadata is live, and is checked to be a scope before its file is read. The shim
    // accepts any metadata for the subprogram.
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
/// `file` must be null or a live `DIFile`.
unsafe fn file_part(
    file: LLVMMetadataRef,
    part: unsafe extern "C" fn(LLVMMetadataRef, *mut c_uint) -> *const c_char,
) -> String {
    if file.is_null() {
        return String::new();
    }
    let mut len = 0;
    // SAFETY: the caller guarantees that `file` is live (this function's contract). The string
    // lives as long as the file.
    unsafe {
        let data = part(file, &mut len);
        copy_string(data, len as usize)
    }
}
