//! What platforms and devices say of themselves, as plain values.

/// Answers to `scythe_platform_param`.
#[derive(Clone, Debug, Default)]
pub struct PlatformInfo {
    pub name: String,
    pub vendor: String,
    pub version: String,
    pub profile: String,
}

/// The numbers of `SCYTHE_DEVICE_TYPE`.
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

/// Answers to `scythe_device_param`; see `abi.h` for units and bit masks.
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
    /// char, short, int, long, float, double, half.
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
    /// Numbers of `sycl::aspect`.
    pub aspects: Vec<u32>,
}

/// Up to `N` bytes in place, more on the heap; always aligned for any scalar or vector type up to 64 bytes.
pub enum InlineBytes<const N: usize> {
    Inline { len: usize, bytes: Aligned<N> },
    Heap { len: usize, bytes: Vec<Aligned<64>> },
}

/// Bytes at a 64-byte boundary.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Aligned<const N: usize>(pub [u8; N]);

impl<const N: usize> InlineBytes<N> {
    /// A copy of `data`.
    pub fn new(data: &[u8]) -> Self {
        if data.len() <= N {
            let mut bytes = Aligned([0; N]);
            bytes.0[..data.len()].copy_from_slice(data);
            Self::Inline { len: data.len(), bytes }
        } else {
            let mut bytes = vec![Aligned([0; 64]); data.len().div_ceil(64)];
            for (block, chunk) in bytes.iter_mut().zip(data.chunks(64)) {
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

    /// Overwrites eight bytes at `offset`; false when they do not fit.
    pub fn put_u64(&mut self, offset: usize, value: u64) -> bool {
        let end = match offset.checked_add(8) {
            Some(end) if end <= self.len() => end,
            _ => return false,
        };
        match self {
            Self::Inline { bytes, .. } => bytes.0[offset..end].copy_from_slice(&value.to_ne_bytes()),
            Self::Heap { bytes, .. } => {
                for (i, b) in value.to_ne_bytes().into_iter().enumerate() {
                    let at = offset + i;
                    bytes[at / 64].0[at % 64] = b;
                }
            }
        }
        true
    }
}
