//! Contexts, which own types, constants and metadata, and receive LLVM's diagnostics.

use crate::text::{c_string, take_message};
use crate::{
    Attribute, BasicBlock, Builder, Error, Function, Metadata, MetadataKind, Module, Type, Value,
};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, bit_reader, ir_reader};
use scythe_diag::{Diagnostic, Severity};
use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};

/// An LLVM context of our own. Its diagnostics are collected, never printed.
pub struct Context {
    raw: NonNull<llvm_sys::LLVMContext>,
    // Boxed, because LLVM keeps the address.
    diagnostics: Box<RefCell<Vec<Diagnostic>>>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    pub fn new() -> Self {
        // SAFETY: the function has no preconditions.
        let raw = unsafe { LLVMContextCreate() };
        let raw = NonNull::new(raw).expect("LLVMContextCreate allocates or ends the process");
        let diagnostics = Box::new(RefCell::new(Vec::new()));
        let sink: *const RefCell<Vec<Diagnostic>> = &*diagnostics;
        // SAFETY: the box outlives the context, and `collect` casts the pointer back to the same
        // type.
        unsafe {
            LLVMContextSetDiagnosticHandler(raw.as_ptr(), Some(collect), sink as *mut c_void)
        };
        Self { raw, diagnostics }
    }

    /// Returns the handle that creates types, constants, attributes and metadata.
    pub fn handle(&self) -> ContextRef<'_> {
        ContextRef { raw: self.raw, life: PhantomData }
    }

    /// Returns LLVM's diagnostics since the last call. They have neither codes nor locations.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.diagnostics.borrow_mut())
    }

    /// Creates an empty module.
    pub fn create_module(&self, name: &str) -> Module<'_> {
        self.handle().create_module(name)
    }

    /// Reads bitcode. `name` becomes the module's identifier and appears in errors.
    pub fn parse_bitcode(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, Error> {
        let buffer = MemoryBuffer::copy(bytes, name);
        let mut module = null_mut();
        let (failed, errors) = self.handle().capture_errors(|| {
            // SAFETY: the context and the buffer are live. `module` receives a module on success.
            // LLVM does not take ownership of the buffer.
            unsafe {
                bit_reader::LLVMParseBitcodeInContext2(self.raw.as_ptr(), buffer.0, &mut module)
                    != 0
            }
        });
        if failed || module.is_null() {
            let message = if errors.is_empty() { "not LLVM bitcode".into() } else { errors };
            return Err(Error::Parse { what: "bitcode", name: name.into(), message });
        }
        // SAFETY: the module is new, belongs to this context and has no other owner.
        let module = unsafe { Module::owned(module) };
        module.set_name(name);
        Ok(module)
    }

    /// Reads textual IR or bitcode. LLVM detects the format.
    pub fn parse_ir(&self, text: &[u8], name: &str) -> Result<Module<'_>, Error> {
        let buffer = MemoryBuffer::copy(text, name);
        let (mut module, mut message) = (null_mut(), null_mut());
        // SAFETY: the context and the buffer are live. LLVM does not take ownership of the buffer.
        let failed = unsafe {
            ir_reader::LLVMParseIRInContext2(self.raw.as_ptr(), buffer.0, &mut module, &mut message)
        } != 0;
        // SAFETY: the pointer is null or a message from LLVM that nothing else disposes.
        let message = unsafe { take_message(message) };
        if failed || module.is_null() {
            return Err(Error::Parse {
                what: "IR",
                name: name.into(),
                message: message.trim_end().into(),
            });
        }
        // SAFETY: the module is new, belongs to this context and has no other owner.
        Ok(unsafe { Module::owned(module) })
    }
}

