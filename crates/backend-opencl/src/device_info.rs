//! The properties of a device, in OpenCL's numbers and in the runtime's.

use scythe_abi::aspect::Aspect;
use scythe_abi::intel::Version;
use scythe_hal::Partitions;
use scythe_hal::info::{DeviceDetails, DeviceInfo, DeviceType, pci_address};

use crate::api::{Api, Handle, bytes, text};
use crate::intel::{self, IntelGpu};
use crate::memory::Sharing;

const TYPE: u32 = 0x1000;
const VENDOR_ID: u32 = 0x1001;
const MAX_COMPUTE_UNITS: u32 = 0x1002;
const MAX_WORK_GROUP_SIZE: u32 = 0x1004;
const MAX_WORK_ITEM_SIZES: u32 = 0x1005;
const PREFERRED_VECTOR_WIDTHS: [u32; 7] = [0x1006, 0x1007, 0x1008, 0x1009, 0x100a, 0x100b, 0x1034];
const NATIVE_VECTOR_WIDTHS: [u32; 7] = [0x1036, 0x1037, 0x1038, 0x1039, 0x103a, 0x103b, 0x103c];
const MAX_CLOCK_FREQUENCY: u32 = 0x100c;
const ADDRESS_BITS: u32 = 0x100d;
const MAX_MEM_ALLOC_SIZE: u32 = 0x1010;
const MAX_PARAMETER_SIZE: u32 = 0x1017;
const MEM_BASE_ADDR_ALIGN: u32 = 0x1019;
const SINGLE_FP_CONFIG: u32 = 0x101b;
const GLOBAL_MEM_CACHE_TYPE: u32 = 0x101c;
const GLOBAL_MEM_CACHE_LINE_SIZE: u32 = 0x101d;
const GLOBAL_MEM_CACHE_SIZE: u32 = 0x101e;
const GLOBAL_MEM_SIZE: u32 = 0x101f;
const LOCAL_MEM_TYPE: u32 = 0x1022;
const LOCAL_MEM_SIZE: u32 = 0x1023;
const ERROR_CORRECTION: u32 = 0x1024;
const PROFILING_TIMER_RESOLUTION: u32 = 0x1025;
const AVAILABLE: u32 = 0x1027;
const COMPILER_AVAILABLE: u32 = 0x1028;
const NAME: u32 = 0x102b;
const VENDOR: u32 = 0x102c;
const DRIVER_VERSION: u32 = 0x102d;
const PROFILE: u32 = 0x102e;
const VERSION: u32 = 0x102f;
const EXTENSIONS: u32 = 0x1030;
const DOUBLE_FP_CONFIG: u32 = 0x1032;
const HALF_FP_CONFIG: u32 = 0x1033;
const HOST_UNIFIED_MEMORY: u32 = 0x1035;
const PARTITION_MAX_SUB_DEVICES: u32 = 0x1043;
const PARTITION_PROPERTIES: u32 = 0x1044;
const PARTITION_AFFINITY_DOMAIN: u32 = 0x1045;
const PRINTF_BUFFER_SIZE: u32 = 0x1049;
const SVM_CAPABILITIES: u32 = 0x1053;
const IL_VERSION: u32 = 0x105b;
const MAX_NUM_SUB_GROUPS: u32 = 0x105c;
const SUB_GROUP_FORWARD_PROGRESS: u32 = 0x105d;
const SUB_GROUP_SIZES: u32 = 0x4108;
const ATOMIC_MEMORY_CAPABILITIES: u32 = 0x1063;
const SPIRV_EXTENSIONS: u32 = 0x12ba;
const UUID: u32 = 0x106a;
const PCI_BUS_INFO: u32 = 0x410f;
const INTEL_ID: u32 = 0x4251;
const INTEL_SLICES: u32 = 0x4252;
const INTEL_SUB_SLICES_PER_SLICE: u32 = 0x4253;
const INTEL_EUS_PER_SUB_SLICE: u32 = 0x4254;
const INTEL_THREADS_PER_EU: u32 = 0x4255;
const HOST_MEM_CAPABILITIES: u32 = 0x4190;
const DEVICE_MEM_CAPABILITIES: u32 = 0x4191;
const SHARED_MEM_CAPABILITIES: u32 = 0x4192;
const SYSTEM_MEM_CAPABILITIES: u32 = 0x4194;

