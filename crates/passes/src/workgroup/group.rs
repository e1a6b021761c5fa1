//! Makes one function that runs a whole work-group from a kernel that runs one work-item (or `W` of them in lanes).
//!
//! # What comes out
//!
//! A function with the kernel's parameters and eight more: memory for what work-items keep across barriers, how many
//! bytes of it each item has ([`GroupFunction::context_bytes`]), the group's size in three dimensions, and the global id of
//! its first work-item. Of the work-item queries only those remain that are the same for the whole group. An *item* is
//! one call's worth of the kernel: `W` neighbouring work-items of a row, or one.
//!
//! # How
//!
//! A kernel without barriers is one nest of loops over the items. With barriers, the code is cut at each of them:
//! *region* `k` is everything that can run from behind barrier `k` (region 0: from the start) until the next barrier or
//! the end. Each region becomes a nest of loops over the items, and a small state machine goes from region to region:
//!
//! ```text
//! next = 0
//! while next is a region:
//!   for every item:  restore what is live;  run region `next`;  save what is live;  note which barrier was reached
//! ```
//!
//! In SYCL all work-items of a group reach the same barrier, so what one item notes holds for all. Where the compiler cannot see
//! that this is so, every item's note is compared with the first item's, and a difference is reported
//! ([`DIVERGENT_BARRIER`]).
//!
//! A value that is live across a barrier is, in this order of preference:
//! * computed again, where it depends on nothing but arguments and the item's position, and is cheap;
//! * kept once, where it is the same for all items of the group;
//! * computed again from such values, where that is cheap: addresses above all, which LLVM likes to move out of loops;
//! * saved in the item's context, and restored.
//!
//! # Invariants
//!
//! * No SSA value crosses from one region to another: each crossing value goes through a variable on the stack that its
//!   region sets before any use. `mem2reg` then makes it an SSA value again, inside each region.
//! * A region's code is a copy; blocks that several regions share are copied into each.
//! * The order of regions, slots and saved values is that of the blocks: output is reproducible.

mod regions;

use regions::{Cut, cut, exits_differ, from_shared, live_at_barriers, recomputable, region, regions_using};

use super::divergence::{CallShapes, Divergence, Shape, Unsuitable};
use super::lanes::{ACTIVE_LANES, is_hint};
use super::queries::{self, Query};
use scythe_llvm::{BasicBlock, Builder, ContextRef, Function, Instruction, IntPredicate, Module, Opcode, Type, Value};
use std::collections::{HashMap, HashSet};

/// Part of the mangled names of work-group barriers.
pub const BARRIER: &str = "__spirv_ControlBarrier";

/// Called when work-items of one group reach different barriers.
pub const DIVERGENT_BARRIER: &str = "__scythe_divergent_barrier";

/// How many operations deep values are that are computed again: from arguments and positions, which LLVM then moves out of
/// loops, and from shared values.
const RECOMPUTED_DEPTH: u32 = 8;
const SHARED_DEPTH: u32 = 4;

/// Forms of one kernel; all with the same parameters.
pub struct Versions<'ctx> {
    /// All lanes take part; with the number of lanes. For kernels that cannot be widened: one work-item, and 1.
    pub full: Function<'ctx>,
    pub lanes: u32,
    /// The first lanes take part, as many as [`ACTIVE_LANES`] says. Only with more than one lane.
    pub masked: Option<Function<'ctx>>,
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
    let source = versions.full;
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
    let per_row = builder.lshr(up, context.const_int(64, u64::from(lanes.trailing_zeros())), "per.row");
    let items = builder.mul(builder.mul(per_row, size[1], ""), size[2], "items");
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
        used_bytes: 0,
        context_bytes: 0,
    };
    let has_barriers = barriers(source).next().is_some();
    let start = match versions.masked {
        None => maker.machine(source, Chunks { lanes: 1, tail: Tail::None }, done)?,
        Some(masked) if has_barriers => {
            // All rows full, or all items under masks.
            let even = maker.machine(source, Chunks { lanes, tail: Tail::None }, done)?;
            let odd = maker.machine(masked, Chunks { lanes, tail: Tail::Masked }, done)?;
            let choose = context.append_block(function, "choose");
            maker.builder.position_at_end(choose);
            let rest = maker.builder.and(maker.size[0], maker.int(lanes - 1), "");
            let full = maker.builder.icmp(IntPredicate::LLVMIntEQ, rest, maker.int(0), "rows.full");
            maker.builder.cond_br(full, even, odd);
            choose
        }
        Some(masked) => maker.plain(source, masked, lanes, done)?,
    };
    anchor.erase();
    maker.builder.position_at_end(entry);
    maker.builder.br(start);
    let context_bytes = maker.context_bytes;
    for version in [Some(source), versions.masked].into_iter().flatten() {
        version.erase();
    }
    Ok(GroupFunction { function, context_bytes })
}