thread_local! {
    /// Contexts of this thread that a fatal error left in an unknown state. They are not disposed.
    /// A context never leaves its thread.
    static LOST: RefCell<Vec<NonNull<llvm_sys::LLVMContext>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Context {
    fn drop(&mut self) {
        let lost = LOST.try_with(|lost| {
            let at = lost.borrow().iter().position(|raw| *raw == self.raw);
            at.map(|at| lost.borrow_mut().swap_remove(at))
        });
        if let Ok(Some(_)) = lost {
            // LLVM still has the address of the diagnostics.
            std::mem::forget(std::mem::take(&mut self.diagnostics));
            return;
        }
        // SAFETY: modules borrow the context, so none is left, and no handle outlives the context's
        // lifetime.
        unsafe { LLVMContextDispose(self.raw.as_ptr()) }
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({:p})", self.raw)
    }
}

/// Reads a diagnostic that LLVM reports.
///
/// # Safety
/// `info` must be live.
unsafe fn read(info: LLVMDiagnosticInfoRef) -> Diagnostic {
    // SAFETY: the caller guarantees that `info` is live (this function's contract). `take_message`
    // disposes the description.
    let message = unsafe { take_message(LLVMGetDiagInfoDescription(info)) };
    // SAFETY: the caller guarantees that `info` is live (this function's contract).
    let severity = match unsafe { LLVMGetDiagInfoSeverity(info) } {
        LLVMDiagnosticSeverity::LLVMDSError => Severity::Error,
        LLVMDiagnosticSeverity::LLVMDSWarning => Severity::Warning,
        LLVMDiagnosticSeverity::LLVMDSRemark => Severity::Remark,
        LLVMDiagnosticSeverity::LLVMDSNote => Severity::Note,
    };
    Diagnostic::foreign(severity, message)
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic. `Context::new` set `sink` to a cell that outlives the
    // context. Only one thread uses the context.
    let (diagnostic, sink) = unsafe { (read(info), &*(sink as *const RefCell<Vec<Diagnostic>>)) };
    if let Ok(mut list) = sink.try_borrow_mut() {
        list.push(diagnostic);
    }
}

/// The target of the errors in [`ContextRef::capture_errors`], and the handler of all other
/// diagnostics.
struct Capture {
    errors: RefCell<Vec<String>>,
    handler: llvm_sys::LLVMDiagnosticHandler,
    handler_context: *mut c_void,
}

extern "C" fn capture(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic. `sink` is the `Capture` of the running
    // `capture_errors`.
    let (diagnostic, sink) = unsafe { (read(info), &*(sink as *const Capture)) };
    if diagnostic.severity == Severity::Error {
        if let Ok(mut list) = sink.errors.try_borrow_mut() {
            list.push(diagnostic.message);
        }
    } else if let Some(handler) = sink.handler {
        handler(info, sink.handler_context);
    }
}

/// A context that a [`Context`] or clang owns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ContextRef<'ctx> {
    pub(crate) raw: NonNull<llvm_sys::LLVMContext>,
    life: PhantomData<&'ctx ()>,
}

impl<'ctx> ContextRef<'ctx> {
    /// Prevents the disposal of the context after a fatal error, which may have left its contents
    /// in any state.
    pub(crate) fn lose(self) {
        let _ = LOST.try_with(|lost| lost.borrow_mut().push(self.raw));
    }

