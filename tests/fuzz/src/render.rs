//! The C++ text of a kernel with barriers.

use crate::program::{Kernel, Statement};

/// Appends the class of `k` and the function that runs it to `text`.
pub fn kernel(k: &Kernel, text: &mut String) {
    let (d, seed, code) = (k.dimensions, k.seed, &k.code);
    *text += &format!("\n#define FINISH(x) {{ out[gid] = mix(x, {}); return; }}\n", code.result);
    *text += &format!("struct kernel_{seed} {{\n");
    *text += "  uint *out, *scratch;\n  const uint *in;\n  uint k0, k1, k2, k3;\n  integers t;\n";
    *text += "  sycl::local_accessor<float> u;\n  integers c;\n";
    *text += &k.attributes();
    *text += &format!("  void operator()(sycl::nd_item<{d}> it) const {{\n");
    let mut lines = vec![
        "const uint l = static_cast<uint>(it.get_local_linear_id());".to_owned(),
        "const uint n = static_cast<uint>(it.get_group().get_local_linear_range());".to_owned(),
        "const uint g = static_cast<uint>(it.get_group_linear_id()), gid = g * n + l;".to_owned(),
        "uint *const s = scratch + g * n;".to_owned(),
    ];
    lines.extend(
        (0..d).map(|i| format!("const uint i{i} = static_cast<uint>(it.get_local_id({i}));")),
    );
    lines.extend(code.head.iter().cloned());
    for line in lines.iter().flat_map(|l| l.lines()) {
        *text += &format!("    {line}\n");
    }
    statements(&code.body, 4, text);
    statements(&code.tail, 4, text);
    *text += "    FINISH(0u)\n  }\n};\n#undef FINISH\n";
    *text += &k.run_function(&format!("kernel_{seed}, {d}"));
}

fn statements(all: &[Statement], indent: usize, text: &mut String) {
    let line = |words: &str, indent: usize, text: &mut String| {
        if !words.is_empty() {
            *text += &format!("{:indent$}{words}\n", "");
        }
    };
    for statement in all {
        match statement {
            Statement::Simple { text: words, .. }
            | Statement::Barrier(words)
            | Statement::Exchange { text: words, .. }
            | Statement::Jump { text: words, .. } => line(words, indent, text),
            Statement::Compound { head, arms, foot, .. } => {
                line(head, indent, text);
                for arm in arms {
                    line(&arm.open, indent, text);
                    statements(&arm.body, indent + 2, text);
                    line(&arm.close, indent, text);
                }
                line(foot, indent, text);
            }
        }
    }
}
