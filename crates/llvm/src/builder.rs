//! Building instructions.
//!
//! Operands must have the types that the instruction wants (see the crate's documentation). LLVM
//! folds constants, so most functions give a [`Value`], which need not be an instruction.

use crate::text::c_string;
use crate::{
    AtomicOrdering, AtomicRmwOp, BasicBlock, ContextRef, Function, Instruction, IntPredicate,
    Metadata, Opcode, RealPredicate, Type, Value,
};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// An insertion point, and what is inserted there.
pub struct Builder<'ctx> {
    raw: NonNull<llvm_sys::LLVMBuilder>,
    life: PhantomData<&'ctx ()>,
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident => $call:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, a: Value<'ctx>, b: Value<'ctx>, name: &str) -> Value<'ctx> {
            let name = c_string(name);
            // SAFETY: a placed builder and live values of fitting types (crate docs); LLVM copies
            // the name.
            unsafe { Value::from_raw($call(self.ptr(), a.ptr(), b.ptr(), name.as_ptr())) }
        }
    )*};
}

macro_rules! casts {
    ($($(#[$doc:meta])* $name:ident => $call:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, value: Value<'ctx>, ty: Type<'ctx>, name: &str) -> Value<'ctx> {
            let name = c_string(name);
            // SAFETY: a placed builder, a live value and a type it can be cast to (crate docs);
            // LLVM copies the name.
            unsafe { Value::from_raw($call(self.ptr(), value.ptr(), ty.ptr(), name.as_ptr())) }
        }
    )*};
}

impl<'ctx> Builder<'ctx> {
    pub(crate) fn new(context: ContextRef<'ctx>) -> Self {
        // SAFETY: live context.
        let raw = unsafe { LLVMCreateBuilderInContext(context.ptr()) };
        Self { raw: NonNull::new(raw).expect("LLVM gives no null builders"), life: PhantomData }
    }

    pub(crate) fn ptr(&self) -> LLVMBuilderRef {
        self.raw.as_ptr()
    }

    // --- Position ---

    pub fn position_at_end(&self, block: BasicBlock<'ctx>) {
        // SAFETY: live builder and block.
        unsafe { LLVMPositionBuilderAtEnd(self.ptr(), block.ptr()) }
    }

    /// Before `instruction`, whose debug location new instructions get.
    pub fn position_before(&self, instruction: Instruction<'ctx>) {
        // SAFETY: live builder and instruction.
        unsafe { LLVMPositionBuilderBefore(self.ptr(), instruction.ptr()) }
    }

    /// At the start of `block`: after its phis, before the debug records of the first other
    /// instruction. What is built there has no debug location.
    pub fn position_at_start(&self, block: BasicBlock<'ctx>) {
        match block.first_non_phi() {
            Some(first) => {
                // SAFETY: live builder and instruction.
                unsafe { LLVMPositionBuilderBeforeInstrAndDbgRecords(self.ptr(), first.ptr()) };
                self.set_debug_loc(None);
            }
            None => self.position_at_end(block),
        }
    }

