//! Resolves address space queries in kernels by comparing addresses at run time.
//!
//! A work-group runs inside one call of its work-group function. The memory of the work-group is in
//! these regions:
//!
//! | region | contents |
//! |---|---|
//! | the frame of the function | private variables, and local variables in one block |
//! | contexts | private variables that live across a barrier and are too large for the stack |
//! | the local memory of the launch | local accessors |
//!
//! All other memory is global, including the rest of the program's stack: the thread that runs a
//! kernel may be the thread that waits for it. Therefore the bounds of the frame are compared, not
//! those of the stack.
//!
//! Kernels are widened and split at barriers before their work-group function exists. Until then,
//! calls represent the bounds of the regions ([`ask`]), which are the same for all work-items.
//! [`Regions::answer`] replaces the calls. Kernels without address space queries have no overhead.

use crate::target::common::address_spaces::{self, Space};
use scythe_abi::cpu::Launch;
use scythe_llvm::{Builder, Function, IntPredicate, Module, Opcode, Place, Value};
use std::mem::offset_of;

/// The bytes below the stack pointer that a function may use without moving the stack pointer.
const RED_ZONE: u64 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Frame,
    Variables,
    Contexts,
    Accessors,
}

impl Region {
    const ALL: [Self; 4] = [Self::Frame, Self::Variables, Self::Contexts, Self::Accessors];

    /// Returns the names of the functions that represent the region's first address and its size in
    /// bytes.
    fn bounds(self) -> [&'static str; 2] {
        match self {
            Self::Frame => ["__scythe_bound.frame.first", "__scythe_bound.frame.bytes"],
            Self::Variables => ["__scythe_bound.variables.first", "__scythe_bound.variables.bytes"],
            Self::Contexts => ["__scythe_bound.contexts.first", "__scythe_bound.contexts.bytes"],
            Self::Accessors => ["__scythe_bound.accessors.first", "__scythe_bound.accessors.bytes"],
        }
    }
}

/// Resolves all address space queries of a kernel ([`address_spaces`]). If the code does not show
/// the result, compares the address with the bounds of the regions.
pub fn resolve_queries<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    address_spaces::resolve(module, kernel, &mut |builder, space, pointer| {
        let context = module.context();
        let address = builder.cast(Opcode::LLVMPtrToInt, pointer, context.int_type(64), "address");
        let within = |region: Region| {
            let [first, bytes] =
                region.bounds().map(|name| builder.call(bound(module, name), &[], "").as_value());
            let offset = builder.sub(address, first, "");
            builder.icmp(IntPredicate::LLVMIntULT, offset, bytes, "")
        };
        let not = |v: Value<'ctx>| builder.xor(v, context.const_int(1, 1), "");
        match space {
            Space::Local => {
                builder.or(within(Region::Variables), within(Region::Accessors), "is.local")
            }
            Space::Private => {
                let in_frame =
                    builder.and(within(Region::Frame), not(within(Region::Variables)), "");
                builder.or(in_frame, within(Region::Contexts), "is.private")
            }
            Space::Global => {
                let own = builder.or(within(Region::Frame), within(Region::Contexts), "");
                not(builder.or(own, within(Region::Accessors), ""))
            }
        }
    });
}

/// Declares the function that represents a bound. The bound is one number for the whole work-group,
/// and the call has no side effects.
fn bound<'ctx>(module: &Module<'ctx>, name: &str) -> Function<'ctx> {
    let context = module.context();
    let function = module.get_or_add_function(name, context.int_type(64).function(&[], false));
    // `memory` with the value 0 is `memory(none)`.
    for name in ["memory", "nounwind", "willreturn", "speculatable", "nosync", "nofree"] {
        if let Some(attribute) = context.enum_attribute(name, 0) {
            function.add_attribute(Place::Function, attribute);
        }
    }
    function
}

/// Whether the function uses bounds.
pub fn uses_bounds(function: Function<'_>) -> bool {
    let is_bound = |name: &str| Region::ALL.iter().any(|region| region.bounds().contains(&name));
    function.instructions().filter_map(|i| i.called_function()).any(|f| is_bound(&f.name()))
}

/// The first address and the size in bytes.
pub type Bounds<'ctx> = [Value<'ctx>; 2];

/// The regions of a work-group function.
pub struct Regions<'ctx> {
    frame: Bounds<'ctx>,
    contexts: Option<Bounds<'ctx>>,
    accessors: Bounds<'ctx>,
}

impl<'ctx> Regions<'ctx> {
    /// Computes the regions of `function` at the builder's position. The position must be behind
    /// all allocations of variable size and ahead of all uses of bounds. `contexts` is the address
    /// and size of the contexts.
    pub fn find(
        module: &Module<'ctx>,
        builder: &Builder<'ctx>,
        function: Function<'ctx>,
        contexts: Option<Bounds<'ctx>>,
    ) -> Self {
        let context = module.context();
        let (pointer, i64) = (context.ptr_type(0), context.int_type(64));
        let number = |v: Value<'ctx>| builder.cast(Opcode::LLVMPtrToInt, v, i64, "");
        let asked = |name: &str| {
            let intrinsic = module.intrinsic(name, &[pointer]).expect("LLVM knows its intrinsics");
            number(builder.call(intrinsic, &[], "").as_value())
        };
        let first = builder.sub(asked("llvm.stacksave"), i64.const_int(RED_ZONE), "frame.first");
        // The frame ends at the start of the caller's frame: above the return address.
        let bytes = builder.sub(asked("llvm.addressofreturnaddress"), first, "frame.bytes");
        let params = function.params();
        let held =
            builder.byte_offset(context, params[0], offset_of!(Launch, local_bytes) as u64, "");
        let local_bytes = builder.load(context.int_type(32), held, "local.bytes").as_value();
        let local_bytes = builder.cast(Opcode::LLVMZExt, local_bytes, i64, "");
        Self {
            frame: [first, bytes],
            contexts: contexts.map(|[address, bytes]| [number(address), bytes]),
            accessors: [number(params[2]), local_bytes],
        }
    }

    /// Replaces all bounds in `function`. `variables` are the bounds of its local variables.
    pub fn answer(
        &self,
        module: &Module<'ctx>,
        function: Function<'ctx>,
        variables: Option<Bounds<'ctx>>,
    ) {
        let none = [module.context().const_int(64, 0); 2];
        for region in Region::ALL {
            let bounds = match region {
                Region::Frame => self.frame,
                Region::Variables => variables.unwrap_or(none),
                Region::Contexts => self.contexts.unwrap_or(none),
                Region::Accessors => self.accessors,
            };
            for (name, value) in region.bounds().into_iter().zip(bounds) {
                let Some(bound) = module.function(name) else { continue };
                let calls = bound.users().into_iter().filter_map(|user| user.as_instruction());
                for call in calls.filter(|call| call.function() == Some(function)) {
                    call.replace_all_uses_with(value);
                    call.erase();
                }
            }
        }
    }
}
