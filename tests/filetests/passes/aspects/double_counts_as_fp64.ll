; `double` uses fp64 (6) wherever a function has it: signature, storage, element, operand. `half` uses fp16 (5).
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: define spir_func void @signature(double %x) !intel_used_aspects ![[FP64:[0-9]+]] {
define spir_func void @signature(double %x) {
  ret void
}
; CHECK: define spir_func void @storage() !intel_used_aspects ![[FP64]] {
define spir_func void @storage() {
  %x = alloca double
  ret void
}
; CHECK: define spir_func ptr @element(ptr %p) !intel_used_aspects ![[FP64]] {
define spir_func ptr @element(ptr %p) {
  %q = getelementptr [4 x double], ptr %p, i64 1
  ret ptr %q
}
; CHECK: define spir_func void @operand(ptr %p) !intel_used_aspects ![[FP64]] {
define spir_func void @operand(ptr %p) {
  store double 4.0, ptr %p
  ret void
}
; CHECK: define spir_func void @vector(ptr %p) !intel_used_aspects ![[FP16:[0-9]+]] {
define spir_func void @vector(ptr %p) {
  %v = load <4 x half>, ptr %p
  ret void
}
; CHECK: define spir_func float @single(float %x) {
define spir_func float @single(float %x) {
  %y = fmul float %x, 4.0
  ret float %y
}
; CHECK: ![[FP64]] = !{i32 6}
; CHECK: ![[FP16]] = !{i32 5}
