; RUN: lower-nvptx --stage=prepared %s | FileCheck %s
; Single and double precision have functions of their own, half computes in single; approximations are taken where they are allowed.
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.exp.f32(float)
declare double @llvm.pow.f64(double, double)
declare half @llvm.log.f16(half)
declare <2 x float> @llvm.cos.v2f32(<2 x float>)
declare { float, i32 } @llvm.frexp.f32.i32(float)
declare float @llvm.sqrt.f32(float)

; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: call float @__nv_expf(float %x)
; CHECK: call float @__nv_fast_expf(float %x)
; CHECK: call double @__nv_pow(double %d, double %d)
; CHECK: [[WIDE:%.*]] = fpext half %h to float
; CHECK: [[LOG:%.*]] = call float @__nv_logf(float [[WIDE]])
; CHECK: fptrunc float [[LOG]] to half
; CHECK-COUNT-2: call float @__nv_cosf(
; CHECK: call float @__nv_frexpf(float %x, ptr
; CHECK: call float @llvm.sqrt.f32(float %x)
; CHECK: call float @__nv_fmodf(float %x, float %x)
define ptx_kernel void @k(ptr addrspace(1) %p, float %x, double %d, half %h, <2 x float> %v) #0 {
  %a = call float @llvm.exp.f32(float %x)
  %b = call fast float @llvm.exp.f32(float %x)
  %c = call double @llvm.pow.f64(double %d, double %d)
  %e = call half @llvm.log.f16(half %h)
  %f = call <2 x float> @llvm.cos.v2f32(<2 x float> %v)
  %g = call { float, i32 } @llvm.frexp.f32.i32(float %x)
  %i = call float @llvm.sqrt.f32(float %x)
  %j = frem float %x, %x
  store volatile float %a, ptr addrspace(1) %p
  store volatile float %b, ptr addrspace(1) %p
  store volatile double %c, ptr addrspace(1) %p
  store volatile half %e, ptr addrspace(1) %p
  store volatile <2 x float> %f, ptr addrspace(1) %p
  %g0 = extractvalue { float, i32 } %g, 0
  store volatile float %g0, ptr addrspace(1) %p
  store volatile float %i, ptr addrspace(1) %p
  store volatile float %j, ptr addrspace(1) %p
  ret void
}
define float @__nv_expf(float %x) noinline { ret float %x }
define float @__nv_fast_expf(float %x) noinline { ret float %x }
define double @__nv_pow(double %x, double %y) noinline { ret double %x }
define float @__nv_logf(float %x) noinline { ret float %x }
define float @__nv_cosf(float %x) noinline { ret float %x }
define float @__nv_fmodf(float %x, float %y) noinline { ret float %x }
define float @__nv_frexpf(float %x, ptr %p) noinline {
  store i32 0, ptr %p
  ret float %x
}
attributes #0 = { "scythe-shape"="single_task" }
