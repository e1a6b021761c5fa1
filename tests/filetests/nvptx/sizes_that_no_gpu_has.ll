; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; CHECK: kernel 'k' requires work-groups of 1024 x 2 x 1 work-items (fastest dimension first); NVIDIA GPUs support at most 1024 in total
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() #0 !reqd_work_group_size !0 {
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
!0 = !{i32 1024, i32 2, i32 1}
