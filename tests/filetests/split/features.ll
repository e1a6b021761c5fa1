; Split by features: entry points share an image only if they use and declare the same aspects, and require the same work-group
; size and the same numeric sub-group size. That comes after the user's split, and adds to it.

; RUN: scythe-tools sycl-post-link -split=auto -symbols -o out.table %s
; RUN: cat out.table out_0.sym out_1.sym out_2.sym out_3.sym out_4.sym out_5.sym out_6.sym \
; RUN:   out_7.sym | FileCheck %s
; CHECK:      [Code|Properties|Symbols]
; CHECK-COUNT-8: out_{{[0-7]}}.bc|
; CHECK-NOT:  out_8
; Named sub-group sizes fit every device.
; CHECK:      _ZTS5Plain
; CHECK-NEXT: _ZTS9Automatic
; CHECK-NEXT: _ZTS7Primary
; Used, declared, and both in halves: one set.
; CHECK-NEXT: _ZTS8UsesBoth
; CHECK-NEXT: _ZTS12DeclaresBoth
; CHECK-NEXT: _ZTS6Halves
; CHECK-NEXT: _ZTS7UsesOne
; CHECK-NEXT: _ZTS5Sub16
; CHECK-NEXT: _ZTS10Sub16Again
; CHECK-NEXT: _ZTS5Sub32
; CHECK-NEXT: _ZTS4Wg84
; CHECK-NEXT: _ZTS4Wg48
; The same as the first, of another source.
; CHECK-NEXT: _ZTS5Other

; With no split asked for, sources do not matter.
; RUN: scythe-tools sycl-post-link -symbols -o off.table %s
; RUN: cat off.table off_0.sym | FileCheck --check-prefix=OFF %s
; OFF-COUNT-7: off_{{[0-6]}}.bc|
; OFF-NOT:  off_7
; OFF:      _ZTS5Plain
; OFF-NEXT: _ZTS9Automatic
; OFF-NEXT: _ZTS7Primary
; OFF-NEXT: _ZTS5Other

; Kernels by themselves are not split further.
; RUN: scythe-tools sycl-post-link -split=kernel -o kernel.table %s
; RUN: FileCheck --check-prefix=KERNEL %s < kernel.table
; KERNEL-COUNT-13: kernel_{{[0-9]+}}.bc|
; KERNEL-NOT: kernel_13

; Exported functions are split like kernels.
; RUN: scythe-tools sycl-post-link -split=auto -export -symbols -o export.table %s
; RUN: FileCheck --check-prefix=EXPORT %s < export.table
; EXPORT-COUNT-9: export_{{[0-8]}}.bc|
; EXPORT-NOT: export_9
; RUN: grep -l "plain_function=" export_0.prop
; RUN: FileCheck --check-prefix=FUNCTION %s < export_8.prop
; FUNCTION:      [SYCL/exported symbols]
; FUNCTION-NEXT: precise_function=1|1
; FUNCTION-NEXT: [SYCL/device requirements]
; FUNCTION-NEXT: aspect=2|IAAAAAAAAAAGAAAA

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS5Plain() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 {
  ret void
}
define spir_kernel void @_ZTS8UsesBoth() "sycl-module-id"="a.cpp" !intel_used_aspects !1 !intel_fixed_targets !0 {
  ret void
}
define spir_kernel void @_ZTS12DeclaresBoth() "sycl-module-id"="a.cpp" !intel_declared_aspects !1 !intel_fixed_targets !0 {
  ret void
}
define spir_kernel void @_ZTS6Halves() "sycl-module-id"="a.cpp" !intel_declared_aspects !2 !intel_used_aspects !3 {
  ret void
}
define spir_kernel void @_ZTS7UsesOne() "sycl-module-id"="a.cpp" !intel_used_aspects !2 {
  ret void
}
define spir_kernel void @_ZTS5Sub16() "sycl-module-id"="a.cpp" !intel_reqd_sub_group_size !4 {
  ret void
}
define spir_kernel void @_ZTS10Sub16Again() "sycl-module-id"="a.cpp" !intel_reqd_sub_group_size !4 {
  ret void
}
define spir_kernel void @_ZTS5Sub32() "sycl-module-id"="a.cpp" !intel_reqd_sub_group_size !5 {
  ret void
}
define spir_kernel void @_ZTS9Automatic() "sycl-module-id"="a.cpp" !intel_named_sub_group_size !6 {
  ret void
}
define spir_kernel void @_ZTS7Primary() "sycl-module-id"="a.cpp" !intel_named_sub_group_size !7 {
  ret void
}
define spir_kernel void @_ZTS4Wg84() "sycl-module-id"="a.cpp" !reqd_work_group_size !8 !work_group_num_dim !10 {
  ret void
}
define spir_kernel void @_ZTS4Wg48() "sycl-module-id"="a.cpp" !reqd_work_group_size !9 !work_group_num_dim !10 {
  ret void
}
define spir_kernel void @_ZTS5Other() "sycl-module-id"="b.cpp" {
  ret void
}
define spir_func void @plain_function() "sycl-module-id"="a.cpp" {
  ret void
}
define spir_func void @precise_function() "sycl-module-id"="b.cpp" !intel_used_aspects !3 {
  ret void
}

!0 = !{}
!1 = !{i32 5, i32 6}
!2 = !{i32 5}
!3 = !{i32 6}
!4 = !{i32 16}
!5 = !{i32 32}
!6 = !{!"automatic"}
!7 = !{!"primary"}
!8 = !{i32 4, i32 8, i32 1}
!9 = !{i32 8, i32 4, i32 1}
!10 = !{i32 2}
!scythe.launch = !{!20, !21, !22, !23, !24, !25, !26, !27, !28, !29, !30, !31, !32}
!20 = !{!"_ZTS5Plain", i32 0, i64 1, !"a.cpp", i32 1, i32 1, i64 1}
!21 = !{!"_ZTS8UsesBoth", i32 0, i64 1, !"a.cpp", i32 2, i32 1, i64 2}
!22 = !{!"_ZTS12DeclaresBoth", i32 0, i64 1, !"a.cpp", i32 3, i32 1, i64 3}
!23 = !{!"_ZTS6Halves", i32 0, i64 1, !"a.cpp", i32 4, i32 1, i64 4}
!24 = !{!"_ZTS7UsesOne", i32 0, i64 1, !"a.cpp", i32 5, i32 1, i64 5}
!25 = !{!"_ZTS5Sub16", i32 0, i64 1, !"a.cpp", i32 6, i32 1, i64 6}
!26 = !{!"_ZTS10Sub16Again", i32 0, i64 1, !"a.cpp", i32 7, i32 1, i64 7}
!27 = !{!"_ZTS5Sub32", i32 0, i64 1, !"a.cpp", i32 8, i32 1, i64 8}
!28 = !{!"_ZTS9Automatic", i32 0, i64 1, !"a.cpp", i32 9, i32 1, i64 9}
!29 = !{!"_ZTS7Primary", i32 0, i64 1, !"a.cpp", i32 10, i32 1, i64 10}
!30 = !{!"_ZTS4Wg84", i32 2, i64 1, !"a.cpp", i32 11, i32 1, i64 11}
!31 = !{!"_ZTS4Wg48", i32 2, i64 1, !"a.cpp", i32 12, i32 1, i64 12}
!32 = !{!"_ZTS5Other", i32 0, i64 1, !"b.cpp", i32 1, i32 1, i64 13}
