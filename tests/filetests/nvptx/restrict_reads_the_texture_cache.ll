; RUN: lower-nvptx %s | FileCheck %s
; A load through a 'restrict' pointer that no store of the kernel may alias goes through the cache for constant data, unless the kernel orders accesses.
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.experimental.noalias.scope.decl(metadata)
; CHECK-LABEL: .visible .entry k(
; CHECK: ld.global.nc.b32
; CHECK: ld.global.b32
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %x = load i32, ptr addrspace(1) %in, align 4, !alias.scope !3
  store i32 %x, ptr addrspace(1) %out, align 4, !noalias !3
  %more = getelementptr i32, ptr addrspace(1) %in, i64 8
  %y = load i32, ptr addrspace(1) %more, align 4
  %place = getelementptr i32, ptr addrspace(1) %out, i64 8
  store i32 %y, ptr addrspace(1) %place, align 4, !noalias !3
  ret void
}
; CHECK-LABEL: .visible .entry writes(
; CHECK-NOT: ld.global.nc
define ptx_kernel void @writes(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %x = load i32, ptr addrspace(1) %in, align 4, !alias.scope !3
  store i32 %x, ptr addrspace(1) %out, align 4
  ret void
}
; CHECK-LABEL: .visible .entry waits(
; CHECK-NOT: ld.global.nc
; CHECK: ret;
define ptx_kernel void @waits(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %x = load i32, ptr addrspace(1) %in, align 4, !alias.scope !3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %x, ptr addrspace(1) %out, align 4, !noalias !3
  ret void
}
; CHECK-LABEL: .visible .entry repeats(
; CHECK-NOT: ld.global.nc
; CHECK: ret;
define ptx_kernel void @repeats(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %in = phi ptr addrspace(1) [ %a, %entry ], [ %out, %loop ]
  %out = phi ptr addrspace(1) [ %b, %entry ], [ %in, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %x = load i32, ptr addrspace(1) %in, align 4, !alias.scope !3
  store i32 %x, ptr addrspace(1) %out, align 4, !noalias !3
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
!0 = distinct !{!0, !"f"}
!1 = distinct !{!1, !0, !"in"}
!3 = !{!1}
