; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; A fatal error of LLVM's, for which no check of ours looks.
; CHECK: LLVM cannot generate code for module '{{.*}}': Named registers not implemented for this target
target triple = "nvptx64-nvidia-cuda"
declare i64 @llvm.read_register.i64(metadata)
define ptx_kernel void @k(ptr addrspace(1) %p) #0 {
  %top = call i64 @llvm.read_register.i64(metadata !0)
  store i64 %top, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
!0 = !{!"sp"}
