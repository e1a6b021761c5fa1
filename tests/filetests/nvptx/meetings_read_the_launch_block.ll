; RUN: lower-nvptx %s | FileCheck %s
; The word at which the work-groups of a cooperative launch meet is the last field of the launch block; the function of the device library that reads it becomes part of the kernel.
target triple = "nvptx64-nvidia-cuda"
declare i64 @__scythe_meeting() #1

define internal void @waits() noinline {
  %word = call i64 @__scythe_meeting()
  %none = icmp eq i64 %word, 0
  br i1 %none, label %done, label %arrive
arrive:
  call void asm sideeffect "red.global.add.u32 [$0], 1;", "l,~{memory}"(i64 %word)
  br label %done
done:
  ret void
}

; CHECK-LABEL: .visible .entry k(
; CHECK: .param .align 8 .b8 k_param_1[128]
; CHECK: ld.param.b64 [[WORD:%rd[0-9]+]], [k_param_1+120]
; CHECK: setp.eq.b64 {{.*}}, [[WORD]], 0
; CHECK: red.global.add.u32 {{\[}}[[WORD]]{{\]}}, 1;
; CHECK-NOT: call
define ptx_kernel void @k(ptr addrspace(1) %out) #0 {
  call void @waits()
  ret void
}
attributes #0 = { "scythe-shape"="nd_range" }
attributes #1 = { nounwind }
