; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; One thread runs a work-group, so its local memory needs no atomic instructions, unless they order other memory. Lanes count
; one after the other. Global memory is shared by all threads.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: atomicrmw add {{.*}} syncscope
; CHECK: atomicrmw or {{.*}} seq_cst
; CHECK-NOT: atomicrmw add {{.*}} syncscope
; CHECK: atomicrmw add {{.*}} monotonic
; CHECK-NOT: atomicrmw add {{.*}} syncscope
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(3) %bins) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %in, i64 %x
  %bin = load i64, ptr addrspace(1) %p, align 8
  %generic = addrspacecast ptr addrspace(3) %bins to ptr addrspace(4)
  %q = getelementptr i32, ptr addrspace(4) %generic, i64 %bin
  %old = atomicrmw add ptr addrspace(4) %q, i32 1 syncscope("workgroup") monotonic, align 4
  %strong = atomicrmw or ptr addrspace(4) %q, i32 1 seq_cst, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %bin
  %shared = atomicrmw add ptr addrspace(1) %o, i32 %old monotonic, align 4
  ret void
}
