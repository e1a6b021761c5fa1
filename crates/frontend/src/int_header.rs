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
use crate::facts::{FunctorType, Member, NamePart, Position};

/// What the header tells.
pub struct Header<'a> {
    /// The translation unit: 16 hexadecimal digits.
    pub tu_id: &'a str,
    /// Macros that both passes must have, all of them 1.
    pub macros: &'a [String],
    pub kernels: &'a [KernelEntry],
    pub variables: &'a [DeviceGlobalNote],
}

/// A lambda that compilers other than clang may lay out in another way.
#[derive(Clone, Debug)]
pub struct Doubt {
    pub at: Position,
    pub why: String,
    /// What it captures without naming it.
    pub names: Vec<String>,
}

/// What the header says of one kernel.
#[derive(Clone, Debug)]
pub struct KernelEntry {
    /// As diagnostics show it.
    pub name: String,
    pub functor: FunctorType,
    pub doubts: Vec<Doubt>,
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
pub fn render(header: &Header<'_>) -> String {
    let Header { tu_id, macros, kernels, variables } = *header;
    let mut out = format!(
        "// Made by Scythe: what the host compiler must know of the kernels.\n#pragma once\n\
         #define __SCYTHE_INT_HEADER__ 1\n#undef SCYTHE_TU_ID\n#define SCYTHE_TU_ID 0x{tu_id}ULL\n\
         // SYCL's attributes mean something to the device pass only.\n\
         #if defined(__clang__)\n#pragma clang diagnostic ignored \"-Wunknown-attributes\"\n\
         #elif __GNUC__ >= 12\n#pragma GCC diagnostic ignored_attributes \"sycl::,cl::,intel::,INTEL::,sycl_detail::,__sycl_detail__::\"\n#endif\n"
    );
    for name in macros {
        let _ = writeln!(out, "#ifndef {name}\n#define {name} 1\n#endif");
    }
    out.push_str("#include <sycl/detail/kernel_info.hpp>\n\n");
    let declared: Vec<&KernelEntry> = kernels.iter().filter(|kernel| kernel.declarable()).collect();
    let mut functors: Vec<&KernelEntry> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| assertable(&kernel.functor)) {
        if functors.iter().all(|known| known.functor.spelling != kernel.functor.spelling) {
            functors.push(kernel);
        }
    }
    let mut seen = Vec::new();
    let named = declared.iter().flat_map(|kernel| &kernel.parts);
    for part in named.chain(functors.iter().flat_map(|kernel| &kernel.functor.parts)) {
        if !seen.contains(&part) {
            declare(&mut out, part);
            seen.push(part);
        }
    }
    // Aliases outside of every namespace: inside `sycl::detail` a program's names could mean something else.
    for (index, kernel) in declared.iter().enumerate() {
        let _ = writeln!(out, "using __scythe_kernel_name_{index} = {};", kernel.spelling);
    }
    for (index, kernel) in functors.iter().enumerate() {
        let _ = writeln!(out, "using __scythe_functor_{index} = {};", kernel.functor.spelling);
    }
    out.push_str("\nnamespace sycl {\nnamespace detail {\n\n");
    for (index, kernel) in declared.iter().enumerate() {
        specialise(&mut out, index, kernel);
    }
    if !functors.is_empty() {
        // Offsets in classes that are not of standard layout are what is compared: GCC warns of asking for them.
        out.push_str("#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n");
        for (index, kernel) in functors.iter().enumerate() {
            assert_layout(&mut out, index, kernel);
        }
        out.push_str("#pragma GCC diagnostic pop\n");
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
        let (size, align) = (kernel.functor_size, kernel.functor.align);
        let (file, symbol) = (literal(file), literal(&kernel.symbol));
        let _ = writeln!(out, "    {{{file}, {line}, {column}, {size}, {align}, {symbol}}},");
    }
    out.push_str("    {nullptr, 0, 0, 0, 0, nullptr},\n};\n\n} // namespace detail\n} // namespace sycl\n");
    if !variables.is_empty() {
        register(&mut out, variables);
    }
    refuse_doubts(&mut out, kernels);
    out
}

/// Whether a functor's class can be declared ahead, and is not the headers' own.
fn assertable(functor: &FunctorType) -> bool {
    functor.parts.iter().all(|part| part.declarable && !part.namespaces.starts_with("sycl"))
}

/// The host compiler compares a functor of a class that can be declared ahead, once it is launched and complete.
fn assert_layout(out: &mut String, index: usize, kernel: &KernelEntry) {
    let FunctorType { spelling, align, members, .. } = &kernel.functor;
    let size = kernel.functor_size;
    let known = format!("kernel '{}': the functor '{spelling}'", kernel.name);
    let mut asserts = vec![
        (format!("sizeof(K) == {size}"), format!("{known} has {size} bytes in the device pass")),
        (format!("alignof(K) == {align}"), format!("{known} is aligned to {align} in the device pass")),
    ];
    for Member { path, arithmetic, offset, size } in members {
        let object = format!("static_cast<K *>(nullptr)->{path}");
        let place = format!("__builtin_offsetof(K, {path}) == {offset}");
        asserts.push((place, format!("{known} has '{path}' at offset {offset} in the device pass")));
        let extent = format!("sizeof({object}) == {size}");
        asserts.push((extent, format!("{known} has '{path}' of {size} bytes in the device pass")));
        if let Some(name) = arithmetic {
            let same = format!("is_member_type<decltype({object}), {name}>");
            asserts.push((same, format!("{known} has '{path}' of type '{name}' in the device pass")));
        }
    }
    let _ = writeln!(out, "template <> struct functor_info<::__scythe_functor_{index}> {{");
    let _ = writeln!(out, "  template <class K> static constexpr bool agrees() {{");
    for (condition, message) in asserts {
        let _ = writeln!(out, "    static_assert({condition}, {});", literal(&message));
    }
    let _ = writeln!(out, "    return true;\n  }}\n}};\n");
}

