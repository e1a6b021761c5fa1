//! Checks that the types in a SPIR-V module are consistent, before the module is passed to a
//! driver.
//!
//! Drivers crash on invalid modules, or report only that a module is invalid. LLVM's back end has
//! emitted invalid modules, with operations on numbers of different widths. This check compares
//! each operation with its operands: arithmetic, bit operations, comparisons, conversions,
//! selections, phi nodes and memory accesses. Tests run `spirv-val` for all other rules.
//!
//! Guarantee: a module that this check rejects is invalid SPIR-V. The time is linear in the size of
//! the module.

use super::SpirvError;
use super::lowering::binary::{Instruction, Module};
use spirv::Op;
use std::collections::HashMap;

/// Checks the module. The error names the function, the operation and the operand.
pub fn run(module: &Module) -> Result<(), SpirvError> {
    let types = Types::of(module);
    let mut function = 0;
    for instruction in &module.instructions {
        match instruction.op() {
            Some(Op::Function) => function = instruction.operands.get(1).copied().unwrap_or(0),
            Some(Op::FunctionEnd) => function = 0,
            _ if function != 0 => check(instruction, &types).map_err(|mismatch| {
                SpirvError::Invalid { function: name(module, function), mismatch }
            })?,
            _ => (),
        }
    }
    Ok(())
}

/// An operation whose operands and result are inconsistent. Numbers are those of SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("operand %{id} of Op{op:?} has type %{seen}, expected type %{expected}")]
    Operand { op: Op, id: u32, seen: u32, expected: u32 },
    #[error("Op{op:?} converts %{id} to the type that it already has")]
    Conversion { op: Op, id: u32 },
    #[error("Op{op:?} has result type %{result}, but its pointer %{id} points to type %{pointee}")]
    Load { op: Op, result: u32, id: u32, pointee: u32 },
}

/// The required relation between the types of the operands and of the result.
enum Rule {
    /// All operands from this index on have the type of the result.
    Same(usize),
    /// The first operand has the type of the result. The second operand of a shift may have any
    /// width.
    First,
    /// The operands have the same type. The result has another type.
    Alike,
    /// The operand has a type other than that of the result.
    Other,
    /// The operands are values, each followed by the block that it comes from.
    Phi,
    /// The result, or the stored value, has the type that the address points to.
    Load,
    Store,
}

fn rule(op: Op) -> Option<Rule> {
    // SPIR-V numbers related operations consecutively.
    let between = |first: Op, last: Op| (first..=last).contains(&op);
    Some(match op {
        _ if between(Op::SNegate, Op::FMod)
            || between(Op::BitwiseOr, Op::Not)
            || between(Op::LogicalOr, Op::LogicalNot) =>
        {
            Rule::Same(2)
        }
        // The condition precedes the values.
        Op::Select => Rule::Same(3),
        _ if between(Op::ShiftRightLogical, Op::ShiftLeftLogical) => Rule::First,
        _ if between(Op::IEqual, Op::FUnordGreaterThanEqual) => Rule::Alike,
        _ if between(Op::UConvert, Op::FConvert) => Rule::Other,
        Op::Phi => Rule::Phi,
        Op::Load => Rule::Load,
        Op::Store => Rule::Store,
        _ => return None,
    })
}

fn check(instruction: &Instruction, types: &Types) -> Result<(), Mismatch> {
    let Some(op) = instruction.op() else { return Ok(()) };
    let Some(rule) = rule(op) else { return Ok(()) };
    let operand = |place: usize| instruction.operands.get(place).copied().unwrap_or(0);
    let result = operand(0);
    let expect = |place: usize, expected: Option<u32>| {
        let (id, expected) = (operand(place), expected.unwrap_or(0));
        match types.values.get(&id) {
            Some(&seen) if seen != expected => Err(Mismatch::Operand { op, id, seen, expected }),
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
            Err(Mismatch::Conversion { op, id: operand(2) })
        }
        Rule::Other => Ok(()),
        Rule::Phi => (2..count).step_by(2).try_for_each(|place| expect(place, Some(result))),
        Rule::Load => match types.pointee(operand(2)) {
            Some(pointee) if pointee != result => {
                Err(Mismatch::Load { op, result, id: operand(2), pointee })
            }
            _ => Ok(()),
        },
        Rule::Store => types.pointee(operand(0)).map_or(Ok(()), |pointee| expect(1, Some(pointee))),
    }
}

