; RUN: lower-nvptx %s | FileCheck %s
; The first block of local memory has no offset: its address is that of the symbol. The second has the one that the launch gives.
target triple = "nvptx64-nvidia-cuda"
; CHECK: .extern .shared .align 128 .b8 k$2eshared_mem[];
; CHECK-LABEL: .visible .entry k(
; CHECK-NOT: ld.param.{{.*}}k_param_0
; CHECK-DAG: ld.param.{{.*}}[k_param_1]
; CHECK-DAG: st.shared.b32 [k$2eshared_mem], 1;
; CHECK-NOT: ld.param.{{.*}}k_param_0
define ptx_kernel void @k(ptr addrspace(3) %a, ptr addrspace(3) %b) #0 {
  store i32 1, ptr addrspace(3) %a, align 4
  store i32 2, ptr addrspace(3) %b, align 4
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
