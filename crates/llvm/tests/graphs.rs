//! Tests of the dependencies between globals, reachability, components, and extraction.

use proptest::prelude::*;
use scythe_llvm::{Context, Extractor, Function, GlobalGraph, Module, graph};

fn names(list: &[Function<'_>]) -> Vec<String> {
    list.iter().map(|f| f.name()).collect()
}

/// Extracts a part with `roots` and everything that they need.
fn extract<'c>(
    module: &Module<'c>,
    roots: &[Function<'c>],
    keep: impl Fn(&str) -> bool,
) -> Module<'c> {
    let extractor = Extractor::new(module, keep);
    let roots: Vec<u32> =
        roots.iter().map(|f| extractor.graph.number(f.as_value()).unwrap()).collect();
    extractor.part(module, &extractor.graph.reachable(&roots), "part")
}

/// Computes reachability by Floyd and Warshall, the reference for all tests here.
fn closure(n: usize, edges: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; n]; n];
    for (from, list) in edges.iter().enumerate() {
        list.iter().for_each(|&to| reach[from][to] = true);
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    reach
}

fn random_graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1usize..14)
        .prop_flat_map(|n| proptest::collection::vec(proptest::collection::vec(0..n, 0..4), n))
}

/// Creates a module whose function `f<i>` calls `f<j>` for each edge.
fn module_of<'c>(context: &'c Context, edges: &[Vec<usize>]) -> Module<'c> {
    let mut text = String::new();
    for (i, list) in edges.iter().enumerate() {
        text += &format!("define void @f{i}() {{\n");
        list.iter().for_each(|j| text += &format!("  call void @f{j}()\n"));
        text += "  ret void\n}\n";
    }
    context.parse_ir(text.as_bytes(), "graph").unwrap_or_else(|e| panic!("{e}\n{text}"))
}

proptest! {
    #[test]
    fn reachability_equals_the_reference(edges in random_graph(), start in 0usize..14) {
        let n = edges.len();
        let start = start % n;
        let reference = closure(n, &edges);
        let found = graph::reachable(&edges, &[start]);
        for node in 0..n {
            prop_assert_eq!(found[node], node == start || reference[start][node]);
        }
    }

    #[test]
    fn components_equal_the_reference(edges in random_graph()) {
        let n = edges.len();
        let reference = closure(n, &edges);
        let components = graph::components(&edges);
        let mut of = vec![usize::MAX; n];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|&node| of[node] = number);
        }
        prop_assert_eq!(components.iter().map(Vec::len).sum::<usize>(), n);
        for a in 0..n {
            for b in 0..n {
                let together = a == b || (reference[a][b] && reference[b][a]);
                prop_assert_eq!(of[a] == of[b], together);
                // Callees come before callers.
                prop_assert!(!reference[a][b] || of[b] <= of[a]);
            }
        }
    }

    #[test]
    fn parts_and_paths_equal_the_reference(edges in random_graph()) {
        let n = edges.len();
        let context = Context::new();
        let module = module_of(&context, &edges);
        let graph = GlobalGraph::new(&module);
        let reference = closure(n, &edges);
        let function = |i: usize| module.function(&format!("f{i}")).unwrap();
        let number = |i: usize| graph.number(function(i).as_value()).unwrap();
        for (i, reached) in reference.iter().enumerate() {
            let expected: Vec<_> = (0..n).filter(|&j| i == j || reached[j]).map(|j| format!("f{j}")).collect();
            let part = extract(&module, &[function(i)], |_| true);
            part.verify().unwrap();
            prop_assert_eq!(names(&part.functions().collect::<Vec<_>>()), expected);
            for (j, reached) in reached.iter().enumerate() {
                let path = graph.path(number(i), number(j));
                prop_assert_eq!(path.is_some(), i == j || *reached);
                let path = path.unwrap_or_default();
                prop_assert!(path.windows(2).all(|step| graph.needs(step[0]).contains(&step[1])));
                prop_assert!(path.is_empty() || (path[0], path[path.len() - 1]) == (number(i), number(j)));
            }
        }
    }
}

const TABLE: &str = r#"
@table = internal constant [2 x ptr] [ptr @in_table, ptr @also_in_table]
@unused = internal global i32 4
@llvm.used = appending global [1 x ptr] [ptr @kernel], section "llvm.metadata"
define internal void @in_table() { ret void }
define internal void @also_in_table() { ret void }
define internal void @called() { ret void }
define internal void @unrelated() { ret void }
declare void @declared(ptr)
define spir_kernel void @kernel(i64 %i) {
  call void @called()
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %slot
  call void %f()
  call void @declared(ptr @called)
  ret void
}
!rows = !{!0, !1}
!0 = !{!"kernel", ptr @unrelated}
!1 = !{!"other"}
"#;

