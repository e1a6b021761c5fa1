; RUN: lower-nvptx %s | FileCheck %s
; An array of floats on the stack is aligned, so that its elements are stored together.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK: st.local.v4.b32
define ptx_kernel void @k(ptr addrspace(1) %out, i64 %i) #0 {
  %a = alloca [4 x float], align 4
  %a1 = getelementptr float, ptr %a, i64 1
  %a2 = getelementptr float, ptr %a, i64 2
  %a3 = getelementptr float, ptr %a, i64 3
  store float 1.0, ptr %a, align 4
  store float 2.0, ptr %a1, align 4
  store float 3.0, ptr %a2, align 4
  store float 4.0, ptr %a3, align 4
  %some = getelementptr float, ptr %a, i64 %i
  %x = load volatile float, ptr %some, align 4
  store float %x, ptr addrspace(1) %out, align 4
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
