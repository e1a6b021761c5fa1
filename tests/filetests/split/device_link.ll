; device-link makes one host object of all device code: the images, and functions that register them. What is unused in
; one input but needed by a later one is kept, with --save-temps the parts stay, and outputs are reproducible.

; RUN: split-file %s in
; RUN: cd in
; RUN: llvm-as library.ll -o library.bc
; RUN: llvm-as a.ll -o a.bc
; RUN: scythe-tools device-link -o out.o --save-temps=kept library.bc a.bc
; RUN: scythe-tools image-dump out.o | FileCheck %s
; CHECK:      image 0
; CHECK-NEXT:   target: spirv64-unknown-unknown
; CHECK-NEXT:   format: llvmbc
; CHECK-NEXT:   code: {{[0-9]+}} bytes
; CHECK-NEXT:   symbols: 1
; CHECK-NEXT:     _ZTS1K
; CHECK-NEXT:   [SCYTHE/launch]
; CHECK-NEXT:     _ZTS1K: nd_range at a.cpp:3:5, functor of 40 bytes, accessor 8@0, local 8@16, plain 4@32
; CHECK-NOT:  image

; RUN: FileCheck --check-prefix=TABLE %s < kept.table
; TABLE:      [Code|Properties|Symbols]
; TABLE-NEXT: kept_0.bc|kept_0.prop|kept_0.sym
; RUN: llvm-dis kept_0.bc -o - | FileCheck --check-prefix=CODE %s
; CODE: define internal spir_func i32 @_Z3onev()

; RUN: scythe-tools image-dump --extract=code out.o
; RUN: cmp code_0.bc kept_0.bc

; RUN: mkdir elsewhere
; RUN: cp a.bc elsewhere/a.bc
; RUN: scythe-tools device-link -o again.o library.bc elsewhere/a.bc
; RUN: cmp out.o again.o

; RUN: readelf -SW out.o | FileCheck --check-prefix=SECTIONS %s
; SECTIONS-DAG: .scythe.images PROGBITS
; SECTIONS-DAG: .init_array.00100 INIT_ARRAY
; SECTIONS-DAG: .fini_array.00100 FINI_ARRAY
; SECTIONS-DAG: .note.GNU-stack PROGBITS

; RUN: not scythe-tools device-link -o bad.o --save-temps=bad %s 2>&1 | FileCheck \
; RUN:   --check-prefix=BAD %s
; BAD: {{.*}}device_link.ll: error: cannot read IR
; RUN: not scythe-tools device-link -o bad.o a.bc a.bc 2>&1 | FileCheck --check-prefix=TWICE %s
; TWICE: a.bc: error: device symbol 'needed' is defined twice: the other definition is in 'a.bc'. Remove one of them, or make the function 'inline' [scythe-E0203]
; RUN: not scythe-tools device-link -o bad.o host.ll 2>&1 | FileCheck --check-prefix=HOST %s
; HOST: host.ll: error: the device code is for 'x86_64-unknown-linux-gnu', expected 'spirv64-unknown-unknown'. Compile it with the '-fsycl-targets=' of this link [scythe-E0206]
; RUN: not scythe-tools device-link a.bc 2>&1 | FileCheck --check-prefix=OUTPUT %s
; OUTPUT: device-link: error: option '-o' is missing
; RUN: test ! -e bad.o -a ! -e bad.table

;--- library.ll
target triple = "spirv64-unknown-unknown"
define linkonce_odr spir_func i32 @_Z3onev() {
  ret i32 1
}

;--- a.ll
target triple = "spirv64-unknown-unknown"
declare spir_func i32 @_Z3onev()
define weak_odr spir_kernel void @_ZTS1K(ptr addrspace(1) %a, ptr addrspace(3) %l, i32 %n) {
  %v = call spir_func i32 @_Z3onev()
  call spir_func void @needed()
  store i32 %v, ptr addrspace(1) %a
  ret void
}
define spir_func void @needed() {
  ret void
}
!scythe.launch = !{!0}
!0 = !{!"_ZTS1K", i32 2, i64 40, !"a.cpp", i32 3, i32 5, i64 1, i32 0, i64 8, i64 0, i32 0, i32 4, i64 8, i64 16, i32 0, i32 1, i64 4, i64 32, i32 3}

;--- host.ll
target triple = "x86_64-unknown-linux-gnu"
