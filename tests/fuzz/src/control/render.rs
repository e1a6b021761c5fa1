//! The C++ text of a kernel with control flow of all forms.

use super::{Jump, Kernel, Statement};

/// Appends the class of `k` and the function that runs it to `text`.
pub fn kernel(k: &Kernel, text: &mut String) {
    let (d, seed, code) = (k.dimensions, k.seed, &k.code);
    *text += &format!(
        "\nstruct kernel_{seed} : arguments {{\n  static constexpr int dimensions = {d};\n"
    );
    *text += &format!("  static constexpr bool nd = {};\n", code.nd);
    *text += "  template <class Steps> PLAIN static uint body(const arguments &a, const place &at, \
        Steps &steps) {\n";
    *text += "    const uint gid = at.gid, l = at.l, g = at.g, n = at.n, i0 = at.i0, i1 = at.i1, \
        i2 = at.i2;\n";
    *text += "    const uint k0 = a.k0, k1 = a.k1, k2 = a.k2, k3 = a.k3, items = a.items;\n";
    *text += "    const uint *const in = a.in;\n    uint *const out = a.out;\n";
    for line in &code.declarations {
        *text += &format!("    {line}\n");
    }
    *text += &format!("#define FINISH(x) return mix(x, {});\n", mixed(&code.result));
    statements(&code.body, 4, text);
    *text += "    FINISH(0u)\n#undef FINISH\n  }\n";
    *text += &k.attributes();
    let item = if code.nd { "nd_item" } else { "item" };
    *text += &format!("  void operator()(sycl::{item}<{d}> it) const {{\n");
    *text += "    uncounted steps;\n    const place at = place_of(it);\n";
    *text += "    out[at.gid] = body(*this, at, steps);\n  }\n};\n";
    *text += &k.run_function(&format!("kernel_{seed}"));
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
