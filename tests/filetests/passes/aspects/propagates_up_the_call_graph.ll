; Callers have what their callees use, through chains and cycles; callees do not have what their callers use.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: define spir_kernel void @kernel() !intel_used_aspects ![[ALL:[0-9]+]]
define spir_kernel void @kernel() {
  call spir_func void @ping()
  call spir_func void @atomic()
  ret void
}
; CHECK: define spir_func void @ping() !intel_used_aspects ![[FP64:[0-9]+]] {
define spir_func void @ping() {
  call spir_func void @pong()
  ret void
}
; CHECK: define spir_func void @pong() !intel_used_aspects ![[FP64]] {
define spir_func void @pong() {
  call spir_func void @ping()
  call spir_func void @leaf()
  ret void
}
; CHECK: define spir_func void @leaf() !intel_used_aspects ![[FP64]] {
define spir_func void @leaf() {
  %x = alloca double
  call spir_func void @nothing()
  ret void
}
; CHECK: define spir_func void @nothing() {
define spir_func void @nothing() {
  ret void
}
; The front end's own words are kept.
; CHECK: define spir_func void @atomic() !intel_used_aspects ![[ATOMIC:[0-9]+]] {
define spir_func void @atomic() !intel_used_aspects !0 {
  ret void
}
; A function whose address is handed on may be called.
; CHECK: define spir_func void @hands_on(ptr %p) !intel_used_aspects ![[ATOMIC]] {
define spir_func void @hands_on(ptr %p) {
  store ptr @atomic, ptr %p
  ret void
}
; CHECK-DAG: ![[ALL]] = !{i32 6, i32 28}
; CHECK-DAG: ![[FP64]] = !{i32 6}
; CHECK-DAG: ![[ATOMIC]] = !{i32 28}
!0 = !{i32 28}
