; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 %s | FileCheck %s
; Where the kernel tests its index against a size, the rows are cut: the interior has full stores, and only the edge masks.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: store <16 x float>
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr byval([24 x i8]) align 8 %sizes) "scythe-shape"="nd_range" {
  %field = getelementptr inbounds i8, ptr %sizes, i64 16
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %n = load i64, ptr %field, align 8
  %after = add i64 %i, 1
  %last = icmp uge i64 %after, %n
  %first = icmp eq i64 %i, 0
  %edge = or i1 %first, %last
  br i1 %edge, label %done, label %inside
inside:
  %before = add i64 %i, -1
  %p = getelementptr float, ptr addrspace(1) %in, i64 %before
  %q = getelementptr float, ptr addrspace(1) %in, i64 %after
  %u = load float, ptr addrspace(1) %p, align 4
  %v = load float, ptr addrspace(1) %q, align 4
  %s = fadd float %u, %v
  %o = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %s, ptr addrspace(1) %o, align 4
  br label %done
done:
  ret void
}
