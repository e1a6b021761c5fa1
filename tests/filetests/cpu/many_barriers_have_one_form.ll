; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --stage=work-groups %s | FileCheck %s
; Code for any size of a kernel with more than twelve barriers has lanes that can be switched off, and nothing apart for full
; rows. Its form says that code for one size is better for every size, though the kernel sees its sub-groups.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: rows.full
; CHECK-LABEL: define void @__scythe_cpu_form.k(ptr
; CHECK: store i32 16
; CHECK: store i32 1
; CHECK: store i64 0

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i32 @_Z40__spirv_BuiltInSubgroupLocalInvocationIdv()
declare spir_func void @_Z22__spirv_ControlBarrieriii(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %lane = call spir_func i32 @_Z40__spirv_BuiltInSubgroupLocalInvocationIdv()
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store volatile i32 0, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 1, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 2, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 3, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 4, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 5, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 6, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 7, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 8, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 9, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 10, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 11, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store volatile i32 12, ptr addrspace(1) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528)
  store i32 %lane, ptr addrspace(1) %o, align 4
  ret void
}
