; RUN: run-passes host-code %s | FileCheck %s
; Only the constructor of a host variable is left of host code: it goes, with its variable.
@queues = addrspace(1) global i64 0
@__dso_handle = external hidden addrspace(1) global i8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]

define spir_kernel void @k(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out
  ret void
}

define internal spir_func void @init() {
  %r = call spir_func i32 @__cxa_atexit(ptr @destroy, ptr addrspace(1) @queues, ptr addrspace(1) @__dso_handle)
  ret void
}

define linkonce_odr spir_func void @destroy(ptr addrspace(1) %queues) {
  ret void
}

declare spir_func i32 @__cxa_atexit(ptr, ptr addrspace(1), ptr addrspace(1))

; CHECK-NOT: @queues
; CHECK-NOT: @llvm.global_ctors
; CHECK: define spir_kernel void @k
; CHECK-NOT: @init
; CHECK-NOT: @destroy
; CHECK-NOT: @__cxa_atexit
