//! Translates device bitcode to SPIR-V. The tests cover code that the back end accepts unchanged,
//! code that is replaced before the back end runs, and code that is an error.

mod spirv_tools;

use scythe_codegen::spirv::{Options, translate};
use spirv_tools::{bitcode, error, options, translated};

#[test]
fn queries_become_built_in_variables_and_kernels_stay_visible() {
    let text = translated(
        "declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
         define internal spir_func i64 @own(i64 %x) { %r = add i64 %x, 1 ret i64 %r }
         define weak_odr spir_kernel void @kernel(ptr addrspace(1) %p) {
           %id = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
           %r = call spir_func i64 @own(i64 %id)
           %at = getelementptr i64, ptr addrspace(1) %p, i64 %id
           store i64 %r, ptr addrspace(1) %at
           ret void }",
    );
    assert!(text.contains("; Version: 1.4"), "{text}");
    assert!(text.contains("OpEntryPoint Kernel") && text.contains("\"kernel\""), "{text}");
    assert!(text.contains("BuiltIn GlobalInvocationId"), "{text}");
    assert!(!text.contains("Export"), "only kernels are visible: {text}");
}

#[test]
fn spaces_of_pointers_are_asked_where_the_code_does_not_show_them() {
    let text = translated(
        "declare spir_func zeroext i1 @__scythe_is_global(ptr addrspace(4))
         declare spir_func zeroext i1 @__scythe_is_local(ptr addrspace(4))
         declare spir_func zeroext i1 @__scythe_is_private(ptr addrspace(4))
         define internal spir_func i32 @spaces(ptr addrspace(4) %p) noinline {
           %g = call spir_func i1 @__scythe_is_global(ptr addrspace(4) %p)
           %l = call spir_func i1 @__scythe_is_local(ptr addrspace(4) %p)
           %m = call spir_func i1 @__scythe_is_private(ptr addrspace(4) %p)
           %g1 = select i1 %g, i32 1, i32 0
           %l2 = select i1 %l, i32 2, i32 0
           %m4 = select i1 %m, i32 4, i32 0
           %gl = add i32 %g1, %l2
           %all = add i32 %gl, %m4
           ret i32 %all }
         define spir_kernel void @shown(ptr addrspace(1) %out, ptr addrspace(3) %local, i32 %n) {
           %mine = alloca [2 x i32]
           %any.mine = addrspacecast ptr %mine to ptr addrspace(4)
           %any.local = addrspacecast ptr addrspace(3) %local to ptr addrspace(4)
           %c = icmp eq i32 %n, 0
           %p = select i1 %c, ptr addrspace(4) %any.mine, ptr addrspace(4) %any.local
           %s = call spir_func i32 @spaces(ptr addrspace(4) %p)
           store i32 %s, ptr addrspace(1) %out
           ret void }
         define spir_kernel void @from_memory(ptr addrspace(1) %out, ptr addrspace(1) %pointers) {
           %p = load ptr addrspace(4), ptr addrspace(1) %pointers
           %s = call spir_func i32 @spaces(ptr addrspace(4) %p)
           store i32 %s, ptr addrspace(1) %out
           ret void }",
    );
    let functions: Vec<&str> = text.split("OpFunctionEnd").collect();
    let of = |function: &str| function.matches("OpGenericCastToPtrExplicit").count();
    assert_eq!((functions.len(), of(functions[0]), of(functions[1])), (3, 0, 3), "{text}");
    assert!(functions[0].contains("OpSelect"), "{text}");
    for class in ["CrossWorkgroup", "Workgroup", "Function"] {
        let asked = |line: &str| {
            line.contains("OpGenericCastToPtrExplicit") && line.ends_with(&format!(" {class}"))
        };
        assert!(text.lines().any(asked), "{class}: {text}");
    }
}

#[test]
fn pairs_meet_in_phi_nodes() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %n) {
         entry:
           %first = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 seq_cst seq_cst
           br label %loop
         loop:
           %pair = phi { i32, i1 } [ %first, %entry ], [ %again, %loop ]
           %old = extractvalue { i32, i1 } %pair, 0
           %new = add i32 %old, %n
           %again = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
           %done = extractvalue { i32, i1 } %again, 1
           br i1 %done, label %end, label %loop
         end:
           ret void }",
    );
    assert_eq!(text.matches("OpAtomicCompareExchange ").count(), 2, "{text}");
}

