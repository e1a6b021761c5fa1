; What a function declares counts as used by its callers, whether it is defined here or not, but not by itself.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: {{^}}warning: function 'narrow' uses aspect 'fp16' not listed in 'sycl::device_has'
; CHECK-NEXT: {{^}}use is from this call chain:
; CHECK-NEXT: {{^}}  narrow()
; CHECK-NEXT: {{^}}  elsewhere()
; CHECK: {{^}}---
; CHECK: define spir_kernel void @kernel() !intel_used_aspects ![[USED:[0-9]+]]
define spir_kernel void @kernel() {
  call spir_func void @elsewhere()
  call spir_func void @here()
  ret void
}
; CHECK: declare !intel_declared_aspects !{{[0-9]+}} spir_func void @elsewhere()
declare !intel_declared_aspects !0 spir_func void @elsewhere()
; CHECK: define spir_func void @here() !intel_declared_aspects ![[HERE:[0-9]+]] {
define spir_func void @here() !intel_declared_aspects !1 {
  ret void
}
define spir_func void @narrow() !intel_declared_aspects !2 {
  call spir_func void @elsewhere()
  ret void
}
; CHECK: ![[USED]] = !{i32 5, i32 28}
!0 = !{i32 5}
!1 = !{i32 28}
!2 = !{}
