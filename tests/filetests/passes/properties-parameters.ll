; Parameters carry their properties, and what LLVM knows of them; values have no use for what is said of pointers.
; RUN: run-passes parameter-properties,parameter-properties %s | FileCheck %s
; CHECK: define spir_kernel void @k(ptr addrspace(1) noalias align 64 "my-own"="x" "sycl-alignment"="64" "sycl-no-alias" %p, i32 "sycl-no-alias" %i, float %f)
; CHECK-NOT: scythe_param_properties
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %p, i32 %i, float %f) !scythe_param_properties !0 {
  ret void
}
!0 = !{!1, !2, !3}
!1 = !{!"sycl-no-alias", !"", !"my-own", !"x", !"sycl-alignment", !"64"}
!2 = !{!"sycl-no-alias", !""}
!3 = !{}