#[test]
fn integers_of_other_widths_are_computed_in_wider_ones() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %n, i16 %m, i1 %c) {
         entry:
           %wide = zext i32 %n to i48
           %distance = shl nuw nsw i48 %wide, 4
           %table = lshr i48 4295950338, %distance
           %packed = trunc i48 %table to i16
           store i16 %packed, ptr addrspace(1) %p
           %few = trunc i32 %n to i5
           %signed = sext i16 %m to i24
           %less = icmp slt i24 %signed, -7
           %mask = ashr i5 -13, %few
           %set = icmp ne i5 %mask, 0
           switch i32 %n, label %loop [ i32 1, label %end i32 2, label %end ]
         loop:
           %sum = phi i24 [ %signed, %entry ], [ %more, %loop ]
           %frozen = freeze i24 %sum
           %more = mul i24 %frozen, 3
           %chosen = select i1 %less, i24 %more, i24 poison
           %done = icmp ugt i24 %chosen, 1000
           br i1 %done, label %end, label %loop
         end:
           %last = phi i24 [ 5, %entry ], [ 5, %entry ], [ %more, %loop ]
           %result = sext i24 %last to i64
           %flag = and i1 %set, %less
           %both = select i1 %flag, i64 %result, i64 0
           %at = getelementptr i64, ptr addrspace(1) %p, i64 1
           store i64 %both, ptr addrspace(1) %at
           ret void }",
    );
    for width in ["OpTypeInt 48", "OpTypeInt 24", "OpTypeInt 5"] {
        assert!(!text.contains(width), "{text}");
    }
    assert!(text.contains("OpShiftRightArithmetic") && text.contains("OpBitwiseAnd"), "{text}");
}

#[test]
fn integers_of_other_widths_are_accessed_in_parts() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) {
           %three = load i24, ptr addrspace(1) %p, align 1
           store i24 %three, ptr addrspace(1) %q, align 1
           %from = getelementptr i8, ptr addrspace(1) %p, i64 8
           %to = getelementptr i8, ptr addrspace(1) %q, i64 8
           %seven = load i56, ptr addrspace(1) %from, align 8
           store i56 %seven, ptr addrspace(1) %to, align 8
           %third = lshr i24 %three, 16
           %byte = trunc i24 %third to i8
           %at = getelementptr i8, ptr addrspace(1) %q, i64 16
           store i8 %byte, ptr addrspace(1) %at, align 1
           ret void }",
    );
    assert_eq!(text.matches("OpLoad").count(), 5, "{text}");
    assert_eq!(text.matches("OpStore").count(), 6, "{text}");
    assert!(!text.contains("OpTypeInt 24") && !text.contains("OpTypeInt 56"), "{text}");
}

#[test]
fn upper_halves_of_products_are_instructions() {
    let text = translated(
        "declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
         declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)
         define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %x, i64 %y, i32 %z) {
           %a = zext i64 %x to i128
           %b = zext i64 %y to i128
           %c = zext i32 %z to i128
           %product = mul nuw i128 %a, %b
           %upper = lshr i128 %product, 64
           %high = trunc nuw i128 %upper to i64
           store i64 %high, ptr addrspace(1) %p
           %other = mul i128 %c, 18446744073709551557
           %far = lshr i128 %other, 70
           %top = trunc i128 %far to i32
           %at = getelementptr i32, ptr addrspace(1) %p, i64 4
           store i32 %top, ptr addrspace(1) %at
           %between = lshr i128 %product, 7
           %middle = trunc i128 %between to i64
           %next = getelementptr i64, ptr addrspace(1) %p, i64 1
           store i64 %middle, ptr addrspace(1) %next
           %d = sext i64 %x to i128
           %e = sext i64 %y to i128
           %signed = mul nsw i128 %d, %e
           %last = lshr i128 %signed, 64
           %most = trunc i128 %last to i64
           store i64 %most, ptr addrspace(1) %next
           %f = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %x, i64 %y)
           %g = extractvalue { i64, i1 } %f, 1
           %h = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %z, i32 %top)
           %i = extractvalue { i32, i1 } %h, 1
           %over = and i1 %g, %i
           %flag = zext i1 %over to i8
           store i8 %flag, ptr addrspace(1) %p
           ret void }",
    );
    assert!(!text.contains("OpTypeInt 128"), "{text}");
    // Not all drivers support these instructions.
    assert!(!text.contains("OpUMulExtended") && !text.contains("OpSMulExtended"), "{text}");
    assert_eq!(
        (text.matches(" u_mul_hi ").count(), text.matches(" s_mul_hi ").count()),
        (3, 2),
        "{text}"
    );
}

