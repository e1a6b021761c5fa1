//! Makes one function that runs a whole work-group from a kernel that runs one work-item (or `W` of
//! them in lanes).
//!
//! # What comes out
//!
//! A function with the kernel's parameters and eight more: memory for what work-items keep across
//! barriers, how many bytes of it each item has ([`GroupFunction::context_bytes`]), the group's
//! size in three dimensions, and the global id of its first work-item. Of the work-item queries
//! only those remain that are the same for the whole group. An *item* is one call's worth of the
//! kernel: `W` neighbouring work-items of a row, several short rows, or one work-item.
//!
//! # How
//!
//! A kernel without barriers is one nest of loops over the items. With barriers, the code is cut at
//! each of them: *region* `k` is everything that can run from behind barrier `k` (region 0: from
//! the start) until the next barrier or the end. Each region becomes a nest of loops over the
//! items, and a small state machine goes from region to region:
//!
//! ```text
//! next = 0
//! while next is a region:
//!   for every item:  restore what is live;  run region `next`;  save what is live;
//!                    note which barrier was reached
//! ```
//!
//! Where ways from different barriers meet, what follows would be part of several regions. If it is
//! much, and all items come by, it becomes a region of its own ([`meetings`]): code grows with the
//! kernel, not with the ways through it.
//!
//! In SYCL all work-items of a group reach the same barrier, so what one item notes holds for all.
//! Where the compiler cannot see that this is so, every item's note is compared with the first
//! item's, and a difference is reported ([`DIVERGENT_BARRIER`]).
//!
//! A value that is live across a barrier is, in this order of preference:
//! * computed again, where it depends on nothing but arguments and the item's position, and is
//!   cheap;
//! * kept once, where it is the same for all items of the group;
//! * computed again from such values, where that is cheap: addresses above all, which LLVM likes to
//!   move out of loops;
//! * saved in the item's context, and restored.
//!
//! # Invariants
//!
//! * No SSA value crosses from one region to another: each crossing value goes through a variable
//!   on the stack that its region sets before any use. `mem2reg` then makes it an SSA value again,
//!   inside each region.
//! * A region's code is a copy; blocks that several regions still share are copied into each.
//! * The order of regions, slots and saved values is that of the blocks: output is reproducible.

mod copying;
mod meetings;
mod region_code;
mod regions;
mod rows;

use region_code::Region;
use regions::{
    Cut, cut, cut_meetings, exits_differ, from_shared, live_at_barriers, recomputable, region,
    regions_of, regions_using,
};

use super::divergence::{CallShapes, Divergence, Shape, Unsuitable};
use super::lanes::{ACTIVE_LANES, Fold};
use crate::target::common::queries;
use scythe_llvm::{
    BasicBlock, Builder, ContextRef, Function, Instruction, IntPredicate, Module, Opcode, Type,
    Value,
};
use std::collections::{HashMap, HashSet};

/// Part of the mangled names of work-group barriers.
pub const BARRIER: &str = "__spirv_ControlBarrier";

/// Called when work-items of one group reach different barriers.
pub const DIVERGENT_BARRIER: &str = "__scythe_divergent_barrier";

/// How many operations deep values are that are computed again: from arguments and positions, which
/// LLVM then moves out of loops, and from shared values.
const RECOMPUTED_DEPTH: u32 = 8;
const SHARED_DEPTH: u32 = 4;

/// Forms of one kernel; all with the same parameters. One that no group needs may be missing.
pub struct Versions<'ctx> {
    /// All lanes take part. For kernels that cannot be widened: one work-item.
    pub full: Option<Function<'ctx>>,
    /// The first lanes take part, as many as [`ACTIVE_LANES`] says. Only with more than one lane.
    pub masked: Option<Function<'ctx>>,
    pub lanes: u32,
    /// How rows lie in the lanes, where several do. There is then one of the forms only.
    pub fold: Option<Fold>,
}

pub struct GroupFunction<'ctx> {
    pub function: Function<'ctx>,
    /// Memory needed for each item, in bytes.
    pub context_bytes: u64,
}

