; RUN: not run-passes lower-kernel-args %s 2>&1 | FileCheck %s
; CHECK: launch metadata, node 0: the node has 9 operands, expected 7 and 4 more for each parameter
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

%functor = type { ptr addrspace(4), i32, i32 }
define spir_kernel void @k(ptr byval(%functor) align 8 %f) {
  ret void
}

!scythe.launch = !{!0}
!0 = !{!"k", i32 0, i64 16, !"a.cpp", i32 3, i32 4, i64 5, i32 3, i64 8}
