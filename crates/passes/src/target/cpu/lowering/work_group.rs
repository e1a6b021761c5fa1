//! Creates the work-group function of a kernel: `__scythe_cpu.<kernel>`, of type
//! [`scythe_abi::cpu::KernelFn`].
//!
//! ```text
//! entry:   read the box, sizes and arguments; return if the box is empty
//! range:       for z, y, x in box:              kernel(arguments)
//! nd_range:    for group z, y, x in box:
//!                  for local z, y, x in group:  kernel(arguments)
//! ```
//!
//! If possible, all groups of a row run together ([`super::merged_rows`]).
//!
//! [`super::items`] compiles the kernels that this form does not suit: kernels with barriers,
//! sub-groups or loops.
//!
//! If the kernel tests its index, the innermost loop is split into parts ([`super::interior`]).
//! Private memory that is the same for all work-items is filled ahead of all loops
//! ([`super::uniform_memory`]).
//!
//! Every loop runs at least once, tests its condition at the end, and counts up by one without
//! overflow: sizes are below 2^63. The innermost loop is parallel in the accesses that
//! [`super::parallel`] marks.

use super::interior::{self, Guard, RowCode};
use super::merged_rows::{self, Merge};
use super::queries::{self, Position};
use super::{debug_info, interleave, local_memory, parallel, uniform_memory};
use crate::target::cpu::address_spaces::{self, Regions};
use crate::target::cpu::arguments::{self, Passing};
use crate::target::cpu::{CpuError, Options, retarget};
use scythe_abi::cpu::{Box3, Launch};
use scythe_abi::launch::Shape;
use scythe_abi::names::CPU_ENTRY_PREFIX;
use scythe_llvm::{
    AttributeKind, BasicBlock, Builder, CloneScope, ContextRef, Function, Instruction,
    IntPredicate, Metadata, Module, Place, Value, ValueMap,
};
use std::mem::{offset_of, size_of};

/// Creates the work-group function of `kernel`. The kernel is inlined into it, and has no uses
/// afterwards.
pub fn make<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    passing: &[Passing<'ctx>],
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> Result<Function<'ctx>, CpuError> {
    let context = module.context();
    let access_group = context.md_distinct(&[]);
    parallel::mark(kernel, access_group);
    let builder = context.create_builder();
    let frame = Frame::open(module, &builder, kernel, passing, local_size, [0, 1, 2], options);
    let Frame { function, work, done, arguments, begin, end, sizes } = frame;
    let scope = Scope { context, function, builder: &builder };
    let regions = address_spaces::uses_bounds(kernel).then(|| {
        let ahead = context.create_builder();
        let end = function.entry_block().and_then(|block| block.terminator());
        ahead.position_before(end.expect("the entry block of a frame has a terminator"));
        Regions::find(module, &ahead, function, None)
    });

    let split = options.opt_level > 1 && !options.scalar && shape != Shape::SingleTask;
    let guards = if split { interior::guards(module, kernel, passing) } else { Vec::new() };
    let merge = merged_rows::of(module, kernel, shape, options);
    let code = Code {
        module,
        scope: &scope,
        kernel,
        guards,
        passing,
        arguments: &arguments,
        sizes: &sizes,
        access_group,
        interleave: interleave::count(kernel, shape, local_size, options),
        merge,
    };
    let bodies = match shape {
        Shape::SingleTask => {
            let zero = [context.const_int(64, 0); 3];
            vec![code.call(kernel, sizes.at(zero, zero, zero))]
        }
        Shape::Range => code.range(begin, end),
        Shape::NdRange => code.groups(begin, end),
    };
    builder.br(done);

    // Inline the bodies one after the other: the queries of a body must be replaced before the next
    // body adds its queries.
    for body in bodies {
        let block = body.call.block();
        body.call.inline_call()?;
        queries::replace(&builder, function, &body.position);
        // A debugger must find the code of a line in each work-item.
        let hoisted = block.filter(|b| *b != work && !options.for_stepping);
        if let (Some(block), Some(before)) = (hoisted, work.terminator()) {
            uniform_memory::hoist(function, block, before, access_group);
        }
    }
    match regions {
        Some(regions) => {
            regions.answer(module, function, local_memory::place_together(module, function))
        }
        None => local_memory::place(module, function),
    }
    Ok(function)
}

