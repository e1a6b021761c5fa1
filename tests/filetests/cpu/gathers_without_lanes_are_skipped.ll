; RUN: lower-cpu -O3 --cpu=x86-64-v4 --width=512 --lanes=16 %s | FileCheck %s
; Behind a divergent branch no lane may be left. A gather or a scatter costs dozens of cycles even then, so code jumps over it.

; CHECK-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; CHECK: [[BITS:%[0-9]+]] = bitcast <16 x i1> {{%[0-9]+}} to i16
; CHECK: [[NONE:%[0-9]+]] = icmp eq i16 [[BITS]], 0
; CHECK: br i1 [[NONE]]
; CHECK: call <16 x float> @llvm.masked.gather

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)
declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define spir_kernel void @k(ptr addrspace(1) %data, ptr addrspace(1) %where) "scythe-shape"="nd_range" {
entry:
  %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %w = getelementptr i64, ptr addrspace(1) %where, i64 %x
  %at = load i64, ptr addrspace(1) %w, align 8
  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
  %some = icmp ne i64 %at, 0
  br i1 %some, label %copy, label %done
copy:
  %p = getelementptr float, ptr addrspace(1) %data, i64 %at
  %v = load float, ptr addrspace(1) %p, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr addrspace(1) %p, align 4
  br label %done
done:
  ret void
}
