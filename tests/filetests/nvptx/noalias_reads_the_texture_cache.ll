; RUN: lower-nvptx %s | FileCheck %s
; Memory that nothing else of the kernel writes, and that it only reads, is read through the cache for constant data.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK: ld.global.nc.b32
; CHECK: ld.global.b32
; CHECK: st.global.b32
define ptx_kernel void @k(ptr addrspace(1) noalias readonly %a, ptr addrspace(1) %b, ptr addrspace(1) %out) #0 {
  %any = addrspacecast ptr addrspace(1) %a to ptr
  %x = load float, ptr %any, align 4
  %y = load float, ptr addrspace(1) %b, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %out, align 4
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
