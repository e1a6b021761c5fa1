; Ahead of time, a target's compiler gets what the device configuration says it can run. What is left out stays known, in images
; without code that have its properties.

; RUN: printf 'x86_64_avx2:\n  aspects: [cpu, fp16, ext_intel_x86_64, ext_intel_x86_64_avx2]\n  sub-group-sizes: [8, 16]\n' > targets.yaml
; RUN: scythe-tools device-link -o out.o --target=x86_64_avx2 --device-config-file=targets.yaml \
; RUN:   --verbose --dump-device-code=code %s 2> said
; RUN: FileCheck --check-prefix=SAID %s < said
; SAID: compiling 2 parts for 1 levels
; SAID: remark: kernel 'Precise' is left out of the code for 'x86_64_avx2': it uses aspect 'fp64', which the target lacks [-Wsycl-aot]
; SAID: remark: kernel 'Sub32' is left out of the code for 'x86_64_avx2': it requires sub-group size 32, which the target lacks [-Wsycl-aot]
; SAID: remark: kernel 'ForGpus' is left out of the code for 'x86_64_avx2': '-fsycl-fixed-targets' binds it to devices with 'ext_intel_gpu_pvc' [-Wsycl-aot]
; RUN: scythe-tools inspect out.o | FileCheck %s
; CHECK:     {{.*}}cpu-object
; CHECK:     kernel Plain
; CHECK:     {{.*}}cpu-object
; CHECK:     kernel ForThis
; CHECK:     {{.*}}empty
; CHECK:     needs: fp64
; CHECK:     kernel Precise
; CHECK:     {{.*}}empty
; CHECK:     needs: sub-group size 32
; CHECK:     kernel Sub32
; CHECK:     {{.*}}empty
; CHECK:     kernel ForGpus
; RUN: test $(ls code | wc -l) = 2

; The remarks are told again by a link that takes its images from a cache, can be silenced, and become errors where they are named.
; RUN: scythe-tools device-link -o out.o --target=x86_64_avx2 --device-config-file=targets.yaml \
; RUN:   --cache=kept %s 2> first
; RUN: scythe-tools device-link -o out.o --target=x86_64_avx2 --device-config-file=targets.yaml \
; RUN:   --cache=kept --verbose %s 2> second
; RUN: grep 'images from the cache' second
; RUN: test $(grep -c remark: first) = 3
; RUN: test $(grep -c remark: second) = 3
; RUN: scythe-tools device-link -o out.o --target=x86_64_avx2 --device-config-file=targets.yaml \
; RUN:   --warning=no-sycl-aot %s 2> quiet
; RUN: test ! -s quiet
; RUN: scythe-tools device-link -o out.o --target=x86_64_avx2 --device-config-file=targets.yaml \
; RUN:   --warning=error %s 2> plain
; RUN: test $(grep -c remark: plain) = 3
; RUN: not scythe-tools device-link -o none.o --target=x86_64_avx2 \
; RUN:   --device-config-file=targets.yaml --warning=error=sycl-aot %s 2> refused
; RUN: test ! -e none.o
; RUN: FileCheck --check-prefix=REFUSED %s < refused
; REFUSED-COUNT-3: error: kernel '{{.*}}' is left out of the code for 'x86_64_avx2'

; Without that file the same target has all but the graphics processor's.
; RUN: scythe-tools device-link -o out.o --target=x86_64_avx2 --verbose %s 2> said
; RUN: FileCheck --check-prefix=DEFAULT %s < said
; DEFAULT:     kernel 'ForGpus' is left out of the code for 'x86_64_avx2'
; DEFAULT-NOT: left out

; A family of devices may hold those of a fixed target that is one of it.
; RUN: scythe-tools device-link -o out.o --target=spir64_x86_64 --cpu-opts=-march=avx2 --verbose \
; RUN:   %s 2> said
; RUN: FileCheck --check-prefix=DEFAULT-FAMILY %s < said
; DEFAULT-FAMILY:     kernel 'ForGpus' is left out of the code for 'spir64_x86_64'
; DEFAULT-FAMILY-NOT: left out

; sycl-post-link leaves the same out, where it is told the target.
; RUN: scythe-tools sycl-post-link -split=kernel -symbols -o post.table --target=x86_64_avx2 \
; RUN:   --device-config-file=targets.yaml %s
; RUN: cat post.table post_0.sym post_1.sym | FileCheck --check-prefix=POST %s
; POST-COUNT-2: post_{{[01]}}.bc|
; POST-NEXT: _ZTS5Plain
; POST-NEXT: _ZTS7ForThis
; RUN: not scythe-tools sycl-post-link -o bad.table --target=nowhere %s 2>&1 | FileCheck \
; RUN:   --check-prefix=NOWHERE %s
; NOWHERE: sycl-post-link: error: unknown device target 'nowhere': expected 'spir64'

; Code for run time is never left out.
; RUN: scythe-tools device-link -o out.o --device-config-file=targets.yaml %s
; RUN: scythe-tools inspect out.o | FileCheck --check-prefix=GENERIC %s
; GENERIC-NOT: empty
; GENERIC:     5 kernels

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS5Plain() "scythe-shape"="single_task" !intel_fixed_targets !0 {
  ret void
}
define spir_kernel void @_ZTS7Precise() "scythe-shape"="single_task" !intel_fixed_targets !0 !intel_used_aspects !1 {
  ret void
}
define spir_kernel void @_ZTS5Sub32() "scythe-shape"="single_task" !intel_fixed_targets !0 !intel_reqd_sub_group_size !2 {
  ret void
}
define spir_kernel void @_ZTS7ForGpus() "scythe-shape"="single_task" !intel_fixed_targets !3 !intel_used_aspects !1 {
  ret void
}
define spir_kernel void @_ZTS7ForThis() "scythe-shape"="single_task" !intel_fixed_targets !4 {
  ret void
}

!0 = !{}
!1 = !{i32 6}
!2 = !{i32 32}
!3 = !{!"intel_gpu_pvc"}
!4 = !{!"x86_64_avx2", !"intel_gpu_pvc"}
!scythe.launch = !{!20, !21, !22, !23, !24}
!20 = !{!"_ZTS5Plain", i32 0, i64 1, !"a.cpp", i32 1, i32 1, i64 1}
!21 = !{!"_ZTS7Precise", i32 0, i64 1, !"a.cpp", i32 2, i32 1, i64 2}
!22 = !{!"_ZTS5Sub32", i32 0, i64 1, !"a.cpp", i32 3, i32 1, i64 3}
!23 = !{!"_ZTS7ForGpus", i32 0, i64 1, !"a.cpp", i32 4, i32 1, i64 4}
!24 = !{!"_ZTS7ForThis", i32 0, i64 1, !"a.cpp", i32 5, i32 1, i64 5}
