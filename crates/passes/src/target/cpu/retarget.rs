//! Converts a module from the generic device target to the CPU: triple, data layout, calling
//! conventions and attributes.
//!
//! Address spaces do not change: x86 treats all numbers below 256 as one flat space.

use super::Options;
use super::lowering::queries::belongs_to_kernel;
use crate::device_globals::erase_bookkeeping;
use crate::target::common::{queries, retarget};
use scythe_llvm::{CallConv, Function, Module, Place, TargetMachine};

/// Every function of device code has this attribute; see [`meets`].
const CONVERGENT: &str = "convergent";

/// Function attributes that have no meaning on a CPU, reduce speed there, or are set from
/// [`Options`].
const DROPPED_STRINGS: [&str; 8] = [
    "frame-pointer",
    "target-cpu",
    "target-features",
    "tune-cpu",
    "prefer-vector-width",
    "stack-protector-buffer-size",
    "uniform-work-group-size",
    "no-inline-line-tables",
];

/// Retargets `module` to the machine. Removes attributes of other targets from the functions. If
/// the code is to be optimised, also removes `optnone` and the `noinline` that accompanies it.
pub fn run<'ctx>(module: &Module<'ctx>, machine: &TargetMachine, options: &Options) {
    machine.apply_to(module);
    erase_bookkeeping(module);
    for function in module.functions() {
        function.set_call_conv(CallConv::C);
        if function.is_intrinsic() {
            continue;
        }
        clean(function, options);
        for instruction in function.instructions().filter(|i| i.is_call()) {
            instruction.set_call_conv(CallConv::C);
            if !instruction.called_function().is_some_and(meets) {
                instruction.remove_call_enum_attribute(Place::Function, CONVERGENT);
            }
        }
        if !function.is_declaration() {
            tune(function, options);
        }
    }
}

/// Whether work-items synchronise in a call of this function. These calls must not be duplicated:
/// two copies of a barrier on the two sides of a branch are two barriers.
fn meets(function: Function<'_>) -> bool {
    let name = function.name();
    belongs_to_kernel(&name) && queries::parse(&name).is_none()
}

fn clean(function: Function<'_>, options: &Options) {
    if !meets(function) {
        function.remove_enum_attribute(Place::Function, CONVERGENT);
    }
    retarget::drop_attributes(function, &DROPPED_STRINGS);
    if options.opt_level > 0 {
        retarget::allow_optimisation(function);
    }
}

/// Sets the attributes of the processor that the function is compiled for.
pub fn tune<'ctx>(function: Function<'ctx>, options: &Options) {
    let context = function.ty().context();
    let width = options.vector_width.to_string();
    let values = [
        ("target-cpu", options.cpu.as_str()),
        ("target-features", options.features.as_str()),
        ("prefer-vector-width", if options.vector_width == 0 { "" } else { width.as_str() }),
    ];
    for (name, value) in values.into_iter().filter(|(_, v)| !v.is_empty()) {
        function.add_attribute(Place::Function, context.string_attribute(name, value));
    }
}

/// Gives all definitions internal linkage, except the functions in `kept`.
pub fn internalize<'ctx>(module: &Module<'ctx>, kept: &[Function<'ctx>]) {
    retarget::internalize(module, |function| kept.contains(&function), |_| false);
}
