; RUN: lower-nvptx %s | FileCheck %s
; LLVM would make loops over the bytes of these blocks.
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
; CHECK-LABEL: .visible .entry fills(
; CHECK-COUNT-11: st.local.v4.b32
; CHECK-NEXT: st.local.b32
; CHECK-NOT: st.local.b8
; CHECK: ret;
define ptx_kernel void @fills(ptr addrspace(1) %out, i64 %i) #0 {
  %a = alloca [45 x i32]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 180, i1 false)
  %p = getelementptr i32, ptr %a, i64 %i
  store volatile i32 7, ptr %p
  %q = getelementptr i32, ptr %a, i64 3
  %v = load volatile i32, ptr %q
  store i32 %v, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: .visible .entry copies(
; CHECK-NOT: ld.global.b8
; CHECK: ld.global.b32
; CHECK: st.shared.b32
; CHECK: ret;
define ptx_kernel void @copies(ptr addrspace(1) %a, ptr addrspace(3) %l) #0 {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 %l, ptr addrspace(1) align 4 %a, i64 132, i1 false)
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
