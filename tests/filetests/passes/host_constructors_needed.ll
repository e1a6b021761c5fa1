; RUN: run-passes host-code %s | FileCheck %s
; A kernel reads a variable that a constructor sets. The constructor stays, because code generation
; reports it.
@value = internal addrspace(1) global float 0.0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]

define spir_kernel void @k(ptr addrspace(1) %out) {
  %v = load float, ptr addrspace(1) @value
  store float %v, ptr addrspace(1) %out
  ret void
}

define internal spir_func void @init() {
  %v = call spir_func float @host()
  store float %v, ptr addrspace(1) @value
  ret void
}

declare spir_func float @host()

define spir_func void @unreferenced() {
  ret void
}

; CHECK: @value
; CHECK: @llvm.global_ctors
; CHECK: define spir_kernel void @k
; CHECK: define internal spir_func void @init
; CHECK-NOT: @unreferenced