/// The start of a work-group function. It loads the arguments, the box and the sizes. The builder
/// is positioned in `work`, where the box is not empty.
pub(super) struct Frame<'ctx> {
    pub function: Function<'ctx>,
    pub work: BasicBlock<'ctx>,
    /// The block that returns.
    pub done: BasicBlock<'ctx>,
    pub arguments: Vec<Value<'ctx>>,
    pub begin: [Value<'ctx>; 3],
    pub end: [Value<'ctx>; 3],
    pub sizes: Sizes<'ctx>,
}

impl<'ctx> Frame<'ctx> {
    /// Emits the start of the work-group function. `local_size` is the work-group size of all
    /// launches, if known. All arrays of the frame list the dimensions in `order`.
    pub fn open(
        module: &Module<'ctx>,
        builder: &Builder<'ctx>,
        kernel: Function<'ctx>,
        passing: &[Passing<'ctx>],
        local_size: Option<[u64; 3]>,
        order: [usize; 3],
        options: &Options,
    ) -> Self {
        let context = module.context();
        let function = declare(module, kernel, options);
        let params = function.params();
        let (launch, area) = (params[0], params[1]);
        let entry = context.append_block(function, "entry");
        let work = context.append_block(function, "work");
        let done = context.append_block(function, "done");
        debug_info::open(kernel, function, builder);
        builder.position_at_end(done);
        builder.ret_void();
        builder.position_at_end(entry);
        let scope = Scope { context, function, builder };
        let args = builder.load(context.ptr_type(0), launch, "args").as_value();
        let arguments = arguments::load(module, builder, passing, args);
        let load3 = |base, offset, name: &str| {
            let all = scope.load3(base, offset, name);
            order.map(|d| all[d])
        };
        let begin = load3(area, offset_of!(Box3, begin), "begin");
        let end = load3(area, offset_of!(Box3, end), "end");
        let sizes = Sizes {
            global_size: load3(launch, offset_of!(Launch, global_size), "global.size"),
            global_offset: load3(launch, offset_of!(Launch, global_offset), "global.offset"),
            local_size: match local_size {
                Some(size) => order.map(|d| context.const_int(64, size[d])),
                None => load3(launch, offset_of!(Launch, local_size), "local.size"),
            },
            num_groups: load3(launch, offset_of!(Launch, num_groups), "num.groups"),
        };
        let any = scope.all_below(begin, end);
        builder.cond_br(any, work, done);
        builder.position_at_end(work);
        Self { function, work, done, arguments, begin, end, sizes }
    }
}

/// A call of the kernel or of a copy of it, and the results of its queries.
struct Body<'ctx> {
    call: Instruction<'ctx>,
    position: Position<'ctx>,
}

/// The inputs from which the loops are built.
struct Code<'a, 'ctx> {
    module: &'a Module<'ctx>,
    scope: &'a Scope<'a, 'ctx>,
    kernel: Function<'ctx>,
    guards: Vec<Guard<'ctx>>,
    passing: &'a [Passing<'ctx>],
    arguments: &'a [Value<'ctx>],
    sizes: &'a Sizes<'ctx>,
    access_group: Metadata<'ctx>,
    /// The number of vectors that an iteration of the vectorised innermost loop computes, if the
    /// vectoriser should not decide.
    interleave: Option<u64>,
    merge: Merge,
}

