//! Makes the work-group function of a kernel from sub-groups in vector lanes and code between
//! barriers ([`super::widening`]).
//!
//! ```text
//! nd_range:  for group z, y, x in box:  group function(arguments, its size, its first id)
//! range:     the box as one group
//! ```
//!
//! [`super::work_group`] leaves vectorisation to LLVM, which is best for kernels without loops. The
//! form in this module is for kernels with barriers and sub-groups, which have no other form; for
//! kernels with loops, where LLVM would vectorise the wrong loop; and for kernels that are too long
//! for LLVM's vectoriser.

use super::widening::divergence::Unsuitable;
use super::widening::{group, lanes, subgroup};
use super::work_group::{Frame, Loop, Scope};
use super::{local_memory, queries, specialise};
use crate::target::common::{queries as common_queries, required_sizes};
use crate::target::cpu::address_spaces::{self, Regions};
use crate::target::cpu::arguments::Passing;
use crate::target::cpu::{CpuError, Options};
use scythe_abi::cpu::Layout;
use scythe_abi::launch::Shape;
use scythe_llvm::{
    Function, IntPredicate, Module, PassOptions, Place, TargetMachine, Value, run_function_passes,
};
use std::collections::HashSet;

/// With more instructions than this in its body, LLVM's vectoriser gives a work-item loop up.
const MAX_LOOP_BODY: usize = 400;

/// Contexts up to this many bytes are on the stack.
const STACK_LIMIT: u64 = 64 << 10;

/// Work-item numbers below this fit an `int`; see [`lanes`].
const NARROW: u64 = 1 << 31;

/// Widened forms of up to this many instructions are kept in any case.
const SWOLLEN: usize = 1500;

/// How many times as large as the kernel a larger form may be: vector code has about as many
/// instructions as the kernel.
const SWOLLEN_TIMES: usize = 2;

/// Forms of more instructions than this are not kept.
const ENORMOUS: usize = 10_000;

/// Kernels of more barriers than this get one form for any size; see [`has_many_barriers`].
const MANY_BARRIERS: usize = 12;

/// Brings widened code into registers, in a form that can be cut at barriers.
const TIDY: &str = "sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    lower-switch,loop-simplify,lcssa";

/// Whether the kernel is for this form.
pub fn wanted(
    kernel: Function<'_>,
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> bool {
    // LLVM would find no full vector in short rows.
    let short = || local_size.is_some_and(|size| Layout::pays(size, options.lanes));
    let gains =
        || short() || has_loop(kernel) || kernel.instructions().nth(MAX_LOOP_BODY).is_some();
    shape != Shape::SingleTask
        && (needed(kernel) || (options.opt_level > 0 && !options.scalar && gains()))
}

/// Has a barrier, or asks for its sub-group.
fn needed(kernel: Function<'_>) -> bool {
    kernel.instructions().filter_map(|i| i.called_function()).any(|f| {
        let name = f.name();
        let position = common_queries::parse(&name).is_some_and(|q| q.takes_dimension());
        queries::belongs_to_kernel(&name) && !position
    })
}

/// Whether code for any work-group size is only made in the form whose lanes can be switched off.
/// That serves full rows, too, if more slowly, and half the code is left to compile; code for one
/// size has the form that suits it.
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

/// The number of lanes: what the kernel demands, else a full vector of floats.
fn lane_count(kernel: Function<'_>, options: &Options) -> u32 {
    match required_sizes::sub_group(kernel) {
        Some(n) => n,
        None if options.opt_level == 0 => 1,
        None if options.scalar && !specialise::sees_sub_groups(kernel) => 1,
        None => options.lanes,
    }
}

/// Passes that the kernels of [`wanted`] need before [`make`].
pub const PREPARE: &str = lanes::PREPARE;

/// A finished work-group function.
pub struct Made<'ctx> {
    pub function: Function<'ctx>,
    /// Work-items side by side.
    pub lanes: u32,
}

