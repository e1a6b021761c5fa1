//! Descriptions of platforms and devices, as plain values.

use scythe_abi::aspect::Aspect;

/// The values for `scythe_platform_param`.
#[derive(Clone, Debug, Default)]
pub struct PlatformInfo {
    pub name: String,
    pub vendor: String,
    pub version: String,
    pub profile: String,
}

/// The type of a device, with the numbers of `SCYTHE_DEVICE_TYPE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum DeviceType {
    #[default]
    Cpu = 0,
    Gpu = 1,
    Accelerator = 2,
    Custom = 3,
    Host = 5,
}

/// The values for `scythe_device_param`; see `abi.h` for units and bit masks.
#[derive(Clone, Debug, Default)]
pub struct DeviceInfo {
    pub name: String,
    pub vendor: String,
    pub version: String,
    pub driver_version: String,
    pub profile: String,
    pub backend_version: String,
    pub device_type: DeviceType,
    pub vendor_id: u32,
    pub max_compute_units: u32,
    pub max_work_item_sizes: [u64; 3],
    pub max_work_group_size: u64,
    pub max_num_sub_groups: u32,
    pub sub_group_sizes: Vec<u64>,
    pub sub_group_forward_progress: bool,
    pub max_clock_frequency: u32,
    pub address_bits: u32,
    pub max_mem_alloc_size: u64,
    pub global_mem_size: u64,
    pub global_mem_cache_size: u64,
    pub global_mem_cache_line_size: u32,
    pub global_mem_cache_type: u32,
    pub local_mem_size: u64,
    pub local_mem_type: u32,
    pub max_parameter_size: u64,
    pub mem_base_addr_align: u32,
    pub profiling_timer_resolution: u64,
    /// The widths for char, short, int, long, float, double and half, in this order.
    pub preferred_vector_widths: [u32; 7],
    pub native_vector_widths: [u32; 7],
    pub half_fp_config: u32,
    pub single_fp_config: u32,
    pub double_fp_config: u32,
    pub atomic_memory_orders: u32,
    pub atomic_memory_scopes: u32,
    pub printf_buffer_size: u64,
    pub error_correction: bool,
    pub partition_max_sub_devices: u32,
    /// The maximum number of work-groups of a cluster, or 0 if the device has no clusters.
    pub max_cluster_size: u64,
    /// The number of 32-bit registers of a work-group, or 0 if the driver does not tell.
    pub max_registers_per_group: u32,
    /// Numbers of `sycl::aspect`, which include those of `details`.
    pub aspects: Vec<u32>,
    pub details: DeviceDetails,
}

/// Properties of hardware that only some devices report (`sycl_ext_intel_device_info`). Each has an
/// aspect. Units are those of `abi.h`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceDetails {
    pub device_id: Option<u32>,
    pub pci_address: Option<String>,
    pub uuid: Option<[u8; 16]>,
    pub memory_clock_rate: Option<u32>,
    pub memory_bus_width: Option<u32>,
    pub max_mem_bandwidth: Option<u64>,
    pub gpu_slices: Option<u32>,
    pub gpu_subslices_per_slice: Option<u32>,
    pub gpu_eu_count_per_subslice: Option<u32>,
    pub gpu_hw_threads_per_eu: Option<u32>,
}

impl DeviceDetails {
    /// The number of execution units, if the driver reports all of its factors.
    pub fn gpu_eu_count(&self) -> Option<u32> {
        let per_slice = self.gpu_subslices_per_slice? * self.gpu_eu_count_per_subslice?;
        Some(self.gpu_slices? * per_slice)
    }

    /// The aspects of the properties that the device reports.
    pub fn aspects(&self) -> Vec<Aspect> {
        [
            (self.device_id.is_some(), Aspect::ExtIntelDeviceId),
            (self.pci_address.is_some(), Aspect::ExtIntelPciAddress),
            (self.uuid.is_some(), Aspect::ExtIntelDeviceInfoUuid),
            (self.memory_clock_rate.is_some(), Aspect::ExtIntelMemoryClockRate),
            (self.memory_bus_width.is_some(), Aspect::ExtIntelMemoryBusWidth),
            (self.max_mem_bandwidth.is_some(), Aspect::ExtIntelMaxMemBandwidth),
            (self.gpu_eu_count().is_some(), Aspect::ExtIntelGpuEuCount),
            (self.gpu_slices.is_some(), Aspect::ExtIntelGpuSlices),
            (self.gpu_subslices_per_slice.is_some(), Aspect::ExtIntelGpuSubslicesPerSlice),
            (self.gpu_eu_count_per_subslice.is_some(), Aspect::ExtIntelGpuEuCountPerSubslice),
            (self.gpu_hw_threads_per_eu.is_some(), Aspect::ExtIntelGpuHwThreadsPerEu),
        ]
        .into_iter()
        .filter_map(|(known, aspect)| known.then_some(aspect))
        .collect()
    }
}

