; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; A lane that has left the loop keeps its sum. The loop carries the number and the sum of each lane, and no copy of the sum for
; the lanes that have left.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: phi <16 x i32> [ {{.*}}, %[[LOOP:[0-9]+]] ]
; CHECK-NEXT: phi <16 x i32> [ {{.*}}, %[[LOOP]] ]
; CHECK-NOT: phi <16 x i32>
; CHECK: br i1 {{.*}}, label %[[LOOP]]

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) "scythe-shape"="nd_range" {
entry:
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %x
  %start = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %n = phi i32 [ %start, %entry ], [ %half, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %new, %loop ]
  %bit = and i32 %n, 1
  %odd = icmp ne i32 %bit, 0
  %scaled = mul i32 %sum, 1664525
  %more = add i32 %scaled, 1013904223
  %new = select i1 %odd, i32 %more, i32 %sum
  %half = lshr i32 %n, 1
  %done = icmp eq i32 %half, 0
  br i1 %done, label %exit, label %loop

exit:
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %new, ptr addrspace(1) %q, align 4
  ret void
}
