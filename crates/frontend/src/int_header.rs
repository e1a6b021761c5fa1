//! The integration header: what a foreign host compiler, which cannot ask clang, must know of the
//! kernels.
//!
//! It is valid C++17 for g++ and clang. Names that C++ lets one declare ahead are declared and get
//! a specialisation of `sycl::detail::kernel_info`; kernels whose name holds a lambda's type are
//! listed with the place where the program submits them. Every compiler mangles local classes
//! alike, so the host finds them by itself, and looks them up in a list of their layouts.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use scythe_abi::launch::Param;
use scythe_abi::names::{TU_SEPARATOR, UNIT_NAMES_SECTION};

use crate::annotate::DeviceGlobalNote;
use crate::facts::{FunctorType, NamePart, Position};
use crate::header_layout::{self, Tables};

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
         #elif __GNUC__ >= 12\n#pragma GCC diagnostic \
         ignored_attributes \"sycl::,cl::,intel::,INTEL::,sycl_detail::,__sycl_detail__::\"\n\
         #endif\n"
    );
    for name in macros {
        let _ = writeln!(out, "#ifndef {name}\n#define {name} 1\n#endif");
    }
    out.push_str("#include <sycl/detail/kernel_info.hpp>\n\n");
    let declared: Vec<&KernelEntry> = kernels.iter().filter(|kernel| kernel.declarable()).collect();
    let mut functors: Vec<&KernelEntry> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| header_layout::declarable(&kernel.functor)) {
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
    // Aliases outside of every namespace: inside `sycl::detail` a program's names could mean
    // something else.
    for (index, kernel) in declared.iter().enumerate() {
        let _ = writeln!(out, "using __scythe_kernel_name_{index} = {};", kernel.spelling);
    }
    for (index, kernel) in functors.iter().enumerate() {
        let _ = writeln!(out, "using __scythe_functor_{index} = {};", kernel.functor.spelling);
    }
    // Offsets in classes that are not of standard layout are what is compared: GCC warns of asking
    // for them.
    out.push_str(
        "\nnamespace sycl {\nnamespace detail {\n\n\
         #pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n\n",
    );
    for (index, kernel) in declared.iter().enumerate() {
        specialise(&mut out, index, kernel);
    }
    for (index, kernel) in functors.iter().enumerate() {
        header_layout::functor_info(&mut out, index, kernel);
    }
    list(&mut out, kernels);
    out.push_str("#pragma GCC diagnostic pop\n\n} // namespace detail\n} // namespace sycl\n");
    if !variables.is_empty() {
        register(&mut out, variables);
    }
    refuse_doubts(&mut out, kernels);
    out
}

/// The tables of kernels without a specialisation: lambdas by the places of their calls, local
/// classes by their symbols.
fn list(out: &mut String, kernels: &[KernelEntry]) {
    let listed: Vec<&KernelEntry> = kernels.iter().filter(|kernel| !kernel.declarable()).collect();
    let tables = Tables::new(listed.iter().copied());
    tables.declare(out);
    let (mut unnamed, mut local) = (Vec::new(), Vec::new());
    for (index, kernel) in listed.into_iter().enumerate() {
        let members = tables.expect(out, index, kernel);
        let (size, align, symbol) =
            (kernel.functor_size, kernel.functor.align, literal(&kernel.symbol));
        let row = format!("{size}, {align}, {symbol}, {members}");
        if kernel.unnamed() {
            unnamed.extend(kernel.calls.iter().map(|call| (call, &kernel.symbol, row.clone())));
        } else {
            local.push(row);
        }
    }
    unnamed.sort();
    // A call with a qualified name has two places in its line, where the call and where the name
    // begins.
    let mut known = HashSet::new();
    unnamed.retain(|(call, symbol, _)| known.insert((&call.file, call.line, *symbol)));
    out.push_str("static const listed_kernel unnamed_kernels[] = {\n");
    for (Position { file, line, column }, _, row) in unnamed {
        let _ = writeln!(out, "    {{{}, {line}, {column}, {row}}},", literal(file));
    }
    out.push_str("    {nullptr, 0, 0, 0, 0, nullptr, nullptr, 0},\n};\n");
    out.push_str("static const listed_kernel local_kernels[] = {\n");
    for row in local {
        let _ = writeln!(out, "    {{nullptr, 0, 0, {row}}},");
    }
    out.push_str("    {nullptr, 0, 0, 0, 0, nullptr, nullptr, 0},\n};\n");
}

