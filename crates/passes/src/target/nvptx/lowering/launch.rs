//! Resolves work-item queries from the launch block, which every kernel gets by value as its last
//! parameter ([`crate::target::nvptx::arguments`]), and from the special registers.
//!
//! Guarantees: after [`return_outside_range`] a range kernel does nothing for work-items beyond the
//! range; after [`answer_queries`] the kernel contains no queries.

use crate::target::common::queries::{self, Query};
use crate::target::common::{callers, required_sizes};
use crate::target::nvptx::NvptxError;
use scythe_abi::cuda::Launch;
use scythe_llvm::{Builder, Function, IntPredicate, Module, Value};
use std::mem::offset_of;

/// The names of the dimensions in special registers.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The function that returns [`Launch::meeting`], for the device library.
const MEETING: &str = "__scythe_meeting";

/// Returns whether the function with this name reads the launch block.
pub fn reads_launch(name: &str) -> bool {
    name == MEETING || queries::parse(name).is_some_and(|query| query.takes_dimension())
}

/// Makes work-items beyond the end of dimension 0 return at once.
pub fn return_outside_range<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let context = module.context();
    let Some(body) = kernel.entry_block() else { return };
    let entry = context.insert_block(body, "check");
    let beyond = context.append_block(kernel, "beyond");
    // Allocations must stay in the entry block.
    let builder = context.create_builder();
    builder.position_at_end(entry);
    let position = Position { module, builder: &builder, launch: launch_of(kernel) };
    let (id, end) = (position.global_id(0), position.word(offset_of!(Launch, end), 0));
    let inside = builder.icmp(IntPredicate::LLVMIntULT, id, end, "");
    let branch = builder.cond_br(inside, body, beyond);
    for alloca in body.instructions().filter(|i| i.is_static_alloca()).collect::<Vec<_>>() {
        alloca.move_before(branch);
    }
    builder.position_at_end(beyond);
    builder.ret_void();
}

fn launch_of<'ctx>(kernel: Function<'ctx>) -> Value<'ctx> {
    let params = kernel.params();
    params[params.len() - 1]
}

/// Replaces the queries of `kernel` by their results.
pub fn answer_queries<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let builder = module.context().create_builder();
    let calls: Vec<_> = kernel.instructions().filter(|i| i.is_call()).collect();
    for call in calls {
        let Some(symbol) = call.called_function().map(|f| f.name()) else { continue };
        let position = Position { module, builder: &builder, launch: launch_of(kernel) };
        if symbol == MEETING {
            builder.position_before(call);
            call.replace_all_uses_with(position.word(offset_of!(Launch, meeting), 0));
            call.erase();
            continue;
        }
        let Some(query) = queries::parse(&symbol).filter(|q| q.takes_dimension()) else {
            continue;
        };
        let Some(dimension) = call.args().first().copied() else { continue };
        builder.position_before(call);
        let beyond = call.ty().const_int(query.value_beyond_dimensions());
        let answer = match dimension.const_int_value() {
            Some(d) => usize::try_from(d)
                .ok()
                .filter(|d| *d < 3)
                .map_or(beyond, |d| position.answer(query, d)),
            None => (0..3).fold(beyond, |chosen, d| {
                let this = builder.icmp(
                    IntPredicate::LLVMIntEQ,
                    dimension,
                    dimension.ty().const_int(d as u64),
                    "",
                );
                builder.select(this, position.answer(query, d), chosen, "")
            }),
        };
        call.replace_all_uses_with(answer);
        call.erase();
    }
    if let Some(size) = required_sizes::work_group(kernel) {
        answer_size(kernel, size);
    }
}

/// Replaces a required work-group size by a constant, including in code of the device library.
fn answer_size(kernel: Function<'_>, size: [u64; 3]) {
    let calls: Vec<_> = kernel.instructions().filter(|i| i.is_call()).collect();
    for call in calls {
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        let axis = name.strip_prefix("llvm.nvvm.read.ptx.sreg.ntid.");
        if let Some(d) = axis.and_then(|axis| AXES.iter().position(|known| *known == axis)) {
            call.replace_all_uses_with(call.ty().const_int(size[d]));
            call.erase();
        }
    }
}

