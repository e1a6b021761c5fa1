; What a listed target cannot do is reported once, where it is used, with the way from an entry point.
; RUN: infer-aspects \
; RUN:   --fixed-target=plain:aspects=1,5:sub-group-sizes=8,16:max-work-group-size=64 \
; RUN:   --fixed-target=full:aspects=5,6,28:sub-group-sizes=8,32:max-work-group-size=1024 \
; RUN:   --fixed-target=family:others \
; RUN:   %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: {{^}}warning: function 'sized' has required sub-group size '32' not supported by target 'plain' in '-fsycl-fixed-targets'
; CHECK-NEXT: {{^}}warning: function 'sized' has required work-group size '8, 16' not supported by target 'plain' in '-fsycl-fixed-targets'
; CHECK-NEXT: {{^}}warning: function 'leaf' uses aspect 'fp64' not supported by target 'plain' in '-fsycl-fixed-targets'
; CHECK-NEXT: {{^}}use is from this call chain:
; CHECK-NEXT: {{^}}  kernel()
; CHECK-NEXT: {{^}}  leaf()
; CHECK-NEXT: {{^}}compile with '-g' to get source location
; CHECK-NEXT: {{^}}warning: function 'asks' uses aspect 'image' not supported by targets 'plain' and 'full' in '-fsycl-fixed-targets'
; CHECK-NEXT: {{^}}use is from this call chain:
; CHECK-NEXT: {{^}}  asks()
; CHECK-NEXT: {{^}}compile with '-g' to get source location
; CHECK-NEXT: {{^}}---
; CHECK: define spir_kernel void @_ZTS5sized() {{.*}}!intel_fixed_targets ![[LIST:[0-9]+]]
define spir_kernel void @_ZTS5sized() !intel_reqd_sub_group_size !0 !reqd_work_group_size !1 !work_group_num_dim !2 {
  ret void
}
define spir_kernel void @_ZTS6kernel() {
  call spir_func void @leaf()
  ret void
}
define spir_func void @leaf() {
  %x = alloca double
  %y = alloca half
  ret void
}
define spir_func void @asks() #0 !intel_declared_aspects !3 {
  ret void
}
; What no entry point reaches does not matter.
define internal spir_func void @unreached() {
  %x = alloca double
  ret void
}
; CHECK: ![[LIST]] = !{!"plain", !"full", !"family"}
attributes #0 = { "sycl-module-id"="a.cpp" }
!0 = !{i32 32}
!1 = !{i32 16, i32 8, i32 1}
!2 = !{i32 2}
!3 = !{i32 9}
