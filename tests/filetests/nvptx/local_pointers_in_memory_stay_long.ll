; RUN: lower-nvptx %s | FileCheck %s
; A pointer to local memory that is kept in memory has the size that the program's objects give it.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK: st.global.b64
define ptx_kernel void @k(ptr addrspace(3) %a, ptr addrspace(3) %b, ptr addrspace(1) %out) #0 {
  store ptr addrspace(3) %b, ptr addrspace(1) %out, align 8
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
