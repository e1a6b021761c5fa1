//! Translates `printf` to OpenCL's instruction. The instruction takes the format and strings from
//! constant memory; the program's literals are in other memory.
//!
//! LLVM's back end requires an extension if two functions print, because it looks at the format of
//! one function in the other. The extension is enabled for the back end ([`EXTENSION`]). [`repair`]
//! removes its name from the finished module, which does not use it.

use super::SpirvError;
use super::lowering::binary::{self, BinaryError};
use crate::target::common::printf::calls;
use scythe_llvm::{CallConv, Instruction, Linkage, Module, Opcode, Value};
use spirv::Op;
use std::collections::HashMap;

/// OpenCL's constant memory.
const CONSTANT: u32 = 2;
/// The name by which the back end recognises `printf`, with any arguments.
const FUNCTION: &str = "_Z18__spirv_ocl_printfPU3AS2Kcz";

/// The extension that allows formats in other memory.
pub const EXTENSION: &str = "SPV_EXT_relaxed_printf_string_address_space";

/// Whether the module calls `printf`.
pub fn is_used(module: &Module<'_>) -> bool {
    module.function(FUNCTION).is_some()
}

/// Returns the module without the extension.
pub fn repair(bytes: &[u8]) -> Result<Vec<u8>, BinaryError> {
    let mut module = binary::Module::read(bytes)?;
    module.instructions.retain(|i| !i.is(Op::Extension) || i.text(0).as_deref() != Some(EXTENSION));
    module.write()
}

/// Replaces all calls. Must run after the code is simplified, so that literals of the source are
/// recognisable as literals. The error names the function whose format is not a literal.
pub fn run(module: &Module<'_>) -> Result<(), SpirvError> {
    let mut copies = HashMap::new();
    let context = module.context();
    for call in calls(module) {
        let builder = context.create_builder();
        builder.position_before(call);
        let mut args = call.args();
        for (index, arg) in args.iter_mut().enumerate().filter(|(_, arg)| arg.ty().is_pointer()) {
            match literal(*arg) {
                Some(literal) => *arg = in_constant_memory(module, literal, &mut copies),
                None if index == 0 && arg.ty().address_space() != Some(CONSTANT) => {
                    return Err(not_literal(call));
                }
                None => {}
            }
        }
        let ty = context.int_type(32).function(&[context.ptr_type(CONSTANT)], true);
        let function = match module.function(FUNCTION) {
            Some(function) if function.function_type() != ty => {
                function.as_value().set_name("printf.declared");
                module.add_function(FUNCTION, ty)
            }
            Some(function) => function,
            None => module.add_function(FUNCTION, ty),
        };
        function.set_call_conv(CallConv::SPIR_FUNC);
        let made = builder.call(function, &args, "");
        made.set_call_conv(CallConv::SPIR_FUNC);
        call.replace_all_uses_with(made.as_value());
        call.erase();
    }
    Ok(())
}

fn not_literal(call: Instruction<'_>) -> SpirvError {
    let function =
        call.function().map_or_else(|| "device code".to_owned(), |f| format!("'{}'", f.name()));
    SpirvError::PrintfFormat { function }
}

/// Returns the constant string that an address is the start of.
fn literal(value: Value<'_>) -> Option<Value<'_>> {
    let mut value = value;
    loop {
        value = value.strip_constant_casts();
        match value.as_instruction() {
            Some(cast) if cast.opcode() == Opcode::LLVMAddrSpaceCast => value = value.operand(0)?,
            _ => break,
        }
    }
    let variable = value.as_global_variable()?;
    (variable.is_constant_global() && variable.initializer()?.const_string_value().is_some())
        .then_some(value)
}

/// Returns the same text in constant memory. Each text is copied once.
fn in_constant_memory<'ctx>(
    module: &Module<'ctx>,
    literal: Value<'ctx>,
    copies: &mut HashMap<Value<'ctx>, Value<'ctx>>,
) -> Value<'ctx> {
    *copies.entry(literal).or_insert_with(|| {
        let Some(original) = literal.as_global_variable().filter(|v| v.address_space() != CONSTANT)
        else {
            return literal;
        };
        let copy = module.add_global("", original.value_type(), CONSTANT);
        copy.set_initializer(original.initializer());
        copy.set_constant_global(true);
        copy.set_linkage(Linkage::LLVMInternalLinkage);
        copy.set_align(original.align());
        copy.as_value()
    })
}
