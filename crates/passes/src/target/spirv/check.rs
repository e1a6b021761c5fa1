//! Checks that the types in a SPIR-V module fit together, before a driver sees the module.
//!
//! Drivers crash on invalid modules, or report only that a module is invalid. LLVM's back end has
//! written such modules, with operations on numbers of different widths. This check compares each
//! operation with its operands: arithmetic, bit operations, comparisons, conversions, selections,
//! phi nodes and memory accesses. Tests run `spirv-val` for the rest.
//!
//! Guarantee: a module that this check refuses is invalid SPIR-V. The time is linear in the size of
//! the module.

use super::SpirvError;
use super::lowering::binary::{
    Instruction, Module, OP_ENTRY_POINT, OP_FUNCTION, OP_FUNCTION_END, OP_NAME, OP_TYPE_POINTER,
    is_type,
};
use std::collections::HashMap;

/// An error names function, operation and operand.
pub fn run(module: &Module) -> Result<(), SpirvError> {
    let types = Types::of(module);
    let mut function = 0;
    for instruction in &module.instructions {
        match instruction.opcode {
            OP_FUNCTION => function = instruction.operands.get(1).copied().unwrap_or(0),
            OP_FUNCTION_END => function = 0,
            _ if function != 0 => check(instruction, &types).map_err(|mismatch| {
                SpirvError::Invalid { function: name(module, function), mismatch }
            })?,
            _ => (),
        }
    }
    Ok(())
}

/// An operation whose operands and result do not fit together. Numbers are those of SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error(
        "operation {opcode} takes %{id} of type %{seen}, expected type %{expected} (numbers as in \
         SPIR-V)"
    )]
    Operand { opcode: u16, id: u32, seen: u32, expected: u32 },
    #[error("conversion {opcode} of %{id} changes nothing")]
    Conversion { opcode: u16, id: u32 },
    #[error(
        "operation {opcode} reads type %{result} through %{id}, which points to type %{pointee}"
    )]
    Load { opcode: u16, result: u32, id: u32, pointee: u32 },
}

/// How operands are to fit the result.
enum Rule {
    /// All have the result's type, from this operand on.
    Same(usize),
    /// The first has the result's type: the second of a shift may be of any width.
    First,
    /// The operands have one type, and the result another.
    Alike,
    /// The operand has another type.
    Other,
    /// Values, each followed by the block that it comes from.
    Phi,
    /// The result, or the value stored, has the type that the address points to.
    Load,
    Store,
}

fn rule(opcode: u16) -> Option<Rule> {
    Some(match opcode {
        // OpSNegate to OpFMod; OpBitwiseOr to OpNot; OpLogicalOr to OpLogicalNot.
        126..=141 | 197..=200 | 166..=168 => Rule::Same(2),
        // OpSelect, after its condition.
        169 => Rule::Same(3),
        // OpShiftRightLogical to OpShiftLeftLogical.
        194..=196 => Rule::First,
        // OpIEqual to OpFUnordGreaterThanEqual.
        170..=191 => Rule::Alike,
        // OpUConvert to OpFConvert.
        113..=115 => Rule::Other,
        245 => Rule::Phi,
        61 => Rule::Load,
        62 => Rule::Store,
        _ => return None,
    })
}

fn check(instruction: &Instruction, types: &Types) -> Result<(), Mismatch> {
    let Some(rule) = rule(instruction.opcode) else { return Ok(()) };
    let operand = |place: usize| instruction.operands.get(place).copied().unwrap_or(0);
    let result = operand(0);
    let expect = |place: usize, expected: Option<u32>| {
        let (id, expected) = (operand(place), expected.unwrap_or(0));
        match types.values.get(&id) {
            Some(&seen) if seen != expected => {
                Err(Mismatch::Operand { opcode: instruction.opcode, id, seen, expected })
            }
            _ => Ok(()),
        }
    };
    let count = instruction.operands.len();
    match rule {
        Rule::Same(first) => (first..count).try_for_each(|place| expect(place, Some(result))),
        Rule::First => expect(2, Some(result)),
        Rule::Alike => match types.values.get(&operand(2)) {
            Some(first) => (3..count).try_for_each(|place| expect(place, Some(*first))),
            None => Ok(()),
        },
        Rule::Other if types.values.get(&operand(2)) == Some(&result) => {
            Err(Mismatch::Conversion { opcode: instruction.opcode, id: operand(2) })
        }
        Rule::Other => Ok(()),
        Rule::Phi => (2..count).step_by(2).try_for_each(|place| expect(place, Some(result))),
        Rule::Load => match types.pointee(operand(2)) {
            Some(pointee) if pointee != result => {
                Err(Mismatch::Load { opcode: instruction.opcode, result, id: operand(2), pointee })
            }
            _ => Ok(()),
        },
        Rule::Store => types.pointee(operand(0)).map_or(Ok(()), |pointee| expect(1, Some(pointee))),
    }
}

