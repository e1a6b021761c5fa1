//! Kernels as one C++ program, which takes the number of the first kernel to run, and `host` or
//! `device`.

use super::{Jump, Kernel, Statement};

/// The program of `kernels`.
pub fn program(kernels: &[Kernel]) -> String {
    let mut text = include_str!("prelude.hpp").to_owned();
    for k in kernels {
        kernel(k, &mut text);
    }
    text += "\nint main(int argc, char **argv) {\n";
    text += "  machine m(argc > 2 && std::strcmp(argv[2], \"host\") == 0);\n";
    text += "  static void (*const all[])(machine &) = {";
    for k in kernels {
        text += &format!("run_{}, ", k.seed);
    }
    text += "};\n  for (std::size_t i = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0; \
             i < sizeof(all) / sizeof(*all); ++i)\n    all[i](m);\n}\n";
    text
}

fn kernel(k: &Kernel, text: &mut String) {
    let (d, seed) = (k.dimensions, k.seed);
    *text += &format!(
        "\nstruct kernel_{seed} : arguments {{\n  static constexpr int dimensions = {d};\n"
    );
    *text += &format!("  static constexpr bool nd = {};\n", k.nd);
    *text += "  template <class Steps> PLAIN static uint body(const arguments &a, const place &at, \
        Steps &steps) {\n";
    *text += "    const uint gid = at.gid, l = at.l, g = at.g, n = at.n, i0 = at.i0, i1 = at.i1, \
        i2 = at.i2;\n";
    *text += "    const uint k0 = a.k0, k1 = a.k1, k2 = a.k2, k3 = a.k3, items = a.items;\n";
    *text += "    const uint *const in = a.in;\n    uint *const out = a.out;\n";
    for line in &k.declarations {
        *text += &format!("    {line}\n");
    }
    *text += &format!("#define FINISH(x) return mix(x, {});\n", mixed(&k.result));
    statements(&k.body, 4, text);
    *text += "    FINISH(0u)\n#undef FINISH\n  }\n";
    if let Some(size) = k.sub_group {
        *text += &format!("  [[sycl::reqd_sub_group_size({size})]]\n");
    }
    if let Some((local, _)) = k.launches.first().filter(|_| k.required) {
        let extents: Vec<String> = local[..d].iter().map(usize::to_string).collect();
        *text += &format!("  [[sycl::reqd_work_group_size({})]]\n", extents.join(", "));
    }
    let item = if k.nd { "nd_item" } else { "item" };
    *text += &format!("  void operator()(sycl::{item}<{d}> it) const {{\n");
    *text += "    uncounted steps;\n    const place at = place_of(it);\n";
    *text += "    out[at.gid] = body(*this, at, steps);\n  }\n};\n";
    let launches: Vec<String> = k
        .launches
        .iter()
        .map(|([x, y, z], groups)| format!("{{{{{x}, {y}, {z}}}, {groups}}}"))
        .collect();
    let [a, b, c, e] = k.arguments;
    *text += &format!(
        "void run_{seed}(machine &m) {{ m.run<kernel_{seed}>({seed}, {{{a}u, {b}u, {c}u, {e}u}}, \
         {{{}}}); }}\n",
        launches.join(", ")
    );
}

fn mixed(terms: &[String]) -> String {
    terms.iter().fold("0u".to_owned(), |all, term| format!("({all} * 31u + {term})"))
}

fn statements(all: &[Statement], indent: usize, text: &mut String) {
    let line = |words: &str, text: &mut String| *text += &format!("{:indent$}{words}\n", "");
    for statement in all {
        match statement {
            Statement::Simple(words) => line(words, text),
            Statement::Label(label) => line(&format!("L{label}: STEP"), text),
            Statement::Jump { condition, jump } => {
                let action = match jump {
                    Jump::Break => "break;".to_owned(),
                    Jump::Continue => "continue;".to_owned(),
                    Jump::Goto(label) => format!("goto L{label};"),
                    Jump::Return(number) => format!("FINISH({number}u)"),
                };
                match condition {
                    Some(condition) => line(&format!("if ({condition}) {action}"), text),
                    None => line(&action, text),
                }
            }
            Statement::If { condition, then, otherwise } => {
                line(&format!("if ({condition}) {{"), text);
                statements(then, indent + 2, text);
                if !otherwise.is_empty() {
                    line("} else {", text);
                    statements(otherwise, indent + 2, text);
                }
                line("}", text);
            }
            Statement::Loop { open, body, close } => {
                line(&format!("{open} {{"), text);
                line("  STEP", text);
                statements(body, indent + 2, text);
                line(&format!("}} {close}"), text);
            }
            Statement::Switch { value, arms } => {
                line(&format!("switch ({value}) {{"), text);
                for (i, arm) in arms.iter().enumerate() {
                    let last = i + 1 == arms.len();
                    line(&if last { "default:;".to_owned() } else { format!("case {i}:;") }, text);
                    statements(arm, indent + 2, text);
                }
                line("}", text);
            }
        }
    }
}
