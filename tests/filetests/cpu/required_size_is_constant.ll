; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --stage=work-groups %s | FileCheck %s
; A required size that fills vectors leaves neither a masked form nor a size to read, and is told to the backend.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: %local.size
; CHECK-NOT: llvm.masked
; CHECK: store <16 x float>
; CHECK-NOT: %local.size
; CHECK-NOT: llvm.masked
; CHECK-LABEL: define void @__scythe_cpu_form.k(ptr
; CHECK: store i32 0
; CHECK: store i64 32
; CHECK: store i64 2
; CHECK: store i64 1

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %pitch, ptr addrspace(3) %tile) "scythe-shape"="nd_range" !reqd_work_group_size !0 {
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

!0 = !{i32 32, i32 2, i32 1}
