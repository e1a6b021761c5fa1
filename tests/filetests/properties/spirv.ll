; Compile-time properties on their way to SPIR-V: post-link writes the metadata of the design document, and each becomes an
; instruction of the module that drivers get.

; RUN: scythe-tools sycl-post-link -S -o out.table %s
; RUN: FileCheck --check-prefix=IR %s < out_0.ll
; IR-DAG: @access = {{.*}} !spirv.Decorations ![[ACCESS:[0-9]+]]
; IR-DAG: @scope = {{.*}} #{{[0-9]+}}{{$}}
; IR-DAG: define spir_kernel void @_ZTS1K({{.*}}) {{.*}}!spirv.ParameterDecorations ![[PARAMETERS:[0-9]+]]
; IR-DAG: call ptr addrspace(1) @llvm.ptr.annotation.p1.p1({{.*}}@known{{.*}}, !scythe_member !{{[0-9]+}}, !spirv.Decorations ![[MEMBER:[0-9]+]]
; IR-DAG: call ptr addrspace(1) @llvm.ptr.annotation.p1.p1({{.*}}@unknown{{.*}}null), !scythe_member !{{[0-9]+$}}
; IR-DAG: !spirv.ExecutionMode = !{![[SUB:[0-9]+]], ![[GROUP:[0-9]+]], ![[HINT:[0-9]+]]}
; IR-DAG: ![[SUB]] = !{ptr @_ZTS1K, i32 35, i32 16}
; IR-DAG: ![[GROUP]] = !{ptr @_ZTS1K, i32 17, i32 4, i32 2, i32 1}
; IR-DAG: ![[HINT]] = !{ptr @_ZTS1K, i32 18, i32 8, i32 1, i32 1}
; IR-DAG: ![[PARAMETERS]] = !{![[FIRST:[0-9]+]], ![[SECOND:[0-9]+]]}
; IR-DAG: ![[FIRST]] = !{![[ALIAS:[0-9]+]], ![[ALIGN:[0-9]+]], ![[LOCATION:[0-9]+]]}
; IR-DAG: ![[SECOND]] = !{}
; IR-DAG: ![[ALIAS]] = !{i32 38, i32 4}
; IR-DAG: ![[ALIGN]] = !{i32 44, i32 64}
; IR-DAG: ![[LOCATION]] = !{i32 5921, i32 3}
; IR-DAG: ![[ACCESS]] = !{![[READ:[0-9]+]], ![[CSR:[0-9]+]]}
; IR-DAG: ![[READ]] = !{i32 6188, i32 1, !"access"}
; IR-DAG: ![[CSR]] = !{i32 6191, i32 1}
; IR-DAG: ![[MEMBER]] = !{![[BEHIND:[0-9]+]], ![[REST:[0-9]+]]}
; IR-DAG: ![[BEHIND]] = !{i32 5921, i32 10}
; IR-DAG: ![[REST]] = !{i32 5635, !"sycl-properties:foo,bar=32"}

; A driver that knows no extension hears of what SPIR-V has by itself, and texts.
; RUN: scythe-tools spirv-translate -o plain.spv out_0.ll
; RUN: spirv-val --target-env spv1.4 plain.spv
; RUN: spirv-dis --raw-id plain.spv | FileCheck --check-prefixes=SPIRV,PLAIN %s
; SPIRV:       OpEntryPoint Kernel [[KERNEL:%[0-9]+]] "_ZTS1K"
; SPIRV-NEXT:  OpExecutionMode [[KERNEL]] SubgroupSize 16
; SPIRV-NEXT:  OpExecutionMode [[KERNEL]] LocalSize 4 2 1
; SPIRV-NEXT:  OpExecutionMode [[KERNEL]] LocalSizeHint 8 1 1
; SPIRV-NOT:   OpExecutionMode
; SPIRV:       OpName [[STRUCT:%[0-9]+]] "struct.node"
; PLAIN-DAG:   OpDecorate [[P:%[0-9]+]] FuncParamAttr NoAlias
; PLAIN-DAG:   OpDecorate [[P]] Alignment 64
; PLAIN-NOT:   Location
; PLAIN-DAG:   OpDecorate [[AT:%[0-9]+]] UserSemantic "sycl-properties:foo,bar=32"
; PLAIN-DAG:   OpMemberDecorate [[STRUCT]] 1 UserSemantic "sycl-properties:foo,bar=32"
; PLAIN-DAG:   OpMemberDecorate [[STRUCT]] 2 UserSemantic "sycl-properties:foo=3"
; PLAIN:       [[P]] = OpFunctionParameter
; PLAIN:       [[AT]] = Op{{.*}}AccessChain

; One that knows an extension hears of that, too.
; RUN: scythe-tools spirv-translate -o more.spv --spirv-ext=SPV_INTEL_fpga_buffer_location out_0.ll
; RUN: spirv-val --target-env spv1.4 more.spv
; RUN: spirv-dis --raw-id more.spv | FileCheck --check-prefixes=MORE %s
; MORE-DAG:   OpCapability FPGABufferLocationINTEL
; MORE-DAG:   OpExtension "SPV_INTEL_fpga_buffer_location"
; MORE-DAG:   OpName [[STRUCT:%[0-9]+]] "struct.node"
; MORE-DAG:   OpDecorate [[P:%[0-9]+]] BufferLocationINTEL 3
; MORE-DAG:   OpDecorate [[AT:%[0-9]+]] BufferLocationINTEL 10
; MORE-DAG:   OpDecorate [[AT]] UserSemantic "sycl-properties:foo,bar=32"
; MORE-DAG:   OpMemberDecorate [[STRUCT]] 1 BufferLocationINTEL 10
; MORE-NOT:   scythe-decorations
; MORE:       [[P]] = OpFunctionParameter
; MORE:       [[AT]] = Op{{.*}}AccessChain

target triple = "spirv64-unknown-unknown"

%struct.node = type { i32, ptr addrspace(1), i32 }

@access = internal addrspace(1) global i32 1 #1
@scope = internal addrspace(1) global i32 1 #2
@known = private unnamed_addr addrspace(1) constant [51 x i8] c"sycl-properties:foo,sycl-buffer-location=10,bar=32\00", section "llvm.metadata"
@unknown = private unnamed_addr addrspace(1) constant [22 x i8] c"sycl-properties:foo=3\00", section "llvm.metadata"
@file = private unnamed_addr addrspace(1) constant [6 x i8] c"a.cpp\00", section "llvm.metadata"
declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))

