; RUN: lower-nvptx --stage=optimized %s | FileCheck %s
; A loop that is too long for LLVM gets more than one round, so that loads of rounds overlap. One that the user keeps stays.
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.nvvm.rsqrt.approx.f(float)
; CHECK-LABEL: define {{.*}}@k(
; CHECK-COUNT-16: call {{.*}}@llvm.nvvm.rsqrt.approx.f(
; CHECK: ret void
; CHECK-LABEL: define {{.*}}@kept(
; CHECK-COUNT-8: call {{.*}}@llvm.nvvm.rsqrt.approx.f(
; CHECK-NOT: call {{.*}}@llvm.nvvm.rsqrt.approx.f(
; CHECK: ret void
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s7, %loop ]
  %at = zext nneg i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %a0 = fadd float %x, 1.0
  %b0 = fmul float %a0, %a0
  %c0 = fadd float %b0, 1.0
  %r0 = call float @llvm.nvvm.rsqrt.approx.f(float %c0)
  %m0 = fmul float %x, %r0
  %s0 = fadd float %sum, %m0
  %a1 = fadd float %x, 2.0
  %b1 = fmul float %a1, %a1
  %c1 = fadd float %b1, 1.0
  %r1 = call float @llvm.nvvm.rsqrt.approx.f(float %c1)
  %m1 = fmul float %x, %r1
  %s1 = fadd float %s0, %m1
  %a2 = fadd float %x, 4.0
  %b2 = fmul float %a2, %a2
  %c2 = fadd float %b2, 1.0
  %r2 = call float @llvm.nvvm.rsqrt.approx.f(float %c2)
  %m2 = fmul float %x, %r2
  %s2 = fadd float %s1, %m2
  %a3 = fadd float %x, 8.0
  %b3 = fmul float %a3, %a3
  %c3 = fadd float %b3, 1.0
  %r3 = call float @llvm.nvvm.rsqrt.approx.f(float %c3)
  %m3 = fmul float %x, %r3
  %s3 = fadd float %s2, %m3
  %a4 = fadd float %x, 16.0
  %b4 = fmul float %a4, %a4
  %c4 = fadd float %b4, 1.0
  %r4 = call float @llvm.nvvm.rsqrt.approx.f(float %c4)
  %m4 = fmul float %x, %r4
  %s4 = fadd float %s3, %m4
  %a5 = fadd float %x, 32.0
  %b5 = fmul float %a5, %a5
  %c5 = fadd float %b5, 1.0
  %r5 = call float @llvm.nvvm.rsqrt.approx.f(float %c5)
  %m5 = fmul float %x, %r5
  %s5 = fadd float %s4, %m5
  %a6 = fadd float %x, 64.0
  %b6 = fmul float %a6, %a6
  %c6 = fadd float %b6, 1.0
  %r6 = call float @llvm.nvvm.rsqrt.approx.f(float %c6)
  %m6 = fmul float %x, %r6
  %s6 = fadd float %s5, %m6
  %a7 = fadd float %x, 128.0
  %b7 = fmul float %a7, %a7
  %c7 = fadd float %b7, 1.0
  %r7 = call float @llvm.nvvm.rsqrt.approx.f(float %c7)
  %m7 = fmul float %x, %r7
  %s7 = fadd float %s6, %m7
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  store float %s7, ptr addrspace(1) %out, align 4
  ret void
}
define ptx_kernel void @kept(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s7, %loop ]
  %at = zext nneg i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %a0 = fadd float %x, 1.0
  %b0 = fmul float %a0, %a0
  %c0 = fadd float %b0, 1.0
  %r0 = call float @llvm.nvvm.rsqrt.approx.f(float %c0)
  %m0 = fmul float %x, %r0
  %s0 = fadd float %sum, %m0
  %a1 = fadd float %x, 2.0
  %b1 = fmul float %a1, %a1
  %c1 = fadd float %b1, 1.0
  %r1 = call float @llvm.nvvm.rsqrt.approx.f(float %c1)
  %m1 = fmul float %x, %r1
  %s1 = fadd float %s0, %m1
  %a2 = fadd float %x, 4.0
  %b2 = fmul float %a2, %a2
  %c2 = fadd float %b2, 1.0
  %r2 = call float @llvm.nvvm.rsqrt.approx.f(float %c2)
  %m2 = fmul float %x, %r2
  %s2 = fadd float %s1, %m2
  %a3 = fadd float %x, 8.0
  %b3 = fmul float %a3, %a3
  %c3 = fadd float %b3, 1.0
  %r3 = call float @llvm.nvvm.rsqrt.approx.f(float %c3)
  %m3 = fmul float %x, %r3
  %s3 = fadd float %s2, %m3
  %a4 = fadd float %x, 16.0
  %b4 = fmul float %a4, %a4
  %c4 = fadd float %b4, 1.0
  %r4 = call float @llvm.nvvm.rsqrt.approx.f(float %c4)
  %m4 = fmul float %x, %r4
  %s4 = fadd float %s3, %m4
  %a5 = fadd float %x, 32.0
  %b5 = fmul float %a5, %a5
  %c5 = fadd float %b5, 1.0
  %r5 = call float @llvm.nvvm.rsqrt.approx.f(float %c5)
  %m5 = fmul float %x, %r5
  %s5 = fadd float %s4, %m5
  %a6 = fadd float %x, 64.0
  %b6 = fmul float %a6, %a6
  %c6 = fadd float %b6, 1.0
  %r6 = call float @llvm.nvvm.rsqrt.approx.f(float %c6)
  %m6 = fmul float %x, %r6
  %s6 = fadd float %s5, %m6
  %a7 = fadd float %x, 128.0
  %b7 = fmul float %a7, %a7
  %c7 = fadd float %b7, 1.0
  %r7 = call float @llvm.nvvm.rsqrt.approx.f(float %c7)
  %m7 = fmul float %x, %r7
  %s7 = fadd float %s6, %m7
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  store float %s7, ptr addrspace(1) %out, align 4
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
