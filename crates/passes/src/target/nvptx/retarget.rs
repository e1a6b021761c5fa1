//! Converts device code from the front end to LLVM's NVPTX target: triple, data layout, calling
//! conventions, attributes, scopes of atomic accesses, visibility.

use super::Options;
use crate::device_globals::erase_bookkeeping;
use crate::target::common::retarget;
use scythe_llvm::{CallConv, Function, GlobalVariable, Module, SyncScope, TargetMachine};

/// Function attributes that have no meaning on a GPU, or are set from [`Options`].
const DROPPED_STRINGS: [&str; 6] = [
    "frame-pointer",
    "target-cpu",
    "target-features",
    "tune-cpu",
    "stack-protector-buffer-size",
    "uniform-work-group-size",
];

/// Retargets `module` to the machine. May run again after more code is linked.
pub fn run<'ctx>(module: &Module<'ctx>, machine: &TargetMachine, options: &Options) {
    machine.apply_to(module);
    erase_bookkeeping(module);
    let scopes = Scopes::new(module);
    for function in module.functions() {
        let kernel = function.is_kernel();
        function.set_call_conv(if kernel { CallConv::PTX_KERNEL } else { CallConv::C });
        if function.is_intrinsic() {
            continue;
        }
        clean(function, options);
        for instruction in function.instructions() {
            instruction.set_call_conv(CallConv::C);
            scopes.translate(instruction);
        }
    }
}

fn clean(function: Function<'_>, options: &Options) {
    retarget::drop_attributes(function, &DROPPED_STRINGS);
    if options.opt_level > 0 {
        retarget::allow_optimisation(function);
    }
}

/// The scopes of generic device code, and their names in NVPTX.
///
/// When clang compiles for NVPTX, it does not support scopes: all accesses have system scope. The
/// headers make accesses of device scope volatile.
struct Scopes {
    names: [(SyncScope, SyncScope); 6],
    device: SyncScope,
    from_clang: bool,
}

impl Scopes {
    fn new(module: &Module<'_>) -> Self {
        let context = module.context();
        let scope = |name| context.sync_scope(name);
        let (block, device) = (scope("block"), scope("device"));
        let names = [
            // Code generation does not support accesses with the scope of a single thread.
            (SyncScope::SINGLE_THREAD, block),
            (scope("subgroup"), block),
            (scope("wavefront"), block),
            (scope("workgroup"), block),
            (scope("agent"), device),
            (scope("all_svm_devices"), SyncScope::SYSTEM),
        ];
        Self { names, device, from_clang: module.named_metadata(super::GENERIC_ORIGIN).is_empty() }
    }

    fn translate(&self, instruction: scythe_llvm::Instruction<'_>) {
        let Some(scope) = instruction.sync_scope() else { return };
        if let Some((_, known)) = self.names.iter().find(|(generic, _)| *generic == scope) {
            instruction.set_sync_scope(*known);
        } else if scope == SyncScope::SYSTEM && self.from_clang && instruction.is_volatile() {
            instruction.clear_volatile();
            instruction.set_sync_scope(self.device);
        }
    }
}

/// Gives all definitions internal linkage, except kernels and the variables that the host accesses
/// by name.
pub fn internalize(module: &Module<'_>) {
    retarget::internalize(module, Function::is_kernel, is_of_host);
}

/// Whether the host finds the variable by name and initialises it. These are the variables of
/// `device_global`.
fn is_of_host(variable: GlobalVariable<'_>) -> bool {
    variable.is_externally_initialized() && variable.is_externally_visible()
}
