; RUN: not run-passes lower-kernel-args %s 2>&1 | FileCheck %s
; CHECK: kernel 'k': the launch metadata has no row for the kernel
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr byval(i64) %f) "scythe-shape"="single_task" {
  ret void
}