/// Errors where g++ would read these lambdas, each at its place.
fn refuse_doubts(out: &mut String, kernels: &[KernelEntry]) {
    let mut doubts: Vec<(&KernelEntry, &Doubt)> = kernels
        .iter()
        .flat_map(|kernel| kernel.doubts.iter().map(move |doubt| (kernel, doubt)))
        .collect();
    if doubts.is_empty() {
        return;
    }
    doubts.sort_by_key(|(kernel, doubt)| (&doubt.at, &kernel.symbol));
    out.push_str("\n#ifndef __clang__\n");
    for (kernel, Doubt { at, why, names }) in doubts {
        let _ = writeln!(out, "#line {} {}", at.line, literal(&at.file));
        let list = names.join(", ");
        let advice = if list.is_empty() {
            "do not capture by default".to_owned()
        } else {
            format!("name them: [{list}]")
        };
        let message = format!(
            "kernel '{}': compilers differ in what this lambda captures without naming it, or in \
             its order, since {why}; \
             {advice}, or let clang compile the host side too",
            kernel.name
        );
        let _ = writeln!(out, "#error {}", literal(&message));
    }
    out.push_str("#endif\n");
}

/// Lets the runtime know the program's variables. They cannot be named before they are declared,
/// nor all of them afterwards; but their symbols can, also those of internal linkage. A variable
/// that is not part of the object has no address.
fn register(out: &mut String, variables: &[DeviceGlobalNote]) {
    out.push_str("\n#include <sycl/detail/device_global_registration.hpp>\n\n");
    for (index, variable) in variables.iter().enumerate() {
        let (symbol, id) = (literal(&variable.symbol), literal(&variable.id));
        let _ = writeln!(
            out,
            "static char __scythe_device_global_{index} __attribute__((weakref({symbol})));"
        );
        // The driver puts the final identifier of the unit into names that have it.
        let section = match variable.id.contains(TU_SEPARATOR) {
            true => format!(" __attribute__((section(\"{UNIT_NAMES_SECTION}\")))"),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "static const char __scythe_device_global_name_{index}[]{section} = {id};"
        );
    }
    out.push_str(
        "\nnamespace sycl {\nnamespace detail {\n\nstatic const scythe_device_global \
        device_globals[] = {\n",
    );
    for (index, variable) in variables.iter().enumerate() {
        let size = variable.size;
        let (variable, name) = ("::__scythe_device_global_", "::__scythe_device_global_name_");
        let _ = writeln!(out, "    {{&{variable}{index}, {name}{index}, {size}}},");
    }
    let count = variables.len();
    let _ = writeln!(
        out,
        "}};\nstatic const device_global_registration registered_device_globals(device_globals, \
         {count});\n\n}} // namespace \
         detail\n}} // namespace sycl"
    );
}

