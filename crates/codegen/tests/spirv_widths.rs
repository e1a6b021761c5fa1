//! Tests of integers and vectors that LLVM's SPIR-V back end confuses with others, or has no types
//! for.

mod spirv_tools;

use spirv_tools::translated;

#[test]
fn counters_that_are_truncated_keep_their_width() {
    // Loop strength reduction would count in three bits here, which become eight, and mask the
    // wrong ones.
    let text = translated(
        "declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
         define spir_kernel void @kernel(ptr addrspace(1) %p) {
         entry:
           %id = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
           %first = and i64 %id, 7
           br label %loop
         loop:
           %k = phi i64 [ %first, %entry ], [ %next, %loop ]
           %value = trunc nuw nsw i64 %k to i32
           %at = getelementptr inbounds nuw i32, ptr addrspace(1) %p, i64 %k
           store i32 %value, ptr addrspace(1) %at
           %next = add nuw nsw i64 %k, 8
           %more = icmp samesign ult i64 %k, 56
           br i1 %more, label %loop, label %end
         end:
           ret void }",
    );
    assert!(!text.contains("_255"), "{text}");
    assert_eq!(text.matches("OpBitwiseAnd %ulong").count(), 1, "{text}");
}

#[test]
fn extensions_of_truncations_are_masks() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %x, i1 %c, <3 x i32> %v) {
         entry:
           %narrow = trunc i64 %x to i8
           br i1 %c, label %then, label %end
         then:
           %wide = zext i8 %narrow to i32
           store volatile i32 %wide, ptr addrspace(1) %p
           %truth = trunc i64 %x to i1
           %one = zext i1 %truth to i16
           store volatile i16 %one, ptr addrspace(1) %p
           %bytes = trunc <3 x i32> %v to <3 x i8>
           %words = zext <3 x i8> %bytes to <3 x i64>
           store volatile <3 x i64> %words, ptr addrspace(1) %p
           br label %end
         end:
           %both = phi i8 [ %narrow, %entry ], [ 3, %then ]
           store i8 %both, ptr addrspace(1) %p
           ret void }",
    );
    assert!(
        text.contains("OpBitwiseAnd %uint ") && text.contains("OpBitwiseAnd %v3uint "),
        "{text}"
    );
}

#[test]
fn switches_on_other_widths_are_widened() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %x, float %f) {
         entry:
           %few = trunc i32 %x to i5
           switch i5 %few, label %end [ i5 1, label %one i5 -1, label %last ]
         one:
           store volatile i32 1, ptr addrspace(1) %p
           %flag = fptoui float %f to i1
           switch i1 %flag, label %end [ i1 true, label %last ]
         last:
           store volatile i32 2, ptr addrspace(1) %p
           br label %end
         end:
           ret void }",
    );
    assert!(text.contains("OpSwitch") && text.contains(" 31 "), "{text}");
}

#[test]
fn bits_are_reversed_without_the_extension() {
    let text = translated(
        "declare i8 @llvm.bitreverse.i8(i8)
         declare <2 x i64> @llvm.bitreverse.v2i64(<2 x i64>)
         define spir_kernel void @kernel(ptr addrspace(1) %p, i8 %b, <2 x i64> %v) {
           %rb = call i8 @llvm.bitreverse.i8(i8 %b)
           store volatile i8 %rb, ptr addrspace(1) %p
           %rv = call <2 x i64> @llvm.bitreverse.v2i64(<2 x i64> %v)
           store volatile <2 x i64> %rv, ptr addrspace(1) %p
           ret void }",
    );
    // Three steps for a byte, six for a word.
    assert_eq!(text.matches("OpShiftLeftLogical %uchar").count(), 3, "{text}");
    assert_eq!(text.matches("OpShiftLeftLogical %v2ulong").count(), 6, "{text}");
    assert!(text.contains("%uchar_85") && text.contains("%ulong_6148914691236517205"), "{text}");
}

#[test]
fn vectors_of_pointers_and_of_other_lengths_are_taken_apart() {
    let text = translated(
        "define spir_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) {
         entry:
           %v = load <4 x ptr addrspace(4)>, ptr addrspace(1) %p
           br i1 %c, label %then, label %end
         then:
           %w = load <4 x ptr addrspace(4)>, ptr addrspace(1) %q
           br label %end
         end:
           %both = phi <4 x ptr addrspace(4)> [ %v, %entry ], [ %w, %then ]
           %s = shufflevector <4 x ptr addrspace(4)> %both, <4 x ptr addrspace(4)> %v, <4 x i32> \
           <i32 3, i32 4, i32 5, i32 1>
           store <4 x ptr addrspace(4)> %s, ptr addrspace(1) %q
           %six = load <6 x i16>, ptr addrspace(1) %p
           %twice = add <6 x i16> %six, %six
           store <6 x i16> %twice, ptr addrspace(1) %q
           ret void }",
    );
    assert!(!text.contains("OpTypeVector"), "{text}");
    assert_eq!(
        text.matches("OpIAdd %ushort").count() + text.matches("OpShiftLeftLogical %ushort").count(),
        6,
        "{text}"
    );
}

#[test]
fn memory_of_types_that_spirv_lacks_is_bytes() {
    let text = translated(
        "%open = type { i64, [3 x i64], [0 x i32] }
         define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %i, i32 %j) {
           %own = alloca [2 x %open]
           %at = getelementptr [2 x %open], ptr %own, i64 0, i64 %i, i32 1, i32 %j
           store volatile i64 5, ptr %at
           %other = getelementptr %open, ptr addrspace(1) %p, i64 %i, i32 2
           %read = load i64, ptr %at
           store i64 %read, ptr addrspace(1) %other
           ret void }",
    );
    assert!(text.contains("OpTypeArray %uchar %uint_64") && text.contains("%ulong_32"), "{text}");
    assert!(!text.contains("OpTypeStruct"), "{text}");
}
