; RUN: run-passes lower-kernel-args %s | FileCheck %s
; A functor without members gives a kernel without parameters.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

; CHECK: define spir_kernel void @_ZTS1E() {
; CHECK-NEXT: %functor = alloca %empty, align 1
; CHECK-NEXT: call spir_func void @body(ptr %functor)
%empty = type { i8 }
define spir_kernel void @_ZTS1E(ptr noundef byval(%empty) align 1 %f) {
  call spir_func void @body(ptr %f)
  ret void
}
declare spir_func void @body(ptr)

!scythe.launch = !{!0}
!0 = !{!"_ZTS1E", i32 0, i64 1, !"a.cpp", i32 3, i32 4, i64 5}