/// Consumes the versions: their bodies move into the new function.
pub fn make<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    versions: &Versions<'ctx>,
) -> Result<GroupFunction<'ctx>, Unsuitable> {
    let context = module.context();
    let source = versions.full.or(versions.masked).ok_or(Unsuitable::NoForm)?;
    let pointer = context.ptr_type(0);
    let mut params: Vec<Type<'ctx>> = source.params().iter().map(|p| p.ty()).collect();
    params.push(pointer);
    params.extend([context.int_type(64); 7]);
    let function = module.add_function(name, context.void_type().function(&params, false));
    function.copy_attributes_from(source);
    function.set_linkage(scythe_llvm::Linkage::LLVMInternalLinkage);

    let entry = context.append_block(function, "group");
    let done = context.append_block(function, "group.done");
    let builder = context.create_builder();
    builder.position_at_end(done);
    builder.ret_void();
    builder.position_at_end(entry);
    let extra = &function.params()[source.param_count()..];
    let (memory, stride) = (extra[0], extra[1]);
    let size = [extra[2], extra[3], extra[4]];
    let first = [extra[5], extra[6], extra[7]];
    let lanes = u64::from(versions.lanes);
    let up = builder.add(size[0], context.const_int(64, lanes - 1), "");
    let per_row =
        builder.lshr(up, context.const_int(64, u64::from(lanes.trailing_zeros())), "per.row");
    let items = match versions.fold {
        Some(fold) => {
            context.const_int(64, u64::from(fold.all_rows().div_ceil(fold.heads(versions.lanes))))
        }
        None => builder.mul(builder.mul(per_row, size[1], ""), size[2], "items"),
    };
    let slots = context.create_builder();
    let anchor = builder.br(done);
    slots.position_before(anchor);

    let mut maker = Maker {
        module,
        context,
        builder,
        slots,
        function,
        memory,
        stride,
        size,
        first,
        per_row,
        items,
        fold: versions.fold,
        used_bytes: 0,
        context_bytes: 0,
    };
    let has_barriers = barriers(source).next().is_some();
    let start = match (versions.full, versions.masked) {
        (None, _) => maker.machine(source, Chunks { lanes, tail: Tail::Masked }, done)?,
        (Some(full), None) => maker.machine(full, Chunks { lanes, tail: Tail::None }, done)?,
        (Some(full), Some(masked)) if has_barriers => {
            // All rows full, or all items under masks.
            let even = maker.machine(full, Chunks { lanes, tail: Tail::None }, done)?;
            let odd = maker.machine(masked, Chunks { lanes, tail: Tail::Masked }, done)?;
            let choose = context.append_block(function, "choose");
            maker.builder.position_at_end(choose);
            let rest = maker.builder.and(maker.size[0], maker.int(lanes - 1), "");
            let full = maker.builder.icmp(IntPredicate::LLVMIntEQ, rest, maker.int(0), "rows.full");
            maker.builder.cond_br(full, even, odd);
            choose
        }
        (Some(full), Some(masked)) => maker.plain(full, masked, lanes, done)?,
    };
    anchor.erase();
    maker.builder.position_at_end(entry);
    maker.builder.br(start);
    let context_bytes = maker.context_bytes;
    for version in [versions.full, versions.masked].into_iter().flatten() {
        version.erase();
    }
    Ok(GroupFunction { function, context_bytes })
}

/// The barrier calls of a function.
pub fn barriers<'ctx>(function: Function<'ctx>) -> impl Iterator<Item = Instruction<'ctx>> {
    function
        .instructions()
        .filter(|i| i.called_function().is_some_and(|f| f.name().contains(BARRIER)))
}

/// How a row of work-items is cut into items.
#[derive(Clone, Copy)]
struct Chunks {
    lanes: u64,
    tail: Tail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Rows divide evenly.
    None,
    /// The last item of a row may be partial.
    Masked,
}

/// Where an item stands.
#[derive(Clone, Copy)]
struct Position<'ctx> {
    /// Local number of its first work-item.
    local: [Value<'ctx>; 3],
    /// How many lanes take part; for masked versions.
    active: Option<Value<'ctx>>,
    /// Its number in the group.
    item: Value<'ctx>,
}

/// Shapes as one item sees another: everything that depends on the position varies.
struct ItemCalls;

