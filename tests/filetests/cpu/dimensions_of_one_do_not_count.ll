; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --local-size=1,16,1 %s | FileCheck %s
; With one work-item in the fastest dimension, lanes run along the next.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: llvm.masked.gather
; CHECK: load <16 x float>
; CHECK: store <16 x float>
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) "scythe-shape"="nd_range" {
  %y = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
  %p = getelementptr float, ptr addrspace(1) %in, i64 %y
  %v = load float, ptr addrspace(1) %p, align 4
  %o = getelementptr float, ptr addrspace(1) %out, i64 %y
  store float %v, ptr addrspace(1) %o, align 4
  ret void
}