#[test]
fn sums_and_their_carries_are_two_instructions() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %x, i64 %y, i32 %z) {
         entry:
           %sum = add i64 %x, %y
           %carry = icmp ult i64 %sum, %x
           %one = add i32 %z, 1
           %over = icmp eq i32 %z, -1
           store i64 %sum, ptr addrspace(1) %p
           %both = and i1 %carry, %over
           %flag = zext i1 %both to i32
           %result = add i32 %flag, %one
           store i32 %result, ptr addrspace(1) %p
           %some = icmp ne i64 %y, 0
           %less = add i64 %y, -1
           store i64 %less, ptr addrspace(1) %p
           br i1 %some, label %more, label %exit
         more:
           store i64 %x, ptr addrspace(1) %p
           br label %exit
         exit:
           ret void }",
    );
    // Not all drivers support these instructions.
    assert!(!text.contains("OpIAddCarry") && !text.contains("OpISubBorrow"), "{text}");
    assert_eq!(text.matches("OpULessThan").count() + text.matches("OpIEqual").count(), 3, "{text}");
}

#[test]
fn integers_of_up_to_128_bits_are_two_words() {
    let text = translated(
        "declare i128 @llvm.smax.i128(i128, i128)
         declare i128 @llvm.fshl.i128(i128, i128, i128)
         declare i80 @llvm.abs.i80(i80, i1)
         define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %n, <2 x i64> %v, <4 x i32> %w, \
         <3 x i32> %t) {
         entry:
           %x = load i128, ptr addrspace(1) %p
           %next = getelementptr inbounds i128, ptr addrspace(1) %p, i64 %n
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %step, %loop ]
           %sum = phi i128 [ %x, %entry ], [ %more, %loop ]
           %large = call i128 @llvm.smax.i128(i128 %sum, i128 -5)
           %turned = call i128 @llvm.fshl.i128(i128 %large, i128 %x, i128 %sum)
           %more = sub i128 %turned, 36893488147419103233
           %step = add i64 %i, 1
           %end = icmp ult i128 %more, %x
           br i1 %end, label %exit, label %loop
         exit:
           %both = bitcast <2 x i64> %v to i128
           %four = bitcast i128 %more to <4 x i32>
           %other = add <4 x i32> %four, %w
           %mixed = xor i128 %both, %sum
           store i128 %mixed, ptr addrspace(1) %next
           store <4 x i32> %other, ptr addrspace(1) %p
           %three = bitcast <3 x i32> %t to i96
           %less = trunc i96 %three to i80
           %positive = call i80 @llvm.abs.i80(i80 %less, i1 false)
           %odd = icmp slt i80 %positive, %less
           %vector = zext <2 x i64> %v to <2 x i128>
           %moved = shl <2 x i128> %vector, <i128 1, i128 100>
           %elements = insertelement <2 x i128> %moved, i128 %x, i64 1
           %kept = select i1 %odd, <2 x i128> %elements, <2 x i128> %vector
           %small = trunc <2 x i128> %kept to <2 x i16>
           store <2 x i16> %small, ptr addrspace(1) %p
           %stored = getelementptr i96, ptr addrspace(1) %p, i64 3
           store i96 %three, ptr addrspace(1) %stored
           ret void }",
    );
    for width in ["128", "96", "80"] {
        assert!(!text.contains(&format!("OpTypeInt {width} ")), "{text}");
    }
}

