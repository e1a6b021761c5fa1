; RUN: lower-nvptx --stage=local-memory %s | FileCheck %s
; The example of the CUDA section in the design document: pointers to local memory become 32-bit offsets from one external symbol.
; Offsets are multiples of 128, which the optimiser is told.

; CHECK: @SYCL_generated_kernel.shared_mem = external addrspace(3) global [0 x i8], align 128
; CHECK-NOT: shared_mem =

target triple = "nvptx64-nvidia-cuda"
; A kernel without such pointers stays as it is, as does a function that is no kernel.
; CHECK: define ptx_kernel void @other(ptr addrspace(1) %p)
define ptx_kernel void @other(ptr addrspace(1) %p) #0 {
  ret void
}
; CHECK: define void @function(ptr addrspace(3) %p)
define void @function(ptr addrspace(3) %p) {
  ret void
}
; CHECK: define ptx_kernel void @SYCL_generated_kernel(i32 %local_ptr.offset, i32 %arg, i32 %local_ptr2.offset) #0
; CHECK-NEXT: [[A:%.*]] = and i32 %local_ptr.offset, -128
; CHECK-NEXT: %local_ptr = getelementptr inbounds [0 x i8], ptr addrspace(3) @SYCL_generated_kernel.shared_mem, i32 0, i32 [[A]]
; CHECK-NEXT: [[B:%.*]] = and i32 %local_ptr2.offset, -128
; CHECK-NEXT: %local_ptr2 = getelementptr inbounds [0 x i8], ptr addrspace(3) @SYCL_generated_kernel.shared_mem, i32 0, i32 [[B]]
; CHECK-NEXT: load i64, ptr addrspace(3) %local_ptr,
; CHECK-NEXT: load i64, ptr addrspace(3) %local_ptr2,
define ptx_kernel void @SYCL_generated_kernel(ptr addrspace(3) captures(none) %local_ptr, i32 %arg, ptr addrspace(3) captures(none) %local_ptr2) #0 {
  %1 = load i64, ptr addrspace(3) %local_ptr
  %2 = load i64, ptr addrspace(3) %local_ptr2
  ret void
}

attributes #0 = { "scythe-shape"="nd_range" }
