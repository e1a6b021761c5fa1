//! The host pass: registers the program's `device_global` variables with the runtime.
//!
//! While clang builds the AST, each variable gets an annotation with its name on devices
//! ([`annotation`]). Code generation writes the annotation into the module, where [`register`]
//! finds it. This also works if code generation and optimisation are two runs of clang, as with
//! `-save-temps`. The program registers its variables when it is loaded, before its initialisers
//! run.

use scythe_abi::names::{TU_SEPARATOR, UNIT_NAMES_SECTION};
use scythe_llvm::{ContextRef, Function, GlobalVariable, Linkage, Module, Value};

use crate::facts::DeviceGlobal;

const PREFIX: &str = "scythe::device_global:";
/// The priority of the registration: after the system's initialisers and before the program's.
const PRIORITY: u16 = 101;
const REGISTER: &str = "scythe_device_globals_register";
const UNREGISTER: &str = "scythe_device_globals_unregister";

/// Returns the annotation of a variable of the translation unit `unit`.
pub fn annotation(variable: &DeviceGlobal, unit: &str) -> String {
    format!("{PREFIX}{}:{}", variable.size, variable.id(unit))
}

/// Adds code to the module that registers the annotated variables.
pub fn register(module: &Module) {
    let rows = annotated(module);
    if rows.is_empty() {
        return;
    }
    let context = module.context();
    let pointer = context.ptr_type(0);
    let row_type = context.struct_type(&[pointer, pointer, context.int_type(64)], false);
    let mut elements = Vec::new();
    for Row { variable, id, size } in &rows {
        let text = context.const_string(id.as_bytes(), true);
        let name = constant(module, "scythe.device_global.name", text);
        if id.contains(TU_SEPARATOR) {
            // The driver replaces the identifier of the unit in this section.
            name.set_section(UNIT_NAMES_SECTION);
        }
        let name = name.as_value();
        elements
            .push(context.const_struct(&[*variable, name, context.const_int(64, *size)], false));
    }
    let table =
        constant(module, "scythe.device_globals", row_type.const_array(&elements)).as_value();
    let count = context.const_int(64, rows.len() as u64);
    let enter = caller(module, context, "scythe.device_globals.enter", REGISTER, table, count);
    let leave = caller(module, context, "scythe.device_globals.leave", UNREGISTER, table, count);
    module.add_to_loading(enter, leave, PRIORITY);
}

struct Row<'ctx> {
    variable: Value<'ctx>,
    id: String,
    size: u64,
}

/// Returns the annotated variables, in the order of the annotations.
fn annotated<'ctx>(module: &Module<'ctx>) -> Vec<Row<'ctx>> {
    let Some(list) = module.global("llvm.global.annotations").and_then(|list| list.initializer())
    else {
        return Vec::new();
    };
    let row = |entry: Value<'ctx>| {
        let variable = entry.operand(0)?.strip_constant_casts().as_global_variable()?;
        let text = entry.operand(1)?.strip_constant_casts().as_global_variable()?.initializer()?;
        let text = String::from_utf8(text.const_string_value()?).ok()?;
        let (size, id) = text.trim_end_matches('\0').strip_prefix(PREFIX)?.split_once(':')?;
        Some(Row { variable: variable.as_value(), id: id.to_owned(), size: size.parse().ok()? })
    };
    list.operands().filter_map(row).collect()
}

/// Adds a private constant to the module.
fn constant<'ctx>(module: &Module<'ctx>, name: &str, value: Value<'ctx>) -> GlobalVariable<'ctx> {
    let global = module.add_global(name, value.ty(), 0);
    global.set_initializer(Some(value));
    global.set_constant_global(true);
    global.set_linkage(Linkage::LLVMPrivateLinkage);
    global
}

/// Adds a function that calls the runtime's function `callee` with the table.
fn caller<'ctx>(
    module: &Module<'ctx>,
    context: ContextRef<'ctx>,
    name: &str,
    callee: &str,
    table: Value<'ctx>,
    count: Value<'ctx>,
) -> Function<'ctx> {
    let void = context.void_type();
    let called =
        module.get_or_add_function(callee, void.function(&[table.ty(), count.ty()], false));
    let function = module.add_function(name, void.function(&[], false));
    function.set_linkage(Linkage::LLVMInternalLinkage);
    let builder = context.create_builder();
    builder.position_at_end(context.append_block(function, "entry"));
    builder.call(called, &[table, count], "");
    builder.ret_void();
    function
}
