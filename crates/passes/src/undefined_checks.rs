//! Turns failed checks of `-fsanitize=undefined` into failed assertions, for devices without the
//! sanitizer's runtime library. Clang calls a function `__ubsan_handle_…` with constant data that
//! begin with the position in the source.

use crate::source_positions::Texts;
use scythe_abi::checks::functions::UNDEFINED_HANDLER;
use scythe_llvm::{CallConv, Function, Instruction, Module, Value};

/// The function that a failed assertion calls.
const ASSERTION: &str = "__assert_fail";

/// The address space of pointers to any memory in generic device code.
const GENERIC: u32 = 4;

/// Replaces all calls of the sanitizer's functions.
pub fn to_assertions(module: &Module<'_>) {
    let is_handler = |f: &Function<'_>| f.name().starts_with(UNDEFINED_HANDLER);
    let handlers: Vec<_> = module.functions().filter(is_handler).collect();
    let mut texts = Texts::new(module);
    for handler in handlers {
        let name = handler.name();
        let operation = name.trim_start_matches(UNDEFINED_HANDLER).trim_end_matches("_abort");
        let text = format!("no undefined behaviour: {}", operation.replace('_', " "));
        for call in handler.users().into_iter().filter_map(|user| user.as_instruction()) {
            replace(module, &mut texts, call, &text);
        }
    }
}

fn replace<'ctx>(
    module: &Module<'ctx>,
    texts: &mut Texts<'_, 'ctx>,
    call: Instruction<'ctx>,
    text: &str,
) {
    let context = module.context();
    let generic = module.triple().starts_with("spirv");
    let pointer = context.ptr_type(if generic { GENERIC } else { 0 });
    let i32 = context.int_type(32);
    let ty = context.void_type().function(&[pointer, pointer, i32, pointer], false);
    let known = module.function(ASSERTION);
    let assertion = module.get_or_add_function(ASSERTION, ty);
    if known.is_none() && generic {
        assertion.set_call_conv(CallConv::SPIR_FUNC);
    }
    let builder = context.create_builder();
    builder.position_before(call);
    let (file, line) = call
        .args()
        .first()
        .and_then(|data| position(*data))
        .unwrap_or_else(|| (pointer.const_null(), i32.const_int(0)));
    let file = if file.ty() == pointer { file } else { builder.addr_space_cast(file, pointer, "") };
    let function = call.function().map(|f| f.name()).unwrap_or_default();
    let function = call.debug_loc().map_or(function, |at| at.function);
    let args = [texts.pointer(text, pointer), file, line, texts.pointer(&function, pointer)];
    builder.call(assertion, &args, "");
    call.erase();
}

/// Returns the file and the line at the beginning of a check's data.
fn position<'ctx>(data: Value<'ctx>) -> Option<(Value<'ctx>, Value<'ctx>)> {
    let variable = data.strip_constant_casts().as_global_variable()?;
    let source = variable.initializer()?.constant_element(0)?;
    Some((source.constant_element(0)?, source.constant_element(1)?))
}
