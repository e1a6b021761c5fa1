//! Remembers which member of which structure an annotated access is to, while IR still says so.
//!
//! Optimisation turns addresses of members into sums of bytes. `OpMemberDecorate` names a structure
//! and a member, so each call of `llvm.ptr.annotation` with properties gets `!scythe_member
//! !{%structure poison, i32 member}`. The structure is named by a value of its type, since linking
//! modules may change a type's name. An access without it is decorated like any other; only the
//! member is not.

use super::spirv::{ANNOTATION_PREFIX, annotation_text, annotations};
use crate::{Error, Pass};
use scythe_llvm::{Instruction, Module, Opcode, Type, Value};

pub const KIND: &str = "scythe_member";

/// See the file's head.
pub struct MemberProperties;

impl Pass for MemberProperties {
    fn name(&self) -> &'static str {
        "member-properties"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let context = module.context();
        let kind = context.metadata_kind(KIND);
        let mut changed = false;
        for call in annotations(module) {
            if !annotation_text(call).is_some_and(|text| text.starts_with(ANNOTATION_PREFIX)) {
                continue;
            }
            let Some((structure, member)) =
                call.args().first().and_then(|&address| member_of(address))
            else {
                continue;
            };
            let structure = structure.poison().as_metadata();
            call.set_metadata(
                kind,
                Some(context.md_node(&[structure, context.md_int(32, member)])),
            );
            changed = true;
        }
        Ok(changed)
    }
}

/// The structure by name, and the member, that an annotated access was noted to be to.
pub fn noted(module: &Module<'_>, annotation: Instruction<'_>) -> Option<(String, u32)> {
    let node = annotation.metadata(module.context().metadata_kind(KIND))?;
    let structure = node.operand(0)?.constant()?.ty();
    Some((structure.struct_name()?, node.operand(1)?.int()? as u32))
}

/// The named structure that `address` is inside of, and which member it is.
fn member_of(address: Value<'_>) -> Option<(Type<'_>, u64)> {
    let mut at = address.as_instruction()?;
    while matches!(at.opcode(), Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) {
        at = at.operand(0)?.as_instruction()?;
    }
    let mut ty = at.gep_source_type()?;
    let last = at.operand_count().checked_sub(1).filter(|&last| last >= 2)?;
    // Operand 0 is the pointer, 1 the step over whole objects; the others lead into the object.
    for index in 2..last {
        ty = match at.operand(index)?.const_int_value() {
            Some(member) if ty.is_struct() => *ty.contained().get(member as usize)?,
            _ => *ty.contained().first()?,
        };
    }
    let member = at.operand(last)?.const_int_value()?;
    (ty.is_struct() && ty.struct_name().is_some()).then_some((ty, member))
}
