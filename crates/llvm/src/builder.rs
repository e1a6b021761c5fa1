//! Creates instructions.
//!
//! Operands must have the types that the instruction accepts (see the crate documentation). LLVM
//! folds constants, so most functions return a [`Value`], which may not be an instruction.

use crate::text::c_string;
use crate::{
    AtomicOrdering, AtomicRmwOp, BasicBlock, ContextRef, Function, Instruction, IntPredicate,
    Metadata, Opcode, RealPredicate, Type, Value,
};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// An insertion point, and the functions that insert instructions there.
pub struct Builder<'ctx> {
    raw: NonNull<llvm_sys::LLVMBuilder>,
    life: PhantomData<&'ctx ()>,
}

/// Defines functions that build one named instruction each. A row has the function's parameters,
/// its result (`value` or `instruction`), and LLVM's function with the operands between the builder
/// and the name.
macro_rules! named {
    ($($(#[$doc:meta])* $name:ident($($param:ident: $ty:ty),*)
        -> $result:ident $call:ident($($operand:expr),*);)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, $($param: $ty,)* name: &str) -> named!(@type $result) {
            let name = c_string(name);
            // SAFETY: a placed builder and live operands of the types that the instruction requires
            // (crate docs); LLVM copies lists and names.
            let built = unsafe { Value::from_raw($call(self.ptr(), $($operand,)* name.as_ptr())) };
            named!(@wrap $result built)
        }
    )*};
    (@type value) => { Value<'ctx> };
    (@type instruction) => { Instruction<'ctx> };
    (@wrap value $built:ident) => { $built };
    (@wrap instruction $built:ident) => { Instruction($built) };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident => $call:ident;)*) => { named! {$(
        $(#[$doc])*
        $name(a: Value<'ctx>, b: Value<'ctx>) -> value $call(a.ptr(), b.ptr());
    )*} };
}

