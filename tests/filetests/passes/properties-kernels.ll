; Properties of kernels become the metadata of attributes; aspects join those that are declared already.
; RUN: run-passes kernel-properties,kernel-properties %s | FileCheck %s
; CHECK: define spir_kernel void @all() #0 !intel_declared_aspects ![[DECLARED:[0-9]+]] !intel_reqd_sub_group_size ![[SUB:[0-9]+]] !reqd_work_group_size ![[GROUP:[0-9]+]] !work_group_num_dim ![[DIMS:[0-9]+]] !work_group_size_hint ![[HINT:[0-9]+]]
; CHECK: define spir_kernel void @none() #1 {
; CHECK: attributes #0 = { "my-own"="1" "sycl-device-has"="6" "sycl-sub-group-size"="16" "sycl-work-group-size"="2,4" "sycl-work-group-size-hint"="8" }
; CHECK-DAG: ![[DECLARED]] = !{i32 5, i32 6}
; CHECK-DAG: ![[SUB]] = !{i32 16}
; CHECK-DAG: ![[GROUP]] = !{i32 4, i32 2, i32 1}
; CHECK-DAG: ![[DIMS]] = !{i32 2}
; CHECK-DAG: ![[HINT]] = !{i32 8, i32 1, i32 1}
target triple = "spirv64-unknown-unknown"
define spir_kernel void @all() #0 !intel_declared_aspects !0 {
  ret void
}
define spir_kernel void @none() #1 {
  ret void
}
attributes #0 = { "my-own"="1" "sycl-device-has"="6" "sycl-sub-group-size"="16" "sycl-work-group-size"="2,4" "sycl-work-group-size-hint"="8" }
attributes #1 = { "my-own" }
!0 = !{i32 5}
