; RUN: lower-nvptx %s | FileCheck %s
; A required work-group size is known to ptxas, and to the optimiser: the size is a constant.
target triple = "nvptx64-nvidia-cuda"
declare i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32) memory(none)
; Names are what PTX takes.
; CHECK: .visible .entry _ZTS1K$2etu$2e0123456789abcdef(
; CHECK: .reqntid 64, 2, 1
; CHECK: st.global.b64 {{.*}}, 64;
define ptx_kernel void @_ZTS1K.tu.0123456789abcdef(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
  %n = call i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 0)
  store i64 %n, ptr addrspace(1) %p, align 8
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
!0 = !{i32 64, i32 2, i32 1}
