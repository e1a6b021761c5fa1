; Code for Intel's GPUs is compiled ahead of time by ocloc: a binary for each part and device, in an image that names the device.

; RUN: scythe-tools device-link -o out.o --target=intel_gpu_9_0_9,intel_gpu_acm_g10 --jobs=2 %s
; RUN: scythe-tools image-dump --extract=code out.o | FileCheck %s
; CHECK:      image 0
; CHECK-NEXT: target: intel_gpu_acm_g10
; CHECK-NEXT: format: intel-gpu
; CHECK:      _ZTS5Plain
; The other kernel needs what this device lacks, and ocloc never sees it.
; CHECK:      image 1
; CHECK-NEXT: target: intel_gpu_acm_g10
; CHECK-NEXT: format: empty
; CHECK:      _ZTS7Precise
; CHECK:      image 2
; CHECK-NEXT: target: intel_gpu_skl
; CHECK-NEXT: format: intel-gpu
; CHECK:      _ZTS5Plain
; CHECK:      image 3
; CHECK-NEXT: target: intel_gpu_skl
; CHECK-NEXT: format: intel-gpu
; CHECK:      _ZTS7Precise
; RUN: ocloc disasm -file code_0.bin -dump parts | FileCheck --check-prefix=KERNEL %s
; KERNEL: _ZTS5Plain

; RUN: sed -e '/^define.*Precise/,/^}/d' -e '/^!21/d' -e 's/, !21//' %s > plain.ll

; Lists, families and ranges, each device once.
; RUN: scythe-tools device-link -o out.o --target=spir64_gen \
; RUN:   "--backend-options=spir64_gen:-device 12.60.7,pvc,tgllp:rkl,rkl" \
; RUN:   "--backend-options=spir64_gen:-options '-cl-mad-enable -cl-fast-relaxed-math' -exclude_ir" \
; RUN:   --split=off %s
; RUN: scythe-tools image-dump out.o | grep -A1 target | FileCheck --check-prefix=LIST %s
; LIST:         target: intel_gpu_pvc
; LIST-NEXT:    format: intel-gpu
; LIST-COUNT-1: target: intel_gpu_pvc
; LIST-NEXT:    format: intel-gpu
; LIST:         target: intel_gpu_tgllp
; LIST-NEXT:    format: intel-gpu
; LIST:         target: intel_gpu_tgllp
; LIST-NEXT:    format: empty
; LIST-COUNT-2: target: intel_gpu_rkl
; LIST-NOT:     target:

; RUN: scythe-tools device-link -o out.o --target=spir64_gen \
; RUN:   "--backend-options=spir64_gen:-device 0x4905,0x1912" plain.ll
; RUN: scythe-tools image-dump out.o | grep target | FileCheck --check-prefix=NUMBERS %s
; NUMBERS:      target: intel_gpu_dg1
; NUMBERS-NEXT: target: intel_gpu_skl

; What is linked with other images at run time stays bitcode, for the same device.
; RUN: sed -e 's/store i32 7.*/call spir_func void @_Z5otherv()/' -e \
; RUN:   '$ a declare spir_func void @_Z5otherv()' plain.ll > imports.ll
; RUN: scythe-tools device-link -o out.o --target=intel_gpu_skl --allow-undefined imports.ll
; RUN: scythe-tools image-dump out.o | FileCheck --check-prefix=IMPORTS %s
; IMPORTS:     image 0
; IMPORTS-NEXT: target: intel_gpu_skl
; IMPORTS-NEXT: format: llvmbc
; IMPORTS:     _Z5otherv = 1
; IMPORTS-NOT: image
; RUN: sed \
; RUN:   's/^declare.*/define spir_func void @_Z5otherv() "sycl-module-id"="b.cpp" { ret void }/' \
; RUN:   imports.ll > exports.ll
; RUN: scythe-tools device-link -o out.o --target=intel_gpu_skl --export --split=off exports.ll
; RUN: scythe-tools image-dump out.o | FileCheck --check-prefix=EXPORTS %s
; EXPORTS:      target: intel_gpu_skl
; EXPORTS-NEXT: format: intel-gpu
; EXPORTS:      target: intel_gpu_skl
; EXPORTS-NEXT: format: llvmbc
; EXPORTS:      _Z5otherv = 1
; EXPORTS-NOT:  image

