//! Runs neighbouring work-groups as one row of work-items.
//!
//! A kernel without barriers and local memory whose work-items do not look at their group runs the
//! same way in groups of any size. Rows of a few work-items waste most of a vectorised loop: the
//! loop fills few or no vectors, and its start and end cost more than its iterations. The loops
//! over work-groups therefore take all groups of a row at once:
//!
//! ```text
//! for group x in begin..end, in steps of `width`:
//!     for local z, local y:  for local x in 0..size · width
//! ```
//!
//! The width is 1 if groups have several rows and the kernel reads memory across rows: the order
//! group by group then keeps what a group reads in the cache.

use super::queries::belongs_to_kernel;
use super::widening::divergence::Shape as LaneShape;
use super::widening::lanes;
use super::work_group::Scope;
use super::{local_memory, specialise};
use crate::target::common::local_variables::LOCAL;
use crate::target::common::queries::{self, Query};
use crate::target::common::required_sizes;
use crate::target::cpu::Options;
use scythe_abi::launch::Shape;
use scythe_llvm::{Function, IntPredicate, Module, Opcode, Value};

/// The largest distance in bytes between the addresses of neighbours in a row for which the row is
/// contiguous for a cache.
const NEAR: i64 = 16;

/// The groups that run as one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Each group runs alone.
    None,
    /// The groups of a row run together if they have only one row of work-items.
    Flat,
    /// The groups of a row run together.
    Always,
}

/// Decides for a kernel.
pub fn of<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    shape: Shape,
    options: &Options,
) -> Merge {
    let is_free = shape == Shape::NdRange
        && options.opt_level > 1
        && !options.scalar
        && required_sizes::sub_group(kernel).is_none()
        && !specialise::sees_sub_groups(kernel)
        && kernel.params().iter().all(|p| p.ty().address_space() != Some(LOCAL))
        && local_memory::size(module, kernel) == 0
        && !sees_group(kernel);
    match is_free {
        false => Merge::None,
        true if follows_rows(module, kernel, options.lanes) => Merge::Always,
        true => Merge::Flat,
    }
}

/// Whether the kernel depends on the group of its work-item or on the position in the group, along
/// the fastest dimension, or waits for others.
fn sees_group(kernel: Function<'_>) -> bool {
    kernel.instructions().any(|i| {
        let Some(name) = i.called_function().map(|f| f.name()) else { return false };
        match queries::parse(&name) {
            Some(Query::LocalInvocationId | Query::WorkgroupId) => {
                let dimension = i.args().first().and_then(|d| d.const_int_value());
                dimension.is_none_or(|d| d == 0)
            }
            Some(_) => false,
            None => belongs_to_kernel(&name),
        }
    })
}

/// Whether all accesses of the kernel are to neighbouring addresses along a row.
fn follows_rows<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>, lanes: u32) -> bool {
    let Ok(facts) = lanes::analyse(module, kernel, lanes) else { return false };
    facts.cfg.len() == facts.cfg.reverse_post_order().len()
        && facts.loops.loops.is_empty()
        && kernel.instructions().all(|i| {
            let pointer = match i.opcode() {
                Opcode::LLVMLoad => i.operand(0),
                Opcode::LLVMStore => i.operand(1),
                Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => return false,
                _ => return true,
            };
            pointer.is_some_and(|p| match facts.shape(p) {
                LaneShape::Uniform => true,
                LaneShape::Linear(step) | LaneShape::LinearUnlessWrapped(step) => {
                    step.abs() <= NEAR
                }
                _ => false,
            })
        })
}

impl Merge {
    /// Emits the number of groups that run as one row.
    pub(super) fn width<'ctx>(
        self,
        scope: &Scope<'_, 'ctx>,
        local_size: [Value<'ctx>; 3],
        begin: Value<'ctx>,
        end: Value<'ctx>,
    ) -> Option<Value<'ctx>> {
        let (b, one) = (scope.builder, scope.context.const_int(64, 1));
        let all = || b.sub(end, begin, "groups");
        match self {
            Self::None => None,
            Self::Always => Some(all()),
            Self::Flat => {
                let is_one = |size| b.icmp(IntPredicate::LLVMIntEQ, size, one, "");
                let flat = b.and(is_one(local_size[1]), is_one(local_size[2]), "flat");
                Some(b.select(flat, all(), one, "width"))
            }
        }
    }
}