impl CallShapes for ItemCalls {
    fn shape(&self, call: Instruction<'_>, _args: &[Shape]) -> Option<Shape> {
        let name = call.called_function()?.name();
        if name == ACTIVE_LANES {
            return Some(Shape::Varying);
        }
        let varies = queries::parse(&name)?.varies_by_item();
        Some(if varies { Shape::Varying } else { Shape::Uniform })
    }

    fn separate_allocas(&self) -> bool {
        true
    }
}

/// How a crossing value gets from region to region.
enum Crossing {
    Recomputed,
    /// Offset in the item's context.
    Saved(u64),
    /// Two variables: what the region sees, and what it leaves for the next.
    Shared,
}

struct Maker<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    /// Inserts variables into the first block.
    slots: Builder<'ctx>,
    function: Function<'ctx>,
    memory: Value<'ctx>,
    /// Bytes of memory for each item.
    stride: Value<'ctx>,
    size: [Value<'ctx>; 3],
    first: [Value<'ctx>; 3],
    /// How many items a row and the whole group have.
    per_row: Value<'ctx>,
    items: Value<'ctx>,
    fold: Option<Fold>,
    /// Of the machine being made.
    used_bytes: u64,
    /// The most that any machine needs.
    context_bytes: u64,
}

/// A value of the version that crosses a barrier.
struct Crosser<'ctx> {
    value: Value<'ctx>,
    /// Its variable in the version's code.
    variable: Instruction<'ctx>,
    /// Its variable in the group function.
    slot: Instruction<'ctx>,
    how: Crossing,
    /// For shared values: what the current region sees and leaves.
    seen: Option<Instruction<'ctx>>,
    left: Option<Instruction<'ctx>>,
    /// Barriers at which it is live.
    live_at: HashSet<usize>,
}

