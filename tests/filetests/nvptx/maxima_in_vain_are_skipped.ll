; RUN: lower-nvptx %s | FileCheck %s
; Maxima of floating-point numbers are loops of exchanges, which only those run that change memory.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK: ld.relaxed.gpu.global.b32
; CHECK: setp.ge.f32
; CHECK: atom.relaxed.gpu.global.cas.b32
; CHECK: ret;
define ptx_kernel void @k(ptr addrspace(1) %p, float %x, ptr addrspace(1) %old) #0 {
  %was = atomicrmw fmax ptr addrspace(1) %p, float %x syncscope("device") monotonic
  store float %was, ptr addrspace(1) %old
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
