// The default device configuration: which aspects, sub-group sizes and ahead-of-time compilers the targets have that
// `-fsycl-targets=` can name. It is compiled into the tools; users add to it with `-fsycl-device-config-file=`.
//
// Sources of the data:
//  [NEO]    github.com/intel/compute-runtime: the capability table of each product, `shared/source/<family>/hw_info_*.cpp`
//           (ftrSupportsFP64, ftrSupportsInteger64BitAtomics, supportsImages, slmSize), the sub-group sizes in
//           `gfx_core_helper_*` (8, 16, 32 by default; 16, 32 since Xe-HPC), and `getDeviceExtensions` (cl_khr_fp16 everywhere).
//  [OCLOC]  `ocloc compile --help` and `ocloc ids`: names of devices and their versions.
//  [CUDA]   CUDA C++ Programming Guide, "Compute Capabilities": feature support per compute capability (half-precision
//           arithmetic from 5.3, 16-bit compare-and-swap from 7.0, split arrive/wait barriers from 8.0, thread block
//           clusters from 9.0; warps of 32, 1024 threads in a block, 48 KiB of shared memory in a block unless a kernel
//           opts in to more).
//  [DPCPP]  intel/llvm: `sycl/plugins/cuda` and `unified-runtime/source/adapters/cuda/device.cpp` for which of SYCL's aspects
//           follow from those (atomic64 from 6.0, for scoped 64-bit atomics).
//  [SCYTHE] crates/backend-cpu/src/device_info.rs: what Scythe's own CPU device says of itself. A test there
//           compares.

include "llvm/TableGen/DynamicTable.td"
include "Aspects.td"

def TargetTable : DynamicTable {
  let FilterClass = "TargetInfo";
  let Fields = ["TargetName", "aspects", "maySupportOtherAspects",
                "subGroupSizes", "aotToolchain", "aotToolchainOptions"];
  string TypeOf_aspects = "list<Aspect>";
  string TypeOf_subGroupSizes = "list<int>";
}

// One target.
//
// `maySupportOtherAspects` is set where the name stands for more than one device, so that nobody can list all that those
// devices have: `aspects` are then what each of them has for certain. An aspect that is not listed is unknown for such a
// target, and absent for any other.
class TargetInfo<string name, list<Aspect> aspectList, list<int> sizes, string toolchain = "", string options = "",
                 bit otherAspects = 0, int workGroup = 0, int localMemory = 0, int ptx = 0> {
  string TargetName = name;
  list<Aspect> aspects = aspectList;
  bit maySupportOtherAspects = otherAspects;
  list<int> subGroupSizes = sizes;
  string aotToolchain = toolchain;
  string aotToolchainOptions = options;

  // Limits for devices that are simulated; 0 is unknown. Not part of the table for C++.
  int maxWorkGroupSize = workGroup;
  int localMemSize = localMemory;

  // For NVIDIA GPUs, the first PTX version, times ten, that knows the architecture; 0 for others.
  int ptxVersion = ptx;

  // The target that this is another name of. Empty: none.
  string AliasOf = "";
}

// Another name of a target.
class TargetAlias<string alias, TargetInfo target>
    : TargetInfo<alias, target.aspects, target.subGroupSizes, target.aotToolchain, target.aotToolchainOptions,
                 target.maySupportOtherAspects, target.maxWorkGroupSize, target.localMemSize> {
  let AliasOf = target.TargetName;
}

//===-- Generic targets ------------------------------------------------------------------------------------------===//

def Spir64 : TargetInfo<"spir64", [], [], "", "", 1>;
def : TargetAlias<"spirv64", Spir64>;
def : TargetInfo<"spir64_fpga", [], [], "", "", 1>;

//===-- x86-64 CPUs: Scythe's own device [SCYTHE] ----------------------------------------------------------------===//

