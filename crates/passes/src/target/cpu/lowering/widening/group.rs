//! Creates a function that runs a whole work-group from a kernel that runs one work-item (or `W`
//! work-items in lanes).
//!
//! # Output
//!
//! A function with the kernel's parameters and eight more: memory for the values that work-items
//! keep across barriers, the size of this memory for each item in bytes
//! ([`GroupFunction::context_bytes`]), the group's size in three dimensions, and the global id of
//! its first work-item. Only work-item queries with the same result for the whole group remain. An
//! *item* is the set of work-items that one call of the kernel runs: `W` neighbouring work-items of
//! a row, several short rows, or one work-item.
//!
//! # Algorithm
//!
//! A kernel without barriers becomes one nest of loops over the items. With barriers, the code is
//! split at each barrier: *region* `k` is all code that can run from behind barrier `k` (region 0:
//! from the start) until the next barrier or the end. Each region becomes a nest of loops over the
//! items, and a small state machine goes from region to region:
//!
//! ```text
//! next = 0
//! while next is a region:
//!   for every item:  restore live values;  run region `next`;  save live values;
//!                    record which barrier was reached
//! ```
//!
//! If control flow from different barriers merges, the code behind the merge would be part of
//! several regions. If that code is large and all items reach it, it becomes a separate region
//! ([`meetings`]): the code size grows with the kernel, not with the number of paths through it.
//!
//! In SYCL, all work-items of a group reach the same barrier, so the barrier that one item records
//! is the barrier of all items. If the compiler cannot prove that, the record of every item is
//! compared with that of the first item, and a difference is reported ([`DIVERGENT_BARRIER`]).
//!
//! A value that is live across a barrier is, in this order of preference:
//! * recomputed, if it depends only on arguments and the item's position, and is cheap;
//! * kept once, if it is the same for all items of the group;
//! * recomputed from values that are kept once, if that is cheap: mostly addresses, which LLVM
//!   tends to move out of loops;
//! * saved in the item's context, and restored.
//!
//! # Invariants
//!
//! * No SSA value crosses from one region to another. Each crossing value goes through a variable
//!   on the stack that its region sets before any use. `mem2reg` then turns the variable into an
//!   SSA value again, inside each region.
//! * The code of a region is a copy. Blocks that several regions share are copied into each of
//!   them.
//! * The order of regions, slots and saved values follows that of the blocks, so that the output is
//!   reproducible.

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

use super::divergence::{CallShapes, Divergence, Shape, WideningError};
use super::lanes::{ACTIVE_LANES, Fold};
use crate::target::common::queries;
use crate::target::cpu::lowering::debug_info;
use scythe_llvm::{
    BasicBlock, Builder, ContextRef, DebugBuilder, DebugVariable, Function, Instruction,
    IntPredicate, Module, Opcode, Type, Value,
};
use std::collections::{HashMap, HashSet};

/// A part of the mangled names of work-group barriers.
pub const BARRIER: &str = "__spirv_ControlBarrier";

/// The function to call if work-items of one group reach different barriers.
pub const DIVERGENT_BARRIER: &str = "__scythe_divergent_barrier";

/// The maximum depth of operations that are recomputed: from arguments and positions, which LLVM
/// then moves out of loops, and from shared values.
const RECOMPUTED_DEPTH: u32 = 8;
const SHARED_DEPTH: u32 = 4;

/// The forms of one kernel. All forms have the same parameters. A form that no group needs may be
/// missing.
pub struct Versions<'ctx> {
    /// The form in which all lanes are active. For kernels that cannot be widened, it runs one
    /// work-item.
    pub full: Option<Function<'ctx>>,
    /// The form in which only the first lanes are active. [`ACTIVE_LANES`] is their number. It
    /// exists only with more than one lane.
    pub masked: Option<Function<'ctx>>,
    pub lanes: u32,
    /// Whether variables of the source keep their values until the work-item ends, for debuggers.
    pub keeps_variables: bool,
    /// The layout of rows in the lanes, if an item has several rows. Then only one of the forms
    /// exists.
    pub fold: Option<Fold>,
}

pub struct GroupFunction<'ctx> {
    pub function: Function<'ctx>,
    /// The size of the memory for each item in bytes.
    pub context_bytes: u64,
}

