; Without the switch every kernel and SYCL_EXTERNAL function that is defined has an empty list, and nothing else has one.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: define spir_kernel void @kernel() !intel_fixed_targets ![[NONE:[0-9]+]] {
define spir_kernel void @kernel() {
  ret void
}
; CHECK: define spir_func void @exported() #{{[0-9]+}} !intel_fixed_targets ![[NONE]] {
define spir_func void @exported() #0 {
  ret void
}
; CHECK: define spir_func void @inner() {
define spir_func void @inner() {
  ret void
}
; CHECK: declare spir_func void @imported() #{{[0-9]+}}{{$}}
declare spir_func void @imported() #0
; CHECK: ![[NONE]] = !{}
attributes #0 = { "sycl-module-id"="a.cpp" }
