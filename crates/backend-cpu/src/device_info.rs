//! The properties of the CPU device, queried from the machine: processor, operating system, memory.

use std::fs;
use std::path::Path;

use scythe_abi::aspect::Aspect;
use scythe_abi::cpu::MAX_WORK_GROUP_SIZE;
use scythe_abi::target::Level;
use scythe_hal::info::{DeviceDetails, DeviceInfo, DeviceType, PlatformInfo};

use crate::level;

/// The size of local memory. Local memory is ordinary memory of each worker; this size fits into a
/// second-level cache.
const LOCAL_MEM_SIZE: u64 = 256 << 10;
const CACHE_LINE: u32 = 64;
/// The sub-group sizes that a kernel may require: the numbers of lanes that the compiler widens to.
/// Without a requirement, the size is the vector's width.
const SUB_GROUP_SIZES: [u64; 5] = [4, 8, 16, 32, 64];

const FP_DENORM: u32 = 1;
const FP_INF_NAN: u32 = 2;
const FP_ROUND_TO_NEAREST: u32 = 4;
const FP_ROUND_TO_ZERO: u32 = 8;
const FP_ROUND_TO_INF: u32 = 16;
const FP_FMA: u32 = 32;
const FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: u32 = 64;

pub(crate) fn platform() -> PlatformInfo {
    PlatformInfo {
        name: "Scythe CPU".into(),
        vendor: "Scythe".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        profile: "FULL_PROFILE".into(),
    }
}

pub(crate) fn device(processors: usize) -> DeviceInfo {
    let cpu = Cpu::detect();
    let memory = memory_bytes();
    let widths = vector_widths(cpu.vector_bytes);
    let ieee = FP_DENORM | FP_INF_NAN | FP_ROUND_TO_NEAREST | FP_ROUND_TO_ZERO | FP_ROUND_TO_INF;
    let fp = ieee | FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | if cpu.fma { FP_FMA } else { 0 };
    DeviceInfo {
        name: cpu.name,
        vendor: cpu.vendor,
        version: "1.0".into(),
        driver_version: env!("CARGO_PKG_VERSION").into(),
        profile: "FULL_PROFILE".into(),
        backend_version: env!("CARGO_PKG_VERSION").into(),
        device_type: DeviceType::Cpu,
        vendor_id: cpu.vendor_id,
        max_compute_units: processors as u32,
        max_work_item_sizes: [MAX_WORK_GROUP_SIZE; 3],
        max_work_group_size: MAX_WORK_GROUP_SIZE,
        // Sub-groups extend along rows: a work-group with rows of one work-item has one sub-group
        // per work-item.
        max_num_sub_groups: MAX_WORK_GROUP_SIZE as u32,
        sub_group_sizes: SUB_GROUP_SIZES.to_vec(),
        sub_group_forward_progress: false,
        max_clock_frequency: clock_mhz(),
        address_bits: usize::BITS,
        max_mem_alloc_size: memory,
        global_mem_size: memory,
        global_mem_cache_size: last_cache_bytes(),
        global_mem_cache_line_size: CACHE_LINE,
        global_mem_cache_type: 2,
        local_mem_size: LOCAL_MEM_SIZE,
        local_mem_type: 2,
        max_parameter_size: 4096,
        mem_base_addr_align: 8 * CACHE_LINE,
        profiling_timer_resolution: 1,
        preferred_vector_widths: widths,
        native_vector_widths: widths,
        half_fp_config: if cpu.f16c { ieee } else { 0 },
        single_fp_config: fp,
        double_fp_config: fp,
        // relaxed, acquire, release, acq_rel, seq_cst
        atomic_memory_orders: 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5,
        // work_item, sub_group, work_group, device, system
        atomic_memory_scopes: 0b1_1111,
        printf_buffer_size: 1 << 20,
        error_correction: false,
        partition_max_sub_devices: processors as u32,
        max_cluster_size: 0,
        max_registers_per_group: 0,
        aspects: aspects(cpu.f16c, level::machine()),
        details: DeviceDetails::default(),
    }
}