impl<'ctx> Code<'_, 'ctx> {
    fn call(&self, kernel: Function<'ctx>, position: Position<'ctx>) -> Body<'ctx> {
        Body { call: self.scope.builder.call(kernel, self.arguments, ""), position }
    }

    /// Emits the loops over the work-items of a box.
    fn range(&self, begin: [Value<'ctx>; 3], end: [Value<'ctx>; 3]) -> Vec<Body<'ctx>> {
        let (scope, zero) = (self.scope, [self.scope.context.const_int(64, 0); 3]);
        let z = Loop::open(scope, begin[2], end[2], "item.z");
        let y = Loop::open(scope, begin[1], end[1], "item.y");
        let bodies = self.row(begin[0], end[0], self.sizes.global_offset[0], "item.x", &|x| {
            let index = [x, y.index, z.index];
            let offset = self.sizes.global_offset;
            let global_id = std::array::from_fn(|d| scope.add(index[d], offset[d], "global.id"));
            self.sizes.at(global_id, zero, index)
        });
        y.close(scope);
        z.close(scope);
        bodies
    }

    /// Emits the loops over the work-groups of a box.
    fn groups(&self, begin: [Value<'ctx>; 3], end: [Value<'ctx>; 3]) -> Vec<Body<'ctx>> {
        let scope = self.scope;
        let width = self.merge.width(scope, self.sizes.local_size, begin[0], end[0]);
        let z = Loop::open(scope, begin[2], end[2], "group.z");
        let y = Loop::open(scope, begin[1], end[1], "group.y");
        let x = Loop::open(scope, begin[0], end[0], "group.x");
        let group_id = [x.index, y.index, z.index];
        let first = std::array::from_fn(|d| {
            let index = scope.mul(group_id[d], self.sizes.local_size[d], "");
            scope.add(index, self.sizes.global_offset[d], "group.first")
        });
        let bodies = self.items(group_id, first, width);
        match width {
            Some(width) => x.close_in_steps(scope, width),
            None => x.close(scope),
        }
        y.close(scope);
        z.close(scope);
        bodies
    }

    /// Emits the loops over the work-items of one work-group, or of `width` groups of a row.
    /// `first` is the first global id.
    fn items(
        &self,
        group_id: [Value<'ctx>; 3],
        first: [Value<'ctx>; 3],
        width: Option<Value<'ctx>>,
    ) -> Vec<Body<'ctx>> {
        let (scope, mut size) = (self.scope, self.sizes.local_size);
        if let Some(width) = width {
            size[0] = scope.mul(size[0], width, "row");
        }
        let zero = scope.context.const_int(64, 0);
        let z = Loop::open(scope, zero, size[2], "local.z");
        let y = Loop::open(scope, zero, size[1], "local.y");
        let bodies = self.row(zero, size[0], first[0], "local.x", &|x| {
            let local_id = [x, y.index, z.index];
            let global_id = std::array::from_fn(|d| scope.add(first[d], local_id[d], "global.id"));
            self.sizes.at(global_id, local_id, group_id)
        });
        y.close(scope);
        z.close(scope);
        bodies
    }

    /// Emits the innermost loop over the indices `begin..end` in dimension 0. The global id is the
    /// index plus `base`. `at` returns the position of an index. If the kernel tests its index, the
    /// row is split as described in [`interior`]:
    ///
    /// ```text
    /// part:      start..stop = begin..first, the second time last..end
    ///            for x in start..stop:  kernel(arguments)
    ///            leave the row after the second time
    ///            for x in first..last:  interior kernel(arguments)
    ///            back to part
    /// ```
    fn row(
        &self,
        begin: Value<'ctx>,
        end: Value<'ctx>,
        base: Value<'ctx>,
        name: &str,
        at: &dyn Fn(Value<'ctx>) -> Position<'ctx>,
    ) -> Vec<Body<'ctx>> {
        let (scope, b, context) = (self.scope, self.scope.builder, self.scope.context);
        let plain = |begin, end| {
            let x = Loop::open(scope, begin, end, name);
            let body = self.call(self.kernel, at(x.index));
            x.close_innermost(scope, self.access_group, self.interleave);
            body
        };
        let special = if self.guards.is_empty() { None } else { self.interior_kernel() };
        let Some(special) = special else { return vec![plain(begin, end)] };

        let rows = RowCode {
            module: self.module,
            builder: b,
            kernel: self.kernel,
            passing: self.passing,
            arguments: self.arguments,
            position: &at(begin),
        };
        let (begin_id, end_id) = (scope.add(base, begin, ""), scope.add(base, end, ""));
        let (first, last) = rows.interior(&self.guards, begin_id, end_id);
        let (first, last) = (b.sub(first, base, "first"), b.sub(last, base, "last"));
        let block = |name: &str| context.append_block(scope.function, name);
        let (part, edge, after) = (block("part"), block("edge"), block("edge.done"));
        let (middle, inner, again, done) =
            (block("middle"), block("interior"), block("again"), block("row.done"));
        let from = b.br(part).block();

        b.position_at_end(part);
        let (i1, i64) = (context.int_type(1), context.int_type(64));
        let (start, stop, second) = (b.phi(i64, "start"), b.phi(i64, "stop"), b.phi(i1, "second"));
        let incoming =
            [(from, [begin, first, i1.const_int(0)]), (Some(again), [last, end, i1.const_int(1)])];
        for (block, values) in incoming {
            if let Some(block) = block {
                [start, stop, second]
                    .into_iter()
                    .zip(values)
                    .for_each(|(phi, v)| phi.add_incoming(v, block));
            }
        }
        let (start, stop) = (start.as_value(), stop.as_value());
        b.cond_br(b.icmp(IntPredicate::LLVMIntULT, start, stop, ""), edge, after);
        b.position_at_end(edge);
        let outer = plain(start, stop);
        b.br(after);
        b.position_at_end(after);
        b.cond_br(second.as_value(), done, middle);
        b.position_at_end(middle);
        b.cond_br(b.icmp(IntPredicate::LLVMIntULT, first, last, ""), inner, again);
        b.position_at_end(inner);
        let x = Loop::open(scope, first, last, &format!("{name}.interior"));
        let body = self.call(special, at(x.index));
        x.close_innermost(scope, self.access_group, self.interleave);
        b.br(again);
        b.position_at_end(again);
        // Unrolling would duplicate the loop for the edges.
        let once = context.md_node(&[context.md_string("llvm.loop.unroll.disable")]);
        b.br(part).set_metadata(
            context.metadata_kind("llvm.loop"),
            Some(context.md_self_reference(&[once])),
        );
        b.position_at_end(done);
        vec![outer, body]
    }

    /// Copies the kernel and replaces the tests of the index by their results in the interior.
    fn interior_kernel(&self) -> Option<Function<'ctx>> {
        let name = format!("{}.interior", self.kernel.name());
        let copy = self.module.add_function(&name, self.kernel.function_type());
        let mut map = ValueMap::new();
        for (old, new) in self.kernel.params().into_iter().zip(copy.params()) {
            map.insert(old, new);
        }
        if !map.clone_function(self.kernel, copy, CloneScope::SameModule) {
            copy.erase();
            return None;
        }
        // Cloning gave the accesses of the copy a different access group.
        parallel::mark(copy, self.access_group);
        for guard in &self.guards {
            if let Some(compare) =
                map.get(guard.compare.as_value()).and_then(|v| v.as_instruction())
            {
                compare.replace_all_uses_with(compare.ty().const_int(guard.answer as u64));
                compare.erase();
            }
        }
        Some(copy)
    }
}

