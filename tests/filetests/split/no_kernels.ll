; Device code without kernels links to an object that registers no images; llvm-no-spir-kernel tells by its exit code.

; RUN: split-file %s in
; RUN: cd in
; RUN: scythe-tools llvm-no-spir-kernel without.ll
; RUN: not scythe-tools llvm-no-spir-kernel with.ll
; RUN: scythe-tools device-link -o out.o without.ll
; RUN: readelf -sW out.o | FileCheck %s
; RUN: scythe-tools device-link -o empty.o
; RUN: cmp out.o empty.o
; CHECK-DAG: OBJECT LOCAL {{.*}} .sycl_offloading.descriptor{{$}}
; CHECK-DAG: FUNC LOCAL {{.*}} .sycl_offloading.descriptor_reg{{$}}
; CHECK-DAG: FUNC LOCAL {{.*}} .sycl_offloading.descriptor_unreg{{$}}

; RUN: scythe-tools sycl-post-link -split=kernel -symbols -o none.table without.ll
; RUN: count 1 < none.table

; RUN: not scythe-tools llvm-no-spir-kernel nowhere.bc 2>&1 | FileCheck --check-prefix=MISSING %s
; MISSING: nowhere.bc: error: cannot read: No such file or directory

;--- without.ll
target triple = "spirv64-unknown-unknown"
define spir_func void @_Z3foov() {
  ret void
}

;--- with.ll
target triple = "spirv64-unknown-unknown"
define spir_kernel void @_ZTS1K() {
  ret void
}