/// Returns the aspects of the device. `level` is the highest level that the machine supports; code
/// for lower levels runs as well.
fn aspects(half: bool, level: Option<Level>) -> Vec<u32> {
    let mut aspects = vec![
        Aspect::Cpu,
        Aspect::Fp64,
        // The SYCL headers implement images on plain memory.
        Aspect::Image,
        Aspect::ExtIntelLegacyImage,
        Aspect::ExtIntelMatrix,
        Aspect::OnlineCompiler,
        Aspect::OnlineLinker,
        Aspect::QueueProfiling,
        Aspect::UsmDeviceAllocations,
        Aspect::UsmHostAllocations,
        Aspect::UsmSharedAllocations,
        Aspect::UsmSystemAllocations,
        Aspect::UsmAtomicHostAllocations,
        Aspect::UsmAtomicSharedAllocations,
        Aspect::Atomic64,
        Aspect::ExtOneapiAtomic16,
        Aspect::ExtOneapiVirtualMem,
        Aspect::ExtOneapiRegisterHostMemory,
        Aspect::ExtOneapiMemoryExportLinear,
        Aspect::ExtIntelFreeMemory,
        Aspect::ExtOneapiBallotGroup,
        Aspect::ExtOneapiFixedSizeGroup,
        Aspect::ExtOneapiOpportunisticGroup,
        Aspect::ExtOneapiTangleGroup,
        Aspect::ExtOneapiClockSubGroup,
        Aspect::ExtOneapiClockWorkGroup,
        Aspect::ExtOneapiClockDevice,
    ];
    if half {
        aspects.push(Aspect::Fp16);
    }
    const ARCHITECTURES: [(Level, Aspect); 4] = [
        (Level::V1, Aspect::ExtIntelX86_64Sse2),
        (Level::V2, Aspect::ExtIntelX86_64Sse4_2),
        (Level::V3, Aspect::ExtIntelX86_64Avx2),
        (Level::V4, Aspect::ExtIntelX86_64Avx512),
    ];
    if let Some(level) = level {
        aspects.push(Aspect::ExtIntelX86_64);
        aspects.extend(
            ARCHITECTURES.into_iter().filter(|(of, _)| *of <= level).map(|(_, aspect)| aspect),
        );
    }
    aspects.sort();
    aspects.into_iter().map(|aspect| aspect as u32).collect()
}

/// Returns the number of elements of each type in one vector register: char, short, int, long,
/// float, double, half.
fn vector_widths(bytes: u32) -> [u32; 7] {
    [bytes, bytes / 2, bytes / 4, bytes / 8, bytes / 4, bytes / 8, bytes / 2]
}

struct Cpu {
    name: String,
    vendor: String,
    vendor_id: u32,
    vector_bytes: u32,
    fma: bool,
    f16c: bool,
}

impl Cpu {
    #[cfg(target_arch = "x86_64")]
    fn detect() -> Self {
        use std::arch::is_x86_feature_detected as has;
        let vendor = cpuid_text(&[0], |r| vec![r.ebx, r.edx, r.ecx]);
        let brand = cpuid_text(&[0x8000_0002, 0x8000_0003, 0x8000_0004], |r| {
            vec![r.eax, r.ebx, r.ecx, r.edx]
        });
        let (vendor, vendor_id) = match vendor.as_str() {
            "GenuineIntel" => ("Intel".to_owned(), 0x8086),
            "AuthenticAMD" => ("AMD".to_owned(), 0x1022),
            other => (other.to_owned(), 0),
        };
        let vector_bytes = if has!("avx512f") {
            64
        } else if has!("avx2") {
            32
        } else {
            16
        };
        let name = if brand.is_empty() { "x86-64 processor".to_owned() } else { brand };
        Self { name, vendor, vendor_id, vector_bytes, fma: has!("fma"), f16c: has!("f16c") }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Self {
        let name = format!("{} processor", std::env::consts::ARCH);
        Self { name, vendor: String::new(), vendor_id: 0, vector_bytes: 16, fma: true, f16c: false }
    }
}

/// Returns the text in the registers of these leaves, without surrounding blanks.
#[cfg(target_arch = "x86_64")]
fn cpuid_text(
    leaves: &[u32],
    registers: impl Fn(std::arch::x86_64::CpuidResult) -> Vec<u32>,
) -> String {
    use std::arch::x86_64::__cpuid;
    let highest = |leaf: u32| __cpuid(leaf & 0x8000_0000).eax;
    let bytes: Vec<u8> = leaves
        .iter()
        .filter(|&&leaf| leaf <= highest(leaf))
        .flat_map(|&leaf| registers(__cpuid(leaf)))
        .flat_map(u32::to_le_bytes)
        .take_while(|&byte| byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// Returns the size of physical memory, or the limit of a control group if that is lower.
fn memory_bytes() -> u64 {
    // SAFETY: `sysconf` takes no pointers and has no preconditions.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical =
        u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0));
    let limit = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok())
        .unwrap_or(u64::MAX);
    match physical.min(limit) {
        // Neither value is known.
        0 | u64::MAX => 1 << 32,
        bytes => bytes,
    }
}

