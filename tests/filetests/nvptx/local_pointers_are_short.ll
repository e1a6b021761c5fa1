; RUN: lower-nvptx %s | FileCheck %s
; Addresses in shared memory are 32-bit numbers.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK: st.shared.b32 [%r{{[0-9]+}}], 1;
; CHECK: atom.acq_rel.gpu.shared.add.u32 %r{{[0-9]+}}, [%r{{[0-9]+}}], %r{{[0-9]+}};
define ptx_kernel void @k(ptr addrspace(3) %a, ptr addrspace(3) %b, ptr addrspace(1) %out, i64 %i) #0 {
  %p = getelementptr i32, ptr addrspace(3) %b, i64 %i
  store i32 1, ptr addrspace(3) %p, align 4
  %any = addrspacecast ptr addrspace(3) %p to ptr
  %old = atomicrmw volatile add ptr %any, i32 2 acq_rel, align 4
  store i32 %old, ptr addrspace(1) %out, align 4
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
