//! Creates the work-group function of a kernel from sub-groups in vector lanes and code between
//! barriers ([`super::widening`]).
//!
//! ```text
//! nd_range:  for group z, y, x in box:  group function(arguments, its size, its first id)
//! range:     the box as one group
//! ```
//!
//! [`super::work_group`] leaves vectorisation to LLVM, which is best for kernels without loops. The
//! form in this module is for kernels with barriers and sub-groups, which only this form supports;
//! for kernels with loops, where LLVM would vectorise the wrong loop; and for kernels that are too
//! long for LLVM's vectoriser.

use super::merged_rows::{self, Merge};
use super::report::Scalar;
use super::widening::divergence::WideningError;
use super::widening::{cost, counters, group, lanes, merges, ranges, subgroup};
use super::work_group::{Frame, Loop, Scope};
use super::{linear, local_memory, matrices, queries, specialise};
use crate::target::common::{queries as common_queries, required_sizes};
use crate::target::cpu::address_spaces::{self, Regions};
use crate::target::cpu::arguments::Passing;
use crate::target::cpu::{CpuError, Options};
use scythe_abi::cpu::Layout;
use scythe_abi::launch::Shape;
use scythe_llvm::{
    Function, Instruction, IntPredicate, Module, Opcode, PassOptions, Place, TargetMachine, Value,
    run_function_passes,
};
use std::collections::HashSet;

/// The maximum number of instructions in the body of a work-item loop that LLVM's vectoriser
/// handles.
const MAX_LOOP_BODY: usize = 400;

/// The maximum total size in bytes of contexts on the stack.
pub const CONTEXTS_ON_STACK: u64 = 64 << 10;

/// Work-item numbers below this value fit in an `int`; see [`lanes`].
const NARROW: u64 = 1 << 31;

/// Widened forms of up to this many instructions are always kept.
const SMALL_FORM_SIZE: usize = 1500;

/// The maximum size of a larger widened form, as a multiple of the kernel's size. Vector code
/// normally has about as many instructions as the kernel.
const MAX_GROWTH: usize = 2;

/// Widened forms with more instructions than this are never kept.
const MAX_FORM_SIZE: usize = 10_000;

/// Kernels with more barriers than this get one form for all sizes; see [`has_many_barriers`].
const MANY_BARRIERS: usize = 12;

/// Passes that move widened code into registers, in a form that can be split at barriers.
const CLEANUP_PIPELINE: &str = "sroa<modify-cfg>,early-cse<memssa>,\
    instcombine<no-verify-fixpoint>,simplifycfg,lower-switch,loop-simplify,lcssa";

/// Whether this module compiles the kernel.
pub fn is_compiled(
    kernel: Function<'_>,
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> bool {
    // LLVM would not find full vectors in short rows.
    let short = || local_size.is_some_and(|size| Layout::pays(size, options.lanes));
    let gains =
        || short() || has_loop(kernel) || kernel.instructions().nth(MAX_LOOP_BODY).is_some();
    shape != Shape::SingleTask
        && (needs_work_group_function(kernel)
            || (options.opt_level > 0 && !options.scalar && gains()))
}

/// Whether the work-items of a kernel run side by side although `options` request code without
/// optimisation: the kernel requires a sub-group size.
pub fn is_side_by_side(kernel: Function<'_>, shape: Shape, options: &Options) -> bool {
    options.opt_level == 0
        && is_compiled(kernel, shape, None, options)
        && lane_count(kernel, options) > 1
}

/// Whether the kernel has a barrier or uses its sub-group.
fn needs_work_group_function(kernel: Function<'_>) -> bool {
    kernel.instructions().filter_map(|i| i.called_function()).any(|f| {
        let name = f.name();
        let position = common_queries::parse(&name).is_some_and(|q| q.takes_dimension());
        queries::belongs_to_kernel(&name) && !position
    })
}

/// Whether code for any work-group size is only compiled in the masked form, whose lanes can be
/// disabled. The masked form also runs full rows, but more slowly, and only half of the code needs
/// to be compiled. Code for one size has the form that suits the size.
pub fn has_many_barriers(kernel: Function<'_>) -> bool {
    group::barriers(kernel).nth(MANY_BARRIERS).is_some()
}

fn has_loop(kernel: Function<'_>) -> bool {
    let mut done = HashSet::new();
    let mut path = HashSet::new();
    let Some(entry) = kernel.entry_block() else { return false };
    let mut stack = vec![(entry, entry.successors())];
    path.insert(entry);
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if path.contains(&next) => return true,
            Some(next) if !done.contains(&next) => {
                path.insert(next);
                stack.push((next, next.successors()));
            }
            Some(_) => {}
            None => {
                path.remove(block);
                done.insert(*block);
                stack.pop();
            }
        }
    }
    false
}

