; RUN: lower-nvptx %s | FileCheck %s
; A by-value block that is only read, even at a place that is computed, is read from parameter memory: there is no copy.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK-NOT: .local
; CHECK-NOT: st.local
; CHECK: ld.{{(param|const)[^ ]*}}
; CHECK: st.global
define ptx_kernel void @k(ptr addrspace(1) %out, ptr readonly byval([64 x i8]) align 8 %block, i64 %i) #0 {
  %copy = alloca [64 x i8], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr align 8 %block, i64 64, i1 false)
  %p = getelementptr double, ptr %copy, i64 %i
  %x = load double, ptr %p
  store double %x, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