/// Formats the address of a PCI device as Linux does: `0000:3b:00.0`.
pub fn pci_address(domain: u32, bus: u32, device: u32, function: u32) -> String {
    format!("{domain:04x}:{bus:02x}:{device:02x}.{function}")
}

/// A byte string that stores up to `N` bytes in place and more on the heap. The copy has the
/// alignment of the original, up to [`MAX_ALIGNMENT`], as far as a type of that size can require
/// it.
///
/// Only bytes with an alignment of at most 16 are stored in place. Objects that contain them can
/// then use the fast path of the allocator.
#[derive(Clone)]
pub enum InlineBytes<const N: usize> {
    Inline { len: usize, bytes: Inline<N> },
    Heap { len: usize, bytes: Vec<Aligned<MAX_ALIGNMENT>> },
}

/// The largest alignment of a type of the SYCL headers, that of `vec<double, 16>`.
pub const MAX_ALIGNMENT: usize = 128;

/// Bytes with an alignment of 16.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Inline<const N: usize>([u8; N]);

/// Bytes with an alignment of [`MAX_ALIGNMENT`].
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub struct Aligned<const N: usize>(pub [u8; N]);

impl<const N: usize> InlineBytes<N> {
    /// Creates a copy of `data`.
    pub fn new(data: &[u8]) -> Self {
        // The size of a type and the addresses of its objects are multiples of its alignment.
        let alignment = data.as_ptr() as usize | data.len();
        if data.len() <= N && (!alignment.is_multiple_of(32) || data.is_empty()) {
            let mut bytes = Inline([0; N]);
            bytes.0[..data.len()].copy_from_slice(data);
            Self::Inline { len: data.len(), bytes }
        } else {
            let mut bytes = vec![Aligned([0; MAX_ALIGNMENT]); data.len().div_ceil(MAX_ALIGNMENT)];
            for (block, chunk) in bytes.iter_mut().zip(data.chunks(MAX_ALIGNMENT)) {
                block.0[..chunk.len()].copy_from_slice(chunk);
            }
            Self::Heap { len: data.len(), bytes }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Inline { len, .. } | Self::Heap { len, .. } => *len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn as_ptr(&self) -> *const u8 {
        match self {
            Self::Inline { bytes, .. } => bytes.0.as_ptr(),
            Self::Heap { bytes, .. } => bytes.as_ptr().cast(),
        }
    }

    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: both variants hold at least `len` bytes, and `new` initialised all of them.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }

    /// Overwrites eight bytes at `offset`. Returns false if they do not fit.
    pub fn put_u64(&mut self, offset: usize, value: u64) -> bool {
        self.put(offset, &value.to_ne_bytes())
    }

    /// Overwrites the bytes at `offset`. Returns false if they do not fit.
    pub fn put(&mut self, offset: usize, value: &[u8]) -> bool {
        let end = match offset.checked_add(value.len()) {
            Some(end) if end <= self.len() => end,
            _ => return false,
        };
        match self {
            Self::Inline { bytes, .. } => bytes.0[offset..end].copy_from_slice(value),
            Self::Heap { bytes, .. } => {
                for (i, &b) in value.iter().enumerate() {
                    let at = offset + i;
                    bytes[at / MAX_ALIGNMENT].0[at % MAX_ALIGNMENT] = b;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(128))]
    struct Source([u8; 512]);

    #[test]
    fn copies_are_aligned_as_any_type_of_that_size_and_place_may_ask() {
        let mut source = Source([0; 512]);
        for (i, byte) in source.0.iter_mut().enumerate() {
            *byte = i as u8;
        }
        for start in [0, 8, 16, 32, 64] {
            for len in [0, 1, 24, 32, 64, 128, 192, 200, 256, 384] {
                let data = &source.0[start..start + len];
                let copy = InlineBytes::<192>::new(data);
                assert_eq!((copy.len(), copy.is_empty()), (len, len == 0));
                // SAFETY: the copy holds `len` bytes.
                assert_eq!(unsafe { std::slice::from_raw_parts(copy.as_ptr(), len) }, data);
                let asked =
                    (1 << (data.as_ptr() as usize | len).trailing_zeros()).min(MAX_ALIGNMENT);
                assert!(
                    len == 0 || (copy.as_ptr() as usize).is_multiple_of(asked),
                    "{start} {len}"
                );
            }
        }
    }

    #[test]
    fn words_are_overwritten_inside_only() {
        for len in [24, 300] {
            let mut bytes = InlineBytes::<192>::new(&vec![0; len]);
            assert!(bytes.put_u64(len - 8, u64::MAX));
            assert!(!bytes.put_u64(len - 7, 1) && !bytes.put_u64(usize::MAX, 1));
            // SAFETY: the copy holds `len` bytes.
            let seen = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), len) };
            assert!(
                seen[..len - 8].iter().all(|&b| b == 0)
                    && seen[len - 8..].iter().all(|&b| b == 255)
            );
        }
    }
}