    pub fn block(&self) -> Option<BasicBlock<'ctx>> {
        // SAFETY: live builder; null when it is nowhere.
        unsafe { BasicBlock::from_nullable(LLVMGetInsertBlock(self.ptr())) }
    }

    /// The debug location of what is built from here on.
    pub fn set_debug_loc(&self, location: Option<Metadata<'ctx>>) {
        // SAFETY: live builder; null or a live location.
        unsafe {
            LLVMSetCurrentDebugLocation2(
                self.ptr(),
                location.map_or(std::ptr::null_mut(), |l| l.ptr()),
            )
        }
    }

    // --- Memory ---

    pub fn alloca(&self, ty: Type<'ctx>, name: &str) -> Instruction<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder and a sized type (crate docs); LLVM copies the name.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildAlloca(self.ptr(), ty.ptr(), name.as_ptr()))
        })
    }

    pub fn array_alloca(
        &self,
        ty: Type<'ctx>,
        count: Value<'ctx>,
        name: &str,
    ) -> Instruction<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder, a sized type and an integer (crate docs); LLVM copies the name.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildArrayAlloca(self.ptr(), ty.ptr(), count.ptr(), name.as_ptr()))
        })
    }

    pub fn load(&self, ty: Type<'ctx>, pointer: Value<'ctx>, name: &str) -> Instruction<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder, a sized type and a pointer (crate docs); LLVM copies the name.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildLoad2(self.ptr(), ty.ptr(), pointer.ptr(), name.as_ptr()))
        })
    }

    pub fn store(&self, value: Value<'ctx>, pointer: Value<'ctx>) -> Instruction<'ctx> {
        // SAFETY: a placed builder, a value and a pointer (crate docs).
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
        // SAFETY: a placed builder, two pointers and an integer (crate docs).
        unsafe {
            LLVMBuildMemCpy(self.ptr(), to.ptr(), to_align, from.ptr(), from_align, size.ptr())
        };
    }

    pub fn memset(&self, to: Value<'ctx>, byte: Value<'ctx>, size: Value<'ctx>, align: u32) {
        // SAFETY: a placed builder, a pointer, an i8 and an integer (crate docs).
        unsafe { LLVMBuildMemSet(self.ptr(), to.ptr(), byte.ptr(), size.ptr(), align) };
    }

    pub fn gep(
        &self,
        ty: Type<'ctx>,
        pointer: Value<'ctx>,
        indices: &[Value<'ctx>],
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        let mut raw: Vec<_> = indices.iter().map(|v| v.ptr()).collect();
        let (list, len) = (raw.as_mut_ptr(), raw.len() as u32);
        // SAFETY: a placed builder, a sized type, a pointer and integers (crate docs); LLVM copies
        // list and name.
        unsafe {
            Value::from_raw(LLVMBuildGEP2(
                self.ptr(),
                ty.ptr(),
                pointer.ptr(),
                list,
                len,
                name.as_ptr(),
            ))
        }
    }

    pub fn inbounds_gep(
        &self,
        ty: Type<'ctx>,
        pointer: Value<'ctx>,
        indices: &[Value<'ctx>],
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        let mut raw: Vec<_> = indices.iter().map(|v| v.ptr()).collect();
        let (list, len) = (raw.as_mut_ptr(), raw.len() as u32);
        // SAFETY: as for `gep`.
        unsafe {
            Value::from_raw(LLVMBuildInBoundsGEP2(
                self.ptr(),
                ty.ptr(),
                pointer.ptr(),
                list,
                len,
                name.as_ptr(),
            ))
        }
    }

    /// `pointer` plus a number of bytes, within one object.
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
        /// Between pointer types; nothing when they are the same.
        pointer_cast => LLVMBuildPointerCast;
        fp_trunc => LLVMBuildFPTrunc;
        fp_ext => LLVMBuildFPExt;
        si_to_fp => LLVMBuildSIToFP;
        ui_to_fp => LLVMBuildUIToFP;
        fp_to_si => LLVMBuildFPToSI;
        fp_to_ui => LLVMBuildFPToUI;
    }

    pub fn cast(
        &self,
        opcode: Opcode,
        value: Value<'ctx>,
        ty: Type<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder, a cast, and a value and type that fit it (crate docs).
        unsafe {
            Value::from_raw(LLVMBuildCast(self.ptr(), opcode, value.ptr(), ty.ptr(), name.as_ptr()))
        }
    }

    pub fn icmp(
        &self,
        predicate: IntPredicate,
        a: Value<'ctx>,
        b: Value<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder and two values of one type (crate docs); LLVM copies the name.
        unsafe {
            Value::from_raw(LLVMBuildICmp(self.ptr(), predicate, a.ptr(), b.ptr(), name.as_ptr()))
        }
    }

    pub fn fcmp(
        &self,
        predicate: RealPredicate,
        a: Value<'ctx>,
        b: Value<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder and two values of one type (crate docs); LLVM copies the name.
        unsafe {
            Value::from_raw(LLVMBuildFCmp(self.ptr(), predicate, a.ptr(), b.ptr(), name.as_ptr()))
        }
    }

    pub fn select(
        &self,
        condition: Value<'ctx>,
        a: Value<'ctx>,
        b: Value<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder, an i1 and two values of one type (crate docs); LLVM copies the
        // name.
        unsafe {
            Value::from_raw(LLVMBuildSelect(
                self.ptr(),
                condition.ptr(),
                a.ptr(),
                b.ptr(),
                name.as_ptr(),
            ))
        }
    }

    pub fn insert_element(
        &self,
        vector: Value<'ctx>,
        value: Value<'ctx>,
        at: Value<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder, a vector, an element and an integer (crate docs); LLVM copies
        // the name.
        unsafe {
            Value::from_raw(LLVMBuildInsertElement(
                self.ptr(),
                vector.ptr(),
                value.ptr(),
                at.ptr(),
                name.as_ptr(),
            ))
        }
    }

    pub fn extract_value(&self, aggregate: Value<'ctx>, index: u32, name: &str) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder and an aggregate with this element (crate docs); LLVM copies the
        // name.
        unsafe {
            Value::from_raw(LLVMBuildExtractValue(
                self.ptr(),
                aggregate.ptr(),
                index,
                name.as_ptr(),
            ))
        }
    }

    pub fn insert_value(
        &self,
        aggregate: Value<'ctx>,
        value: Value<'ctx>,
        index: u32,
        name: &str,
    ) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder, an aggregate with this element and a value for it (crate docs).
        unsafe {
            Value::from_raw(LLVMBuildInsertValue(
                self.ptr(),
                aggregate.ptr(),
                value.ptr(),
                index,
                name.as_ptr(),
            ))
        }
    }

    // --- Control ---

    pub fn phi(&self, ty: Type<'ctx>, name: &str) -> Instruction<'ctx> {
        let name = c_string(name);
        // SAFETY: a placed builder and a first-class type (crate docs); LLVM copies the name.
        Instruction(unsafe { Value::from_raw(LLVMBuildPhi(self.ptr(), ty.ptr(), name.as_ptr())) })
    }

    pub fn ret_void(&self) -> Instruction<'ctx> {
        // SAFETY: a placed builder.
        Instruction(unsafe { Value::from_raw(LLVMBuildRetVoid(self.ptr())) })
    }

    pub fn ret(&self, value: Value<'ctx>) -> Instruction<'ctx> {
        // SAFETY: a placed builder and a value of the function's return type (crate docs).
        Instruction(unsafe { Value::from_raw(LLVMBuildRet(self.ptr(), value.ptr())) })
    }

    pub fn br(&self, to: BasicBlock<'ctx>) -> Instruction<'ctx> {
        // SAFETY: a placed builder and a live block.
        Instruction(unsafe { Value::from_raw(LLVMBuildBr(self.ptr(), to.ptr())) })
    }

    pub fn cond_br(
        &self,
        condition: Value<'ctx>,
        yes: BasicBlock<'ctx>,
        no: BasicBlock<'ctx>,
    ) -> Instruction<'ctx> {
        // SAFETY: a placed builder, an i1 (crate docs) and live blocks.
        Instruction(unsafe {
            Value::from_raw(LLVMBuildCondBr(self.ptr(), condition.ptr(), yes.ptr(), no.ptr()))
        })
    }

    pub fn unreachable(&self) -> Instruction<'ctx> {
        // SAFETY: a placed builder.
        Instruction(unsafe { Value::from_raw(LLVMBuildUnreachable(self.ptr())) })
    }

    /// Calls a function, with its calling convention.
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

    /// Calls through a pointer to a function of type `ty`, with the C calling convention. A name
    /// for a call that gives nothing is dropped.
    pub fn call_pointer(
        &self,
        ty: Type<'ctx>,
        function: Value<'ctx>,
        args: &[Value<'ctx>],
        name: &str,
    ) -> Instruction<'ctx> {
        let void = ty.return_type().is_none_or(Type::is_void);
        let name = c_string(if void { "" } else { name });
        let mut raw: Vec<_> = args.iter().map(|v| v.ptr()).collect();
        let (list, len) = (raw.as_mut_ptr(), raw.len() as u32);
        // SAFETY: a placed builder, a function type, and arguments of its parameters' types (crate
        // docs).
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
        // SAFETY: a placed builder; an empty C string as name.
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
        // SAFETY: a placed builder, a pointer and a value the operation takes (crate docs).
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
        // SAFETY: a placed builder, a pointer and two values of one type (crate docs).
        Instruction(unsafe {
            Value::from_raw(LLVMBuildAtomicCmpXchg(self.ptr(), p, e, n, success, failure, 0))
        })
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, disposed once.
        unsafe { LLVMDisposeBuilder(self.ptr()) }
    }
}
