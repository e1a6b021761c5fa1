; Annotated accesses note structure and member, through casts and inside of other structures; what is no member, or has other
; annotations, is left alone.
; RUN: run-passes member-properties,member-properties %s | FileCheck %s
; CHECK: %first = call {{.*}}, !scythe_member ![[FIRST:[0-9]+]]
; CHECK: %second = call {{.*}}, !scythe_member ![[SECOND:[0-9]+]]
; CHECK: %third = call {{.*}}null){{$}}
; CHECK: %fourth = call {{.*}}null){{$}}
; CHECK: %fifth = call {{.*}}null){{$}}
; CHECK-DAG: ![[FIRST]] = !{%struct.inner poison, i32 1}
; CHECK-DAG: ![[SECOND]] = !{%struct.inner poison, i32 0}
target triple = "spirv64-unknown-unknown"
%struct.inner = type { i32, i64 }
%struct.outer = type { i32, [4 x %struct.inner] }
@mine = private addrspace(1) constant [20 x i8] c"sycl-properties:foo\00", section "llvm.metadata"
@other = private addrspace(1) constant [6 x i8] c"other\00", section "llvm.metadata"
declare ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
define spir_func void @f(ptr %p, i64 %i) {
  %a = getelementptr inbounds nuw %struct.inner, ptr %p, i32 0, i32 1
  %b = addrspacecast ptr %a to ptr addrspace(4)
  %first = call ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4) %b, ptr addrspace(1) @mine, ptr addrspace(1) @other, i32 1, ptr addrspace(1) null)
  %c = getelementptr %struct.outer, ptr %p, i64 2, i32 1, i64 %i, i32 0
  %d = addrspacecast ptr %c to ptr addrspace(4)
  %second = call ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4) %d, ptr addrspace(1) @mine, ptr addrspace(1) @other, i32 1, ptr addrspace(1) null)
  %third = call ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4) %b, ptr addrspace(1) @other, ptr addrspace(1) @other, i32 1, ptr addrspace(1) null)
  %e = getelementptr [4 x i32], ptr %p, i64 0, i64 %i
  %f = addrspacecast ptr %e to ptr addrspace(4)
  %fourth = call ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4) %f, ptr addrspace(1) @mine, ptr addrspace(1) @other, i32 1, ptr addrspace(1) null)
  %g = addrspacecast ptr %p to ptr addrspace(4)
  %fifth = call ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4) %g, ptr addrspace(1) @mine, ptr addrspace(1) @other, i32 1, ptr addrspace(1) null)
  ret void
}
