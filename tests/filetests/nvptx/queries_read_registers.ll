; RUN: lower-nvptx %s | FileCheck %s
; What a kernel asks of its work-item is a special register, or a field of the launch block; functions that ask become part of it.
target triple = "nvptx64-nvidia-cuda"
declare i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32) #1
declare i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32) #1
declare i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32) #1
declare i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32) #1
declare i64 @_Z25__spirv_BuiltInGlobalSizei(i32) #1
declare i64 @_Z27__spirv_BuiltInGlobalOffseti(i32) #1

define internal i64 @asks(i32 %d) noinline {
  %s = call i64 @_Z25__spirv_BuiltInGlobalSizei(i32 %d)
  ret i64 %s
}

; CHECK-LABEL: .visible .entry k(
; CHECK: .param .align 8 .b8 k_param_1[128]
; CHECK-NOT: .local
; CHECK-DAG: %tid.x
; CHECK-DAG: %ntid.y
; CHECK-DAG: %ctaid.z
; CHECK-DAG: ld.param.v2.b32 {{.*}}, [k_param_1+104]
; CHECK-DAG: ld.param.b64 {{.*}}, [k_param_1+48]
; CHECK-DAG: ld.param.b64 {{.*}}, [k_param_1+72]
; CHECK: st.volatile.global
; CHECK-NOT: call
; CHECK: ret
define ptx_kernel void @k(ptr addrspace(1) %out) #0 {
  %a = call i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %b = call i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 1)
  %c = call i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 2)
  %d = call i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32 0)
  %e = call i64 @asks(i32 0)
  %f = call i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 0)
  store volatile i64 %a, ptr addrspace(1) %out, align 8
  store volatile i64 %b, ptr addrspace(1) %out
  store volatile i64 %c, ptr addrspace(1) %out
  store volatile i64 %d, ptr addrspace(1) %out
  store volatile i64 %e, ptr addrspace(1) %out
  store volatile i64 %f, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
attributes #1 = { nounwind willreturn memory(none) }
