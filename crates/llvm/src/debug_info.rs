//! Changes to debug information: how much of it a module has, the positions of instructions, and
//! the places of variables.

use crate::debug_loc::{self, DebugLoc};
use crate::text::copy_string;
use crate::{ContextRef, Function, Instruction, Metadata, Module, Value};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

type Visit = extern "C" fn(*mut c_void, c_uint);
type Rewrite = extern "C" fn(*mut c_void, LLVMMetadataRef, c_int) -> LLVMMetadataRef;

// Declarations of `shim/debug_info.cpp`. The contract of every function: handles must be live and
// of the class that the parameter's name indicates, and texts must have the given length.
unsafe extern "C" {
    fn scythe_llvm_visit_debug_kinds(module: LLVMModuleRef, visit: Visit, data: *mut c_void);
    fn scythe_llvm_keep_line_tables(module: LLVMModuleRef);
    fn scythe_llvm_keep_line_directives(module: LLVMModuleRef);
    fn scythe_llvm_set_subprogram(function: LLVMValueRef, subprogram_or_null: LLVMMetadataRef);
    fn scythe_llvm_derive_subprogram(
        subprogram: LLVMMetadataRef,
        name: *const c_char,
        name_len: usize,
        file_or_null: LLVMMetadataRef,
        line: c_uint,
    ) -> LLVMMetadataRef;
    fn scythe_llvm_rewrite_debug_locations(
        function: LLVMValueRef,
        rewrite: Rewrite,
        data: *mut c_void,
    );
    fn scythe_llvm_drop_debug_address_spaces(function: LLVMValueRef);
    fn scythe_llvm_indirect_debug_expression(expression: LLVMMetadataRef) -> LLVMMetadataRef;
    fn scythe_llvm_rename_subprogram(
        subprogram: LLVMMetadataRef,
        name: *const c_char,
        name_len: usize,
        file_or_null: LLVMMetadataRef,
    );
    fn scythe_llvm_debug_scope_parent(scope: LLVMMetadataRef) -> LLVMMetadataRef;
    fn scythe_llvm_debug_scope_name(scope: LLVMMetadataRef, len: *mut usize) -> *const c_char;
    fn scythe_llvm_distinct_debug_location(
        local_scope: LLVMMetadataRef,
        line: c_uint,
        column: c_uint,
        inlined_at_or_null: LLVMMetadataRef,
    ) -> LLVMMetadataRef;
}

/// LLVM's number for a compile unit without debug information.
const NO_DEBUG: c_uint = 0;

fn raw(metadata: Option<Metadata<'_>>) -> LLVMMetadataRef {
    metadata.map_or(std::ptr::null_mut(), |m| m.ptr())
}

impl Module<'_> {
    /// Returns whether any compile unit has debug information.
    pub fn has_debug_info(&self) -> bool {
        extern "C" fn visit(found: *mut c_void, kind: c_uint) {
            // SAFETY: `found` is the flag below, which the shim passes unchanged.
            unsafe { *found.cast::<bool>() |= kind != NO_DEBUG }
        }
        let mut found = false;
        // SAFETY: the module is live, and the flag outlives the call.
        unsafe { scythe_llvm_visit_debug_kinds(self.ptr(), visit, (&raw mut found).cast()) };
        found
    }

    /// Removes all debug information except the positions of instructions.
    pub fn keep_line_tables(&self) {
        // SAFETY: the module is live.
        unsafe { scythe_llvm_keep_line_tables(self.ptr()) }
    }

    /// Does the same, and makes code generation emit the positions without debug sections.
    pub fn keep_line_directives(&self) {
        // SAFETY: the module is live.
        unsafe {
            scythe_llvm_keep_line_tables(self.ptr());
            scythe_llvm_keep_line_directives(self.ptr());
        }
    }
}

impl<'ctx> Function<'ctx> {
    /// Removes the link to the `DISubprogram`. The positions of instructions stay.
    pub fn clear_subprogram(self) {
        // SAFETY: the function is live.
        unsafe { scythe_llvm_set_subprogram(self.ptr(), std::ptr::null_mut()) }
    }

    /// Removes the address spaces from the locations of variables, for a machine with one address
    /// space.
    pub fn drop_debug_address_spaces(self) {
        // SAFETY: the function is live.
        unsafe { scythe_llvm_drop_debug_address_spaces(self.ptr()) }
    }

