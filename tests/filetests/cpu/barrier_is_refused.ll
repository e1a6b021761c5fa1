; RUN: not -O3
; CHECK: kernel 'k' waits at a work-group barrier (in 'helper'), which the CPU device does not support

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k() "scythe-shape"="nd_range" {
  call spir_func void @helper()
  ret void
}

define spir_func void @helper() {
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 912)
  ret void
}
