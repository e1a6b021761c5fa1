; RUN: lower-cpu -O3 --cpu=x86-64-v3 --lanes=8 --stage=work-groups %s | FileCheck %s
; Work-items that go on early raise the counter less than others: it is a vector, although all values that it is made of are uniform.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: phi <8 x i32>
; CHECK: {{add|sub}} <8 x i32>
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="range" {
entry:
  %id = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %seed = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %v = phi i32 [ %seed, %entry ], [ %v.next, %latch ]
  %f = phi i32 [ 0, %entry ], [ %f.next, %latch ]
  %five = mul i32 %v, 5
  %v.next = add i32 %five, 1
  %once = add i32 %f, 1
  %bit = and i32 %v.next, 8
  %early = icmp ne i32 %bit, 0
  br i1 %early, label %latch, label %late

late:
  %twice = add i32 %f, 2
  %enough = icmp ugt i32 %twice, 24
  br i1 %enough, label %end, label %latch

latch:
  %f.next = phi i32 [ %once, %loop ], [ %twice, %late ]
  br label %loop

end:
  store i32 %twice, ptr addrspace(1) %p, align 4
  ret void
}
