; Kernels tell by which calls each aspect comes in, and what they only declare.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: define spir_kernel void @_ZTS1K() {{.*}}!scythe_aspect_origins ![[ORIGINS:[0-9]+]]
define spir_kernel void @_ZTS1K() !intel_declared_aspects !0 {
  call spir_func void @_Z6helperv()
  ret void
}
; CHECK: define spir_func void @_Z6helperv()
; CHECK-NOT: scythe_aspect_origins
define spir_func void @_Z6helperv() {
  %x = alloca double
  ret void
}
; CHECK: ![[ORIGINS]] = !{!"fp64\09K\09helper", !"atomic64\09K", !"4000\09K"}
!0 = !{i32 6, i32 28, i32 4000}