/// Returns the number of lanes: the sub-group size that the kernel requires, or a full vector of
/// floats.
fn lane_count(kernel: Function<'_>, options: &Options) -> u32 {
    match required_sizes::sub_group(kernel) {
        Some(n) => n,
        None if options.opt_level == 0 => 1,
        None if options.scalar && !specialise::sees_sub_groups(kernel) => 1,
        None => options.lanes,
    }
}

/// Passes that kernels selected by [`is_compiled`] need before [`make`].
pub const PREPARE: &str = lanes::PREPARE;

/// Gives a kernel the form that [`loses`] and [`make`] expect, after the passes of [`PREPARE`].
pub fn prepare<'ctx>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    kernel: Function<'ctx>,
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> Result<(), CpuError> {
    lanes::copy_written_byval_parameters(module, kernel);
    common_queries::simplify(module, kernel, shape == Shape::NdRange);
    // The call above may have added queries, which are as pure as the others.
    queries::declare_pure(module);
    if lane_count(kernel, options) > 1 {
        if lanes::is_irreducible(kernel) {
            let passes = PassOptions::default();
            run_function_passes(kernel, lanes::MAKE_REDUCIBLE, Some(machine), passes)?;
        }
        tidy_indices(kernel, shape, local_size);
    }
    Ok(())
}

/// Returns a reason why [`super::work_group`] should compile the kernel instead, one work-item
/// after the other: the widened form would be slower.
pub fn loses<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    options: &Options,
) -> Option<Scalar> {
    let is_free = required_sizes::sub_group(kernel).is_none() && !needs_work_group_function(kernel);
    if !is_free || options.scalar || options.opt_level == 0 {
        return None;
    }
    let facts = lanes::analyse(module, kernel, options.lanes).ok()?;
    let costs = cost::costs(module, &facts, options);
    (!costs.pays())
        .then_some(Scalar::DistantAccesses { vector: costs.widened, scalar: costs.scalar })
}

/// A finished work-group function.
pub struct WorkGroupFunction<'ctx> {
    pub function: Function<'ctx>,
    /// The number of work-items in the lanes of one item.
    pub lanes: u32,
    /// The reason why there is only one lane.
    pub scalar: Option<Scalar>,
}

