; What device-link does besides linking: cached images, compressed images, files of each image's code, the list of kernels,
; inputs for different targets, and options for targets.

; RUN: split-file %s in
; RUN: cd in

; Inputs of one target are linked together, also where other targets take only some of them.
; RUN: scythe-tools device-link -o sets.o \
; RUN:   --target=sycl-spir64-unknown-unknown,sycl-spir64_x86_64-unknown-unknown-avx2 a.ll \
; RUN:   --target=spir64 b.ll --linked=kernels.txt
; RUN: scythe-tools image-dump sets.o | FileCheck --check-prefix=SETS %s
; SETS:      target: spirv64-unknown-unknown
; SETS:        _ZTS1A
; SETS:      target: spirv64-unknown-unknown
; SETS:        _ZTS1B
; SETS:      target: spir64_x86_64:x86-64-v3
; SETS:        _ZTS1A
; SETS-NOT:  target:
; RUN: FileCheck --check-prefix=KERNELS --match-full-lines %s < kernels.txt
; KERNELS:      _ZTS1A
; KERNELS-NEXT: _ZTS1B
; KERNELS-NOT:  {{.}}

; With a cache, the same code and options take no device step; a change of either does.
; RUN: scythe-tools device-link -o first.o --target=x86_64 --cpu-opts=-march=avx2 \
; RUN:   --cache=store/cache --verbose a.ll b.ll 2> steps
; RUN: FileCheck --check-prefix=STEPS %s < steps
; STEPS:      device-link: linking 2 modules for spir64_x86_64
; STEPS-NEXT: device-link: splitting the code into 2 parts
; STEPS-NEXT: device-link: compiling 2 parts for 1 levels of the CPU
; RUN: test "$(stat -c %a store/cache)" = 700
; RUN: mkdir moved; cp a.ll moved
; RUN: scythe-tools device-link -o second.o --target=x86_64 --cpu-opts=-march=avx2 \
; RUN:   --cache=store/cache --verbose --linked=again.txt moved/a.ll b.ll 2> steps
; RUN: cmp first.o second.o
; RUN: cmp kernels.txt again.txt
; RUN: FileCheck --check-prefix=HIT %s < steps
; HIT:     device-link: 2 images from the cache
; HIT-NOT: {{.}}
; RUN: scythe-tools device-link -o other.o --target=x86_64 "--cpu-opts=-march=avx2 -O1" \
; RUN:   --cache=store/cache --verbose a.ll b.ll 2>&1 | FileCheck --check-prefix=STEPS %s
; RUN: for f in store/cache/link-*; do printf x >> $f; done
; RUN: scythe-tools device-link -o third.o --target=x86_64 --cpu-opts=-march=avx2 \
; RUN:   --cache=store/cache --verbose a.ll b.ll 2>&1 | FileCheck --check-prefix=STEPS %s
; RUN: cmp first.o third.o
; Of a link in which one source changed, only that one is compiled again.
; RUN: sed 's/i32 8/i32 9/' b.ll > changed.ll
; RUN: ls store/cache | grep -c '^cpu-' | FileCheck --check-prefix=FOUR %s
; FOUR: {{^4$}}
; RUN: scythe-tools device-link -o changed.o --target=x86_64 --cpu-opts=-march=avx2 \
; RUN:   --cache=store/cache a.ll changed.ll
; RUN: ls store/cache | grep -c '^cpu-' | FileCheck --check-prefix=FIVE %s
; FIVE: {{^5$}}
; RUN: not scythe-tools device-link -o bad.o --cache=a.ll a.ll 2>&1 | FileCheck \
; RUN:   --check-prefix=FOLDER %s
; FOLDER: a.ll: error: cannot make the folder: File exists

; Compressed images say so, and hold the same code.
; RUN: scythe-tools device-link -o plain.o a.ll; scythe-tools device-link -o packed.o --compress \
; RUN:   a.ll
; RUN: scythe-tools image-dump packed.o | FileCheck --check-prefix=PACKED %s
; PACKED: code: {{[0-9]+}} bytes, compressed to {{[0-9]+}}
; RUN: scythe-tools image-dump --extract=plain plain.o; scythe-tools image-dump --extract=packed \
; RUN:   packed.o
; RUN: cmp plain_0.bc packed_0.bc

