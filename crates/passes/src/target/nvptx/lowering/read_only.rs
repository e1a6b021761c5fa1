//! Marks loads from global memory that nothing in the kernel writes. The compiler then emits
//! `ld.global.nc`, which may move across stores and goes through the read-only cache.
//!
//! The source tells it by `restrict`: a load is based on a `restrict` pointer, and all stores of
//! the kernel to global memory are not. Nothing is marked in kernels with barriers, fences or
//! ordered atomic accesses, because these can make stores of other work-items visible. A `restrict`
//! pointer in a loop is another pointer in each round, and what one round stores through a second
//! pointer, the next may load through the first: its loads are not marked.

use scythe_llvm::{
    AtomicOrdering, BasicBlock, Function, Instruction, Metadata, MetadataKind, Module, Opcode,
    Value,
};
use std::collections::HashSet;

/// The address spaces of global memory, and of shared, constant and local memory.
const GLOBAL: u32 = 1;
const OTHERS: [u32; 3] = [3, 4, 5];
/// The intrinsic that declares scopes where a function with `restrict` parameters was inlined.
const DECLARATION: &str = "llvm.experimental.noalias.scope.decl";

/// Marks loads in all kernels.
pub fn run(module: &Module<'_>) {
    for kernel in module.kernels() {
        mark(module, kernel);
    }
}

fn mark<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let context = module.context();
    let [scopes, apart] = ["alias.scope", "noalias"].map(|name| context.metadata_kind(name));
    let mut loads = Vec::new();
    // The scopes that all stores are apart from; `None` before the first store.
    let mut safe: Option<HashSet<Metadata<'ctx>>> = None;
    let mut declared = HashSet::new();
    for instruction in kernel.instructions() {
        match access(instruction) {
            Access::None => (),
            Access::Declaration => declared.extend(once(instruction)),
            Access::Load => loads.push(instruction),
            Access::Store => {
                let these = nodes(instruction, apart);
                safe = Some(match safe {
                    None => these.into_iter().collect(),
                    Some(safe) => these.into_iter().filter(|s| safe.contains(s)).collect(),
                });
            }
            Access::Unknown => return,
        }
    }
    let Some(safe) = safe else { return };
    let mark = context.metadata_kind("invariant.load");
    for load in loads {
        let fits = |scope| safe.contains(scope) && declared.contains(scope);
        if nodes(load, scopes).iter().any(fits) {
            load.set_metadata(mark, Some(context.md_node(&[])));
        }
    }
}

enum Access {
    /// No access, or one to memory that is not global.
    None,
    /// The declaration of scopes.
    Declaration,
    /// A plain load from global memory.
    Load,
    /// A write to global memory that orders nothing.
    Store,
    /// Anything else.
    Unknown,
}

fn access(instruction: Instruction<'_>) -> Access {
    let space = |pointer: Option<Value<'_>>| pointer.and_then(|p| p.ty().address_space());
    let store = |pointer| match space(pointer) {
        Some(known) if OTHERS.contains(&known) => Access::None,
        _ => Access::Store,
    };
    match instruction.opcode() {
        Opcode::LLVMLoad if instruction.is_volatile() || instruction.is_atomic() => Access::Unknown,
        Opcode::LLVMLoad if space(instruction.operand(0)) == Some(GLOBAL) => Access::Load,
        Opcode::LLVMStore if instruction.is_volatile() || instruction.is_atomic() => {
            Access::Unknown
        }
        Opcode::LLVMStore => store(instruction.operand(1)),
        Opcode::LLVMAtomicRMW => match instruction.read_modify_write() {
            Some((_, AtomicOrdering::LLVMAtomicOrderingMonotonic)) => store(instruction.operand(0)),
            _ => Access::Unknown,
        },
        Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence => Access::Unknown,
        Opcode::LLVMCall | Opcode::LLVMInvoke => match instruction.called_function() {
            Some(callee) if callee.is_intrinsic() && callee.name() == DECLARATION => {
                Access::Declaration
            }
            Some(callee) if callee.is_intrinsic() && is_silent(&callee.name()) => Access::None,
            _ if !instruction.touches_memory() => Access::None,
            _ => Access::Unknown,
        },
        _ => Access::None,
    }
}

/// Whether an intrinsic only marks places, although LLVM says that it writes.
fn is_silent(name: &str) -> bool {
    ["llvm.lifetime.", "llvm.assume", "llvm.dbg."].iter().any(|prefix| name.starts_with(prefix))
}

/// Returns the scopes of a declaration that runs at most once.
fn once<'ctx>(declaration: Instruction<'ctx>) -> Vec<Metadata<'ctx>> {
    let scopes = declaration.args().first().map(|list| list.as_metadata().operands());
    match declaration.block().is_some_and(is_in_loop) {
        true => Vec::new(),
        false => scopes.unwrap_or_default().into_iter().flatten().collect(),
    }
}

/// Whether the block can run again after it has run.
fn is_in_loop(block: BasicBlock<'_>) -> bool {
    let (mut work, mut known) = (block.successors(), HashSet::new());
    while let Some(next) = work.pop() {
        if next == block {
            return true;
        }
        if known.insert(next) {
            work.extend(next.successors());
        }
    }
    false
}

/// The scopes in the metadata `kind`.
fn nodes<'ctx>(instruction: Instruction<'ctx>, kind: MetadataKind) -> Vec<Metadata<'ctx>> {
    let list = instruction.metadata(kind).map(|list| list.operands()).unwrap_or_default();
    list.into_iter().flatten().collect()
}
