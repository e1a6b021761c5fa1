//! Collects the lines of device code, for debuggers that look for them before the code is loaded.

use scythe_llvm::{DebugLoc, Module};
use scythe_passes::target::cpu::lowering::debug_info;
use scythe_wrap::{SourceFile, SourceLines};

/// Adds the lines of a module, if it has debug information.
pub fn add(module: &Module<'_>, lines: &mut SourceLines) {
    let (found, kernels) = debug_info::source_lines(module);
    for place in found {
        let line = place.line;
        lines.lines.entry(file(place)).or_default().insert(line);
    }
    for (name, place) in kernels {
        let line = place.line;
        lines.kernels.insert(name, (file(place), line));
    }
}

fn file(place: DebugLoc) -> SourceFile {
    SourceFile { directory: place.directory, name: place.file }
}
