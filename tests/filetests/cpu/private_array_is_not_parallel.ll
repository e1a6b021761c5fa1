; RUN: lower-cpu -O3 --cpu=x86-64-v4 --stage=work-groups %s | FileCheck %s
; Accesses to a private array carry no access group, for all work-items of a call use the same stack; those to the
; kernel's buffers do.

; CHECK-LABEL: define void @__scythe_cpu.k(ptr
; CHECK: %array.i = alloca [8 x i32]
; CHECK: call void @llvm.lifetime.start.p0(ptr %array.i)
; CHECK: store i32 1, ptr %{{.*}}, align 4{{$}}
; CHECK: load i32, ptr %{{.*}}, align 4{{$}}
; CHECK: store i32 %{{.*}}, ptr addrspace(1) %{{.*}}, align 4, !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK: br i1 %more, label %item.x, label %{{.*}}, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK-DAG: ![[GROUP]] = distinct !{}
; CHECK-DAG: ![[LOOP]] = distinct !{![[LOOP]], ![[PROGRESS:[0-9]+]], ![[PARALLEL:[0-9]+]]}
; CHECK-DAG: ![[PROGRESS]] = !{!"llvm.loop.mustprogress"}
; CHECK-DAG: ![[PARALLEL]] = !{!"llvm.loop.parallel_accesses", ![[GROUP]]}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="range" {
  %array = alloca [8 x i32], align 4
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %j = and i64 %i, 7
  %k = xor i64 %j, 1
  %p = getelementptr [8 x i32], ptr %array, i64 0, i64 %j
  %q = getelementptr [8 x i32], ptr %array, i64 0, i64 %k
  store i32 1, ptr %p, align 4
  %v = load i32, ptr %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %v, ptr addrspace(1) %o, align 4
  ret void
}
