; A function that uses what it does not declare is reported with the call chain; without debug information there is a hint.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: {{^}}warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'
; CHECK-NEXT: {{^}}use is from this call chain:
; CHECK-NEXT: {{^}}  foo()
; CHECK-NEXT: {{^}}  bar()
; CHECK-NEXT: {{^}}  boo()
; CHECK-NEXT: {{^}}compile with '-g' to get source location
; CHECK-NOT: {{^}}warning

; CHECK: define spir_func void @_Z3foov() !intel_declared_aspects ![[DECLARED:[0-9]+]] !intel_used_aspects ![[USED:[0-9]+]] {
define spir_func void @_Z3foov() !intel_declared_aspects !0 {
  call spir_func void @_Z3barv()
  ret void
}
define spir_func void @_Z3barv() {
  call spir_func void @_Z3boov()
  ret void
}
define spir_func void @_Z3boov() {
  %x = alloca double
  ret void
}
; What is declared need not be used, and what is used may be declared.
define spir_func void @_Z4finev() !intel_declared_aspects !1 {
  call spir_func void @_Z3boov()
  ret void
}
; CHECK-DAG: ![[DECLARED]] = !{i32 28}
; CHECK-DAG: ![[USED]] = !{i32 6}
!0 = !{i32 28}
!1 = !{i32 5, i32 6}
