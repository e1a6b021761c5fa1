; device-link compiles for the CPU when asked to: one image for each instruction-set level, lowest first, after the generic one
; where that is asked for, too. The link is done once, so that all images hold the same kernels.

; RUN: scythe-tools device-link -o out.o --target=spir64_x86_64,spir64 %s
; RUN: scythe-tools image-dump out.o | FileCheck %s
; CHECK:      image 0
; CHECK-NEXT:   target: spirv64-unknown-unknown
; CHECK-NEXT:   format: llvmbc
; CHECK:        _ZTS1K: single_task at a.cpp:3:5
; CHECK:      image 1
; CHECK-NEXT:   target: spir64_x86_64:x86-64
; CHECK-NEXT:   format: cpu-object
; CHECK:        symbols: 1
; CHECK-NEXT:     _ZTS1K
; CHECK-NEXT:   [SCYTHE/launch]
; CHECK-NEXT:     _ZTS1K: single_task at a.cpp:3:5
; CHECK:      image 2
; CHECK-NEXT:   target: spir64_x86_64:x86-64-v3
; CHECK:      image 3
; CHECK-NEXT:   target: spir64_x86_64:x86-64-v4
; CHECK-NOT:  image

; RUN: scythe-tools device-link -o again.o --target=spirv64-unknown-unknown,native_cpu %s
; RUN: cmp out.o again.o

; RUN: scythe-tools device-link -o two.o --target=x86_64 "--cpu-opts=-O1 -march=avx512,sse4.2" %s
; RUN: scythe-tools image-dump two.o | FileCheck --check-prefix=TWO %s
; TWO:     target: spir64_x86_64:x86-64-v2
; TWO:     target: spir64_x86_64:x86-64-v4
; TWO-NOT: target:

; RUN: scythe-tools image-dump --extract=code two.o
; RUN: cat code_0* > object
; RUN: llvm-nm object | FileCheck --check-prefix=ENTRY %s
; ENTRY: T __scythe_cpu._ZTS1K

; RUN: not scythe-tools device-link -o bad.o --target=spir64,gpu %s 2>&1 | FileCheck \
; RUN:   --check-prefix=TARGET %s
; TARGET: device-link: error: unknown device target 'gpu': expected 'spir64'
; RUN: not scythe-tools device-link -o bad.o --target=x86_64 --cpu-opts=-march=mmx %s 2>&1 | \
; RUN:   FileCheck --check-prefix=LEVEL %s
; LEVEL: device-link: error: unknown instruction-set level 'mmx' in '-march=mmx' for 'spir64_x86_64': expected 'x86-64' or 'sse2'
; RUN: not scythe-tools device-link -o bad.o --target=x86_64 --cpu-opts=-g %s 2>&1 | FileCheck \
; RUN:   --check-prefix=OPTION %s
; OPTION: device-link: error: unknown option '-g' for 'spir64_x86_64': expected -march=LEVEL
; RUN: test ! -e bad.o

target triple = "spirv64-unknown-unknown"
define weak_odr spir_kernel void @_ZTS1K(ptr addrspace(1) %a) #0 {
  store i32 7, ptr addrspace(1) %a
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
!scythe.launch = !{!0}
!0 = !{!"_ZTS1K", i32 0, i64 8, !"a.cpp", i32 3, i32 5, i64 1, i32 3, i64 8, i64 0, i32 0}
