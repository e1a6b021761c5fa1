; RUN: not run-passes linkage %s 2>&1 | FileCheck %s
; CHECK: linkage: kernel 'k': attribute scythe-internal is '12', expected 16 hexadecimal digits
define spir_kernel void @k() #0 {
  ret void
}
attributes #0 = { "scythe-internal"="12" }
