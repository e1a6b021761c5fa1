//! Gives events of asynchronous group copies (`__ocl_event_t`) SPIR-V's event type, which C++
//! lacks.
//!
//! In C++ an event is an opaque address. [`to_slots`] creates a private variable of SPIR-V's type
//! for each copy, and the address of the variable is the event. After simplification every wait
//! refers to such a variable, and [`finish`] replaces the wait by SPIR-V's instruction. The pass
//! supports both spellings of the operations, with and without `Op`.

use super::binary::{self, BinaryError};
use crate::target::common::async_copies::{Call, CopyError, calls};
use crate::target::spirv::SpirvError;
use scythe_llvm::{
    Builder, CallConv, ContextRef, Function, Instruction, Module, Opcode, Type, Value,
};
use spirv::Op;

/// The function that represents a wait between the two steps.
const WAIT: &str = "__scythe_wait_event";
/// The maximum number of events in one wait.
const MOST_EVENTS: u64 = 64;

/// Performs the first step, before the code is simplified.
pub fn to_slots(module: &Module<'_>) -> Result<(), SpirvError> {
    for call in calls(module) {
        match call {
            Call::Copy(call, element) => copy(module, call, &element)?,
            Call::Wait(call) => wait(module, call)?,
        }
    }
    Ok(())
}

/// Performs the second step, after the code is simplified.
pub fn finish(module: &Module<'_>) -> Result<(), SpirvError> {
    let Some(function) = module.functions().find(|f| f.name() == WAIT) else { return Ok(()) };
    for call in
        function.users().into_iter().filter_map(|user| user.as_instruction()).collect::<Vec<_>>()
    {
        let args = call.args();
        let cast =
            args[1].as_instruction().filter(|cast| cast.opcode() == Opcode::LLVMAddrSpaceCast);
        let slot = cast.and_then(|cast| cast.as_value().operand(0)).unwrap_or(args[1]);
        if slot.ty().address_space() != Some(0) {
            return Err(SpirvError::UnknownEvent);
        }
        let builder = before(module, call);
        let one = module.context().int_type(32).const_int(1);
        emit(
            module,
            &builder,
            "_Z23__spirv_GroupWaitEventsjiP9ocl_event",
            None,
            &[args[0], one, slot],
        );
        call.erase();
    }
    Ok(())
}

/// Whether the module contains asynchronous copies.
pub fn are_used(module: &Module<'_>) -> bool {
    module.functions().any(|function| function.name().starts_with("_Z22__spirv_GroupAsyncCopy"))
}

/// Repairs null events: LLVM's back end emits the null event with an additional operand for each
/// further use.
pub fn repair(bytes: &[u8]) -> Result<Vec<u8>, BinaryError> {
    let mut module = binary::Module::read(bytes)?;
    let is_null = |instruction: &&mut binary::Instruction| instruction.is(Op::ConstantNull);
    for null in module.instructions.iter_mut().filter(is_null) {
        null.operands.truncate(2);
    }
    module.write()
}

fn before<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) -> Builder<'ctx> {
    let builder = module.context().create_builder();
    builder.position_before(call);
    builder
}

fn event(context: ContextRef<'_>) -> Type<'_> {
    context.target_type(c"spirv.Event")
}

/// Calls SPIR-V's function with this mangled name.
fn emit<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    name: &str,
    result: Option<Type<'ctx>>,
    args: &[Value<'ctx>],
) -> Instruction<'ctx> {
    let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
    let result = result.unwrap_or_else(|| module.context().void_type());
    let function: Function<'ctx> = module.get_or_add_function(name, result.function(&types, false));
    function.set_call_conv(CallConv::SPIR_FUNC);
    let call = builder.call(function, args, "");
    call.set_call_conv(CallConv::SPIR_FUNC);
    call
}

/// Replaces a copy. `element` is the mangled type of the copied elements.
fn copy<'ctx>(
    module: &Module<'ctx>,
    call: Instruction<'ctx>,
    element: &str,
) -> Result<(), SpirvError> {
    let (mut args, context) = (call.args(), module.context());
    let entry = call.function().and_then(|function| function.entry_block());
    let (Some(entry), 6) = (entry, args.len()) else {
        return Err(CopyError::Arguments { count: args.len() }.into());
    };
    let start = context.create_builder();
    start.position_at_start(entry);
    let slot = start.alloca(event(context), "event");
    let builder = before(module, call);
    args[5] = match args[5] == args[5].ty().const_null() {
        true => event(context).const_null(),
        false => builder.load(event(context), args[5], "").as_value(),
    };
    let space = |value: Value<'_>| value.ty().address_space().unwrap_or(0);
    let element = if element == "DF16_" { "Dh" } else { element };
    let (to, from) = (space(args[1]), space(args[2]));
    let name =
        format!("_Z22__spirv_GroupAsyncCopyjPU3AS{to}{element}PU3AS{from}K{element}mm9ocl_event");
    let made = emit(module, &builder, &name, Some(event(context)), &args);
    builder.store(made.as_value(), slot.as_value());
    call.replace_all_uses_with(builder.addr_space_cast(slot.as_value(), call.ty(), ""));
    call.erase();
    Ok(())
}

/// Replaces a wait by one wait for each of its events.
fn wait<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) -> Result<(), SpirvError> {
    let (args, context) = (call.args(), module.context());
    let count =
        args.get(1).and_then(|count| count.const_int_value()).filter(|&count| count <= MOST_EVENTS);
    let (Some(count), 3) = (count, args.len()) else {
        return Err(SpirvError::EventCount { most: MOST_EVENTS });
    };
    let builder = before(module, call);
    let address = context.ptr_type(4);
    for index in 0..count {
        let place = builder.gep(address, args[2], &[context.int_type(64).const_int(index)], "");
        let slot = builder.load(address, place, "").as_value();
        emit(module, &builder, WAIT, None, &[args[0], slot]);
    }
    call.erase();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_have_a_type_and_a_name_and_nothing_else() {
        let words: [u32; 9] = [0x0723_0203, 0x0001_0400, 0, 10, 0, 4 << 16 | 46, 1, 2, 3];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let repaired = repair(&bytes).expect("a module");
        let expected: Vec<u8> = words[..5]
            .iter()
            .chain(&[3 << 16 | 46, 1, 2])
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(repaired, expected);
    }
}