// Scythe's pools of memory and bindless images work wherever these allocations do.
defvar UsmAllocations = [AspectUsm_device_allocations, AspectUsm_host_allocations, AspectUsm_shared_allocations,
                         AspectExt_oneapi_bindless_images, AspectExt_oneapi_bindless_images_shared_usm,
                         AspectExt_oneapi_bindless_images_1d_usm, AspectExt_oneapi_bindless_images_2d_usm,
                         AspectExt_oneapi_mipmap, AspectExt_oneapi_mipmap_anisotropy,
                         AspectExt_oneapi_mipmap_level_reference, AspectExt_oneapi_cubemap,
                         AspectExt_oneapi_cubemap_seamless_filtering,
                         AspectExt_oneapi_bindless_sampled_image_fetch_1d_usm,
                         AspectExt_oneapi_bindless_sampled_image_fetch_1d,
                         AspectExt_oneapi_bindless_sampled_image_fetch_2d_usm,
                         AspectExt_oneapi_bindless_sampled_image_fetch_2d,
                         AspectExt_oneapi_bindless_sampled_image_fetch_3d, AspectExt_oneapi_image_array,
                         AspectExt_oneapi_unique_addressing_per_dim,
                         AspectExt_oneapi_bindless_images_sample_1d_usm,
                         AspectExt_oneapi_bindless_images_sample_2d_usm,
                         AspectExt_oneapi_bindless_images_gather, AspectExt_oneapi_async_memory_alloc];
// The compiler lowers private memory for all of these targets, and the headers convert colours of images.
defvar OfScythe = UsmAllocations # [AspectExt_oneapi_private_alloca, AspectExt_oneapi_srgb];
defvar CpuAspects = [AspectCpu, AspectFp64, AspectImage, AspectExt_intel_legacy_image, AspectAtomic64,
                     AspectExt_intel_matrix, AspectExt_oneapi_atomic16, AspectExt_oneapi_virtual_mem,
                     AspectExt_oneapi_register_host_memory, AspectExt_oneapi_memory_export_linear, AspectExt_intel_free_memory,
                     AspectOnline_compiler, AspectOnline_linker, AspectQueue_profiling,
                     AspectExt_oneapi_ballot_group, AspectExt_oneapi_fixed_size_group,
                     AspectExt_oneapi_opportunistic_group, AspectExt_oneapi_tangle_group,
                     AspectExt_oneapi_clock_sub_group, AspectExt_oneapi_clock_work_group,
                     AspectExt_oneapi_clock_device,
                     AspectUsm_system_allocations, AspectUsm_atomic_host_allocations,
                     AspectUsm_atomic_shared_allocations, AspectExt_intel_x86_64] # OfScythe;
defvar CpuSizes = [4, 8, 16, 32, 64];

class CpuInfo<string name, list<Aspect> more, string level = "", bit otherAspects = 0>
    : TargetInfo<name, CpuAspects # more, CpuSizes, "scythe", !if(!empty(level), "", "-march=" # level), otherAspects, 8192,
                 262144>;

// Any x86-64 processor. Those with the instructions F16C, which came shortly before AVX2, have fp16 as well.
def X86_64 : CpuInfo<"spir64_x86_64", [], "", 1>;
def : TargetAlias<"x86_64", X86_64>;
def : TargetAlias<"native_cpu", X86_64>;

// Levels of the x86-64 psABI, named by the extension that marks each. A processor of one level is one of those before, too.
defvar Sse2 = [AspectExt_intel_x86_64_sse2];
defvar Sse42 = Sse2 # [AspectExt_intel_x86_64_sse4_2];
defvar Avx2 = Sse42 # [AspectExt_intel_x86_64_avx2, AspectFp16];
defvar Avx512 = Avx2 # [AspectExt_intel_x86_64_avx512];
def : CpuInfo<"x86_64_sse2", Sse2, "x86-64", 1>;
def : CpuInfo<"x86_64_sse4_2", Sse42, "x86-64-v2", 1>;
def : CpuInfo<"x86_64_avx2", Avx2, "x86-64-v3">;
def : CpuInfo<"x86_64_avx512", Avx512, "x86-64-v4">;

