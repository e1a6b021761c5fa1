; A branch of if_device_has counts for the targets that take it: its own, and those around it. A family of devices may take any.
; RUN: infer-aspects \
; RUN:   --fixed-target=dg1:aspects=5,1038:sub-group-sizes=8 \
; RUN:   --fixed-target=pvc:aspects=5,6,1021:sub-group-sizes=16 \
; RUN:   --fixed-target=family:others \
; RUN:   %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK-NOT: only_pvc
; CHECK: {{^}}warning: function 'no_pvc' uses aspect 'fp64' not supported by target 'dg1' in '-fsycl-fixed-targets'
; CHECK-NEXT: {{^}}use is from this call chain:
; CHECK-NEXT: {{^}}  kernel()
; CHECK-NEXT: {{^}}  no_pvc()
; CHECK-NEXT: {{^}}compile with '-g' to get source location
; CHECK-NEXT: {{^}}warning: function 'small' has required sub-group size '8' not supported by target 'pvc' in '-fsycl-fixed-targets'
; CHECK-NEXT: {{^}}---
define spir_kernel void @_ZTS6kernel() {
  call spir_func void @only_pvc()
  call spir_func void @no_pvc()
  call spir_func void @nobody()
  ret void
}
define internal spir_func void @only_pvc() noinline "scythe-conditional"="1021" {
  %x = alloca double
  call spir_func void @small()
  ret void
}
define internal spir_func void @no_pvc() noinline "scythe-conditional"="!1021" {
  %x = alloca double
  ret void
}
define internal spir_func void @small() !intel_reqd_sub_group_size !0 {
  ret void
}
; In a branch inside of one for the other device.
define internal spir_func void @nobody() noinline "scythe-conditional"="1038" {
  call spir_func void @inner()
  ret void
}
define internal spir_func void @inner() noinline "scythe-conditional"="1021" {
  %x = alloca double
  ret void
}
!0 = !{i32 8}
