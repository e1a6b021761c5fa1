; RUN: lower-nvptx --stage=prepared %s | FileCheck %s
; Generic code: any memory (4) is all memory (0), constants (2) are global, and intrinsics follow their types.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

; CHECK: target triple = "nvptx64-nvidia-cuda"
; CHECK: @table = internal addrspace(1) constant [2 x i32]
; CHECK: @text = internal addrspace(1) constant [14 x i8] c" addrspace(4)\00"
@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]
@text = internal addrspace(1) constant [14 x i8] c" addrspace(4)\00"

declare void @llvm.memcpy.p4.p4.i64(ptr addrspace(4), ptr addrspace(4), i64, i1)

; CHECK: define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %l)
; CHECK-NEXT: %copy = alloca [8 x i8]
; CHECK-NEXT: %any = addrspacecast ptr addrspace(1) %p to ptr
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %any, i64 8, i1 false)
; CHECK-NEXT: %from = getelementptr i32, ptr addrspace(1) @table, i64 1
; CHECK-NEXT: %value = load i32, ptr addrspace(1) %from
; CHECK-NEXT: %old = atomicrmw add ptr %any, i32 %value syncscope("block") monotonic
; CHECK-NEXT: %older = atomicrmw add ptr addrspace(3) %l, i32 %old syncscope("device") acq_rel
; CHECK-NEXT: atomicrmw xchg ptr %any, i32 %older seq_cst
; CHECK-NEXT: atomicrmw add ptr addrspace(3) %l, i32 1 syncscope("block") monotonic
; CHECK-NEXT: call void @use(ptr %copy, ptr addrspace(1) @text)
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %l) #0 {
  %copy = alloca [8 x i8]
  %any = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %private = addrspacecast ptr %copy to ptr addrspace(4)
  call void @llvm.memcpy.p4.p4.i64(ptr addrspace(4) %private, ptr addrspace(4) %any, i64 8, i1 false)
  %from = getelementptr i32, ptr addrspace(2) @table, i64 1
  %value = load i32, ptr addrspace(2) %from
  %old = atomicrmw add ptr addrspace(4) %any, i32 %value syncscope("workgroup") monotonic
  %older = atomicrmw add ptr addrspace(3) %l, i32 %old syncscope("device") acq_rel
  %oldest = atomicrmw xchg ptr addrspace(4) %any, i32 %older seq_cst
  %own = atomicrmw add ptr addrspace(3) %l, i32 1 syncscope("singlethread") monotonic
  call spir_func void @use(ptr addrspace(4) %private, ptr addrspace(1) @text)
  ret void
}
define spir_func void @use(ptr addrspace(4) %p, ptr addrspace(1) %q) noinline {
  store volatile i8 0, ptr addrspace(4) %p
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