#[test]
fn wide_integers_are_two_words_in_structures_and_variables() {
    let text = translated(
        "%pair = type { i8, [15 x i8], i128, <{ i8, i72 }> }
         @table = internal addrspace(2) constant [2 x i128] [i128 36893488147419103235, i128 7]
         @rest = internal addrspace(2) constant { i32, [3 x i128] } { i32 9, [3 x i128] \
         zeroinitializer }
         declare { i128, i1 } @llvm.sadd.with.overflow.i128(i128, i128)
         declare { i128, i1 } @llvm.usub.with.overflow.i128(i128, i128)
         declare { i128, i1 } @llvm.smul.with.overflow.i128(i128, i128)
         declare { i128, i1 } @llvm.umul.with.overflow.i128(i128, i128)
         define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %n) {
           %at = getelementptr inbounds [2 x i128], ptr addrspace(2) @table, i64 0, i64 %n
           %x = load i128, ptr addrspace(2) %at, align 16
           %behind = getelementptr inbounds { i32, [3 x i128] }, ptr addrspace(2) @rest, i64 0, \
           i32 1, i64 %n
           %y = load i128, ptr addrspace(2) %behind, align 8
           %first = call { i128, i1 } @llvm.sadd.with.overflow.i128(i128 %x, i128 %y)
           %sum = extractvalue { i128, i1 } %first, 0
           %second = call { i128, i1 } @llvm.usub.with.overflow.i128(i128 %sum, i128 %y)
           %difference = extractvalue { i128, i1 } %second, 0
           %third = call { i128, i1 } @llvm.smul.with.overflow.i128(i128 %difference, i128 %y)
           %product = extractvalue { i128, i1 } %third, 0
           %fourth = call { i128, i1 } @llvm.umul.with.overflow.i128(i128 %product, i128 %y)
           %flag1 = extractvalue { i128, i1 } %first, 1
           %flag2 = extractvalue { i128, i1 } %second, 1
           %flag3 = extractvalue { i128, i1 } %third, 1
           %flag4 = extractvalue { i128, i1 } %fourth, 1
           %a = or i1 %flag1, %flag2
           %b = or i1 %flag3, %flag4
           %any = or i1 %a, %b
           %field = getelementptr inbounds %pair, ptr addrspace(1) %p, i64 %n, i32 2
           %stored = select i1 %any, i128 %x, i128 %product
           store i128 %stored, ptr addrspace(1) %field, align 16
           ret void }",
    );
    assert!(!text.contains("OpTypeInt 128 ") && !text.contains("OpTypeInt 72 "), "{text}");
    // The table's first number: 2^65 and 3.
    assert!(
        text.contains("OpConstant %ulong 2\n") && text.contains("OpConstant %ulong 3\n"),
        "{text}"
    );
}

#[test]
fn wide_integers_that_nothing_is_known_for_are_refused() {
    let message = error(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %n) {
           %x = zext i64 %n to i128
           %y = shl i128 %x, 10
           %z = uitofp i128 %y to float
           store float %z, ptr addrspace(1) %p
           ret void }",
    );
    assert!(message.contains("'kernel'") && message.contains("%z = uitofp "), "{message}");
    // The same in a loop, whose variable is left half split. The second variable comes after the
    // one that fails.
    let message = error(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %n) {
         entry:
           %x = zext i64 %n to i128
           br label %loop
         loop:
           %a = phi i128 [ %x, %entry ], [ %unknown, %loop ]
           %b = phi i128 [ %x, %entry ], [ %sum, %loop ]
           %z = uitofp i128 %a to float
           store float %z, ptr addrspace(1) %p
           %unknown = fptoui float %z to i128
           %sum = add i128 %b, %a
           %end = icmp ult i128 %sum, %b
           br i1 %end, label %exit, label %loop
         exit:
           ret void }",
    );
    assert!(message.contains("'kernel'") && message.contains("%z = uitofp "), "{message}");
    // Without the device library, which defines divisions.
    let message = error(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, <2 x i100> %n) {
           %x = srem <2 x i100> %n, <i100 7, i100 -3>
           %y = trunc <2 x i100> %x to <2 x i64>
           store <2 x i64> %y, ptr addrspace(1) %p
           ret void }",
    );
    assert!(message.contains("'kernel'") && message.contains("i100"), "{message}");
}

#[test]
fn true_is_minus_one_as_a_signed_number() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %n) {
           %less = icmp slt i32 %n, 7
           %number = sitofp i1 %less to float
           store float %number, ptr addrspace(1) %p
           ret void }",
    );
    assert!(text.contains("OpConvertSToF") && text.contains("OpSelect"), "{text}");
    // All bits of the converted integer are set.
    assert!(text.contains("4294967295"), "{text}");
}

