//! Gives every block of a SPIR-V module a unique id.
//!
//! LLVM's back end stores the ids of blocks by the addresses of functions, and keeps entries of
//! functions that it has freed. A block gets the id of an earlier block, perhaps of an earlier
//! module, when its function has the same address. That id may belong to anything in the module.
//! Drivers reject such a module or crash on it. Only instructions of the same function refer to a
//! block, and only in operands that must be blocks, so this pass can find and replace all
//! references.
//!
//! If two blocks of one function have the same id, the references are ambiguous. That is an error.
//! Another translation is unlikely to have it.
//!
//! Guarantee: ids of blocks are new and in block order, and so do not depend on addresses. Nothing
//! else changes.

use super::binary::{
    BinaryError, Instruction, Module, OP_FUNCTION, OP_FUNCTION_END, OP_FUNCTION_PARAMETER, OP_NAME,
    OP_TYPE_STRUCT,
};
use crate::target::spirv::SpirvError;
use std::collections::{HashMap, HashSet};

const OP_TYPE_INT: u16 = 21;
const OP_CONSTANT: u16 = 43;
const OP_VARIABLE: u16 = 59;
const OP_PHI: u16 = 245;
const OP_LOOP_MERGE: u16 = 246;
const OP_SELECTION_MERGE: u16 = 247;
const OP_LABEL: u16 = 248;
const OP_BRANCH: u16 = 249;
const OP_BRANCH_CONDITIONAL: u16 = 250;
const OP_SWITCH: u16 = 251;

/// The module with new ids of blocks.
pub fn renumber(bytes: &[u8]) -> Result<Vec<u8>, SpirvError> {
    let mut module = Module::read(bytes)?;
    let wide = wide_values(&module.instructions);
    let mut old = HashSet::new();
    let mut next = module.bound();
    let mut at = 0;
    while let Some(length) = function_length(&module.instructions[at..]) {
        let body = &mut module.instructions[at..at + length];
        let mut ids = HashMap::new();
        for label in body.iter().filter(|i| i.opcode == OP_LABEL).filter_map(|i| i.operands.first())
        {
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
        .retain(|i| i.opcode != OP_NAME || i.operands.first().is_none_or(|id| !old.contains(id)));
    module.set_bound(next);
    Ok(module.write()?)
}

/// The id that an instruction makes, where its name may matter to others.
fn named_result(instruction: &Instruction) -> Option<u32> {
    match instruction.opcode {
        OP_TYPE_STRUCT => instruction.operands.first().copied(),
        OP_FUNCTION | OP_FUNCTION_PARAMETER | OP_VARIABLE => instruction.operands.get(1).copied(),
        _ => None,
    }
}

/// Up to the end of the next function, where there is one.
fn function_length(instructions: &[Instruction]) -> Option<usize> {
    instructions.iter().position(|i| i.opcode == OP_FUNCTION_END).map(|end| end + 1)
}

/// Values of 64-bit integer types: as selectors, they make a `switch` have numbers of two words.
fn wide_values(instructions: &[Instruction]) -> HashSet<u32> {
    let wide_type = |i: &&Instruction| i.opcode == OP_TYPE_INT && i.operands.get(1) == Some(&64);
    let types: HashSet<u32> =
        instructions.iter().filter(wide_type).filter_map(|i| i.operands.first().copied()).collect();
    let first =
        instructions.iter().position(|i| i.opcode == OP_FUNCTION).unwrap_or(instructions.len());
    let (globals, functions) = instructions.split_at(first);
    // In functions, a type as first operand is that of the result, which follows.
    let makers = globals.iter().filter(|i| i.opcode == OP_CONSTANT).chain(functions);
    let typed = makers.filter(|i| i.operands.first().is_some_and(|ty| types.contains(ty)));
    typed.filter_map(|i| i.operands.get(1).copied()).collect()
}

/// Which operands are ids of blocks.
fn block_operands(instruction: &Instruction, wide: &HashSet<u32>) -> Vec<usize> {
    let count = instruction.operands.len();
    match instruction.opcode {
        OP_LABEL | OP_BRANCH | OP_SELECTION_MERGE => vec![0],
        OP_LOOP_MERGE => vec![0, 1],
        OP_BRANCH_CONDITIONAL => vec![1, 2],
        // Type and result, then values with the blocks that they come from.
        OP_PHI => (3..count).step_by(2).collect(),
        // Selector and default, then numbers with their blocks.
        OP_SWITCH => {
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

    fn assembled(instructions: &[(u16, &[u32])]) -> Vec<u8> {
        let words = instructions.iter().flat_map(|(opcode, operands)| {
            let first = ((operands.len() as u32 + 1) << 16) | u32::from(*opcode);
            std::iter::once(first).chain(operands.iter().copied())
        });
        HEADER.into_iter().chain(words).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn blocks_of_two_functions_get_ids_of_their_own() {
        // Types 1 (64 bits) and 2 (32 bits); both functions have the blocks 30 and 31, and switch
        // on 40 and 41. Numbers that happen to be ids of blocks stay.
        let module = |first: [u32; 2], second: [u32; 2], bound: u32, name: bool| {
            let ([a, b], [c, d]) = (first, second);
            let names: &[(u16, &[u32])] = if name { &[(OP_NAME, &[30, 0x61])] } else { &[] };
            let rest: [(u16, &[u32]); 17] = [
                (OP_TYPE_INT, &[1, 64, 0]),
                (OP_TYPE_INT, &[2, 32, 0]),
                (OP_FUNCTION, &[5, 10, 0, 6]),
                (55, &[1, 40]),
                (OP_LABEL, &[a]),
                (OP_SWITCH, &[40, b, 30, 31, a, 7, 0, b]),
                (OP_LABEL, &[b]),
                (OP_PHI, &[2, 42, 43, a, 44, b]),
                (OP_BRANCH_CONDITIONAL, &[45, a, b]),
                (OP_FUNCTION_END, &[]),
                (OP_FUNCTION, &[5, 11, 0, 6]),
                (55, &[2, 41]),
                (OP_LABEL, &[c]),
                (OP_SWITCH, &[41, d, 30, c, 31, d]),
                (OP_LABEL, &[d]),
                (OP_BRANCH, &[c]),
                (OP_FUNCTION_END, &[]),
            ];
            let mut bytes = assembled(&[names, &rest].concat());
            bytes[12..16].copy_from_slice(&bound.to_le_bytes());
            bytes
        };
        let renumbered = renumber(&module([30, 31], [30, 31], 50, true));
        assert_eq!(renumbered, Ok(module([50, 51], [52, 53], 54, false)));
        // Whether or not the back end mistook one for the other, the result is the same.
        assert_eq!(renumber(&module([30, 31], [32, 33], 50, true)), renumbered);
    }

    #[test]
    fn blocks_of_one_function_must_differ() {
        let twice: [(u16, &[u32]); 4] = [
            (OP_FUNCTION, &[5, 10, 0, 6]),
            (OP_LABEL, &[7]),
            (OP_LABEL, &[7]),
            (OP_FUNCTION_END, &[]),
        ];
        assert_eq!(renumber(&assembled(&twice)), Err(SpirvError::SameBlock { id: 7 }));
    }
}
