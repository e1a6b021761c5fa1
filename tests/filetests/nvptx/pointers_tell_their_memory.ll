; RUN: lower-nvptx %s | FileCheck %s
; The device library asks the GPU where a pointer points. Where the code shows it, that is a constant, and a variable that was asked
; about stays in registers.
target triple = "nvptx64-nvidia-cuda"
declare i1 @llvm.nvvm.isspacep.global(ptr)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.local(ptr)

define zeroext i1 @__scythe_is_global(ptr %p) {
  %r = call i1 @llvm.nvvm.isspacep.global(ptr %p)
  ret i1 %r
}
define zeroext i1 @__scythe_is_local(ptr %p) {
  %r = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  ret i1 %r
}
define zeroext i1 @__scythe_is_private(ptr %p) {
  %r = call i1 @llvm.nvvm.isspacep.local(ptr %p)
  ret i1 %r
}

; CHECK-LABEL: .visible .entry shown(
; CHECK-NOT: .local
; CHECK-NOT: isspacep
; CHECK: st.global.b32 [{{.*}}], 7
; CHECK: ret
define ptx_kernel void @shown(ptr addrspace(1) %out, i32 %n) #0 {
  %mine = alloca [2 x i32]
  store i32 %n, ptr %mine
  %private = call zeroext i1 @__scythe_is_private(ptr %mine)
  %chosen = select i1 %private, ptr %mine, ptr null
  store i32 3, ptr %chosen
  %global = call zeroext i1 @__scythe_is_global(ptr %mine)
  %there = addrspacecast ptr addrspace(1) %out to ptr
  %local = call zeroext i1 @__scythe_is_local(ptr %there)
  %own = load i32, ptr %mine
  %a = select i1 %global, i32 100, i32 4
  %b = select i1 %local, i32 100, i32 %a
  %sum = add i32 %own, %b
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: .visible .entry from_memory(
; CHECK-DAG: isspacep.global
; CHECK-DAG: isspacep.shared
; CHECK-DAG: isspacep.local
; CHECK: ret
define ptx_kernel void @from_memory(ptr addrspace(1) %out, ptr addrspace(1) %pointers) #0 {
  %p = load ptr, ptr addrspace(1) %pointers
  %g = call zeroext i1 @__scythe_is_global(ptr %p)
  %l = call zeroext i1 @__scythe_is_local(ptr %p)
  %m = call zeroext i1 @__scythe_is_private(ptr %p)
  %a = select i1 %g, i32 1, i32 0
  %b = select i1 %l, i32 2, i32 0
  %c = select i1 %m, i32 4, i32 0
  %ab = add i32 %a, %b
  %all = add i32 %ab, %c
  store i32 %all, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "scythe-shape"="single_task" }
