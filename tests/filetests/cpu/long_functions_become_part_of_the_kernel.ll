; RUN: lower-cpu -O3 --cpu=x86-64-v4 %s | FileCheck %s
; A function that is too long for LLVM's inliner still becomes part of its kernel: what stays a call would run for one
; work-item after the other.

; CHECK-LABEL: define void @__scythe_cpu.k(ptr
; CHECK-NOT: call {{.*}}@long
; CHECK: fmul <{{[0-9]+}} x float>

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

define spir_kernel void @k(ptr addrspace(1) %data) "scythe-shape"="range" {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %p = getelementptr float, ptr addrspace(1) %data, i64 %i
  %x = load float, ptr addrspace(1) %p
  %y = call spir_func float @long(float %x)
  %z = call spir_func float @long(float %y)
  store float %z, ptr addrspace(1) %p
  ret void
}

define internal spir_func float @long(float %x) {
  %v0 = fadd float %x, 1.0
  %v1 = fmul float %v0, %x
  %v2 = fadd float %v1, %v1
  %v3 = fmul float %v2, %x
  %v4 = fadd float %v3, %v2
  %v5 = fmul float %v4, %x
  %v6 = fadd float %v5, %v3
  %v7 = fmul float %v6, %x
  %v8 = fadd float %v7, %v4
  %v9 = fmul float %v8, %x
  %v10 = fadd float %v9, %v5
  %v11 = fmul float %v10, %x
  %v12 = fadd float %v11, %v6
  %v13 = fmul float %v12, %x
  %v14 = fadd float %v13, %v7
  %v15 = fmul float %v14, %x
  %v16 = fadd float %v15, %v8
  %v17 = fmul float %v16, %x
  %v18 = fadd float %v17, %v9
  %v19 = fmul float %v18, %x
  %v20 = fadd float %v19, %v10
  %v21 = fmul float %v20, %x
  %v22 = fadd float %v21, %v11
  %v23 = fmul float %v22, %x
  %v24 = fadd float %v23, %v12
  %v25 = fmul float %v24, %x
  %v26 = fadd float %v25, %v13
  %v27 = fmul float %v26, %x
  %v28 = fadd float %v27, %v14
  %v29 = fmul float %v28, %x
  %v30 = fadd float %v29, %v15
  %v31 = fmul float %v30, %x
  %v32 = fadd float %v31, %v16
  %v33 = fmul float %v32, %x
  %v34 = fadd float %v33, %v17
  %v35 = fmul float %v34, %x
  %v36 = fadd float %v35, %v18
  %v37 = fmul float %v36, %x
  %v38 = fadd float %v37, %v19
  %v39 = fmul float %v38, %x
  %v40 = fadd float %v39, %v20
  %v41 = fmul float %v40, %x
  %v42 = fadd float %v41, %v21
  %v43 = fmul float %v42, %x
  %v44 = fadd float %v43, %v22
  %v45 = fmul float %v44, %x
  %v46 = fadd float %v45, %v23
  %v47 = fmul float %v46, %x
  %v48 = fadd float %v47, %v24
  %v49 = fmul float %v48, %x
  %v50 = fadd float %v49, %v25
  %v51 = fmul float %v50, %x
  %v52 = fadd float %v51, %v26
  %v53 = fmul float %v52, %x
  %v54 = fadd float %v53, %v27
  %v55 = fmul float %v54, %x
  %v56 = fadd float %v55, %v28
  %v57 = fmul float %v56, %x
  %v58 = fadd float %v57, %v29
  %v59 = fmul float %v58, %x
  %v60 = fadd float %v59, %v30
  %v61 = fmul float %v60, %x
  %v62 = fadd float %v61, %v31
  %v63 = fmul float %v62, %x
  %v64 = fadd float %v63, %v32
  %v65 = fmul float %v64, %x
  %v66 = fadd float %v65, %v33
  %v67 = fmul float %v66, %x
  %v68 = fadd float %v67, %v34
  %v69 = fmul float %v68, %x
  %v70 = fadd float %v69, %v35
  %v71 = fmul float %v70, %x
  %v72 = fadd float %v71, %v36
  %v73 = fmul float %v72, %x
  %v74 = fadd float %v73, %v37
  %v75 = fmul float %v74, %x
  %v76 = fadd float %v75, %v38
  %v77 = fmul float %v76, %x
  %v78 = fadd float %v77, %v39
  %v79 = fmul float %v78, %x
  %v80 = fadd float %v79, %v40
  %v81 = fmul float %v80, %x
  %v82 = fadd float %v81, %v41
  %v83 = fmul float %v82, %x
  %v84 = fadd float %v83, %v42
  %v85 = fmul float %v84, %x
  %v86 = fadd float %v85, %v43
  %v87 = fmul float %v86, %x
  %v88 = fadd float %v87, %v44
  %v89 = fmul float %v88, %x
  %v90 = fadd float %v89, %v45
  %v91 = fmul float %v90, %x
  %v92 = fadd float %v91, %v46
  %v93 = fmul float %v92, %x
  %v94 = fadd float %v93, %v47
  %v95 = fmul float %v94, %x
  %v96 = fadd float %v95, %v48
  %v97 = fmul float %v96, %x
  %v98 = fadd float %v97, %v49
  %v99 = fmul float %v98, %x
  %v100 = fadd float %v99, %v50
  %v101 = fmul float %v100, %x
  %v102 = fadd float %v101, %v51
  %v103 = fmul float %v102, %x
  %v104 = fadd float %v103, %v52
  %v105 = fmul float %v104, %x
  %v106 = fadd float %v105, %v53
  %v107 = fmul float %v106, %x
  %v108 = fadd float %v107, %v54
  %v109 = fmul float %v108, %x
  %v110 = fadd float %v109, %v55
  %v111 = fmul float %v110, %x
  %v112 = fadd float %v111, %v56
  %v113 = fmul float %v112, %x
  %v114 = fadd float %v113, %v57
  %v115 = fmul float %v114, %x
  %v116 = fadd float %v115, %v58
  %v117 = fmul float %v116, %x
  %v118 = fadd float %v117, %v59
  %v119 = fmul float %v118, %x
  ret float %v119
}
