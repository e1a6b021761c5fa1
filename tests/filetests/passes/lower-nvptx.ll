; RUN: run-passes linkage,lower-kernel-args %s | FileCheck %s
; On NVPTX the functor's pointers are in address space 0.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: define weak_odr ptx_kernel void @_ZTS1K(ptr addrspace(1) noundef %arg.0) {{.*}}comdat
; CHECK: addrspacecast ptr addrspace(1) %arg.0 to ptr
%functor = type { ptr }
define ptx_kernel void @_ZTS1K(ptr byval(%functor) align 8 %f) {
  %p = load ptr, ptr %f
  store i8 0, ptr %p
  ret void
}

!scythe.launch = !{!0}
!0 = !{!"_ZTS1K", i32 0, i64 8, !"a.cpp", i32 3, i32 4, i64 5, i32 3, i64 8, i64 0, i32 0}
