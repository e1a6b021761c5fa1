//! Checks that the zeroes of zero-extended AVX-512 masks survive register allocation.

use scythe_llvm::*;

/// Eight lanes of a mask of sixteen, with the others disabled, as in the code for the rest of a
/// work-group.
const EXTENSION: &str = "
define void @f(<16 x i32> %a, <16 x i1> %s, ptr %p) {
  %c = icmp ne <16 x i32> %a, zeroinitializer
  %o = or <16 x i1> %c, %s
  %z = shufflevector <16 x i1> %o, <16 x i1> zeroinitializer, <16 x i32> <i32 0, i32 1, i32 2, i32 \
  3, i32 4,
      i32 5, i32 6, i32 7, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  store <16 x i1> %z, ptr %p
  ret void
}
";

fn assembly(features: &str, level: OptLevel) -> String {
    let machine = TargetMachine::new(&TargetOptions {
        triple: "x86_64-unknown-linux-gnu".into(),
        features: features.into(),
        opt_level: level,
        ..TargetOptions::default()
    })
    .unwrap_or_else(|e| panic!("{e}"));
    let context = Context::new();
    let module = context.parse_ir(EXTENSION.as_bytes(), "masks").unwrap_or_else(|e| panic!("{e}"));
    machine.apply_to(&module);
    String::from_utf8(machine.emit_assembly(module).unwrap_or_else(|e| panic!("{e}")))
        .expect("assembly is text")
}

/// LLVM's register allocator treats a move between mask registers as a copy, which it may drop.
#[test]
fn an_extension_is_no_move() {
    for level in [OptLevel::None, OptLevel::Less, OptLevel::Default, OptLevel::Aggressive] {
        let text = assembly("+avx512f,+avx512vl,+avx512bw,+avx512dq", level);
        let moves = text
            .lines()
            .filter(|l| l.contains("kmovb\t%k") && l.trim_end().matches("%k").count() == 2);
        assert_eq!(moves.count(), 0, "{level:?}:\n{text}");
        assert!(text.contains("kandb"), "{level:?}:\n{text}");
    }
}

#[test]
fn other_levels_generate_code_as_before() {
    assert!(!assembly("+avx2", OptLevel::Default).contains("kand"));
    assert!(assembly("+avx512f", OptLevel::Default).contains("kshift"));
}
