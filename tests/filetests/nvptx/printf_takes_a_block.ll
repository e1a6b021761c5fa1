; RUN: lower-nvptx -O0 --stage=prepared %s | FileCheck %s
; The driver's vprintf takes the arguments in memory.
target triple = "nvptx64-nvidia-cuda"
@format = internal addrspace(1) constant [10 x i8] c"%d %f %s\0A\00"
declare i32 @printf(ptr, ...)
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: [[BLOCK:%printf.arguments]] = alloca { i32, double, ptr }
; CHECK: [[A:%.*]] = getelementptr { i32, double, ptr }, ptr [[BLOCK]], i32 0, i32 0
; CHECK: store i32 %n, ptr [[A]]
; CHECK: [[B:%.*]] = getelementptr { i32, double, ptr }, ptr [[BLOCK]], i32 0, i32 1
; CHECK: store double %d, ptr [[B]]
; CHECK: call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @format to ptr), ptr [[BLOCK]])
; CHECK: call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @format to ptr), ptr null)
define ptx_kernel void @k(i32 %n, double %d, ptr %s) #0 {
  %1 = call i32 (ptr, ...) @printf(ptr addrspacecast (ptr addrspace(1) @format to ptr), i32 %n, double %d, ptr %s)
  %2 = call i32 (ptr, ...) @printf(ptr addrspacecast (ptr addrspace(1) @format to ptr))
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
