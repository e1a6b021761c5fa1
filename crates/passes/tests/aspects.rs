//! Tests of aspects from IR to metadata, on random modules, and of the requirements of images.

use proptest::prelude::*;
use scythe_llvm::Context;
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use scythe_passes::{Aspects, Pass};

/// Creates a module with `calls` between functions, of which `users` use `double` and `declarers`
/// declare `fp64` (6).
fn graph(count: usize, calls: &[(usize, usize)], users: &[usize], declarers: &[usize]) -> String {
    let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n!0 = !{i32 6}\n");
    for function in 0..count {
        let declares =
            if declarers.contains(&function) { " !intel_declared_aspects !0" } else { "" };
        text += &format!("define spir_func void @f{function}(){declares} {{\n");
        if users.contains(&function) {
            text += "  %x = alloca double\n";
        }
        for (_, callee) in calls.iter().filter(|(caller, _)| *caller == function) {
            text += &format!("  call spir_func void @f{callee}()\n");
        }
        text += "  ret void\n}\n";
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The same test as that of the search, but from IR to metadata.
    #[test]
    fn random_modules_agree_with_brute_force(
        calls in proptest::collection::vec((0usize..12, 0usize..12), 0..30),
        users in proptest::collection::vec(0usize..12, 0..3),
        declarers in proptest::collection::vec(0usize..12, 0..3),
    ) {
        let mut used: Vec<bool> = (0..12).map(|f| users.contains(&f)).collect();
        for _ in 0..12 {
            for &(caller, callee) in &calls {
                used[caller] |= used[callee] || declarers.contains(&callee);
            }
        }
        let context = Context::new();
        let text = graph(12, &calls, &users, &declarers);
        let module = context.parse_ir(text.as_bytes(), "random").unwrap();
        Aspects::SILENT.run(&module).unwrap();
        let kinds = Kinds::new(module.context());
        for (function, expected) in used.into_iter().enumerate() {
            let seen = kinds.used(module.function(&format!("f{function}")).unwrap());
            prop_assert_eq!(seen.contains(&6), expected, "f{}\n{}", function, text);
        }
    }
}

const ENTRY_POINTS: &str = r#"
target triple = "spirv64-unknown-unknown"
define spir_kernel void @plain() !intel_fixed_targets !0 { ret void }
define spir_kernel void @named() !intel_fixed_targets !0 !intel_named_sub_group_size !1 { ret void }
define spir_kernel void @uses() !intel_fixed_targets !0 !intel_used_aspects !2 { ret void }
define spir_kernel void @declares() !intel_fixed_targets !0 !intel_declared_aspects !2 { ret void }
define spir_kernel void @sub8() !intel_fixed_targets !0 !intel_reqd_sub_group_size !3 { ret void }
define spir_kernel void @group() !intel_fixed_targets !0 !reqd_work_group_size !4 !work_group_num_dim !5 { ret void }
define spir_kernel void @cube() !intel_fixed_targets !0 !reqd_work_group_size !4 { ret void }
define spir_kernel void @fixed() !intel_fixed_targets !6 !intel_used_aspects !2 { ret void }
define spir_kernel void @fixed8() !intel_fixed_targets !7 !intel_reqd_sub_group_size !3 { ret void }
define spir_kernel void @fixed_else() !intel_fixed_targets !8 { ret void }
define spir_kernel void @unmarked() { ret void }
!0 = !{}
!1 = !{!"primary"}
!2 = !{i32 6, i32 28}
!3 = !{i32 8}
!4 = !{i32 16, i32 4, i32 1}
!5 = !{i32 2}
!6 = !{!"a", !"b"}
!7 = !{!"b", !"a"}
!8 = !{!"b"}
"#;

#[test]
fn entry_points_share_an_image_only_by_the_rules() {
    let context = Context::new();
    let module = context.parse_ir(ENTRY_POINTS.as_bytes(), "entry points").unwrap();
    let kinds = Kinds::new(module.context());
    let of = |name: &str| Requirements::of(module.function(name).unwrap(), kinds);
    for (a, b, share) in [
        ("plain", "named", true),
        ("plain", "unmarked", true),
        ("uses", "declares", true),
        ("plain", "uses", false),
        ("plain", "sub8", false),
        ("plain", "group", false),
        ("group", "cube", false),
        ("fixed", "fixed8", true),
        ("fixed", "fixed_else", false),
        ("fixed", "uses", false),
    ] {
        assert_eq!(of(a).may_share(&of(b)), share, "{a} and {b}");
    }
}

#[test]
fn requirements_of_an_image_are_those_of_all_its_entry_points() {
    let context = Context::new();
    let module = context.parse_ir(ENTRY_POINTS.as_bytes(), "entry points").unwrap();
    let kinds = Kinds::new(module.context());
    let names =
        |names: &[&str]| names.iter().map(|n| module.function(n).unwrap()).collect::<Vec<_>>();
    let all =
        Requirements::of_entry_points(names(&["plain", "uses", "sub8", "group", "cube"]), kinds);
    assert_eq!(Vec::from_iter(all.aspects), [6, 28]);
    assert_eq!(Vec::from_iter(all.sub_group_sizes), [8]);
    assert_eq!(Vec::from_iter(all.work_group_sizes), [vec![1, 4, 16], vec![4, 16]]);
    assert_eq!(all.fixed_targets, None);
    let fixed = Requirements::of_entry_points(names(&["fixed", "fixed8"]), kinds);
    assert_eq!(fixed.fixed_targets, Some(["a".to_owned(), "b".to_owned()].into()));
    assert_eq!(Requirements::of_entry_points([], kinds), Requirements::default());
}
