; Device code across images: --export makes SYCL_EXTERNAL functions entry points that images list as exported; what a library
; given by --provided-by exports may stay undefined, and is listed as imported by the images that use it.

; RUN: split-file %s in
; RUN: cd in
; RUN: scythe-tools device-link -o library.o --export library.ll
; RUN: scythe-tools image-dump library.o | FileCheck --check-prefix=EXPORT %s
; EXPORT:      image 0
; EXPORT:        symbols: 0
; EXPORT-NEXT:   [SYCL/exported symbols]
; EXPORT-NEXT:     _Z3onev = 1
; EXPORT-NEXT:     _Z3twov = 1
; EXPORT-NOT:    helper
; RUN: scythe-tools device-link -o nothing.o library.ll
; RUN: not scythe-tools image-dump nothing.o

; RUN: echo 'void __tgt_register_lib(void *d) {} void __tgt_unregister_lib(void *d) {}' > stubs.c
; RUN: cc -shared -fPIC stubs.c library.o -o library.so
; RUN: scythe-tools device-link -o user.o --split=per_kernel --provided-by=library.so user.ll
; RUN: scythe-tools image-dump user.o | FileCheck --check-prefix=IMPORT %s
; IMPORT:      image 0
; IMPORT:        [SYCL/imported symbols]
; IMPORT-NEXT:     _Z3onev = 1
; IMPORT-NOT:    _Z3twov
; IMPORT:      image 1
; IMPORT-NOT:    imported

; RUN: not scythe-tools device-link -o bad.o user.ll 2>&1 | FileCheck --check-prefix=MISSING %s
; MISSING: a.cpp:3:5: error: undefined device symbol 'one()', needed by kernel 'A' [scythe-E0202]
; RUN: scythe-tools device-link -o any.o --allow-undefined user.ll
; RUN: scythe-tools image-dump any.o | FileCheck --check-prefix=ANY %s
; ANY: _Z3onev = 1
; RUN: not scythe-tools device-link -o bad.o --provided-by=stubs.c user.ll 2>&1 | FileCheck \
; RUN:   --check-prefix=NONE %s
; NONE: stubs.c: error: no device image: expected a library that was linked with device code
; RUN: not scythe-tools device-link -o bad.o --export broken.ll 2>&1 | FileCheck \
; RUN:   --check-prefix=BROKEN %s
; BROKEN: device-link: error: undefined device symbol 'gone()', needed by exported function 'three()' [scythe-E0202]
; RUN: test ! -e bad.o

;--- library.ll
target triple = "spirv64-unknown-unknown"
define spir_func void @_Z3onev() #0 {
  call spir_func void @helper()
  ret void
}
define linkonce_odr spir_func void @_Z3twov() #0 {
  ret void
}
define spir_func void @helper() {
  ret void
}
attributes #0 = { "sycl-module-id"="library.cpp" }

;--- user.ll
target triple = "spirv64-unknown-unknown"
declare spir_func void @_Z3onev()
declare spir_func void @_Z3twov()
define spir_kernel void @_ZTS1A() "sycl-module-id"="a.cpp" {
  call spir_func void @_Z3onev()
  ret void
}
define spir_kernel void @_ZTS1B() "sycl-module-id"="a.cpp" {
  ret void
}
!scythe.launch = !{!0, !1}
!0 = !{!"_ZTS1A", i32 0, i64 1, !"a.cpp", i32 3, i32 5, i64 1}
!1 = !{!"_ZTS1B", i32 0, i64 1, !"a.cpp", i32 9, i32 5, i64 2}

;--- broken.ll
target triple = "spirv64-unknown-unknown"
declare spir_func void @_Z4gonev()
define spir_func void @_Z5threev() "sycl-module-id"="a.cpp" {
  call spir_func void @_Z4gonev()
  ret void
}
