//! Makes the work-group function of a kernel: `__scythe_cpu.<kernel>`, of type [`scythe_abi::cpu::KernelFn`].
//!
//! ```text
//! entry:   read the box, sizes and arguments; return when the box is empty
//! range:       for z, y, x in box:              kernel(arguments)
//! nd_range:    for group z, y, x in box:
//!                  for local z, y, x in group:  kernel(arguments)
//! ```
//!
//! The loops over groups and over the items of one group are made by separate functions, so that code which splits a kernel at
//! its barriers can put several nests of item loops into one group.
//!
//! Every loop runs at least once, tests at its end, and counts up by one without overflow: sizes are below 2^63. The
//! innermost is marked as parallel in the accesses that [`super::parallel`] found so.

use super::arguments::{self, Passing};
use super::error::CpuError;
use super::query::{self, Position};
use super::{Options, parallel, retarget, uniform_memory};
use scythe_abi::cpu::{Box3, Launch};
use scythe_abi::launch::Shape;
use scythe_abi::names::CPU_ENTRY_PREFIX;
use scythe_llvm::{
    AttributeKind, BasicBlock, Builder, ContextRef, Function, Instruction, IntPredicate, Metadata, Module, Place, Value,
};
use std::mem::{offset_of, size_of};

/// Wraps `kernel` in its work-group function. The kernel itself is inlined there, and left without uses.
pub fn make<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    passing: &[Passing<'ctx>],
    shape: Shape,
    options: &Options,
) -> Result<Function<'ctx>, CpuError> {
    let context = module.context();
    let group = context.md_distinct(&[]);
    parallel::mark(kernel, group);
    let function = declare(module, kernel, options);
    let params = function.params();
    let (launch, area, local_memory) = (params[0], params[1], params[2]);

    let builder = context.create_builder();
    let entry = context.append_block(function, "entry");
    let work = context.append_block(function, "work");
    let done = context.append_block(function, "done");
    builder.position_at_end(done);
    builder.ret_void();
    builder.position_at_end(entry);
    let scope = Scope { context, function, builder: &builder };
    let args = builder.load(context.ptr_type(0), launch, "args").as_value();
    let arguments = arguments::load(module, &builder, passing, args, local_memory);
    let begin = scope.load3(area, offset_of!(Box3, begin), "begin");
    let end = scope.load3(area, offset_of!(Box3, end), "end");
    let sizes = Sizes {
        global_size: scope.load3(launch, offset_of!(Launch, global_size), "global.size"),
        global_offset: scope.load3(launch, offset_of!(Launch, global_offset), "global.offset"),
        local_size: scope.load3(launch, offset_of!(Launch, local_size), "local.size"),
        num_groups: scope.load3(launch, offset_of!(Launch, num_groups), "num.groups"),
    };
    let any = scope.all_below(begin, end);
    builder.cond_br(any, work, done);
    builder.position_at_end(work);

    let (position, call) = match shape {
        Shape::SingleTask => {
            let zero = [context.const_int(64, 0); 3];
            (sizes.at(zero, zero, zero), builder.call(kernel, &arguments, ""))
        }
        Shape::Range => {
            let nest = Nest::open(&scope, begin, end, "item");
            let zero = [context.const_int(64, 0); 3];
            let global_id = std::array::from_fn(|d| scope.add(nest.index[d], sizes.global_offset[d], "global.id"));
            let call = builder.call(kernel, &arguments, "");
            nest.close(&scope, Some(group));
            (sizes.at(global_id, zero, nest.index), call)
        }
        Shape::NdRange => {
            let groups = Nest::open(&scope, begin, end, "group");
            let first = std::array::from_fn(|d| {
                let index = scope.mul(groups.index[d], sizes.local_size[d], "");
                scope.add(index, sizes.global_offset[d], "group.first")
            });
            let (position, call) = items(&scope, kernel, &arguments, &sizes, groups.index, first, group);
            groups.close(&scope, None);
            (position, call)
        }
    };
    builder.br(done);

    let body = call.block();
    call.inline_call()?;
    query::replace(&builder, function, &position);
    if let (Some(body), Some(before)) = (body.filter(|b| *b != work), work.terminator()) {
        uniform_memory::hoist(function, body, before, group);
    }
    Ok(function)
}

