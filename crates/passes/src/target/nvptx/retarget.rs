//! Makes device code from the front end a module for LLVM's NVPTX target: triple, data layout,
//! calling conventions, attributes, scopes of atomic accesses, visibility.

use super::Options;
use crate::device_globals::erase_bookkeeping;
use scythe_llvm::{
    CallConv, Function, GlobalVariable, Linkage, Module, Place, SyncScope, TargetMachine,
    Visibility,
};

/// Function attributes that mean nothing on a GPU, or are decided by [`Options`].
const DROPPED_STRINGS: [&str; 6] = [
    "frame-pointer",
    "target-cpu",
    "target-features",
    "tune-cpu",
    "stack-protector-buffer-size",
    "uniform-work-group-size",
];
const DROPPED_ENUMS: [&str; 4] = ["uwtable", "ssp", "sspstrong", "sspreq"];

/// Makes all of `module` code for the machine. May run again when more code was linked.
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
    DROPPED_ENUMS.iter().for_each(|name| function.remove_enum_attribute(Place::Function, name));
    DROPPED_STRINGS.iter().for_each(|name| function.remove_string_attribute(Place::Function, name));
    if options.opt_level > 0 && function.enum_attribute(Place::Function, "optnone").is_some() {
        function.remove_enum_attribute(Place::Function, "optnone");
        function.remove_enum_attribute(Place::Function, "noinline");
    }
}

/// Scopes of generic device code, and what they are called for NVPTX.
///
/// clang knows no scopes when it compiles for NVPTX itself: all accesses are the whole system's.
/// The headers make those volatile that are the device's.
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
            // Code generation has no access of one thread alone.
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

/// Makes everything invisible that is defined here, but for kernels and the variables that the host
/// reaches by name.
pub fn internalize(module: &Module<'_>) {
    for function in module.functions().filter(|f| !f.is_declaration()) {
        function.remove_comdat();
        function.set_visibility(Visibility::LLVMDefaultVisibility);
        let linkage = if function.is_kernel() {
            Linkage::LLVMExternalLinkage
        } else {
            Linkage::LLVMInternalLinkage
        };
        function.set_linkage(linkage);
    }
    for variable in module.globals().filter(|v| !v.is_declaration()) {
        variable.remove_comdat();
        if variable.linkage() == Linkage::LLVMAppendingLinkage {
            continue;
        }
        variable.set_visibility(Visibility::LLVMDefaultVisibility);
        let linkage = if is_of_host(variable) {
            Linkage::LLVMExternalLinkage
        } else {
            Linkage::LLVMInternalLinkage
        };
        variable.set_linkage(linkage);
    }
}

/// Variables that the host finds by name, and fills: those of `device_global`.
fn is_of_host(variable: GlobalVariable<'_>) -> bool {
    variable.is_externally_initialized() && variable.is_externally_visible()
}