define spir_kernel void @_ZTS1K(ptr addrspace(1) noalias align 64 "sycl-no-alias" "sycl-alignment"="64" "sycl-buffer-location"="3" "my-own" %p, i64 %i) #0
    !reqd_work_group_size !0 !intel_reqd_sub_group_size !1 {
  %member = getelementptr inbounds %struct.node, ptr addrspace(1) %p, i64 %i, i32 1
  %a = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %member, ptr addrspace(1) @known, ptr addrspace(1) @file, i32 1, ptr addrspace(1) null), !scythe_member !2
  store ptr addrspace(1) %p, ptr addrspace(1) %a
  %other = getelementptr inbounds %struct.node, ptr addrspace(1) %p, i64 %i, i32 2
  %b = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %other, ptr addrspace(1) @unknown, ptr addrspace(1) @file, i32 1, ptr addrspace(1) null), !scythe_member !3
  %x = load i32, ptr addrspace(1) @access
  %y = load i32, ptr addrspace(1) @scope
  %z = add i32 %x, %y
  store i32 %z, ptr addrspace(1) %b
  store i32 %z, ptr addrspace(1) @access
  ret void
}

attributes #0 = { "sycl-sub-group-size"="16" "sycl-work-group-size"="2,4" "sycl-work-group-size-hint"="8" }
attributes #1 = { "sycl-host-access"="read" "sycl-implement-in-csr"="true" }
attributes #2 = { "sycl-device-image-scope" }
!0 = !{i32 4, i32 2, i32 1}
!1 = !{i32 16}
!2 = !{%struct.node poison, i32 1}
!3 = !{%struct.node poison, i32 2}
!scythe.launch = !{!20}
!20 = !{!"_ZTS1K", i32 0, i64 16, !"a.cpp", i32 3, i32 5, i64 1, i32 4, i64 8, i64 0, i32 0, i32 1, i64 8, i64 8, i32 4}
