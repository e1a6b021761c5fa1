; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; CHECK: function 'k' has a 'goto' to the address of a label, which NVIDIA GPUs do not support
target triple = "nvptx64-nvidia-cuda"
@labels = internal addrspace(1) constant [2 x ptr] [ptr blockaddress(@k, %a), ptr blockaddress(@k, %b)]
define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n) #0 {
  %at = getelementptr [2 x ptr], ptr addrspace(1) @labels, i64 0, i64 %n
  %where = load ptr, ptr addrspace(1) %at
  indirectbr ptr %where, [label %a, label %b]
a:
  store i32 1, ptr addrspace(1) %p
  ret void
b:
  store i32 2, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
