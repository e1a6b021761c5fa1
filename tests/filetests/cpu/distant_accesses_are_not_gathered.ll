; RUN: lower-cpu -O3 --cpu=znver4 --width=512 --lanes=16 %s | FileCheck %s
; Each work-item walks along its own row. In vector lanes, every access would be a gather, with little arithmetic to gain from.
; The loop of the work-item runs as it is, one work-item after the other.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: llvm.masked
; CHECK: load float
; CHECK-NOT: llvm.masked
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %matrix, i64 %n) "scythe-shape"="nd_range" {
entry:
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %first = mul i64 %x, %n
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %there = add i64 %first, %i
  %mirrored = sub i64 %first, %i
  %p = getelementptr float, ptr addrspace(1) %matrix, i64 %there
  %q = getelementptr float, ptr addrspace(1) %matrix, i64 %mirrored
  %a = load float, ptr addrspace(1) %p, align 4
  %b = load float, ptr addrspace(1) %q, align 4
  store float %b, ptr addrspace(1) %p, align 4
  store float %a, ptr addrspace(1) %q, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