/// Wraps `kernel` in its work-group function. The kernel is left without uses. `local_size` is that
/// of all launches, where it is known.
pub fn make<'ctx>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    kernel: Function<'ctx>,
    passing: &[Passing<'ctx>],
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> Result<Made<'ctx>, CpuError> {
    let name = kernel.name();
    lanes::keep_private(module, kernel);
    common_queries::simplify(module, kernel, shape == Shape::NdRange);
    // The calls it may have added are as pure as all queries.
    queries::declare_pure(module);
    let count = lane_count(kernel, options);
    if count > 1 && lanes::is_irreducible(kernel) {
        run_function_passes(kernel, lanes::MAKE_REDUCIBLE, Some(machine), PassOptions::default())?;
    }
    let layout = local_size.map(|size| specialise::layout(kernel, size, count));
    let order = layout.map_or([0, 1, 2], |l| l.order);
    specialise::reorder(kernel, order);
    let (versions, narrow) = versions(module, machine, kernel, count, layout)?;
    // The fast form takes for granted that numbers fit an `int`; where that was used, a plain one
    // stands by.
    let spare = if narrow { Some(single(module, kernel)?) } else { None };
    let make_group = |suffix: &str, v: &group::Versions<'ctx>| {
        group::make(module, &format!("{name}.{suffix}"), v)
            .map_err(|why| CpuError::Unsuitable { kernel: name.clone(), why })
    };
    let lanes = versions.lanes;
    let fast = make_group("group", &versions)?;
    let plain = spare.map(|s| make_group("plain", &s)).transpose()?;

    let context = module.context();
    let builder = context.create_builder();
    let frame = Frame::open(module, &builder, kernel, passing, local_size, order, options);
    let scope = Scope { context, function: frame.function, builder: &builder };
    let int = |n: u64| context.const_int(64, n);
    let size = match shape {
        Shape::NdRange => frame.sizes.local_size,
        _ => std::array::from_fn(|d| builder.sub(frame.end[d], frame.begin[d], "extent")),
    };

    // Room for what items keep across barriers.
    let bytes =
        fast.context_bytes.max(plain.as_ref().map_or(0, |p| p.context_bytes * u64::from(lanes)));
    let items = match layout.filter(|l| l.lanes == lanes) {
        Some(layout) => int(layout.items()),
        None => count_items(&scope, size, u64::from(lanes)),
    };
    let memory = Memory::open(module, &scope, items, bytes);
    let regions = address_spaces::are_asked(kernel).then(|| {
        Regions::find(
            module,
            &builder,
            frame.function,
            memory.bytes.map(|bytes| [memory.address, bytes]),
        )
    });
    let mut calls = Vec::new();
    let run = |first: [Value<'ctx>; 3], calls: &mut Vec<_>| {
        let call = |g: &group::GroupFunction<'ctx>, calls: &mut Vec<_>| {
            let mut args = frame.arguments.clone();
            args.extend([memory.address, int(g.context_bytes)]);
            args.extend(size);
            args.extend(first);
            calls.push(builder.call(g.function, &args, ""));
        };
        let Some(plain) = &plain else { return call(&fast, calls) };
        let top = scope.add(frame.sizes.global_size[0], frame.sizes.global_offset[0], "");
        let fits = builder.icmp(IntPredicate::LLVMIntULE, top, int(NARROW), "fits");
        let block = |name: &str| context.append_block(frame.function, name);
        let (yes, no, after) = (block("narrow"), block("wide"), block("group.after"));
        builder.cond_br(fits, yes, no);
        for (at, g) in [(yes, &fast), (no, plain)] {
            builder.position_at_end(at);
            call(g, calls);
            builder.br(after);
        }
        builder.position_at_end(after);
    };
    let zero = [int(0); 3];
    let position = if shape == Shape::NdRange {
        let z = Loop::open(&scope, frame.begin[2], frame.end[2], "group.z");
        let y = Loop::open(&scope, frame.begin[1], frame.end[1], "group.y");
        let x = Loop::open(&scope, frame.begin[0], frame.end[0], "group.x");
        let group_id = [x.index, y.index, z.index];
        let first = std::array::from_fn(|d| {
            let index = scope.mul(group_id[d], size[d], "");
            scope.add(index, frame.sizes.global_offset[d], "group.first")
        });
        run(first, &mut calls);
        x.close(&scope, None);
        y.close(&scope, None);
        z.close(&scope, None);
        frame.sizes.at(zero, zero, group_id)
    } else {
        let first = std::array::from_fn(|d| {
            scope.add(frame.begin[d], frame.sizes.global_offset[d], "first")
        });
        run(first, &mut calls);
        frame.sizes.at(zero, zero, zero)
    };
    memory.close(module, &scope);
    builder.br(frame.done);
    for call in calls {
        call.inline_call()?;
        queries::replace(&builder, frame.function, &position);
    }
    for g in [Some(fast), plain].into_iter().flatten() {
        g.function.erase();
    }
    match regions {
        Some(regions) => {
            let variables = local_memory::place_together(module, frame.function);
            regions.answer(module, frame.function, variables);
        }
        None => local_memory::place(module, frame.function),
    }
    Ok(Made { function: frame.function, lanes })
}

/// Which forms groups need, and how they lie in lanes.
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
            // Extents of groups are small: `specialise::local_size` saw to that.
            let fold = lanes::Fold { row, used: x as u32, rows: [y as u32, z as u32] };
            let full = !fold.is_padded() && fold.all_rows().is_multiple_of(fold.heads(lanes));
            return Self { lanes, fold: Some(fold), full, masked: !full };
        }
        let (even, has_barriers) =
            (x.is_multiple_of(u64::from(lanes)), group::barriers(kernel).next().is_some());
        // With barriers, all items are under masks or none is; without, only the last of each row.
        let full = even || (!has_barriers && x > u64::from(lanes));
        Self { lanes, fold: None, full, masked: !even }
    }
}

