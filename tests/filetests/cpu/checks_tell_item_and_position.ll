; RUN: lower-cpu -O3 --cpu=x86-64-v3 --lanes=8 --stage=simplified %s | FileCheck %s
; RUN: lower-cpu -O3 --cpu=x86-64-v3 --lanes=8 --stage=optimized %s | FileCheck --check-prefix=SCALAR %s
; A kernel that requests checks calls the backend before each access, with its global id and the position in the program. An array with a variable index lies between two zones. The kernel runs one work-item at a time.

; CHECK: @.scythe.position = private constant {{.*}} c"a.cpp:7:3\0Aa.cpp:7:3 in k\00"
; CHECK-LABEL: define {{.*}}void @k(ptr
; CHECK-DAG: %[[ID:.*]] = call {{.*}}@_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
; CHECK-DAG: %[[Y:.*]] = call {{.*}}@_Z33__spirv_BuiltInGlobalInvocationIdi(i32 1)
; CHECK: %zoned = alloca [192 x i8], align 64
; CHECK: call void @__scythe_check_private(ptr %zoned, i64 64, i64 16, i64 112)
; CHECK: call void @__scythe_check_access(ptr {{.*}}, i64 4, i32 1, ptr @.scythe.position, i64 %[[ID]], i64 %[[Y]], i64 %{{.*}})
; CHECK-NEXT: store i32 7
; CHECK: call void @__scythe_check_private_end(ptr %zoned, i64 64, i64 16, i64 112)
; CHECK: call void @__scythe_check_end(
; CHECK: define {{.*}}@__scythe_cpu_checks.k()
; CHECK: ret i32 3

; SCALAR-LABEL: define {{.*}}void @__scythe_cpu.k(ptr
; SCALAR-NOT: <8 x
; SCALAR: call void @__scythe_check_access
; SCALAR: {{^}}}

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %out) "scythe-shape"="range" "scythe-checks"="address,races" !dbg !4 {
entry:
  %array = alloca [4 x i32], align 4
  %id = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0), !dbg !5
  %element = getelementptr i32, ptr %array, i64 %id, !dbg !5
  store i32 7, ptr %element, align 4, !dbg !5
  %read = load i32, ptr %array, align 4, !dbg !5
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id, !dbg !5
  store i32 %read, ptr addrspace(1) %p, align 4, !dbg !5
  ret void, !dbg !5
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 3, scope: !4)
