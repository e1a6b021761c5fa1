; Each mode groups kernels as its name says; functions and globals that several parts need are in each of them.

; RUN: scythe-tools sycl-post-link -split=kernel -symbols -o kernel.table %s
; RUN: FileCheck --check-prefix=KERNEL-TABLE %s < kernel.table
; KERNEL-TABLE:      [Code|Properties|Symbols]
; KERNEL-TABLE-NEXT: kernel_0.bc|kernel_0.prop|kernel_0.sym
; KERNEL-TABLE-NEXT: kernel_1.bc|kernel_1.prop|kernel_1.sym
; KERNEL-TABLE-NEXT: kernel_2.bc|kernel_2.prop|kernel_2.sym
; KERNEL-TABLE-NOT:  kernel_3

; RUN: cat kernel_0.sym kernel_1.sym kernel_2.sym | FileCheck --check-prefix=SYMBOLS %s
; SYMBOLS:      _ZTS1A
; SYMBOLS-NEXT: _ZTS1B
; SYMBOLS-NEXT: _ZTS1C

; RUN: llvm-dis kernel_0.bc -o - | FileCheck --check-prefix=FIRST %s
; FIRST:     @table = internal addrspace(1) constant
; FIRST-NOT: _ZTS1B
; FIRST:     define spir_kernel void @_ZTS1A(ptr addrspace(1) %out)
; FIRST:     define internal spir_func i32 @shared(
; FIRST-NOT: _ZTS1C
; FIRST:     !scythe.launch = !{![[ROW:[0-9]+]]}
; FIRST:     ![[ROW]] = !{!"_ZTS1A"

; RUN: llvm-dis kernel_1.bc -o - | FileCheck --check-prefix=SECOND %s
; SECOND-NOT: @table
; SECOND-NOT: @shared
; SECOND:     define spir_kernel void @_ZTS1B()

; RUN: llvm-dis kernel_2.bc -o - | FileCheck --check-prefix=THIRD %s
; THIRD:     @table = internal addrspace(1) constant
; THIRD-NOT: @unused
; THIRD:     define spir_kernel void @_ZTS1C(

; RUN: FileCheck --check-prefix=PROPERTIES %s < kernel_1.prop
; PROPERTIES:      [SCYTHE/launch]
; PROPERTIES-NEXT: _ZTS1B=2|{{[A-Za-z0-9+/]+=*$}}
; PROPERTIES-NOT:  _ZTS

; RUN: scythe-tools sycl-post-link -split=source -symbols -o source.table %s
; RUN: scythe-tools sycl-post-link -split=auto -symbols -o auto.table %s
; RUN: cmp source_0.bc auto_0.bc
; RUN: cmp source_1.bc auto_1.bc
; RUN: cat source.table source_0.sym source_1.sym | FileCheck --check-prefix=SOURCE %s
; SOURCE:      [Code|Properties|Symbols]
; SOURCE-NEXT: source_0.bc|
; SOURCE-NEXT: source_1.bc|
; SOURCE-NEXT: _ZTS1A
; SOURCE-NEXT: _ZTS1C
; SOURCE-NEXT: _ZTS1B

; RUN: scythe-tools sycl-post-link -o off.table %s
; RUN: cat off.table | FileCheck --check-prefix=OFF %s
; OFF:      [Code|Properties]
; OFF-NEXT: off_0.bc|off_0.prop
; OFF-NOT:  {{.}}
; RUN: test ! -e off_0.sym

; RUN: scythe-tools sycl-post-link -split=kernel -export -symbols -S -o text.table %s
; RUN: FileCheck --check-prefix=TEXT-TABLE %s < text.table
; TEXT-TABLE:      [Code|Properties|Symbols]
; TEXT-TABLE-NEXT: text_0.ll|
; TEXT-TABLE-NEXT: text_1.ll|
; TEXT-TABLE-NEXT: text_2.ll|
; TEXT-TABLE-NEXT: text_3.ll|text_3.prop|text_3.sym
; RUN: FileCheck --check-prefix=EXPORTED %s < text_3.ll
; EXPORTED:     define spir_func void @unused()
; EXPORTED-NOT: define
; RUN: FileCheck --check-prefix=EXPORTED-PROP %s < text_3.prop
; EXPORTED-PROP:      [SYCL/exported symbols]
; EXPORTED-PROP-NEXT: unused=1|1
; RUN: test ! -s text_3.sym

; RUN: not scythe-tools sycl-post-link -split=global -o bad.table %s 2>&1 | FileCheck \
; RUN:   --check-prefix=BAD %s
; BAD: sycl-post-link: error: unknown split mode 'global': expected off, per_source, per_kernel or auto
; RUN: test ! -e bad.table

target triple = "spirv64-unknown-unknown"

@table = addrspace(1) constant [2 x i32] [i32 1, i32 2]

define spir_kernel void @_ZTS1A(ptr addrspace(1) %out) "sycl-module-id"="a.cpp" {
  %v = call spir_func i32 @shared(i32 0)
  store i32 %v, ptr addrspace(1) %out
  ret void
}

define spir_kernel void @_ZTS1B() "sycl-module-id"="b.cpp" {
  ret void
}

define spir_kernel void @_ZTS1C(ptr addrspace(1) %out) "sycl-module-id"="a.cpp" {
  %v = call spir_func i32 @shared(i32 1)
  store i32 %v, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @shared(i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) @table, i32 %i
  %v = load i32, ptr addrspace(1) %p
  ret i32 %v
}

define spir_func void @unused() "sycl-module-id"="a.cpp" {
  ret void
}

!scythe.launch = !{!0, !1, !2}
!0 = !{!"_ZTS1A", i32 0, i64 8, !"a.cpp", i32 3, i32 5, i64 1, i32 0, i64 8, i64 0, i32 0}
!1 = !{!"_ZTS1B", i32 0, i64 1, !"b.cpp", i32 3, i32 5, i64 2}
!2 = !{!"_ZTS1C", i32 1, i64 8, !"a.cpp", i32 9, i32 5, i64 3, i32 0, i64 8, i64 0, i32 0}