impl<'ctx> Maker<'_, 'ctx> {
    fn int(&self, value: u64) -> Value<'ctx> {
        self.context.const_int(64, value)
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.context.append_block(self.function, name)
    }

    // --- With barriers ---

    /// The state machine of one version. Returns its first block.
    fn machine(
        &mut self,
        version: Function<'ctx>,
        chunks: Chunks,
        done: BasicBlock<'ctx>,
    ) -> Result<BasicBlock<'ctx>, Unsuitable> {
        self.used_bytes = 0;
        let mut cuts = cut(version);
        let mut uniform = Divergence::analyse(self.module, version, &ItemCalls).ok();
        let more = uniform.as_ref().map(|u| cut_meetings(u, &cuts)).unwrap_or_default();
        if !more.is_empty() {
            cuts.extend(more);
            uniform = Divergence::analyse(self.module, version, &ItemCalls).ok();
        }
        let entry = version.entry_block().ok_or(Unsuitable::NoBody)?;
        let mut starts = vec![entry];
        starts.extend(cuts.iter().map(|c| c.behind));
        let barrier_of: HashMap<BasicBlock<'ctx>, usize> =
            cuts.iter().enumerate().map(|(k, c)| (c.block, k)).collect();
        let regions: Vec<Vec<BasicBlock<'ctx>>> =
            starts.iter().map(|&s| region(version, s, &barrier_of)).collect();

        let allocas: Vec<_> =
            version.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca).collect();
        let regions_of = regions_of(&regions);
        let (kept, local): (Vec<_>, Vec<_>) = allocas
            .into_iter()
            .partition(|&a| !cuts.is_empty() && regions_using(a.as_value(), &regions_of).len() > 1);
        let mut crossers = self.demote(version, &cuts, uniform.as_ref());
        let mut map = self.parameters(version);
        for a in local {
            map.insert(a.as_value(), self.local_alloca(a));
        }
        for c in &mut crossers {
            c.slot = self.slots.alloca(c.value.ty(), "live");
            map.insert(c.variable.as_value(), c.slot.as_value());
            if matches!(c.how, Crossing::Shared) {
                c.seen = Some(self.slots.alloca(c.value.ty(), "seen"));
                c.left = Some(self.slots.alloca(c.value.ty(), "left"));
            }
        }
        let kept: Vec<(Instruction<'ctx>, u64)> = kept
            .into_iter()
            .map(|a| {
                let ty = a.allocated_type().expect("an allocation has a type");
                (a, self.reserve(ty, a.alignment()))
            })
            .collect();
        let next = self.slots.alloca(self.context.int_type(32), "next");
        // One exit more than barriers: the end.
        let heads: Vec<_> =
            (0..regions.len()).map(|k| self.block(&format!("region.{k}"))).collect();
        for (k, blocks) in regions.iter().enumerate() {
            let may_differ = uniform.as_ref().is_none_or(|u| exits_differ(u, blocks, &barrier_of));
            self.region(Region {
                blocks,
                start: starts[k],
                head: heads[k],
                heads: &heads,
                done,
                barrier_of: &barrier_of,
                crossers: &crossers,
                kept: &kept,
                next,
                chunks,
                came_from: k.checked_sub(1),
                check: may_differ,
                map: &map,
            });
        }
        Ok(heads[0])
    }

    /// Room in an item's context.
    fn reserve(&mut self, ty: Type<'ctx>, align: u32) -> u64 {
        let align = u64::from(align.max(ty.abi_align(self.module).unwrap_or(1))).min(64);
        let offset = self.used_bytes.next_multiple_of(align);
        self.used_bytes = offset + ty.alloc_size(self.module).unwrap_or(0);
        self.context_bytes = self.context_bytes.max(self.used_bytes.next_multiple_of(64));
        offset
    }

    /// Gives every value that is live at a barrier a variable, and decides how it crosses.
    fn demote(
        &mut self,
        version: Function<'ctx>,
        cuts: &[Cut<'ctx>],
        uniform: Option<&Divergence<'ctx>>,
    ) -> Vec<Crosser<'ctx>> {
        let mut at = live_at_barriers(version, cuts);
        let shared = |v: Value<'ctx>| uniform.is_some_and(|u| u.is_uniform_for_all(v));
        // What is computed again from shared values keeps them alive. They dominate it, so that
        // wherever it is live they have the values it was made from.
        let mut again = HashSet::new();
        for i in
            version.instructions().filter(|i| at.contains_key(&i.as_value())).collect::<Vec<_>>()
        {
            let (value, mut roots) = (i.as_value(), Vec::new());
            if recomputable(value, RECOMPUTED_DEPTH) {
                again.insert(value);
            } else if !shared(value) && from_shared(value, SHARED_DEPTH, &shared, &mut roots) {
                again.insert(value);
                let barriers = at[&value].clone();
                for root in roots {
                    at.entry(root).or_default().extend(&barriers);
                }
            }
        }
        let order: Vec<_> =
            version.instructions().filter(|i| at.contains_key(&i.as_value())).collect();
        let entry = version.entry_block().expect("checked before");
        let builder = self.context.create_builder();
        let mut crossers = Vec::new();
        for i in order {
            let value = i.as_value();
            let how = if again.contains(&value) {
                Crossing::Recomputed
            } else if shared(value) {
                Crossing::Shared
            } else {
                Crossing::Saved(self.reserve(value.ty(), 1))
            };
            builder.position_at_start(entry);
            let variable = builder.alloca(value.ty(), "crossing");
            crossers.push(Crosser {
                value,
                variable,
                slot: variable,
                how,
                seen: None,
                left: None,
                live_at: at.remove(&value).unwrap_or_default(),
            });
        }
        // Uses first become loads; then the definition is stored, so that the store itself keeps
        // its operand.
        for c in &crossers {
            for user in c.value.users() {
                let Some(user) = user.as_instruction() else { continue };
                if user.opcode() == Opcode::LLVMPHI {
                    for (n, (v, from)) in user.incoming().into_iter().enumerate() {
                        if v == c.value {
                            builder.position_before(from.terminator().expect("a block has an end"));
                            let load = builder.load(c.value.ty(), c.variable.as_value(), "");
                            user.set_operand(n as u32, load.as_value());
                        }
                    }
                } else {
                    builder.position_before(user);
                    let load = builder.load(c.value.ty(), c.variable.as_value(), "");
                    c.value.replace_uses_in(user.as_value(), load.as_value());
                }
            }
            let definition = c.value.as_instruction().expect("only instructions cross");
            let behind = if definition.opcode() == Opcode::LLVMPHI {
                definition.block().and_then(|b| b.first_non_phi())
            } else {
                definition.next()
            };
            builder.position_before(behind.expect("a value is followed by the end of its block"));
            builder.store(c.value, c.variable.as_value());
        }
        crossers
    }
}
