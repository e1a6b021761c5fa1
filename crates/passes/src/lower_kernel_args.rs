//! Replaces a kernel's single by-value functor parameter by flat parameters, one per launch row.
//!
//! ```text
//! spir_kernel void @k(ptr byval(%functor) align 8 %f)
//!   becomes
//! spir_kernel void @k(ptr addrspace(1) noundef %arg.0, float noundef %arg.1,
//!                     ptr noundef byval([24 x i8]) align 8 %arg.2)
//! ```
//!
//! The kernel rebuilds the functor from its parameters in an alloca, which SROA removes. Bytes that
//! no row covers (padding, and fields of accessors that only the host uses) are undefined in the
//! alloca. Afterwards
//! * each parameter can have attributes, and address-space inference sees global and local
//!   pointers;
//! * the kernel keeps its name, linkage, comdat, calling convention, attributes and debug
//!   information;
//! * a second run changes nothing: the pass skips a kernel whose parameters already match its
//!   launch rows.
//!
//! The pass does not trust the rows. A row that does not fit its kernel is an error and leaves the
//! kernel unchanged.

use crate::{Error, Pass, launch_metadata};
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Passing, Scalar};
use scythe_abi::names::SHAPE_ATTRIBUTE;
use scythe_llvm::{Function, Module, Place, Type, Value};
use std::collections::HashMap;

/// The reason why a kernel does not fit its launch row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    #[error("the launch metadata has no row for the kernel")]
    NoRow,
    #[error("the kernel has type '{found}', expected one functor passed byval and no result")]
    NoFunctor { found: String },
    #[error("the functor has {size} bytes, but the launch metadata specifies {row}")]
    FunctorSize { size: u64, row: u64 },
    #[error("device code calls the kernel")]
    Called,
    #[error("parameter {index} has kind {kind:?} and cannot be passed as {passing}")]
    Kind { index: usize, kind: ParamKind, passing: Passing },
    #[error("parameter {index} has {size} bytes and cannot be passed as {passing}")]
    Size { index: usize, size: u64, passing: Passing },
    #[error(
        "parameter {index} has {size} bytes at offset {offset}, outside the functor of \
         {functor_size} bytes"
    )]
    Outside { index: usize, size: u64, offset: u64, functor_size: u64 },
    #[error("parameters {first} and {second} overlap at offset {offset} of the functor")]
    Overlap { first: usize, second: usize, offset: u64 },
}

/// The pass `lower-kernel-args`. See the module documentation.
pub struct LowerKernelArgs;

impl Pass for LowerKernelArgs {
    fn name(&self) -> &'static str {
        "lower-kernel-args"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let rows: HashMap<_, _> = launch_metadata::read(module)?.into_iter().collect();
        let mut changed = false;
        for kernel in module.kernels() {
            let fail = |fault: ArgumentError| Error::Kernel {
                pass: self.name(),
                kernel: kernel.name(),
                fault: fault.into(),
            };
            let launch = rows.get(&kernel.name());
            match launch {
                Some(launch) if !is_lowered(module, kernel, launch) => {
                    let plan = Plan::new(module, kernel, launch).map_err(fail)?;
                    plan.apply(module, kernel);
                    changed = true;
                }
                // The front end sets this attribute on each of its kernels.
                None if kernel.string_attribute(Place::Function, SHAPE_ATTRIBUTE).is_some() => {
                    return Err(fail(ArgumentError::NoRow));
                }
                // The kernel is already lowered, or does not come from the front end.
                Some(_) | None => {}
            }
        }
        Ok(changed)
    }
}

/// The facts that the pass collects and checks before it changes a kernel.
struct Plan<'ctx> {
    functor: Type<'ctx>,
    functor_align: u32,
    /// The functor's address: the parameter of the old kernel.
    old_param: Value<'ctx>,
    params: Vec<Param>,
}