#[test]
fn vectors_are_taken_for_integers_of_other_widths() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, <4 x i32> %a, <3 x i8> %b, i32 %n) {
           %less = icmp slt <4 x i32> %a, zeroinitializer
           %bits = bitcast <4 x i1> %less to i4
           %any = icmp ne i4 %bits, 0
           %three = bitcast <3 x i8> %b to i24
           %low = trunc i32 %n to i24
           %sum = add i24 %three, %low
           %back = bitcast i24 %sum to <3 x i8>
           %last = extractelement <3 x i8> %back, i32 2
           %mask = trunc i32 %n to i8
           %flags = bitcast i8 %mask to <8 x i1>
           %flag = extractelement <8 x i1> %flags, i32 5
           %both = and i1 %any, %flag
           %wide = zext i1 %both to i8
           %result = add i8 %last, %wide
           store i8 %result, ptr addrspace(1) %p, align 1
           ret void }",
    );
    assert!(!text.contains("OpTypeInt 24") && !text.contains("OpTypeInt 4 "), "{text}");
    assert_eq!(text.matches("OpBitcast").count(), 0, "{text}");
}

#[test]
fn intrinsics_without_an_instruction_are_replaced() {
    let text = translated(
        "declare float @llvm.ldexp.f32.i32(float, i32)
         declare { double, i32 } @llvm.frexp.f64.i32(double)
         declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
         declare i64 @llvm.llrint.i64.f32(float)
         define spir_kernel void @kernel(ptr addrspace(1) %p, float %x, double %y, i32 %n) {
           %a = call float @llvm.ldexp.f32.i32(float %x, i32 %n)
           store float %a, ptr addrspace(1) %p
           %b = call { double, i32 } @llvm.frexp.f64.i32(double %y)
           %c = extractvalue { double, i32 } %b, 1
           store i32 %c, ptr addrspace(1) %p
           %d = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %n, i32 %c)
           %e = extractvalue { i32, i1 } %d, 1
           %f = zext i1 %e to i32
           store i32 %f, ptr addrspace(1) %p
           %g = call i64 @llvm.llrint.i64.f32(float %x)
           store i64 %g, ptr addrspace(1) %p
           ret void }",
    );
    for instruction in ["ldexp", "frexp", "rint", "OpSLessThan"] {
        assert!(text.contains(instruction), "{instruction}: {text}");
    }
}

#[test]
fn local_memory_that_is_asked_for_becomes_a_variable_of_the_group() {
    let text = translated(
        "declare spir_func ptr addrspace(4) @__scythe_group_local_memory(i64, i64)
         define spir_kernel void @kernel(ptr addrspace(1) %p) {
           %a = call spir_func ptr addrspace(4) @__scythe_group_local_memory(i64 64, i64 16)
           store i32 1, ptr addrspace(4) %a
           %v = load i32, ptr addrspace(4) %a
           store volatile i32 %v, ptr addrspace(1) %p
           ret void }",
    );
    assert!(text.contains("Workgroup"), "{text}");
}

#[test]
fn private_memory_has_the_size_that_a_specialization_constant_says() {
    let code = |count: &str| {
        format!(
            "@size = linkonce_odr addrspace(1) constant {count}, align 4
             declare spir_func ptr addrspace(4) @__scythe_private_alloca(ptr addrspace(4), i64, i64)
             define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %n) {{
               %a = call spir_func ptr addrspace(4) @__scythe_private_alloca(ptr addrspace(4) \
                 addrspacecast (ptr addrspace(1) @size to ptr addrspace(4)), i64 4, i64 16)
               %x = getelementptr i32, ptr addrspace(4) %a, i64 %n
               store volatile i32 1, ptr addrspace(4) %x
               %v = load volatile i32, ptr addrspace(4) %x
               store volatile i32 %v, ptr addrspace(1) %p
               ret void }}"
        )
    };
    for count in ["i32 7", "[4 x i8] c\"\\07\\00\\00\\00\""] {
        let text = translated(&code(count));
        assert!(text.contains(" 32") && text.contains("OpTypeArray"), "{text}");
    }
    let unknown = error(
        "declare spir_func ptr addrspace(4) @__scythe_private_alloca(ptr addrspace(4), i64, i64)
         define spir_kernel void @kernel(ptr addrspace(4) %p, i64 %n) {
           %a = call spir_func ptr addrspace(4) @__scythe_private_alloca(ptr addrspace(4) %p, \
             i64 4, i64 16)
           store i32 1, ptr addrspace(4) %a
           ret void }",
    );
    assert!(unknown.contains("private memory whose size or alignment"), "{unknown}");
}

