; RUN: lower-nvptx --stage=optimized %s | FileCheck %s
; Work-items begin at different places and jump by the size of the work-group. Relaxed atomic accesses may be repeated.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-LABEL: define {{.*}}@strides(
; CHECK-COUNT-4: atomicrmw add {{.*}} monotonic
; CHECK: ret void
define ptx_kernel void @strides(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %first = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %at = zext nneg i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  %m0 = mul i32 %x, %x
  %e0 = xor i32 %m0, %i
  %m1 = mul i32 %e0, %x
  %e1 = xor i32 %m1, %i
  %m2 = mul i32 %e1, %x
  %e2 = xor i32 %m2, %i
  %m3 = mul i32 %e2, %x
  %e3 = xor i32 %m3, %i
  %m4 = mul i32 %e3, %x
  %e4 = xor i32 %m4, %i
  %m5 = mul i32 %e4, %x
  %e5 = xor i32 %m5, %i
  %m6 = mul i32 %e5, %x
  %e6 = xor i32 %m6, %i
  %m7 = mul i32 %e6, %x
  %e7 = xor i32 %m7, %i
  %m8 = mul i32 %e7, %x
  %e8 = xor i32 %m8, %i
  %m9 = mul i32 %e8, %x
  %e9 = xor i32 %m9, %i
  %m10 = mul i32 %e9, %x
  %e10 = xor i32 %m10, %i
  %m11 = mul i32 %e10, %x
  %e11 = xor i32 %m11, %i
  %m12 = mul i32 %e11, %x
  %e12 = xor i32 %m12, %i
  %m13 = mul i32 %e12, %x
  %e13 = xor i32 %m13, %i
  %m14 = mul i32 %e13, %x
  %e14 = xor i32 %m14, %i
  %m15 = mul i32 %e14, %x
  %e15 = xor i32 %m15, %i
  %m16 = mul i32 %e15, %x
  %e16 = xor i32 %m16, %i
  %m17 = mul i32 %e16, %x
  %e17 = xor i32 %m17, %i
  %m18 = mul i32 %e17, %x
  %e18 = xor i32 %m18, %i
  %m19 = mul i32 %e18, %x
  %e19 = xor i32 %m19, %i
  %m20 = mul i32 %e19, %x
  %e20 = xor i32 %m20, %i
  %m21 = mul i32 %e20, %x
  %e21 = xor i32 %m21, %i
  %m22 = mul i32 %e21, %x
  %e22 = xor i32 %m22, %i
  %m23 = mul i32 %e22, %x
  %e23 = xor i32 %m23, %i
  %old = atomicrmw add ptr addrspace(1) %out, i32 %e23 syncscope("device") monotonic
  %next = add nuw nsw i32 %i, 512
  %more = icmp ult i32 %i, 65024
  br i1 %more, label %loop, label %end
end:
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
