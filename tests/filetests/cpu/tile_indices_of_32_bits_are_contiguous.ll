; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; The index of a tile is a 32-bit sum without promises. It cannot wrap, because a work-group is small, so neighbouring
; work-items access neighbouring elements, without a test at run time.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: {{gather|scatter|<16 x ptr}}
; CHECK: load <16 x float>
; CHECK-NOT: {{gather|scatter|<16 x ptr}}
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(3) %tile) "scythe-shape"="nd_range" {
  %lx = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %ly = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 1)
  %x = trunc i64 %lx to i32
  %y = trunc i64 %ly to i32
  %row = mul i32 %y, 34
  %own = add i32 %row, %x
  %right = add i32 %own, 36
  %i = sext i32 %right to i64
  %p = getelementptr float, ptr addrspace(3) %tile, i64 %i
  %v = load float, ptr addrspace(3) %p, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %middle = add i32 %own, 35
  %j = sext i32 %middle to i64
  %q = getelementptr float, ptr addrspace(3) %tile, i64 %j
  store float %v, ptr addrspace(3) %q, align 4
  ret void
}
