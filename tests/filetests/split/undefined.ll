; A symbol that nobody defines is named, with the kernel that needs it and the calls that lead there. What LLVM, the
; device library or the C maths library provides may stay undefined. Nothing is written.

; RUN: not scythe-tools device-link -o out.o %s 2> errors
; RUN: FileCheck %s < errors
; RUN: count 8 < errors
; RUN: test ! -e out.o

; CHECK:      a.cpp:3:5: error: undefined device symbol 'foo()', needed by kernel 'app::K' [scythe-E0202]
; CHECK-NEXT: device-link: note: 'middle' is called by 'outer'
; CHECK-NEXT: device-link: note: 'foo()' is called by 'middle'
; CHECK-NEXT: device-link: note: in device code for spir64
; CHECK-NEXT: a.cpp:3:5: error: undefined device symbol 'variable', needed by kernel 'app::K' [scythe-E0202]
; CHECK-NEXT: device-link: note: 'middle' is called by 'outer'
; CHECK-NEXT: device-link: note: 'variable' is used by 'middle'
; CHECK-NEXT: device-link: note: in device code for spir64

target triple = "spirv64-unknown-unknown"

@variable = external addrspace(1) global i32

declare spir_func void @_Z3foov()
declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func float @sinf(float)
declare float @llvm.sqrt.f32(float)
declare spir_func void @not_reached()

define spir_kernel void @_ZTSN3app1KE() {
  call spir_func void @outer()
  ret void
}

define spir_func void @outer() {
  call spir_func void @middle()
  ret void
}

define spir_func void @middle() {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %s = call spir_func float @sinf(float 0.0)
  %q = call float @llvm.sqrt.f32(float %s)
  %v = load i32, ptr addrspace(1) @variable
  call spir_func void @_Z3foov()
  ret void
}

define spir_func void @only_for_others() {
  call spir_func void @not_reached()
  ret void
}

!scythe.launch = !{!0}
!0 = !{!"_ZTSN3app1KE", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 1}