macro_rules! casts {
    ($($(#[$doc:meta])* $name:ident => $call:ident;)*) => { named! {$(
        $(#[$doc])*
        $name(value: Value<'ctx>, ty: Type<'ctx>) -> value $call(value.ptr(), ty.ptr());
    )*} };
}

/// Returns the handles of `values`, as LLVM takes lists.
fn handles(values: &[Value<'_>]) -> Vec<LLVMValueRef> {
    values.iter().map(|v| v.ptr()).collect()
}

impl<'ctx> Builder<'ctx> {
    pub(crate) fn new(context: ContextRef<'ctx>) -> Self {
        // SAFETY: the context is live.
        let raw = unsafe { LLVMCreateBuilderInContext(context.ptr()) };
        Self { raw: NonNull::new(raw).expect("LLVM gives no null builders"), life: PhantomData }
    }

    pub(crate) fn ptr(&self) -> LLVMBuilderRef {
        self.raw.as_ptr()
    }

    // --- Position ---

    pub fn position_at_end(&self, block: BasicBlock<'ctx>) {
        // SAFETY: the builder and the block are live.
        unsafe { LLVMPositionBuilderAtEnd(self.ptr(), block.ptr()) }
    }

    /// Sets the insertion point before `instruction`. New instructions get its debug location.
    pub fn position_before(&self, instruction: Instruction<'ctx>) {
        // SAFETY: the builder and the instruction are live.
        unsafe { LLVMPositionBuilderBefore(self.ptr(), instruction.ptr()) }
    }

    /// Sets the insertion point to the start of `block`: after its phis, before the debug records
    /// of the first other instruction. New instructions have no debug location.
    pub fn position_at_start(&self, block: BasicBlock<'ctx>) {
        match block.first_non_phi() {
            Some(first) => {
                // SAFETY: the builder and the instruction are live.
                unsafe { LLVMPositionBuilderBeforeInstrAndDbgRecords(self.ptr(), first.ptr()) };
                self.set_debug_loc(None);
            }
            None => self.position_at_end(block),
        }
    }

    pub fn block(&self) -> Option<BasicBlock<'ctx>> {
        // SAFETY: the builder is live. LLVM returns null if it has no insertion point.
        unsafe { BasicBlock::from_nullable(LLVMGetInsertBlock(self.ptr())) }
    }

    /// Sets the debug location of new instructions.
    pub fn set_debug_loc(&self, location: Option<Metadata<'ctx>>) {
        // SAFETY: the builder is live. The location is null or live.
        unsafe {
            LLVMSetCurrentDebugLocation2(
                self.ptr(),
                location.map_or(std::ptr::null_mut(), |l| l.ptr()),
            )
        }
    }

    // --- Memory ---

    named! {
        alloca(ty: Type<'ctx>) -> instruction LLVMBuildAlloca(ty.ptr());
        array_alloca(ty: Type<'ctx>, count: Value<'ctx>)
            -> instruction LLVMBuildArrayAlloca(ty.ptr(), count.ptr());
        load(ty: Type<'ctx>, pointer: Value<'ctx>)
            -> instruction LLVMBuildLoad2(ty.ptr(), pointer.ptr());
        gep(ty: Type<'ctx>, pointer: Value<'ctx>, indices: &[Value<'ctx>])
            -> value LLVMBuildGEP2(
                ty.ptr(), pointer.ptr(), handles(indices).as_mut_ptr(), indices.len() as u32
            );
        inbounds_gep(ty: Type<'ctx>, pointer: Value<'ctx>, indices: &[Value<'ctx>])
            -> value LLVMBuildInBoundsGEP2(
                ty.ptr(), pointer.ptr(), handles(indices).as_mut_ptr(), indices.len() as u32
            );
    }

    pub fn store(&self, value: Value<'ctx>, pointer: Value<'ctx>) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point, and `pointer` is a pointer (see the crate
        // documentation).
        Instruction(unsafe {
            Value::from_raw(LLVMBuildStore(self.ptr(), value.ptr(), pointer.ptr()))
        })
    }

    pub fn memcpy(
        &self,
        to: Value<'ctx>,
        to_align: u32,
        from: Value<'ctx>,
        from_align: u32,
        size: Value<'ctx>,
    ) {
        // SAFETY: the builder has an insertion point, and the operands are two pointers and an
        // integer (see the crate documentation).
        unsafe {
            LLVMBuildMemCpy(self.ptr(), to.ptr(), to_align, from.ptr(), from_align, size.ptr())
        };
    }

    pub fn memset(&self, to: Value<'ctx>, byte: Value<'ctx>, size: Value<'ctx>, align: u32) {
        // SAFETY: the builder has an insertion point, and the operands are a pointer, an `i8` and
        // an integer (see the crate documentation).
        unsafe { LLVMBuildMemSet(self.ptr(), to.ptr(), byte.ptr(), size.ptr(), align) };
    }

    /// Returns `pointer` plus a number of bytes, within one object.
    pub fn byte_offset(
        &self,
        context: ContextRef<'ctx>,
        pointer: Value<'ctx>,
        bytes: u64,
        name: &str,
    ) -> Value<'ctx> {
        if bytes == 0 {
            return pointer;
        }
        self.inbounds_gep(context.int_type(8), pointer, &[context.const_int(64, bytes)], name)
    }

    // --- Arithmetic ---

    binary! {
        add => LLVMBuildAdd;
        nuw_add => LLVMBuildNUWAdd;
        sub => LLVMBuildSub;
        mul => LLVMBuildMul;
        nuw_mul => LLVMBuildNUWMul;
        udiv => LLVMBuildUDiv;
        urem => LLVMBuildURem;
        sdiv => LLVMBuildSDiv;
        srem => LLVMBuildSRem;
        and => LLVMBuildAnd;
        or => LLVMBuildOr;
        xor => LLVMBuildXor;
        shl => LLVMBuildShl;
        lshr => LLVMBuildLShr;
        ashr => LLVMBuildAShr;
        fadd => LLVMBuildFAdd;
        fsub => LLVMBuildFSub;
        fmul => LLVMBuildFMul;
        fdiv => LLVMBuildFDiv;
        extract_element => LLVMBuildExtractElement;
    }

    casts! {
        trunc => LLVMBuildTrunc;
        zext => LLVMBuildZExt;
        sext => LLVMBuildSExt;
        bit_cast => LLVMBuildBitCast;
        ptr_to_int => LLVMBuildPtrToInt;
        int_to_ptr => LLVMBuildIntToPtr;
        addr_space_cast => LLVMBuildAddrSpaceCast;
        /// Casts between pointer types. Emits nothing if they are the same.
        pointer_cast => LLVMBuildPointerCast;
        fp_trunc => LLVMBuildFPTrunc;
        fp_ext => LLVMBuildFPExt;
        si_to_fp => LLVMBuildSIToFP;
        ui_to_fp => LLVMBuildUIToFP;
        fp_to_si => LLVMBuildFPToSI;
        fp_to_ui => LLVMBuildFPToUI;
    }

    named! {
        cast(opcode: Opcode, value: Value<'ctx>, ty: Type<'ctx>)
            -> value LLVMBuildCast(opcode, value.ptr(), ty.ptr());
        icmp(predicate: IntPredicate, a: Value<'ctx>, b: Value<'ctx>)
            -> value LLVMBuildICmp(predicate, a.ptr(), b.ptr());
        fcmp(predicate: RealPredicate, a: Value<'ctx>, b: Value<'ctx>)
            -> value LLVMBuildFCmp(predicate, a.ptr(), b.ptr());
        select(condition: Value<'ctx>, a: Value<'ctx>, b: Value<'ctx>)
            -> value LLVMBuildSelect(condition.ptr(), a.ptr(), b.ptr());
        insert_element(vector: Value<'ctx>, value: Value<'ctx>, at: Value<'ctx>)
            -> value LLVMBuildInsertElement(vector.ptr(), value.ptr(), at.ptr());
        extract_value(aggregate: Value<'ctx>, index: u32)
            -> value LLVMBuildExtractValue(aggregate.ptr(), index);
        insert_value(aggregate: Value<'ctx>, value: Value<'ctx>, index: u32)
            -> value LLVMBuildInsertValue(aggregate.ptr(), value.ptr(), index);
    }

    // --- Control ---

    named! {
        phi(ty: Type<'ctx>) -> instruction LLVMBuildPhi(ty.ptr());
    }

    pub fn ret_void(&self) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point (see the crate documentation).
        Instruction(unsafe { Value::from_raw(LLVMBuildRetVoid(self.ptr())) })
    }

    pub fn ret(&self, value: Value<'ctx>) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point, and the value has the function's return type
        // (see the crate documentation).
        Instruction(unsafe { Value::from_raw(LLVMBuildRet(self.ptr(), value.ptr())) })
    }

    pub fn br(&self, to: BasicBlock<'ctx>) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point (see the crate documentation), and the block
        // is live.
        Instruction(unsafe { Value::from_raw(LLVMBuildBr(self.ptr(), to.ptr())) })
    }

    pub fn cond_br(
        &self,
        condition: Value<'ctx>,
        yes: BasicBlock<'ctx>,
        no: BasicBlock<'ctx>,
    ) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point, the condition is an `i1` (see the crate
        // documentation), and the blocks are live.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildCondBr(self.ptr(), condition.ptr(), yes.ptr(), no.ptr()))
        })
    }

    pub fn unreachable(&self) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point (see the crate documentation).
        Instruction(unsafe { Value::from_raw(LLVMBuildUnreachable(self.ptr())) })
    }

    /// Calls a function with its calling convention.
    pub fn call(
        &self,
        function: Function<'ctx>,
        args: &[Value<'ctx>],
        name: &str,
    ) -> Instruction<'ctx> {
        let call = self.call_pointer(function.function_type(), function.as_value(), args, name);
        call.set_call_conv(function.call_conv());
        call
    }

    /// Calls a function of type `ty` through a pointer, with the C calling convention. The name is
    /// dropped if the call has no result.
    pub fn call_pointer(
        &self,
        ty: Type<'ctx>,
        function: Value<'ctx>,
        args: &[Value<'ctx>],
        name: &str,
    ) -> Instruction<'ctx> {
        let void = ty.return_type().is_none_or(Type::is_void);
        let name = c_string(if void { "" } else { name });
        let mut raw = handles(args);
        let (list, len) = (raw.as_mut_ptr(), raw.len() as u32);
        // SAFETY: the builder has an insertion point, `ty` is a function type, and the arguments
        // have the types of its parameters (see the crate documentation). LLVM copies the list and
        // the name.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildCall2(
                self.ptr(),
                ty.ptr(),
                function.ptr(),
                list,
                len,
                name.as_ptr(),
            ))
        })
    }

    // --- Atomics ---

    pub fn fence(&self, ordering: AtomicOrdering) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point (see the crate documentation). The name is an
        // empty C string.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildFence(self.ptr(), ordering, 0, c"".as_ptr()))
        })
    }

    pub fn atomic_rmw(
        &self,
        op: AtomicRmwOp,
        pointer: Value<'ctx>,
        value: Value<'ctx>,
        ordering: AtomicOrdering,
    ) -> Instruction<'ctx> {
        // SAFETY: the builder has an insertion point, `pointer` is a pointer, and the operation
        // accepts the value (see the crate documentation).
        Instruction(unsafe {
            Value::from_raw(LLVMBuildAtomicRMW(
                self.ptr(),
                op,
                pointer.ptr(),
                value.ptr(),
                ordering,
                0,
            ))
        })
    }

    pub fn cmpxchg(
        &self,
        pointer: Value<'ctx>,
        expected: Value<'ctx>,
        new: Value<'ctx>,
        success: AtomicOrdering,
        failure: AtomicOrdering,
    ) -> Instruction<'ctx> {
        let (p, e, n) = (pointer.ptr(), expected.ptr(), new.ptr());
        // SAFETY: the builder has an insertion point, `pointer` is a pointer, and the two values
        // have the same type (see the crate documentation).
        Instruction(unsafe {
            Value::from_raw(LLVMBuildAtomicCmpXchg(self.ptr(), p, e, n, success, failure, 0))
        })
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the object, and `drop` runs once.
        unsafe { LLVMDisposeBuilder(self.ptr()) }
    }
}
