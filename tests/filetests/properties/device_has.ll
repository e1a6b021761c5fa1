; Branches of if_device_has in code without optimisation: what a device does not take is not translated, needs no capability, and may
; even call what nobody defines.

; RUN: scythe-tools sycl-post-link --allow-undefined -S -o out.table %s
; RUN: FileCheck --check-prefix=LINKED %s < out_0.ll
; RUN: not grep "SYCL/device requirements" out_0.prop
; LINKED: call spir_func zeroext i1 @__scythe_device_has(i32 1021)
; LINKED: define internal spir_func void @skylake{{.*}} #[[BRANCH:[0-9]+]]
; LINKED: attributes #[[BRANCH]] = { noinline optnone "scythe-conditional" }

; RUN: scythe-tools spirv-translate --aspects=gpu,ext_intel_gpu_pvc -o pvc.spv out_0.ll
; RUN: spirv-val --target-env spv1.4 pvc.spv
; RUN: spirv-dis pvc.spv | FileCheck --check-prefix=PVC %s
; PVC-NOT:  OpCapability Float
; PVC:      OpCapability Float16
; PVC-NOT:  OpCapability Float64
; PVC:      OpStore {{.*}} %half_0x1p_1
; PVC-NOT:  OpStore
; PVC:      OpFunctionEnd
; PVC-NOT:  OpFunction

; RUN: scythe-tools spirv-translate --aspects=gpu -o other.spv out_0.ll
; RUN: spirv-val --target-env spv1.4 other.spv
; RUN: spirv-dis other.spv | FileCheck --check-prefix=OTHER %s
; OTHER-NOT: OpCapability Float
; OTHER:     OpStore {{.*}} %uint_3
; OTHER-NOT: OpStore
; OTHER:     OpFunctionEnd
; OTHER-NOT: OpFunction

; RUN: not scythe-tools spirv-translate --aspects=gpu,ext_intel_gpu_skl -o skl.spv out_0.ll 2>&1 | \
; RUN:   FileCheck --check-prefix=SKL %s
; RUN: test ! -e skl.spv
; SKL: error: {{.*}}'elsewhere'
; RUN: not scythe-tools spirv-translate --aspects=nothing -o skl.spv out_0.ll 2>&1 | FileCheck \
; RUN:   --check-prefix=UNKNOWN %s
; UNKNOWN: error: unknown aspect 'nothing'

target triple = "spirv64-unknown-unknown"

declare spir_func zeroext i1 @__scythe_device_has(i32)
declare spir_func double @elsewhere(double)

define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 {
entry:
  %waiting = alloca i8
  %state = addrspacecast ptr %waiting to ptr addrspace(4)
  store i8 1, ptr addrspace(4) %state
  %skl = call spir_func zeroext i1 @__scythe_device_has(i32 1021)
  br i1 %skl, label %first, label %next
first:
  call spir_func void @skylake(ptr addrspace(1) %p)
  store i8 0, ptr addrspace(4) %state
  br label %next
next:
  %waits = load i8, ptr addrspace(4) %state
  %still = trunc i8 %waits to i1
  %pvc = call spir_func zeroext i1 @__scythe_device_has(i32 1042)
  %taken = and i1 %still, %pvc
  br i1 %taken, label %second, label %rest
second:
  call spir_func void @data_centre(ptr addrspace(1) %p)
  store i8 0, ptr addrspace(4) %state
  br label %rest
rest:
  %last = load i8, ptr addrspace(4) %state
  %nobody = trunc i8 %last to i1
  br i1 %nobody, label %third, label %end
third:
  call spir_func void @others(ptr addrspace(1) %p)
  br label %end
end:
  ret void
}
define internal spir_func void @skylake(ptr addrspace(1) %p) #1 {
  %x = load double, ptr addrspace(1) %p
  %y = call spir_func double @elsewhere(double %x)
  store double %y, ptr addrspace(1) %p
  ret void
}
define internal spir_func void @data_centre(ptr addrspace(1) %p) #1 {
  store half 2.0, ptr addrspace(1) %p
  ret void
}
define internal spir_func void @others(ptr addrspace(1) %p) #1 {
  store i32 3, ptr addrspace(1) %p
  ret void
}
attributes #0 = { noinline optnone }
attributes #1 = { noinline optnone "scythe-conditional" }
!scythe.launch = !{!0}
!0 = !{!"_ZTS1K", i32 0, i64 8, !"a.cpp", i32 3, i32 5, i64 1, i32 4, i64 8, i64 0, i32 0}
