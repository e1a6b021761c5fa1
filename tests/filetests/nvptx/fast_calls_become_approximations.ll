; RUN: lower-nvptx --stage=prepared %s 2>&1 | FileCheck %s
; Calls of SYCL's functions that allow approximations use CUDA's fast functions, in single precision; others do not.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: define {{.*}}@k(
; CHECK: call float @llvm.nvvm.sqrt.approx.f(float %x)
; CHECK: call float @__nv_fast_sinf(float %x)
; CHECK: call float @__nv_fast_powf(float %x, float %x)
; CHECK: call float @_Z16__spirv_ocl_sqrtf(float %x)
; CHECK: call fast double @_Z16__spirv_ocl_sqrtd(double %y)
define float @_Z16__spirv_ocl_sqrtf(float %x) #1 {
  ret float %x
}
define double @_Z16__spirv_ocl_sqrtd(double %x) #1 {
  ret double %x
}
define float @_Z15__spirv_ocl_sinf(float %x) #1 {
  ret float %x
}
define float @_Z15__spirv_ocl_powff(float %x, float %y) #1 {
  ret float %x
}
define float @__nv_fast_sinf(float %x) #1 {
  ret float %x
}
define float @__nv_fast_powf(float %x, float %y) #1 {
  ret float %x
}
define ptx_kernel void @k(ptr addrspace(1) %p, float %x, double %y) #0 {
  %a = call fast float @_Z16__spirv_ocl_sqrtf(float %x)
  %b = call afn float @_Z15__spirv_ocl_sinf(float %x)
  %c = call fast float @_Z15__spirv_ocl_powff(float %x, float %x)
  %d = call float @_Z16__spirv_ocl_sqrtf(float %x)
  %e = call fast double @_Z16__spirv_ocl_sqrtd(double %y)
  store volatile float %a, ptr addrspace(1) %p
  store volatile float %b, ptr addrspace(1) %p
  store volatile float %c, ptr addrspace(1) %p
  store volatile float %d, ptr addrspace(1) %p
  store volatile double %e, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
attributes #1 = { noinline }
