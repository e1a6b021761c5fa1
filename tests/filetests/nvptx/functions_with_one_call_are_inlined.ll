; RUN: lower-nvptx --stage=optimized %s | FileCheck %s
; A function with one call is inlined, whatever its size; 'noinline' keeps it, and so do two calls.
target triple = "nvptx64-nvidia-cuda"
; CHECK-NOT: @once
; CHECK-LABEL: define {{.*}}@k(
; CHECK: call {{.*}}@kept(
; CHECK-NOT: call {{.*}}@once(
; CHECK: ret void
define internal void @once(ptr addrspace(1) %p) #1 {
  store volatile i32 1, ptr addrspace(1) %p
  ret void
}
define internal void @kept(ptr addrspace(1) %p) #2 {
  store volatile i32 2, ptr addrspace(1) %p
  ret void
}
define ptx_kernel void @k(ptr addrspace(1) %p) #0 {
  call void @once(ptr addrspace(1) %p)
  call void @kept(ptr addrspace(1) %p)
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
attributes #1 = { "function-inline-cost"="1000000" }
attributes #2 = { noinline }
