; RUN: run-passes lower-kernel-args,lower-kernel-args %s | FileCheck %s
; A kernel that is lowered is left alone, by a second run and when it comes from another module. Kernels without rows are
; none of the front end's.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

; CHECK-DAG: define spir_kernel void @done(ptr addrspace(1) noundef %p, ptr addrspace(3) %l, ptr byval([3 x i8]) %b, double %d) {
; CHECK-DAG: define spir_kernel void @fresh(i32 noundef %arg.0)
; CHECK-DAG: define spir_kernel void @foreign(ptr byval(%functor) %f)
%functor = type { i32 }
define spir_kernel void @done(ptr addrspace(1) noundef %p, ptr addrspace(3) %l, ptr byval([3 x i8]) %b, double %d) {
  ret void
}
define spir_kernel void @fresh(ptr byval(%functor) %f) {
  ret void
}
define spir_kernel void @foreign(ptr byval(%functor) %f) {
  ret void
}

!scythe.launch = !{!0, !1}
!0 = !{!"done", i32 0, i64 40, !"a.cpp", i32 3, i32 4, i64 5, i32 0, i64 8, i64 0, i32 0, i32 4, i64 8, i64 8, i32 0, i32 1, i64 3, i64 16, i32 16, i32 1, i64 8, i64 24, i32 8}
!1 = !{!"fresh", i32 0, i64 4, !"a.cpp", i32 3, i32 4, i64 5, i32 1, i64 4, i64 0, i32 3}
