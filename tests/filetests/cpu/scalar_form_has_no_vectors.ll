; RUN: lower-cpu -O3 --cpu=x86-64-v3 --lanes=8 --scalar %s | FileCheck %s
; One work-item at a time, also where a vector of them would be easy.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) "scythe-shape"="range" {
entry:
  %id = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = add i64 %id, %k
  %q = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %q, align 4
  %sum.next = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, 16
  br i1 %more, label %loop, label %end

end:
  %p = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %sum.next, ptr addrspace(1) %p, align 4
  ret void
}
