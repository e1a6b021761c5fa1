; RUN: run-passes literals %s | FileCheck %s

; Constants of type double that a function of the headers converts: the function is compiled for them, and no double is left.
target triple = "spirv64-unknown-unknown"

; CHECK-LABEL: define spir_func void @by_value(
; CHECK-NEXT:    call spir_func void @convert.literal._.5.000000em01(ptr addrspace(4) %h)
; CHECK-NEXT:    call spir_func void @convert.literal._.5.000000em01(ptr addrspace(4) %h)
; CHECK-NEXT:    ret void
define spir_func void @by_value(ptr addrspace(4) %h) {
  call spir_func void @convert(ptr addrspace(4) %h, double 5.000000e-01)
  call spir_func void @convert(ptr addrspace(4) %h, double 5.000000e-01)
  ret void
}
define linkonce_odr spir_func void @convert(ptr addrspace(4) %this, double %x) noinline optnone "scythe-foldable" !intel_used_aspects !0 {
  %local = alloca double
  %cast = addrspacecast ptr %local to ptr addrspace(4)
  store double %x, ptr addrspace(4) %cast
  %y = load double, ptr addrspace(4) %cast
  %z = fptrunc double %y to half
  store half %z, ptr addrspace(4) %this
  ret void
}

; By reference to a temporary, through another function.
; CHECK-LABEL: define spir_func void @by_reference(
; CHECK-NOT:     double
; CHECK:         call spir_func void @forward.literal._.2.500000em01(
; CHECK-NOT:     double
; CHECK:         ret void
define spir_func void @by_reference(ptr addrspace(4) %h) {
  %temporary = alloca double
  %reference = addrspacecast ptr %temporary to ptr addrspace(4)
  call void @llvm.lifetime.start.p0(ptr %temporary)
  store double 2.500000e-01, ptr addrspace(4) %reference
  call spir_func void @forward(ptr addrspace(4) %h, ptr addrspace(4) %reference)
  call void @llvm.lifetime.end.p0(ptr %temporary)
  ret void
}
define linkonce_odr spir_func void @forward(ptr addrspace(4) %this, ptr addrspace(4) %x) "scythe-foldable" !intel_used_aspects !0 {
  %y = load double, ptr addrspace(4) %x
  call spir_func void @convert(ptr addrspace(4) %this, double %y)
  ret void
}

; A choice between constants becomes one between numbers, or between converted constants.
; CHECK-LABEL: define spir_func float @choices(
; CHECK-NEXT:    [[NUMBER:%.*]] = select i1 %c, i32 0, i32 1
; CHECK-NEXT:    [[CONVERTED:%.*]] = select i1 %c, float 5.000000e-01, float 4.000000e+00
; CHECK-NEXT:    call spir_func void @convert.literal._.5.000000em01or4.000000e00(ptr addrspace(4) %h, i32 [[NUMBER]])
; CHECK-NEXT:    ret float [[CONVERTED]]
define spir_func float @choices(ptr addrspace(4) %h, i1 %c) {
  %x = select i1 %c, double 5.000000e-01, double 4.000000e+00
  call spir_func void @convert(ptr addrspace(4) %h, double %x)
  %f = fptrunc double %x to float
  ret float %f
}

; Constants in variables, and constexpr functions.
; CHECK-LABEL: define spir_func float @constants(
; CHECK-NEXT:    ret float 3.000000e+00
define spir_func float @constants() {
  %k = alloca double
  store double 2.000000e+00, ptr %k
  %x = load double, ptr %k
  %half = call spir_func double @constant(i32 3)
  %product = fmul double %x, %half
  %f = fptrunc double %product to float
  ret float %f
}
define linkonce_odr spir_func double @constant(i32 %n) "scythe-foldable" !intel_used_aspects !0 {
  %x = sitofp i32 %n to double
  %y = fmul double %x, 5.000000e-01
  ret double %y
}

; What is not constant, or computes with double, stays.
; CHECK-LABEL: define spir_func void @kept(
; CHECK-NEXT:    %x = fpext float %f to double
; CHECK-NEXT:    call spir_func void @convert(ptr addrspace(4) %h, double %x)
; CHECK-NEXT:    %root = call spir_func float @root(double 2.000000e+00)
; CHECK-NEXT:    call spir_func void @unknown(double 5.000000e-01)
; CHECK-NEXT:    ret void
define spir_func void @kept(ptr addrspace(4) %h, float %f) {
  %x = fpext float %f to double
  call spir_func void @convert(ptr addrspace(4) %h, double %x)
  %root = call spir_func float @root(double 2.000000e+00)
  call spir_func void @unknown(double 5.000000e-01)
  ret void
}
define linkonce_odr spir_func float @root(double %x) "scythe-foldable" !intel_used_aspects !0 {
  %y = call spir_func double @_Z16__spirv_ocl_sqrtd(double %x)
  %z = fptrunc double %y to float
  ret float %z
}
declare spir_func double @_Z16__spirv_ocl_sqrtd(double)
declare spir_func void @unknown(double)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

; CHECK:       define internal spir_func void @convert.literal._.5.000000em01(ptr addrspace(4) %0)
; CHECK-NEXT:    store half 0xH3800, ptr addrspace(4) %0, align 2
; CHECK-NEXT:    ret void
; CHECK-NOT: alloca double

!0 = !{i32 6}
