; RUN: not run-passes parameter-properties %s 2>&1 | FileCheck %s
; CHECK: kernel 'k': property 'sycl-alignment' of parameter 0 is '3', expected a power of two
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %p) !scythe_param_properties !0 {
  ret void
}
!0 = !{!1}
!1 = !{!"sycl-alignment", !"3"}
