; RUN: lower-nvptx --arch=sm_80 %s | FileCheck %s
; RUN: not lower-nvptx --arch=sm_75 %s 2>&1 | FileCheck %s --check-prefix=OLD
; OLD: function 'k' has a joint_matrix of bf16 16 x 16, use::a: NVIDIA GPUs of architecture sm_75 do not support this use
; Fragments stay in registers, and matrices in global memory are known to be there.
target triple = "nvptx64-nvidia-cuda"
%"struct.sycl::detail::matrix_storage" = type { [256 x float] }
declare void @__scythe_matrix_load_f32(ptr, ptr, i64, i32, i32, i32, i32)
declare void @__scythe_matrix_store_f32(ptr, ptr, i64, i32, i32, i32, i32)
declare void @__scythe_matrix_fill_f32(ptr, float, i32, i32, i32)
declare void @__scythe_matrix_mad_f32(ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32)
declare i32 @__scythe_matrix_end(i32, i32, i32)
declare float @__scythe_matrix_get_f32(ptr, i32, i32)
declare void @__scythe_matrix_set_f32(ptr, i32, float, i32)

; CHECK: .target sm_80
; CHECK-LABEL: .visible .entry k(
; CHECK-NOT: .local
; CHECK: wmma.load.a.sync.aligned.row.m16n16k16.global.bf16
; CHECK: wmma.load.b.sync.aligned.col.m16n16k16.global.bf16
; CHECK: wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32
; CHECK-COUNT-8: add{{.*}}.f32
; CHECK: wmma.store.d.sync.aligned.row.m16n16k16.global.f32
; CHECK: ret
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %ma = alloca %"struct.sycl::detail::matrix_storage", align 64
  %mb = alloca %"struct.sycl::detail::matrix_storage", align 64
  %mc = alloca %"struct.sycl::detail::matrix_storage", align 64
  %pa = addrspacecast ptr addrspace(1) %a to ptr
  %pb = addrspacecast ptr addrspace(1) %b to ptr
  %pc = addrspacecast ptr addrspace(1) %c to ptr
  %at = getelementptr inbounds i16, ptr %pa, i64 %n
  call void @__scythe_matrix_fill_f32(ptr %mc, float 0.0, i32 197123, i32 16, i32 16)
  call void @__scythe_matrix_load_f32(ptr %ma, ptr %at, i64 %n, i32 0, i32 0, i32 16, i32 16)
  call void @__scythe_matrix_load_f32(ptr %mb, ptr %pb, i64 %n, i32 1, i32 65792, i32 16, i32 16)
  call void @__scythe_matrix_mad_f32(ptr %mc, ptr %ma, ptr %mb, ptr %mc, i32 197123, i32 0, i32 65792, i32 197123, i32 16, i32 16, i32 16)
  %end = call i32 @__scythe_matrix_end(i32 197123, i32 16, i32 16)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = call float @__scythe_matrix_get_f32(ptr %mc, i32 %i, i32 197123)
  %y = fadd float %x, 1.0
  call void @__scythe_matrix_set_f32(ptr %mc, i32 %i, float %y, i32 197123)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %out
out:
  call void @__scythe_matrix_store_f32(ptr %mc, ptr %pc, i64 %n, i32 0, i32 197123, i32 16, i32 16)
  ret void
}

attributes #0 = { "scythe-shape"="nd_range" }
