//! Replaces `printf` in kernels by calls of the process's C library.

use crate::target::common::printf::{NAME, calls, promoted};
use scythe_llvm::Module;

/// Replaces all calls of `printf` by calls of the C library's function.
pub fn run(module: &Module<'_>) {
    let (context, calls) = (module.context(), calls(module));
    if calls.is_empty() {
        return;
    }
    // The program's declaration has pointers in a different address space.
    if let Some(declared) = module.function(NAME) {
        declared.as_value().set_name("printf.declared");
    }
    let ty = context.int_type(32).function(&[context.ptr_type(0)], true);
    let function = module.add_function(NAME, ty);
    let builder = context.create_builder();
    for call in calls {
        builder.position_before(call);
        let args: Vec<_> =
            call.args().into_iter().map(|value| promoted(context, &builder, value)).collect();
        let made = builder.call(function, &args, "");
        call.replace_all_uses_with(made.as_value());
        call.erase();
    }
}