/// Creates the group function. Consumes the versions: their bodies move into the new function.
pub fn make<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    versions: &Versions<'ctx>,
) -> Result<GroupFunction<'ctx>, WideningError> {
    let context = module.context();
    let source = versions.full.or(versions.masked).ok_or(WideningError::NoVersion)?;
    let pointer = context.ptr_type(0);
    let mut params: Vec<Type<'ctx>> = source.params().iter().map(|p| p.ty()).collect();
    params.push(pointer);
    params.extend([context.int_type(64); 7]);
    let function = module.add_function(name, context.void_type().function(&params, false));
    function.copy_attributes_from(source);
    if let Some(subprogram) = source.subprogram() {
        function.set_subprogram(subprogram);
    }
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

    let mut maker = GroupBuilder {
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
        keeps_variables: versions.keeps_variables,
        variables: Vec::new(),
    };
    let has_barriers = barriers(source).next().is_some();
    let start = match (versions.full, versions.masked) {
        (None, _) => maker.machine(source, Chunks { lanes, tail: Tail::Masked }, done)?,
        (Some(full), None) => maker.machine(full, Chunks { lanes, tail: Tail::None }, done)?,
        (Some(full), Some(masked)) if has_barriers => {
            // Either all rows are full, or all items use masks.
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
    let end = maker.builder.br(start);
    let declare = DebugBuilder::new(module);
    for (variable, address, is_indirect) in &maker.variables {
        declare.declare_again(variable, *address, *is_indirect, end);
    }
    let context_bytes = maker.context_bytes;
    for version in [versions.full, versions.masked].into_iter().flatten() {
        version.erase();
    }
    Ok(GroupFunction { function, context_bytes })
}

/// Returns the barrier calls of a function.
pub fn barriers<'ctx>(function: Function<'ctx>) -> impl Iterator<Item = Instruction<'ctx>> {
    function
        .instructions()
        .filter(|i| i.called_function().is_some_and(|f| f.name().contains(BARRIER)))
}

/// The split of a row of work-items into items.
#[derive(Clone, Copy)]
struct Chunks {
    lanes: u64,
    tail: Tail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// All items of a row are full.
    None,
    /// The last item of a row may be partial.
    Masked,
}

/// The position of an item.
#[derive(Clone, Copy)]
struct Position<'ctx> {
    /// The local id of the item's first work-item.
    local: [Value<'ctx>; 3],
    /// The number of active lanes; for masked versions.
    active: Option<Value<'ctx>>,
    /// The number of the item in the group.
    item: Value<'ctx>,
}

/// Shapes across the items of a group: everything that depends on the position varies.
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

/// The way in which a value crosses from region to region.
enum Crossing {
    Recomputed,
    /// Saved at this offset in the item's context.
    Saved(u64),
    /// Kept in two variables: one that the region reads, and one that it writes for the next
    /// region.
    Shared,
}

struct GroupBuilder<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    /// The builder that inserts variables into the first block.
    slots: Builder<'ctx>,
    function: Function<'ctx>,
    memory: Value<'ctx>,
    /// The size of the memory for each item in bytes.
    stride: Value<'ctx>,
    size: [Value<'ctx>; 3],
    first: [Value<'ctx>; 3],
    /// The number of items in a row.
    per_row: Value<'ctx>,
    items: Value<'ctx>,
    fold: Option<Fold>,
    /// The context bytes that the current state machine uses.
    used_bytes: u64,
    /// The maximum of `used_bytes` over all state machines.
    context_bytes: u64,
    keeps_variables: bool,
    /// The variables of the source, with the new addresses of their memory. The last element says
    /// whether memory at this address contains the address.
    variables: Vec<(DebugVariable<'ctx>, Value<'ctx>, bool)>,
}

/// Private memory that several regions use. It is in the item's context.
struct Kept<'ctx> {
    alloca: Instruction<'ctx>,
    /// The offset in the context.
    offset: u64,
    /// The variable that contains the address for the current item, for debuggers.
    place: Option<Instruction<'ctx>>,
}

/// A value of the version that crosses a barrier.
struct CrossingValue<'ctx> {
    value: Value<'ctx>,
    /// The variable of the value in the version's code.
    variable: Instruction<'ctx>,
    /// The variable of the value in the group function.
    slot: Instruction<'ctx>,
    how: Crossing,
    /// For shared values: the variables that the current region reads and writes.
    seen: Option<Instruction<'ctx>>,
    left: Option<Instruction<'ctx>>,
    /// The barriers at which the value is live.
    live_at: HashSet<usize>,
}