/// The barrier calls of a function.
pub fn barriers<'ctx>(function: Function<'ctx>) -> impl Iterator<Item = Instruction<'ctx>> {
    function.instructions().filter(|i| i.called_function().is_some_and(|f| f.name().contains(BARRIER)))
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

    // --- Without barriers ---

    /// Rows of full items, each with at most one masked item behind. Returns the first block.
    fn plain(
        &mut self,
        full: Function<'ctx>,
        masked: Function<'ctx>,
        lanes: u64,
        done: BasicBlock<'ctx>,
    ) -> Result<BasicBlock<'ctx>, Unsuitable> {
        let start = self.block("items");
        self.builder.position_at_end(start);
        let rows = self.open_rows();
        let chunks = self.builder.lshr(self.size[0], self.int(u64::from(lanes.trailing_zeros())), "chunks");
        let any_full = self.builder.icmp(IntPredicate::LLVMIntNE, chunks, self.int(0), "");
        let (head, rest) = (self.block("full"), self.block("rest"));
        let before = self.builder.block().expect("the builder stands in a block");
        self.builder.cond_br(any_full, head, rest);

        self.builder.position_at_end(head);
        let chunk = self.builder.phi(self.context.int_type(64), "chunk");
        chunk.add_incoming(self.int(0), before);
        let x = self.builder.mul(chunk.as_value(), self.int(lanes), "x");
        let body = self.builder.block().expect("the builder stands in a block");
        let next = self.block("full.next");
        let item = self.item_number(&rows, chunk.as_value());
        let position = Position { local: [x, rows.y, rows.z], active: None, item };
        let code = self.copy_all(full, position, next)?;
        self.builder.position_at_end(body);
        self.builder.br(code);
        self.builder.position_at_end(next);
        let more = self.builder.add(chunk.as_value(), self.int(1), "");
        chunk.add_incoming(more, next);
        let on = self.builder.icmp(IntPredicate::LLVMIntULT, more, chunks, "");
        self.builder.cond_br(on, head, rest);

        self.builder.position_at_end(rest);
        let x = self.builder.mul(chunks, self.int(lanes), "x");
        let left = self.builder.sub(self.size[0], x, "left");
        let any = self.builder.icmp(IntPredicate::LLVMIntNE, left, self.int(0), "");
        let (tail, row_done) = (self.block("tail"), self.block("row.done"));
        self.builder.cond_br(any, tail, row_done);
        self.builder.position_at_end(tail);
        let active = self.builder.trunc(left, self.context.int_type(32), "active");
        let item = self.item_number(&rows, chunks);
        let position = Position { local: [x, rows.y, rows.z], active: Some(active), item };
        let code = self.copy_all(masked, position, row_done)?;
        self.builder.position_at_end(tail);
        self.builder.br(code);

        self.builder.position_at_end(row_done);
        self.close_rows(rows, done);
        Ok(start)
    }

    /// A copy of a whole version that goes on to `after`.
    fn copy_all(
        &mut self,
        version: Function<'ctx>,
        position: Position<'ctx>,
        after: BasicBlock<'ctx>,
    ) -> Result<BasicBlock<'ctx>, Unsuitable> {
        let blocks: Vec<_> = version.blocks().collect();
        let mut map = self.parameters(version);
        for i in version.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca) {
            map.insert(i.as_value(), self.local_alloca(i));
        }
        let start = blocks.first().copied().ok_or_else(|| Unsuitable("a kernel without a body".into()))?;
        Ok(self.copy_blocks(&blocks, start, map, position, &mut |_| after))
    }

    fn parameters(&self, version: Function<'ctx>) -> HashMap<Value<'ctx>, Value<'ctx>> {
        version.params().into_iter().zip(self.function.params()).collect()
    }

    fn local_alloca(&self, old: Instruction<'ctx>) -> Value<'ctx> {
        let new = self.slots.alloca(old.allocated_type().expect("an allocation has a type"), "private");
        new.set_align(old.alignment());
        new.as_value()
    }

    // --- Loops over rows and items ---

    fn open_rows(&self) -> Rows<'ctx> {
        let i64 = self.context.int_type(64);
        let open = |name: &str| {
            let from = self.builder.block().expect("the builder stands in a block");
            let head = self.block(name);
            self.builder.br(head);
            self.builder.position_at_end(head);
            let counter = self.builder.phi(i64, name);
            counter.add_incoming(self.int(0), from);
            (head, counter)
        };
        let (z_head, z) = open("z");
        let (y_head, y) = open("y");
        Rows { z_head, y_head, z: z.as_value(), y: y.as_value(), z_phi: z, y_phi: y }
    }

    fn item_number(&self, rows: &Rows<'ctx>, chunk: Value<'ctx>) -> Value<'ctx> {
        let row = self.builder.add(self.builder.mul(rows.z, self.size[1], ""), rows.y, "row");
        self.builder.add(self.builder.mul(row, self.per_row, ""), chunk, "item")
    }

    /// Ends the loops over rows at the builder's place, and goes on to `after`.
    fn close_rows(&self, rows: Rows<'ctx>, after: BasicBlock<'ctx>) {
        let y_done = self.block("y.done");
        self.step(rows.y_phi, rows.y_head, self.size[1], y_done);
        self.builder.position_at_end(y_done);
        self.step(rows.z_phi, rows.z_head, self.size[2], after);
    }

    fn step(&self, phi: Instruction<'ctx>, head: BasicBlock<'ctx>, end: Value<'ctx>, after: BasicBlock<'ctx>) {
        let next = self.builder.add(phi.as_value(), self.int(1), "");
        let on = self.builder.icmp(IntPredicate::LLVMIntULT, next, end, "");
        phi.add_incoming(next, self.builder.block().expect("the builder stands in a block"));
        self.builder.cond_br(on, head, after);
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
        let cuts = cut(version);
        let uniform = Divergence::analyse(self.module, version, &ItemCalls).ok();
        let entry = version.entry_block().ok_or_else(|| Unsuitable("a kernel without a body".into()))?;
        let mut starts = vec![entry];
        starts.extend(cuts.iter().map(|c| c.behind));
        let barrier_of: HashMap<BasicBlock<'ctx>, usize> = cuts.iter().enumerate().map(|(k, c)| (c.block, k)).collect();
        let regions: Vec<Vec<BasicBlock<'ctx>>> = starts.iter().map(|&s| region(version, s, &barrier_of)).collect();

        let allocas: Vec<_> = version.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca).collect();
        let (kept, local): (Vec<_>, Vec<_>) =
            allocas.into_iter().partition(|&a| !cuts.is_empty() && regions_using(a.as_value(), &regions).len() > 1);
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
        let heads: Vec<_> = (0..regions.len()).map(|k| self.block(&format!("region.{k}"))).collect();
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
        let live = live_at_barriers(version, cuts);
        let mut at: HashMap<Value<'ctx>, HashSet<usize>> = HashMap::new();
        for i in version.instructions() {
            let barriers: HashSet<usize> = (0..cuts.len()).filter(|&k| live[k].contains(&i.as_value())).collect();
            if !barriers.is_empty() {
                at.insert(i.as_value(), barriers);
            }
        }
        let shared = |v: Value<'ctx>| uniform.is_some_and(|u| u.shape(v) == Shape::Uniform);
        // What is computed again from shared values keeps them alive. They dominate it, so that wherever it is live they have
        // the values it was made from.
        let mut again = HashSet::new();
        for i in version.instructions().filter(|i| at.contains_key(&i.as_value())).collect::<Vec<_>>() {
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
        let order: Vec<_> = version.instructions().filter(|i| at.contains_key(&i.as_value())).collect();
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
        // Uses first become loads; then the definition is stored, so that the store itself keeps its operand.
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

    fn region(&mut self, r: Region<'_, 'ctx>) {
        let i64 = self.context.int_type(64);
        self.builder.position_at_end(r.head);
        let lanes = r.chunks.lanes;
        let per_row = self.per_row;
        // The item's number, for its context: counts through all rows.
        let rows = self.open_rows();
        let chunk_head = self.block("item");
        self.builder.br(chunk_head);
        let row_start = rows.y_head;
        self.builder.position_at_end(chunk_head);
        let chunk = self.builder.phi(i64, "chunk");
        chunk.add_incoming(self.int(0), row_start);
        let item = self.item_number(&rows, chunk.as_value());
        let x = self.builder.mul(chunk.as_value(), self.int(lanes), "x");
        let active = (r.chunks.tail == Tail::Masked).then(|| {
            let left = self.builder.sub(self.size[0], x, "");
            let fewer = self.builder.icmp(IntPredicate::LLVMIntULT, left, self.int(lanes), "");
            let count = self.builder.select(fewer, left, self.int(lanes), "");
            self.builder.trunc(count, self.context.int_type(32), "active")
        });
        let position = Position { local: [x, rows.y, rows.z], active, item };
        let bytes = self.builder.mul(item, self.stride, "context.offset");
        let base = self.builder.gep(self.context.int_type(8), self.memory, &[bytes], "context");
        let mut map = r.map.clone();
        for &(a, offset) in r.kept {
            let address = self.builder.byte_offset(self.context, base, offset, "kept");
            map.insert(a.as_value(), address);
        }
        // Restore.
        for c in r.crossers {
            let live = r.came_from.is_some_and(|k| c.live_at.contains(&k));
            if !live {
                continue;
            }
            let value = match &c.how {
                Crossing::Recomputed => self.recompute(c.value, r.crossers, &map, position),
                Crossing::Saved(offset) => {
                    let address = self.builder.byte_offset(self.context, base, *offset, "");
                    self.builder.load(c.value.ty(), address, "restored").as_value()
                }
                Crossing::Shared => {
                    let seen = c.seen.expect("shared values have it").as_value();
                    self.builder.load(c.value.ty(), seen, "").as_value()
                }
            };
            self.builder.store(value, c.slot.as_value());
        }
        let body = self.builder.block().expect("the builder stands in a block");
        let latch = self.block("item.next");

        // Exits: one block per barrier reached, and one for the end.
        let end = r.heads.len() - 1;
        let mut exits: HashMap<usize, BasicBlock<'ctx>> = HashMap::new();
        let mut reached = Vec::new();
        let function = self.function;
        let context = self.context;
        let code = self.copy_blocks(r.blocks, r.start, map, position, &mut |exit| {
            let k = match exit {
                Leave::Return => end,
                Leave::To(block) => r.barrier_of[&block],
            };
            *exits.entry(k).or_insert_with(|| {
                reached.push(k);
                context.append_block(function, &format!("reached.{k}"))
            })
        });
        self.builder.position_at_end(body);
        self.builder.br(code);
        for &k in &reached {
            self.builder.position_at_end(exits[&k]);
            for c in r.crossers.iter().filter(|c| k != end && c.live_at.contains(&k)) {
                match &c.how {
                    Crossing::Recomputed => {}
                    Crossing::Saved(offset) => {
                        let v = self.builder.load(c.value.ty(), c.slot.as_value(), "").as_value();
                        let address = self.builder.byte_offset(self.context, base, *offset, "");
                        self.builder.store(v, address);
                    }
                    Crossing::Shared => {
                        let v = self.builder.load(c.value.ty(), c.slot.as_value(), "").as_value();
                        self.builder.store(v, c.left.expect("shared values have it").as_value());
                    }
                }
            }
            let mark = self.context.const_int(32, k as u64);
            if r.check && reached.len() > 1 {
                self.compare(item, r.next, mark, latch);
            } else {
                self.builder.store(mark, r.next.as_value());
                self.builder.br(latch);
            }
        }
        // The loops' ends.
        self.builder.position_at_end(latch);
        let row_done = self.block("row.done");
        self.step(chunk, chunk_head, per_row, row_done);
        self.builder.position_at_end(row_done);
        let all_done = self.block("region.done");
        self.close_rows(rows, all_done);

        self.builder.position_at_end(all_done);
        for c in r.crossers.iter().filter(|c| matches!(c.how, Crossing::Shared)) {
            let relevant = reached.iter().any(|k| *k != end && c.live_at.contains(k));
            if let (true, Some(seen), Some(left)) = (relevant, c.seen, c.left) {
                let v = self.builder.load(c.value.ty(), left.as_value(), "").as_value();
                self.builder.store(v, seen.as_value());
            }
        }
        let target = |k: usize| if k == end { r.done } else { r.heads[k + 1] };
        reached.sort_unstable();
        for (n, &k) in reached.iter().enumerate() {
            if n + 1 == reached.len() {
                self.builder.br(target(k));
            } else {
                let now = self.builder.load(self.context.int_type(32), r.next.as_value(), "").as_value();
                let mark = self.context.const_int(32, k as u64);
                let this = self.builder.icmp(IntPredicate::LLVMIntEQ, now, mark, "");
                let other = self.block("dispatch");
                self.builder.cond_br(this, target(k), other);
                self.builder.position_at_end(other);
            }
        }
        if reached.is_empty() {
            // The region never ends: nothing follows it.
            self.builder.br(r.done);
        }
    }

    /// The first item notes where it is; every other must be there too.
    fn compare(&self, item: Value<'ctx>, next: Instruction<'ctx>, mark: Value<'ctx>, latch: BasicBlock<'ctx>) {
        let (first, other, differ) = (self.block("first"), self.block("other"), self.block("differ"));
        let is_first = self.builder.icmp(IntPredicate::LLVMIntEQ, item, self.int(0), "");
        self.builder.cond_br(is_first, first, other);
        self.builder.position_at_end(first);
        self.builder.store(mark, next.as_value());
        self.builder.br(latch);
        self.builder.position_at_end(other);
        let now = self.builder.load(self.context.int_type(32), next.as_value(), "").as_value();
        let same = self.builder.icmp(IntPredicate::LLVMIntEQ, now, mark, "");
        self.builder.cond_br(same, latch, differ);
        self.builder.position_at_end(differ);
        let report = self.module.get_or_add_function(DIVERGENT_BARRIER, self.context.void_type().function(&[], false));
        self.builder.call(report, &[], "");
        self.builder.br(latch);
    }

    /// Computes a cheap value anew for an item.
    fn recompute(
        &self,
        v: Value<'ctx>,
        crossers: &[Crosser<'ctx>],
        map: &HashMap<Value<'ctx>, Value<'ctx>>,
        position: Position<'ctx>,
    ) -> Value<'ctx> {
        if let Some(&known) = map.get(&v) {
            return known;
        }
        let Some(i) = v.as_instruction() else { return v };
        // What stood here before values got variables.
        if let Some(c) =
            crossers.iter().find(|c| i.opcode() == Opcode::LLVMLoad && i.operand(0) == Some(c.variable.as_value()))
        {
            return match c.seen {
                Some(seen) => self.builder.load(c.value.ty(), seen.as_value(), "").as_value(),
                None => self.recompute(c.value, crossers, map, position),
            };
        }
        if let Some(answer) = self.answer(i, position) {
            return answer;
        }
        let again =
            |o: Value<'ctx>| if o.as_function().is_some() { o } else { self.recompute(o, crossers, map, position) };
        let operands: Vec<_> = i.operands().map(again).collect();
        let copy = self.builder.clone_instruction(i);
        copy.set_debug_loc(None);
        for (n, o) in operands.into_iter().enumerate() {
            copy.set_operand(n as u32, o);
        }
        copy.as_value()
    }

    /// What takes the place of a query about the item's position.
    fn answer(&self, call: Instruction<'ctx>, position: Position<'ctx>) -> Option<Value<'ctx>> {
        if call.opcode() != Opcode::LLVMCall {
            return None;
        }
        let name = call.called_function()?.name();
        if name == ACTIVE_LANES {
            return position.active;
        }
        let query = queries::parse(&name)?;
        match query {
            Query::SubgroupId => return Some(self.builder.trunc(position.item, self.context.int_type(32), "")),
            Query::NumSubgroups => return Some(self.builder.trunc(self.items, self.context.int_type(32), "")),
            _ if !query.is_position() => return None,
            _ => {}
        }
        let dimension = call.args().first()?.const_int_value().unwrap_or(0) as usize;
        let local = *position.local.get(dimension)?;
        match query {
            Query::LocalInvocationId => Some(local),
            _ => Some(self.builder.add(self.first[dimension], local, "global.id")),
        }
    }

    // --- Copying code ---

    /// Copies `blocks`, entered at `start`. An edge to a block that is not among them, and a return, go where `leave` says.
    fn copy_blocks(
        &mut self,
        blocks: &[BasicBlock<'ctx>],
        start: BasicBlock<'ctx>,
        mut map: HashMap<Value<'ctx>, Value<'ctx>>,
        position: Position<'ctx>,
        leave: &mut dyn FnMut(Leave<'ctx>) -> BasicBlock<'ctx>,
    ) -> BasicBlock<'ctx> {
        let copies: HashMap<BasicBlock<'ctx>, BasicBlock<'ctx>> = blocks.iter().map(|&b| (b, self.block(""))).collect();
        let mut phis = Vec::new();
        let mut made = Vec::new();
        for &b in blocks {
            self.builder.position_at_end(copies[&b]);
            for i in b.instructions() {
                let placed = i.opcode() == Opcode::LLVMAlloca && map.contains_key(&i.as_value());
                if placed || i.called_function().is_some_and(|f| is_hint(&f.name())) {
                    continue;
                }
                if let Some(answer) = self.answer(i, position) {
                    map.insert(i.as_value(), answer);
                    continue;
                }
                match i.opcode() {
                    Opcode::LLVMRet => {
                        self.builder.br(leave(Leave::Return));
                    }
                    Opcode::LLVMBr => {
                        let mut to =
                            |t: BasicBlock<'ctx>| copies.get(&t).copied().unwrap_or_else(|| leave(Leave::To(t)));
                        let targets: Vec<_> = b.successors().into_iter().map(&mut to).collect();
                        match targets[..] {
                            [t] => {
                                self.builder.br(t);
                            }
                            [t, f] => {
                                let condition = i.operand(0).expect("a conditional branch has a condition");
                                made.push(self.builder.cond_br(condition, t, f));
                            }
                            _ => {}
                        }
                    }
                    Opcode::LLVMPHI => {
                        let copy = self.builder.phi(i.ty(), "");
                        map.insert(i.as_value(), copy.as_value());
                        phis.push((i, copy));
                    }
                    _ => {
                        let copy = self.builder.clone_instruction(i);
                        copy.set_debug_loc(None);
                        map.insert(i.as_value(), copy.as_value());
                        made.push(copy);
                    }
                }
            }
        }
        for copy in made {
            for n in 0..copy.operand_count() {
                if let Some(new) = copy.operand(n).and_then(|o| map.get(&o)) {
                    copy.set_operand(n, *new);
                }
            }
        }
        for (old, copy) in phis {
            for (value, from) in old.incoming() {
                if let Some(&from) = copies.get(&from) {
                    copy.add_incoming(map.get(&value).copied().unwrap_or(value), from);
                }
            }
        }
        copies[&start]
    }
}

struct Rows<'ctx> {
    z_head: BasicBlock<'ctx>,
    y_head: BasicBlock<'ctx>,
    z: Value<'ctx>,
    y: Value<'ctx>,
    z_phi: Instruction<'ctx>,
    y_phi: Instruction<'ctx>,
}

/// How control leaves copied code.
enum Leave<'ctx> {
    Return,
    To(BasicBlock<'ctx>),
}

/// All that making one region needs.
struct Region<'a, 'ctx> {
    blocks: &'a [BasicBlock<'ctx>],
    start: BasicBlock<'ctx>,
    head: BasicBlock<'ctx>,
    heads: &'a [BasicBlock<'ctx>],
    done: BasicBlock<'ctx>,
    barrier_of: &'a HashMap<BasicBlock<'ctx>, usize>,
    crossers: &'a [Crosser<'ctx>],
    kept: &'a [(Instruction<'ctx>, u64)],
    next: Instruction<'ctx>,
    chunks: Chunks,
    /// The barrier behind which the region starts.
    came_from: Option<usize>,
    /// Items may disagree about where to go.
    check: bool,
    map: &'a HashMap<Value<'ctx>, Value<'ctx>>,
}