/// A declaration inside its namespaces.
fn declare(out: &mut String, part: &NamePart) {
    let spaces: Vec<&str> = if part.namespaces.is_empty() {
        Vec::new()
    } else {
        part.namespaces.split("::").map(str::trim).collect()
    };
    for space in &spaces {
        let (inline, name) =
            space.strip_prefix("inline ").map_or(("", *space), |name| ("inline ", name));
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
    let _ = writeln!(
        out,
        "  static constexpr uint64_t functor_align() {{ return {}; }}",
        kernel.functor.align
    );
    let _ = writeln!(out, "  static constexpr unsigned num_params() {{ return {count}; }}");
    let _ = writeln!(out, "  static constexpr kernel_param param(unsigned i) {{");
    let _ = writeln!(out, "    switch (i) {{");
    for (i, param) in kernel.params.iter().enumerate() {
        let _ = writeln!(
            out,
            "    case {i}: return {{{}, {}, {}}};",
            param.kind as u32, param.size, param.offset
        );
    }
    let _ = writeln!(out, "    default: return {{1, 0, 0}};\n    }}\n  }}");
    header_layout::kernel_agrees(out, kernel);
    out.push_str("};\n\n");
}

/// A C++ string literal.
pub(crate) fn literal(text: &str) -> String {
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
    use crate::facts::Member;
    use scythe_abi::launch::ParamKind;

    fn part(namespaces: &str, declaration: &str) -> NamePart {
        NamePart {
            namespaces: namespaces.into(),
            declaration: declaration.into(),
            declarable: true,
            closure: false,
        }
    }

    fn undeclarable() -> NamePart {
        NamePart { declarable: false, ..part("", "class Local") }
    }

    fn render(kernels: &[KernelEntry], variables: &[DeviceGlobalNote]) -> String {
        let macros = ["__SYCL_ANY_DEVICE_HAS_fp16__".to_owned()];
        super::render(&Header { tu_id: "00000000000000ab", macros: &macros, kernels, variables })
    }

    fn member(path: &str, arithmetic: Option<&str>) -> Member {
        let arithmetic = arithmetic.map(str::to_owned);
        Member { path: path.into(), arithmetic, offset: 8, size: 4, in_closure: false }
    }

    fn kernel(spelling: &str, parts: Vec<NamePart>) -> KernelEntry {
        KernelEntry {
            name: spelling.into(),
            functor: FunctorType {
                parts: vec![undeclarable()],
                align: 8,
                ..FunctorType::default()
            },
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
                kernel(
                    "T<a::K>",
                    vec![part("a::inline v1", "class K"), part("", "template <typename> struct T")],
                ),
                kernel("L", vec![part(" ", "class L")]),
            ],
            &[],
        );
        assert_eq!(
            text.matches("namespace a { inline namespace v1 { class K; } }\n").count(),
            1,
            "{text}"
        );
        assert!(text.contains("\ntemplate <typename> struct T;\n"), "{text}");
        assert!(text.contains("\nnamespace { class L; }\n"), "{text}");
        assert!(text.contains("using __scythe_kernel_name_1 = T<a::K>;"), "{text}");
        assert!(text.contains("case 0: return {3, 8, 8};"), "{text}");
    }

    #[test]
    fn lambdas_are_listed_by_position_and_local_classes_by_symbol() {
        let mut lambda = part("", "");
        (lambda.declarable, lambda.closure) = (false, true);
        let mut local = part("", "class Local");
        local.declarable = false;
        let mut submitted = kernel("(lambda)", vec![lambda]);
        submitted.calls.push(Position { column: 11, ..submitted.calls[0].clone() });
        let mut in_function = kernel("Local", vec![local]);
        in_function.functor.members =
            vec![Member { in_closure: true, ..member("__x", Some("float")) }];
        let text = render(&[submitted, in_function], &[]);
        assert!(
            text.contains("{\"a \\\"b\\\".cpp\", 3, 5, 16, 8, \"_ZTS1K\", nullptr, 0},"),
            "{text}"
        );
        assert!(text.contains("{nullptr, 0, 0, 16, 8, \"_ZTS1K\", expected_1, 1},"), "{text}");
        assert!(text.contains("    {0, true, {\"__x\", 8, 4, &member_type<float>}},"), "{text}");
        assert_eq!(text.matches("_ZTS1K").count(), 2, "one row for each line: {text}");
        assert!(!text.contains("Local") && !text.contains("kernel_info<::"), "{text}");
    }

    #[test]
    fn functors_that_can_be_declared_are_asserted() {
        let mut asserted = kernel("K", vec![part("", "class K")]);
        asserted.functor.spelling = "n::F".into();
        asserted.functor.parts = vec![part("n", "struct F")];
        asserted.functor.members = vec![member("s", None), member("s.x", Some("unsigned int"))];
        let text = render(&[asserted.clone(), asserted], &[]);
        for words in [
            "\nnamespace n { struct F; }\n",
            "using __scythe_functor_0 = n::F;",
            "template <> struct functor_info<::__scythe_functor_0> {",
            "static_assert(sizeof(K) == 16, \"kernel 'K': the functor 'n::F' has 16 bytes in the \
             device pass\");",
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
        doubtful.doubts =
            vec![Doubt { at, why: "it is".into(), names: vec!["a".into(), "b".into()] }];
        let text = render(&[doubtful], &[]);
        assert!(
            text.contains(
                "#ifndef __clang__\n#line 7 \"odd \\\"x\\\".cpp\"\n#error \"kernel 'K': "
            ),
            "{text}"
        );
        assert!(text.contains("since it is; name them: [a, b], or"), "{text}");
    }

    #[test]
    fn the_header_is_complete_by_itself() {
        let text = render(&[], &[]);
        assert!(
            text.contains("#undef SCYTHE_TU_ID\n#define SCYTHE_TU_ID 0x00000000000000abULL\n"),
            "{text}"
        );
        assert!(text.contains("#define __SYCL_ANY_DEVICE_HAS_fp16__ 1\n"), "{text}");
    }

    #[test]
    fn variables_are_registered_by_their_symbols() {
        let variable = DeviceGlobalNote {
            symbol: "_ZL1x".into(),
            id: "_ZL1x.tu.00000000000000ab".into(),
            size: 16,
        };
        let text = render(&[], &[variable]);
        assert!(
            text.contains(
                "static char __scythe_device_global_0 __attribute__((weakref(\"_ZL1x\")));"
            ),
            "{text}"
        );
        assert!(
            text.contains("{&::__scythe_device_global_0, ::__scythe_device_global_name_0, 16},"),
            "{text}"
        );
        let name =
            "__scythe_device_global_name_0[] __attribute__((section(\".scythe.unit.names\")))";
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