impl<'ctx> GroupBuilder<'_, 'ctx> {
    fn int(&self, value: u64) -> Value<'ctx> {
        self.context.const_int(64, value)
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.context.append_block(self.function, name)
    }

    // --- With barriers ---

    /// Builds the state machine of one version. Returns its first block.
    fn machine(
        &mut self,
        version: Function<'ctx>,
        chunks: Chunks,
        done: BasicBlock<'ctx>,
    ) -> Result<BasicBlock<'ctx>, WideningError> {
        self.used_bytes = 0;
        let mut cuts = cut(version);
        let mut uniform = Divergence::analyse(self.module, version, &ItemCalls).ok();
        let more = uniform.as_ref().map(|u| cut_meetings(u, &cuts)).unwrap_or_default();
        if !more.is_empty() {
            debug_info::show_again(self.module, version, more.iter().map(|cut| cut.behind));
            cuts.extend(more);
            uniform = Divergence::analyse(self.module, version, &ItemCalls).ok();
        }
        let entry = version.entry_block().ok_or(WideningError::NoBody)?;
        let mut starts = vec![entry];
        starts.extend(cuts.iter().map(|c| c.behind));
        let barrier_of: HashMap<BasicBlock<'ctx>, usize> =
            cuts.iter().enumerate().map(|(k, c)| (c.block, k)).collect();
        let regions: Vec<Vec<BasicBlock<'ctx>>> =
            starts.iter().map(|&s| region(version, s, &barrier_of)).collect();

        let allocas: Vec<_> =
            version.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca).collect();
        let regions_of = regions_of(&regions);
        let shown = version.debug_variables();
        let is_shown = |a: Instruction<'ctx>| shown.iter().any(|v| v.address == a.as_value());
        let is_kept = |a: Instruction<'ctx>| {
            (self.keeps_variables && is_shown(a))
                || regions_using(a.as_value(), &regions_of).len() > 1
        };
        let (kept, local): (Vec<_>, Vec<_>) =
            allocas.into_iter().partition(|&a| !cuts.is_empty() && is_kept(a));
        let kept: Vec<_> = kept.into_iter().map(|a| (a, is_shown(a))).collect();
        let mut crossing_values = self.demote(version, &cuts, uniform.as_ref());
        let mut map = self.parameters(version);
        for a in local {
            map.insert(a.as_value(), self.local_alloca(a));
        }
        for c in &mut crossing_values {
            c.slot = self.slots.alloca(c.value.ty(), "live");
            map.insert(c.variable.as_value(), c.slot.as_value());
            if matches!(c.how, Crossing::Shared) {
                c.seen = Some(self.slots.alloca(c.value.ty(), "seen"));
                c.left = Some(self.slots.alloca(c.value.ty(), "left"));
            }
        }
        let kept: Vec<_> = kept
            .into_iter()
            .map(|(a, is_shown)| {
                let ty = a.allocated_type().expect("an allocation has a type");
                let place = is_shown.then(|| self.slots.alloca(self.context.ptr_type(0), "place"));
                Kept { alloca: a, offset: self.reserve(ty, a.alignment()), place }
            })
            .collect();
        for variable in shown {
            let place = kept.iter().find(|k| k.alloca.as_value() == variable.address);
            if let Some(place) = place.and_then(|k| k.place) {
                self.variables.push((variable, place.as_value(), true));
            } else if let Some(&address) = map.get(&variable.address) {
                self.variables.push((variable, address, false));
            }
        }
        let next = self.slots.alloca(self.context.int_type(32), "next");
        // There is one more exit than barriers: the end of the kernel.
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
                crossing_values: &crossing_values,
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

    /// Reserves memory in an item's context, and returns its offset.
    fn reserve(&mut self, ty: Type<'ctx>, align: u32) -> u64 {
        let align = u64::from(align.max(ty.abi_align(self.module).unwrap_or(1))).min(64);
        let offset = self.used_bytes.next_multiple_of(align);
        self.used_bytes = offset + ty.alloc_size(self.module).unwrap_or(0);
        self.context_bytes = self.context_bytes.max(self.used_bytes.next_multiple_of(64));
        offset
    }

    /// Creates a variable for every value that is live at a barrier, and decides how the value
    /// crosses.
    fn demote(
        &mut self,
        version: Function<'ctx>,
        cuts: &[Cut<'ctx>],
        uniform: Option<&Divergence<'ctx>>,
    ) -> Vec<CrossingValue<'ctx>> {
        let mut at = live_at_barriers(version, cuts);
        let shared = |v: Value<'ctx>| uniform.is_some_and(|u| u.is_uniform_for_all(v));
        // A value that is recomputed from shared values keeps them alive. The shared values
        // dominate it, so they still have the values that it was computed from wherever it is live.
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
        let mut crossing_values = Vec::new();
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
            crossing_values.push(CrossingValue {
                value,
                variable,
                slot: variable,
                how,
                seen: None,
                left: None,
                live_at: at.remove(&value).unwrap_or_default(),
            });
        }
        // First replace the uses by loads, then store the definition, so that the operand of the
        // store itself is not replaced.
        for c in &crossing_values {
            for user in c.value.users() {
                let Some(user) = user.as_instruction() else { continue };
                if user.opcode() == Opcode::LLVMPHI {
                    for (n, (v, from)) in user.incoming().into_iter().enumerate() {
                        if v == c.value {
                            builder.position_before(
                                from.terminator().expect("a block has a terminator"),
                            );
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
            let definition = c
                .value
                .as_instruction()
                .expect("only instructions define values that cross a barrier");
            let behind = if definition.opcode() == Opcode::LLVMPHI {
                definition.block().and_then(|b| b.first_non_phi())
            } else {
                definition.next()
            };
            builder.position_before(behind.expect("a terminator follows every definition"));
            builder.store(c.value, c.variable.as_value());
        }
        crossing_values
    }
}
