; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; Only work-items inside the range advance their position, and only they use it. The position of the others is free, so the
; accesses are contiguous. The branch has computed the row of the tile on both sides, as LLVM leaves it.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK-NOT: {{gather|scatter|<16 x ptr}}
; CHECK: llvm.masked.load.v16f32
; CHECK-NOT: {{gather|scatter|<16 x ptr}}
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) %unused, i32 %width, i32 %plane, i32 %planes) "scythe-shape"="nd_range" {
entry:
  %lx = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %x = trunc i64 %lx to i32
  %g = call spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 0)
  %group = trunc i64 %g to i32
  %odd = icmp ugt i32 %x, 3
  br i1 %odd, label %left, label %right
left:
  %a = shl nsw i32 %group, 5
  store i32 1, ptr addrspace(1) %unused, align 4
  br label %both
right:
  %b = shl nsw i32 %group, 5
  br label %both
both:
  %base = phi i32 [ %a, %left ], [ %b, %right ]
  %start = add nsw i32 %base, %x
  %active = icmp slt i32 %start, %width
  br label %loop
loop:
  %at = phi i32 [ %start, %both ], [ %at.next, %rest ]
  %k = phi i32 [ 0, %both ], [ %k.next, %rest ]
  br i1 %active, label %advance, label %meet
advance:
  store i32 %k, ptr addrspace(1) %unused, align 4
  %moved = add nsw i32 %at, %plane
  br label %meet
meet:
  %at.next = phi i32 [ %moved, %advance ], [ %at, %loop ]
  %from = phi i32 [ %at, %advance ], [ 0, %loop ]
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  br i1 %active, label %copy, label %rest
copy:
  %i = sext i32 %from to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %j = sext i32 %at.next to i64
  %q = getelementptr float, ptr addrspace(1) %out, i64 %j
  store float %v, ptr addrspace(1) %q, align 4
  br label %rest
rest:
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %k.next = add nuw nsw i32 %k, 1
  %done = icmp sge i32 %k.next, %planes
  br i1 %done, label %end, label %loop
end:
  ret void
}
