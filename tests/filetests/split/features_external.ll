; A SYCL_EXTERNAL function of another translation unit may use what its caller does not know: the image requires it, and there is
; a warning about the function at which calls first meet it, once, however many images hold it.

; RUN: scythe-tools sycl-post-link -split=kernel -o out.table %s 2> messages
; RUN: FileCheck %s < messages
; RUN: test $(grep -c warning: messages) = 2
; CHECK:      sycl-post-link: warning: function 'foo()' uses aspect 'fp64' not expected by its calling kernel. Missing {{\[\[}}sycl::device_has()]] on SYCL_EXTERNAL function? [-Wsycl-external]
; CHECK-NEXT: sycl-post-link: note: 'foo()' is called by 'between'
; CHECK-NEXT: a.cpp:3:5: note: 'between' is called by kernel 'K'
; CHECK-NEXT: sycl-post-link: warning: function 'bar' has required sub-group size '32' that does not match its calling kernel. Missing {{\[\[}}sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function? [-Wsycl-external]
; CHECK-NEXT: a.cpp:3:5: note: 'bar' is called by kernel 'K'

; RUN: FileCheck --check-prefix=REQUIRED %s < out_0.prop
; REQUIRED:      [SYCL/device requirements]
; REQUIRED-NEXT: aspect=2|QAAAAAAAAAAFAAAABgAAAA==
; REQUIRED-NEXT: reqd_sub_group_size=2|IAAAAAAAAAAgAAAA

; What the third kernel calls, it expects.
; RUN: FileCheck --check-prefix=EXPECTED %s < out_2.prop
; EXPECTED:      [SYCL/device requirements]
; EXPECTED-NEXT: aspect=2|IAAAAAAAAAAGAAAA
; EXPECTED-NOT:  reqd

; -W flags.
; RUN: scythe-tools sycl-post-link -o quiet.table --warning=no-sycl-external %s 2> quiet
; RUN: test ! -s quiet
; RUN: not scythe-tools device-link -o bad.o --warning=error %s 2>&1 | FileCheck \
; RUN:   --check-prefix=ERROR %s
; ERROR: device-link: error: function 'foo()' uses aspect 'fp64'
; RUN: test ! -e bad.o
; RUN: scythe-tools device-link -o good.o --warning=error --warning=no-error=sycl-external %s 2>&1 \
; RUN:   | FileCheck --check-prefix=AGAIN %s
; AGAIN: device-link: warning: function 'foo()' uses aspect 'fp64'
; RUN: not scythe-tools device-link -o bad.o --warning=unused %s 2>&1 | FileCheck \
; RUN:   --check-prefix=UNKNOWN %s
; UNKNOWN: device-link: error: '--warning=unused': expected one about sycl-external

; A link that warns does so each time: it is not taken from the cache.
; RUN: scythe-tools device-link -o one.o --cache=cache %s 2> first
; RUN: scythe-tools device-link -o two.o --cache=cache %s 2> second
; RUN: cmp first second
; RUN: cmp one.o two.o

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS1K() !intel_fixed_targets !0 !intel_used_aspects !1 {
  call spir_func void @between()
  call spir_func void @bar()
  ret void
}
define spir_kernel void @_ZTS1L() !intel_fixed_targets !0 {
  call spir_func void @between()
  ret void
}
define spir_kernel void @_ZTS1M() !intel_fixed_targets !0 !intel_used_aspects !2 {
  call spir_func void @_Z3foov()
  ret void
}
define internal spir_func void @between() {
  call spir_func void @_Z3foov()
  ret void
}
define spir_func void @_Z3foov() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 !intel_used_aspects !2 {
  call spir_func void @behind()
  ret void
}
define internal spir_func void @behind() !intel_used_aspects !2 {
  call spir_func void @_Z3foov()
  ret void
}
define spir_func void @bar() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 !intel_reqd_sub_group_size !3 {
  ret void
}

!0 = !{}
!1 = !{i32 5}
!2 = !{i32 6}
!3 = !{i32 32}
!scythe.launch = !{!20, !21, !22}
!20 = !{!"_ZTS1K", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 1}
!21 = !{!"_ZTS1L", i32 0, i64 1, !"a.cpp", i32 4, i32 5, i64 2}
!22 = !{!"_ZTS1M", i32 0, i64 1, !"a.cpp", i32 5, i32 5, i64 3}
