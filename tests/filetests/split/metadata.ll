; Metadata goes along with what it is about: debug information of the functions in a part only, and named metadata that
; names globals only where the part holds them all; other nodes are in every part, once.

; RUN: scythe-tools sycl-post-link -split=kernel -o out.table %s
; RUN: opt-22 -passes=verify -S out_0.bc -o first.ll
; RUN: FileCheck --check-prefix=FIRST %s < first.ll
; RUN: FileCheck --check-prefix=NOT-B %s < first.ll
; FIRST:     define spir_kernel void @_ZTS1A() !dbg ![[SP:[0-9]+]] !kind ![[KIND:[0-9]+]]
; FIRST:     #dbg_value(i32 1, ![[VAR:[0-9]+]], !DIExpression(), ![[LOC:[0-9]+]])
; FIRST:     !llvm.dbg.cu = !{![[CU:[0-9]+]]}
; FIRST:     !llvm.ident = !{![[IDENT:[0-9]+]]}
; FIRST:     !names = !{![[NAMES:[0-9]+]]}
; FIRST-DAG: ![[CU]] = distinct !DICompileUnit({{.*}}file: ![[FILE:[0-9]+]]
; FIRST-DAG: ![[FILE]] = !DIFile(filename: "a.cpp"
; FIRST-DAG: ![[IDENT]] = !{!"compiler"}
; FIRST-DAG: ![[NAMES]] = !{ptr @_ZTS1A, !"kernel"}
; FIRST-DAG: ![[SP]] = distinct !DISubprogram(name: "a"
; FIRST-DAG: ![[KIND]] = !{i32 64}
; NOT-B-NOT: b.cpp
; NOT-B-NOT: _ZTS1B

; RUN: opt-22 -passes=verify -S out_1.bc -o second.ll
; RUN: FileCheck --check-prefix=SECOND %s < second.ll
; SECOND:     !llvm.dbg.cu = !{![[CU:[0-9]+]]}
; SECOND:     !names = !{![[NAMES:[0-9]+]]}
; SECOND-DAG: ![[NAMES]] = !{ptr @_ZTS1B, !"kernel"}
; SECOND-DAG: !DIFile(filename: "b.cpp"

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS1A() !dbg !10 !kind !20 {
    #dbg_value(i32 1, !12, !DIExpression(), !11)
  ret void, !dbg !11
}

define spir_kernel void @_ZTS1B() !dbg !13 {
  ret void, !dbg !14
}

!llvm.dbg.cu = !{!4, !5}
!llvm.ident = !{!2, !2}
!llvm.module.flags = !{!3}
!names = !{!21, !22, !23}
!scythe.launch = !{!0, !1}
!0 = !{!"_ZTS1A", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 1}
!1 = !{!"_ZTS1B", i32 0, i64 1, !"b.cpp", i32 9, i32 5, i64 2}
!2 = !{!"compiler"}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !6, emissionKind: FullDebug)
!5 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !7, emissionKind: FullDebug)
!6 = !DIFile(filename: "a.cpp", directory: "/src")
!7 = !DIFile(filename: "b.cpp", directory: "/src")
!8 = !DISubroutineType(types: !9)
!9 = !{null}
!10 = distinct !DISubprogram(name: "a", scope: !6, file: !6, line: 3, type: !8, spFlags: DISPFlagDefinition, unit: !4)
!11 = !DILocation(line: 4, column: 3, scope: !10)
!12 = !DILocalVariable(name: "v", scope: !10, file: !6, line: 4, type: !24)
!13 = distinct !DISubprogram(name: "b", scope: !7, file: !7, line: 9, type: !8, spFlags: DISPFlagDefinition, unit: !5)
!14 = !DILocation(line: 10, column: 3, scope: !13)
!20 = !{i32 64}
!21 = !{ptr @_ZTS1A, !"kernel"}
!22 = !{ptr @_ZTS1B, !"kernel"}
!23 = !{ptr @_ZTS1A, ptr @_ZTS1B}
!24 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
