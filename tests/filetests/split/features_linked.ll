; What a kernel needs is what it reaches in the linked program: of three units, a.cpp calls b.cpp, which calls c.cpp and, in a circle, itself
; through a.cpp. A kernel is kept apart for what it reaches itself, not for what others of its unit reach.

; RUN: scythe-tools sycl-post-link -split=source -symbols -o out.table %s 2> messages
; RUN: FileCheck %s < messages
; CHECK: warning: function 'last' uses aspect 'fp64' not expected by its calling kernel.
; CHECK: 'middle' is called by kernel 'Calls'
; CHECK: warning: function 'sized' has required sub-group size '64' that does not match its calling kernel.
; CHECK: 'narrow' is called by kernel 'Narrow'
; RUN: FileCheck --check-prefix=PLAIN %s < out_0.prop
; PLAIN-NOT: SYCL/device requirements
; RUN: FileCheck --check-prefix=PLAIN-SYMBOLS %s < out_0.sym
; PLAIN-SYMBOLS:     _ZTS5Plain
; PLAIN-SYMBOLS-NOT: {{.}}
; Of two kernels with the same needs, one knew of them and the other did not: one image.
; RUN: FileCheck --check-prefix=CALLS %s < out_1.prop
; CALLS:      [SYCL/device requirements]
; CALLS-NEXT: aspect=2|IAAAAAAAAAAGAAAA
; CALLS-NOT:  reqd_
; RUN: FileCheck --check-prefix=CALLS-SYMBOLS %s < out_1.sym
; CALLS-SYMBOLS:      _ZTS5Calls
; CALLS-SYMBOLS-NEXT: _ZTS4Uses
; Sizes of functions that were inlined in their unit count, too.
; RUN: FileCheck --check-prefix=NARROW %s < out_2.prop
; NARROW:      [SYCL/device requirements]
; NARROW-NEXT: reqd_sub_group_size=2|QAAAAAAAAAAQAAAAQAAAAA==

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS5Plain() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 {
  ret void
}
define spir_kernel void @_ZTS5Calls() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 {
  call spir_func void @middle()
  ret void
}
define spir_kernel void @_ZTS4Uses() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 !intel_used_aspects !1 {
  ret void
}
define spir_kernel void @_ZTS6Narrow() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 !intel_reqd_sub_group_size !2 {
  call spir_func void @narrow()
  ret void
}
define spir_func void @back() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 {
  call spir_func void @middle()
  ret void
}
define spir_func void @middle() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 {
  call spir_func void @last()
  call spir_func void @back()
  ret void
}
define spir_func void @last() "sycl-module-id"="c.cpp" !intel_fixed_targets !0 !intel_used_aspects !1 {
  ret void
}
define spir_func void @narrow() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 !scythe_called_sub_group_sizes !3 {
  ret void
}

!0 = !{}
!1 = !{i32 6}
!2 = !{i32 16}
!3 = !{i32 64, !"sized"}
!scythe.launch = !{!20, !21, !22, !23}
!20 = !{!"_ZTS5Plain", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 1}
!21 = !{!"_ZTS5Calls", i32 0, i64 1, !"a.cpp", i32 4, i32 5, i64 2}
!22 = !{!"_ZTS4Uses", i32 0, i64 1, !"a.cpp", i32 5, i32 5, i64 3}
!23 = !{!"_ZTS6Narrow", i32 0, i64 1, !"a.cpp", i32 6, i32 5, i64 4}
