; What the table has becomes SPIR-V's metadata, beside what is there already; the second run adds nothing. A parameter that is not a pointer
; has no alias, and a property that the table does not have no decoration.
; RUN: run-passes spirv-properties,spirv-properties %s | FileCheck %s
; CHECK: @v = {{.*}} !spirv.Decorations ![[V:[0-9]+]]
; CHECK: define spir_kernel void @k({{.*}}) {{.*}}!spirv.ParameterDecorations ![[K:[0-9]+]]
; CHECK: define spir_kernel void @plain({{[^!]*}} {
; CHECK: !spirv.ExecutionMode = !{![[OWN:[0-9]+]], ![[SIZE:[0-9]+]]}
; CHECK-DAG: ![[OWN]] = !{ptr @k, i32 31}
; CHECK-DAG: ![[SIZE]] = !{ptr @k, i32 35, i32 8}
; CHECK-DAG: ![[V]] = !{![[THERE:[0-9]+]], ![[MODE:[0-9]+]]}
; CHECK-DAG: ![[THERE]] = !{i32 7744}
; CHECK-DAG: ![[MODE]] = !{i32 6190, i32 1}
; CHECK-DAG: ![[K]] = !{![[FIRST:[0-9]+]], ![[SECOND:[0-9]+]], ![[THIRD:[0-9]+]]}
; CHECK-DAG: ![[FIRST]] = !{![[THERE]], ![[ALIAS:[0-9]+]]}
; CHECK-DAG: ![[ALIAS]] = !{i32 38, i32 4}
; CHECK-DAG: ![[SECOND]] = !{}
; CHECK-DAG: ![[THIRD]] = !{![[STABLE:[0-9]+]]}
; CHECK-DAG: ![[STABLE]] = !{i32 6183}
target triple = "spirv64-unknown-unknown"
@v = addrspace(1) global i32 0, !spirv.Decorations !0 #1
define spir_kernel void @k(ptr addrspace(1) "sycl-no-alias" "my-own"="1" %p, i32 "sycl-no-alias" "sycl-alignment"="4" %i, i32 "sycl-stable" %j) #0 !spirv.ParameterDecorations !2 {
  ret void
}
define spir_kernel void @plain(ptr addrspace(1) "my-own" %p) {
  ret void
}
attributes #0 = { "sycl-sub-group-size"="8" "my-own" }
attributes #1 = { "sycl-init-mode"="reset" "my-own" }
!spirv.ExecutionMode = !{!5}
!0 = !{!1}
!1 = !{i32 7744}
!2 = !{!0, !3, !3}
!3 = !{}
!5 = !{ptr @k, i32 31}
