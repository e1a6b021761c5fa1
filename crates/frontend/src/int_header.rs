//! The integration header: what a foreign host compiler, which cannot ask clang, must know of the kernels.
//!
//! It is valid C++17 for g++ and clang. Names that C++ lets one declare ahead are declared and get a specialisation of
//! `sycl::detail::kernel_info`; kernels whose name holds a lambda's type are listed with the place where the program submits
//! them. Local classes are in neither list: every compiler mangles them alike, so the host finds them by itself.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use scythe_abi::launch::Param;
use scythe_abi::names::{TU_SEPARATOR, UNIT_NAMES_SECTION};

use crate::annotate::DeviceGlobalNote;
use crate::facts::{NamePart, Position};

/// What the header says of one kernel.
#[derive(Clone, Debug)]
pub struct KernelEntry {
    pub symbol: String,
    pub spelling: String,
    pub parts: Vec<NamePart>,
    pub functor_size: u64,
    pub params: Vec<Param>,
    /// Where the program submits it, as `__builtin_FILE()` and `__builtin_LINE()` see it.
    pub calls: Vec<Position>,
}

impl KernelEntry {
    fn declarable(&self) -> bool {
        self.parts.iter().all(|part| part.declarable)
    }

    fn unnamed(&self) -> bool {
        self.parts.iter().any(|part| part.closure)
    }
}

/// The header's text.
pub fn render(kernels: &[KernelEntry], variables: &[DeviceGlobalNote]) -> String {
    let mut out = String::from(
        "// Made by Scythe: what the host compiler must know of the kernels.\n#pragma once\n#define __SCYTHE_INT_HEADER__ 1\n#include <sycl/detail/kernel_info.hpp>\n\n",
    );
    let declared: Vec<&KernelEntry> = kernels.iter().filter(|kernel| kernel.declarable()).collect();
    let mut seen = Vec::new();
    for part in declared.iter().flat_map(|kernel| &kernel.parts) {
        if !seen.contains(&part) {
            declare(&mut out, part);
            seen.push(part);
        }
    }
    // Aliases outside of every namespace: inside `sycl::detail` a program's names could mean something else.
    for (index, kernel) in declared.iter().enumerate() {
        let _ = writeln!(out, "using __scythe_kernel_name_{index} = {};", kernel.spelling);
    }
    out.push_str("\nnamespace sycl {\nnamespace detail {\n\n");
    for (index, kernel) in declared.iter().enumerate() {
        specialise(&mut out, index, kernel);
    }
    out.push_str("static const unnamed_kernel unnamed_kernels[] = {\n");
    let unnamed = kernels.iter().filter(|kernel| kernel.unnamed());
    let mut rows: Vec<(&Position, &KernelEntry)> =
        unnamed.flat_map(|kernel| kernel.calls.iter().map(move |call| (call, kernel))).collect();
    rows.sort_by_key(|(call, kernel)| (*call, &kernel.symbol));
    // A call with a qualified name has two places in its line, where the call and where the name begins.
    let mut known = HashSet::new();
    rows.retain(|(call, kernel)| known.insert((&call.file, call.line, &kernel.symbol)));
    for (Position { file, line, column }, kernel) in rows {
        let size = kernel.functor_size;
        let _ = writeln!(out, "    {{{}, {line}, {column}, {size}, {}}},", literal(file), literal(&kernel.symbol));
    }
    out.push_str("    {nullptr, 0, 0, 0, nullptr},\n};\n\n} // namespace detail\n} // namespace sycl\n");
    if !variables.is_empty() {
        register(&mut out, variables);
    }
    out
}

/// Lets the runtime know the program's variables. They cannot be named before they are declared, nor all of them afterwards;
/// but their symbols can, also those of internal linkage. A variable that is not part of the object has no address.
fn register(out: &mut String, variables: &[DeviceGlobalNote]) {
    out.push_str("\n#include <sycl/detail/device_global_registration.hpp>\n\n");
    for (index, variable) in variables.iter().enumerate() {
        let (symbol, id) = (literal(&variable.symbol), literal(&variable.id));
        let _ = writeln!(out, "static char __scythe_device_global_{index} __attribute__((weakref({symbol})));");
        // The driver puts the final identifier of the unit into names that have it.
        let section = match variable.id.contains(TU_SEPARATOR) {
            true => format!(" __attribute__((section(\"{UNIT_NAMES_SECTION}\")))"),
            false => String::new(),
        };
        let _ = writeln!(out, "static const char __scythe_device_global_name_{index}[]{section} = {id};");
    }
    out.push_str("\nnamespace sycl {\nnamespace detail {\n\nstatic const scythe_device_global device_globals[] = {\n");
    for (index, variable) in variables.iter().enumerate() {
        let size = variable.size;
        let (variable, name) = ("::__scythe_device_global_", "::__scythe_device_global_name_");
        let _ = writeln!(out, "    {{&{variable}{index}, {name}{index}, {size}}},");
    }
    let count = variables.len();
    let _ = writeln!(
        out,
        "}};\nstatic const device_global_registration registered_device_globals(device_globals, {count});\n\n}} // namespace \
         detail\n}} // namespace sycl"
    );
}

