//! Records which member of which structure an annotated access refers to, while IR still contains
//! this information.
//!
//! Optimisation turns addresses of members into byte offsets. `OpMemberDecorate` names a structure
//! and a member, so each call of `llvm.ptr.annotation` with properties gets `!scythe_member
//! !{%structure poison, i32 member}`. A value of the structure's type stands for the structure,
//! because linking modules may rename types. For a call without this metadata, only the access is
//! decorated, not the member.

use super::spirv::{ANNOTATION_PREFIX, annotation_text, annotations};
use crate::{Error, Pass};
use scythe_llvm::{Instruction, Module, Opcode, Type, Value};

pub const KIND: &str = "scythe_member";

/// The pass `member-properties`. See the module documentation.
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

/// Returns the name of the structure and the number of the member that the pass recorded for an
/// annotated access.
pub fn recorded_member(module: &Module<'_>, annotation: Instruction<'_>) -> Option<(String, u32)> {
    let node = annotation.metadata(module.context().metadata_kind(KIND))?;
    let structure = node.operand(0)?.constant()?.ty();
    Some((structure.struct_name()?, node.operand(1)?.int()? as u32))
}

/// Returns the named structure that contains `address`, and the number of the member at `address`.
fn member_of(address: Value<'_>) -> Option<(Type<'_>, u64)> {
    let mut at = address.as_instruction()?;
    while matches!(at.opcode(), Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) {
        at = at.operand(0)?.as_instruction()?;
    }
    let mut ty = at.gep_source_type()?;
    let last = at.operand_count().checked_sub(1).filter(|&last| last >= 2)?;
    // Operand 0 is the pointer, and operand 1 steps over whole objects. The others lead into the
    // object.
    for index in 2..last {
        ty = match at.operand(index)?.const_int_value() {
            Some(member) if ty.is_struct() => *ty.contained().get(member as usize)?,
            _ => *ty.contained().first()?,
        };
    }
    let member = at.operand(last)?.const_int_value()?;
    (ty.is_struct() && ty.struct_name().is_some()).then_some((ty, member))
}
