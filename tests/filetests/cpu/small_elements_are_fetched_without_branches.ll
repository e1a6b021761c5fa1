; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --local-size=12,1,1 %s | FileCheck %s
; Processors do not gather bytes. Lanes fetch and leave them one by one, without a branch for each lane and each access; of the
; lanes that are known to be off nothing is left.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: masked.gather.v16i8
; CHECK-NOT: masked.scatter.v16i8
; CHECK-COUNT-12: load i8, ptr
; CHECK-NOT: load i8, ptr
; CHECK-COUNT-12: store i8 {{.*}}, ptr
; CHECK-NOT: store i8 {{.*}}, ptr
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(1) %where) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %w = getelementptr i64, ptr addrspace(1) %where, i64 %x
  %at = load i64, ptr addrspace(1) %w, align 8
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %at
  %v = load i8, ptr addrspace(1) %p, align 1
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %o = getelementptr i8, ptr addrspace(1) %out, i64 %at
  store i8 %v, ptr addrspace(1) %o, align 1
  ret void
}
