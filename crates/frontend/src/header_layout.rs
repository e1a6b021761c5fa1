//! Writes the layouts of functors into the integration header. The host compiler compares them with
//! its own layouts.
//!
//! If the class of the functor can be declared ahead, assertions in `functor_info` compare the
//! layout. If the name of the kernel can be declared ahead, assertions in `kernel_info` compare it.
//! For all other functors (unnamed lambdas and local classes), the header has tables, and the
//! launch compares the layout. Only in g++ do captures have names: `__x` for a capture `x`.

use std::fmt::Write as _;

use crate::facts::{FunctorType, Member};
use crate::int_header::{KernelEntry, literal};

/// The start and the end of lines for compilers in which captures have names.
const CLOSURES: &str = "#ifdef SCYTHE_CLOSURES_HAVE_NAMES\n";
const END: &str = "#endif\n";

/// Whether C++ can declare the class of a functor ahead. The result is false for classes of the
/// headers.
pub fn declarable(functor: &FunctorType) -> bool {
    functor.parts.iter().all(|part| part.declarable && !part.namespaces.starts_with("sycl"))
}

/// Writes a specialisation of `functor_info`. It asserts the layout of a class if the program
/// launches a functor of the class.
pub fn functor_info(out: &mut String, index: usize, kernel: &KernelEntry) {
    let FunctorType { spelling, align, .. } = &kernel.functor;
    let size = kernel.functor_size;
    let known = known(kernel);
    let _ = writeln!(out, "template <> struct functor_info<::__scythe_functor_{index}> {{");
    let _ = writeln!(out, "  template <class K> static constexpr bool agrees() {{");
    assert(out, &format!("sizeof(K) == {size}"), &format!("{known} '{spelling}' has {size} bytes"));
    assert(
        out,
        &format!("alignof(K) == {align}"),
        &format!("{known} '{spelling}' is aligned to {align}"),
    );
    members(out, kernel, &format!("{known} '{spelling}'"));
    out.push_str("    return true;\n  }\n};\n\n");
}

/// Writes a member of `kernel_info` with the same assertions, for a functor whose class C++ cannot
/// declare ahead.
pub fn kernel_agrees(out: &mut String, kernel: &KernelEntry) {
    out.push_str("  template <class K> static constexpr bool agrees() {\n");
    if !declarable(&kernel.functor) {
        members(out, kernel, &known(kernel));
    }
    out.push_str("    return true;\n  }\n");
}

fn known(kernel: &KernelEntry) -> String {
    format!("kernel '{}': the functor", kernel.name)
}

fn members(out: &mut String, kernel: &KernelEntry, known: &str) {
    for Member { path, arithmetic, offset, size, in_closure } in &kernel.functor.members {
        out.push_str(if *in_closure { CLOSURES } else { "" });
        let object = format!("static_cast<K *>(nullptr)->{path}");
        let place = format!("__builtin_offsetof(K, {path}) == {offset}");
        assert(out, &place, &format!("{known} has '{path}' at offset {offset}"));
        assert(
            out,
            &format!("sizeof({object}) == {size}"),
            &format!("{known} has '{path}' of {size} bytes"),
        );
        if let Some(name) = arithmetic {
            let same = format!("is_member_type<decltype({object}), {name}>");
            assert(out, &same, &format!("{known} has '{path}' of type '{name}'"));
        }
        out.push_str(if *in_closure { END } else { "" });
    }
}

fn assert(out: &mut String, condition: &str, message: &str) {
    let message = literal(&format!("{message} in the device pass"));
    let _ = writeln!(out, "    static_assert({condition}, {message});");
}

/// The tables of functors whose layout the launch compares.
pub struct Tables<'a> {
    /// The paths of members, without duplicates.
    paths: Vec<&'a str>,
}

impl<'a> Tables<'a> {
    /// Makes the tables of these kernels.
    pub fn new(kernels: impl Iterator<Item = &'a KernelEntry>) -> Self {
        let mut paths: Vec<&str> = kernels
            .flat_map(|kernel| &kernel.functor.members)
            .map(|member| member.path.as_str())
            .collect();
        paths.sort_unstable();
        paths.dedup();
        Self { paths }
    }

    /// Writes `functor_members<K>`: the host compiler's layout of each path in a functor `K`.
    pub fn declare(&self, out: &mut String) {
        for (index, path) in self.paths.iter().enumerate() {
            let of = |path: &str| format!("decltype(static_cast<K *>(nullptr)->{path})");
            let member = of(path);
            // In another functor, the path may name a bit-field, or an element behind a pointer.
            // Neither has an offset.
            let arrays = path.match_indices("[0]").map(|(end, _)| of(&path[..end]));
            let arrays: String = arrays
                .map(|array| {
                    format!(", std::enable_if_t<std::is_array_v<std::remove_reference_t<{array}>>>")
                })
                .collect();
            let _ = writeln!(
                out,
                "template <class K, class = void> inline constexpr functor_member \
                 member_{index}{{}};\n\
                 template <class K>\ninline constexpr functor_member member_{index}<K, \
                 std::void_t<{member}, decltype(sizeof(static_cast<K \
                 *>(nullptr)->{path})){arrays}>>{{\n    \
                 {}, __builtin_offsetof(K, {path}), sizeof({member}), \
                 &member_type<std::remove_cv_t<{member}>>}};",
                literal(path)
            );
        }
        out.push_str(
            "template <class K> inline constexpr const functor_member *functor_members[] = {",
        );
        for index in 0..self.paths.len() {
            let _ = write!(out, "&member_{index}<K>, ");
        }
        out.push_str("nullptr};\n");
    }

    /// Writes the table `expected_INDEX`, the layout of a kernel's functor in the device pass.
    /// Returns the end of the kernel's row.
    pub fn expect(&self, out: &mut String, index: usize, kernel: &KernelEntry) -> String {
        let members = &kernel.functor.members;
        if members.is_empty() {
            return "nullptr, 0".to_owned();
        }
        let _ = writeln!(out, "static constexpr expected_member expected_{index}[] = {{");
        for Member { path, arithmetic, offset, size, in_closure } in members {
            let place =
                self.paths.binary_search(&path.as_str()).expect("the tables are of these kernels");
            let kind = match arithmetic {
                Some(name) => format!("&member_type<{name}>"),
                None => "nullptr".to_owned(),
            };
            let _ = writeln!(
                out,
                "    {{{place}, {in_closure}, {{{}, {offset}, {size}, {kind}}}}},",
                literal(path)
            );
        }
        out.push_str("};\n");
        format!("expected_{index}, {}", members.len())
    }
}