/// Returns the size of the memory that the system can give to programs without swapping, or that
/// the control group has left if that is less.
pub(crate) fn free_memory() -> Option<u64> {
    let left_in = |folder: &str, limit: &str, used: &str| {
        let number = |name: &str| -> Option<u64> {
            fs::read_to_string(Path::new(folder).join(name)).ok()?.trim().parse().ok()
        };
        Some(number(limit)?.saturating_sub(number(used)?))
    };
    let group = left_in("/sys/fs/cgroup", "memory.max", "memory.current").or_else(|| {
        left_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
    });
    let system = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    Some(group.map_or(system, |group| group.min(system)))
}

/// Reads the available memory from the text of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    kib.checked_mul(1024)
}

/// Returns the maximum clock frequency of the first processor, in MHz.
fn clock_mhz() -> u32 {
    let highest = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
        .ok()
        .and_then(|khz| khz.trim().parse::<u32>().ok())
        .map(|khz| khz / 1000);
    let current = || {
        let text = fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
        line.split(':').nth(1)?.trim().parse::<f64>().ok().map(|mhz| mhz as u32)
    };
    highest.or_else(current).unwrap_or(0)
}

/// Returns the size of the last-level cache, from Linux's description of the first processor's
/// caches.
fn last_cache_bytes() -> u64 {
    let size = |index: u32| -> Option<u64> {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let text = fs::read_to_string(Path::new(&folder).join("size")).ok()?;
        let kib = text.trim().strip_suffix('K')?.parse::<u64>().ok()?;
        Some(kib << 10)
    };
    (0..8).filter_map(size).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use scythe_abi::aspect::OF_DEVICE_ALLOCATIONS;

    use super::*;

    #[test]
    fn device_describes_this_machine() {
        let info = device(3);
        assert_eq!(info.max_compute_units, 3);
        assert!(!info.name.is_empty() && info.name == info.name.trim());
        assert!(info.global_mem_size >= 1 << 28);
        assert!(info.native_vector_widths[0] >= 16);
        assert!(info.aspects.contains(&(Aspect::Cpu as u32)));
        assert!(info.aspects.is_sorted());
        assert!(info.aspects.iter().all(|&number| Aspect::from_u32(number).is_some()));
    }

    #[test]
    fn free_memory_is_a_part_of_all_memory() {
        let free = free_memory().expect("Linux reports it");
        assert!(free > 0 && free <= device(1).global_mem_size, "{free}");
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   2048 kB\n"), Some(2 << 20));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn the_device_configuration_says_the_same() {
        let table = scythe_device_config::Table::embedded();
        for (level, name) in [
            (Level::V1, "x86_64_sse2"),
            (Level::V2, "x86_64_sse4_2"),
            (Level::V3, "x86_64_avx2"),
            (Level::V4, "x86_64_avx512"),
        ] {
            let mut expected = table.lookup(name).expect("a target").aspects.to_vec();
            // The runtime adds these aspects for every device with such memory and such images.
            let of_runtime = [Aspect::ExtOneapiPrivateAlloca, Aspect::ExtOneapiSrgb];
            expected.retain(|aspect| {
                !OF_DEVICE_ALLOCATIONS.contains(aspect) && !of_runtime.contains(aspect)
            });
            let said =
                aspects(level >= Level::V3, Some(level)).into_iter().filter_map(Aspect::from_u32);
            assert_eq!(said.collect::<Vec<_>>(), expected, "{name}");
        }
    }
}