const SVM_FINE_GRAIN_BUFFER: u64 = 2;
const SVM_FINE_GRAIN_SYSTEM: u64 = 4;
const SVM_ATOMICS: u64 = 8;

/// Queries the driver about one device.
struct Ask<'a>(&'a Api, Handle);

impl Ask<'_> {
    fn bytes(&self, name: u32) -> Vec<u8> {
        // SAFETY: the device belongs to the loader, and the call gets the size of the memory.
        bytes(|size, place, full| unsafe {
            (self.0.get_device_info)(self.1, name, size, place, full)
        })
    }

    /// Returns numbers of any size, or none if the driver does not answer.
    fn numbers(&self, name: u32, width: usize) -> Vec<u64> {
        let number = |chunk: &[u8]| {
            let mut wide = [0; 8];
            wide[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(wide)
        };
        self.bytes(name).chunks_exact(width).map(number).collect()
    }

    fn u32(&self, name: u32) -> u32 {
        self.numbers(name, 4).first().map_or(0, |&n| n as u32)
    }

    fn u64(&self, name: u32) -> u64 {
        self.numbers(name, 8).first().copied().unwrap_or(0)
    }

    fn text(&self, name: u32) -> String {
        text(&self.bytes(name))
    }
}

pub(crate) fn name(api: &Api, device: Handle) -> String {
    Ask(api, device).text(NAME)
}

pub(crate) fn has_extension(api: &Api, device: Handle, name: &str) -> bool {
    Ask(api, device).text(EXTENSIONS).split_whitespace().any(|extension| extension == name)
}

/// Returns whether the host may access shared virtual memory at any time, and whether host and
/// device may access it at the same time.
pub(crate) fn virtual_memory(api: &Api, device: Handle) -> (bool, bool) {
    let svm = Ask(api, device).u64(SVM_CAPABILITIES);
    (svm & SVM_FINE_GRAIN_BUFFER != 0, svm & SVM_ATOMICS != 0)
}

/// Returns the reason why kernels cannot run on a device, if there is one.
pub(crate) fn unusable(api: &Api, device: Handle) -> Option<String> {
    let ask = Ask(api, device);
    if ask.u32(AVAILABLE) == 0 {
        return Some("the driver reports it as unavailable".into());
    }
    if ask.u32(COMPILER_AVAILABLE) == 0 {
        return Some("its driver has no compiler".into());
    }
    if spirv_version(&ask.text(IL_VERSION)).is_none() {
        let seen = ask.text(IL_VERSION);
        return Some(format!(
            "its driver does not support SPIR-V (CL_DEVICE_IL_VERSION is '{seen}', expected \
             SPIR-V_1.0 or later)"
        ));
    }
    (ask.u32(ADDRESS_BITS) != 64).then(|| {
        format!("it has {}-bit addresses, expected 64-bit addresses", ask.u32(ADDRESS_BITS))
    })
}

/// Returns the highest version in a list such as `SPIR-V_1.2 SPIR-V_1.4`, as 0x0001_0400.
fn spirv_version(list: &str) -> Option<u32> {
    let version = |word: &str| {
        let (major, minor) = word.strip_prefix("SPIR-V_")?.split_once('.')?;
        Some(major.parse::<u32>().ok()? << 16 | minor.parse::<u32>().ok()? << 8)
    };
    list.split_whitespace().filter_map(version).filter(|&v| v >> 16 == 1).max()
}

/// Returns the device as an Intel GPU, if it is one.
pub(crate) fn intel(api: &Api, device: Handle) -> Option<IntelGpu> {
    let ask = Ask(api, device);
    if ask.u32(VENDOR_ID) != intel::VENDOR || device_type(ask.u64(TYPE)) != DeviceType::Gpu {
        return None;
    }
    let told = has_extension(api, device, intel::ATTRIBUTES).then(|| ask.u32(intel::IP_VERSION));
    Some(IntelGpu { version: told.and_then(Version::from_driver) })
}