impl<'ctx> Plan<'ctx> {
    fn new(
        module: &Module<'ctx>,
        kernel: Function<'ctx>,
        launch: &KernelLaunch,
    ) -> Result<Self, ArgumentError> {
        let (functor, functor_align, old_param) = functor_of(module, kernel)?;
        let size = functor.alloc_size(module).unwrap_or(0);
        if size != launch.functor_size {
            return Err(ArgumentError::FunctorSize { size, row: launch.functor_size });
        }
        let is_call = |user: Value<'ctx>| {
            user.as_instruction().is_some_and(|i| i.called_function() == Some(kernel))
        };
        if kernel.users().into_iter().any(is_call) {
            return Err(ArgumentError::Called);
        }
        for (index, &Param { kind, size, passing, .. }) in launch.params.iter().enumerate() {
            if !passing.fits(kind) {
                return Err(ArgumentError::Kind { index, kind, passing });
            }
            let expected = size_of(module, passing).unwrap_or(size);
            if size != expected || size == 0 {
                return Err(ArgumentError::Size { index, size, passing });
            }
        }
        check_places(&launch.params, launch.functor_size)?;
        Ok(Self { functor, functor_align, old_param, params: launch.params.clone() })
    }

    /// Replaces `kernel` by a kernel with flat parameters.
    fn apply(&self, module: &Module<'ctx>, kernel: Function<'ctx>) {
        let context = module.context();
        let types: Vec<_> =
            self.params.iter().map(|param| self.param_type(module, param)).collect();
        let lowered = module.add_function("", context.void_type().function(&types, false));
        lowered.copy_attributes_from(kernel);
        lowered.set_linkage(kernel.linkage());
        lowered.copy_comdat_from(kernel);
        for (index, param) in self.params.iter().enumerate() {
            let place = Place::Param(index as u32);
            let mut attributes = vec![context.enum_attribute("noundef", 0)];
            if let Passing::Bytes { align_log2 } = param.passing {
                let bytes = context.int_type(8).array(param.size);
                attributes.push(context.type_attribute("byval", bytes));
                attributes.push(context.enum_attribute("align", 1 << align_log2));
            }
            attributes.into_iter().flatten().for_each(|a| lowered.add_attribute(place, a));
        }
        lowered.take_body(kernel);
        self.rebuild_functor(module, lowered);
        let name = kernel.name();
        kernel.as_value().replace_all_uses_with(lowered.as_value());
        kernel.erase();
        lowered.set_name(&name);
    }

    fn param_type(&self, module: &Module<'ctx>, param: &Param) -> Type<'ctx> {
        match param.passing {
            Passing::Pointer => module.context().ptr_type(param.kind.address_space().unwrap_or(0)),
            Passing::Scalar(scalar) => scalar_type(module, scalar),
            Passing::Bytes { .. } => self.old_param.ty(),
        }
    }

    /// Fills an alloca in the entry block of `lowered` from the parameters, and replaces the uses
    /// of the old parameter by the alloca.
    fn rebuild_functor(&self, module: &Module<'ctx>, lowered: Function<'ctx>) {
        let Some(entry) = lowered.entry_block() else { return };
        let context = module.context();
        let builder = context.create_builder();
        builder.position_at_start(entry);
        let functor = builder.alloca(self.functor, "functor");
        functor.set_align(self.functor_align);
        for (index, (param, value)) in self.params.iter().zip(lowered.params()).enumerate() {
            value.set_name(&format!("arg.{index}"));
            let place = builder.byte_offset(context, functor.as_value(), param.offset, "");
            let align = align_at(self.functor_align, param.offset);
            match param.passing {
                Passing::Pointer => {
                    let generic = builder.addr_space_cast(value, generic_pointer(module), "");
                    builder.store(generic, place).set_align(align);
                }
                Passing::Scalar(_) => builder.store(value, place).set_align(align),
                Passing::Bytes { align_log2 } => {
                    builder.memcpy(
                        place,
                        align,
                        value,
                        1 << align_log2,
                        context.const_int(64, param.size),
                    );
                }
            }
        }
        let mut address = functor.as_value();
        if address.ty() != self.old_param.ty() {
            address = builder.addr_space_cast(address, self.old_param.ty(), "");
        }
        self.old_param.replace_all_uses_with(address);
    }
}

