; RUN: lower-nvptx --stage=optimized %s | FileCheck %s
; A product stays in its block, although its only user is in the last one: sunk, it would keep both factors alive.
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
; CHECK-LABEL: define {{.*}}@k(
; CHECK: fmul double
; CHECK: br i1
define ptx_kernel void @k(ptr addrspace(1) %p, i1 %c) #0 {
  %x = load double, ptr addrspace(1) %p, align 8
  %q = getelementptr double, ptr addrspace(1) %p, i64 1
  %y = load double, ptr addrspace(1) %q, align 8
  %product = fmul double %x, %y
  br i1 %c, label %some, label %end
some:
  store volatile i32 0, ptr addrspace(1) %p
  br label %end
end:
  store double %product, ptr addrspace(1) %q, align 8
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
