; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 %s | FileCheck %s
; A range kernel over pointers becomes full vectors, with no test whether its arrays overlap.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.saxpy(ptr
; CHECK-NOT: vector.memcheck
; CHECK: vector.body:
; CHECK: load <16 x float>
; CHECK: load <16 x float>
; CHECK: store <16 x float>
; CHECK-NOT: vector.memcheck
; CHECK: {{^}}}
; Nothing else is left.
; CHECK-NOT: define

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @saxpy(ptr addrspace(1) %y, ptr addrspace(1) %x, float %a) "scythe-shape"="range" "frame-pointer"="all" {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %px = getelementptr inbounds float, ptr addrspace(1) %x, i64 %i
  %py = getelementptr inbounds float, ptr addrspace(1) %y, i64 %i
  %vx = load float, ptr addrspace(1) %px, align 4
  %vy = load float, ptr addrspace(1) %py, align 4
  %s = call float @llvm.fmuladd.f32(float %vx, float %a, float %vy)
  store float %s, ptr addrspace(1) %py, align 4
  ret void
}
