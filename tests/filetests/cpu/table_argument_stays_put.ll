; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 %s | FileCheck %s
; A table that is captured by value and indexed by data is copied once, not for each item, and gathered from.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: alloca
; CHECK: vector.body:
; CHECK-NOT: call void @llvm.memcpy
; CHECK: @llvm.masked.gather.v{{16|8}}f32
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr byval([32 x i8]) align 8 %table) "scythe-shape"="range" {
  %functor = alloca { ptr addrspace(4), [32 x i8] }, align 8
  %copy = getelementptr inbounds i8, ptr %functor, i64 8
  %c = addrspacecast ptr addrspace(1) %out to ptr addrspace(4)
  store ptr addrspace(4) %c, ptr %functor, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr align 8 %table, i64 32, i1 false)
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %o = getelementptr float, ptr addrspace(1) %out, i64 %i
  %key = load i32, ptr addrspace(1) %o, align 4
  %low = and i32 %key, 7
  %j = zext i32 %low to i64
  %p = getelementptr float, ptr %copy, i64 %j
  %v = load float, ptr %p, align 4
  %w = fmul float %v, %v
  store float %w, ptr addrspace(1) %o, align 4
  ret void
}
