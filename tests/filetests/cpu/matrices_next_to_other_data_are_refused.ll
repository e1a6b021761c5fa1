; RUN: not lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s 2>&1 | FileCheck %s
; CHECK: kernel 'k' uses a joint matrix (sycl_ext_oneapi_matrix) through an address that the compiler cannot follow, or as a member next to other data
; Work-items have their own copies of other data, but share a matrix.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
%"struct.sycl::detail::matrix_storage" = type { [256 x float] }
%both = type { %"struct.sycl::detail::matrix_storage", i32 }
declare spir_func void @__scythe_matrix_fill_f32(ptr addrspace(4), float, i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="nd_range" {
  %m = alloca %both, align 64
  %q = addrspacecast ptr %m to ptr addrspace(4)
  call spir_func void @__scythe_matrix_fill_f32(ptr addrspace(4) %q, float 1.0, i32 197123, i32 16, i32 16)
  ret void
}