//===-- Intel GPUs [NEO] [OCLOC] ---------------------------------------------------------------------------------===//

// What each of them has. Shared allocations with atomics of the host, and allocations of the system, depend on the
// operating system and are not listed.
defvar IntelGpuAspects = [AspectGpu, AspectFp16, AspectImage, AspectExt_intel_legacy_image,
                          AspectOnline_compiler, AspectOnline_linker,
                          AspectQueue_profiling, AspectExt_intel_pci_address, AspectExt_intel_gpu_eu_count,
                          AspectExt_intel_gpu_eu_simd_width, AspectExt_intel_gpu_slices,
                          AspectExt_intel_gpu_subslices_per_slice, AspectExt_intel_gpu_eu_count_per_subslice,
                          AspectExt_intel_gpu_hw_threads_per_eu, AspectExt_intel_device_info_uuid,
                          AspectExt_intel_device_id, AspectExt_intel_esimd, AspectExt_oneapi_ballot_group,
                          AspectExt_oneapi_fixed_size_group, AspectExt_oneapi_opportunistic_group,
                          AspectExt_oneapi_tangle_group] # OfScythe;

// ocloc writes its devices with '-' where targets have '_'.
class IntelGpu<string device, Aspect architecture, list<Aspect> more, list<int> sizes, int workGroup, int localMemory>
    : TargetInfo<"intel_gpu_" # device, [architecture] # IntelGpuAspects # more, sizes, "ocloc",
                 "-device " # !subst("_", "-", device), 0, workGroup, localMemory>;

// Every one has sub-groups of 16 and 32, and some have others, which a list could not say.
def Spir64Gen : TargetInfo<"spir64_gen", IntelGpuAspects, [], "ocloc", "", 1>;
def : TargetAlias<"intel_gpu", Spir64Gen>;

// Gen8 and Gen9: double precision in hardware. The small cores of Apollo Lake and Gemini Lake lack 64-bit atomics.
class Gen8<string device, Aspect architecture>
    : IntelGpu<device, architecture, [AspectFp64, AspectAtomic64], [8, 16, 32], 256, 65536>;
class Gen9<string device, Aspect architecture> : Gen8<device, architecture>;
class Gen9Lp<string device, Aspect architecture>
    : IntelGpu<device, architecture, [AspectFp64], [8, 16, 32], 256, 65536>;

def GpuBdw : Gen8<"bdw", AspectExt_intel_gpu_bdw>;
def GpuSkl : Gen9<"skl", AspectExt_intel_gpu_skl>;
def GpuKbl : Gen9<"kbl", AspectExt_intel_gpu_kbl>;
def GpuCfl : Gen9<"cfl", AspectExt_intel_gpu_cfl>;
def GpuApl : Gen9Lp<"apl", AspectExt_intel_gpu_apl>;
def GpuGlk : Gen9Lp<"glk", AspectExt_intel_gpu_glk>;
def GpuWhl : Gen9<"whl", AspectExt_intel_gpu_whl>;
def GpuAml : Gen9<"aml", AspectExt_intel_gpu_aml>;
def GpuCml : Gen9<"cml", AspectExt_intel_gpu_cml>;

// Gen11: no double precision. Lakefield and Elkhart Lake lack 64-bit atomics as well.
def GpuIcllp
    : IntelGpu<"icllp", AspectExt_intel_gpu_icllp, [AspectAtomic64], [8, 16, 32], 256, 65536>;
def GpuLkf : IntelGpu<"lkf", AspectExt_intel_gpu_lkf, [], [8, 16, 32], 256, 65536>;
def GpuEhl : IntelGpu<"ehl", AspectExt_intel_gpu_ehl, [], [8, 16, 32], 256, 65536>;