#[test]
fn a_part_holds_what_its_roots_need_and_nothing_else() {
    let context = Context::new();
    let module = context.parse_ir(TABLE.as_bytes(), "table").unwrap();
    let kernel = module.function("kernel").unwrap();
    let part = extract(&module, &[kernel], |name| name == "rows");
    part.verify().unwrap();
    let all: Vec<_> = part.functions().collect();
    assert_eq!(names(&all), ["in_table", "also_in_table", "called", "declared", "kernel"]);
    assert_eq!(part.globals().map(|g| g.name()).collect::<Vec<_>>(), ["table", "llvm.used"]);
    // A node that refers to an omitted function is omitted, too.
    let rows = part.named_metadata("rows");
    assert_eq!(
        rows.iter().map(|row| row.operand(0).unwrap().string().unwrap()).collect::<Vec<_>>(),
        ["other"]
    );
    let again = context.parse_bitcode(&part.to_bitcode(), "again").unwrap();
    assert_eq!(again.kernels().len(), 1);
    assert_eq!(part.to_bitcode(), extract(&module, &[kernel], |name| name == "rows").to_bitcode());
}

#[test]
fn a_function_that_only_metadata_of_code_names_becomes_poison() {
    let text = "define void @other() { ret void }\ndefine void @f(ptr %p) {\n  call void %p(), \
        !callees !0\n  ret void\n}\n\
                !0 = !{ptr @other}\n";
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), "callees").unwrap();
    let part = extract(&module, &[module.function("f").unwrap()], |_| true);
    part.verify().unwrap();
    assert_eq!(names(&part.functions().collect::<Vec<_>>()), ["f"]);
    assert!(part.to_string().contains("!{ptr poison}"), "{part}");
}

#[test]
fn aliases_of_aliases_give_way_to_what_they_name() {
    let text = "@outer = alias void (), ptr @inner\n@inner = alias void (), ptr @f\n\
                define void @f() {\n  ret void\n}\ndefine void @g() {\n  call void @outer()\n  ret \
                void\n}\n";
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), "aliases").unwrap();
    let part = extract(&module, &[module.function("g").unwrap()], |_| true);
    part.verify().unwrap();
    assert_eq!(part.aliases().count(), 0);
    assert!(part.to_string().contains("call void @f()"), "{part}");
}

#[test]
fn symbols_are_shown_as_programmers_wrote_them() {
    assert_eq!(scythe_llvm::demangle("_ZN3app4makeIiEEvT_"), "void app::make<int>(int)");
    assert_eq!(scythe_llvm::demangle("plain"), "plain");
}

const DEBUG_INFO: &str = r#"
define void @a() !dbg !4 {
  ret void, !dbg !6
}
define void @b() !dbg !5 {
  ret void, !dbg !7
}
!llvm.dbg.cu = !{!0, !1}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !2, emissionKind: FullDebug)
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !8, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.cpp", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "a", scope: !2, file: !2, line: 11, type: !9, spFlags: DISPFlagDefinition, unit: !0)
!5 = distinct !DISubprogram(name: "b", scope: !8, file: !8, line: 21, type: !9, spFlags: DISPFlagDefinition, unit: !1)
!6 = !DILocation(line: 12, column: 3, scope: !4)
!7 = !DILocation(line: 22, column: 4, scope: !5)
!8 = !DIFile(filename: "b.cpp", directory: "/src")
!9 = !DISubroutineType(types: !10)
!10 = !{null}
"#;

#[test]
fn a_part_keeps_the_debug_information_of_its_functions_only() {
    let context = Context::new();
    let module = context.parse_ir(DEBUG_INFO.as_bytes(), "debug").unwrap();
    let part = extract(&module, &[module.function("b").unwrap()], |_| true);
    part.verify().unwrap();
    assert_eq!(part.named_metadata("llvm.dbg.cu").len(), 1);
    assert_eq!(part.named_metadata("llvm.module.flags").len(), 1);
    assert!(!part.to_string().contains("a.cpp"), "{part}");
    let function = part.function("b").unwrap();
    assert_eq!(function.debug_loc().unwrap().line, 21);
    let place = function.instructions().next().unwrap().debug_loc().unwrap();
    assert_eq!(
        (place.file.as_str(), place.line, place.column, place.function.as_str()),
        ("b.cpp", 22, 4, "b")
    );
    // The original is unchanged.
    module.verify().unwrap();
    assert_eq!(module.named_metadata("llvm.dbg.cu").len(), 2);
}

const ASSIGNMENT: &str = r#"
define void @f() !dbg !4 {
  %x = alloca i32, align 4, !DIAssignID !6
    #dbg_assign(i1 poison, !7, !DIExpression(), !6, ptr %x, !DIExpression(), !5)
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cpp", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DILocation(line: 2, column: 3, scope: !4)
!6 = distinct !DIAssignID()
!7 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 2, type: !8)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"#;

#[test]
fn what_ties_stores_to_variables_stays_inside_one_function() {
    let context = Context::new();
    let module = context.parse_ir(ASSIGNMENT.as_bytes(), "assignment").unwrap();
    let f = module.function("f").unwrap();
    let parts = [extract(&module, &[f], |_| true), extract(&module, &[f], |_| true)];
    for part in parts.iter().chain([&module]) {
        part.verify().unwrap();
    }
    assert!(parts[0].to_string().contains("#dbg_assign"), "{}", parts[0]);
    // The other metadata is shared with the original, so that more parts need no more memory for
    // it.
    assert_eq!(parts[0].function("f").unwrap().subprogram(), f.subprogram());
}
