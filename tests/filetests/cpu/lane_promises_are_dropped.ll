; RUN: lower-cpu -O3 --cpu=x86-64-v3 --lanes=8 --local-size=8,1,1 --stage=work-groups %s | \
; RUN:   FileCheck %s
; Each difference wraps in the work-items that do not use it. The first work-item's stands for all, without `nuw`; where it is made wider,
; the subtraction is wide.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: sub {{(nuw|nsw)}}
; CHECK: sub i32
; CHECK-NOT: sub {{(nuw|nsw)}}
; CHECK: sub i64
; CHECK-NOT: sub {{(nuw|nsw)}}
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) "scythe-shape"="nd_range" {
entry:
  %id = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %local = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %l = trunc i64 %local to i32
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %above = icmp ugt i32 %l, %n
  %up = sub nuw i32 %l, %n
  %down = sub nuw i32 %n, %l
  %distance = select i1 %above, i32 %up, i32 %down
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %distance, ptr addrspace(1) %p, align 4
  br i1 %above, label %then, label %end

then:
  %at = zext i32 %up to i64
  %q = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %value = load i32, ptr addrspace(1) %q, align 4
  %r = getelementptr i32, ptr addrspace(1) %p, i64 1000
  store i32 %value, ptr addrspace(1) %r, align 4
  br label %end

end:
  ret void
}
