; RUN: not run-passes spirv-properties %s 2>&1 | FileCheck %s
; CHECK: variable 'v': property 'sycl-host-access' is 'sometimes', expected one of read, write, read_write, none
target triple = "spirv64-unknown-unknown"
@v = addrspace(1) global i32 0 #0
attributes #0 = { "sycl-host-access"="sometimes" }