/// Creates the work-group function of `kernel`. Afterwards the kernel has no uses. `local_size` is
/// the work-group size of all launches, if known.
pub fn make<'ctx>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    kernel: Function<'ctx>,
    passing: &[Passing<'ctx>],
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> Result<WorkGroupFunction<'ctx>, CpuError> {
    let name = kernel.name();
    let count = lane_count(kernel, options);
    // Code for one size has a layout for this size. Only the order group by group keeps what the
    // loops of a kernel read in the cache, if groups have several rows.
    let merge = match merged_rows::of(module, kernel, shape, options) {
        Merge::Always | Merge::Flat if local_size.is_none() => Merge::Flat,
        _ => Merge::None,
    };
    let mut layout = local_size.map(|size| specialise::layout(kernel, size, count));
    let mut order = layout.map_or([0, 1, 2], |l| l.order);
    // Code for any size has a second form of the kernel, for groups whose rows are no multiple of
    // the vector. Such kernels see sub-groups, so that their groups are not merged.
    let mut spread = None;
    let is_line = merge == Merge::None && linear::is_needed(kernel, shape, count, layout);
    match layout {
        Some(rows) if is_line => {
            linear::renumber(module, kernel);
            layout = Some(linear::layout(rows));
            order = [0, 1, 2];
        }
        None if is_line => {
            let copy = copy(module, kernel, "spread")?;
            linear::renumber(module, copy);
            spread = Some(copy);
        }
        _ => specialise::reorder(kernel, order),
    }
    let is_line = is_line && spread.is_none();
    let Forms { versions, narrow, scalar } =
        versions(module, machine, kernel, count, layout, options)?;
    let spread = match spread {
        Some(copy) => {
            let forms = self::versions(module, machine, copy, count, None, options)?;
            copy.erase();
            // What prevents one form also prevents the other.
            (versions.lanes > 1 && forms.versions.lanes == versions.lanes).then_some(forms.versions)
        }
        None => None,
    };
    // The fast form may assume that work-item numbers fit in an `int`. If it does, the plain form
    // handles larger numbers.
    let spare = if narrow { Some(single(module, kernel, options)?) } else { None };
    let make_group = |suffix: &str, v: &group::Versions<'ctx>| {
        group::make(module, &format!("{name}.{suffix}"), v)
            .map_err(|why| CpuError::WorkGroup { kernel: name.clone(), why })
    };
    let lanes = versions.lanes;
    let fast = make_group("group", &versions)?;
    let spread = spread.map(|s| make_group("line", &s)).transpose()?;
    let plain = spare.map(|s| make_group("plain", &s)).transpose()?;

    let context = module.context();
    let builder = context.create_builder();
    let frame = Frame::open(module, &builder, kernel, passing, local_size, order, options);
    let scope = Scope { context, function: frame.function, builder: &builder };
    let int = |n: u64| context.const_int(64, n);
    let mut size = match shape {
        Shape::NdRange => frame.sizes.local_size,
        _ => std::array::from_fn(|d| builder.sub(frame.end[d], frame.begin[d], "extent")),
    };

    let in_rows = scope.mul(size[1], size[2], "rows");
    let line = [scope.mul(size[0], in_rows, "line"), int(1), int(1)];
    if is_line {
        size = line;
    }

    // Memory for the values that items keep across barriers. Rows have at least as many items as
    // one line.
    let bytes = fast
        .context_bytes
        .max(spread.as_ref().map_or(0, |s| s.context_bytes))
        .max(plain.as_ref().map_or(0, |p| p.context_bytes * u64::from(lanes)));
    let items = match layout.filter(|l| l.lanes == lanes) {
        Some(layout) => int(layout.items()),
        None => count_items(&scope, size, u64::from(lanes)),
    };
    let memory = Memory::open(module, &scope, items, bytes);
    let regions = address_spaces::uses_bounds(kernel).then(|| {
        Regions::find(
            module,
            &builder,
            frame.function,
            memory.bytes.map(|bytes| [memory.address, bytes]),
        )
    });
    let mut calls = Vec::new();
    let run = |first: [Value<'ctx>; 3], size: [Value<'ctx>; 3], calls: &mut Vec<_>| {
        let call = |g: &group::GroupFunction<'ctx>, size: [_; 3], calls: &mut Vec<_>| {
            let mut args = frame.arguments.clone();
            args.extend([memory.address, int(g.context_bytes)]);
            args.extend(size);
            args.extend(first);
            calls.push(builder.call(g.function, &args, ""));
        };
        let block = |name: &str| context.append_block(frame.function, name);
        let fast = |calls: &mut Vec<_>| {
            let Some(spread) = &spread else { return call(&fast, size, calls) };
            let rest = builder.and(size[0], int(u64::from(lanes) - 1), "");
            let even = builder.icmp(IntPredicate::LLVMIntEQ, rest, int(0), "");
            let single = builder.icmp(IntPredicate::LLVMIntEQ, in_rows, int(1), "");
            let (rows, ahead, after) = (block("rows"), block("line"), block("rows.after"));
            builder.cond_br(builder.or(even, single, ""), rows, ahead);
            for (at, g, size) in [(rows, &fast, size), (ahead, spread, line)] {
                builder.position_at_end(at);
                call(g, size, calls);
                builder.br(after);
            }
            builder.position_at_end(after);
        };
        let Some(plain) = &plain else { return fast(calls) };
        let top = scope.add(frame.sizes.global_size[0], frame.sizes.global_offset[0], "");
        let fits = builder.icmp(IntPredicate::LLVMIntULE, top, int(NARROW), "fits");
        let (yes, no, after) = (block("narrow"), block("wide"), block("group.after"));
        builder.cond_br(fits, yes, no);
        builder.position_at_end(yes);
        fast(calls);
        builder.br(after);
        builder.position_at_end(no);
        call(plain, size, calls);
        builder.br(after);
        builder.position_at_end(after);
    };
    let zero = [int(0); 3];
    let position = if shape == Shape::NdRange {
        let width = merge.width(&scope, frame.sizes.local_size, frame.begin[0], frame.end[0]);
        if let Some(width) = width {
            size[0] = scope.mul(size[0], width, "row");
        }
        let z = Loop::open(&scope, frame.begin[2], frame.end[2], "group.z");
        let y = Loop::open(&scope, frame.begin[1], frame.end[1], "group.y");
        let x = Loop::open(&scope, frame.begin[0], frame.end[0], "group.x");
        let group_id = [x.index, y.index, z.index];
        let first = std::array::from_fn(|d| {
            let index = scope.mul(group_id[d], frame.sizes.local_size[d], "");
            scope.add(index, frame.sizes.global_offset[d], "group.first")
        });
        run(first, size, &mut calls);
        match width {
            Some(width) => x.close_in_steps(&scope, width),
            None => x.close(&scope),
        }
        y.close(&scope);
        z.close(&scope);
        frame.sizes.at(zero, zero, group_id)
    } else {
        let first = std::array::from_fn(|d| {
            scope.add(frame.begin[d], frame.sizes.global_offset[d], "first")
        });
        run(first, size, &mut calls);
        frame.sizes.at(zero, zero, zero)
    };
    memory.close(module, &scope);
    builder.br(frame.done);
    for call in calls {
        call.inline_call()?;
        queries::replace(&builder, frame.function, &position);
    }
    for g in [Some(fast), spread, plain].into_iter().flatten() {
        g.function.erase();
    }
    match regions {
        Some(regions) => {
            let variables = local_memory::place_together(module, frame.function);
            regions.answer(module, frame.function, variables);
        }
        None => local_memory::place(module, frame.function),
    }
    Ok(WorkGroupFunction { function: frame.function, lanes, scalar })
}

