; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --local-size=8,8,1 %s | FileCheck %s
; Two rows of 8 work-items fill a vector of 16: one access for each row in global memory, one for both in local memory, where
; they follow each other, and one load for what a row shares. Nothing is masked, gathered or scattered.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: llvm.masked
; CHECK: load <8 x float>
; CHECK-NOT: llvm.masked
; CHECK: store <16 x float>
; CHECK-NOT: llvm.masked
; CHECK: load float
; CHECK-NOT: llvm.masked
; CHECK: store <8 x float>
; CHECK-NOT: llvm.masked
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %pitch, ptr addrspace(3) %tile) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %y = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
  %lx = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %ly = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 1)
  %sx = call spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 0)
  %row = mul i64 %y, %pitch
  %at = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %at
  %v = load float, ptr addrspace(1) %p, align 4
  %lrow = mul i64 %ly, %sx
  %own = add i64 %lrow, %lx
  %l = getelementptr float, ptr addrspace(3) %tile, i64 %own
  store float %v, ptr addrspace(3) %l, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %first = getelementptr float, ptr addrspace(3) %tile, i64 %lrow
  %f = load float, ptr addrspace(3) %first, align 4
  %own.again = load float, ptr addrspace(3) %l, align 4
  %s = fadd float %f, %own.again
  %o = getelementptr float, ptr addrspace(1) %out, i64 %at
  store float %s, ptr addrspace(1) %o, align 4
  ret void
}
