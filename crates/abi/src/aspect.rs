//! The numbers and names of the aspects of `sycl::aspect`: the one table on which headers,
//! compiler, device configuration and backends agree.
//!
//! The numbers below 900 are those that DPC++ publishes, so that device images have the same
//! meaning in both implementations. Missing numbers belonged to aspects that were withdrawn; they
//! stay unused. From 900 on, Scythe numbers aspects of extensions for which no number is published.
//! From 1000 on there is one aspect for each device architecture that
//! `-fsycl-targets=` can name. The property `fixed_target` holds these aspects. DPC++ assigned no
//! numbers to them; the numbers of Scythe leave room for numbers that DPC++ may add.
//!
//! `include/sycl/detail/aspects.def` is the same table for C++, and `crates/device-config/td` for
//! TableGen. Tests compare the three.

macro_rules! aspects {
    ($($variant:ident = $number:literal, $name:literal;)*) => {
        /// A property that a device may have and that device code may require.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(non_camel_case_types)]
        #[repr(u32)]
        pub enum Aspect {
            $(
                #[doc = concat!("`aspect::", $name, "`")]
                $variant = $number,
            )*
        }

        /// The aspects that headers and runtime implement for every device with device allocations.
pub const OF_DEVICE_ALLOCATIONS: [Aspect; 20] = [
    Aspect::ExtOneapiBindlessImages,
    Aspect::ExtOneapiBindlessImagesSharedUsm,
    Aspect::ExtOneapiBindlessImages1dUsm,
    Aspect::ExtOneapiBindlessImages2dUsm,
    Aspect::ExtOneapiMipmap,
    Aspect::ExtOneapiMipmapAnisotropy,
    Aspect::ExtOneapiMipmapLevelReference,
    Aspect::ExtOneapiCubemap,
    Aspect::ExtOneapiCubemapSeamlessFiltering,
    Aspect::ExtOneapiBindlessSampledImageFetch1dUsm,
    Aspect::ExtOneapiBindlessSampledImageFetch1d,
    Aspect::ExtOneapiBindlessSampledImageFetch2dUsm,
    Aspect::ExtOneapiBindlessSampledImageFetch2d,
    Aspect::ExtOneapiBindlessSampledImageFetch3d,
    Aspect::ExtOneapiImageArray,
    Aspect::ExtOneapiUniqueAddressingPerDim,
    Aspect::ExtOneapiBindlessImagesSample1dUsm,
    Aspect::ExtOneapiBindlessImagesSample2dUsm,
    Aspect::ExtOneapiBindlessImagesGather,
    Aspect::ExtOneapiAsyncMemoryAlloc,
];

impl Aspect {
            /// All aspects, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name of the enumerator in `sycl::aspect`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

aspects! {
    Host = 0, "host";
    Cpu = 1, "cpu";
    Gpu = 2, "gpu";
    Accelerator = 3, "accelerator";
    Custom = 4, "custom";
    Fp16 = 5, "fp16";
    Fp64 = 6, "fp64";
    Int64BaseAtomics = 7, "int64_base_atomics";
    Int64ExtendedAtomics = 8, "int64_extended_atomics";
    Image = 9, "image";
    OnlineCompiler = 10, "online_compiler";
    OnlineLinker = 11, "online_linker";
    QueueProfiling = 12, "queue_profiling";
    UsmDeviceAllocations = 13, "usm_device_allocations";
    UsmHostAllocations = 14, "usm_host_allocations";
    UsmSharedAllocations = 15, "usm_shared_allocations";
    UsmRestrictedSharedAllocations = 16, "usm_restricted_shared_allocations";
    UsmSystemAllocations = 17, "usm_system_allocations";
    ExtIntelPciAddress = 18, "ext_intel_pci_address";
    ExtIntelGpuEuCount = 19, "ext_intel_gpu_eu_count";
    ExtIntelGpuEuSimdWidth = 20, "ext_intel_gpu_eu_simd_width";
    ExtIntelGpuSlices = 21, "ext_intel_gpu_slices";
    ExtIntelGpuSubslicesPerSlice = 22, "ext_intel_gpu_subslices_per_slice";
    ExtIntelGpuEuCountPerSubslice = 23, "ext_intel_gpu_eu_count_per_subslice";
    ExtIntelMaxMemBandwidth = 24, "ext_intel_max_mem_bandwidth";
    ExtIntelMemChannel = 25, "ext_intel_mem_channel";
    UsmAtomicHostAllocations = 26, "usm_atomic_host_allocations";
    UsmAtomicSharedAllocations = 27, "usm_atomic_shared_allocations";
    Atomic64 = 28, "atomic64";
    ExtIntelDeviceInfoUuid = 29, "ext_intel_device_info_uuid";
    ExtOneapiSrgb = 30, "ext_oneapi_srgb";
    ExtOneapiNativeAssert = 31, "ext_oneapi_native_assert";
    HostDebuggable = 32, "host_debuggable";
    ExtIntelGpuHwThreadsPerEu = 33, "ext_intel_gpu_hw_threads_per_eu";
    ExtOneapiCudaAsyncBarrier = 34, "ext_oneapi_cuda_async_barrier";
    ExtOneapiBfloat16MathFunctions = 35, "ext_oneapi_bfloat16_math_functions";
    ExtIntelFreeMemory = 36, "ext_intel_free_memory";
    ExtIntelDeviceId = 37, "ext_intel_device_id";
    ExtIntelMemoryClockRate = 38, "ext_intel_memory_clock_rate";
    ExtIntelMemoryBusWidth = 39, "ext_intel_memory_bus_width";
    Emulated = 40, "emulated";
    ExtIntelLegacyImage = 41, "ext_intel_legacy_image";
    ExtOneapiBindlessImages = 42, "ext_oneapi_bindless_images";
    ExtOneapiBindlessImagesSharedUsm = 43, "ext_oneapi_bindless_images_shared_usm";
    ExtOneapiBindlessImages1dUsm = 44, "ext_oneapi_bindless_images_1d_usm";
    ExtOneapiBindlessImages2dUsm = 45, "ext_oneapi_bindless_images_2d_usm";
    ExtOneapiExternalMemoryImport = 46, "ext_oneapi_external_memory_import";
    ExtOneapiExternalSemaphoreImport = 48, "ext_oneapi_external_semaphore_import";
    ExtOneapiMipmap = 50, "ext_oneapi_mipmap";
    ExtOneapiMipmapAnisotropy = 51, "ext_oneapi_mipmap_anisotropy";
    ExtOneapiMipmapLevelReference = 52, "ext_oneapi_mipmap_level_reference";
    ExtIntelEsimd = 53, "ext_intel_esimd";
    ExtOneapiBallotGroup = 54, "ext_oneapi_ballot_group";
    ExtOneapiFixedSizeGroup = 55, "ext_oneapi_fixed_size_group";
    ExtOneapiOpportunisticGroup = 56, "ext_oneapi_opportunistic_group";
    ExtOneapiTangleGroup = 57, "ext_oneapi_tangle_group";
    ExtIntelMatrix = 58, "ext_intel_matrix";
    ExtOneapiIsComposite = 59, "ext_oneapi_is_composite";
    ExtOneapiIsComponent = 60, "ext_oneapi_is_component";
    ExtOneapiGraph = 61, "ext_oneapi_graph";
    ExtIntelFpgaTaskSequence = 62, "ext_intel_fpga_task_sequence";
    ExtOneapiLimitedGraph = 63, "ext_oneapi_limited_graph";
    ExtOneapiPrivateAlloca = 64, "ext_oneapi_private_alloca";
    ExtOneapiCubemap = 65, "ext_oneapi_cubemap";
    ExtOneapiCubemapSeamlessFiltering = 66, "ext_oneapi_cubemap_seamless_filtering";
    ExtOneapiBindlessSampledImageFetch1dUsm = 67, "ext_oneapi_bindless_sampled_image_fetch_1d_usm";
    ExtOneapiBindlessSampledImageFetch1d = 68, "ext_oneapi_bindless_sampled_image_fetch_1d";
    ExtOneapiBindlessSampledImageFetch2dUsm = 69, "ext_oneapi_bindless_sampled_image_fetch_2d_usm";
    ExtOneapiBindlessSampledImageFetch2d = 70, "ext_oneapi_bindless_sampled_image_fetch_2d";
    ExtOneapiBindlessSampledImageFetch3d = 72, "ext_oneapi_bindless_sampled_image_fetch_3d";
    ExtOneapiQueueProfilingTag = 73, "ext_oneapi_queue_profiling_tag";
    ExtOneapiVirtualMem = 74, "ext_oneapi_virtual_mem";
    ExtOneapiCudaClusterGroup = 75, "ext_oneapi_cuda_cluster_group";
    ExtOneapiImageArray = 76, "ext_oneapi_image_array";
    ExtOneapiUniqueAddressingPerDim = 77, "ext_oneapi_unique_addressing_per_dim";
    ExtOneapiBindlessImagesSample1dUsm = 78, "ext_oneapi_bindless_images_sample_1d_usm";
    ExtOneapiBindlessImagesSample2dUsm = 79, "ext_oneapi_bindless_images_sample_2d_usm";
    ExtOneapiAtomic16 = 80, "ext_oneapi_atomic16";
    ExtOneapiVirtualFunctions = 81, "ext_oneapi_virtual_functions";
    ExtIntelSpillMemorySize = 82, "ext_intel_spill_memory_size";
    ExtOneapiBindlessImagesGather = 83, "ext_oneapi_bindless_images_gather";
    ExtIntelCurrentClockThrottleReasons = 84, "ext_intel_current_clock_throttle_reasons";
    ExtIntelFanSpeed = 85, "ext_intel_fan_speed";
    ExtIntelPowerLimits = 86, "ext_intel_power_limits";
    ExtOneapiAsyncMemoryAlloc = 87, "ext_oneapi_async_memory_alloc";
    ExtOneapiClockSubGroup = 91, "ext_oneapi_clock_sub_group";
    ExtOneapiClockWorkGroup = 92, "ext_oneapi_clock_work_group";
    ExtOneapiClockDevice = 93, "ext_oneapi_clock_device";
    ExtOneapiIsIntegratedGpu = 94, "ext_oneapi_is_integrated_gpu";
    ExtOneapiRegisterHostMemory = 900, "ext_oneapi_register_host_memory";
    ExtOneapiMemoryExportLinear = 901, "ext_oneapi_memory_export_linear";
    ExtOneapiIpcMemory = 902, "ext_oneapi_ipc_memory";
    ExtOneapiDeviceWait = 903, "ext_oneapi_device_wait";
    ExtIntelX86_64 = 1000, "ext_intel_x86_64";
    ExtIntelX86_64Sse2 = 1001, "ext_intel_x86_64_sse2";
    ExtIntelX86_64Sse4_2 = 1002, "ext_intel_x86_64_sse4_2";
    ExtIntelX86_64Avx2 = 1003, "ext_intel_x86_64_avx2";
    ExtIntelX86_64Avx512 = 1004, "ext_intel_x86_64_avx512";
    ExtIntelGpuBdw = 1020, "ext_intel_gpu_bdw";
    ExtIntelGpuSkl = 1021, "ext_intel_gpu_skl";
    ExtIntelGpuKbl = 1022, "ext_intel_gpu_kbl";
    ExtIntelGpuCfl = 1023, "ext_intel_gpu_cfl";
    ExtIntelGpuApl = 1024, "ext_intel_gpu_apl";
    ExtIntelGpuGlk = 1025, "ext_intel_gpu_glk";
    ExtIntelGpuWhl = 1026, "ext_intel_gpu_whl";
    ExtIntelGpuAml = 1027, "ext_intel_gpu_aml";
    ExtIntelGpuCml = 1028, "ext_intel_gpu_cml";
    ExtIntelGpuIcllp = 1029, "ext_intel_gpu_icllp";
    ExtIntelGpuLkf = 1030, "ext_intel_gpu_lkf";
    ExtIntelGpuEhl = 1031, "ext_intel_gpu_ehl";
    ExtIntelGpuTgllp = 1032, "ext_intel_gpu_tgllp";
    ExtIntelGpuRkl = 1033, "ext_intel_gpu_rkl";
    ExtIntelGpuAdlS = 1034, "ext_intel_gpu_adl_s";
    ExtIntelGpuRplS = 1035, "ext_intel_gpu_rpl_s";
    ExtIntelGpuAdlP = 1036, "ext_intel_gpu_adl_p";
    ExtIntelGpuAdlN = 1037, "ext_intel_gpu_adl_n";
    ExtIntelGpuDg1 = 1038, "ext_intel_gpu_dg1";
    ExtIntelGpuAcmG10 = 1039, "ext_intel_gpu_acm_g10";
    ExtIntelGpuAcmG11 = 1040, "ext_intel_gpu_acm_g11";
    ExtIntelGpuAcmG12 = 1041, "ext_intel_gpu_acm_g12";
    ExtIntelGpuPvc = 1042, "ext_intel_gpu_pvc";
    ExtIntelGpuPvcVg = 1043, "ext_intel_gpu_pvc_vg";
    ExtIntelGpuMtlU = 1044, "ext_intel_gpu_mtl_u";
    ExtIntelGpuMtlH = 1045, "ext_intel_gpu_mtl_h";
    ExtIntelGpuArlH = 1046, "ext_intel_gpu_arl_h";
    ExtIntelGpuBmgG21 = 1047, "ext_intel_gpu_bmg_g21";
    ExtIntelGpuLnlM = 1048, "ext_intel_gpu_lnl_m";
    ExtIntelGpuPtlH = 1049, "ext_intel_gpu_ptl_h";
    ExtIntelGpuPtlU = 1050, "ext_intel_gpu_ptl_u";
    ExtNvidiaGpuSm50 = 1100, "ext_nvidia_gpu_sm_50";
    ExtNvidiaGpuSm52 = 1101, "ext_nvidia_gpu_sm_52";
    ExtNvidiaGpuSm53 = 1102, "ext_nvidia_gpu_sm_53";
    ExtNvidiaGpuSm60 = 1103, "ext_nvidia_gpu_sm_60";
    ExtNvidiaGpuSm61 = 1104, "ext_nvidia_gpu_sm_61";
    ExtNvidiaGpuSm62 = 1105, "ext_nvidia_gpu_sm_62";
    ExtNvidiaGpuSm70 = 1106, "ext_nvidia_gpu_sm_70";
    ExtNvidiaGpuSm72 = 1107, "ext_nvidia_gpu_sm_72";
    ExtNvidiaGpuSm75 = 1108, "ext_nvidia_gpu_sm_75";
    ExtNvidiaGpuSm80 = 1109, "ext_nvidia_gpu_sm_80";
    ExtNvidiaGpuSm86 = 1110, "ext_nvidia_gpu_sm_86";
    ExtNvidiaGpuSm87 = 1111, "ext_nvidia_gpu_sm_87";
    ExtNvidiaGpuSm89 = 1112, "ext_nvidia_gpu_sm_89";
    ExtNvidiaGpuSm90 = 1113, "ext_nvidia_gpu_sm_90";
    ExtNvidiaGpuSm90a = 1114, "ext_nvidia_gpu_sm_90a";
    ExtNvidiaGpuSm100 = 1115, "ext_nvidia_gpu_sm_100";
    ExtNvidiaGpuSm100a = 1116, "ext_nvidia_gpu_sm_100a";
    ExtNvidiaGpuSm101 = 1117, "ext_nvidia_gpu_sm_101";
    ExtNvidiaGpuSm103 = 1118, "ext_nvidia_gpu_sm_103";
    ExtNvidiaGpuSm110 = 1119, "ext_nvidia_gpu_sm_110";
    ExtNvidiaGpuSm120 = 1120, "ext_nvidia_gpu_sm_120";
    ExtNvidiaGpuSm120a = 1121, "ext_nvidia_gpu_sm_120a";
    ExtNvidiaGpuSm121 = 1122, "ext_nvidia_gpu_sm_121";
}

impl Aspect {
    /// The lowest number of an aspect that names an architecture.
    const FIRST_ARCHITECTURE: u32 = 1000;

    /// Returns the aspect with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        let place = Self::ALL.binary_search_by_key(&number, |&aspect| aspect as u32).ok()?;
        Some(Self::ALL[place])
    }

    /// Returns the aspect with this name, the inverse of [`Aspect::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|aspect| aspect.as_str() == name)
    }

    /// Returns whether the aspect names the architecture of a device rather than a capability.
    pub fn is_architecture(self) -> bool {
        self as u32 >= Self::FIRST_ARCHITECTURE
    }

    /// Returns whether the aspect names a GPU architecture, which is a separate compilation target.
    pub fn is_gpu_architecture(self) -> bool {
        self as u32 >= Self::ExtIntelGpuBdw as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_round_trip() {
        for &aspect in Aspect::ALL {
            assert_eq!(Aspect::from_u32(aspect as u32), Some(aspect));
            assert_eq!(Aspect::from_name(aspect.as_str()), Some(aspect));
        }
        assert_eq!(Aspect::from_u32(47), None);
        assert_eq!(Aspect::from_name("fp128"), None);
    }

    #[test]
    fn the_table_is_in_order() {
        assert!(Aspect::ALL.is_sorted());
    }

    #[test]
    fn architectures_are_told_from_features() {
        assert!(
            Aspect::ExtIntelGpuSkl.is_architecture() && Aspect::ExtIntelX86_64.is_architecture()
        );
        assert!(
            !Aspect::Atomic64.is_architecture() && !Aspect::ExtIntelGpuSlices.is_architecture()
        );
    }

    #[test]
    fn the_headers_have_the_same_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/sycl/detail/aspects.def");
        let text = std::fs::read_to_string(path).expect("the headers stand beside the crates");
        let rows: Vec<String> = text
            .lines()
            .filter(|line| line.starts_with("SCYTHE_ASPECT("))
            .map(str::to_owned)
            .collect();
        let expected: Vec<String> = Aspect::ALL
            .iter()
            .map(|&aspect| format!("SCYTHE_ASPECT({}, {})", aspect.as_str(), aspect as u32))
            .collect();
        assert_eq!(rows, expected);
    }

    /// `sycl/ext/oneapi/architecture.hpp` relies on this to distinguish GPU architectures from
    /// other aspects.
    #[test]
    fn in_the_headers_all_numbers_from_the_first_gpu_on_are_architectures() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/sycl/detail/architectures.def");
        let text = std::fs::read_to_string(path).expect("the headers stand beside the crates");
        let expected: Vec<&str> = Aspect::ALL
            .iter()
            .filter(|&&aspect| aspect as u32 >= Aspect::ExtIntelGpuBdw as u32)
            .map(|aspect| aspect.as_str())
            .collect();
        let (mut short, mut long) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let Some((kind, fields)) = line.strip_suffix(')').and_then(|line| line.split_once('('))
            else {
                continue;
            };
            let fields: Vec<&str> = fields.split(", ").collect();
            match (kind, fields.as_slice()) {
                ("SCYTHE_INTEL", [name]) => short.push(format!("ext_intel_gpu_{name}")),
                ("SCYTHE_NVIDIA", [name]) => short.push(format!("ext_nvidia_gpu_{name}")),
                ("SCYTHE_ARCHITECTURE", [vendor, name, macro_part]) => {
                    let middle = format!("{vendor}_gpu_{name}");
                    assert_eq!(middle.to_uppercase(), *macro_part);
                    long.push(format!("ext_{middle}"));
                }
                _ => {}
            }
        }
        assert_eq!(short, expected);
        assert_eq!(long, expected);
    }
}