; What ocloc made is kept with the link; another version of ocloc would make it anew.
; RUN: scythe-tools device-link -o first.o --target=intel_gpu_skl --cache=cache %s
; RUN: scythe-tools device-link -o second.o --target=intel_gpu_skl --cache=cache --verbose %s 2>&1 \
; RUN:   | FileCheck --check-prefix=HIT %s
; HIT: device-link: 2 images from the cache
; RUN: cmp first.o second.o
; RUN: rm cache/link-*; scythe-tools device-link -o second.o --target=intel_gpu_skl --cache=cache \
; RUN:   --verbose %s 2>&1 | FileCheck --check-prefix=BINARIES %s
; BINARIES:     compiling 2 device binaries
; BINARIES-NOT: ocloc
; RUN: cmp first.o second.o
; RUN: mkdir later; printf \
; RUN:   '#!/bin/sh\nif [ "$1" = query ]; then printf 99.1 > OCL_DRIVER_VERSION; else exec '$(command \
; RUN:   -v ocloc)' "$@"; fi\n' > later/ocloc; chmod +x later/ocloc
; RUN: PATH=$PWD/later:$PATH scythe-tools device-link -o second.o --target=intel_gpu_skl \
; RUN:   --cache=cache --verbose %s 2>&1 | FileCheck --check-prefix=LATER %s
; LATER: ocloc 99.1 for skl

; The device configuration says what ocloc is told.
; RUN: printf 'intel_gpu_skl:\n  aot-toolchain-options: -device kbl -nonsense\n' > wrong.yaml
; RUN: not scythe-tools device-link -o bad.o --target=intel_gpu_skl \
; RUN:   --device-config-file=wrong.yaml %s 2>&1 | FileCheck --check-prefix=CONFIGURED %s
; CONFIGURED: error: cannot compile device code for 'intel_gpu_skl': ocloc {{[0-9.]+}} ended with exit status
; CONFIGURED: note: the code contains kernel Plain
; CONFIGURED: note: ocloc {{[0-9.]+}} printed:
; CONFIGURED: -device kbl -nonsense
; RUN: printf 'intel_gpu_skl:\n  aot-toolchain: icc\n' > other.yaml
; RUN: printf 'mine:\n  aot-toolchain: ocloc\n' > nodevice.yaml
; RUN: not scythe-tools device-link -o bad.o --target=mine --device-config-file=nodevice.yaml %s \
; RUN:   2>&1 | FileCheck --check-prefix=NODEVICE %s
; NODEVICE: error: the device configuration names no device for the target 'mine': expected '-device NAME' in its 'aot-toolchain-options'
; RUN: not scythe-tools device-link -o bad.o --target=intel_gpu_skl \
; RUN:   --device-config-file=other.yaml %s 2>&1 | FileCheck --check-prefix=TOOLCHAIN %s
; TOOLCHAIN: error: the device configuration names the compiler 'icc' for the target 'intel_gpu_skl', expected 'ocloc'

