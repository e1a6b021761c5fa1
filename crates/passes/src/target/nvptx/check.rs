//! Rejects constructs on which LLVM's NVPTX back end ends the process. Each of them is an error
//! with its position in the source.
//!
//! Only code that remains after optimisation is relevant, and positions are lost by then. Therefore
//! [`positions`] records the positions before optimisation, and [`run`] checks the code at the end.

use super::NvptxError;
use scythe_llvm::{Function, Instruction, Module, Opcode, TypeKind};
use std::fmt;

/// An unsupported construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// Floating-point numbers of more than 64 bits.
    LongDouble,
    /// `goto *address`.
    ComputedGoto,
    /// An atomic access to more than 64 bits. Holds its size in bytes.
    WideAtomic(u64),
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LongDouble => f.write_str(
                "uses floating-point numbers of more than 64 bits, such as 'long double'",
            ),
            Self::ComputedGoto => f.write_str("has a 'goto' to the address of a label"),
            Self::WideAtomic(size) => {
                write!(f, "has an atomic access to {size} bytes")
            }
        }
    }
}

/// A construct in a function, with its position in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub construct: Construct,
    pub function: String,
    pub place: String,
}

/// Returns the unsupported constructs of the module for which debug information has a position.
pub fn positions(module: &Module<'_>) -> Vec<Position> {
    let found =
        functions(module).flat_map(|function| function.instructions().map(move |i| (function, i)));
    found
        .filter_map(|(function, instruction)| {
            let construct = construct(module, instruction, 0)?;
            let at = instruction.debug_loc()?;
            let place = format!("{}:{}:{}", at.file, at.line, at.column);
            Some(Position { construct, function: function.name(), place })
        })
        .collect()
}

/// Fails if the module has global constructors: no code runs before the first kernel.
pub fn constructors(module: &Module<'_>) -> Result<(), NvptxError> {
    match module
        .global("llvm.global_ctors")
        .is_some_and(|list| list.value_type().element_count() != Some(0))
    {
        true => Err(NvptxError::Constructors),
        false => Ok(()),
    }
}

/// Fails if the module has an unsupported construct. `sm` is the number of the architecture, such
/// as 90.
pub fn run(module: &Module<'_>, sm: u32) -> Result<(), NvptxError> {
    for function in functions(module) {
        if let Some(construct) =
            function.instructions().find_map(|instruction| construct(module, instruction, sm))
        {
            return Err(NvptxError::Unsupported {
                construct,
                function: function.name(),
                place: None,
            });
        }
    }
    Ok(())
}

fn functions<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Function<'ctx>> {
    module.functions().filter(|function| !function.is_declaration()).collect::<Vec<_>>().into_iter()
}

fn construct<'ctx>(
    module: &Module<'ctx>,
    instruction: Instruction<'ctx>,
    sm: u32,
) -> Option<Construct> {
    use TypeKind::{LLVMFP128TypeKind, LLVMPPC_FP128TypeKind, LLVMX86_FP80TypeKind};
    let wide = [LLVMFP128TypeKind, LLVMPPC_FP128TypeKind, LLVMX86_FP80TypeKind];
    if instruction.opcode() == Opcode::LLVMIndirectBr {
        return Some(Construct::ComputedGoto);
    }
    let types =
        std::iter::once(instruction.ty()).chain(instruction.operands().map(|operand| operand.ty()));
    if types.map(|ty| ty.kind()).any(|kind| wide.contains(&kind)) {
        return Some(Construct::LongDouble);
    }
    if !instruction.is_atomic() {
        return None;
    }
    // Hopper and later architectures support exchanges of 16 bytes, but no other atomic accesses of
    // this size.
    let (value, exchanges) = match instruction.opcode() {
        Opcode::LLVMLoad => (Some(instruction.ty()), false),
        Opcode::LLVMStore => (instruction.operand(0).map(|value| value.ty()), false),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            (instruction.operand(1).map(|value| value.ty()), true)
        }
        _ => (None, false),
    };
    let size = value.and_then(|ty| ty.alloc_size(module))?;
    let most = if exchanges && sm >= 90 { 16 } else { 8 };
    (size > most).then_some(Construct::WideAtomic(size))
}
