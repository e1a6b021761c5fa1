; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --stage=work-groups %s | FileCheck %s
; A kernel that divides by its work-group's size gains from code for one size, whatever it is: its form says so.

; CHECK-LABEL: define void @__scythe_cpu_form.k(ptr
; CHECK: store i32 16
; CHECK: store i32 1
; CHECK: store i64 0
; CHECK: store i64 0
; CHECK: store i64 0

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %n = call spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 0)
  %narrow = trunc i64 %n to i32
  %number = trunc i64 %i to i32
  %rest = urem i32 %number, %narrow
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %rest, ptr addrspace(1) %o, align 4
  ret void
}
