; One name for two different kernels of two translation units is an error with both positions, before the linker drops
; one of them. The same kernel from one header in two translation units is fine.

; RUN: split-file %s in
; RUN: cd in
; RUN: not scythe-tools device-link -o out.o a.ll b.ll 2>&1 | FileCheck %s
; RUN: test ! -e out.o
; CHECK:      b.cpp:7:9: error: kernel name 'Shared' is used by two different kernels [scythe-E0201]
; CHECK-NEXT: include/a.cpp:3:5: note: the other kernel is here

; RUN: not scythe-tools device-link -o out.o a.ll other_body.ll 2>&1 | FileCheck \
; RUN:   --check-prefix=BODY %s
; BODY:      a.cpp:3:5: error: kernel name 'Shared' is used by two different kernels [scythe-E0201]
; BODY-NEXT: include/a.cpp:3:5: note: the other kernel is here

; RUN: scythe-tools device-link -o out.o a.ll same.ll
; RUN: scythe-tools image-dump out.o | FileCheck --check-prefix=SAME %s
; SAME:      symbols: 1
; SAME-NEXT: _ZTS6Shared
; SAME-NEXT: [SCYTHE/launch]
; SAME-NEXT: _ZTS6Shared: single_task at include/a.cpp:3:5, functor of 1 bytes

;--- a.ll
target triple = "spirv64-unknown-unknown"
define weak_odr spir_kernel void @_ZTS6Shared() "sycl-module-id"="a.cpp" {
  ret void
}
!scythe.launch = !{!0}
!0 = !{!"_ZTS6Shared", i32 0, i64 1, !"include/a.cpp", i32 3, i32 5, i64 1}

;--- same.ll
target triple = "spirv64-unknown-unknown"
define weak_odr spir_kernel void @_ZTS6Shared() "sycl-module-id"="same.cpp" {
  ret void
}
!scythe.launch = !{!0}
!0 = !{!"_ZTS6Shared", i32 0, i64 1, !"../include/a.cpp", i32 3, i32 5, i64 1}

;--- b.ll
target triple = "spirv64-unknown-unknown"
define weak_odr spir_kernel void @_ZTS6Shared() "sycl-module-id"="b.cpp" {
  ret void
}
!scythe.launch = !{!0}
!0 = !{!"_ZTS6Shared", i32 0, i64 1, !"b.cpp", i32 7, i32 9, i64 2}

;--- other_body.ll
target triple = "spirv64-unknown-unknown"
define weak_odr spir_kernel void @_ZTS6Shared() "sycl-module-id"="c.cpp" {
  ret void
}
!scythe.launch = !{!0}
!0 = !{!"_ZTS6Shared", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 9}
