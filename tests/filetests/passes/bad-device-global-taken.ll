; RUN: not run-passes linkage %s 2>&1 | FileCheck %s
; CHECK: cannot rename the variable to 'taken': another symbol has this name
target triple = "spirv64-unknown-unknown"

@_ZL3own = internal addrspace(1) global i32 0 #0
define spir_func void @taken() {
  ret void
}
attributes #0 = { "sycl-unique-id"="taken" "sycl-device-global-size"="4" }
