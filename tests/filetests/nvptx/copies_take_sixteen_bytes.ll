; RUN: lower-nvptx %s | FileCheck %s
; A copy of an aligned block of 16 bytes is one access; a copy that is not aligned stays the code generator's.
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
; CHECK-LABEL: .visible .entry k(
; CHECK: ld.global.v4.b32
; CHECK: st.shared.v4.b32
; CHECK: ld.global.b64
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %l) #0 {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %l, ptr addrspace(1) align 16 %a, i64 16, i1 false)
  %b = getelementptr i8, ptr addrspace(1) %a, i64 64
  %m = getelementptr i8, ptr addrspace(3) %l, i64 64
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 8 %m, ptr addrspace(1) align 8 %b, i64 16, i1 false)
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