/// The SPIR-V features that the translation may use.
pub(crate) struct Dialect {
    /// The names of SPIR-V extensions, sorted.
    pub(crate) extensions: Vec<String>,
    pub(crate) version: u32,
}

/// SPIR-V extensions that an OpenCL extension implies.
const BROUGHT_ALONG: [(&str, &str); 8] = [
    ("cl_ext_float_atomics", "SPV_EXT_shader_atomic_float_add"),
    ("cl_ext_float_atomics", "SPV_EXT_shader_atomic_float_min_max"),
    ("cl_intel_subgroups", "SPV_INTEL_subgroups"),
    ("cl_khr_expect_assume", "SPV_KHR_expect_assume"),
    ("cl_khr_extended_bit_ops", "SPV_KHR_bit_instructions"),
    ("cl_khr_integer_dot_product", "SPV_KHR_integer_dot_product"),
    ("cl_khr_spirv_no_integer_wrap_decoration", "SPV_KHR_no_integer_wrap_decoration"),
    ("cl_khr_work_group_uniform_arithmetic", "SPV_KHR_uniform_group_instructions"),
];

pub(crate) fn dialect(api: &Api, device: Handle) -> Dialect {
    let ask = Ask(api, device);
    let version = spirv_version(&ask.text(IL_VERSION)).unwrap_or(0x0001_0000);
    let known = ask.text(EXTENSIONS);
    let known: Vec<&str> = known.split_whitespace().collect();
    let mut extensions: Vec<String> = BROUGHT_ALONG
        .iter()
        .filter(|(cl, _)| known.contains(cl))
        .map(|(_, spv)| (*spv).to_owned())
        .collect();
    if known.contains(&"cl_khr_spirv_queries") {
        extensions.extend(told_extensions(&ask.numbers(SPIRV_EXTENSIONS, size_of::<usize>())));
    }
    extensions.sort();
    extensions.dedup();
    Dialect { extensions, version }
}

/// Converts the driver's list of addresses of C strings.
fn told_extensions(addresses: &[u64]) -> Vec<String> {
    // SAFETY: the extension specifies that these are C strings, which live as long as the device.
    let read = |&at: &u64| unsafe { std::ffi::CStr::from_ptr(at as *const std::ffi::c_char) };
    addresses
        .iter()
        .filter(|&&at| at != 0)
        .map(|at| read(at).to_string_lossy().into_owned())
        .collect()
}

/// Returns whether commands may use any host address.
pub(crate) fn shares_host_memory(api: &Api, device: Handle) -> bool {
    let ask = Ask(api, device);
    ask.u64(SVM_CAPABILITIES) & SVM_FINE_GRAIN_SYSTEM != 0
        || ask.u64(SYSTEM_MEM_CAPABILITIES) & 1 != 0
}

