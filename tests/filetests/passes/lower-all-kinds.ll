; RUN: run-passes lower-kernel-args %s | FileCheck %s
; Each kind of row becomes its parameter; the functor is rebuilt from them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

%acc = type { ptr addrspace(4), ptr addrspace(4), i64 }
%functor = type { %acc, ptr addrspace(4), %acc, float, half, i8, [12 x i8], i16, [2 x i8] }

; CHECK: define weak_odr spir_kernel void @_ZTS1K(
; CHECK-SAME: ptr addrspace(1) noundef %arg.0,
; CHECK-SAME: i64 noundef %arg.1,
; CHECK-SAME: ptr addrspace(1) noundef %arg.2,
; CHECK-SAME: ptr addrspace(3) noundef %arg.3,
; CHECK-SAME: i64 noundef %arg.4,
; CHECK-SAME: float noundef %arg.5,
; CHECK-SAME: half noundef %arg.6,
; CHECK-SAME: i8 noundef %arg.7,
; CHECK-SAME: ptr noundef byval([12 x i8]) align 4 %arg.8,
; CHECK-SAME: i16 noundef %arg.9)
; CHECK-SAME: #[[ATTRIBUTES:[0-9]+]] comdat align 16 !note
; CHECK-NEXT: entry:
; CHECK-NEXT: %functor = alloca %functor, align 8
; CHECK-NEXT: [[A:%.*]] = addrspacecast ptr addrspace(1) %arg.0 to ptr addrspace(4)
; CHECK-NEXT: store ptr addrspace(4) [[A]], ptr %functor, align 8
; CHECK-NEXT: [[P1:%.*]] = getelementptr inbounds i8, ptr %functor, i64 16
; CHECK-NEXT: store i64 %arg.1, ptr [[P1]], align 8
; CHECK: addrspacecast ptr addrspace(3) %arg.3 to ptr addrspace(4)
; CHECK: [[P5:%.*]] = getelementptr inbounds i8, ptr %functor, i64 56
; CHECK-NEXT: store float %arg.5, ptr [[P5]], align 8
; CHECK: [[P7:%.*]] = getelementptr inbounds i8, ptr %functor, i64 62
; CHECK-NEXT: store i8 %arg.7, ptr [[P7]], align 2
; CHECK: [[P8:%.*]] = getelementptr inbounds i8, ptr %functor, i64 63
; CHECK-NEXT: call void @llvm.memcpy{{.*}}(ptr align 1 [[P8]], ptr align 4 %arg.8, i64 12, i1 false)
; CHECK: call spir_func void @body(ptr %functor)
; CHECK: attributes #[[ATTRIBUTES]] = { convergent norecurse nounwind "scythe-shape"="range" }
$_ZTS1K = comdat any
define weak_odr spir_kernel void @_ZTS1K(ptr noundef byval(%functor) align 8 %f) #0 comdat align 16 !note !1 {
entry:
  call spir_func void @body(ptr %f)
  ret void
}
declare spir_func void @body(ptr)
attributes #0 = { convergent norecurse nounwind "scythe-shape"="range" }

!scythe.launch = !{!0}
!0 = !{!"_ZTS1K", i32 1, i64 80, !"a.cpp", i32 3, i32 4, i64 5,
  i32 0, i64 8, i64 0, i32 0, i32 1, i64 8, i64 16, i32 4, i32 3, i64 8, i64 24, i32 0, i32 4, i64 8, i64 32, i32 0, i32 1, i64 8, i64 48, i32 4,
  i32 1, i64 4, i64 56, i32 7, i32 1, i64 2, i64 60, i32 5, i32 1, i64 1, i64 62, i32 1, i32 1, i64 12, i64 63, i32 18, i32 1, i64 2, i64 76, i32 2}
!1 = !{!"kept"}
