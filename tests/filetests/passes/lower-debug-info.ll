; RUN: run-passes lower-kernel-args %s | FileCheck %s
; The subprogram stays with the kernel, and the functor's variable follows it into the alloca.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

; CHECK: define spir_kernel void @_ZTS1K(i32 noundef %arg.0){{.*}} !dbg [[SP:![0-9]+]]
; CHECK: %functor = alloca
; CHECK: store i32 %arg.0, ptr %functor
; CHECK: #dbg_declare(ptr %functor, [[VAR:![0-9]+]],
; CHECK-NEXT: call spir_func void @body(ptr %functor), !dbg
; CHECK-DAG: [[SP]] = distinct !DISubprogram(linkageName: "_ZTS1K"
; CHECK-DAG: [[VAR]] = !DILocalVariable(name: "k", arg: 1
%functor = type { i32 }
define spir_kernel void @_ZTS1K(ptr byval(%functor) %f) #0 !dbg !5 {
    #dbg_declare(ptr %f, !7, !DIExpression(), !8)
  call spir_func void @body(ptr %f), !dbg !8
  ret void, !dbg !8
}
declare spir_func void @body(ptr)

!scythe.launch = !{!0}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!0 = !{!"_ZTS1K", i32 0, i64 4, !"a.cpp", i32 3, i32 4, i64 5, i32 1, i64 4, i64 0, i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.cpp", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(linkageName: "_ZTS1K", scope: !2, file: !2, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!6 = !{}
!7 = !DILocalVariable(name: "k", arg: 1, scope: !5, file: !2, line: 3, type: !9)
!8 = !DILocation(line: 3, column: 4, scope: !5)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
