; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; A sub-group has a matrix once, and computes a product with vectors of whole rows.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: alloca [1 x %"struct.sycl::detail::matrix_storage"]
; CHECK-NOT: alloca [16 x %"struct.sycl::detail::matrix_storage"]
; CHECK: call <16 x float> @llvm.fmuladd.v16f32
; CHECK-NOT: call {{.*}}@__scythe_matrix
; CHECK: ret void
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
%"struct.sycl::detail::matrix_storage" = type { [256 x float] }
declare spir_func void @__scythe_matrix_load_f32(ptr addrspace(4), ptr addrspace(4), i64, i32, i32, i32, i32)
declare spir_func void @__scythe_matrix_store_f32(ptr addrspace(4), ptr addrspace(4), i64, i32, i32, i32, i32)
declare spir_func void @__scythe_matrix_mad_f32(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), i32, i32, i32, i32, i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) "scythe-shape"="nd_range" !intel_reqd_sub_group_size !0 {
  %ma = alloca %"struct.sycl::detail::matrix_storage", align 64
  %mb = alloca %"struct.sycl::detail::matrix_storage", align 64
  %mc = alloca %"struct.sycl::detail::matrix_storage", align 64
  %qa = addrspacecast ptr %ma to ptr addrspace(4)
  %qb = addrspacecast ptr %mb to ptr addrspace(4)
  %qc = addrspacecast ptr %mc to ptr addrspace(4)
  %pa = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
  %pb = addrspacecast ptr addrspace(1) %b to ptr addrspace(4)
  %pc = addrspacecast ptr addrspace(1) %c to ptr addrspace(4)
  call spir_func void @__scythe_matrix_load_f32(ptr addrspace(4) %qa, ptr addrspace(4) %pa, i64 %n, i32 0, i32 1, i32 16, i32 16)
  call spir_func void @__scythe_matrix_load_f32(ptr addrspace(4) %qb, ptr addrspace(4) %pb, i64 %n, i32 1, i32 65793, i32 16, i32 16)
  call spir_func void @__scythe_matrix_load_f32(ptr addrspace(4) %qc, ptr addrspace(4) %pc, i64 %n, i32 0, i32 197123, i32 16, i32 16)
  call spir_func void @__scythe_matrix_mad_f32(ptr addrspace(4) %qc, ptr addrspace(4) %qa, ptr addrspace(4) %qb, ptr addrspace(4) %qc, i32 197123, i32 1, i32 65793, i32 197123, i32 16, i32 16, i32 16)
  call spir_func void @__scythe_matrix_store_f32(ptr addrspace(4) %qc, ptr addrspace(4) %pc, i64 %n, i32 0, i32 197123, i32 16, i32 16)
  ret void
}
!0 = !{i32 16}
