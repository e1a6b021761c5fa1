; `sycl_` for `intel_`, and pairs of name and number, mean the same.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"
%struct.decorated = type { i32 }

; CHECK: {{^}}warning: function 'kernel' uses aspect 'atomic64' not listed in 'sycl::device_has'
; CHECK: define spir_kernel void @kernel() {{.*}}!intel_used_aspects ![[USED:[0-9]+]]
define spir_kernel void @kernel() !sycl_declared_aspects !1 !sycl_used_aspects !2 {
  %x = alloca %struct.decorated
  ret void
}
; CHECK: ![[USED]] = !{i32 5, i32 28}
!sycl_types_that_use_aspects = !{!0}
!0 = !{!"struct.decorated", i32 28}
!1 = !{!3}
!2 = !{!3}
!3 = !{!"fp16", i32 5}