/// The types of ids.
struct Types {
    /// The type of each value.
    values: HashMap<u32, u32>,
    /// The pointee type of each pointer type.
    pointees: HashMap<u32, u32>,
}

impl Types {
    fn of(module: &Module) -> Self {
        let mut types = Self { values: HashMap::new(), pointees: HashMap::new() };
        let mut known = std::collections::HashSet::new();
        for instruction in &module.instructions {
            let operand = |place: usize| instruction.operands.get(place).copied();
            if instruction.is_type() {
                known.extend(operand(0));
                if let (true, Some(pointer), Some(pointee)) =
                    (instruction.is(Op::TypePointer), operand(0), operand(2))
                {
                    types.pointees.insert(pointer, pointee);
                }
            } else if let (Some(ty), Some(value)) =
                (operand(0).filter(|ty| known.contains(ty)), operand(1))
            {
                // Names and decorations also begin with an id, but come before all types.
                types.values.insert(value, ty);
            }
        }
        types
    }

    fn pointee(&self, address: u32) -> Option<u32> {
        self.values.get(&address).and_then(|ty| self.pointees.get(ty)).copied()
    }
}

/// Returns the description of a function for messages.
fn name(module: &Module, function: u32) -> String {
    let entry = |i: &&Instruction| i.is(Op::EntryPoint) && i.operands.get(1) == Some(&function);
    let named = |i: &&Instruction| i.is(Op::Name) && i.operands.first() == Some(&function);
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

    /// Checks a kernel `k` with one instruction on values 10 (type 1), 11 (type 2), 12 (a pointer
    /// to type 1) and 13 (a Boolean).
    fn checked(op: Op, operands: &[u32]) -> Result<(), SpirvError> {
        let list: [(Op, &[u32]); 12] = [
            (Op::EntryPoint, &[6, 9, 0x6b]),
            (Op::TypeInt, &[1, 32, 0]),
            (Op::TypeInt, &[2, 64, 0]),
            (Op::TypeBool, &[3]),
            (Op::TypePointer, &[4, 5, 1]),
            (Op::Function, &[7, 9, 0, 8]),
            (Op::FunctionParameter, &[1, 10]),
            (Op::FunctionParameter, &[2, 11]),
            (Op::FunctionParameter, &[4, 12]),
            (Op::FunctionParameter, &[3, 13]),
            (op, operands),
            (Op::FunctionEnd, &[]),
        ];
        let instructions =
            list.map(|(op, operands)| Instruction::new(op, operands.to_vec())).to_vec();
        run(&Module::with(instructions))
    }

    #[test]
    fn operations_on_one_type_are_fine() {
        let fine: [(Op, &[u32]); 9] = [
            (Op::IAdd, &[1, 20, 10, 10]),
            (Op::BitwiseAnd, &[2, 20, 11, 11]),
            (Op::ShiftRightLogical, &[1, 20, 10, 11]),
            (Op::IEqual, &[3, 20, 10, 10]),
            (Op::UConvert, &[2, 20, 10]),
            (Op::Select, &[1, 20, 13, 10, 10]),
            // The check does not know values that are defined later.
            (Op::Phi, &[1, 20, 10, 50, 20, 51]),
            (Op::Load, &[1, 20, 12, 2, 4]),
            (Op::Store, &[12, 10, 2, 4]),
        ];
        for (op, operands) in fine {
            assert_eq!(checked(op, operands), Ok(()), "{op:?}");
        }
    }

    #[test]
    fn operations_on_two_types_name_the_kernel() {
        let wrong: [(Op, &[u32]); 9] = [
            (Op::IAdd, &[1, 20, 10, 11]),
            (Op::BitwiseAnd, &[1, 20, 11, 10]),
            (Op::ShiftRightLogical, &[1, 20, 11, 10]),
            (Op::IEqual, &[3, 20, 10, 11]),
            (Op::UConvert, &[1, 20, 10]),
            (Op::Select, &[1, 20, 13, 10, 11]),
            (Op::Phi, &[1, 20, 10, 50, 11, 51]),
            (Op::Load, &[2, 20, 12, 2, 4]),
            (Op::Store, &[12, 11, 2, 4]),
        ];
        for (op, operands) in wrong {
            let why = checked(op, operands).expect_err("two types").to_string();
            assert!(why.contains("kernel 'k'") && why.contains(&format!("Op{op:?}")), "{why}");
        }
    }
}