/// Declares the work-group function, with the kernel's string attributes, such as the
/// floating-point settings.
fn declare<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    options: &Options,
) -> Function<'ctx> {
    let context = module.context();
    let pointer = context.ptr_type(0);
    let ty = context.void_type().function(&[pointer, pointer, pointer], false);
    let function = module.add_function(&format!("{CPU_ENTRY_PREFIX}{}", kernel.name()), ty);
    for attribute in kernel.attributes(Place::Function) {
        if matches!(attribute.kind(), AttributeKind::String(..)) {
            function.add_attribute(Place::Function, attribute);
        }
    }
    function.remove_string_attribute(Place::Function, scythe_abi::names::SHAPE_ATTRIBUTE);
    retarget::tune(function, options);
    let add = |place, name, value| {
        if let Some(attribute) = context.enum_attribute(name, value) {
            function.add_attribute(place, attribute);
        }
    };
    add(Place::Function, "nounwind", 0);
    for (index, size) in [(0, size_of::<Launch>()), (1, size_of::<Box3>())] {
        for (name, value) in
            [("noalias", 0), ("readonly", 0), ("dereferenceable", size as u64), ("align", 8)]
        {
            add(Place::Param(index), name, value);
        }
    }
    function
}

/// The function that code is built in, with the builder.
pub(super) struct Scope<'a, 'ctx> {
    pub context: ContextRef<'ctx>,
    pub function: Function<'ctx>,
    pub builder: &'a Builder<'ctx>,
}

