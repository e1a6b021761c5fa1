//! Emits atomic read-modify-write accesses as PTX instructions with their scope and order. LLVM's
//! back end would emit all of them as relaxed accesses with device scope.
//!
//! The pass runs when address spaces are known. Relaxed accesses of device scope or less do not
//! change. Neither do operations that PTX lacks: LLVM expands them to loops of exchanges, with
//! scope and order. PTX has no orders before Volta; for these architectures, fences surround the
//! access.

use scythe_llvm::{AtomicOrdering, AtomicRmwOp, Instruction, Module, SyncScope, TypeKind};

/// Rewrites the accesses in all functions. `sm` is the number of the architecture, such as 90.
pub fn run(module: &Module<'_>, sm: u32) {
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let accesses: Vec<_> =
            function.instructions().filter(|i| i.read_modify_write().is_some()).collect();
        for access in accesses {
            rewrite(module, access, sm);
        }
    }
}

fn rewrite<'ctx>(module: &Module<'ctx>, access: Instruction<'ctx>, sm: u32) {
    let context = module.context();
    let (Some((op, order)), Some(scope)) = (access.read_modify_write(), access.sync_scope()) else {
        return;
    };
    let relaxed = order == AtomicOrdering::LLVMAtomicOrderingMonotonic;
    if relaxed && scope != SyncScope::SYSTEM {
        return;
    }
    let Some(operation) = operation(op, access, sm) else { return };
    let (Some(pointer), Some(operand)) = (access.operand(0), access.operand(1)) else { return };
    let builder = context.create_builder();
    builder.position_before(access);
    let scope = match scope {
        SyncScope::SYSTEM => "sys",
        _ if scope == context.sync_scope("device") => "gpu",
        _ => "cta",
    };
    let void = context.void_type();
    let sequential = order == AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
    let memory_order = match order {
        AtomicOrdering::LLVMAtomicOrderingMonotonic => "relaxed",
        AtomicOrdering::LLVMAtomicOrderingAcquire => "acquire",
        AtomicOrdering::LLVMAtomicOrderingRelease => "release",
        _ => "acq_rel",
    };
    let space = match pointer.ty().address_space() {
        Some(1) => ".global",
        Some(3) => ".shared",
        _ => "",
    };
    let letter = letter(access);
    let address = if pointer.ty().alloc_size(module) == Some(4) { 'r' } else { 'l' };
    let constraints = format!("={letter},{address},{letter},~{{memory}}");
    let result = if sm >= 70 {
        if sequential {
            builder.assembly(&format!("fence.sc.{scope};"), "~{memory}", void, &[]);
        }
        let text = format!("atom.{memory_order}.{scope}{space}.{operation} $0, [$1], $2;");
        builder.assembly(&text, &constraints, access.ty(), &[pointer, operand])
    } else {
        let fence = format!("membar.{};", if scope == "gpu" { "gl" } else { scope });
        let around = |builder: &scythe_llvm::Builder<'ctx>| {
            if !relaxed {
                builder.assembly(&fence, "~{memory}", void, &[]);
            }
        };
        around(&builder);
        // PTX before sm_60 has no scopes; device scope is then the widest.
        let scope = if sm >= 60 && scope == "sys" { ".sys" } else { "" };
        let text = format!("atom{scope}{space}.{operation} $0, [$1], $2;");
        let result = builder.assembly(&text, &constraints, access.ty(), &[pointer, operand]);
        around(&builder);
        result
    };
    access.replace_all_uses_with(result.as_value());
    access.erase();
}

/// Returns PTX's name of the operation with its type, or `None` if PTX or the architecture does not
/// support the operation.
fn operation(op: AtomicRmwOp, access: Instruction<'_>, sm: u32) -> Option<String> {
    use AtomicRmwOp::*;
    let name = match (access.ty().kind(), access.ty().int_width()) {
        (_, Some(bits @ (32 | 64))) => match op {
            LLVMAtomicRMWBinOpAdd => format!("add.u{bits}"),
            LLVMAtomicRMWBinOpAnd => format!("and.b{bits}"),
            LLVMAtomicRMWBinOpOr => format!("or.b{bits}"),
            LLVMAtomicRMWBinOpXor => format!("xor.b{bits}"),
            LLVMAtomicRMWBinOpXchg => format!("exch.b{bits}"),
            LLVMAtomicRMWBinOpMax => format!("max.s{bits}"),
            LLVMAtomicRMWBinOpMin => format!("min.s{bits}"),
            LLVMAtomicRMWBinOpUMax => format!("max.u{bits}"),
            LLVMAtomicRMWBinOpUMin => format!("min.u{bits}"),
            _ => return None,
        },
        (TypeKind::LLVMFloatTypeKind, _) if op == LLVMAtomicRMWBinOpFAdd => "add.f32".to_owned(),
        (TypeKind::LLVMDoubleTypeKind, _) if op == LLVMAtomicRMWBinOpFAdd && sm >= 60 => {
            "add.f64".to_owned()
        }
        (TypeKind::LLVMFloatTypeKind, _) if op == LLVMAtomicRMWBinOpXchg => "exch.b32".to_owned(),
        (TypeKind::LLVMDoubleTypeKind, _) if op == LLVMAtomicRMWBinOpXchg => "exch.b64".to_owned(),
        _ => return None,
    };
    Some(name)
}

/// Returns the constraint letter of the register that holds the value.
fn letter(access: Instruction<'_>) -> char {
    match (access.ty().kind(), access.ty().int_width()) {
        (TypeKind::LLVMFloatTypeKind, _) => 'f',
        (TypeKind::LLVMDoubleTypeKind, _) => 'd',
        (_, Some(64)) => 'l',
        _ => 'r',
    }
}
