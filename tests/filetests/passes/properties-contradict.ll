; RUN: not run-passes kernel-properties %s 2>&1 | FileCheck %s
; CHECK: kernel 'k': property 'sycl-sub-group-size' contradicts an attribute of the kernel
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k() #0 !intel_reqd_sub_group_size !0 {
  ret void
}
attributes #0 = { "sycl-sub-group-size"="16" }
!0 = !{i32 8}
