//! The properties of a GPU: the numbers that launches need, and the properties that programs can
//! query.

use scythe_abi::aspect::Aspect;
use scythe_abi::cuda::{Launch, SUB_GROUP_SIZE};
use scythe_hal::info::{DeviceDetails, DeviceInfo, DeviceType, pci_address};

use crate::api::{Api, Ordinal};

const MAX_THREADS_PER_BLOCK: i32 = 1;
const MAX_BLOCK_DIM: [i32; 3] = [2, 3, 4];
const MAX_GRID_DIM: [i32; 3] = [5, 6, 7];
const MAX_REGISTERS_PER_BLOCK: i32 = 12;
const CLOCK_RATE: i32 = 13;
const MULTIPROCESSOR_COUNT: i32 = 16;
const INTEGRATED: i32 = 18;
const ECC_ENABLED: i32 = 32;
const PCI_BUS: i32 = 33;
const PCI_DEVICE: i32 = 34;
const MEMORY_CLOCK_RATE: i32 = 36;
const MEMORY_BUS_WIDTH: i32 = 37;
const PCI_DOMAIN: i32 = 50;
const L2_CACHE_SIZE: i32 = 38;
const TEXTURE_ALIGNMENT: i32 = 14;
const CAPABILITY_MAJOR: i32 = 75;
const CAPABILITY_MINOR: i32 = 76;
const MANAGED_MEMORY: i32 = 83;
const PAGEABLE_MEMORY_ACCESS: i32 = 88;
const CONCURRENT_MANAGED_ACCESS: i32 = 89;
const SHARED_PER_BLOCK_OPTIN: i32 = 97;
const SHARED_PER_BLOCK: i32 = 8;
const HOST_NATIVE_ATOMICS: i32 = 86;
const REGISTERED_HOST_POINTERS: i32 = 91;
const HOST_REGISTER_SUPPORTED: i32 = 99;
const VIRTUAL_MEMORY_SUPPORTED: i32 = 102;
const FILE_DESCRIPTORS_SUPPORTED: i32 = 103;
const COOPERATIVE_LAUNCH: i32 = 95;
const MEMORY_POOLS_SUPPORTED: i32 = 115;
const CLUSTER_LAUNCH: i32 = 120;

/// The number of blocks of a cluster that every device with clusters supports.
const CLUSTER_BLOCKS: u64 = 8;

/// The maximum size of kernel parameters from compute capability 7.0 on, with drivers since CUDA
/// 12.1.
const LARGE_PARAMETERS: u64 = 32_764;
const PARAMETERS: u64 = 4096;

const FP_ALL: u32 = 1 | 2 | 4 | 8 | 16 | 32;
const FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: u32 = 64;

/// The numbers that launches need.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The compute capability: 90 for 9.0.
    pub(crate) sm: u32,
    /// The result of `cuDriverGetVersion`: 13000 for 13.0.
    pub(crate) driver: u32,
    pub(crate) multiprocessors: u32,
    pub(crate) max_threads: u32,
    pub(crate) max_block: [u32; 3],
    pub(crate) max_grid: [u32; 3],
    /// The maximum shared memory of a work-group if the kernel opts in.
    pub(crate) local_memory: u32,
    /// The maximum shared memory of a work-group otherwise.
    pub(crate) plain_local_memory: u32,
    pub(crate) memory: u64,
    pub(crate) has_pools: bool,
    pub(crate) has_virtual_memory: bool,
    /// Whether the device runs the blocks of a cooperative launch at the same time.
    pub(crate) cooperates: bool,
    /// The maximum number of blocks of a cluster, or 0 if the device has no clusters.
    pub(crate) max_cluster: u64,
}

/// Queries the driver about one device.
pub(crate) struct Ask<'a>(pub(crate) &'a Api, pub(crate) Ordinal);

