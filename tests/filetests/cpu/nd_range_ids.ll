; RUN: lower-cpu -O3 --cpu=x86-64-v4 --stage=work-groups %s | FileCheck %s
; An nd_range runs groups, and in each its items; a global id is the group's first plus the local one.

; CHECK-LABEL: define void @__scythe_cpu.k(ptr noalias readonly align 8 dereferenceable(112) %0, ptr noalias readonly align 8 dereferenceable(48) %1, ptr %2)
; CHECK: group.x:
; CHECK: %[[INDEX:.*]] = mul nuw nsw i64 %group.x.id, %local.size
; CHECK: %group.first = add nuw nsw i64 %[[INDEX]], %global.offset
; CHECK: local.x:
; CHECK: %global.id{{.*}} = add nuw nsw i64 %group.first, %local.x.id
; CHECK: store i64 %local.x.id
; CHECK: br i1 %more{{.*}}, label %local.x
; CHECK: br i1 %more{{.*}}, label %local.y
; CHECK: br i1 %more{{.*}}, label %local.z
; CHECK: br i1 %more{{.*}}, label %group.x
; CHECK-NOT: call {{.*}}__spirv_BuiltIn

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %l = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %o = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %l, ptr addrspace(1) %o, align 8
  ret void
}
