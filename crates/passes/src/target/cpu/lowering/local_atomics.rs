//! Replaces atomic operations in local memory by plain accesses.
//!
//! One thread runs a work-group, and the work-items of other groups cannot reach its local memory.
//! A read-modify-write access of local memory therefore needs no `lock` prefix, which costs some 20
//! cycles. It must stay one step until the kernel is widened, so that every lane sees the result of
//! the lane before it. [`mark`] restricts such accesses to one thread while the kernel's addresses
//! can be followed, and [`expand`] replaces them afterwards. Sequentially consistent accesses stay,
//! since they also order accesses of other memory.

use crate::target::common::local_variables::LOCAL;
use scythe_llvm::{
    AtomicOrdering, AtomicRmwOp, Builder, Function, Instruction, IntPredicate, Module, Opcode,
    SyncScope, Value,
};
use std::collections::HashSet;

/// Restricts the accesses of local memory in `kernel` to one thread.
pub fn mark(kernel: Function<'_>) {
    for i in kernel.instructions() {
        let Some((_, order)) = i.read_modify_write() else { continue };
        let weak = order != AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
        if weak && !i.is_volatile() && i.operand(0).is_some_and(is_local) {
            i.set_sync_scope(SyncScope::SINGLE_THREAD);
        }
    }
}

/// Whether the address is definitely in local memory.
fn is_local(pointer: Value<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![pointer];
    while let Some(value) = work.pop() {
        if !seen.insert(value) || value.ty().address_space() == Some(LOCAL) {
            continue;
        }
        let Some(i) = value.as_instruction() else { return false };
        match i.opcode() {
            Opcode::LLVMGetElementPtr
            | Opcode::LLVMAddrSpaceCast
            | Opcode::LLVMBitCast
            | Opcode::LLVMFreeze => work.extend(i.operand(0)),
            Opcode::LLVMPHI => work.extend(i.incoming().into_iter().map(|x| x.0)),
            Opcode::LLVMSelect => work.extend(i.operands().skip(1)),
            _ => return false,
        }
    }
    true
}

/// Replaces all accesses that are restricted to one thread.
pub fn expand(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let accesses: Vec<_> = function
            .instructions()
            .filter(|i| i.read_modify_write().is_some() && !i.is_volatile())
            .filter(|i| i.sync_scope() == Some(SyncScope::SINGLE_THREAD))
            .collect();
        accesses.into_iter().for_each(|access| expand_access(&builder, access));
    }
}

fn expand_access<'ctx>(builder: &Builder<'ctx>, access: Instruction<'ctx>) {
    let (Some((op, _)), Some(pointer), Some(operand)) =
        (access.read_modify_write(), access.operand(0), access.operand(1))
    else {
        return;
    };
    if !is_known(op) {
        return;
    }
    builder.position_before(access);
    let load = builder.load(access.ty(), pointer, "");
    load.set_align(access.alignment());
    let old = load.as_value();
    let store = builder.store(combined(builder, op, old, operand), pointer);
    store.set_align(access.alignment());
    access.as_value().replace_all_uses_with(old);
    access.erase();
}

fn is_known(op: AtomicRmwOp) -> bool {
    use AtomicRmwOp::*;
    matches!(
        op,
        LLVMAtomicRMWBinOpXchg
            | LLVMAtomicRMWBinOpAdd
            | LLVMAtomicRMWBinOpSub
            | LLVMAtomicRMWBinOpAnd
            | LLVMAtomicRMWBinOpOr
            | LLVMAtomicRMWBinOpXor
            | LLVMAtomicRMWBinOpMax
            | LLVMAtomicRMWBinOpMin
            | LLVMAtomicRMWBinOpUMax
            | LLVMAtomicRMWBinOpUMin
            | LLVMAtomicRMWBinOpFAdd
            | LLVMAtomicRMWBinOpFSub
    )
}

/// Returns the new value of an access with a known operation.
fn combined<'ctx>(
    builder: &Builder<'ctx>,
    op: AtomicRmwOp,
    old: Value<'ctx>,
    operand: Value<'ctx>,
) -> Value<'ctx> {
    use AtomicRmwOp::*;
    let pick = |predicate| {
        let keeps = builder.icmp(predicate, old, operand, "");
        builder.select(keeps, old, operand, "")
    };
    let binary = |opcode| builder.binary(opcode, old, operand, "");
    match op {
        LLVMAtomicRMWBinOpAdd => binary(Opcode::LLVMAdd),
        LLVMAtomicRMWBinOpSub => binary(Opcode::LLVMSub),
        LLVMAtomicRMWBinOpAnd => binary(Opcode::LLVMAnd),
        LLVMAtomicRMWBinOpOr => binary(Opcode::LLVMOr),
        LLVMAtomicRMWBinOpXor => binary(Opcode::LLVMXor),
        LLVMAtomicRMWBinOpFAdd => binary(Opcode::LLVMFAdd),
        LLVMAtomicRMWBinOpFSub => binary(Opcode::LLVMFSub),
        LLVMAtomicRMWBinOpMax => pick(IntPredicate::LLVMIntSGT),
        LLVMAtomicRMWBinOpMin => pick(IntPredicate::LLVMIntSLE),
        LLVMAtomicRMWBinOpUMax => pick(IntPredicate::LLVMIntUGT),
        LLVMAtomicRMWBinOpUMin => pick(IntPredicate::LLVMIntULE),
        _ => operand,
    }
}
