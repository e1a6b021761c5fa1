; With debug information the warning stands at the use, and each call of the chain has its place.
; RUN: infer-aspects %s | FileCheck %s
target triple = "spirv64-unknown-unknown"

; CHECK: {{^}}hw.cpp:27:4: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'
; CHECK-NEXT: {{^}}use is from this call chain:
; CHECK-NEXT: {{^}}  foo()
; CHECK-NEXT: {{^}}  bar() hw.cpp:15:3
; CHECK-NEXT: {{^}}  boo() hw.cpp:25:5
; CHECK-NEXT: {{^}}---
define spir_func void @_Z3foov() !dbg !5 !intel_declared_aspects !10 {
  call spir_func void @_Z3barv(), !dbg !6
  ret void, !dbg !6
}
define spir_func void @_Z3barv() !dbg !7 {
  call spir_func void @_Z3boov(), !dbg !8
  ret void, !dbg !8
}
define spir_func void @_Z3boov() !dbg !9 {
  %x = alloca double, !dbg !11
  ret void, !dbg !11
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "hw.cpp", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "foo", linkageName: "_Z3foov", file: !1, line: 14, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 15, column: 3, scope: !5)
!7 = distinct !DISubprogram(name: "bar", linkageName: "_Z3barv", file: !1, line: 24, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 25, column: 5, scope: !7)
!9 = distinct !DISubprogram(name: "boo", linkageName: "_Z3boov", file: !1, line: 26, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!10 = !{}
!11 = !DILocation(line: 27, column: 4, scope: !9)