/// What ids are.
struct Types {
    /// Values with their types.
    values: HashMap<u32, u32>,
    /// Types of pointers with what they point to.
    pointees: HashMap<u32, u32>,
}

impl Types {
    fn of(module: &Module) -> Self {
        let mut types = Self { values: HashMap::new(), pointees: HashMap::new() };
        let mut known = std::collections::HashSet::new();
        for Instruction { opcode, operands } in &module.instructions {
            let operand = |place: usize| operands.get(place).copied();
            if is_type(*opcode) {
                known.extend(operand(0));
                if let (OP_TYPE_POINTER, Some(pointer), Some(pointee)) =
                    (*opcode, operand(0), operand(2))
                {
                    types.pointees.insert(pointer, pointee);
                }
            } else if let (Some(ty), Some(value)) =
                (operand(0).filter(|ty| known.contains(ty)), operand(1))
            {
                // Names and decorations, which begin with an id, too, come before all types.
                types.values.insert(value, ty);
            }
        }
        types
    }

    fn pointee(&self, address: u32) -> Option<u32> {
        self.values.get(&address).and_then(|ty| self.pointees.get(ty)).copied()
    }
}

/// What a function is called in messages.
fn name(module: &Module, function: u32) -> String {
    let entry =
        |i: &&Instruction| i.opcode == OP_ENTRY_POINT && i.operands.get(1) == Some(&function);
    let named = |i: &&Instruction| i.opcode == OP_NAME && i.operands.first() == Some(&function);
    let kernel = module.instructions.iter().find(entry).and_then(|i| i.text(2));
    let other = || module.instructions.iter().find(named).and_then(|i| i.text(1));
    match kernel {
        Some(kernel) => format!("kernel '{kernel}'"),
        None => other()
            .map_or_else(|| format!("function %{function}"), |name| format!("function '{name}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel `k` of one instruction on values 10 (type 1), 11 (type 2) and 12 (a pointer to type
    /// 1), and truth 13.
    fn checked(opcode: u16, operands: &[u32]) -> Result<(), SpirvError> {
        let list: [(u16, &[u32]); 12] = [
            (OP_ENTRY_POINT, &[6, 9, 0x6b]),
            (21, &[1, 32, 0]),
            (21, &[2, 64, 0]),
            (20, &[3]),
            (OP_TYPE_POINTER, &[4, 5, 1]),
            (OP_FUNCTION, &[7, 9, 0, 8]),
            (55, &[1, 10]),
            (55, &[2, 11]),
            (55, &[4, 12]),
            (55, &[3, 13]),
            (opcode, operands),
            (OP_FUNCTION_END, &[]),
        ];
        let instructions =
            list.map(|(opcode, operands)| Instruction::new(opcode, operands.to_vec())).to_vec();
        run(&Module::with(instructions))
    }

    #[test]
    fn operations_on_one_type_are_fine() {
        let fine: [(u16, &[u32]); 9] = [
            (128, &[1, 20, 10, 10]),
            (199, &[2, 20, 11, 11]),
            (194, &[1, 20, 10, 11]),
            (170, &[3, 20, 10, 10]),
            (113, &[2, 20, 10]),
            (169, &[1, 20, 13, 10, 10]),
            // Values that are defined later are unknown here.
            (245, &[1, 20, 10, 50, 20, 51]),
            (61, &[1, 20, 12, 2, 4]),
            (62, &[12, 10, 2, 4]),
        ];
        for (opcode, operands) in fine {
            assert_eq!(checked(opcode, operands), Ok(()), "{opcode}");
        }
    }

    #[test]
    fn operations_on_two_types_name_the_kernel() {
        let wrong: [(u16, &[u32]); 9] = [
            (128, &[1, 20, 10, 11]),
            (199, &[1, 20, 11, 10]),
            (194, &[1, 20, 11, 10]),
            (170, &[3, 20, 10, 11]),
            (113, &[1, 20, 10]),
            (169, &[1, 20, 13, 10, 11]),
            (245, &[1, 20, 10, 50, 11, 51]),
            (61, &[2, 20, 12, 2, 4]),
            (62, &[12, 11, 2, 4]),
        ];
        for (opcode, operands) in wrong {
            let why = checked(opcode, operands).expect_err("two types").to_string();
            assert!(why.contains("kernel 'k'") && why.contains(&opcode.to_string()), "{why}");
        }
    }
}
