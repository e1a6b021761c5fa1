//! Keeps the debug information of kernels valid and useful while they are lowered.
//!
//! A debugger sees a kernel as an inlined function with the kernel's name, in a work-group function
//! with the same name and [`WORK_ITEMS`]. Both have the position of the kernel's call operator.
//!
//! A module with a kernel that was compiled with `-O0 -g` is lowered for stepping
//! ([`is_for_stepping`]): it stays unoptimised, and one work-item runs after the other. Variables
//! stay in memory. [`positions`] hides the functions of the SYCL headers, and [`work_item`] shows
//! the position of the work-item.

mod positions;
mod work_item;

pub use work_item::{SYMBOL as WORK_ITEM, show_again};

use super::specialise::Target;
use scythe_abi::names::TU_SEPARATOR;
use scythe_llvm::{Builder, DebugLoc, DebugScope, Function, Instruction, Module, Place, demangle};

/// The suffix of the name of a work-group function.
const WORK_ITEMS: &str = ".work_items";

const FRAME_POINTER: &str = "frame-pointer";

/// The value of LLVM's attribute `uwtable` for tables that are exact at every instruction.
const EXACT_TABLES: u64 = 2;

/// Returns whether a kernel that is to be compiled was compiled with `-O0 -g`.
pub fn is_for_stepping(module: &Module<'_>, target: Option<&Target>) -> bool {
    let is_wanted = |f: &Function<'_>| target.is_none_or(|target| f.name() == target.kernel);
    module.has_debug_info()
        && module.kernels().into_iter().filter(is_wanted).any(|kernel| {
            kernel.subprogram().is_some()
                && kernel.enum_attribute(Place::Function, "optnone").is_some()
        })
}

/// Returns the lines of the program that a module with debug information has code for, and the name
/// and the line of each kernel.
pub fn source_lines(module: &Module<'_>) -> (Vec<DebugLoc>, Vec<(String, DebugLoc)>) {
    let (mut lines, mut kernels) = (Vec::new(), Vec::new());
    if !module.has_debug_info() {
        return (lines, kernels);
    }
    for function in module.functions().filter(|f| !f.is_declaration()) {
        lines.extend(positions::of_program(function));
        if let Some(home) = positions::home(function).filter(|_| function.is_kernel()) {
            kernels.push((name(&function.name()), home.place()));
        }
    }
    (lines, kernels)
}

/// Prepares the functions of a module whose calls are inlined. `for_stepping` is the result of
/// [`is_for_stepping`].
pub fn prepare<'ctx>(
    module: &Module<'ctx>,
    kernels: impl Iterator<Item = (Function<'ctx>, bool)>,
    for_stepping: bool,
) {
    if !module.has_debug_info() {
        return;
    }
    for function in module.functions().filter(|f| !f.is_declaration()) {
        function.drop_debug_address_spaces();
        keep_frames(function, for_stepping);
    }
    let mut names = Vec::new();
    for (kernel, has_index) in kernels {
        names.push(kernel);
        let Some(scope) = DebugScope::of(kernel) else { continue };
        let home = positions::home(kernel);
        scope.rename(&name(&kernel.name()), home.and_then(DebugScope::file));
        positions::place(kernel, home, for_stepping);
        if for_stepping && has_index {
            work_item::show(module, kernel);
        }
    }
    if for_stepping {
        let others = module.functions().filter(|f| !f.is_declaration() && !names.contains(f));
        others.for_each(|function| positions::place(function, None, true));
    }
}

/// Gives `function`, a work-group function of `kernel`, its scope, and the instructions that
/// `builder` makes their position.
pub fn open<'ctx>(kernel: Function<'ctx>, function: Function<'ctx>, builder: &Builder<'ctx>) {
    let Some(scope) = DebugScope::of(kernel) else { return };
    let home = positions::home(kernel);
    let (file, line) = home.map_or((scope.file(), 0), |home| (home.file(), home.line()));
    let own = scope.derive(&format!("{}{WORK_ITEMS}", scope.name()), file, line);
    function.set_subprogram(own.metadata());
    let frame_pointer = kernel.string_attribute(Place::Function, FRAME_POINTER);
    keep_frames(function, frame_pointer.as_deref() == Some("all"));
    builder.set_debug_loc(Some(own.position(function.ty().context(), line, 0, None)));
}

/// Gives calls without a position one: LLVM requires it of calls that it may inline.
pub fn complete(function: Function<'_>) {
    let Some(scope) = DebugScope::of(function) else { return };
    let context = function.ty().context();
    let is_bare = |i: &Instruction<'_>| i.is_call() && i.debug_loc_metadata().is_none();
    for call in function.instructions().filter(is_bare) {
        if call.called_function().is_some_and(|f| f.subprogram().is_some()) {
            call.set_debug_loc(Some(scope.position(context, 0, 0, None)));
        }
    }
}

/// Makes the function visible to debuggers and other tools that walk the stack.
fn keep_frames(function: Function<'_>, with_frame_pointer: bool) {
    let context = function.ty().context();
    if let Some(attribute) = context.enum_attribute("uwtable", EXACT_TABLES) {
        function.add_attribute(Place::Function, attribute);
    }
    if with_frame_pointer {
        let attribute = context.string_attribute(FRAME_POINTER, "all");
        function.add_attribute(Place::Function, attribute);
    }
}

/// Returns the name that users know: `k<int>` for a kernel whose name is `space::k<int>`.
fn name(symbol: &str) -> String {
    let symbol = symbol.split(TU_SEPARATOR).next().unwrap_or(symbol);
    let text = demangle(symbol);
    let text = text.strip_prefix("typeinfo name for ").unwrap_or(&text);
    let mut depth = 0;
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth -= 1,
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => start = at + 2,
            _ => {}
        }
    }
    text[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn kernels_have_the_names_of_the_source() {
        assert_eq!(name("_ZTSZ4mainE10vector_add.tu.45eb0772346b1ce5"), "vector_add");
        assert_eq!(name("_ZTS10vector_add"), "vector_add");
        assert_eq!(name("_ZTSN1a1kIN1b1cEEE"), "k<b::c>");
        assert_eq!(name("_ZTSZ4mainEUlvE_"), "'lambda'()");
        assert_eq!(name("plain"), "plain");
    }
}