    /// # Safety
    /// `raw` is a live context, and stays so for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMContextRef) -> Self {
        Self { raw: NonNull::new(raw).expect("LLVM gives no null contexts"), life: PhantomData }
    }

    pub(crate) fn ptr(self) -> LLVMContextRef {
        self.raw.as_ptr()
    }

    /// Runs `action` and returns the errors that LLVM reported meanwhile, joined. Other diagnostics
    /// go to the previous handler.
    pub(crate) fn capture_errors<R>(self, action: impl FnOnce() -> R) -> (R, String) {
        // SAFETY: the context is live.
        let (handler, handler_context) = unsafe {
            (
                LLVMContextGetDiagnosticHandler(self.ptr()),
                LLVMContextGetDiagnosticContext(self.ptr()),
            )
        };
        let sink = Capture { errors: RefCell::default(), handler, handler_context };
        // SAFETY: `sink` lives until the previous handler is restored below.
        unsafe {
            LLVMContextSetDiagnosticHandler(
                self.ptr(),
                Some(capture),
                &raw const sink as *mut c_void,
            )
        };
        let result = action();
        // SAFETY: this restores the previous handler and its context.
        unsafe { LLVMContextSetDiagnosticHandler(self.ptr(), handler, handler_context) };
        (result, sink.errors.into_inner().join("; "))
    }

    pub fn create_module(self, name: &str) -> Module<'ctx> {
        let name = c_string(name);
        // SAFETY: the context is live. LLVM copies the name. The new module has no other owner.
        unsafe { Module::owned(LLVMModuleCreateWithNameInContext(name.as_ptr(), self.ptr())) }
    }

    pub fn create_builder(self) -> Builder<'ctx> {
        Builder::new(self)
    }

    // --- Types ---

    pub fn void_type(self) -> Type<'ctx> {
        // SAFETY: the context is live.
        unsafe { Type::from_raw(LLVMVoidTypeInContext(self.ptr())) }
    }

    /// Returns the type `iN`. LLVM allows 1 to 2^23 bits; other widths are clamped to this range.
    pub fn int_type(self, bits: u32) -> Type<'ctx> {
        // SAFETY: the context is live, and LLVM supports the width.
        unsafe { Type::from_raw(LLVMIntTypeInContext(self.ptr(), bits.clamp(1, 1 << 23))) }
    }

    pub fn half_type(self) -> Type<'ctx> {
        // SAFETY: the context is live.
        unsafe { Type::from_raw(LLVMHalfTypeInContext(self.ptr())) }
    }

    pub fn bfloat_type(self) -> Type<'ctx> {
        // SAFETY: the context is live.
        unsafe { Type::from_raw(LLVMBFloatTypeInContext(self.ptr())) }
    }

    pub fn float_type(self) -> Type<'ctx> {
        // SAFETY: the context is live.
        unsafe { Type::from_raw(LLVMFloatTypeInContext(self.ptr())) }
    }

    pub fn double_type(self) -> Type<'ctx> {
        // SAFETY: the context is live.
        unsafe { Type::from_raw(LLVMDoubleTypeInContext(self.ptr())) }
    }

    pub fn ptr_type(self, address_space: u32) -> Type<'ctx> {
        // SAFETY: the context is live.
        unsafe { Type::from_raw(LLVMPointerTypeInContext(self.ptr(), address_space)) }
    }

    /// Returns a target extension type without parameters, such as `spirv.Event`.
    pub fn target_type(self, name: &std::ffi::CStr) -> Type<'ctx> {
        // SAFETY: the context is live, and the name is a C string. The lists of parameters are
        // empty, so LLVM does not read them.
        unsafe {
            let none = std::ptr::null_mut();
            Type::from_raw(LLVMTargetExtTypeInContext(
                self.ptr(),
                name.as_ptr(),
                none,
                0,
                none.cast(),
                0,
            ))
        }
    }

    pub fn struct_type(self, elements: &[Type<'ctx>], packed: bool) -> Type<'ctx> {
        let mut raw: Vec<_> = elements.iter().map(|t| t.ptr()).collect();
        // SAFETY: the context and the types are live. LLVM copies the list.
        unsafe {
            Type::from_raw(LLVMStructTypeInContext(
                self.ptr(),
                raw.as_mut_ptr(),
                raw.len() as u32,
                packed as i32,
            ))
        }
    }

    /// Returns the struct type with this name, if the context has one.
    pub fn struct_by_name(self, name: &str) -> Option<Type<'ctx>> {
        let name = c_string(name);
        // SAFETY: the context is live, and the name is a C string.
        let raw = unsafe { LLVMGetTypeByName2(self.ptr(), name.as_ptr()) };
        // SAFETY: if the pointer is not null, it is a type of this context.
        (!raw.is_null()).then(|| unsafe { Type::from_raw(raw) })
    }

    // --- Constants ---

    /// Creates an integer constant of `bits` bits. Higher bits of `value` are dropped.
    pub fn const_int(self, bits: u32, value: u64) -> Value<'ctx> {
        self.int_type(bits).const_int(value)
    }

    pub fn const_string(self, text: &[u8], nul_terminated: bool) -> Value<'ctx> {
        // SAFETY: the context is live. LLVM copies the bytes.
        unsafe {
            Value::from_raw(LLVMConstStringInContext2(
                self.ptr(),
                text.as_ptr().cast(),
                text.len(),
                !nul_terminated as i32,
            ))
        }
    }

    pub fn const_struct(self, fields: &[Value<'ctx>], packed: bool) -> Value<'ctx> {
        let mut raw: Vec<_> = fields.iter().map(|v| v.ptr()).collect();
        // SAFETY: the context and the constants are live. LLVM copies the list.
        unsafe {
            Value::from_raw(LLVMConstStructInContext(
                self.ptr(),
                raw.as_mut_ptr(),
                raw.len() as u32,
                packed as i32,
            ))
        }
    }

    // --- Attributes ---

    /// Creates an attribute that LLVM knows by name, such as `noundef` (value 0) or `align` (value:
    /// bytes). Returns `None` for a name that this LLVM does not know.
    pub fn enum_attribute(self, name: &str, value: u64) -> Option<Attribute<'ctx>> {
        let kind = Attribute::kind_number(name)?;
        // SAFETY: the context is live, and LLVM returned the kind.
        Some(unsafe { Attribute::from_raw(LLVMCreateEnumAttribute(self.ptr(), kind, value)) })
    }

    /// Creates an attribute with a type, such as `byval`.
    pub fn type_attribute(self, name: &str, ty: Type<'ctx>) -> Option<Attribute<'ctx>> {
        let kind = Attribute::kind_number(name)?;
        // SAFETY: the context and the type are live, and LLVM returned the kind.
        Some(unsafe { Attribute::from_raw(LLVMCreateTypeAttribute(self.ptr(), kind, ty.ptr())) })
    }

    pub fn string_attribute(self, name: &str, value: &str) -> Attribute<'ctx> {
        // SAFETY: the context is live. LLVM copies both strings.
        unsafe {
            Attribute::from_raw(LLVMCreateStringAttribute(
                self.ptr(),
                name.as_ptr().cast(),
                name.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            ))
        }
    }

    // --- Metadata ---

    /// Returns the number of a metadata kind, such as `intel_reqd_sub_group_size` or
    /// `llvm.access.group`.
    pub fn metadata_kind(self, name: &str) -> MetadataKind {
        // SAFETY: the context is live, and the string has this length.
        MetadataKind(unsafe {
            LLVMGetMDKindIDInContext(self.ptr(), name.as_ptr().cast(), name.len() as u32)
        })
    }

    pub fn md_string(self, text: &str) -> Metadata<'ctx> {
        // SAFETY: the context is live. LLVM copies the string.
        unsafe {
            Metadata::from_raw(LLVMMDStringInContext2(self.ptr(), text.as_ptr().cast(), text.len()))
        }
    }

    pub fn md_node(self, operands: &[Metadata<'ctx>]) -> Metadata<'ctx> {
        let mut raw: Vec<_> = operands.iter().map(|m| m.ptr()).collect();
        // SAFETY: the context and the operands are live. LLVM copies the list.
        unsafe { Metadata::from_raw(LLVMMDNodeInContext2(self.ptr(), raw.as_mut_ptr(), raw.len())) }
    }

    /// Creates a node that is equal to no other node, as loop identifiers and access groups must
    /// be.
    pub fn md_distinct(self, operands: &[Metadata<'ctx>]) -> Metadata<'ctx> {
        let mut raw: Vec<_> = operands.iter().map(|m| m.ptr()).collect();
        // SAFETY: the context and the operands are live. LLVM copies the list.
        unsafe {
            Metadata::from_raw(crate::shim::scythe_llvm_metadata_distinct_node(
                self.ptr(),
                raw.as_mut_ptr(),
                raw.len(),
            ))
        }
    }

    /// Creates a distinct node whose first operand is the node itself, as `!llvm.loop` requires.
    pub fn md_self_reference(self, rest: &[Metadata<'ctx>]) -> Metadata<'ctx> {
        let mut operands = vec![self.md_node(&[])];
        operands.extend_from_slice(rest);
        let node = self.md_distinct(&operands);
        // SAFETY: `node` is a node with at least one operand.
        unsafe { crate::shim::scythe_llvm_metadata_set_operand(node.ptr(), 0, node.ptr()) };
        node
    }

    pub fn md_int(self, bits: u32, value: u64) -> Metadata<'ctx> {
        self.const_int(bits, value).as_metadata()
    }

    // --- Blocks ---

    /// Appends an empty block to `function`.
    pub fn append_block(self, function: Function<'ctx>, name: &str) -> BasicBlock<'ctx> {
        let name = c_string(name);
        // SAFETY: the context and the function are live. LLVM copies the name.
        unsafe {
            BasicBlock::from_raw(LLVMAppendBasicBlockInContext(
                self.ptr(),
                function.ptr(),
                name.as_ptr(),
            ))
        }
    }

    /// Inserts an empty block before `before`.
    pub fn insert_block(self, before: BasicBlock<'ctx>, name: &str) -> BasicBlock<'ctx> {
        let name = c_string(name);
        // SAFETY: the context and the block are live. LLVM copies the name.
        unsafe {
            BasicBlock::from_raw(LLVMInsertBasicBlockInContext(
                self.ptr(),
                before.ptr(),
                name.as_ptr(),
            ))
        }
    }
}

/// A memory buffer with a copy of the given bytes.
pub(crate) struct MemoryBuffer(pub(crate) LLVMMemoryBufferRef);

impl MemoryBuffer {
    /// # Safety
    /// `raw` must be a live buffer that nothing else disposes.
    pub(crate) unsafe fn from_raw(raw: LLVMMemoryBufferRef) -> Self {
        Self(raw)
    }

    pub(crate) fn copy(bytes: &[u8], name: &str) -> Self {
        let name = c_string(name);
        // SAFETY: `bytes` is valid for its length. LLVM copies the bytes and the name.
        Self(unsafe {
            LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            )
        })
    }

    pub(crate) fn to_vec(&self) -> Vec<u8> {
        // SAFETY: the buffer is live, so LLVM returns its start and its size.
        unsafe {
            std::slice::from_raw_parts(
                LLVMGetBufferStart(self.0).cast::<u8>(),
                LLVMGetBufferSize(self.0),
            )
        }
        .to_vec()
    }
}

impl Drop for MemoryBuffer {
    fn drop(&mut self) {
        // SAFETY: `self` owns the object, and `drop` runs once.
        unsafe { LLVMDisposeMemoryBuffer(self.0) }
    }
}
