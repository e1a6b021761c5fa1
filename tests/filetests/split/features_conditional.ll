; A SYCL_EXTERNAL function of another translation unit that is called only in a branch of if_device_has: what it uses is required
; of no device, and nobody is warned. One that is called outside of such branches, too, counts as ever.

; RUN: scythe-tools sycl-post-link -split=kernel -S -o out.table %s 2> messages
; RUN: FileCheck %s < messages
; RUN: test $(grep -c warning: messages) = 1
; CHECK: warning: function 'both' uses aspect 'fp16' not expected by its calling kernel.
; CHECK: 'both' is called by kernel 'M'

; The code is there all the same: the device decides.
; RUN: FileCheck --check-prefix=NONE %s < out_0.prop
; NONE-NOT: SYCL/device requirements
; RUN: FileCheck --check-prefix=CODE %s < out_0.ll
; CODE: define internal spir_func void @other
; CODE: define internal spir_func void @behind

; The kernel's own requirements stay.
; RUN: FileCheck --check-prefix=OWN %s < out_1.prop
; OWN:      [SYCL/device requirements]
; OWN-NEXT: aspect=2|IAAAAAAAAAAFAAAA
; RUN: FileCheck --check-prefix=OWN %s < out_2.prop

target triple = "spirv64-unknown-unknown"

declare spir_func i1 @__scythe_device_has(i32)

define spir_kernel void @_ZTS1K() !intel_fixed_targets !0 {
  %has = call spir_func i1 @__scythe_device_has(i32 100)
  br i1 %has, label %yes, label %no
yes:
  call spir_func void @branch()
  br label %no
no:
  ret void
}
define spir_kernel void @_ZTS1L() !intel_fixed_targets !0 !intel_used_aspects !1 {
  call spir_func void @branch()
  ret void
}
define spir_kernel void @_ZTS1M() !intel_fixed_targets !0 {
  call spir_func void @branch()
  call spir_func void @both()
  ret void
}
define internal spir_func void @branch() noinline "scythe-conditional" {
  call spir_func void @other()
  call spir_func void @both()
  ret void
}
define spir_func void @other() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 !intel_used_aspects !2 {
  call spir_func void @behind()
  ret void
}
define internal spir_func void @behind() !intel_fixed_targets !0 !intel_used_aspects !2 !intel_reqd_sub_group_size !3 {
  ret void
}
define spir_func void @both() "sycl-module-id"="b.cpp" !intel_fixed_targets !0 !intel_used_aspects !1 {
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