/// Describes a device. `sharing` is the way in which the device's platform shares memory.
pub(crate) fn describe(api: &Api, device: Handle, sharing: &Sharing) -> DeviceInfo {
    let ask = Ask(api, device);
    let sizes = ask.numbers(MAX_WORK_ITEM_SIZES, size_of::<usize>());
    let version = ask.text(VERSION);
    let double = ask.u64(DOUBLE_FP_CONFIG);
    let half = ask.u64(HALF_FP_CONFIG);
    let mut sub_group_sizes = ask.numbers(SUB_GROUP_SIZES, size_of::<usize>());
    sub_group_sizes.sort_unstable();
    let (orders, scopes) = atomics(ask.u64(ATOMIC_MEMORY_CAPABILITIES));
    let details = details(&ask);
    DeviceInfo {
        name: ask.text(NAME),
        vendor: ask.text(VENDOR),
        backend_version: version.split_whitespace().nth(1).unwrap_or_default().to_owned(),
        version,
        driver_version: ask.text(DRIVER_VERSION),
        profile: ask.text(PROFILE),
        device_type: device_type(ask.u64(TYPE)),
        vendor_id: ask.u32(VENDOR_ID),
        max_compute_units: ask.u32(MAX_COMPUTE_UNITS),
        max_work_item_sizes: [0, 1, 2].map(|d| sizes.get(d).copied().unwrap_or(1)),
        max_work_group_size: ask.u64(MAX_WORK_GROUP_SIZE),
        max_num_sub_groups: ask.u32(MAX_NUM_SUB_GROUPS),
        sub_group_sizes,
        sub_group_forward_progress: ask.u32(SUB_GROUP_FORWARD_PROGRESS) != 0,
        max_clock_frequency: ask.u32(MAX_CLOCK_FREQUENCY),
        address_bits: ask.u32(ADDRESS_BITS),
        max_mem_alloc_size: ask.u64(MAX_MEM_ALLOC_SIZE),
        global_mem_size: ask.u64(GLOBAL_MEM_SIZE),
        global_mem_cache_size: ask.u64(GLOBAL_MEM_CACHE_SIZE),
        global_mem_cache_line_size: ask.u32(GLOBAL_MEM_CACHE_LINE_SIZE),
        global_mem_cache_type: ask.u32(GLOBAL_MEM_CACHE_TYPE),
        local_mem_size: ask.u64(LOCAL_MEM_SIZE),
        local_mem_type: ask.u32(LOCAL_MEM_TYPE),
        max_parameter_size: ask.u64(MAX_PARAMETER_SIZE),
        mem_base_addr_align: ask.u32(MEM_BASE_ADDR_ALIGN),
        profiling_timer_resolution: ask.u64(PROFILING_TIMER_RESOLUTION),
        preferred_vector_widths: PREFERRED_VECTOR_WIDTHS.map(|name| ask.u32(name)),
        native_vector_widths: NATIVE_VECTOR_WIDTHS.map(|name| ask.u32(name)),
        half_fp_config: fp_config(half),
        single_fp_config: fp_config(ask.u64(SINGLE_FP_CONFIG)),
        double_fp_config: fp_config(double),
        atomic_memory_orders: orders,
        atomic_memory_scopes: scopes,
        printf_buffer_size: ask.u64(PRINTF_BUFFER_SIZE),
        error_correction: ask.u32(ERROR_CORRECTION) != 0,
        partition_max_sub_devices: ask.u32(PARTITION_MAX_SUB_DEVICES),
        max_cluster_size: 0,
        max_registers_per_group: 0,
        aspects: aspects(&ask, sharing, double != 0, half != 0, &details),
        details,
    }
}

/// Returns what extensions of the driver report about the hardware.
fn details(ask: &Ask<'_>) -> DeviceDetails {
    let extensions = ask.text(EXTENSIONS);
    let has = |name: &str| extensions.split_whitespace().any(|extension| extension == name);
    let intel = has(intel::ATTRIBUTES) && device_type(ask.u64(TYPE)) == DeviceType::Gpu;
    let of_intel = |name: u32| if intel { Some(ask.u32(name)).filter(|&n| n != 0) } else { None };
    let place = if has("cl_khr_pci_bus_info") { ask.numbers(PCI_BUS_INFO, 4) } else { Vec::new() };
    let uuid = if has("cl_khr_device_uuid") { ask.bytes(UUID) } else { Vec::new() };
    DeviceDetails {
        device_id: of_intel(INTEL_ID),
        pci_address: match place[..] {
            [domain, bus, device, function] => {
                Some(pci_address(domain as u32, bus as u32, device as u32, function as u32))
            }
            _ => None,
        },
        uuid: uuid.try_into().ok(),
        gpu_slices: of_intel(INTEL_SLICES),
        gpu_subslices_per_slice: of_intel(INTEL_SUB_SLICES_PER_SLICE),
        gpu_eu_count_per_subslice: of_intel(INTEL_EUS_PER_SUB_SLICE),
        gpu_hw_threads_per_eu: of_intel(INTEL_THREADS_PER_EU),
        ..DeviceDetails::default()
    }
}

