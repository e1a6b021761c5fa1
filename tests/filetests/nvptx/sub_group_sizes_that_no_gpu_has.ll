; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; CHECK: kernel 'k' requires sub-groups of 8 work-items; NVIDIA GPUs support only 32
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() #0 !intel_reqd_sub_group_size !0 {
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
!0 = !{i32 8}