/// Simplifies the index arithmetic of a kernel, so that fewer addresses appear to diverge.
fn tidy_indices(kernel: Function<'_>, shape: Shape, local_size: Option<[u64; 3]>) {
    merges::simplify(kernel);
    if shape == Shape::NdRange {
        ranges::promise(kernel, local_size);
    }
    counters::widen(kernel);
}

/// The forms that groups need, and the layout of work-items in lanes.
struct Plan {
    lanes: u32,
    fold: Option<lanes::Fold>,
    full: bool,
    masked: bool,
}

impl Plan {
    fn new(kernel: Function<'_>, count: u32, layout: Option<Layout>) -> Self {
        let Some(layout) = layout else {
            return Self {
                lanes: count,
                fold: None,
                full: !has_many_barriers(kernel),
                masked: true,
            };
        };
        let (lanes, [x, y, z]) = (layout.lanes, layout.size);
        if let Some(row) = layout.row {
            // Group extents are small: `specialise::local_size` guarantees it.
            let fold = lanes::Fold { row, used: x as u32, rows: [y as u32, z as u32] };
            let full = !fold.is_padded() && fold.all_rows().is_multiple_of(fold.heads(lanes));
            return Self { lanes, fold: Some(fold), full, masked: !full };
        }
        let (even, has_barriers) =
            (x.is_multiple_of(u64::from(lanes)), group::barriers(kernel).next().is_some());
        // With barriers, either all items use masks or none does. Without barriers, only the last
        // item of each row does.
        let full = even || (!has_barriers && x > u64::from(lanes));
        Self { lanes, fold: None, full, masked: !even }
    }
}

/// The forms of a kernel.
struct Forms<'ctx> {
    versions: group::Versions<'ctx>,
    /// Whether the forms assume small work-item numbers.
    narrow: bool,
    /// The reason why the forms have only one lane.
    scalar: Option<Scalar>,
}

