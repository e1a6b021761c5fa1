//! Sums with their carry, and differences with their borrow, in two steps.
//!
//! LLVM's code generation makes one instruction of `x + y < x` and its like, also where loops count to zero: `OpIAddCarry`. Not all of
//! Intel's compilers for GPUs know it.
//!
//! Guarantee: afterwards neither it nor `OpISubBorrow` is there for integers; those for vectors stay.

use super::binary::{Instruction, Module, OP_FUNCTION, OP_TYPE_STRUCT};
use std::collections::BTreeMap;

const OP_TYPE_BOOL: u16 = 20;
const OP_TYPE_INT: u16 = 21;
const OP_CONSTANT: u16 = 43;
const OP_COMPOSITE_CONSTRUCT: u16 = 80;
const OP_I_ADD: u16 = 128;
const OP_I_SUB: u16 = 130;
const OP_I_ADD_CARRY: u16 = 149;
const OP_I_SUB_BORROW: u16 = 150;
const OP_SELECT: u16 = 169;
const OP_U_LESS_THAN: u16 = 176;

/// Expands them in a module.
pub fn expand(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut module = Module::read(&bytes)?;
    let both = |i: &Instruction| matches!(i.opcode, OP_I_ADD_CARRY | OP_I_SUB_BORROW);
    if !module.instructions.iter().any(both) {
        return Ok(bytes);
    }
    // From the id of a type to a word behind it: a structure's first member, an integer's width.
    let types = |opcode: u16| -> BTreeMap<u32, u32> {
        let found = module.instructions.iter().filter(|i| i.opcode == opcode && i.operands.len() > 1);
        found.map(|i| (i.operands[0], i.operands[1])).collect()
    };
    let (members, widths) = (types(OP_TYPE_STRUCT), types(OP_TYPE_INT));
    let mut next = module.bound();
    let mut id = || {
        next += 1;
        next - 1
    };
    let mut globals = Vec::new();
    let known = module.instructions.iter().find(|i| i.opcode == OP_TYPE_BOOL).and_then(|i| i.operands.first().copied());
    let truth = known.unwrap_or_else(|| {
        let new = id();
        globals.push(Instruction::new(OP_TYPE_BOOL, vec![new]));
        new
    });
    // One and zero of each type.
    let mut numbers: BTreeMap<u32, [u32; 2]> = BTreeMap::new();
    let mut all = Vec::with_capacity(module.instructions.len());
    for instruction in std::mem::take(&mut module.instructions) {
        let &[pair, result, x, y] = &instruction.operands[..] else {
            all.push(instruction);
            continue;
        };
        let number = members.get(&pair).and_then(|ty| Some((*ty, *widths.get(ty)?)));
        let Some((ty, width)) = number.filter(|_| both(&instruction)) else {
            all.push(instruction);
            continue;
        };
        let [one, zero] = *numbers.entry(ty).or_insert_with(|| {
            [1, 0].map(|value| {
                let new = id();
                let words = if width > 32 { vec![ty, new, value, 0] } else { vec![ty, new, value] };
                globals.push(Instruction::new(OP_CONSTANT, words));
                new
            })
        });
        let (first, flag, second) = (id(), id(), id());
        let add = instruction.opcode == OP_I_ADD_CARRY;
        let (operation, less, than) = if add { (OP_I_ADD, first, x) } else { (OP_I_SUB, x, y) };
        all.extend([
            Instruction::new(operation, vec![ty, first, x, y]),
            Instruction::new(OP_U_LESS_THAN, vec![truth, flag, less, than]),
            Instruction::new(OP_SELECT, vec![ty, second, flag, one, zero]),
            Instruction::new(OP_COMPOSITE_CONSTRUCT, vec![pair, result, first, second]),
        ]);
    }
    let functions = all.iter().position(|i| i.opcode == OP_FUNCTION).unwrap_or(all.len());
    all.splice(functions..functions, globals);
    module.instructions = all;
    module.set_bound(next);
    module.write()
}
