; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; The work-items do not look at their group and read along rows, so the loop over groups takes all groups of a row at once.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: %groups = sub {{.*}}i64 %end, %begin
; CHECK: %row = mul {{.*}}%groups

; A kernel that looks at its group runs group by group.
; CHECK-LABEL: define {{.*}}void @__scythe_cpu.by_group(ptr
; CHECK-NOT: %groups
; CHECK: {{^}}}

; A kernel that reads across rows runs group by group if groups have several rows.
; CHECK-LABEL: define {{.*}}void @__scythe_cpu.across(ptr
; CHECK: %flat = and i1
; CHECK: %width = select i1 %flat, i64 %groups, i64 1

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %pitch) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %y = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
  %row = mul i64 %y, %pitch
  %i = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %w = fadd float %v, 1.0
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %w, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @by_group(ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %g = call spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 0)
  %q = getelementptr i64, ptr addrspace(1) %out, i64 %x
  store i64 %g, ptr addrspace(1) %q, align 8
  ret void
}

define spir_kernel void @across(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %pitch) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %y = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
  %row = mul i64 %y, %pitch
  %i = add i64 %row, %x
  %column = mul i64 %x, %pitch
  %j = add i64 %column, %y
  %p = getelementptr float, ptr addrspace(1) %in, i64 %j
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}