; RUN: scythe-tools device-link -o dumped.o --target=spir64,x86_64_avx2 \
; RUN:   --dump-device-code=code/all a.ll b.ll
; RUN: ls code/all | FileCheck --check-prefix=DUMPED %s
; DUMPED:      a.cpp-spir64_x86_64-x86-64-v3-{{[0-9a-f]+}}.o
; DUMPED-NEXT: a.cpp-spirv64-unknown-unknown-{{[0-9a-f]+}}.bc
; DUMPED-NEXT: b.cpp-spir64_x86_64-x86-64-v3-{{[0-9a-f]+}}.o
; DUMPED-NEXT: b.cpp-spirv64-unknown-unknown-{{[0-9a-f]+}}.bc

; RUN: scythe-tools device-link -o options.o --backend-options=spir64:-O1 --jobs=1 a.ll
; RUN: scythe-tools image-dump options.o | FileCheck --check-prefix=OPTIONS %s
; OPTIONS: options: -O1

; Mistakes are named before any work is done.
; RUN: not scythe-tools device-link -o bad.o --target=sycl-nvptx64-nvidia-cuda-sm_90 \
; RUN:   --cuda-path=nowhere a.ll 2>&1 | FileCheck --check-prefix=CUDA %s
; CUDA: device-link: error: '--cuda-path=nowhere' for 'nvidia_gpu_sm_90' has no CUDA: expected 'bin/ptxas' or 'nvvm/libdevice' in it [scythe-E0370]
; RUN: not scythe-tools device-link -o bad.o --backend-options=nvidia_gpu_sm_90:-O9 a.ll 2>&1 | \
; RUN:   FileCheck --check-prefix=PTXAS %s
; PTXAS: device-link: error: unknown option '-O9' for 'nvidia_gpu_sm_90': expected -O0 to -O3
; RUN: not scythe-tools device-link -o bad.o --jobs=0 a.ll 2>&1 | FileCheck --check-prefix=JOBS %s
; JOBS: device-link: error: '--jobs=0': expected the number of jobs, which is at least 1
; RUN: not scythe-tools device-link -o bad.o --backend-options=-O1 a.ll 2>&1 | FileCheck \
; RUN:   --check-prefix=BACKEND %s
; BACKEND: device-link: error: '--backend-options=-O1': expected a target, ':' and options
; RUN: not scythe-tools device-link -o bad.o --backend-options=x86_64_avx2:-march=sse2 a.ll 2>&1 | \
; RUN:   FileCheck --check-prefix=LEVEL %s
; LEVEL: device-link: error: '-march=sse2' for 'x86_64_avx2': the target already selects the instruction-set level. Remove '-march=', or use the target 'spir64_x86_64' [scythe-E0376]
; RUN: not scythe-tools device-link -o bad.o --device-config-file=nowhere.yaml a.ll 2>&1 | \
; RUN:   FileCheck --check-prefix=CONFIG %s
; CONFIG: nowhere.yaml: error: cannot read the device configuration: No such file or directory
; RUN: test ! -e bad.o

;--- a.ll
target triple = "spirv64-unknown-unknown"
define spir_kernel void @_ZTS1A(ptr addrspace(1) %a) #0 {
  store i32 7, ptr addrspace(1) %a
  ret void
}
attributes #0 = { "sycl-module-id"="a.cpp" "scythe-shape"="single_task" }
!scythe.launch = !{!0}
!0 = !{!"_ZTS1A", i32 0, i64 8, !"src/a.cpp", i32 3, i32 5, i64 1, i32 3, i64 8, i64 0, i32 0}

;--- b.ll
target triple = "spirv64-unknown-unknown"
define spir_kernel void @_ZTS1B(ptr addrspace(1) %a) #0 {
  store i32 8, ptr addrspace(1) %a
  ret void
}
attributes #0 = { "sycl-module-id"="b.cpp" "scythe-shape"="single_task" }
!scythe.launch = !{!0}
!0 = !{!"_ZTS1B", i32 0, i64 8, !"src/b.cpp", i32 3, i32 5, i64 2, i32 3, i64 8, i64 0, i32 0}