/// The first of OpenCL's numbers for ways to partition a device: equally, by counts, by affinity
/// domain.
pub(crate) const FIRST_PARTITION: u64 = 0x1086;

pub(crate) fn partitions(api: &Api, device: Handle) -> Partitions {
    let ask = Ask(api, device);
    let max_sub_devices = ask.u32(PARTITION_MAX_SUB_DEVICES);
    // Drivers list ways that they then refuse if there is nothing to partition.
    if max_sub_devices < 2 {
        return Partitions::default();
    }
    let numbers = ask.numbers(PARTITION_PROPERTIES, size_of::<isize>());
    let known = numbers
        .into_iter()
        .filter_map(|number| number.checked_sub(FIRST_PARTITION).filter(|&n| n < 3));
    let properties = known.fold(0, |all, number| all | 2 << number);
    // OpenCL's bits have the same order as SYCL's, but no bit for no domain.
    let affinity_domains = ((ask.u64(PARTITION_AFFINITY_DOMAIN) & 0x3f) << 1) as u32;
    Partitions { properties, affinity_domains, max_sub_devices }
}

fn device_type(bits: u64) -> DeviceType {
    match bits {
        bits if bits & 2 != 0 => DeviceType::Cpu,
        bits if bits & 4 != 0 => DeviceType::Gpu,
        bits if bits & 8 != 0 => DeviceType::Accelerator,
        _ => DeviceType::Custom,
    }
}

/// Converts OpenCL's bits to SYCL's. OpenCL has a bit for emulated arithmetic between the bits that
/// both define.
fn fp_config(bits: u64) -> u32 {
    (bits & 0x3f) as u32 | if bits & 0x80 != 0 { 0x40 } else { 0 }
}

/// Converts orders and scopes to bits of SYCL's numbers. Sub-groups are narrower than work-groups.
fn atomics(bits: u64) -> (u32, u32) {
    const ORDERS: [(u64, u32); 3] =
        [(1, 1 << 0), (1 << 1, 1 << 1 | 1 << 3 | 1 << 4), (1 << 2, 1 << 5)];
    const SCOPES: [(u64, u32); 4] =
        [(1 << 3, 1 << 0), (1 << 4, 1 << 1 | 1 << 2), (1 << 5, 1 << 3), (1 << 6, 1 << 4)];
    let collect = |table: &[(u64, u32)]| {
        table.iter().filter(|(cl, _)| bits & cl != 0).fold(0, |all, (_, own)| all | own)
    };
    (collect(&ORDERS) | 1, collect(&SCOPES) | 1 << 2)
}

