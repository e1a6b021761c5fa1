//! Skips atomic maxima and minima of floating-point numbers that would not change memory.
//!
//! PTX has no instruction for these operations, so LLVM makes loops of exchanges. Many work-items
//! often update one number, most of them in vain. A relaxed operation that changes nothing cannot
//! be told from a load.

use scythe_llvm::{AtomicOrdering, AtomicRmwOp, Instruction, Module, RealPredicate, TypeKind};

/// Guards the operations in all functions.
pub fn run(module: &Module<'_>) {
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for access in function.instructions().filter(|i| is_relaxed(*i)).collect::<Vec<_>>() {
            guard(module, access);
        }
    }
}

fn is_relaxed(access: Instruction<'_>) -> bool {
    let relaxed = AtomicOrdering::LLVMAtomicOrderingMonotonic;
    let known =
        matches!(access.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
    known
        && !access.is_volatile()
        && access
            .read_modify_write()
            .is_some_and(|(op, order)| order == relaxed && unless(op).is_some())
}

/// Returns the relation between memory and the operand in which the operation changes nothing. It
/// does not hold for NaN.
fn unless(op: AtomicRmwOp) -> Option<RealPredicate> {
    match op {
        AtomicRmwOp::LLVMAtomicRMWBinOpFMax => Some(RealPredicate::LLVMRealOGE),
        AtomicRmwOp::LLVMAtomicRMWBinOpFMin => Some(RealPredicate::LLVMRealOLE),
        _ => None,
    }
}

fn guard<'ctx>(module: &Module<'ctx>, access: Instruction<'ctx>) -> Option<()> {
    let (op, order) = access.read_modify_write()?;
    let (relation, scope) = (unless(op)?, access.sync_scope()?);
    let (pointer, operand, head) = (access.operand(0)?, access.operand(1)?, access.block()?);
    let change = head.split_before(access, "")?;
    let next = access.next()?;
    let done = change.split_before(next, "")?;
    let builder = module.context().create_builder();
    builder.position_before(head.terminator()?);
    let current = builder.load(access.ty(), pointer, "");
    current.set_align(access.ty().alloc_size(module)? as u32);
    current.set_ordering(order);
    current.set_sync_scope(scope);
    let kept = builder.fcmp(relation, current.as_value(), operand, "");
    builder.cond_br(kept, done, change);
    head.terminator()?.erase();
    if access.as_value().has_uses() {
        builder.position_at_start(done);
        let old = builder.phi(access.ty(), "");
        access.replace_all_uses_with(old.as_value());
        old.add_incoming(current.as_value(), head);
        old.add_incoming(access.as_value(), change);
    }
    Some(())
}