/// The loops over the items of one work-group, and the kernel's call in them. `first` is the group's first global id.
fn items<'ctx>(
    scope: &Scope<'_, 'ctx>,
    kernel: Function<'ctx>,
    arguments: &[Value<'ctx>],
    sizes: &Sizes<'ctx>,
    group_id: [Value<'ctx>; 3],
    first: [Value<'ctx>; 3],
    access_group: Metadata<'ctx>,
) -> (Position<'ctx>, Instruction<'ctx>) {
    let zero = [scope.context.const_int(64, 0); 3];
    let nest = Nest::open(scope, zero, sizes.local_size, "local");
    let global_id = std::array::from_fn(|d| scope.add(first[d], nest.index[d], "global.id"));
    let call = scope.builder.call(kernel, arguments, "");
    nest.close(scope, Some(access_group));
    (sizes.at(global_id, nest.index, group_id), call)
}

/// Declares the work-group function, with the kernel's floating-point settings and the like.
fn declare<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>, options: &Options) -> Function<'ctx> {
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
        for (name, value) in [("noalias", 0), ("readonly", 0), ("dereferenceable", size as u64), ("align", 8)] {
            add(Place::Param(index), name, value);
        }
    }
    function
}

/// Where code is being built.
struct Scope<'a, 'ctx> {
    context: ContextRef<'ctx>,
    function: Function<'ctx>,
    builder: &'a Builder<'ctx>,
}

impl<'ctx> Scope<'_, 'ctx> {
    /// Three 64-bit numbers at `offset` bytes from `base`.
    fn load3(&self, base: Value<'ctx>, offset: usize, name: &str) -> [Value<'ctx>; 3] {
        std::array::from_fn(|d| {
            let address = self.builder.byte_offset(self.context, base, (offset + 8 * d) as u64, "");
            self.builder.load(self.context.int_type(64), address, name).as_value()
        })
    }

    fn add(&self, a: Value<'ctx>, b: Value<'ctx>, name: &str) -> Value<'ctx> {
        let sum = self.builder.add(a, b, name);
        sum.promise_no_wrap();
        sum
    }

    fn mul(&self, a: Value<'ctx>, b: Value<'ctx>, name: &str) -> Value<'ctx> {
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

/// What the whole launch shares.
struct Sizes<'ctx> {
    global_size: [Value<'ctx>; 3],
    global_offset: [Value<'ctx>; 3],
    local_size: [Value<'ctx>; 3],
    num_groups: [Value<'ctx>; 3],
}

impl<'ctx> Sizes<'ctx> {
    /// The answers to all queries of one work-item.
    fn at(
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

/// Three loops, one inside the other, over a box that is not empty. While it is open, the builder stands in the body.
struct Nest<'ctx> {
    /// The loops' counters, fastest (innermost) first.
    index: [Value<'ctx>; 3],
    headers: [BasicBlock<'ctx>; 3],
    phis: [Instruction<'ctx>; 3],
    end: [Value<'ctx>; 3],
}

impl<'ctx> Nest<'ctx> {
    fn open(scope: &Scope<'_, 'ctx>, begin: [Value<'ctx>; 3], end: [Value<'ctx>; 3], name: &str) -> Self {
        let open = |d: usize| {
            let axis = ["x", "y", "z"][d];
            let header = scope.context.append_block(scope.function, &format!("{name}.{axis}"));
            let from = scope.builder.br(header).block();
            scope.builder.position_at_end(header);
            let phi = scope.builder.phi(scope.context.int_type(64), &format!("{name}.id.{axis}"));
            if let Some(from) = from {
                phi.add_incoming(begin[d], from);
            }
            (header, phi)
        };
        let (z, y, x) = (open(2), open(1), open(0));
        let phis = [x.1, y.1, z.1];
        Self { index: phis.map(|p| p.as_value()), headers: [x.0, y.0, z.0], phis, end }
    }

    /// Ends the loops; the builder then stands behind them. The innermost one is parallel in `access_group`.
    fn close(&self, scope: &Scope<'_, 'ctx>, access_group: Option<Metadata<'ctx>>) {
        let context = scope.context;
        for d in 0..3 {
            let next = scope.add(self.index[d], context.const_int(64, 1), "next");
            let more = scope.builder.icmp(IntPredicate::LLVMIntULT, next, self.end[d], "more");
            let exit = context.append_block(scope.function, "next");
            let branch = scope.builder.cond_br(more, self.headers[d], exit);
            if let Some(latch) = branch.block() {
                self.phis[d].add_incoming(next, latch);
            }
            let mut properties = vec![context.md_node(&[context.md_string("llvm.loop.mustprogress")])];
            if let Some(group) = access_group.filter(|_| d == 0) {
                properties.push(context.md_node(&[context.md_string("llvm.loop.parallel_accesses"), group]));
            }
            branch.set_metadata(context.metadata_kind("llvm.loop"), Some(context.md_self_reference(&properties)));
            scope.builder.position_at_end(exit);
        }
    }
}