    /// Replaces the position of each instruction and each variable. The callback's second argument
    /// says whether the position is that of a variable. Variables without a new position are
    /// removed.
    pub fn rewrite_debug_locs(self, rewrite: &mut RewritePosition<'_, 'ctx>) {
        extern "C" fn call(
            data: *mut c_void,
            location: LLVMMetadataRef,
            is_variable: c_int,
        ) -> LLVMMetadataRef {
            // SAFETY: `data` is the callback below, which the shim passes unchanged, and the
            // location is live. The lifetimes are those of the call below.
            unsafe {
                let rewrite = &mut *data.cast::<&mut RewritePosition<'_, '_>>();
                raw(rewrite(DebugPosition(Metadata::from_raw(location)), is_variable != 0))
            }
        }
        let mut rewrite = rewrite;
        // SAFETY: the function is live, and the callback outlives the call. It returns null or a
        // location, which is all that callers can make (`DebugPosition`).
        unsafe {
            scythe_llvm_rewrite_debug_locations(self.ptr(), call, (&raw mut rewrite).cast());
        }
    }

    /// Returns the variables whose place is the address of memory.
    pub fn debug_variables(self) -> Vec<DebugVariable<'ctx>> {
        let mut found = Vec::new();
        for instruction in self.instructions() {
            // SAFETY: the instruction is live. LLVM returns null if it has no records.
            let mut next = unsafe { LLVMGetFirstDbgRecord(instruction.ptr()) };
            while !next.is_null() {
                // SAFETY: the record is live, and its kind is checked before its parts are read.
                unsafe {
                    if LLVMDbgRecordGetKind(next)
                        == llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordDeclare
                    {
                        found.extend(
                            Value::from_nullable(LLVMDbgVariableRecordGetValue(next, 0)).map(
                                |address| DebugVariable {
                                    address,
                                    variable: Metadata::from_raw(LLVMDbgVariableRecordGetVariable(
                                        next,
                                    )),
                                    expression: Metadata::from_raw(
                                        LLVMDbgVariableRecordGetExpression(next),
                                    ),
                                    position: Metadata::from_raw(LLVMDbgRecordGetDebugLoc(next)),
                                },
                            ),
                        );
                    }
                    next = LLVMGetNextDbgRecord(next);
                }
            }
        }
        found
    }
}

/// Returns the new position for an old one; see [`Function::rewrite_debug_locs`].
pub type RewritePosition<'a, 'ctx> =
    dyn FnMut(DebugPosition<'ctx>, bool) -> Option<Metadata<'ctx>> + 'a;

/// A variable of the source and the address of its memory.
#[derive(Clone, Copy, Debug)]
pub struct DebugVariable<'ctx> {
    pub address: Value<'ctx>,
    variable: Metadata<'ctx>,
    expression: Metadata<'ctx>,
    position: Metadata<'ctx>,
}

/// A position in the source: a `DILocation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DebugPosition<'ctx>(Metadata<'ctx>);

impl<'ctx> DebugPosition<'ctx> {
    pub fn metadata(self) -> Metadata<'ctx> {
        self.0
    }

    pub fn line(self) -> u32 {
        // SAFETY: the location is live.
        unsafe { LLVMDILocationGetLine(self.0.ptr()) }
    }

    pub fn column(self) -> u32 {
        // SAFETY: the location is live.
        unsafe { LLVMDILocationGetColumn(self.0.ptr()) }
    }

    /// Returns the file and the line.
    pub fn place(self) -> DebugLoc {
        debug_loc::at(self.scope().0, self.line(), self.column())
    }

    /// Returns the block or function that contains the position.
    pub fn scope(self) -> DebugScope<'ctx> {
        // SAFETY: the location is live, and every location has a scope.
        DebugScope(unsafe { Metadata::from_raw(LLVMDILocationGetScope(self.0.ptr())) })
    }

    /// Returns the call through which the position was inlined.
    pub fn inlined_at(self) -> Option<Self> {
        // SAFETY: the location is live. LLVM returns null if it was not inlined.
        unsafe { Metadata::from_nullable(LLVMDILocationGetInlinedAt(self.0.ptr())) }.map(Self)
    }
}

