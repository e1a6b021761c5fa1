//! Stores pointers in private variables as integers.
//!
//! The SPIR-V back end gives a variable that a pointer is loaded from or stored to the type of the
//! pointer, whatever the size of the variable: an array of 64 bytes becomes an array of 8. A
//! variable for a pointer whose bytes are accessed becomes a single byte. Stores then overwrite
//! neighbouring memory.
//!
//! Guarantee: afterwards no private variable has a pointer type, and no load or store of a pointer
//! has a private variable directly as its address.

use scythe_llvm::{Builder, Instruction, Module, Opcode, Type, Value};

/// Replaces these variables, loads and stores in all functions.
pub fn run(module: &Module<'_>) {
    let builder = module.context().create_builder();
    let word = module.context().int_type(64);
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let pointers = |i: &Instruction<'_>| i.allocated_type().is_some_and(Type::is_pointer);
        for variable in function.instructions().filter(pointers).collect::<Vec<_>>() {
            let Some(count) = variable.as_value().operand(0) else { continue };
            builder.position_before(variable);
            let integer = builder.array_alloca(word, count, "");
            integer.set_align(variable.alignment());
            variable.replace_all_uses_with(integer.as_value());
            variable.erase();
        }
        for access in
            function.instructions().filter(|i| accesses_pointer_variable(*i)).collect::<Vec<_>>()
        {
            builder.position_before(access);
            replace(&builder, word, access);
        }
    }
}

/// Whether the instruction loads or stores a pointer directly at the address of a variable.
fn accesses_pointer_variable(instruction: Instruction<'_>) -> bool {
    let value = instruction.as_value();
    let (address, moved) = match instruction.opcode() {
        Opcode::LLVMLoad => (value.operand(0), Some(instruction.ty())),
        Opcode::LLVMStore => (value.operand(1), value.operand(0).map(Value::ty)),
        _ => return false,
    };
    let variable =
        address.and_then(Value::as_instruction).is_some_and(|i| i.opcode() == Opcode::LLVMAlloca);
    variable
        && moved.is_some_and(Type::is_pointer)
        && !instruction.is_volatile()
        && !instruction.is_atomic()
}

fn replace<'ctx>(builder: &Builder<'ctx>, word: Type<'ctx>, access: Instruction<'ctx>) {
    let operand = |index| access.as_value().operand(index);
    if access.opcode() == Opcode::LLVMLoad {
        let Some(address) = operand(0) else { return };
        let loaded = builder.load(word, address, "");
        loaded.set_align(access.alignment());
        access.replace_all_uses_with(builder.int_to_ptr(loaded.as_value(), access.ty(), ""));
    } else {
        let (Some(pointer), Some(address)) = (operand(0), operand(1)) else { return };
        let stored = builder.store(builder.ptr_to_int(pointer, word, ""), address);
        stored.set_align(access.alignment());
    }
    access.erase();
}
