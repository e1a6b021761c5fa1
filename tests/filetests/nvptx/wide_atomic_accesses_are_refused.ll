; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; CHECK: function 'k' has an atomic access to 16 bytes, which NVIDIA GPUs do not support
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p) #0 {
  %x = load atomic i128, ptr addrspace(1) %p seq_cst, align 16
  store i128 %x, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
