; RUN: lower-cpu -O3 --cpu=x86-64-v3 %s | FileCheck %s
; Two properties of pointers take effect: loops need no check whether memory overlaps, and vectors lie where the alignment says.
; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: %diff.check
; CHECK: load <8 x float>, {{.*}}, align 32
; CHECK: store <8 x float> {{.*}}, align 32
; CHECK-NOT: %diff.check

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) noalias align 64 "sycl-no-alias" "sycl-alignment"="64" %to, ptr addrspace(1) noalias align 64 "sycl-no-alias" "sycl-alignment"="64" %from, i64 %n) "scythe-shape"="single_task" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds float, ptr addrspace(1) %from, i64 %i
  %t = getelementptr inbounds float, ptr addrspace(1) %to, i64 %i
  %x = load float, ptr addrspace(1) %f, align 4
  %y = fmul float %x, 2.0
  store float %y, ptr addrspace(1) %t, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