// Xe-LP (Gen12LP): no double precision.
class XeLp<string device, Aspect architecture>
    : IntelGpu<device, architecture, [AspectAtomic64], [8, 16, 32], 512, 65536>;

def GpuTgllp : XeLp<"tgllp", AspectExt_intel_gpu_tgllp>;
def GpuRkl : XeLp<"rkl", AspectExt_intel_gpu_rkl>;
def GpuAdlS : XeLp<"adl_s", AspectExt_intel_gpu_adl_s>;
// The graphics of adl_s, by which name older ocloc know it.
def GpuRplS : XeLp<"rpl_s", AspectExt_intel_gpu_rpl_s> {
  let aotToolchainOptions = "-device adl-s";
}
def GpuAdlP : XeLp<"adl_p", AspectExt_intel_gpu_adl_p>;
def GpuAdlN : XeLp<"adl_n", AspectExt_intel_gpu_adl_n>;
def GpuDg1 : XeLp<"dg1", AspectExt_intel_gpu_dg1>;

// Xe-HPG (Alchemist): matrix engines; double precision only emulated by the driver, on demand, and so not an aspect.
class XeHpg<string device, Aspect architecture>
    : IntelGpu<device, architecture, [AspectAtomic64, AspectExt_intel_matrix], [8, 16, 32], 1024, 65536>;

def GpuAcmG10 : XeHpg<"acm_g10", AspectExt_intel_gpu_acm_g10>;
def GpuAcmG11 : XeHpg<"acm_g11", AspectExt_intel_gpu_acm_g11>;
def GpuAcmG12 : XeHpg<"acm_g12", AspectExt_intel_gpu_acm_g12>;

// Xe-HPC (Ponte Vecchio): double precision and matrix engines, no units for images, no sub-groups of 8.
class XeHpc<string device, Aspect architecture>
    : IntelGpu<device, architecture, [AspectFp64, AspectAtomic64, AspectExt_intel_matrix], [16, 32], 1024, 131072>;

def GpuPvc : XeHpc<"pvc", AspectExt_intel_gpu_pvc>;
def GpuPvcVg : XeHpc<"pvc_vg", AspectExt_intel_gpu_pvc_vg>;

// Xe-LPG (Meteor Lake, Arrow Lake H): double precision again; Arrow Lake H has matrix engines.
class XeLpg<string device, Aspect architecture, list<Aspect> more = []>
    : IntelGpu<device, architecture, [AspectFp64, AspectAtomic64] # more, [8, 16, 32], 1024, 65536>;

def GpuMtlU : XeLpg<"mtl_u", AspectExt_intel_gpu_mtl_u>;
def GpuMtlH : XeLpg<"mtl_h", AspectExt_intel_gpu_mtl_h>;
def GpuArlH : XeLpg<"arl_h", AspectExt_intel_gpu_arl_h, [AspectExt_intel_matrix]>;

// Xe2 and Xe3 (Lunar Lake, Battlemage, Panther Lake).
class Xe2<string device, Aspect architecture>
    : IntelGpu<device, architecture, [AspectFp64, AspectAtomic64, AspectExt_intel_matrix], [16, 32], 1024,
               131072>;

def GpuLnlM : Xe2<"lnl_m", AspectExt_intel_gpu_lnl_m>;
def GpuBmgG21 : Xe2<"bmg_g21", AspectExt_intel_gpu_bmg_g21>;
def GpuPtlH : Xe2<"ptl_h", AspectExt_intel_gpu_ptl_h>;
def GpuPtlU : Xe2<"ptl_u", AspectExt_intel_gpu_ptl_u>;

