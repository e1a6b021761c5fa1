; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; Generic code gets complex numbers through memory, the library for NVPTX returns them: a function between the two calls it. No library is
; linked here, so that it is missing.
; CHECK: 'k' uses 'cexpf', which neither the program nor the NVPTX device library defines
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
declare spir_func void @cexpf(ptr sret({ float, float }) align 4, ptr byval({ float, float }) align 4)
define spir_kernel void @k(ptr addrspace(1) %p, ptr byval({ float, float }) align 4 %z) #0 {
  %r = alloca { float, float }, align 4
  call spir_func void @cexpf(ptr sret({ float, float }) align 4 %r, ptr byval({ float, float }) align 4 %z)
  %x = load float, ptr %r
  store float %x, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