/// Fails if a query is left, because its function was not inlined into a kernel.
pub fn check_none_left(module: &Module<'_>) -> Result<(), NvptxError> {
    for function in module.functions().filter(|f| f.is_declaration()) {
        let name = function.name();
        if !reads_launch(&name) {
            continue;
        }
        if let Some(user) = function.users().first() {
            let place = user.as_instruction().and_then(|i| i.function());
            let function = place.map_or_else(|| "a constant".to_owned(), |f| f.name());
            return Err(NvptxError::QueryOutsideKernel { query: name, function });
        }
    }
    Ok(())
}

/// Returns the functions that query the launch, and their direct and indirect callers. They must be
/// inlined into their kernels.
pub fn users<'ctx>(module: &Module<'ctx>) -> Vec<Function<'ctx>> {
    let asked = |f: &Function<'ctx>| f.is_declaration() && reads_launch(&f.name());
    callers::of(module.functions().filter(asked))
}

/// The sources of query results, and the builder that computes them.
struct Position<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: &'a Builder<'ctx>,
    launch: Value<'ctx>,
}

impl<'ctx> Position<'_, 'ctx> {
    /// Returns the result of a query as a 64-bit number.
    fn answer(&self, query: Query, d: usize) -> Value<'ctx> {
        match query {
            Query::GlobalInvocationId => self.global_id(d),
            Query::GlobalSize => self.word(offset_of!(Launch, global_size), d),
            Query::GlobalOffset => self.word(offset_of!(Launch, global_offset), d),
            Query::LocalInvocationId => self.wide(self.register("tid", d)),
            Query::WorkgroupSize => self.wide(self.register("ntid", d)),
            Query::WorkgroupId => {
                let first = self.half(offset_of!(Launch, first_group), d);
                self.wide(self.builder.add(self.register("ctaid", d), first, ""))
            }
            _ => self.wide(self.half(offset_of!(Launch, num_groups), d)),
        }
    }

    /// Computes the global id. The product of block number and block size has up to 42 bits, so it
    /// is one multiplication of 32-bit numbers with a 64-bit result. The terms that are the same
    /// for the whole block come first, so that they are computed once for a warp.
    fn global_id(&self, d: usize) -> Value<'ctx> {
        let [group, size, item] =
            ["ctaid", "ntid", "tid"].map(|name| self.wide(self.register(name, d)));
        let before = self.builder.mul(group, size, "");
        let of_block = self.builder.add(before, self.word(offset_of!(Launch, start), d), "");
        self.builder.add(of_block, item, "global.id")
    }

    /// Reads a special register, such as `llvm.nvvm.read.ptx.sreg.tid.x`.
    fn register(&self, name: &str, d: usize) -> Value<'ctx> {
        let i32 = self.module.context().int_type(32);
        let intrinsic = format!("llvm.nvvm.read.ptx.sreg.{name}.{}", AXES[d]);
        let function = self.module.intrinsic(&intrinsic, &[]);
        let function = function.unwrap_or_else(|| {
            self.module.get_or_add_function(&intrinsic, i32.function(&[], false))
        });
        self.builder.call(function, &[], "").as_value()
    }

    fn wide(&self, value: Value<'ctx>) -> Value<'ctx> {
        self.builder.zext(value, self.module.context().int_type(64), "")
    }

    /// Loads element `d` of the 64-bit numbers at `offset` of the launch block.
    fn word(&self, offset: usize, d: usize) -> Value<'ctx> {
        self.field(64, offset + 8 * d)
    }

    /// Loads element `d` of the 32-bit numbers at `offset` of the launch block.
    fn half(&self, offset: usize, d: usize) -> Value<'ctx> {
        self.field(32, offset + 4 * d)
    }

    fn field(&self, bits: u32, offset: usize) -> Value<'ctx> {
        let context = self.module.context();
        let address = self.builder.byte_offset(context, self.launch, offset as u64, "");
        let load = self.builder.load(context.int_type(bits), address, "");
        load.set_align(bits / 8);
        // No code writes the block during the launch, so all reads of a field can be merged.
        load.set_metadata(context.metadata_kind("invariant.load"), Some(context.md_node(&[])));
        load.as_value()
    }
}
