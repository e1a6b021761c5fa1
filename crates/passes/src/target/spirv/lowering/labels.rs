//! Gives every block of a SPIR-V module a unique id.
//!
//! LLVM's back end stores the ids of blocks by the addresses of functions, and keeps entries of
//! functions that it has freed. If a function has the address of an earlier function, perhaps of an
//! earlier module, its blocks get the ids of the earlier blocks. Such an id may belong to anything
//! in the module. Drivers reject such a module or crash on it. Only instructions of the same
//! function refer to a block, and only in operands that must be blocks, so this pass can find and
//! replace all references.
//!
//! If two blocks of one function have the same id, the references are ambiguous. That is an error.
//! Another translation is unlikely to have it.
//!
//! Guarantee: ids of blocks are new and in block order, so they do not depend on addresses. Nothing
//! else changes.

use super::binary::{BinaryError, Instruction, Module};
use crate::target::spirv::SpirvError;
use spirv::Op;
use std::collections::{HashMap, HashSet};

/// Returns the module with new ids of blocks.
pub fn renumber(bytes: &[u8]) -> Result<Vec<u8>, SpirvError> {
    let mut module = Module::read(bytes)?;
    let wide = wide_values(&module.instructions);
    let mut old = HashSet::new();
    let mut next = module.bound();
    let mut at = 0;
    while let Some(length) = function_length(&module.instructions[at..]) {
        let body = &mut module.instructions[at..at + length];
        let mut ids = HashMap::new();
        for label in body.iter().filter(|i| i.is(Op::Label)).filter_map(|i| i.operands.first()) {
            if ids.insert(*label, next).is_some() {
                return Err(SpirvError::SameBlock { id: *label });
            }
            next = next.checked_add(1).ok_or(BinaryError::TooManyIds)?;
        }
        for instruction in body {
            for place in block_operands(instruction, &wide) {
                if let Some(new) = instruction.operands.get(place).and_then(|id| ids.get(id)) {
                    instruction.operands[place] = *new;
                }
            }
        }
        old.extend(ids.into_keys());
        at += length;
    }
    for instruction in &module.instructions {
        if let Some(id) = named_result(instruction) {
            old.remove(&id);
        }
    }
    module
        .instructions
        .retain(|i| !i.is(Op::Name) || i.operands.first().is_none_or(|id| !old.contains(id)));
    module.set_bound(next);
    Ok(module.write()?)
}

/// Returns the id that an instruction defines, if other passes may need its name.
fn named_result(instruction: &Instruction) -> Option<u32> {
    match instruction.op() {
        Some(Op::TypeStruct) => instruction.operands.first().copied(),
        Some(Op::Function | Op::FunctionParameter | Op::Variable) => {
            instruction.operands.get(1).copied()
        }
        _ => None,
    }
}

/// Returns the number of instructions up to the end of the next function, if there is one.
fn function_length(instructions: &[Instruction]) -> Option<usize> {
    instructions.iter().position(|i| i.is(Op::FunctionEnd)).map(|end| end + 1)
}

/// Returns the values of 64-bit integer types. If the selector of a `switch` is one of them, the
/// case numbers have two words.
fn wide_values(instructions: &[Instruction]) -> HashSet<u32> {
    let wide_type = |i: &&Instruction| i.is(Op::TypeInt) && i.operands.get(1) == Some(&64);
    let types: HashSet<u32> =
        instructions.iter().filter(wide_type).filter_map(|i| i.operands.first().copied()).collect();
    let first = instructions.iter().position(|i| i.is(Op::Function)).unwrap_or(instructions.len());
    let (globals, functions) = instructions.split_at(first);
    // In functions, if the first operand is a type, it is that of the result, which follows.
    let makers = globals.iter().filter(|i| i.is(Op::Constant)).chain(functions);
    let typed = makers.filter(|i| i.operands.first().is_some_and(|ty| types.contains(ty)));
    typed.filter_map(|i| i.operands.get(1).copied()).collect()
}

/// Returns the indices of the operands that are ids of blocks.
fn block_operands(instruction: &Instruction, wide: &HashSet<u32>) -> Vec<usize> {
    let count = instruction.operands.len();
    match instruction.op() {
        Some(Op::Label | Op::Branch | Op::SelectionMerge) => vec![0],
        Some(Op::LoopMerge) => vec![0, 1],
        Some(Op::BranchConditional) => vec![1, 2],
        // The type and the result, then values with the blocks that they come from.
        Some(Op::Phi) => (3..count).step_by(2).collect(),
        // The selector and the default block, then numbers with their blocks.
        Some(Op::Switch) => {
            let words = if instruction.operands.first().is_some_and(|id| wide.contains(id)) {
                2
            } else {
                1
            };
            std::iter::once(1).chain((2 + words..count).step_by(words + 1)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0400, 0, 50, 0];

    fn assembled(instructions: &[(Op, &[u32])]) -> Vec<u8> {
        let words = instructions.iter().flat_map(|(op, operands)| {
            let first = ((operands.len() as u32 + 1) << 16) | u32::from(*op as u16);
            std::iter::once(first).chain(operands.iter().copied())
        });
        HEADER.into_iter().chain(words).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn blocks_of_two_functions_get_ids_of_their_own() {
        // Types 1 (64 bits) and 2 (32 bits). Both functions have the blocks 30 and 31, and switch
        // on 40 and 41. Numbers that equal ids of blocks by coincidence do not change.
        let module = |first: [u32; 2], second: [u32; 2], bound: u32, name: bool| {
            let ([a, b], [c, d]) = (first, second);
            let names: &[(Op, &[u32])] = if name { &[(Op::Name, &[30, 0x61])] } else { &[] };
            let rest: [(Op, &[u32]); 17] = [
                (Op::TypeInt, &[1, 64, 0]),
                (Op::TypeInt, &[2, 32, 0]),
                (Op::Function, &[5, 10, 0, 6]),
                (Op::FunctionParameter, &[1, 40]),
                (Op::Label, &[a]),
                (Op::Switch, &[40, b, 30, 31, a, 7, 0, b]),
                (Op::Label, &[b]),
                (Op::Phi, &[2, 42, 43, a, 44, b]),
                (Op::BranchConditional, &[45, a, b]),
                (Op::FunctionEnd, &[]),
                (Op::Function, &[5, 11, 0, 6]),
                (Op::FunctionParameter, &[2, 41]),
                (Op::Label, &[c]),
                (Op::Switch, &[41, d, 30, c, 31, d]),
                (Op::Label, &[d]),
                (Op::Branch, &[c]),
                (Op::FunctionEnd, &[]),
            ];
            let mut bytes = assembled(&[names, &rest].concat());
            bytes[12..16].copy_from_slice(&bound.to_le_bytes());
            bytes
        };
        let renumbered = renumber(&module([30, 31], [30, 31], 50, true));
        assert_eq!(renumbered, Ok(module([50, 51], [52, 53], 54, false)));
        // The result does not depend on whether the back end confused the ids.
        assert_eq!(renumber(&module([30, 31], [32, 33], 50, true)), renumbered);
    }

    #[test]
    fn blocks_of_one_function_must_differ() {
        let twice: [(Op, &[u32]); 4] = [
            (Op::Function, &[5, 10, 0, 6]),
            (Op::Label, &[7]),
            (Op::Label, &[7]),
            (Op::FunctionEnd, &[]),
        ];
        assert_eq!(renumber(&assembled(&twice)), Err(SpirvError::SameBlock { id: 7 }));
    }
}
