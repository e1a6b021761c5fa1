; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; CHECK: function 'k' uses floating-point numbers of more than 64 bits, such as 'long double', which NVIDIA GPUs do not support
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p, double %x) #0 {
  %wide = fpext double %x to x86_fp80
  %sum = fadd x86_fp80 %wide, %wide
  store x86_fp80 %sum, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
