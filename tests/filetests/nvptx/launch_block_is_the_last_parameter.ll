; RUN: lower-nvptx --stage=lowered %s | FileCheck %s
; Every kernel gets the launch block by value. Range kernels leave out work-items beyond the end; others check nothing.
target triple = "nvptx64-nvidia-cuda"
declare i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32) #1

; CHECK: define ptx_kernel void @range(ptr addrspace(1) noundef %out, ptr noalias noundef readonly byval({ [3 x i64], [3 x i64], [3 x i64], [3 x i64], [3 x i32], [3 x i32], i64 }) align 8 "nvvm.grid_constant" %launch)
; CHECK: check:
; CHECK: call{{.*}} i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: [[START:%.*]] = load i64, ptr %launch, align 8, !invariant.load
; CHECK: [[BLOCK:%.*]] = add i64 {{.*}}, [[START]]
; CHECK: [[ID:%global.id]] = add i64 [[BLOCK]],
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr %launch, i64 24
; CHECK: [[END:%.*]] = load i64, ptr [[AT]]
; CHECK: [[INSIDE:%.*]] = icmp ult i64 [[ID]], [[END]]
; CHECK: br i1 [[INSIDE]], label %{{.*}}, label %beyond
; CHECK: beyond:
; CHECK-NEXT: ret void
define ptx_kernel void @range(ptr addrspace(1) noundef %out) #0 {
  %i = call i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}

; CHECK: define ptx_kernel void @nd_range(ptr addrspace(1) %out, ptr {{.*}} %launch)
; CHECK-NOT: icmp
; CHECK: ret void
define ptx_kernel void @nd_range(ptr addrspace(1) %out) #2 {
  %i = call i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
  store i64 %i, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "scythe-shape"="range" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { "scythe-shape"="nd_range" }
