; RUN-PASS: linkage
; EXPECT-ERROR: linkage: kernel 'k': has internal linkage but no attribute scythe-internal
define internal spir_kernel void @k() {
  ret void
}
