//! Reports failed assertions. A work-item whose assertion fails writes a report and ends. The
//! runtime reads the report after the launch.
//!
//! SPIR-V has no instruction that ends a kernel, and code after a failed `assert` must not run,
//! because it may rely on the condition. All functions with assertions are therefore inlined into
//! their kernels ([`mark_for_inlining`]), where a return ends the work-item ([`report`]). The
//! device library writes the report to a variable that the runtime finds by name ([`share`]).

use scythe_abi::spirv::ASSERTION_VARIABLE;
use scythe_llvm::{CallConv, Function, Instruction, Linkage, Module, Opcode, Place};
use std::collections::HashSet;

/// A function that reports a failure, and its replacement.
struct Failure {
    name: &'static str,
    /// The indices of its arguments in the order of the parameters of `report`.
    order: &'static [usize],
    /// The function of the device library that writes the report.
    report: &'static str,
}

/// The functions that a failed `assert` calls, whose reports need expression, file, line and
/// function, and the function for an accessor's index that is not within its range.
const FAILURES: [Failure; 3] = [
    Failure { name: "__assert_fail", order: &[0, 1, 2, 3], report: "__scythe_report_assertion" },
    Failure {
        name: "_ZSt21__glibcxx_assert_failPKciS0_S0_",
        order: &[3, 0, 1, 2],
        report: "__scythe_report_assertion",
    },
    Failure {
        name: "__scythe_index_failed",
        order: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        report: "__scythe_report_index",
    },
];

/// Marks all functions that contain assertions, directly or through callees, to be inlined.
pub fn mark_for_inlining<'ctx>(module: &Module<'ctx>) {
    let mut work: Vec<Function<'ctx>> =
        FAILURES.iter().filter_map(|failure| module.function(failure.name)).collect();
    let mut known = HashSet::new();
    while let Some(callee) = work.pop() {
        for call in callee.users().into_iter().filter_map(|user| user.as_instruction()) {
            let caller = call.function().filter(|f| !f.is_kernel() && known.insert(*f));
            work.extend(caller);
        }
    }
    for function in known {
        ["optnone", "noinline"]
            .iter()
            .for_each(|name| function.remove_enum_attribute(Place::Function, name));
        if let Some(attribute) = module.context().enum_attribute("alwaysinline", 0) {
            function.add_attribute(Place::Function, attribute);
        }
    }
}

/// Replaces each failure by a call of the device library's function and the end of the work-item.
/// Must run after the code is simplified. Returns false if the module has no assertions.
pub fn report(module: &Module<'_>) -> bool {
    let mut found = false;
    for failure in FAILURES {
        let function = module.function(failure.name).filter(|f| f.is_declaration());
        let users = function.map(|function| function.users()).unwrap_or_default();
        for call in users.into_iter().filter_map(|user| user.as_instruction()) {
            found |= replace(module, call, &failure);
        }
    }
    found
}

fn replace<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>, failure: &Failure) -> bool {
    let (context, args) = (module.context(), call.args());
    let Some(function) = call.function().filter(|_| args.len() == failure.order.len()) else {
        return false;
    };
    let args: Vec<_> = failure.order.iter().map(|&index| args[index]).collect();
    let builder = context.create_builder();
    builder.position_before(call);
    let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
    let ty = context.void_type().function(&types, false);
    let reporter = module.get_or_add_function(failure.report, ty);
    reporter.set_call_conv(CallConv::SPIR_FUNC);
    builder.call(reporter, &args, "").set_call_conv(CallConv::SPIR_FUNC);
    let end = call.next().filter(|next| next.opcode() == Opcode::LLVMUnreachable);
    call.erase();
    if let Some(end) = end {
        builder.position_before(end);
        let result = function.return_type();
        if result.is_void() {
            builder.ret_void()
        } else {
            builder.ret(result.const_null())
        };
        end.erase();
    }
    true
}

/// Makes the variable visible to the runtime, and gives all functions except kernels internal
/// linkage. Must run after the device library's function is linked.
pub fn share(module: &Module<'_>) {
    for function in module.functions().filter(|f| !f.is_declaration() && !f.is_kernel()) {
        function.remove_comdat();
        function.set_linkage(Linkage::LLVMInternalLinkage);
    }
    if let Some(variable) = module.global(ASSERTION_VARIABLE) {
        variable.remove_comdat();
        variable.set_linkage(Linkage::LLVMExternalLinkage);
    }
}