#[test]
fn what_cannot_be_translated_is_an_error_and_the_process_goes_on() {
    let undefined = error(
        "declare spir_func float @strange(float)
         define spir_kernel void @kernel(ptr addrspace(1) %p, float %x) {
           %r = call spir_func float @strange(float %x)
           store float %r, ptr addrspace(1) %p
           ret void }",
    );
    assert!(undefined.contains("'strange'") && undefined.contains("'kernel'"), "{undefined}");
    let fatal = error(
        "declare i32 @llvm.sshl.sat.i32(i32, i32)
         define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %x) {
           %r = call i32 @llvm.sshl.sat.i32(i32 %x, i32 %x)
           store i32 %r, ptr addrspace(1) %p
           ret void }",
    );
    assert!(fatal.contains("cannot translate") && fatal.contains("SSHLSAT"), "{fatal}");
    assert!(
        translate(b"not bitcode", &[], &options()).unwrap_err().to_string().contains("cannot read")
    );
    let old = Options { version: 0x0002_0000, ..options() };
    assert!(translate(&bitcode(""), &[], &old).unwrap_err().to_string().contains("0x00020000"));
}

#[test]
fn simplification_that_could_go_on_is_no_error() {
    let text = translated(
        "declare void @llvm.memset.p4.i64(ptr addrspace(4), i8, i64, i1)
         declare void @llvm.memcpy.p4.p1.i64(ptr addrspace(4), ptr addrspace(1), i64, i1)
         declare void @llvm.experimental.noalias.scope.decl(metadata)
         define spir_kernel void @kernel() {
           tail call void @llvm.experimental.noalias.scope.decl(metadata !0)
           call void @llvm.memcpy.p4.p1.i64(ptr addrspace(4) null, ptr addrspace(1) null, i64 0, \
           i1 false), !noalias !0
           call void @llvm.memset.p4.i64(ptr addrspace(4) null, i8 0, i64 0, i1 false), \
           !alias.scope !3
           ret void }
         !0 = !{!1}
         !1 = distinct !{!1, !2}
         !2 = distinct !{!2}
         !3 = !{!4, !1}
         !4 = distinct !{!4, !5}
         !5 = distinct !{!5}",
    );
    assert!(text.contains("OpReturn"), "{text}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let code = bitcode(
        "define spir_kernel void @kernel(ptr addrspace(1) %p) { store i32 1, ptr addrspace(1) %p \
         ret void }",
    );
    let once = translate(&code, &[], &options()).unwrap();
    assert_eq!(once, translate(&code, &[], &options()).unwrap());
    assert_eq!(&once[..4], &0x0723_0203u32.to_le_bytes());
}