; Whatever is wrong is said, and nothing is left behind.
; RUN: not env PATH=/nowhere $(command -v scythe-tools) device-link -o bad.o \
; RUN:   --target=intel_gpu_skl %s 2> missing
; RUN: FileCheck --check-prefix=MISSING %s < missing
; MISSING: error: code for 'intel_gpu_skl' is compiled by ocloc, which is not in PATH. Install the package intel-opencl-icd, or use the target 'spir64' [scythe-E0368]
; RUN: not scythe-tools device-link -o bad.o --target=spir64_gen \
; RUN:   "--backend-options=spir64_gen:-device skl,rpl_s" %s 2>&1 | FileCheck \
; RUN:   --check-prefix=UNKNOWN %s
; UNKNOWN: error: ocloc {{[0-9.]+}} does not know the device 'rpl_s' of target 'spir64_gen'. Install a later version of the package intel-opencl-icd, or correct the name [scythe-E0369]
; RUN: not scythe-tools device-link -o bad.o --target=spir64_gen \
; RUN:   "--backend-options=spir64_gen:-device 9.9.9" %s 2>&1 | FileCheck --check-prefix=VERSION \
; RUN:   %s
; VERSION: error: ocloc {{[0-9.]+}} does not know the device '9.9.9' of target 'intel_gpu_9_9_9'
; VERSION: note: ocloc {{[0-9.]+}} printed:
; RUN: not scythe-tools device-link -o bad.o --target=spir64_gen %s 2>&1 | FileCheck \
; RUN:   --check-prefix=NO-DEVICE %s
; NO-DEVICE: error: code for 'spir64_gen' needs the option '-device NAME[,NAME…]' for its compiler
; RUN: not scythe-tools device-link -o bad.o --target=intel_gpu_skl \
; RUN:   "--backend-options=intel_gpu_skl:-device kbl" %s 2>&1 | FileCheck --check-prefix=SECOND \
; RUN:   %s
; SECOND: error: option '-device' for 'intel_gpu_skl': the target already selects the device. Remove the option, or use the target 'spir64_gen' [scythe-E0375]
; RUN: not scythe-tools device-link -o bad.o --target=intel_gpu_skl \
; RUN:   "--backend-options=intel_gpu_skl:-output x" %s 2>&1 | FileCheck --check-prefix=OWN %s
; OWN: error: option '-output' for 'intel_gpu_skl': device-link passes this option to ocloc. Remove it [scythe-E0374]
; RUN: mkdir fake; printf '#!/bin/sh\necho "no room on the card"; exit 3\n' > fake/ocloc; chmod +x \
; RUN:   fake/ocloc
; RUN: PATH=$PWD/fake:$PATH; export PATH; not scythe-tools device-link -o bad.o \
; RUN:   --target=intel_gpu_skl %s 2>&1 | FileCheck --check-prefix=FAKE %s
; FAKE:      error: cannot compile device code for 'intel_gpu_skl': ocloc of unknown version ('{{.*}}fake/ocloc') ended with exit status: 3
; FAKE-NEXT: note: the code contains kernel Plain
; FAKE-NEXT: note: ocloc {{.*}} printed:
; FAKE-NEXT: no room on the card
; RUN: printf '#!/bin/sh\nexit 0\n' > fake/ocloc
; RUN: PATH=$PWD/fake:$PATH; export PATH; not scythe-tools device-link -o bad.o \
; RUN:   --target=intel_gpu_skl %s 2>&1 | FileCheck --check-prefix=NOTHING %s
; NOTHING: error: cannot compile device code for 'intel_gpu_skl': ocloc of unknown version {{.*}} wrote no device binary
; RUN: printf \
; RUN:   '#!/bin/sh\nfor a; do case $last in -out_dir) echo text > $a/binary;; esac; last=$a; done\n' \
; RUN:   > fake/ocloc
; RUN: PATH=$PWD/fake:$PATH; export PATH; not scythe-tools device-link -o bad.o \
; RUN:   --target=intel_gpu_skl %s 2>&1 | FileCheck --check-prefix=TEXT %s
; TEXT: wrote 5 bytes that are not a device binary: expected ELF, or an archive
; RUN: test ! -e bad.o
; RUN: ls -A | not grep device-link-

target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS5Plain(ptr addrspace(1) %a) "scythe-shape"="single_task" {
  store i32 7, ptr addrspace(1) %a
  ret void
}
define spir_kernel void @_ZTS7Precise(ptr addrspace(1) %a) "scythe-shape"="single_task" !intel_used_aspects !1 {
  store double 7.0, ptr addrspace(1) %a
  ret void
}

!1 = !{i32 6}
!scythe.launch = !{!20, !21}
!20 = !{!"_ZTS5Plain", i32 0, i64 8, !"a.cpp", i32 1, i32 1, i64 1, i32 3, i64 8, i64 0, i32 0}
!21 = !{!"_ZTS7Precise", i32 0, i64 8, !"a.cpp", i32 2, i32 1, i64 2, i32 3, i64 8, i64 0, i32 0}
