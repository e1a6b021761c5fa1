; What images say of their devices, laid out as the specification says: arrays of 32-bit little-endian numbers, work-group sizes as
; their count and the sizes in the attribute's order. Sets that would be empty are not there.

; RUN: scythe-tools sycl-post-link -split=kernel -o out.table %s
; RUN: FileCheck --check-prefix=PLAIN --implicit-check-not=requirements \
; RUN:   --implicit-check-not=origins %s < out_0.prop
; PLAIN: [SCYTHE/launch]

; In base64, after 64 bits with the number of bits that follow: 5 and 6; 16; 3, 2, 3 and 4.
; RUN: FileCheck --check-prefix=ALL %s < out_1.prop
; ALL:      [SYCL/device requirements]
; ALL-NEXT: aspect=2|QAAAAAAAAAAFAAAABgAAAA==
; ALL-NEXT: reqd_sub_group_size=2|IAAAAAAAAAAQAAAA
; ALL-NEXT: reqd_work_group_size=2|gAAAAAAAAAADAAAAAgAAAAMAAAAEAAAA

; The same for one image, for people.
; RUN: scythe-tools device-link -o out.o --split=per_kernel %s
; RUN: scythe-tools inspect out.o | FileCheck --check-prefix=INSPECT %s
; INSPECT:      needs: fp16, fp64, sub-group size 16, work-group size 2×3×4
; INSPECT:      kernel All
; INSPECT:      fp64: All (a.cpp:2:3) → deep (b.hpp:7:9)

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS5Plain() !intel_fixed_targets !0 {
  ret void
}
define spir_kernel void @_ZTS3All() !intel_fixed_targets !0 !intel_used_aspects !1 !intel_declared_aspects !2 !intel_reqd_sub_group_size !3 !reqd_work_group_size !4 !work_group_num_dim !5 !scythe_aspect_origins !6 {
  ret void
}

!0 = !{}
!1 = !{i32 6}
!2 = !{i32 5}
!3 = !{i32 16}
!4 = !{i32 4, i32 3, i32 2}
!5 = !{i32 3}
!6 = !{!"fp16\09All@a.cpp:2:1", !"fp64\09All@a.cpp:2:3\09deep@b.hpp:7:9"}
!scythe.launch = !{!20, !21}
!20 = !{!"_ZTS5Plain", i32 0, i64 1, !"a.cpp", i32 1, i32 1, i64 1}
!21 = !{!"_ZTS3All", i32 2, i64 1, !"a.cpp", i32 2, i32 1, i64 2}
