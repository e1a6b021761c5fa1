//! The C++ text of a kernel that uses many parts of the language.

use super::{Kernel, Statement};

/// Appends the class of `k` and the function that runs it to `text`.
pub fn kernel(k: &Kernel, text: &mut String) {
    let (d, seed, code) = (k.dimensions, k.seed, &k.code);
    *text += &format!("\nstruct kernel_{seed} {{\n  static constexpr int dimensions = {d};\n");
    for (name, value) in
        [("nd", code.nd), ("specialized", code.specialized), ("reduces", code.reduces)]
    {
        *text += &format!("  static constexpr bool {name} = {value};\n");
    }
    *text += "  uint *out, *cells;\n  ulong *wide;\n  const uint *in;\n  uint k0, k1, k2, k3;\n";
    if code.nd {
        *text += "  words t;\n  counters c;\n";
    }
    let (item, parameters) = (
        if code.nd { "nd_item" } else { "item" },
        match code.reduces {
            true => ", Sum &sum, Greatest &greatest",
            false => "",
        },
    );
    let handler = if code.specialized { ", sycl::kernel_handler kh" } else { "" };
    if code.reduces {
        *text += "  template <class Sum, class Greatest>\n";
    }
    *text += &k.attributes();
    *text += &format!("  void operator()(sycl::{item}<{d}> it{parameters}{handler}) const {{\n");
    let place: &[&str] = match code.nd {
        true => &[
            "const uint l = static_cast<uint>(it.get_local_linear_id());",
            "const uint n = static_cast<uint>(it.get_group().get_local_linear_range());",
            "const uint g = static_cast<uint>(it.get_group_linear_id()), gid = g * n + l;",
        ],
        false => &[
            "const uint gid = static_cast<uint>(it.get_linear_id());",
            "const uint l = static_cast<uint>(it.get_id(0)) % 64u;",
            "const uint n = static_cast<uint>(it.get_range(0)), g = 0u;",
        ],
    };
    for line in place.iter().copied().chain(code.declarations.iter().map(String::as_str)) {
        *text += &format!("    {line}\n");
    }
    let mixed = |first: &str| {
        code.result.iter().fold(first.to_owned(), |all, term| format!("mix({all}, {term})"))
    };
    *text += &format!("#define FINISH(x) {{ out[gid] = {}; return; }}\n", mixed("x"));
    statements(&code.body, 4, text);
    statements(&code.tail, 4, text);
    *text += "    FINISH(0u)\n#undef FINISH\n  }\n};\n";
    *text += &k.run_function(&format!("kernel_{seed}"));
}

fn statements(all: &[Statement], indent: usize, text: &mut String) {
    let line = |words: &str, text: &mut String| {
        if !words.is_empty() {
            *text += &format!("{:indent$}{words}\n", "");
        }
    };
    for statement in all {
        match statement {
            Statement::Simple(words) => line(words, text),
            Statement::Compound { head, arms, foot } => {
                line(head, text);
                for arm in arms {
                    line(&arm.open, text);
                    statements(&arm.body, indent + 2, text);
                    line(&arm.close, text);
                }
                line(foot, text);
            }
        }
    }
}