/// A declaration inside its namespaces.
fn declare(out: &mut String, part: &NamePart) {
    let spaces: Vec<&str> =
        if part.namespaces.is_empty() { Vec::new() } else { part.namespaces.split("::").map(str::trim).collect() };
    for space in &spaces {
        let (inline, name) = space.strip_prefix("inline ").map_or(("", *space), |name| ("inline ", name));
        let gap = if name.is_empty() { "" } else { " " };
        let _ = write!(out, "{inline}namespace{gap}{name} {{ ");
    }
    let _ = writeln!(out, "{};{}", part.declaration, " }".repeat(spaces.len()));
}

fn specialise(out: &mut String, index: usize, kernel: &KernelEntry) {
    let symbol = literal(&kernel.symbol);
    let (size, count) = (kernel.functor_size, kernel.params.len());
    let _ = writeln!(out, "template <> struct kernel_info<::__scythe_kernel_name_{index}> {{");
    let _ = writeln!(out, "  static constexpr const char *name() {{ return {symbol}; }}");
    let _ = writeln!(out, "  static constexpr uint64_t functor_size() {{ return {size}; }}");
    let _ = writeln!(out, "  static constexpr unsigned num_params() {{ return {count}; }}");
    let _ = writeln!(out, "  static constexpr kernel_param param(unsigned i) {{");
    let _ = writeln!(out, "    switch (i) {{");
    for (i, param) in kernel.params.iter().enumerate() {
        let _ = writeln!(out, "    case {i}: return {{{}, {}, {}}};", param.kind as u32, param.size, param.offset);
    }
    let _ = writeln!(out, "    default: return {{1, 0, 0}};\n    }}\n  }}\n}};\n");
}

/// A C++ string literal.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(byte as char);
            }
            b' '..=b'~' => out.push(byte as char),
            // Three octal digits: no following digit can be taken for a part of it.
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// Writes the header so that readers see all of it or nothing, and a failure leaves nothing behind.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let result = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use scythe_abi::launch::ParamKind;

    fn part(namespaces: &str, declaration: &str) -> NamePart {
        NamePart { namespaces: namespaces.into(), declaration: declaration.into(), declarable: true, closure: false }
    }

    fn kernel(spelling: &str, parts: Vec<NamePart>) -> KernelEntry {
        KernelEntry {
            symbol: "_ZTS1K".into(),
            spelling: spelling.into(),
            parts,
            functor_size: 16,
            params: vec![Param { kind: ParamKind::Pointer, size: 8, offset: 8 }],
            calls: vec![Position { file: "a \"b\".cpp".into(), line: 3, column: 5 }],
        }
    }

    #[test]
    fn names_are_declared_once_in_their_namespaces() {
        let text = render(
            &[
                kernel("a::K", vec![part("a::inline v1", "class K")]),
                kernel("T<a::K>", vec![part("a::inline v1", "class K"), part("", "template <typename> struct T")]),
                kernel("L", vec![part(" ", "class L")]),
            ],
            &[],
        );
        assert_eq!(text.matches("namespace a { inline namespace v1 { class K; } }\n").count(), 1, "{text}");
        assert!(text.contains("\ntemplate <typename> struct T;\n"), "{text}");
        assert!(text.contains("\nnamespace { class L; }\n"), "{text}");
        assert!(text.contains("using __scythe_kernel_name_1 = T<a::K>;"), "{text}");
        assert!(text.contains("case 0: return {3, 8, 8};"), "{text}");
    }

    #[test]
    fn lambdas_are_listed_by_position_and_local_classes_nowhere() {
        let mut lambda = part("", "");
        (lambda.declarable, lambda.closure) = (false, true);
        let mut local = part("", "class Local");
        local.declarable = false;
        let mut submitted = kernel("(lambda)", vec![lambda]);
        submitted.calls.push(Position { column: 11, ..submitted.calls[0].clone() });
        let text = render(&[submitted, kernel("Local", vec![local])], &[]);
        assert!(text.contains("{\"a \\\"b\\\".cpp\", 3, 5, 16, \"_ZTS1K\"},"), "{text}");
        assert_eq!(text.matches("_ZTS1K").count(), 1, "one row for each line: {text}");
        assert!(!text.contains("Local") && !text.contains("kernel_info<::"), "{text}");
    }

    #[test]
    fn variables_are_registered_by_their_symbols() {
        let variable = DeviceGlobalNote { symbol: "_ZL1x".into(), id: "_ZL1x.tu.00000000000000ab".into(), size: 16 };
        let text = render(&[], &[variable]);
        assert!(text.contains("static char __scythe_device_global_0 __attribute__((weakref(\"_ZL1x\")));"), "{text}");
        assert!(text.contains("{&::__scythe_device_global_0, ::__scythe_device_global_name_0, 16},"), "{text}");
        let name = "__scythe_device_global_name_0[] __attribute__((section(\".scythe.unit.names\")))";
        assert!(text.contains(&format!("{name} = \"_ZL1x.tu.00000000000000ab\";")), "{text}");
        assert!(text.contains("registered_device_globals(device_globals, 1);"), "{text}");
        assert!(!render(&[], &[]).contains("device_global"));
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/int.h");
        assert!(write(&path, "x").is_err());
        // The target is a folder: the rename fails after the temporary file was written.
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        assert!(write(&taken, "x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
