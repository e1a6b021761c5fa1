; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --stage=work-groups %s | FileCheck %s
; A kernel that sees its sub-groups has as many lanes for small work-groups as for others, and is not compiled anew for them: its
; form names no lanes. It names the size of the sub-groups.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: store i32 16
; CHECK-LABEL: define void @__scythe_cpu_form.k(ptr
; CHECK: store i32 0
; CHECK: store i32 16
; CHECK: store i64 4
; CHECK: store i64 1
; CHECK: store i64 1

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i32 @_Z30__spirv_BuiltInSubgroupMaxSizev()

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="nd_range" !reqd_work_group_size !0 {
  %n = call spir_func i32 @_Z30__spirv_BuiltInSubgroupMaxSizev()
  store i32 %n, ptr addrspace(1) %out, align 4
  ret void
}

!0 = !{i32 4, i32 1, i32 1}