impl<'ctx> Instruction<'ctx> {
    /// Returns the position of the instruction.
    pub fn debug_position(self) -> Option<DebugPosition<'ctx>> {
        self.debug_loc_metadata().map(DebugPosition)
    }
}

/// A scope of the source: a block, function, class, namespace or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DebugScope<'ctx>(Metadata<'ctx>);

impl<'ctx> DebugScope<'ctx> {
    /// Returns the scope of a function of the source, a `DISubprogram`.
    pub fn of(function: Function<'ctx>) -> Option<Self> {
        function.subprogram().map(Self)
    }

    pub fn metadata(self) -> Metadata<'ctx> {
        self.0
    }

    /// Returns the function that contains this scope, for scopes inside of functions.
    pub fn function(self) -> Option<Self> {
        // SAFETY: the scope is live. The shim returns null for other scopes.
        unsafe { Metadata::from_nullable(crate::shim::scythe_llvm_scope_subprogram(self.0.ptr())) }
            .map(Self)
    }

    pub fn parent(self) -> Option<Self> {
        // SAFETY: the scope is live. The shim returns null if there is none.
        unsafe { Metadata::from_nullable(scythe_llvm_debug_scope_parent(self.0.ptr())) }.map(Self)
    }

    pub fn file(self) -> Option<Metadata<'ctx>> {
        // SAFETY: the scope is live. LLVM returns null if it has no file.
        unsafe { Metadata::from_nullable(LLVMDIScopeGetFile(self.0.ptr())) }
    }

    /// Returns whether the scope is a file or a compile unit.
    pub fn is_file(self) -> bool {
        // SAFETY: the metadata is live.
        let kind = unsafe { LLVMGetMetadataKind(self.0.ptr()) };
        [LLVMMetadataKind::LLVMDIFileMetadataKind, LLVMMetadataKind::LLVMDICompileUnitMetadataKind]
            .map(|kind| kind as u32)
            .contains(&(kind as u32))
    }

    /// Returns the name of the scope, which is empty if it has none.
    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the scope is live. The shim returns a text and its length.
        unsafe {
            let name = scythe_llvm_debug_scope_name(self.0.ptr(), &mut len);
            copy_string(name, len)
        }
    }

    /// Returns the line of a function, or 0 for other scopes.
    pub fn line(self) -> u32 {
        match self.function() {
            // SAFETY: the scope is a live `DISubprogram`.
            Some(function) if function == self => unsafe { LLVMDISubprogramGetLine(self.0.ptr()) },
            _ => 0,
        }
    }

    /// Returns the file and the line of a function.
    pub fn place(self) -> DebugLoc {
        debug_loc::at(self.0, self.line(), 0)
    }

    /// Sets the name of a function, which is a definition, and its file if there is one.
    pub fn rename(self, name: &str, file: Option<Metadata<'ctx>>) {
        // SAFETY: the scope is a live `DISubprogram`, and the text has this length.
        unsafe {
            scythe_llvm_rename_subprogram(self.0.ptr(), name.as_ptr().cast(), name.len(), raw(file))
        }
    }

    /// Returns the scope of an artificial function like this one, which is a function, with another
    /// name and position.
    pub fn derive(self, name: &str, file: Option<Metadata<'ctx>>, line: u32) -> Self {
        let (text, len) = (name.as_ptr().cast(), name.len());
        // SAFETY: the scope is a live `DISubprogram`, and the text has this length.
        Self(unsafe {
            Metadata::from_raw(scythe_llvm_derive_subprogram(
                self.0.ptr(),
                text,
                len,
                raw(file),
                line,
            ))
        })
    }

    /// Returns a position in this scope, which is a function or a block.
    pub fn position(
        self,
        context: ContextRef<'ctx>,
        line: u32,
        column: u32,
        inlined_at: Option<Metadata<'ctx>>,
    ) -> Metadata<'ctx> {
        // SAFETY: the scope is live, and the call is null or live.
        unsafe {
            Metadata::from_raw(LLVMDIBuilderCreateDebugLocation(
                context.ptr(),
                line,
                column,
                self.0.ptr(),
                raw(inlined_at),
            ))
        }
    }

    /// Returns the position of one inlined call in this scope, which is a function or a block. It
    /// differs from the positions of all other calls.
    pub fn call_position(
        self,
        line: u32,
        column: u32,
        inlined_at: Option<Metadata<'ctx>>,
    ) -> Metadata<'ctx> {
        // SAFETY: the scope is live, and the call is null or live.
        unsafe {
            Metadata::from_raw(scythe_llvm_distinct_debug_location(
                self.0.ptr(),
                line,
                column,
                raw(inlined_at),
            ))
        }
    }
}

