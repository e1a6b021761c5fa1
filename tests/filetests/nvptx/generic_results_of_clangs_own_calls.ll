; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; As in generic_results_through_memory.ll, for a function that clang calls by itself: only the call says what memory it is.
; CHECK: 'k' uses '__divsc3', which neither the program nor the NVPTX device library defines
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
declare spir_func void @__divsc3(ptr, float, float, float, float)
define spir_kernel void @k(ptr addrspace(1) %p, float %z) #0 {
  %r = alloca { float, float }, align 4
  call spir_func void @__divsc3(ptr sret({ float, float }) align 4 %r, float %z, float %z, float %z, float %z)
  %x = load float, ptr %r
  store float %x, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
