; A SYCL_EXTERNAL function of another translation unit that is called only in a branch of if_device_has: what it uses is required of
; the devices that take the branch, and nobody is warned. One that is called outside of such branches, too, counts as ever.

; RUN: scythe-tools sycl-post-link -split=kernel -S -o out.table %s 2> messages
; RUN: FileCheck %s < messages
; RUN: test $(grep -c warning: messages) = 1
; CHECK: warning: function 'both' uses aspect 'fp16' not expected by its calling kernel.
; CHECK: 'both' is called by kernel 'M'

; The code is there: the device decides.
; RUN: FileCheck --check-prefix=NONE %s < out_0.prop
; NONE-NOT:  SYCL/device requirements
; NONE:      [SCYTHE/conditional requirements]
; NONE-NEXT: 100 aspect=2|QAAAAAAAAAAFAAAABgAAAA==
; NONE-NEXT: 100 reqd_sub_group_size=2|IAAAAAAAAAAgAAAA
; NONE-NOT:  {{^[0-9!]}}
; RUN: FileCheck --check-prefix=CODE %s < out_0.ll
; CODE: define internal spir_func void @other
; CODE: define internal spir_func void @behind

; The kernel's own requirements stay, and are not repeated.
; RUN: FileCheck --check-prefix=OWN %s < out_1.prop
; OWN:      [SYCL/device requirements]
; OWN-NEXT: aspect=2|IAAAAAAAAAAFAAAA
; OWN:      [SCYTHE/conditional requirements]
; OWN-NEXT: 100 aspect=2|IAAAAAAAAAAGAAAA
; RUN: FileCheck --check-prefix=OWN %s < out_2.prop

; Branches in branches: all conditions together. An else branch has the opposite of those before it. Where two ways lead to a use, the
; wider condition counts; one that no device meets is dropped.
; RUN: FileCheck --check-prefix=NESTED %s < out_3.prop
; NESTED:      [SCYTHE/conditional requirements]
; NESTED-NEXT: !100&!200|!201 aspect=2|IAAAAAAAAAAMAAAA
; NESTED-NEXT: 100 reqd_sub_group_size=
; NESTED-NEXT: 100&300 aspect=2|IAAAAAAAAAAGAAAA

; Kernels that need different things of some devices share no image; others do.
; RUN: scythe-tools sycl-post-link -split=off -symbols -o off.table %s 2> messages
; RUN: cat off_0.sym off_1.sym off_2.sym | FileCheck --check-prefix=SHARE %s
; SHARE:      _ZTS1K
; SHARE-NEXT: _ZTS1O
; SHARE-NEXT: _ZTS1L
; SHARE-NEXT: _ZTS1M
; SHARE-NEXT: _ZTS1N
; RUN: test ! -e off_3.sym

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
define internal spir_func void @branch() noinline "scythe-conditional"="100" {
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

; Behind branches inside of branches.
define spir_kernel void @_ZTS1N() !intel_fixed_targets !0 {
  call spir_func void @first()
  call spir_func void @else()
  ret void
}
; As K.
define spir_kernel void @_ZTS1O() !intel_fixed_targets !0 {
  call spir_func void @branch()
  ret void
}
define internal spir_func void @first() noinline "scythe-conditional"="100" {
  call spir_func void @inner()
  call spir_func void @narrow()
  call spir_func void @never()
  ret void
}
define internal spir_func void @inner() noinline "scythe-conditional"="300" !intel_used_aspects !2 {
  call spir_func void @sized()
  ret void
}
define internal spir_func void @narrow() {
  call spir_func void @sized()
  ret void
}
define internal spir_func void @sized() !intel_reqd_sub_group_size !3 {
  ret void
}
define internal spir_func void @never() noinline "scythe-conditional"="!100" !intel_used_aspects !4 {
  ret void
}
define internal spir_func void @else() noinline "scythe-conditional"="!100&!200|!201" !intel_used_aspects !5 {
  ret void
}

!0 = !{}
!1 = !{i32 5}
!2 = !{i32 6}
!3 = !{i32 32}
!4 = !{i32 7}
!5 = !{i32 12}
!scythe.launch = !{!20, !21, !22, !23, !24}
!20 = !{!"_ZTS1K", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 1}
!21 = !{!"_ZTS1L", i32 0, i64 1, !"a.cpp", i32 4, i32 5, i64 2}
!22 = !{!"_ZTS1M", i32 0, i64 1, !"a.cpp", i32 5, i32 5, i64 3}
!23 = !{!"_ZTS1N", i32 0, i64 1, !"a.cpp", i32 6, i32 5, i64 4}
!24 = !{!"_ZTS1O", i32 0, i64 1, !"a.cpp", i32 7, i32 5, i64 5}
