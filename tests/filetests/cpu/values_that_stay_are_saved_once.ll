; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; A value that is live across several barriers is saved before the first one. The code between later barriers reads it, but
; does not write it back.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: store <16 x float> {{%[0-9]+}}, ptr %context.i, align 64
; CHECK: %restored{{.*}} = load <16 x float>
; CHECK-NOT: store <16 x float> %restored
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %data, ptr addrspace(3) %tile) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %l = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %p = getelementptr float, ptr addrspace(1) %data, i64 %x
  %v = load float, ptr addrspace(1) %p, align 4
  %s = getelementptr float, ptr addrspace(3) %tile, i64 %l
  store float %v, ptr addrspace(3) %s, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %other = xor i64 %l, 1
  %o = getelementptr float, ptr addrspace(3) %tile, i64 %other
  store float 1.0, ptr addrspace(3) %o, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %again = load float, ptr addrspace(3) %s, align 4
  %sum = fadd float %again, %v
  store float %sum, ptr addrspace(1) %p, align 4
  ret void
}
