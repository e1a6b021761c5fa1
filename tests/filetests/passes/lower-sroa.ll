; RUN: run-passes linkage,lower-kernel-args --llvm='default<O1>' %s | FileCheck %s
; What clang emits for a lambda, optimised: no functor is left, and stores go to global memory.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

%class.anon = type <{ ptr addrspace(4), float, i8, [3 x i8] }>

; CHECK: define weak_odr spir_kernel void @_ZTS2Nm(ptr addrspace(1) noundef {{.*}}, float noundef {{.*}}, i8 noundef {{.*}}) local_unnamed_addr
; CHECK-NOT: alloca
; CHECK: sitofp i8
; CHECK: store i32 {{.*}}, ptr addrspace({{1|4}})
; CHECK: ret void
define spir_kernel void @_ZTS2Nm(ptr noundef byval(%class.anon) align 8 %0) #0 {
  %2 = addrspacecast ptr %0 to ptr addrspace(4)
  call spir_func void @_ZZ4mainENKUlvE_clEv(ptr addrspace(4) noundef align 8 dereferenceable_or_null(13) %2)
  ret void
}

define internal spir_func void @_ZZ4mainENKUlvE_clEv(ptr addrspace(4) noundef align 8 dereferenceable_or_null(13) %0) #1 {
  %2 = alloca ptr addrspace(4), align 8
  %3 = addrspacecast ptr %2 to ptr addrspace(4)
  store ptr addrspace(4) %0, ptr addrspace(4) %3, align 8
  %4 = load ptr addrspace(4), ptr addrspace(4) %3, align 8
  %5 = getelementptr inbounds nuw %class.anon, ptr addrspace(4) %4, i32 0, i32 1
  %6 = load float, ptr addrspace(4) %5, align 8
  %7 = getelementptr inbounds nuw %class.anon, ptr addrspace(4) %4, i32 0, i32 2
  %8 = load i8, ptr addrspace(4) %7, align 4
  %9 = sext i8 %8 to i32
  %10 = sitofp i32 %9 to float
  %11 = fadd float %6, %10
  %12 = fptosi float %11 to i32
  %13 = getelementptr inbounds nuw %class.anon, ptr addrspace(4) %4, i32 0, i32 0
  %14 = load ptr addrspace(4), ptr addrspace(4) %13, align 8
  store i32 %12, ptr addrspace(4) %14, align 4
  ret void
}
attributes #0 = { convergent norecurse nounwind }
attributes #1 = { convergent inlinehint norecurse nounwind }

!scythe.launch = !{!0}
!0 = !{!"_ZTS2Nm", i32 0, i64 16, !"a.cpp", i32 3, i32 4, i64 5, i32 3, i64 8, i64 0, i32 0, i32 1, i64 4, i64 8, i32 7, i32 1, i64 1, i64 12, i32 1}
