; RUN: not run-passes spirv-properties %s 2>&1 | FileCheck %s
; CHECK: kernel 'k': parameter 1: property 'sycl-buffer-location' is '-1', expected a number
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(i32 %i, ptr addrspace(1) "sycl-buffer-location"="-1" %p) {
  ret void
}