impl<'ctx> Forms<'ctx> {
    fn single(
        module: &Module<'ctx>,
        kernel: Function<'ctx>,
        options: &Options,
        reason: Scalar,
    ) -> Result<Self, CpuError> {
        let versions = single(module, kernel, options)?;
        Ok(Self { versions, narrow: false, scalar: Some(reason) })
    }
}

/// Returns the forms of the kernel. A kernel that cannot be widened runs one work-item at a time.
fn versions<'ctx>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    kernel: Function<'ctx>,
    count: u32,
    layout: Option<Layout>,
    options: &Options,
) -> Result<Forms<'ctx>, CpuError> {
    let Plan { lanes, fold, full, masked } = Plan::new(kernel, count, layout);
    if lanes > 1 {
        let name = kernel.name();
        let form = |suffix: &str, masked| {
            lanes::widen(
                module,
                kernel,
                &format!("{name}.{suffix}"),
                lanes::Options { lanes, masked, fold },
            )
        };
        let wanted = [full.then_some(("full", false)), masked.then_some(("masked", true))];
        // The assignment of work-items to sub-groups may change if the kernel does not observe it.
        let required = required_sizes::sub_group(kernel);
        let is_free = required.is_none() && !specialise::sees_sub_groups(kernel);
        let mut made = [None, None];
        let mut narrow = false;
        for (place, wanted) in made.iter_mut().zip(wanted) {
            let Some((suffix, masked)) = wanted else { continue };
            let widened = match (form(suffix, masked), required) {
                (Ok(widened), _) => widened,
                // The kernel requires and observes this sub-group size, so sub-groups of one
                // work-item would be wrong.
                (Err(why), Some(size)) if specialise::sees_sub_groups(kernel) => {
                    return Err(CpuError::SubGroups { kernel: name, size, why });
                }
                // A reason that prevents one form also prevents the other.
                (Err(why), _) => {
                    return Forms::single(module, kernel, options, Scalar::Widening(why));
                }
            };
            subgroup::erase_barriers(widened.function);
            matrices::lower(module, widened.function, options)?;
            run_function_passes(
                widened.function,
                CLEANUP_PIPELINE,
                Some(machine),
                PassOptions::default(),
            )?;
            narrow |= widened.narrow;
            *place = Some(widened.function);
            if let Some(reason) = too_large(kernel, widened.function).filter(|_| is_free) {
                made.into_iter().flatten().for_each(Function::erase);
                return Forms::single(module, kernel, options, reason);
            }
        }
        let [full, masked] = made;
        let versions = group::Versions { full, masked, lanes, keeps_variables: false, fold };
        return Ok(Forms { versions, narrow, scalar: None });
    }
    let reason = match () {
        () if count > 1 => Scalar::WorkGroups,
        () if required_sizes::sub_group(kernel).is_some() => Scalar::SubGroups,
        () if options.opt_level == 0 => Scalar::NotOptimised,
        () => Scalar::Requested,
    };
    Forms::single(module, kernel, options, reason)
}

/// Returns a reason against a widened form if it consists mostly of scalar work for each lane, or
/// is so large that it takes seconds to compile. This happens in kernels that move whole vectors of
/// elements under masks. They compile faster, and run no slower, one work-item at a time.
fn too_large(kernel: Function<'_>, widened: Function<'_>) -> Option<Scalar> {
    // Jumps over gathers without active lanes add blocks, but no work.
    let is_jump = |i: &Instruction<'_>| matches!(i.opcode(), Opcode::LLVMBr | Opcode::LLVMPHI);
    let before = kernel.instructions().count();
    let after = widened.instructions().filter(|i| !is_jump(i)).count();
    let is_too_large =
        after > SMALL_FORM_SIZE && (after > MAX_GROWTH * before || after > MAX_FORM_SIZE);
    is_too_large.then_some(Scalar::TooLarge { vector: after, scalar: before })
}

