; RUN: run-passes linkage,linkage --llvm='globaldce,function(instsimplify)' %s | FileCheck %s
; Variables of device code have their names on devices, can be named by others, and nobody relies on their value.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

; CHECK: @shared = weak_odr addrspace(1) externally_initialized global i32 3, align 4 #[[SHARED:[0-9]+]]
; CHECK: @_ZL3own.tu.00000000000000ab = weak_odr dso_local addrspace(1) externally_initialized global [2 x i32] zeroinitializer
; CHECK: @elsewhere = external addrspace(1) global i32
; CHECK: load i32, ptr addrspace(1) @shared
; CHECK: load i32, ptr addrspace(1) @_ZL3own.tu.00000000000000ab
; CHECK: attributes #[[SHARED]] = { "sycl-device-global-size"="4" "sycl-unique-id"="shared" }
$shared = comdat any
@shared = linkonce_odr addrspace(1) constant i32 3, comdat, align 4 #0
@_ZL3own = internal addrspace(1) global [2 x i32] zeroinitializer, align 4 #1
@elsewhere = external addrspace(1) global i32, align 4 #2

define spir_func i32 @reads() {
  %a = load i32, ptr addrspace(1) @shared
  %b = load i32, ptr addrspace(1) @_ZL3own
  %c = load i32, ptr addrspace(1) @elsewhere
  %d = add i32 %a, %b
  %e = add i32 %c, %d
  ret i32 %e
}
attributes #0 = { "sycl-unique-id"="shared" "sycl-device-global-size"="4" }
attributes #1 = { "sycl-unique-id"="_ZL3own.tu.00000000000000ab" "sycl-device-global-size"="8" }
attributes #2 = { "sycl-unique-id"="elsewhere" "sycl-device-global-size"="4" }
