; RUN: not run-passes kernel-properties %s 2>&1 | FileCheck %s
; CHECK: kernel 'k': property 'sycl-work-group-size' is '4,none', expected positive sizes
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k() #0 {
  ret void
}
attributes #0 = { "sycl-work-group-size"="4,none" }