/// Copies the kernel.
fn copy<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    suffix: &str,
) -> Result<Function<'ctx>, CpuError> {
    let name = format!("{}.{suffix}", kernel.name());
    let copy = module.add_function(&name, kernel.function_type());
    copy.copy_attributes_from(kernel);
    let mut map = scythe_llvm::ValueMap::new();
    for (old, new) in kernel.params().into_iter().zip(copy.params()) {
        map.insert(old, new);
    }
    if !map.clone_function(kernel, copy, scythe_llvm::CloneScope::SameModule) {
        return Err(CpuError::WorkGroup { kernel: kernel.name(), why: WideningError::NoBody });
    }
    Ok(copy)
}

/// Copies the kernel, with sub-groups of one work-item.
fn single<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    options: &Options,
) -> Result<group::Versions<'ctx>, CpuError> {
    let copy = copy(module, kernel, "single")?;
    copy.remove_enum_attribute(Place::Function, "optnone");
    subgroup::make_single(module, copy);
    matrices::lower(module, copy, options)?;
    let keeps_variables = options.for_stepping;
    Ok(group::Versions { full: Some(copy), masked: None, lanes: 1, keeps_variables, fold: None })
}

/// Computes the number of items in a group of `size`, with `lanes` lanes along its rows.
fn count_items<'ctx>(scope: &Scope<'_, 'ctx>, size: [Value<'ctx>; 3], lanes: u64) -> Value<'ctx> {
    let int = |n: u64| scope.context.const_int(64, n);
    let up = scope.builder.add(size[0], int(lanes - 1), "");
    let per_row = scope.builder.lshr(up, int(u64::from(lanes.trailing_zeros())), "");
    scope.builder.mul(scope.builder.mul(per_row, size[1], ""), size[2], "items")
}

/// Memory for the contexts of the items of one group. All groups reuse it.
struct Memory<'ctx> {
    address: Value<'ctx>,
    /// The size in bytes, if there is any memory.
    bytes: Option<Value<'ctx>>,
    /// The heap allocation to free, or null if the memory is on the stack.
    heap: Option<Value<'ctx>>,
}

impl<'ctx> Memory<'ctx> {
    /// Allocates memory for `items` items of `bytes` bytes each.
    fn open(
        module: &Module<'ctx>,
        scope: &Scope<'_, 'ctx>,
        items: Value<'ctx>,
        bytes: u64,
    ) -> Self {
        let (context, builder) = (scope.context, scope.builder);
        let pointer = context.ptr_type(0);
        if bytes == 0 {
            return Self { address: pointer.const_null(), bytes: None, heap: None };
        }
        let int = |n: u64| context.const_int(64, n);
        let total = builder.mul(items, int(bytes), "context.bytes");
        let small = builder.icmp(IntPredicate::LLVMIntULE, total, int(CONTEXTS_ON_STACK), "");
        let on_stack = builder.select(small, total, int(0), "");
        let stack = builder.array_alloca(context.int_type(8), on_stack, "context");
        stack.set_align(64);
        let block = |name: &str| context.append_block(scope.function, name);
        let (large, ready) = (block("context.large"), block("context.ready"));
        let from = builder.cond_br(small, ready, large).block();
        builder.position_at_end(large);
        // Vectors are saved there with their natural alignment, which `malloc` does not guarantee.
        // The sizes of contexts are multiples of that alignment.
        let ty = pointer.function(&[context.int_type(64); 2], false);
        let heap = builder
            .call(module.get_or_add_function("aligned_alloc", ty), &[int(64), total], "")
            .as_value();
        builder.br(ready);
        builder.position_at_end(ready);
        let owned = builder.phi(pointer, "heap");
        let address = builder.phi(pointer, "contexts");
        owned.add_incoming(heap, large);
        address.add_incoming(heap, large);
        if let Some(from) = from {
            owned.add_incoming(pointer.const_null(), from);
            address.add_incoming(stack.as_value(), from);
        }
        Self { address: address.as_value(), bytes: Some(total), heap: Some(owned.as_value()) }
    }

    fn close(&self, module: &Module<'ctx>, scope: &Scope<'_, 'ctx>) {
        let Some(heap) = self.heap else { return };
        let context = scope.context;
        let ty = context.void_type().function(&[context.ptr_type(0)], false);
        // `free` ignores a null pointer.
        scope.builder.call(module.get_or_add_function("free", ty), &[heap], "");
    }
}
