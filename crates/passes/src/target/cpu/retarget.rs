//! From the generic device target to the CPU: triple, data layout, calling conventions and
//! attributes.
//!
//! Address spaces stay as they are: x86 treats all numbers below 256 as one flat space.

use super::Options;
use super::lowering::queries::belongs_to_kernel;
use crate::target::common::queries;
use scythe_llvm::{CallConv, Function, Linkage, Module, Place, TargetMachine, Visibility};

/// Function attributes that mean nothing on a CPU, cost speed there, or are decided by [`Options`].
const DROPPED_ENUMS: [&str; 4] = ["uwtable", "ssp", "sspstrong", "sspreq"];

/// Device code carries this on every function; see [`meets`].
const CONVERGENT: &str = "convergent";
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

/// Globals that keep others alive, or describe them for tools that have run before.
const BOOKKEEPING: [&str; 3] = ["llvm.used", "llvm.compiler.used", "llvm.global.annotations"];

/// Makes `module` one for the machine. Functions lose what binds them to another target, and
/// `optnone` with the `noinline` that comes with it, when the code is to be optimised.
pub fn run<'ctx>(module: &Module<'ctx>, machine: &TargetMachine, options: &Options) {
    machine.apply_to(module);
    for name in BOOKKEEPING {
        if let Some(list) = module.global(name) {
            list.erase();
        }
    }
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

/// Whether work-items meet in a call of this function. Such a call stays where it is: two copies of
/// a barrier on the two sides of a branch are two barriers.
fn meets(function: Function<'_>) -> bool {
    let name = function.name();
    belongs_to_kernel(&name) && queries::parse(&name).is_none()
}

fn clean(function: Function<'_>, options: &Options) {
    if !meets(function) {
        function.remove_enum_attribute(Place::Function, CONVERGENT);
    }
    for name in DROPPED_ENUMS {
        function.remove_enum_attribute(Place::Function, name);
    }
    for name in DROPPED_STRINGS {
        function.remove_string_attribute(Place::Function, name);
    }
    if options.opt_level > 0 && function.enum_attribute(Place::Function, "optnone").is_some() {
        function.remove_enum_attribute(Place::Function, "optnone");
        function.remove_enum_attribute(Place::Function, "noinline");
    }
}

/// Gives a function the processor that it is compiled for.
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

/// Makes everything that is defined here invisible outside, but for the functions in `kept`.
pub fn internalize<'ctx>(module: &Module<'ctx>, kept: &[Function<'ctx>]) {
    for function in module.functions().filter(|f| !f.is_declaration()) {
        function.remove_comdat();
        function.set_visibility(Visibility::LLVMDefaultVisibility);
        let linkage = if kept.contains(&function) {
            Linkage::LLVMExternalLinkage
        } else {
            Linkage::LLVMInternalLinkage
        };
        function.set_linkage(linkage);
    }
    for variable in module.globals().filter(|v| !v.is_declaration()) {
        variable.remove_comdat();
        // Lists that LLVM itself reads keep their linkage.
        if variable.linkage() != Linkage::LLVMAppendingLinkage {
            variable.set_visibility(Visibility::LLVMDefaultVisibility);
            variable.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
}
