//! Checks rows that are split where the kernel's comparisons of its index change their results:
//! every comparison keeps its result for every item.

mod common;

use common::{Library, Sizes, arg, run};
use scythe_abi::cpu::Box3;
use std::fmt::Write;

const PREDICATES: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];
const OFFSETS: [i64; 3] = [-2, 0, 3];
/// The value that the index is compared with: a parameter (`None`), or the width of an edge.
const LIMITS: [Option<u64>; 2] = [None, Some(2)];

/// Evaluates LLVM's `icmp` for two numbers.
fn compare(predicate: &str, a: u64, b: u64, narrow: bool) -> bool {
    let (sa, sb) = if narrow { (a as i32 as i64, b as i32 as i64) } else { (a as i64, b as i64) };
    let (ua, ub) = if narrow { (a as u32 as u64, b as u32 as u64) } else { (a, b) };
    match predicate {
        "eq" => ua == ub,
        "ne" => ua != ub,
        "ult" => ua < ub,
        "ule" => ua <= ub,
        "ugt" => ua > ub,
        "uge" => ua >= ub,
        "slt" => sa < sb,
        "sle" => sa <= sb,
        "sgt" => sa > sb,
        _ => sa >= sb,
    }
}

fn name(predicate: &str, offset: i64, limit: Option<u64>, narrow: bool) -> String {
    let limit = limit.map_or("n".to_owned(), |l| l.to_string());
    format!("{predicate}_{}_{limit}_{narrow}", offset + 10)
}

/// Returns a kernel that stores 1 for items for which the comparison holds, and 2 for the others.
fn kernel(predicate: &str, offset: i64, limit: Option<u64>, narrow: bool, shape: &str) -> String {
    let (ty, index) = if narrow { ("i32", "%low") } else { ("i64", "%i") };
    let limit_text = limit.map_or("%limit".to_owned(), |l| l.to_string());
    format!(
        r#"
define spir_kernel void @{}(ptr addrspace(1) %out, ptr byval([16 x i8]) align 8 %args) {shape} {{
  %field = getelementptr inbounds i8, ptr %args, i64 8
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %low = trunc i64 %i to i32
  %limit = load {ty}, ptr %field, align 8
  %sum = add {ty} {index}, {offset}
  %test = icmp {predicate} {ty} %sum, {limit_text}
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  br i1 %test, label %yes, label %no
yes:
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
no:
  store i32 2, ptr addrspace(1) %p, align 4
  ret void
}}
"#,
        name(predicate, offset, limit, narrow)
    )
}

/// Predicate, offset, limit, and whether the comparison has 32 bits.
type Case = (&'static str, i64, Option<u64>, bool);

fn all_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for predicate in PREDICATES {
        for offset in OFFSETS {
            for limit in LIMITS {
                cases.extend([(predicate, offset, limit, false), (predicate, offset, limit, true)]);
            }
        }
    }
    cases
}

fn check(shape: &str, cases: &[Case], launches: &[Sizes], areas: &[Box3]) {
    let mut text = String::new();
    for &(predicate, offset, limit, narrow) in cases {
        write!(text, "{}", kernel(predicate, offset, limit, narrow, shape)).expect("strings grow");
    }
    let library = Library::new(&text, 2);
    for &(predicate, offset, limit, narrow) in cases {
        let function = library.kernel(&name(predicate, offset, limit, narrow));
        let limits =
            [0, 1, 2, 40, 99, 100, 1 << 31, u32::MAX as u64, 1 << 63, u64::MAX - 1, u64::MAX];
        for &n in if limit.is_some() { &limits[..1] } else { &limits[..] } {
            for (sizes, area) in launches.iter().flat_map(|s| areas.iter().map(move |a| (*s, a))) {
                let mut out = vec![0u32; 200];
                let (pointer, args) = (out.as_mut_ptr(), [7u64, n]);
                // SAFETY: the array has more elements than there are global ids, and the second
                // argument has 16 bytes.
                unsafe {
                    run(function, sizes, *area, &[arg(&pointer), arg(&args)], std::ptr::null_mut())
                };
                let width = sizes.local[0];
                for (i, seen) in out.iter().enumerate() {
                    let first = area.begin[0] * width + sizes.offset[0];
                    let inside =
                        (first..area.end[0] * width + sizes.offset[0]).contains(&(i as u64));
                    let holds = compare(
                        predicate,
                        (i as u64).wrapping_add_signed(offset),
                        limit.unwrap_or(n),
                        narrow,
                    );
                    let expected = if !inside { 0 } else { 2 - holds as u32 };
                    let what = name(predicate, offset, limit, narrow);
                    assert_eq!(
                        *seen, expected,
                        "{what}, limit {n}, box {:?}..{:?}, id {i}",
                        area.begin, area.end
                    );
                }
            }
        }
    }
}

#[test]
fn tests_of_a_range_keep_their_answers() {
    let boxes = [(0, 100), (0, 1), (1, 40), (37, 100), (98, 100)];
    let areas = boxes.map(|(b, e)| Box3 { begin: [b, 0, 0], end: [e, 1, 1] });
    let plain = Sizes::range([100, 1, 1]);
    check("#0", &all_cases(), &[plain, Sizes { offset: [60, 0, 0], ..plain }], &areas);
}

#[test]
fn tests_of_an_nd_range_keep_their_answers() {
    // The same code creates these loops, so a third of the cases is enough.
    let cases: Vec<_> = all_cases().into_iter().step_by(3).collect();
    let areas = [Box3 { begin: [0; 3], end: [2, 1, 1] }, Box3 { begin: [1, 0, 0], end: [2, 1, 1] }];
    check(
        "#1",
        &cases,
        &[Sizes { global: [120, 1, 1], offset: [5, 0, 0], local: [60, 1, 1] }],
        &areas,
    );
}