fn aspects(
    ask: &Ask<'_>,
    sharing: &Sharing,
    double: bool,
    half: bool,
    details: &DeviceDetails,
) -> Vec<u32> {
    let extensions = ask.text(EXTENSIONS);
    let has = |name: &str| extensions.split_whitespace().any(|extension| extension == name);
    let unified = sharing.is_unified();
    let may = |name: u32, bit: u64| unified && ask.u64(name) & bit != 0;
    let svm = if sharing.shares() { ask.u64(SVM_CAPABILITIES) } else { 0 };
    let fine = !unified && svm & SVM_FINE_GRAIN_BUFFER != 0;
    let kind = match device_type(ask.u64(TYPE)) {
        DeviceType::Cpu => Aspect::Cpu,
        DeviceType::Gpu => Aspect::Gpu,
        DeviceType::Accelerator => Aspect::Accelerator,
        DeviceType::Custom | DeviceType::Host => Aspect::Custom,
    };
    // The SYCL headers implement images on plain memory, whether or not the driver supports images.
    let mut list = vec![
        kind,
        Aspect::Image,
        Aspect::ExtIntelLegacyImage,
        Aspect::ExtOneapiBallotGroup,
        Aspect::ExtOneapiFixedSizeGroup,
        Aspect::ExtOneapiOpportunisticGroup,
        Aspect::ExtOneapiTangleGroup,
        Aspect::OnlineCompiler,
        Aspect::OnlineLinker,
        Aspect::QueueProfiling,
    ];
    // In memory capabilities, bit 0 means access and bit 1 atomic access.
    let mut add = |yes: bool, aspect: Aspect| list.extend(yes.then_some(aspect));
    add(double, Aspect::Fp64);
    add(kind == Aspect::Gpu && ask.u32(HOST_UNIFIED_MEMORY) != 0, Aspect::ExtOneapiIsIntegratedGpu);
    add(has("cl_intel_required_subgroup_size"), Aspect::ExtIntelSpillMemorySize);
    add(half || has("cl_khr_fp16"), Aspect::Fp16);
    // Joint matrices exchange their elements by shuffles.
    add(has("cl_khr_subgroup_shuffle"), Aspect::ExtIntelMatrix);
    add(has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics"), Aspect::Atomic64);
    add(fine || may(DEVICE_MEM_CAPABILITIES, 1), Aspect::UsmDeviceAllocations);
    add(fine || may(HOST_MEM_CAPABILITIES, 1), Aspect::UsmHostAllocations);
    add(may(HOST_MEM_CAPABILITIES, 2), Aspect::UsmAtomicHostAllocations);
    add(fine || may(SHARED_MEM_CAPABILITIES, 1), Aspect::UsmSharedAllocations);
    add(may(SHARED_MEM_CAPABILITIES, 2), Aspect::UsmAtomicSharedAllocations);
    add(
        svm & SVM_FINE_GRAIN_SYSTEM != 0 || may(SYSTEM_MEM_CAPABILITIES, 1),
        Aspect::UsmSystemAllocations,
    );
    list.extend(intel(ask.0, ask.1).and_then(IntelGpu::architecture));
    list.extend(details.aspects());
    if kind == Aspect::Cpu {
        list.extend(of_this_machine());
    }
    list.sort();
    list.into_iter().map(|aspect| aspect as u32).collect()
}

/// Returns the architectures of a CPU device, which is the machine that runs this program.
#[cfg(target_arch = "x86_64")]
fn of_this_machine() -> Vec<Aspect> {
    use std::is_x86_feature_detected as has;
    let v3 = has!("avx2")
        && has!("fma")
        && has!("f16c")
        && has!("bmi1")
        && has!("bmi2")
        && has!("lzcnt");
    let v4 = has!("avx512f")
        && has!("avx512bw")
        && has!("avx512cd")
        && has!("avx512dq")
        && has!("avx512vl");
    let mut list = vec![Aspect::ExtIntelX86_64, Aspect::ExtIntelX86_64Sse2];
    list.extend((has!("sse4.2") && has!("popcnt")).then_some(Aspect::ExtIntelX86_64Sse4_2));
    list.extend(v3.then_some(Aspect::ExtIntelX86_64Avx2));
    list.extend((v3 && v4).then_some(Aspect::ExtIntelX86_64Avx512));
    list
}

#[cfg(not(target_arch = "x86_64"))]
fn of_this_machine() -> Vec<Aspect> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_of_spirv_counts() {
        assert_eq!(spirv_version("SPIR-V_1.0 SPIR-V_1.4 SPIR-V_1.2"), Some(0x0001_0400));
        assert_eq!(spirv_version("SPIR-V_2.0 OTHER_1.1"), None);
        assert_eq!(spirv_version(""), None);
    }

    #[test]
    fn a_cpu_is_of_this_machines_architecture() {
        let x86 = cfg!(target_arch = "x86_64");
        assert_eq!(of_this_machine().contains(&Aspect::ExtIntelX86_64), x86);
    }

    #[test]
    fn bits_of_opencl_become_bits_of_sycl() {
        assert_eq!(fp_config(0xbf), 0x7f);
        // Relaxed, acquire and release orders; scopes of work-groups and the device.
        assert_eq!(atomics(0b11_0011), (0b1_1011, 0b1110));
        assert_eq!(device_type(4), DeviceType::Gpu);
    }
}
