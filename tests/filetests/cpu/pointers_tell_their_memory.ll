; RUN: lower-cpu -O2 --cpu=x86-64-v3 --lanes=8 %s | FileCheck %s
; Whether a pointer points into global, local or private memory: where the code shows what it was made from, that is a constant,
; for choices too, and the kernel has none of what follows. Of a pointer from memory its address tells: all lanes compare theirs
; with the bounds of what belongs to the work-group, even where a function asked.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.shown(ptr
; CHECK-NOT: stacksave
; CHECK-NOT: addressofreturnaddress
; CHECK-NOT: __scythe_is_
; CHECK: store <8 x i32> splat (i32 4)
; CHECK: {{^}}}

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.from_memory(ptr
; CHECK: alloca [320 x i8], align 64
; CHECK-DAG: call ptr @llvm.stacksave.p0()
; CHECK-DAG: call ptr @llvm.addressofreturnaddress.p0()
; CHECK: ptrtoint <8 x ptr{{.*}}> {{.*}} to <8 x i64>
; CHECK: icmp ult <8 x i64>
; CHECK-NOT: __scythe_is_
; CHECK: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

@group = internal addrspace(3) global [8 x i64] undef, align 8
@other = internal addrspace(3) global [64 x i32] undef, align 4

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)
declare spir_func zeroext i1 @__scythe_is_global(ptr addrspace(4)) memory(none)
declare spir_func zeroext i1 @__scythe_is_local(ptr addrspace(4)) memory(none)
declare spir_func zeroext i1 @__scythe_is_private(ptr addrspace(4)) memory(none)

define internal spir_func i32 @spaces(ptr addrspace(4) %p) noinline {
  %g = call spir_func i1 @__scythe_is_global(ptr addrspace(4) %p)
  %l = call spir_func i1 @__scythe_is_local(ptr addrspace(4) %p)
  %m = call spir_func i1 @__scythe_is_private(ptr addrspace(4) %p)
  %g1 = zext i1 %g to i32
  %l2 = select i1 %l, i32 2, i32 0
  %m4 = select i1 %m, i32 4, i32 0
  %gl = add i32 %g1, %l2
  %all = add i32 %gl, %m4
  ret i32 %all
}

define spir_kernel void @shown(ptr addrspace(1) %out, i1 %c) "scythe-shape"="range" {
  %a = alloca [4 x i32], align 4
  %b = alloca i32, align 4
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %any.a = addrspacecast ptr %a to ptr addrspace(4)
  %any.b = addrspacecast ptr %b to ptr addrspace(4)
  br i1 %c, label %one, label %two
one:
  %part = getelementptr i32, ptr addrspace(4) %any.a, i64 %x
  br label %two
two:
  %p = phi ptr addrspace(4) [ %any.b, %0 ], [ %part, %one ]
  %in = call spir_func i32 @spaces(ptr addrspace(4) %p)
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %in, ptr addrspace(1) %o, align 4
  ret void
}

define spir_kernel void @from_memory(ptr addrspace(1) %out, ptr addrspace(1) %pointers) "scythe-shape"="nd_range" {
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %slot = getelementptr i64, ptr addrspace(3) @group, i64 %x
  store i64 %x, ptr addrspace(3) %slot, align 8
  store i32 1, ptr addrspace(3) @other, align 4
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %where = load i64, ptr addrspace(3) @group, align 8
  %more = load i32, ptr addrspace(3) @other, align 4
  %at = getelementptr ptr addrspace(4), ptr addrspace(1) %pointers, i64 %x
  %p = load ptr addrspace(4), ptr addrspace(1) %at, align 8
  %in = call spir_func i32 @spaces(ptr addrspace(4) %p)
  %sum = add i32 %in, %more
  %i = add i64 %x, %where
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %sum, ptr addrspace(1) %o, align 4
  ret void
}
