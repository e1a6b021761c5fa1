; RUN: not run-passes spirv-properties %s 2>&1 | FileCheck %s
; CHECK: function 'f': property 'sycl-read-write-mode' is 'append', expected one of read, write, read_write
target triple = "spirv64-unknown-unknown"
@text = private addrspace(1) constant [44 x i8] c"sycl-properties:sycl-read-write-mode=append\00", section "llvm.metadata"
declare ptr @llvm.ptr.annotation.p0.p1(ptr, ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
define spir_func void @f(ptr %p) {
  %a = call ptr @llvm.ptr.annotation.p0.p1(ptr %p, ptr addrspace(1) @text, ptr addrspace(1) @text, i32 1, ptr addrspace(1) null)
  ret void
}