impl Ask<'_> {
    /// Returns an attribute, or 0 if the driver does not know it.
    fn attribute(&self, name: i32) -> u32 {
        let mut value = 0;
        // SAFETY: the ordinal is a device of the driver, and `value` is writable.
        let code = unsafe { (self.0.device_get_attribute)(&mut value, name, self.1) };
        if code == 0 { value.max(0) as u32 } else { 0 }
    }

    fn has(&self, name: i32) -> bool {
        self.attribute(name) != 0
    }

    pub(crate) fn name(&self) -> String {
        let mut bytes = [0u8; 256];
        // SAFETY: the call gets the size of the buffer.
        let code = unsafe {
            (self.0.device_get_name)(bytes.as_mut_ptr().cast(), bytes.len() as i32, self.1)
        };
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        match String::from_utf8_lossy(&bytes[..end]).trim() {
            name if code == 0 && !name.is_empty() => name.to_owned(),
            _ => format!("NVIDIA GPU {}", self.1),
        }
    }

    fn memory(&self) -> u64 {
        let mut bytes = 0;
        // SAFETY: `bytes` is writable.
        let code = unsafe { (self.0.device_total_mem)(&mut bytes, self.1) };
        if code == 0 { bytes as u64 } else { 0 }
    }

    pub(crate) fn limits(&self, driver: u32) -> Limits {
        let plain = self.attribute(SHARED_PER_BLOCK);
        Limits {
            sm: 10 * self.attribute(CAPABILITY_MAJOR) + self.attribute(CAPABILITY_MINOR),
            driver,
            multiprocessors: self.attribute(MULTIPROCESSOR_COUNT),
            max_threads: self.attribute(MAX_THREADS_PER_BLOCK),
            max_block: MAX_BLOCK_DIM.map(|name| self.attribute(name)),
            max_grid: MAX_GRID_DIM.map(|name| self.attribute(name)),
            local_memory: self.attribute(SHARED_PER_BLOCK_OPTIN).max(plain),
            plain_local_memory: plain,
            memory: self.memory(),
            has_pools: self.has(MEMORY_POOLS_SUPPORTED),
            has_virtual_memory: self.0.virtual_memory.is_some()
                && self.has(VIRTUAL_MEMORY_SUPPORTED),
            cooperates: self.has(COOPERATIVE_LAUNCH),
            max_cluster: match self.0.launch_kernel_ex {
                Some(_) if self.has(CLUSTER_LAUNCH) => CLUSTER_BLOCKS,
                _ => 0,
            },
        }
    }

    pub(crate) fn info(&self, limits: &Limits) -> DeviceInfo {
        let ieee = FP_ALL | FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
        let half = if limits.sm >= 53 { FP_ALL } else { 0 };
        let newest = limits.sm >= 70 && limits.driver >= 12_010;
        let details = self.details();
        DeviceInfo {
            name: self.name(),
            vendor: "NVIDIA Corporation".into(),
            version: format!("{}.{}", limits.sm / 10, limits.sm % 10),
            driver_version: driver_name(limits.driver),
            profile: "FULL_PROFILE".into(),
            backend_version: format!("{}.{}", limits.sm / 10, limits.sm % 10),
            device_type: DeviceType::Gpu,
            vendor_id: 0x10de,
            max_compute_units: limits.multiprocessors,
            max_work_item_sizes: limits.max_block.map(u64::from),
            max_work_group_size: u64::from(limits.max_threads),
            max_num_sub_groups: limits.max_threads / SUB_GROUP_SIZE,
            sub_group_sizes: vec![u64::from(SUB_GROUP_SIZE)],
            sub_group_forward_progress: limits.sm >= 70,
            max_clock_frequency: self.attribute(CLOCK_RATE) / 1000,
            address_bits: 64,
            max_mem_alloc_size: limits.memory,
            global_mem_size: limits.memory,
            global_mem_cache_size: u64::from(self.attribute(L2_CACHE_SIZE)),
            global_mem_cache_line_size: 128,
            global_mem_cache_type: 2,
            local_mem_size: u64::from(limits.local_memory),
            local_mem_type: 1,
            // Every kernel has the launch block after its own parameters.
            max_parameter_size: if newest { LARGE_PARAMETERS } else { PARAMETERS }
                - size_of::<Launch>() as u64,
            mem_base_addr_align: 8 * self.attribute(TEXTURE_ALIGNMENT).max(256),
            profiling_timer_resolution: 1000,
            preferred_vector_widths: [4, 2, 1, 1, 1, 1, 2],
            native_vector_widths: [4, 2, 1, 1, 1, 1, 2],
            half_fp_config: half,
            single_fp_config: ieee,
            double_fp_config: ieee,
            // relaxed, acquire, release, acq_rel, seq_cst
            atomic_memory_orders: if limits.sm >= 70 {
                1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5
            } else {
                1
            },
            // work_item, sub_group, work_group, device, system
            atomic_memory_scopes: if limits.sm >= 60 { 0b1_1111 } else { 0b1111 },
            printf_buffer_size: 1 << 20,
            error_correction: self.has(ECC_ENABLED),
            partition_max_sub_devices: 0,
            max_cluster_size: limits.max_cluster,
            max_registers_per_group: self.attribute(MAX_REGISTERS_PER_BLOCK),
            aspects: self.aspects(limits, &details),
            details,
        }
    }

    fn details(&self) -> DeviceDetails {
        let [domain, bus, device] =
            [PCI_DOMAIN, PCI_BUS, PCI_DEVICE].map(|name| self.attribute(name));
        let address = pci_address(domain, bus, device, 0);
        let known = |value: u32| Some(value).filter(|&value| value != 0);
        let kilohertz = known(self.attribute(MEMORY_CLOCK_RATE));
        let bits = known(self.attribute(MEMORY_BUS_WIDTH));
        // The memory transfers data twice in each cycle.
        let bandwidth = |kilohertz: u32, bits: u32| u64::from(kilohertz) * u64::from(bits) * 250;
        let mut uuid = [0; 16];
        // SAFETY: the ordinal is a device of the driver, and `uuid` is writable.
        let code = unsafe { (self.0.device_get_uuid)(&mut uuid, self.1) };
        DeviceDetails {
            device_id: pci_device_number(&address),
            pci_address: Some(address),
            uuid: (code == 0).then_some(uuid),
            memory_clock_rate: kilohertz.map(|kilohertz| kilohertz / 1000),
            memory_bus_width: bits,
            max_mem_bandwidth: kilohertz
                .zip(bits)
                .map(|(kilohertz, bits)| bandwidth(kilohertz, bits)),
            ..DeviceDetails::default()
        }
    }

    fn aspects(&self, limits: &Limits, details: &DeviceDetails) -> Vec<u32> {
        use Aspect::{
            Atomic64, ExtIntelFreeMemory, ExtIntelLegacyImage, ExtOneapiAtomic16,
            ExtOneapiBallotGroup, ExtOneapiClockDevice, ExtOneapiClockSubGroup,
            ExtOneapiClockWorkGroup, ExtOneapiCudaClusterGroup, ExtOneapiFixedSizeGroup,
            ExtOneapiIsIntegratedGpu, ExtOneapiMemoryExportLinear, ExtOneapiOpportunisticGroup,
            ExtOneapiRegisterHostMemory, ExtOneapiVirtualMem, Fp16, Fp64, Gpu, Image,
            OnlineCompiler, OnlineLinker, QueueProfiling, UsmAtomicHostAllocations,
            UsmAtomicSharedAllocations, UsmDeviceAllocations, UsmHostAllocations,
            UsmSharedAllocations, UsmSystemAllocations,
        };
        // The SYCL headers implement images on plain memory.
        let mut list = vec![
            Gpu,
            Fp64,
            Image,
            ExtIntelLegacyImage,
            ExtIntelFreeMemory,
            ExtOneapiBallotGroup,
            ExtOneapiClockDevice,
            ExtOneapiClockSubGroup,
            ExtOneapiClockWorkGroup,
            ExtOneapiFixedSizeGroup,
            ExtOneapiOpportunisticGroup,
            OnlineCompiler,
            OnlineLinker,
            QueueProfiling,
            UsmDeviceAllocations,
            UsmHostAllocations,
        ];
        let mut add = |yes: bool, aspect: Aspect| list.extend(yes.then_some(aspect));
        add(limits.sm >= 53, Fp16);
        add(limits.sm >= 60, Atomic64);
        add(limits.sm >= 70, ExtOneapiAtomic16);
        add(limits.has_virtual_memory, ExtOneapiVirtualMem);
        add(
            limits.has_virtual_memory && self.has(FILE_DESCRIPTORS_SUPPORTED),
            ExtOneapiMemoryExportLinear,
        );
        // Commands use the addresses of the program.
        add(
            self.0.hints.host_register.is_some()
                && self.0.hints.host_unregister.is_some()
                && self.has(HOST_REGISTER_SUPPORTED)
                && self.has(REGISTERED_HOST_POINTERS),
            ExtOneapiRegisterHostMemory,
        );
        add(limits.max_cluster > 0, ExtOneapiCudaClusterGroup);
        add(self.has(INTEGRATED), ExtOneapiIsIntegratedGpu);
        add(self.has(MANAGED_MEMORY), UsmSharedAllocations);
        add(self.has(PAGEABLE_MEMORY_ACCESS), UsmSystemAllocations);
        add(self.has(HOST_NATIVE_ATOMICS), UsmAtomicHostAllocations);
        // Migration of memory between host and device is not sufficient: device-scope atomics may
        // conflict with the host's atomics in host memory. Only links with native atomics prevent
        // this.
        add(
            self.has(CONCURRENT_MANAGED_ACCESS) && self.has(HOST_NATIVE_ATOMICS),
            UsmAtomicSharedAllocations,
        );
        let own = format!("ext_nvidia_gpu_sm_{}", limits.sm);
        // Architecture-specific code (`sm_90a`) runs on exactly this architecture.
        let specific = format!("{own}a");
        let named = Aspect::ALL
            .iter()
            .filter(|aspect| [&own, &specific].iter().any(|name| aspect.as_str() == *name));
        list.extend(named.copied());
        list.extend(details.aspects());
        list.sort();
        list.into_iter().map(|aspect| aspect as u32).collect()
    }
}

/// Returns the number of the model of a PCI device, which Linux knows and the driver does not
/// report.
fn pci_device_number(address: &str) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/sys/bus/pci/devices/{address}/device")).ok()?;
    u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}

/// Formats a driver version: `CUDA 13.0` for 13000.
pub(crate) fn driver_name(version: u32) -> String {
    format!("CUDA {}.{}", version / 1000, version % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_nvidia_writes_them() {
        assert_eq!(driver_name(13_000), "CUDA 13.0");
        assert_eq!(driver_name(12_080), "CUDA 12.8");
    }
}
