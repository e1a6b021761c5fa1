; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 %s | FileCheck %s
; A long chain of dependent operations leaves a processor idle. An iteration therefore computes four vectors.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: vector.body:
; CHECK-COUNT-4: load <16 x float>
; CHECK-COUNT-4: store <16 x float>
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %data) "scythe-shape"="range" {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %p = getelementptr float, ptr addrspace(1) %data, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %a0 = fmul float %v, %v
  %s0 = fadd float %a0, 1.0
  %a1 = fmul float %s0, %v
  %s1 = fadd float %a1, 1.0
  %a2 = fmul float %s1, %v
  %s2 = fadd float %a2, 1.0
  %a3 = fmul float %s2, %v
  %s3 = fadd float %a3, 1.0
  %a4 = fmul float %s3, %v
  %s4 = fadd float %a4, 1.0
  %a5 = fmul float %s4, %v
  %s5 = fadd float %a5, 1.0
  %a6 = fmul float %s5, %v
  %s6 = fadd float %a6, 1.0
  %a7 = fmul float %s6, %v
  %s7 = fadd float %a7, 1.0
  %a8 = fmul float %s7, %v
  %s8 = fadd float %a8, 1.0
  %a9 = fmul float %s8, %v
  %s9 = fadd float %a9, 1.0
  %a10 = fmul float %s9, %v
  %s10 = fadd float %a10, 1.0
  %a11 = fmul float %s10, %v
  %s11 = fadd float %a11, 1.0
  store float %s11, ptr addrspace(1) %p, align 4
  ret void
}