impl<'ctx> Scope<'_, 'ctx> {
    /// Loads three 64-bit numbers at `offset` bytes from `base`.
    fn load3(&self, base: Value<'ctx>, offset: usize, name: &str) -> [Value<'ctx>; 3] {
        std::array::from_fn(|d| {
            let address = self.builder.byte_offset(self.context, base, (offset + 8 * d) as u64, "");
            self.builder.load(self.context.int_type(64), address, name).as_value()
        })
    }

    pub fn add(&self, a: Value<'ctx>, b: Value<'ctx>, name: &str) -> Value<'ctx> {
        let sum = self.builder.add(a, b, name);
        sum.promise_no_wrap();
        sum
    }

    pub fn mul(&self, a: Value<'ctx>, b: Value<'ctx>, name: &str) -> Value<'ctx> {
        let product = self.builder.mul(a, b, name);
        product.promise_no_wrap();
        product
    }

    fn all_below(&self, begin: [Value<'ctx>; 3], end: [Value<'ctx>; 3]) -> Value<'ctx> {
        let below = |d: usize| self.builder.icmp(IntPredicate::LLVMIntULT, begin[d], end[d], "");
        let first = self.builder.and(below(0), below(1), "");
        self.builder.and(first, below(2), "any")
    }
}

/// The sizes that all work-items of the launch share.
pub(super) struct Sizes<'ctx> {
    pub global_size: [Value<'ctx>; 3],
    pub global_offset: [Value<'ctx>; 3],
    pub local_size: [Value<'ctx>; 3],
    pub num_groups: [Value<'ctx>; 3],
}

impl<'ctx> Sizes<'ctx> {
    /// Returns the results of all queries of one work-item.
    pub fn at(
        &self,
        global_id: [Value<'ctx>; 3],
        local_id: [Value<'ctx>; 3],
        group_id: [Value<'ctx>; 3],
    ) -> Position<'ctx> {
        Position {
            global_id,
            global_size: self.global_size,
            global_offset: self.global_offset,
            local_id,
            local_size: self.local_size,
            group_id,
            num_groups: self.num_groups,
        }
    }
}

/// A loop over `begin..end`, which is not empty. While the loop is open, the builder is positioned
/// in its body.
pub(super) struct Loop<'ctx> {
    pub index: Value<'ctx>,
    header: BasicBlock<'ctx>,
    phi: Instruction<'ctx>,
    end: Value<'ctx>,
}

impl<'ctx> Loop<'ctx> {
    pub fn open(scope: &Scope<'_, 'ctx>, begin: Value<'ctx>, end: Value<'ctx>, name: &str) -> Self {
        let header = scope.context.append_block(scope.function, name);
        let from = scope.builder.br(header).block();
        scope.builder.position_at_end(header);
        let phi = scope.builder.phi(scope.context.int_type(64), &format!("{name}.id"));
        if let Some(from) = from {
            phi.add_incoming(begin, from);
        }
        Self { index: phi.as_value(), header, phi, end }
    }

    /// Ends the loop and positions the builder behind it.
    pub fn close(self, scope: &Scope<'_, 'ctx>) {
        self.close_with(scope, scope.context.const_int(64, 1), &[]);
    }

    /// Does the same for a loop that counts up by `step`.
    pub fn close_in_steps(self, scope: &Scope<'_, 'ctx>, step: Value<'ctx>) {
        self.close_with(scope, step, &[]);
    }

    /// Does the same for a loop over the work-items of a row. The loop is marked as parallel for
    /// the access group. `interleave` asks the vectoriser for this number of vectors per iteration.
    fn close_innermost(
        self,
        scope: &Scope<'_, 'ctx>,
        access_group: Metadata<'ctx>,
        interleave: Option<u64>,
    ) {
        let context = scope.context;
        let named = |name: &str, value| context.md_node(&[context.md_string(name), value]);
        let mut properties = vec![named("llvm.loop.parallel_accesses", access_group)];
        properties
            .extend(interleave.map(|n| named("llvm.loop.interleave.count", context.md_int(32, n))));
        self.close_with(scope, context.const_int(64, 1), &properties);
    }

    fn close_with(self, scope: &Scope<'_, 'ctx>, step: Value<'ctx>, properties: &[Metadata<'ctx>]) {
        let context = scope.context;
        let next = scope.add(self.index, step, "next");
        let more = scope.builder.icmp(IntPredicate::LLVMIntULT, next, self.end, "more");
        let exit = context.append_block(scope.function, "next");
        let branch = scope.builder.cond_br(more, self.header, exit);
        if let Some(latch) = branch.block() {
            self.phi.add_incoming(next, latch);
        }
        let mut all = vec![context.md_node(&[context.md_string("llvm.loop.mustprogress")])];
        all.extend(properties);
        branch.set_metadata(
            context.metadata_kind("llvm.loop"),
            Some(context.md_self_reference(&all)),
        );
        scope.builder.position_at_end(exit);
    }
}
