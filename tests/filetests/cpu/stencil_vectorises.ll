; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 %s | FileCheck %s
; A stencil through accessors: the functor holds ranges and pointers, and is rebuilt from flat parameters. The loads of the
; functor leave the loops, though they stand behind a branch in the kernel.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.stencil(ptr
; CHECK-NOT: vector.memcheck
; CHECK: item.z:
; CHECK-NOT: load i64
; CHECK: vector.body:
; CHECK-NOT: load i64
; CHECK-COUNT-3: <16 x float>
; CHECK-NOT: vector.memcheck
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @stencil(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr byval([16 x i8]) align 8 %range) "scythe-shape"="range" {
entry:
  %functor = alloca { ptr addrspace(4), ptr addrspace(4), [2 x i64] }, align 8
  %fa = getelementptr inbounds i8, ptr %functor, i64 0
  %fb = getelementptr inbounds i8, ptr %functor, i64 8
  %fr = getelementptr inbounds i8, ptr %functor, i64 16
  %ca = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
  %cb = addrspacecast ptr addrspace(1) %b to ptr addrspace(4)
  store ptr addrspace(4) %ca, ptr %fa, align 8
  store ptr addrspace(4) %cb, ptr %fb, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %fr, ptr align 8 %range, i64 16, i1 false)
  %generic = addrspacecast ptr %functor to ptr addrspace(4)
  call spir_func void @body(ptr addrspace(4) %generic)
  ret void
}

define linkonce_odr spir_func void @body(ptr addrspace(4) %f) {
entry:
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %y = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
  %inner = icmp ne i64 %y, 0
  br i1 %inner, label %inside, label %done
inside:
  %pr = getelementptr inbounds i8, ptr addrspace(4) %f, i64 16
  %range.y = load i64, ptr addrspace(4) %pr, align 8
  %pb = getelementptr inbounds i8, ptr addrspace(4) %f, i64 8
  %a = load ptr addrspace(4), ptr addrspace(4) %f, align 8
  %b = load ptr addrspace(4), ptr addrspace(4) %pb, align 8
  %row = mul i64 %y, %range.y
  %above = sub i64 %row, %range.y
  %i = add i64 %row, %x
  %j = add i64 %above, %x
  %p = getelementptr float, ptr addrspace(4) %a, i64 %i
  %q = getelementptr float, ptr addrspace(4) %a, i64 %j
  %o = getelementptr float, ptr addrspace(4) %b, i64 %i
  %u = load float, ptr addrspace(4) %p, align 4
  %v = load float, ptr addrspace(4) %q, align 4
  %s = fadd float %u, %v
  store float %s, ptr addrspace(4) %o, align 4
  br label %done
done:
  ret void
}
