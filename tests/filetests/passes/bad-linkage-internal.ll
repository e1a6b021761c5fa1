; RUN: not run-passes linkage %s 2>&1 | FileCheck %s
; CHECK: linkage: kernel 'k': the kernel has internal linkage but lacks attribute scythe-internal
define internal spir_kernel void @k() {
  ret void
}
