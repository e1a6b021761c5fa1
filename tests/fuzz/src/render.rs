//! Kernels as one C++ program, which takes the number of the first kernel to run.

use crate::program::{Kernel, Statement};

/// The program of `kernels`.
pub fn program(kernels: &[Kernel]) -> String {
    let mut text = include_str!("prelude.hpp").to_owned();
    for k in kernels {
        kernel(k, &mut text);
    }
    text += "\nint main(int argc, char **argv) {\n  machine m;\n  static void (*const \
        all[])(machine &) = {";
    for k in kernels {
        text += &format!("run_{}, ", k.seed);
    }
    text += "};\n  for (std::size_t i = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0; i < \
        sizeof(all) / sizeof(*all); ++i)\n    all[i](m);\n}\n";
    text
}

fn kernel(k: &Kernel, text: &mut String) {
    let d = k.dimensions;
    *text += &format!("\n#define FINISH(x) {{ out[gid] = mix(x, {}); return; }}\n", k.result);
    *text += &format!("struct kernel_{} {{\n", k.seed);
    *text += "  uint *out, *scratch;\n  const uint *in;\n  uint k0, k1, k2, k3;\n  integers t;\n";
    *text += "  sycl::local_accessor<float> u;\n  integers c;\n";
    if let Some(size) = k.sub_group {
        *text += &format!("  [[sycl::reqd_sub_group_size({size})]]\n");
    }
    if let Some((local, _)) = k.launches.first().filter(|_| k.required) {
        let extents: Vec<String> = local[..d].iter().map(usize::to_string).collect();
        *text += &format!("  [[sycl::reqd_work_group_size({})]]\n", extents.join(", "));
    }
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
    lines.extend(k.head.iter().cloned());
    for line in lines.iter().flat_map(|l| l.lines()) {
        *text += &format!("    {line}\n");
    }
    statements(&k.body, 4, text);
    statements(&k.tail, 4, text);
    *text += "    FINISH(0u)\n  }\n};\n#undef FINISH\n";
    let launches: Vec<String> = k
        .launches
        .iter()
        .map(|([x, y, z], groups)| format!("{{{{{x}, {y}, {z}}}, {groups}}}"))
        .collect();
    let [a, b, c, e] = k.arguments;
    *text += &format!(
        "void run_{0}(machine &m) {{ m.run<kernel_{0}, {d}>({0}, {{{a}u, {b}u, {c}u, {e}u}}, \
         {{{1}}}); }}\n",
        k.seed,
        launches.join(", ")
    );
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