/// Returns the functor's type, its alignment, and the parameter that holds its address.
fn functor_of<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
) -> Result<(Type<'ctx>, u32, Value<'ctx>), ArgumentError> {
    let params = kernel.params();
    let byval = kernel.enum_attribute(Place::Param(0), "byval").and_then(|a| a.type_value());
    match (params.as_slice(), byval) {
        ([param], Some(functor)) if kernel.return_type().is_void() => {
            let written =
                kernel.enum_attribute(Place::Param(0), "align").and_then(|a| a.int_value());
            let align =
                written.and_then(|a| u32::try_from(a).ok()).or_else(|| functor.abi_align(module));
            Ok((functor, align.unwrap_or(1), *param))
        }
        _ => Err(ArgumentError::NoFunctor { found: kernel.function_type().to_string() }),
    }
}

/// Checks that the rows lie inside the functor and do not overlap.
fn check_places(params: &[Param], functor_size: u64) -> Result<(), ArgumentError> {
    let mut order: Vec<(u64, u64, usize)> = Vec::with_capacity(params.len());
    for (index, p) in params.iter().enumerate() {
        match p.offset.checked_add(p.size) {
            Some(end) if end <= functor_size => order.push((p.offset, end, index)),
            _ => {
                return Err(ArgumentError::Outside {
                    index,
                    size: p.size,
                    offset: p.offset,
                    functor_size,
                });
            }
        }
    }
    order.sort_unstable();
    for pair in order.windows(2) {
        let ((_, end, a), (start, _, b)) = (pair[0], pair[1]);
        if start < end {
            return Err(ArgumentError::Overlap {
                first: a.min(b),
                second: a.max(b),
                offset: start,
            });
        }
    }
    Ok(())
}

/// Returns whether the kernel's parameters already match its rows.
fn is_lowered(module: &Module<'_>, kernel: Function<'_>, launch: &KernelLaunch) -> bool {
    let params = kernel.params();
    params.len() == launch.params.len()
        && params.iter().zip(&launch.params).enumerate().all(|(index, (value, row))| {
            let byval = kernel
                .enum_attribute(Place::Param(index as u32), "byval")
                .and_then(|a| a.type_value());
            match (row.passing, byval) {
                (Passing::Pointer, None) => value.ty().address_space() == row.kind.address_space(),
                (Passing::Scalar(scalar), None) => value.ty() == scalar_type(module, scalar),
                (Passing::Bytes { .. }, Some(bytes)) => {
                    let elements = bytes.contained();
                    bytes.element_count() == Some(row.size) && elements[0].int_width() == Some(8)
                }
                _ => false,
            }
        })
}

fn scalar_type<'ctx>(module: &Module<'ctx>, scalar: Scalar) -> Type<'ctx> {
    let context = module.context();
    match scalar {
        Scalar::I8 => context.int_type(8),
        Scalar::I16 => context.int_type(16),
        Scalar::I32 => context.int_type(32),
        Scalar::I64 => context.int_type(64),
        Scalar::Half => context.half_type(),
        Scalar::BFloat => context.bfloat_type(),
        Scalar::Float => context.float_type(),
        Scalar::Double => context.double_type(),
    }
}

/// Returns the pointer type of the functor's fields: the generic address space on SPIR-V, and the
/// only address space on other targets.
fn generic_pointer<'ctx>(module: &Module<'ctx>) -> Type<'ctx> {
    module.context().ptr_type(if module.triple().starts_with("spir") { 4 } else { 0 })
}

/// Returns the size of the parameter's field in the functor, or `None` if only the row determines
/// it.
fn size_of(module: &Module<'_>, passing: Passing) -> Option<u64> {
    match passing {
        Passing::Pointer => generic_pointer(module).alloc_size(module),
        Passing::Scalar(scalar) => scalar_type(module, scalar).alloc_size(module),
        Passing::Bytes { .. } => None,
    }
}

/// Returns the guaranteed alignment at `offset` bytes into an object aligned to `align`.
fn align_at(align: u32, offset: u64) -> u32 {
    let zeros = offset.trailing_zeros().min(31);
    if offset == 0 { align } else { align.min(1 << zeros) }
}
