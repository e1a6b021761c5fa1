; RUN: not run-passes linkage %s 2>&1 | FileCheck %s
; CHECK: cannot rename the kernel to 'k.tu.0000000000000001': another symbol has this name
define spir_kernel void @k() #0 {
  ret void
}
@k.tu.0000000000000001 = global i32 0
attributes #0 = { "scythe-internal"="0000000000000001" }
