; Code for the same fixed targets shares images whatever it uses: these are split as the user says, and not further. Images say which
; targets they are for, by their aspects, and nothing else.

; RUN: scythe-tools sycl-post-link -symbols -o out.table %s 2> messages
; RUN: cat out.table out_0.sym out_1.sym out_2.sym out_3.sym | FileCheck %s
; CHECK-COUNT-4: out_{{[0-3]}}.bc|
; CHECK-NOT:  out_4
; CHECK:      _ZTS1A
; CHECK-NEXT: _ZTS1B
; CHECK-NEXT: _ZTS1C
; CHECK-NEXT: _ZTS5Other
; CHECK-NEXT: _ZTS7Without
; CHECK-NEXT: _ZTS4Mine

; RUN: FileCheck --check-prefix=PROPERTIES %s < out_0.prop
; PROPERTIES:      [SYCL/device requirements]
; PROPERTIES-NEXT: fixed_target=2|QAAAAAAAAAASBAAA/QMAAA==
; PROPERTIES-NEXT: [SCYTHE/required work-group sizes]
; PROPERTIES-NEXT: _ZTS1B=2|
; PROPERTIES-NEXT: _ZTS1C=2|

; By source, as the user says.
; RUN: scythe-tools sycl-post-link -split=source -symbols -o source.table %s 2> again
; RUN: cat source_0.sym source_1.sym | FileCheck --check-prefix=SOURCE %s
; SOURCE:      _ZTS1A
; SOURCE-NEXT: _ZTS1B
; SOURCE-NEXT: _ZTS1C

; Functions compiled with other switches, or none, are reported; where all of them run is left.
; RUN: FileCheck --check-prefix=MESSAGES %s < messages
; RUN: test $(grep -c warning: messages) = 3
; MESSAGES:      sycl-post-link: warning: function 'fewer' compiled with a different `-fsycl-fixed-targets` switch than its calling kernel. [-Wsycl-external]
; MESSAGES-NEXT: a.cpp:4:1: note: 'fewer' is called by kernel 'Other'
; MESSAGES-NEXT: sycl-post-link: warning: function 'without' compiled with a different
; MESSAGES:      sycl-post-link: warning: function 'elsewhere' compiled with a different
; RUN: scythe-tools device-link -o out.o --split=off --warning=no-sycl-external %s
; RUN: scythe-tools inspect out.o > report
; RUN: FileCheck --check-prefix=REPORT %s < report
; REPORT: one of the fixed targets: ext_intel_gpu_pvc, ext_intel_gpu_skl
; REPORT: kernel A
; REPORT: one of the fixed targets: ext_intel_gpu_pvc{{$}}
; REPORT: kernel Other

; A target that has no aspect of its own binds nothing: the image says what it uses.
; RUN: FileCheck --check-prefix=MINE %s < out_3.prop
; MINE:      [SYCL/device requirements]
; MINE-NEXT: aspect=2|IAAAAAAAAAAGAAAA
; MINE-NOT:  fixed_target

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS1A() "sycl-module-id"="a.cpp" !intel_fixed_targets !1 !intel_used_aspects !10 {
  call spir_func void @same()
  ret void
}
define spir_kernel void @_ZTS1B() "sycl-module-id"="a.cpp" !intel_fixed_targets !2 !reqd_work_group_size !11 !intel_reqd_sub_group_size !12 {
  ret void
}
define spir_kernel void @_ZTS1C() "sycl-module-id"="b.cpp" !intel_fixed_targets !1 !reqd_work_group_size !13 {
  ret void
}
define spir_kernel void @_ZTS5Other() "sycl-module-id"="a.cpp" !intel_fixed_targets !3 {
  call spir_func void @fewer()
  call spir_func void @without()
  call spir_func void @unmarked()
  call spir_func void @elsewhere()
  ret void
}
define spir_kernel void @_ZTS7Without() "sycl-module-id"="a.cpp" !intel_fixed_targets !0 {
  call spir_func void @fewer()
  ret void
}
define spir_kernel void @_ZTS4Mine() "sycl-module-id"="a.cpp" !intel_fixed_targets !5 !intel_used_aspects !10 {
  ret void
}
define spir_func void @same() "sycl-module-id"="b.cpp" !intel_fixed_targets !2 {
  ret void
}
define spir_func void @fewer() "sycl-module-id"="b.cpp" !intel_fixed_targets !4 {
  ret void
}
define spir_func void @without() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 {
  ret void
}
define spir_func void @elsewhere() "sycl-module-id"="b.cpp" !intel_fixed_targets !6 {
  ret void
}
define spir_func void @unmarked() {
  ret void
}

!0 = !{}
!1 = !{!"intel_gpu_pvc", !"intel_gpu_skl"}
!2 = !{!"intel_gpu_skl", !"intel_gpu_pvc"}
!3 = !{!"intel_gpu_pvc", !"intel_gpu_dg1", !"intel_gpu_skl"}
!4 = !{!"intel_gpu_pvc", !"intel_gpu_skl"}
!5 = !{!"mine"}
!6 = !{!"intel_gpu_pvc", !"intel_gpu_bdw"}
!10 = !{i32 6}
!11 = !{i32 8, i32 1, i32 1}
!12 = !{i32 16}
!13 = !{i32 16, i32 1, i32 1}
!scythe.launch = !{!20, !21, !22, !23, !24, !25}
!20 = !{!"_ZTS1A", i32 0, i64 1, !"a.cpp", i32 1, i32 1, i64 1}
!21 = !{!"_ZTS1B", i32 2, i64 1, !"a.cpp", i32 2, i32 1, i64 2}
!22 = !{!"_ZTS1C", i32 2, i64 1, !"b.cpp", i32 3, i32 1, i64 3}
!23 = !{!"_ZTS5Other", i32 0, i64 1, !"a.cpp", i32 4, i32 1, i64 4}
!24 = !{!"_ZTS7Without", i32 0, i64 1, !"a.cpp", i32 5, i32 1, i64 5}
!25 = !{!"_ZTS4Mine", i32 0, i64 1, !"a.cpp", i32 6, i32 1, i64 6}
