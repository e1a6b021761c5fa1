; RUN: not lower-nvptx --stage=prepared %s 2>&1 | FileCheck %s
; Intrinsics without an instruction are calls of CUDA's library; without it, the first one is told.
; CHECK: 'k' uses '__nv_sinf', which neither the program nor the NVPTX device library defines
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.sin.f32(float)
define ptx_kernel void @k(ptr addrspace(1) %p, float %x) #0 {
  %s = call float @llvm.sin.f32(float %x)
  store float %s, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
