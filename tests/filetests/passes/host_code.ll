; RUN: run-passes host-code %s | FileCheck %s
; A variable of a host function is used by a kernel: the function, and what only it needs, goes.
@value = internal addrspace(1) constant i32 42
@table = internal addrspace(1) constant [1 x ptr] [ptr @only_host]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @only_host, ptr null }]

define spir_kernel void @k(ptr addrspace(1) %out) {
  %v = load i32, ptr addrspace(1) @value
  call spir_func void @helper(ptr addrspace(1) %out, i32 %v)
  ret void
}

define spir_func void @helper(ptr addrspace(1) %out, i32 %v) {
  store i32 %v, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @host() {
  call spir_func void @only_host()
  %t = load ptr, ptr addrspace(1) @table
  call spir_func void %t()
  call spir_func void @elsewhere()
  ret i32 0
}

define spir_func void @only_host() {
  %recursive = call spir_func i32 @host_too()
  ret void
}

define spir_func i32 @host_too() {
  call spir_func void @only_host()
  ret i32 1
}

declare spir_func void @elsewhere()

define spir_func void @exported() #0 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }

; CHECK: @value
; CHECK-NOT: @table
; CHECK-NOT: @llvm.global_ctors
; CHECK-DAG: define spir_kernel void @k
; CHECK-DAG: define spir_func void @helper
; CHECK-DAG: define spir_func void @exported
; CHECK-NOT: host
; CHECK-NOT: elsewhere
