; sycl-post-link takes modules that other compilers made: their kernels have no launch rows, and call what only a driver provides.

; RUN: scythe-tools sycl-post-link -properties -symbols -split=source -S -o out.table %s
; RUN: cat out.table out_*.prop out_*.sym out_*.ll | FileCheck %s
; CHECK:      [Code|Properties|Symbols]
; CHECK-NEXT: out_0.ll|out_0.prop|out_0.sym
; CHECK-NEXT: out_1.ll|out_1.prop|out_1.sym
; CHECK-NEXT: out_2.ll|out_2.prop|out_2.sym
; CHECK-NEXT: {{^\[}}
; CHECK-DAG:  aspect=2|
; CHECK:      _ZTS1K
; CHECK:      plain
; CHECK:      calls
; CHECK:      define spir_kernel void @_ZTS1K
; CHECK:      define internal spir_func void @uses_double
; CHECK:      define spir_kernel void @plain
; CHECK:      declare spir_func i64 @_Z13get_global_idj(i32)

; Without -properties the table has the same column, since later tools ask for it.
; RUN: scythe-tools sycl-post-link -o plain.table %s
; RUN: FileCheck --check-prefix=COLUMNS --input-file=plain.table %s
; COLUMNS: [Code|Properties]

; What a target cannot run is left out of these as well.
; RUN: scythe-tools sycl-post-link -split=kernel -symbols --target=intel_gpu_dg1 -o dg1.table %s
; RUN: cat dg1_*.sym | FileCheck --check-prefix=DG1 %s
; DG1-NOT: _ZTS1K
; DG1:     plain

; Programs of Scythe's could not launch such kernels.
; RUN: sed 's/spir64-unknown-unknown/spirv64-unknown-unknown/' %s > spirv.ll
; RUN: not scythe-tools device-link -o bad.o spirv.ll 2>&1 | FileCheck --check-prefix=LINK %s
; LINK: error: kernel 'K' has no description of its parameters. Compile its source with 'scythe -fsycl' [scythe-E0210]

target triple = "spir64-unknown-unknown"

@__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>

define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 !intel_used_aspects !0 {
  call spir_func void @uses_double(ptr addrspace(1) %p)
  ret void
}

define spir_func void @uses_double(ptr addrspace(1) %p) #0 !intel_used_aspects !0 {
  store double 1.0, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @plain(ptr addrspace(1) %p) #1 {
  %id = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId
  %x = extractelement <3 x i64> %id, i32 0
  store i64 %x, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @calls(ptr addrspace(1) %p) {
  %x = call spir_func i64 @_Z13get_global_idj(i32 0)
  store i64 %x, ptr addrspace(1) %p
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }

!0 = !{!1}
!1 = !{!"fp64", i32 6}
