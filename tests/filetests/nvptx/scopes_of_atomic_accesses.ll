; RUN: lower-nvptx %s | FileCheck %s
; clang's code for NVPTX has no scopes: volatile accesses are the device's, others those of the whole system. Orders stay with their
; accesses.
target triple = "nvptx64-nvidia-cuda"
; CHECK-LABEL: .visible .entry k(
; CHECK: atom.global.add.u32
; CHECK: atom.relaxed.sys.global.add.u32
; CHECK: ld.acquire.gpu.global.b32
; CHECK: atom.acq_rel.gpu.global.max.s32
; CHECK: fence.sc.sys
; CHECK: atom.acq_rel.sys.global.exch.b64
; CHECK: atom.release.gpu.global.add.f32
; CHECK: atom.relaxed.gpu.global.cas.b32
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) #0 {
  %any = addrspacecast ptr addrspace(1) %p to ptr
  %a = atomicrmw volatile add ptr %any, i32 1 monotonic
  %b = atomicrmw add ptr %any, i32 1 monotonic
  %c = load atomic volatile i32, ptr %any acquire, align 4
  %d = atomicrmw volatile max ptr %any, i32 1 acq_rel
  %e = atomicrmw xchg ptr %any, i64 1 seq_cst
  %f = atomicrmw volatile fadd ptr %any, float 1.0 release
  %g = atomicrmw volatile fmax ptr %any, float 1.0 monotonic
  store volatile i32 %a, ptr addrspace(1) %out
  store volatile i32 %b, ptr addrspace(1) %out
  store volatile i32 %c, ptr addrspace(1) %out
  store volatile i32 %d, ptr addrspace(1) %out
  store volatile i64 %e, ptr addrspace(1) %out
  store volatile float %f, ptr addrspace(1) %out
  store volatile float %g, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "scythe-shape"="single_task" }
