; RUN: lower-nvptx --stage=optimized %s | FileCheck %s
; A loop with branches gets more rounds, too, but not one that is left early.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: define {{.*}}@branches(
; CHECK-COUNT-4: atomicrmw add
; CHECK: ret void
; CHECK-LABEL: define {{.*}}@leaves(
; CHECK-COUNT-1: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: ret void
define ptx_kernel void @branches(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %at = zext nneg i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  %small = icmp ult i32 %x, 100
  br i1 %small, label %work, label %latch
work:
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
  %old = atomicrmw add ptr addrspace(1) %out, i32 %e19 syncscope("device") monotonic
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @leaves(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %at = zext nneg i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  %small = icmp ult i32 %x, 100
  br i1 %small, label %work, label %end
work:
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
  %old = atomicrmw add ptr addrspace(1) %out, i32 %e19 syncscope("device") monotonic
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
