; RUN: not lower-nvptx %s 2>&1 | FileCheck %s
; CHECK: function 'f' calls '_Z32__spirv_BuiltInLocalInvocationIdi', but cannot be inlined into a kernel, because it is recursive
target triple = "nvptx64-nvidia-cuda"
declare i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
define i64 @f(i64 %n) {
  %stop = icmp eq i64 %n, 0
  br i1 %stop, label %end, label %more
more:
  %less = sub i64 %n, 1
  %r = call i64 @f(i64 %less)
  ret i64 %r
end:
  %i = call i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  ret i64 %i
}
define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n) #0 {
  %r = call i64 @f(i64 %n)
  store i64 %r, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
