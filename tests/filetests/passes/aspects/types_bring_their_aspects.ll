; A type of the list counts by identity, also as member, element, argument and return value; a name alone does not.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"
%"class.lib::decorated" = type { i32 }
%"class.lib::decorated.1" = type { i64 }
%struct.outer = type { i8, %struct.inner }
%struct.inner = type { [2 x %"class.lib::decorated"] }

; CHECK: define spir_func void @direct() !intel_used_aspects ![[BOTH:[0-9]+]] {
define spir_func void @direct() {
  %x = alloca %"class.lib::decorated"
  ret void
}
; CHECK: define spir_func void @nested() !intel_used_aspects ![[BOTH]] {
define spir_func void @nested() {
  %x = alloca %struct.outer
  ret void
}
; CHECK: define spir_func %"class.lib::decorated" @returned(ptr %p) !intel_used_aspects ![[BOTH]] {
define spir_func %"class.lib::decorated" @returned(ptr %p) {
  %x = load %"class.lib::decorated", ptr %p
  ret %"class.lib::decorated" %x
}
; CHECK: define spir_func void @other() {
define spir_func void @other() {
  %x = alloca %"class.lib::decorated.1"
  ret void
}
; CHECK: ![[BOTH]] = !{i32 9, i32 28}
!intel_types_that_use_aspects = !{!0}
!0 = !{!"class.lib::decorated", i32 28, i32 9}
