//! Tests of constants of all types as parts of other types, with undefined parts, and of addresses
//! as initial values.

mod spirv_tools;

use spirv_tools::{error, translated};

/// Returns a kernel that reads a byte of the constant variable `@g`. `more` holds further
/// definitions.
fn with(ty: &str, initial: &str, more: &str) -> String {
    format!(
        "@g = internal addrspace(1) constant {ty} {initial}
         {more}
         define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %i) {{
           %at = getelementptr i8, ptr addrspace(1) @g, i64 %i
           %byte = load i8, ptr addrspace(1) %at
           store i8 %byte, ptr addrspace(1) %p
           ret void }}"
    )
}

#[test]
fn vectors_of_all_lengths_and_types_are_constants() {
    let scalars = [
        ("i8", "7"),
        ("i16", "-3"),
        ("i32", "100000"),
        ("i64", "-1"),
        ("half", "0xH3C00"),
        ("float", "1.5"),
        ("double", "0x7FF8000000000000"),
        ("i1", "true"),
    ];
    for (scalar, value) in scalars {
        for lanes in [2, 3, 4, 5, 6, 7, 8, 16, 32] {
            let vector = format!("<{lanes} x {scalar}>");
            let elements = vec![format!("{scalar} {value}"); lanes - 1].join(", ");
            let ty = format!("{{ {vector}, i8, [3 x {vector}] }}");
            let initial = format!(
                "{{ {vector} <{elements}, {scalar} {value}>, i8 1, [3 x {vector}] [{vector} \
                 <{elements}, {scalar} undef>, \
                 {vector} poison, {vector} zeroinitializer] }}"
            );
            translated(&with(&ty, &initial, ""));
        }
    }
}

#[test]
fn numbers_of_all_widths_are_parts_of_arrays_and_structures() {
    let scalars = [
        ("i1", "true"),
        ("i24", "5"),
        ("i64", "9"),
        ("i128", "18446744073709551617"),
        ("half", "1.0"),
    ];
    for (scalar, value) in scalars {
        let array = format!("[3 x {scalar}]");
        let elements = format!("[{scalar} {value}, {scalar} undef, {scalar} {value}]");
        translated(&with(&array, &elements, ""));
        let packed = format!("<{{ {scalar}, {array}, [0 x i8], {array} }}>");
        let parts = format!(
            "<{{ {scalar} {value}, {array} poison, [0 x i8] zeroinitializer, {array} {elements} }}>"
        );
        translated(&with(&packed, &parts, ""));
    }
}

#[test]
fn undefined_parts_become_zeros() {
    let text = translated(&with(
        "{ [3 x float], [4 x i8] }",
        "{ [3 x float] [float 1.0, float 2.0, float 3.0], [4 x i8] undef }",
        "",
    ));
    assert!(text.contains("OpConstantNull %_arr_uchar_uint_4"), "{text}");
    let text = translated(
        "define internal spir_func [2 x { i8, i64 }] @pair(i1 %c) noinline optnone {
           ret [2 x { i8, i64 }] [{ i8, i64 } { i8 1, i64 2 }, { i8, i64 } undef] }
         define spir_kernel void @kernel(ptr addrspace(1) %p, i1 %c) {
           %pair = call spir_func [2 x { i8, i64 }] @pair(i1 %c)
           %one = extractvalue [2 x { i8, i64 }] %pair, 0, 1
           store volatile i64 %one, ptr addrspace(1) %p
           ret void }",
    );
    assert!(text.contains("%ulong_2"), "{text}");
}

#[test]
fn flags_and_odd_vectors_lie_in_bytes() {
    let text = translated(&with("[3 x i1]", "[i1 true, i1 false, i1 true]", ""));
    assert!(text.contains("OpConstantComposite %_arr_uchar_uint_3 %uchar_1 "), "{text}");
    let text =
        translated(&with("<8 x i1>", "<i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 1>", ""));
    assert!(text.contains("%uchar_141"), "{text}");
    let text = translated(&with("<5 x i16>", "<i16 1, i16 258, i16 3, i16 4, i16 5>", ""));
    // The size includes the padding up to the alignment.
    assert!(text.contains("OpTypeArray %uchar %uint_16"), "{text}");
}

#[test]
fn addresses_within_variables_count_bytes() {
    let generic = "ptr addrspace(4) getelementptr (i8, ptr addrspace(4) addrspacecast (ptr \
        addrspace(1) @data to \
                   ptr addrspace(4)), i64 12)";
    let text = translated(&with(
        "[3 x ptr addrspace(4)]",
        &format!(
            "[{generic}, ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr addrspace(1) \
             @data to ptr addrspace(4))]"
        ),
        "@data = internal addrspace(1) constant [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 \
         6, i32 7, i32 8]",
    ));
    assert!(text.contains("OpTypeArray %uchar %uint_32"), "{text}");
    assert!(text.contains("InBoundsPtrAccessChain %data") && text.contains("%ulong_12"), "{text}");
    // The variable stays read-only when it gets another type.
    assert!(text.contains("OpDecorate %data Constant"), "{text}");
}

#[test]
fn addresses_within_variables_that_hold_addresses_are_refused() {
    let why = error(&with(
        "ptr addrspace(1)",
        "getelementptr (i8, ptr addrspace(1) @table, i64 8)",
        "@table = internal addrspace(1) constant [2 x ptr addrspace(1)] [ptr addrspace(1) @g, ptr \
         addrspace(1) null]",
    ));
    assert!(why.contains("variable 'table'") && why.contains("contains addresses"), "{why}");
}
