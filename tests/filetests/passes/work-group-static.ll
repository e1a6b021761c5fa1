; RUN: run-passes work-group-static %s | FileCheck %s
; A variable of work-groups moves to local memory and has no initial value. Other variables stay.
; CHECK: @plain = addrspace(1) global i32 0
; CHECK-NEXT: @shared = internal addrspace(3) global %class.static undef, align 16
; CHECK-NEXT: @declared = external addrspace(3) global %class.static, align 4
; CHECK: getelementptr {{.*}} addrspacecast (ptr addrspace(3) @shared to ptr addrspace(1))
; CHECK-NOT: attributes #{{.*}}scythe-work-group-static
target triple = "spirv64-unknown-unknown"
%"class.static" = type { [4 x i32] }
@plain = addrspace(1) global i32 0
@shared = internal addrspace(1) global %"class.static" zeroinitializer, align 16 #0
@declared = external addrspace(1) global %"class.static", align 4 #0
define spir_func i32 @f(i64 %i) {
  %at = getelementptr i32, ptr addrspace(1) @shared, i64 %i
  %a = load i32, ptr addrspace(1) %at
  %b = load i32, ptr addrspace(1) @declared
  %c = load i32, ptr addrspace(1) @plain
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  ret i32 %abc
}
attributes #0 = { "scythe-work-group-static" }
