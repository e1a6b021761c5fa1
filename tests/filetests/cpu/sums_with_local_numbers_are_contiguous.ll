; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; `tile[(int)local_id + 7]` in LLVM's canonical form: a shift of the number, a sum, and a shift back. The sum fits in 32 bits, so
; neighbouring work-items access neighbouring elements.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: {{gather|scatter|<16 x ptr}}
; CHECK: load <16 x float>
; CHECK-NOT: {{gather|scatter|<16 x ptr}}
; CHECK: {{^}}}

; The same sum with a global number may wrap. The code tests this.
; CHECK-LABEL: define {{.*}}void @__scythe_cpu.global(ptr
; CHECK: icmp eq i64 {{.*}}, 60
; CHECK: load <16 x float>
; CHECK: gather

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(3) %tile, ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %lx = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %high = shl i64 %lx, 32
  %sum = add i64 %high, 30064771072
  %bytes = ashr exact i64 %sum, 30
  %p = getelementptr i8, ptr addrspace(3) %tile, i64 %bytes
  %v = load float, ptr addrspace(3) %p, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %before = add i64 %high, -4294967296
  %less = ashr exact i64 %before, 30
  %q = getelementptr i8, ptr addrspace(3) %tile, i64 %less
  store float %v, ptr addrspace(3) %q, align 4
  ret void
}

define spir_kernel void @global(ptr addrspace(1) %in, ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %high = shl i64 %x, 32
  %sum = add i64 %high, 30064771072
  %bytes = ashr exact i64 %sum, 30
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  %v = load float, ptr addrspace(1) %p, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %q = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}