/// The kernel's forms, and whether they rest on small work-item numbers. What cannot be widened
/// stays one work-item wide.
fn versions<'ctx>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    kernel: Function<'ctx>,
    count: u32,
    layout: Option<Layout>,
) -> Result<(group::Versions<'ctx>, bool), CpuError> {
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
        // How work-items lie in sub-groups may be changed where nobody looks.
        let required = required_sizes::sub_group(kernel);
        let is_free = required.is_none() && !specialise::sees_sub_groups(kernel);
        let mut made = [None, None];
        let mut narrow = false;
        for (place, wanted) in made.iter_mut().zip(wanted) {
            let Some((suffix, masked)) = wanted else { continue };
            let widened = match (form(suffix, masked), required) {
                (Ok(widened), _) => widened,
                // Sub-groups of one work-item are not the ones that the kernel requires and sees.
                (Err(why), Some(size)) if specialise::sees_sub_groups(kernel) => {
                    return Err(CpuError::SubGroups { kernel: name, size, why });
                }
                // What stands in the way of one form stands in the way of both.
                (Err(_), _) => return Ok((single(module, kernel)?, false)),
            };
            subgroup::erase_barriers(widened.function);
            run_function_passes(widened.function, TIDY, Some(machine), PassOptions::default())?;
            narrow |= widened.narrow;
            *place = Some(widened.function);
            if is_free && has_swollen(kernel, widened.function) {
                made.into_iter().flatten().for_each(Function::erase);
                return Ok((single(module, kernel)?, false));
            }
        }
        let [full, masked] = made;
        return Ok((group::Versions { full, masked, lanes, fold }, narrow));
    }
    Ok((single(module, kernel)?, false))
}

/// Whether a widened form is mostly work done lane by lane, or so large that compiling it takes
/// seconds. Kernels that move whole vectors of elements under masks come out like that: they are
/// sooner compiled, and no slower, one work-item at a time.
fn has_swollen(kernel: Function<'_>, widened: Function<'_>) -> bool {
    let (before, after) = (kernel.instructions().count(), widened.instructions().count());
    after > SWOLLEN && (after > SWOLLEN_TIMES * before || after > ENORMOUS)
}

/// A copy of the kernel, with sub-groups of one work-item.
fn single<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
) -> Result<group::Versions<'ctx>, CpuError> {
    let copy = module.add_function(&format!("{}.single", kernel.name()), kernel.function_type());
    copy.copy_attributes_from(kernel);
    let mut map = scythe_llvm::ValueMap::new();
    for (old, new) in kernel.params().into_iter().zip(copy.params()) {
        map.insert(old, new);
    }
    if !map.clone_function(kernel, copy, scythe_llvm::CloneScope::SameModule) {
        return Err(CpuError::Unsuitable { kernel: kernel.name(), why: Unsuitable::NoBody });
    }
    copy.remove_enum_attribute(Place::Function, "optnone");
    subgroup::make_single(module, copy);
    Ok(group::Versions { full: Some(copy), masked: None, lanes: 1, fold: None })
}

/// How many items a group of `size` has, with `lanes` lanes along its rows.
fn count_items<'ctx>(scope: &Scope<'_, 'ctx>, size: [Value<'ctx>; 3], lanes: u64) -> Value<'ctx> {
    let int = |n: u64| scope.context.const_int(64, n);
    let up = scope.builder.add(size[0], int(lanes - 1), "");
    let per_row = scope.builder.lshr(up, int(u64::from(lanes.trailing_zeros())), "");
    scope.builder.mul(scope.builder.mul(per_row, size[1], ""), size[2], "items")
}

/// Memory for the items of one group, used again for each.
struct Memory<'ctx> {
    address: Value<'ctx>,
    /// How much there is, where any is.
    bytes: Option<Value<'ctx>>,
    /// From the heap, where it is large.
    heap: Option<Value<'ctx>>,
}

impl<'ctx> Memory<'ctx> {
    /// For `items` items of `bytes` bytes each.
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
        let small = builder.icmp(IntPredicate::LLVMIntULE, total, int(STACK_LIMIT), "");
        let on_stack = builder.select(small, total, int(0), "");
        let stack = builder.array_alloca(context.int_type(8), on_stack, "context");
        stack.set_align(64);
        let block = |name: &str| context.append_block(scope.function, name);
        let (large, ready) = (block("context.large"), block("context.ready"));
        let from = builder.cond_br(small, ready, large).block();
        builder.position_at_end(large);
        // Vectors are saved there with their own alignment, which `malloc` does not keep; contexts
        // are multiples of it.
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
        // The C library ignores a null pointer.
        scope.builder.call(module.get_or_add_function("free", ty), &[heap], "");
    }
}