/// Adds variables to a module's debug information.
pub struct DebugBuilder<'ctx> {
    raw: LLVMDIBuilderRef,
    life: std::marker::PhantomData<&'ctx ()>,
}

impl<'ctx> DebugBuilder<'ctx> {
    pub fn new(module: &Module<'ctx>) -> Self {
        // SAFETY: the module is live, and outlives its handles.
        let raw = unsafe { LLVMCreateDIBuilderDisallowUnresolved(module.ptr()) };
        Self { raw, life: std::marker::PhantomData }
    }

    /// Declares that `variable` is also at `address`, or at the address that the memory at
    /// `address` contains. The address must be valid at `before`.
    pub fn declare_again(
        &self,
        variable: &DebugVariable<'ctx>,
        address: Value<'ctx>,
        is_indirect: bool,
        before: Instruction<'ctx>,
    ) {
        let expression = match is_indirect {
            // SAFETY: the expression is live.
            true => unsafe {
                Metadata::from_raw(scythe_llvm_indirect_debug_expression(variable.expression.ptr()))
            },
            false => variable.expression,
        };
        self.declare(variable.variable, expression, variable.position, address, before);
    }

    /// Declares the artificial variable `name` of type `unsigned long[count]` in the function of a
    /// position. It is at the offset `offset` from `address`, which must be valid at `before`.
    pub fn declare_numbers(
        &self,
        name: &str,
        count: i64,
        position: Metadata<'ctx>,
        (address, offset): (Value<'ctx>, u64),
        before: Instruction<'ctx>,
    ) {
        const UNSIGNED: u32 = 7;
        const PLUS: u64 = 0x23;
        let at = DebugPosition(position);
        let Some(function) = at.scope().function() else { return };
        let element = "unsigned long";
        // SAFETY: the builder and the metadata are live, the texts have these lengths, and the
        // lists outlive the calls.
        unsafe {
            let number = LLVMDIBuilderCreateBasicType(
                self.raw,
                element.as_ptr().cast(),
                element.len(),
                64,
                UNSIGNED,
                LLVMDIFlagZero,
            );
            let mut range = LLVMDIBuilderGetOrCreateSubrange(self.raw, 0, count);
            let size = count as u64 * 64;
            let array = LLVMDIBuilderCreateArrayType(self.raw, size, 64, number, &mut range, 1);
            let variable = LLVMDIBuilderCreateAutoVariable(
                self.raw,
                function.metadata().ptr(),
                name.as_ptr().cast(),
                name.len(),
                raw(function.file()),
                0,
                array,
                0,
                LLVMDIFlagArtificial,
                0,
            );
            let mut offset = [PLUS, offset];
            let expression =
                LLVMDIBuilderCreateExpression(self.raw, offset.as_mut_ptr(), offset.len());
            let (variable, expression) =
                (Metadata::from_raw(variable), Metadata::from_raw(expression));
            self.declare(variable, expression, position, address, before);
        }
    }

    fn declare(
        &self,
        variable: Metadata<'ctx>,
        expression: Metadata<'ctx>,
        position: Metadata<'ctx>,
        address: Value<'ctx>,
        before: Instruction<'ctx>,
    ) {
        // SAFETY: the builder, the metadata, the address and the block are live.
        unsafe {
            LLVMDIBuilderInsertDeclareRecordBefore(
                self.raw,
                address.ptr(),
                variable.ptr(),
                expression.ptr(),
                position.ptr(),
                before.ptr(),
            );
        }
    }
}

impl Drop for DebugBuilder<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the builder, and `drop` runs once.
        unsafe {
            LLVMDIBuilderFinalize(self.raw);
            LLVMDisposeDIBuilder(self.raw);
        }
    }
}