/// Errors where g++ would read these lambdas, each at its place.
fn refuse_doubts(out: &mut String, kernels: &[KernelEntry]) {
    let mut doubts: Vec<(&KernelEntry, &Doubt)> =
        kernels.iter().flat_map(|kernel| kernel.doubts.iter().map(move |doubt| (kernel, doubt))).collect();
    if doubts.is_empty() {
        return;
    }
    doubts.sort_by_key(|(kernel, doubt)| (&doubt.at, &kernel.symbol));
    out.push_str("\n#ifndef __clang__\n");
    for (kernel, Doubt { at, why, names }) in doubts {
        let _ = writeln!(out, "#line {} {}", at.line, literal(&at.file));
        let list = names.join(", ");
        let advice =
            if list.is_empty() { "do not capture by default".to_owned() } else { format!("name them: [{list}]") };
        let message = format!(
            "kernel '{}': compilers differ in what this lambda captures without naming it, or in its order, since {why}; \
             {advice}, or let clang compile the host side too",
            kernel.name
        );
        let _ = writeln!(out, "#error {}", literal(&message));
    }
    out.push_str("#endif\n");
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
    let _ = writeln!(out, "  static constexpr uint64_t functor_align() {{ return {}; }}", kernel.functor.align);
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

    fn undeclarable() -> NamePart {
        NamePart { declarable: false, ..part("", "class Local") }
    }

    fn render(kernels: &[KernelEntry], variables: &[DeviceGlobalNote]) -> String {
        let macros = ["__SYCL_ANY_DEVICE_HAS_fp16__".to_owned()];
        super::render(&Header { tu_id: "00000000000000ab", macros: &macros, kernels, variables })
    }

    fn kernel(spelling: &str, parts: Vec<NamePart>) -> KernelEntry {
        KernelEntry {
            name: spelling.into(),
            functor: FunctorType { parts: vec![undeclarable()], align: 8, ..FunctorType::default() },
            doubts: Vec::new(),
            symbol: "_ZTS1K".into(),
            spelling: spelling.into(),
            parts,
            functor_size: 16,
            params: vec![Param::pointer(ParamKind::Pointer, 8)],
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
        assert!(text.contains("{\"a \\\"b\\\".cpp\", 3, 5, 16, 8, \"_ZTS1K\"},"), "{text}");
        assert_eq!(text.matches("_ZTS1K").count(), 1, "one row for each line: {text}");
        assert!(!text.contains("Local") && !text.contains("kernel_info<::"), "{text}");
    }

    #[test]
    fn functors_that_can_be_declared_are_asserted() {
        let mut asserted = kernel("K", vec![part("", "class K")]);
        asserted.functor.spelling = "n::F".into();
        asserted.functor.parts = vec![part("n", "struct F")];
        let member = |path: &str, arithmetic: Option<&str>| Member {
            path: path.into(),
            arithmetic: arithmetic.map(str::to_owned),
            offset: 8,
            size: 4,
        };
        asserted.functor.members = vec![member("s", None), member("s.x", Some("unsigned int"))];
        let text = render(&[asserted.clone(), asserted], &[]);
        for words in [
            "\nnamespace n { struct F; }\n",
            "using __scythe_functor_0 = n::F;",
            "template <> struct functor_info<::__scythe_functor_0> {",
            "static_assert(sizeof(K) == 16, \"kernel 'K': the functor 'n::F' has 16 bytes in the device pass\");",
            "static_assert(alignof(K) == 8, ",
            "static_assert(__builtin_offsetof(K, s.x) == 8, ",
            "is_member_type<decltype(static_cast<K *>(nullptr)->s.x), unsigned int>",
        ] {
            assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
        }
    }

    #[test]
    fn doubtful_lambdas_are_errors_at_their_places() {
        let mut doubtful = kernel("K", vec![part("", "class K")]);
        let at = Position { file: "odd \"x\".cpp".into(), line: 7, column: 3 };
        doubtful.doubts = vec![Doubt { at, why: "it is".into(), names: vec!["a".into(), "b".into()] }];
        let text = render(&[doubtful], &[]);
        assert!(text.contains("#ifndef __clang__\n#line 7 \"odd \\\"x\\\".cpp\"\n#error \"kernel 'K': "), "{text}");
        assert!(text.contains("since it is; name them: [a, b], or"), "{text}");
    }

    #[test]
    fn the_header_is_complete_by_itself() {
        let text = render(&[], &[]);
        assert!(text.contains("#undef SCYTHE_TU_ID\n#define SCYTHE_TU_ID 0x00000000000000abULL\n"), "{text}");
        assert!(text.contains("#define __SYCL_ANY_DEVICE_HAS_fp16__ 1\n"), "{text}");
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
