//! Tells calls of the headers where the program made them.
//!
//! The check of an accessor's index is inlined into the function with the subscript. Its debug
//! location therefore lists the calls between both. [`fill`] stores the position of the subscript
//! in the arguments of the call that reports a wrong index. It must run before debug information is
//! removed.

use scythe_llvm::{DebugLoc, Linkage, Module, Type, Value};
use std::collections::HashMap;

/// The functions with a position in their first arguments: file, line and function.
const FUNCTIONS: [&str; 1] = ["__scythe_index_failed"];

/// The address space of constants in generic device code.
const CONSTANTS: u32 = 1;

/// Replaces the first three arguments of calls of [`FUNCTIONS`] by the position in the program.
/// Calls without debug locations keep their arguments.
pub fn fill(module: &Module<'_>) {
    let mut texts = Texts::new(module);
    for name in FUNCTIONS {
        let Some(function) = module.function(name) else { continue };
        for call in function.users().into_iter().filter_map(|user| user.as_instruction()) {
            let Some(at) = in_program(&call.debug_locs()).cloned() else { continue };
            let [file, line, function, ..] = call.args()[..] else { continue };
            let arguments = [
                texts.pointer(&at.file, file.ty()),
                line.ty().const_int(at.line.into()),
                texts.pointer(&at.function, function.ty()),
            ];
            for (index, argument) in arguments.into_iter().enumerate() {
                call.set_operand(index as u32, argument);
            }
        }
    }
}

/// Returns the innermost position outside of the SYCL headers, or the innermost position if all are
/// inside of them.
pub fn in_program(positions: &[DebugLoc]) -> Option<&DebugLoc> {
    positions.iter().find(|at| !is_header(&at.file)).or_else(|| positions.first())
}

/// Whether the file is one of the SYCL headers, which installations keep in `include/sycl`.
pub fn is_header(file: &str) -> bool {
    file.contains("/include/sycl/")
}

/// Texts in constants of the module, each once.
pub(crate) struct Texts<'a, 'ctx> {
    module: &'a Module<'ctx>,
    known: HashMap<String, Value<'ctx>>,
}

impl<'a, 'ctx> Texts<'a, 'ctx> {
    pub fn new(module: &'a Module<'ctx>) -> Self {
        Self { module, known: HashMap::new() }
    }

    /// Returns a pointer to `text` of type `ty`.
    pub fn pointer(&mut self, text: &str, ty: Type<'ctx>) -> Value<'ctx> {
        let context = self.module.context();
        let number = self.known.len();
        let variable = *self.known.entry(text.to_owned()).or_insert_with(|| {
            let value = context.const_string(text.as_bytes(), true);
            let name = format!(".scythe.position.{number}");
            let variable = self.module.add_global(&name, value.ty(), CONSTANTS);
            variable.set_initializer(Some(value));
            variable.set_constant_global(true);
            variable.set_linkage(Linkage::LLVMPrivateLinkage);
            variable.as_value()
        });
        match variable.ty() == ty {
            true => variable,
            false => context.create_builder().addr_space_cast(variable, ty, ""),
        }
    }
}