// Versions, as `intel_gpu_<major>_<minor>_<revision>`, and shorter names.
def : TargetAlias<"intel_gpu_8_0_0", GpuBdw>;
def : TargetAlias<"intel_gpu_9_0_9", GpuSkl>;
def : TargetAlias<"intel_gpu_9_1_9", GpuKbl>;
def : TargetAlias<"intel_gpu_9_2_9", GpuCfl>;
def : TargetAlias<"intel_gpu_9_3_0", GpuApl>;
def : TargetAlias<"intel_gpu_bxt", GpuApl>;
def : TargetAlias<"intel_gpu_9_4_0", GpuGlk>;
def : TargetAlias<"intel_gpu_9_5_0", GpuWhl>;
def : TargetAlias<"intel_gpu_9_6_0", GpuAml>;
def : TargetAlias<"intel_gpu_9_7_0", GpuCml>;
def : TargetAlias<"intel_gpu_icl", GpuIcllp>;
def : TargetAlias<"intel_gpu_11_0_0", GpuIcllp>;
def : TargetAlias<"intel_gpu_11_0", GpuIcllp>;
def : TargetAlias<"intel_gpu_11_1_0", GpuLkf>;
def : TargetAlias<"intel_gpu_11_1", GpuLkf>;
def : TargetAlias<"intel_gpu_11_2_0", GpuEhl>;
def : TargetAlias<"intel_gpu_jsl", GpuEhl>;
def : TargetAlias<"intel_gpu_tgl", GpuTgllp>;
def : TargetAlias<"intel_gpu_12_0_0", GpuTgllp>;
def : TargetAlias<"intel_gpu_12_0", GpuTgllp>;
def : TargetAlias<"intel_gpu_12", GpuTgllp>;
def : TargetAlias<"intel_gpu_12_1_0", GpuRkl>;
def : TargetAlias<"intel_gpu_12_2_0", GpuAdlS>;
def : TargetAlias<"intel_gpu_12_3_0", GpuAdlP>;
def : TargetAlias<"intel_gpu_12_4_0", GpuAdlN>;
def : TargetAlias<"intel_gpu_12_10_0", GpuDg1>;
def : TargetAlias<"intel_gpu_12_55_8", GpuAcmG10>;
def : TargetAlias<"intel_gpu_dg2_g10", GpuAcmG10>;
def : TargetAlias<"intel_gpu_12_56_5", GpuAcmG11>;
def : TargetAlias<"intel_gpu_dg2_g11", GpuAcmG11>;
def : TargetAlias<"intel_gpu_12_57_0", GpuAcmG12>;
def : TargetAlias<"intel_gpu_dg2_g12", GpuAcmG12>;
def : TargetAlias<"intel_gpu_12_60_7", GpuPvc>;
def : TargetAlias<"intel_gpu_12_61_7", GpuPvcVg>;
def : TargetAlias<"intel_gpu_12_70_4", GpuMtlU>;
def : TargetAlias<"intel_gpu_mtl_s", GpuMtlU>;
def : TargetAlias<"intel_gpu_arl_u", GpuMtlU>;
def : TargetAlias<"intel_gpu_arl_s", GpuMtlU>;
def : TargetAlias<"intel_gpu_12_71_4", GpuMtlH>;
def : TargetAlias<"intel_gpu_12_74_4", GpuArlH>;
def : TargetAlias<"intel_gpu_20_1_4", GpuBmgG21>;
def : TargetAlias<"intel_gpu_20_4_4", GpuLnlM>;
def : TargetAlias<"intel_gpu_30_0_4", GpuPtlH>;
def : TargetAlias<"intel_gpu_30_1_1", GpuPtlU>;

//===-- NVIDIA GPUs [CUDA] [DPCPP] -------------------------------------------------------------------------------===//

