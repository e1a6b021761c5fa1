; RUN: run-passes linkage,linkage --llvm='globaldce' %s | FileCheck %s
; Shared kernels are kept once by the linker and never dropped by the optimiser; internal ones are qualified, with their
; rows. Helpers keep their linkage, and go when nobody needs them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

; CHECK: $_ZTS6shared = comdat any
; CHECK: define weak_odr spir_kernel void @_ZTS6shared({{.*}}comdat
; CHECK: define spir_kernel void @_ZTSN12_GLOBAL__N_15localE.tu.0123456789ABCdef(ptr {{[^,)]*}})
; CHECK-NOT: comdat
; CHECK-SAME: {
; CHECK: define linkonce_odr spir_func void @used()
; CHECK-NOT: @unused
; CHECK-NOT: scythe-internal
; CHECK-DAG: !{!"_ZTS6shared", i32 0
; CHECK-DAG: !{!"_ZTSN12_GLOBAL__N_15localE.tu.0123456789ABCdef", i32 2, i64 1, !"a.cpp", i32 3, i32 4, i64 -5}
define spir_kernel void @_ZTS6shared(ptr byval(i8) %f) {
  call spir_func void @used()
  ret void
}
define spir_kernel void @_ZTSN12_GLOBAL__N_15localE(ptr byval(i8) %f) #0 {
  ret void
}
define linkonce_odr spir_func void @used() {
  ret void
}
define linkonce_odr spir_func void @unused() {
  ret void
}
attributes #0 = { "scythe-internal"="0123456789ABCdef" }

!scythe.launch = !{!0, !1}
!0 = !{!"_ZTS6shared", i32 0, i64 1, !"a.cpp", i32 3, i32 4, i64 5}
!1 = !{!"_ZTSN12_GLOBAL__N_15localE", i32 2, i64 1, !"a.cpp", i32 3, i32 4, i64 -5}
