; All that a part must hold, and how: functions called through pointers and tables, weak and linkonce functions, comdats,
; aliases, constants and local memory. What no kernel reaches is in no part, also where llvm.used names it; a declared
; kernel is none.

; RUN: scythe-tools sycl-post-link -split=kernel -symbols -o out.table %s
; RUN: count 3 < out.table
; RUN: cat out_0.sym out_1.sym | FileCheck --check-prefix=SYMBOLS %s
; SYMBOLS:      _ZTS1A
; SYMBOLS-NEXT: _ZTS1B
; SYMBOLS-NOT:  {{.}}

; RUN: opt-22 -passes=verify -S out_0.bc -o first.ll
; RUN: FileCheck --check-prefix=FIRST %s < first.ll
; FIRST-NOT:  $
; FIRST:      @table = internal constant [2 x ptr] [ptr @in_table, ptr @linkonce]
; FIRST-NEXT: @chained = internal addrspace(1) global ptr @table
; FIRST-NEXT: @llvm.used = appending global [2 x ptr] [ptr @in_table, ptr @_ZTS1A], section "llvm.metadata"
; FIRST-NEXT: @llvm.compiler.used = appending global [1 x ptr] [ptr @table], section "llvm.metadata"
; FIRST-NOT:  @local
; FIRST-NOT:  @unreached
; FIRST:      define internal spir_func void @in_table()
; FIRST:      define internal spir_func i32 @linkonce()
; FIRST-NOT:  @weak
; FIRST-NOT:  @named
; FIRST:      define spir_kernel void @_ZTS1A(ptr addrspace(1) align 4 %p)
; FIRST-NOT:  define

; RUN: opt-22 -passes=verify -S out_1.bc -o second.ll
; RUN: FileCheck --check-prefix=SECOND %s < second.ll
; SECOND-NOT: @table
; SECOND:     @local = internal addrspace(3) global [8 x i32] poison, align 16
; SECOND-NOT: @llvm.
; SECOND:     define internal spir_func void @weak()
; SECOND:     define internal spir_func void @named()
; SECOND:     define spir_kernel void @_ZTS1B()
; SECOND-NOT: alias
; SECOND:     call spir_func void @named()
; SECOND:     declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 noundef)

; RUN: scythe-tools sycl-post-link -split=kernel -symbols -o again.table %s
; RUN: cmp out_0.bc again_0.bc
; RUN: cmp out_1.bc again_1.bc

target triple = "spirv64-unknown-unknown"

$linkonce = comdat any
$_ZTS1A = comdat any

@table = constant [2 x ptr] [ptr @in_table, ptr @linkonce]
@chained = weak_odr addrspace(1) global ptr @table
@local = internal addrspace(3) global [8 x i32] poison, align 16
@unreached = global ptr @unused
@llvm.used = appending global [3 x ptr] [ptr @_ZTS1A, ptr @unused, ptr @in_table], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @table], section "llvm.metadata"
@other_name = alias void (), ptr @another_name
@another_name = alias void (), ptr @named

define spir_func void @in_table() {
  ret void
}

define linkonce_odr spir_func i32 @linkonce() comdat {
  ret i32 1
}

define weak spir_func void @weak() {
  ret void
}

define spir_func void @named() {
  ret void
}

define spir_func void @unused() {
  ret void
}

define weak_odr spir_kernel void @_ZTS1A(ptr addrspace(1) align 4 %p) comdat {
  %t = load ptr, ptr addrspace(1) @chained
  %f = load ptr, ptr %t
  call spir_func void %f()
  ret void
}

define spir_kernel void @_ZTS1B() {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %slot = getelementptr [8 x i32], ptr addrspace(3) @local, i64 0, i64 %i
  store i32 1, ptr addrspace(3) %slot
  call spir_func void @weak()
  call spir_func void @other_name()
  ret void
}

declare spir_kernel void @_ZTS1C()
declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 noundef)

!scythe.launch = !{!0, !1}
!0 = !{!"_ZTS1A", i32 0, i64 8, !"a.cpp", i32 3, i32 5, i64 1, i32 3, i64 8, i64 0, i32 0}
!1 = !{!"_ZTS1B", i32 0, i64 1, !"a.cpp", i32 9, i32 5, i64 2}