#[test]
fn properties_become_execution_modes_and_decorations() {
    let text = translated(
        "@text = private unnamed_addr addrspace(1) constant [22 x i8] \
         c\"sycl-properties:foo=3\\00\", section \"llvm.metadata\"
         @file = private unnamed_addr addrspace(1) constant [6 x i8] c\"f.cpp\\00\", \
         section \"llvm.metadata\"
         declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), \
         ptr addrspace(1), i32, ptr addrspace(1))
         define spir_kernel void @sized(ptr addrspace(1) noalias align \
         64 \"sycl-no-alias\" \"sycl-alignment\"=\"64\" %p) #0
             !intel_reqd_sub_group_size !0 !reqd_work_group_size !1 {
           %m = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %p, ptr \
           addrspace(1) @text,
               ptr addrspace(1) @file, i32 1, ptr addrspace(1) null)
           store i32 1, ptr addrspace(1) %m
           ret void }
         attributes #0 = { \"my-own\"=\"1\" \"sycl-sub-group-size\"=\"16\" \"sycl-work-group-size\"=\"2,4\" }
         !0 = !{i32 16}
         !1 = !{i32 4, i32 2, i32 1}",
    );
    for part in [
        "LocalSize 4 2 1",
        "SubgroupSize 16",
        "FuncParamAttr NoAlias",
        "Alignment 64",
        "\"sycl-properties:foo=3\"",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn variables_keep_their_size_when_pointers_lie_in_them() {
    let text = translated(
        "define weak_odr spir_kernel void @kernel(ptr addrspace(1) %p, i64 %at) {
           %many = alloca [4 x i32], align 8
           %one = alloca ptr addrspace(1), align 8
           store volatile i32 1, ptr %many
           store ptr addrspace(1) %p, ptr %many, align 8
           %byte = getelementptr i8, ptr %many, i64 %at
           store volatile i8 1, ptr %byte
           %q = load ptr addrspace(1), ptr %many, align 8
           store ptr addrspace(1) %q, ptr %one, align 8
           %other = getelementptr i8, ptr %one, i64 %at
           store volatile i8 1, ptr %other
           %r = load ptr addrspace(1), ptr %one, align 8
           store i32 1, ptr addrspace(1) %r
           ret void }",
    );
    let variables: Vec<&str> = text.lines().filter(|l| l.contains("OpVariable")).collect();
    assert_eq!(variables.len(), 2, "{text}");
    assert!(variables[0].contains("%_ptr_Function__arr_uint_uint_4 "), "{text}");
    assert!(variables[1].contains("%_ptr_Function_ulong "), "{text}");
}

#[test]
fn blocks_keep_ids_of_their_own_over_many_translations() {
    // The kernels have different numbers of stores that may be skipped, so their ids and blocks
    // differ.
    let kernel = |name: usize, skipped: usize| {
        let mut text = format!(
            "define spir_kernel void @k{name}(ptr addrspace(1) %p, i32 %n) {{ br label %b0\n"
        );
        for b in 0..skipped {
            text += &format!(
                "b{b}: %c{b} = icmp ugt i32 %n, {b}\n br i1 %c{b}, label %s{b}, label %b{next}
                 s{b}: store volatile i32 {b}, ptr addrspace(1) %p\n br label %b{next}\n",
                next = b + 1
            );
        }
        text + &format!("b{skipped}: ret void }}\n")
    };
    for round in 0..200 {
        let kernels: String =
            (0..1 + round % 7).map(|k| kernel(k, 5 + (round * 13 + k * 29) % 90)).collect();
        let result = translate(&bitcode(&kernels), &[], &options());
        assert!(result.is_ok(), "round {round}: {}", result.unwrap_err());
    }
}

#[test]
fn one_kernel_is_translated_without_the_others() {
    let code = bitcode(
        "declare spir_func void @nowhere()
         @table = internal addrspace(1) constant [2 x i32] [i32 3, i32 4]
         define spir_kernel void @bad() { call spir_func void @nowhere() ret void }
         define spir_kernel void @good(ptr addrspace(1) %p, i64 %i) {
           %at = getelementptr i32, ptr addrspace(1) @table, i64 %i
           %n = load i32, ptr addrspace(1) %at
           store i32 %n, ptr addrspace(1) %p
           ret void }",
    );
    let only = |kernel: Option<&str>| {
        translate(&code, &[], &Options { kernel: kernel.map(str::to_owned), ..options() })
    };
    for kernel in [None, Some("bad")] {
        let why = only(kernel).expect_err("one cannot be translated").to_string();
        assert!(why.contains("nowhere"), "{why}");
    }
    let words = only(Some("good")).expect("one can be translated");
    assert!(words.windows(4).any(|w| w == b"good") && !words.windows(4).any(|w| w == b"bad\0"));
    let why = only(Some("other")).expect_err("there is no such kernel").to_string();
    assert_eq!(why, "the device code has no kernel 'other'");
}

#[test]
fn a_program_judges_the_result() {
    let code = bitcode("define spir_kernel void @kernel() { ret void }");
    let judged = |program: &str| {
        translate(&code, &[], &Options { validator: Some(program.into()), ..options() })
    };
    assert!(judged("spirv-val").is_ok());
    let why = judged("/bin/false").expect_err("it refuses all").to_string();
    assert!(why.contains("'/bin/false' rejects the SPIR-V module"), "{why}");
}