defvar NvidiaAspects = [AspectGpu, AspectFp64, AspectImage, AspectExt_intel_legacy_image,
                        AspectOnline_compiler, AspectOnline_linker, AspectQueue_profiling,
                        AspectExt_intel_pci_address, AspectExt_intel_device_info_uuid,
                        AspectExt_intel_free_memory, AspectExt_intel_device_id,
                        AspectExt_intel_memory_clock_rate, AspectExt_intel_memory_bus_width,
                        AspectExt_intel_max_mem_bandwidth, AspectExt_oneapi_native_assert,
                        AspectExt_oneapi_ballot_group, AspectExt_oneapi_fixed_size_group,
                        AspectExt_oneapi_opportunistic_group, AspectExt_oneapi_clock_sub_group,
                        AspectExt_oneapi_clock_work_group, AspectExt_oneapi_clock_device] # OfScythe;
defvar Since53 = [AspectFp16];
defvar Since60 = Since53 # [AspectAtomic64];
defvar Since70 = Since60 # [AspectExt_oneapi_atomic16];
defvar Since80 = Since70 # [AspectExt_oneapi_cuda_async_barrier];
defvar Since90 = Since80 # [AspectExt_oneapi_cuda_cluster_group];

// PTX of version 8.3 is what kernels are written in where the architecture needs no newer one.
class NvidiaGpu<string sm, Aspect architecture, list<Aspect> more, int ptx = 83>
    : TargetInfo<"nvidia_gpu_sm_" # sm, [architecture] # NvidiaAspects # more, [32], "ptxas", "-arch=sm_" # sm, 0, 1024,
                 49152, ptx>;

// All of them that current releases of CUDA know.
def Nvptx64 : TargetInfo<"nvptx64-nvidia-cuda", NvidiaAspects, [32], "ptxas", "-arch=sm_75", 1, 0, 0, 83>;
def : TargetAlias<"ptx64", Nvptx64>;
def : NvidiaGpu<"50", AspectExt_nvidia_gpu_sm_50, []>;
def : NvidiaGpu<"52", AspectExt_nvidia_gpu_sm_52, []>;
def : NvidiaGpu<"53", AspectExt_nvidia_gpu_sm_53, Since53>;
def : NvidiaGpu<"60", AspectExt_nvidia_gpu_sm_60, Since60>;
def : NvidiaGpu<"61", AspectExt_nvidia_gpu_sm_61, Since60>;
def : NvidiaGpu<"62", AspectExt_nvidia_gpu_sm_62, Since60>;
def : NvidiaGpu<"70", AspectExt_nvidia_gpu_sm_70, Since70>;
def : NvidiaGpu<"72", AspectExt_nvidia_gpu_sm_72, Since70>;
def : NvidiaGpu<"75", AspectExt_nvidia_gpu_sm_75, Since70>;
def : NvidiaGpu<"80", AspectExt_nvidia_gpu_sm_80, Since80>;
def : NvidiaGpu<"86", AspectExt_nvidia_gpu_sm_86, Since80>;
def : NvidiaGpu<"87", AspectExt_nvidia_gpu_sm_87, Since80>;
def : NvidiaGpu<"89", AspectExt_nvidia_gpu_sm_89, Since80>;
def : NvidiaGpu<"90", AspectExt_nvidia_gpu_sm_90, Since90>;
def : NvidiaGpu<"90a", AspectExt_nvidia_gpu_sm_90a, Since90>;
def : NvidiaGpu<"100", AspectExt_nvidia_gpu_sm_100, Since90, 86>;
def : NvidiaGpu<"100a", AspectExt_nvidia_gpu_sm_100a, Since90, 86>;
def : NvidiaGpu<"101", AspectExt_nvidia_gpu_sm_101, Since90, 86>;
def : NvidiaGpu<"103", AspectExt_nvidia_gpu_sm_103, Since90, 88>;
def : NvidiaGpu<"110", AspectExt_nvidia_gpu_sm_110, Since90, 90>;
def : NvidiaGpu<"120", AspectExt_nvidia_gpu_sm_120, Since90, 87>;
def : NvidiaGpu<"120a", AspectExt_nvidia_gpu_sm_120a, Since90, 87>;
def : NvidiaGpu<"121", AspectExt_nvidia_gpu_sm_121, Since90, 88>;
