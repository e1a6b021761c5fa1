; RUN: lower-nvptx -O3 %s | FileCheck %s
; A function that reads an object it gets by value becomes part of the kernel. The object is then the kernel's parameter, which is
; not in local memory.

; CHECK-LABEL: .visible .entry k(
; CHECK-NOT: ld.local
; CHECK: ld.param.b8 {{.*}}, [k_param_1+1]
; CHECK-NOT: ld.local
; CHECK: st.global
; CHECK-LABEL: .visible .entry changed(
; CHECK-NOT: st.param.{{.*}} [changed_param_1
; CHECK: st.global.b8
; CHECK: ret
; CHECK-LABEL: .visible .entry stays(
; CHECK: st.local.{{.*}}
; CHECK: call.uni {{.*}}third,

target triple = "nvptx64-nvidia-cuda"

%object = type { [5 x i8] }

define internal i8 @second(ptr byval(%object) align 1 %p) {
  %q = getelementptr i8, ptr %p, i64 1
  %v = load i8, ptr %q, align 1
  ret i8 %v
}

define ptx_kernel void @k(ptr addrspace(1) %out, ptr readonly byval(%object) align 1 %p) "scythe-shape"="single_task" {
  %v = call i8 @second(ptr byval(%object) align 1 %p)
  store i8 %v, ptr addrspace(1) %out, align 1
  ret void
}

; What it writes there stays its own.
define internal void @spoil(ptr byval(%object) align 1 %p, ptr addrspace(1) %out, i64 %at) {
  %q = getelementptr i8, ptr %p, i64 %at
  store i8 7, ptr %q, align 1
  %r = getelementptr i8, ptr %p, i64 2
  %v = load i8, ptr %r, align 1
  store i8 %v, ptr addrspace(1) %out, align 1
  ret void
}

define ptx_kernel void @changed(ptr addrspace(1) %out, ptr byval(%object) align 1 %p, i64 %at) "scythe-shape"="single_task" {
  call void @spoil(ptr byval(%object) align 1 %p, ptr addrspace(1) %out, i64 %at)
  ret void
}

; A call with the marker `tail` may read its copy, which is on the caller's stack.
define internal i32 @third(ptr byval([2 x i32]) align 4 %p, i64 %at) noinline {
  %q = getelementptr i32, ptr %p, i64 %at
  %v = load i32, ptr %q, align 4
  ret i32 %v
}

define ptx_kernel void @stays(ptr addrspace(1) %out, i32 %n, i64 %at) "scythe-shape"="single_task" {
  %object = alloca [2 x i32], align 4
  %q = getelementptr i8, ptr %object, i64 4
  store i32 %n, ptr %object, align 4
  store i32 %n, ptr %q, align 4
  %v = tail call i32 @third(ptr byval([2 x i32]) align 4 %object, i64 %at)
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
