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

/// Up to `N` bytes in place, more on the heap. The copy is aligned as the original is, up to
/// [`MAX_ALIGNMENT`], as far as a type of that size can ask for it.
///
/// In place stands what needs at most 16 bytes of alignment: objects that hold it then come from
/// the allocator's quick path.
pub enum InlineBytes<const N: usize> {
    Inline { len: usize, bytes: Inline<N> },
    Heap { len: usize, bytes: Vec<Aligned<MAX_ALIGNMENT>> },
}

/// The largest alignment of a type of the SYCL headers, `vec<double, 16>`.
pub const MAX_ALIGNMENT: usize = 128;

/// Bytes at a 16-byte boundary.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Inline<const N: usize>([u8; N]);

/// Bytes at a boundary of [`MAX_ALIGNMENT`].
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub struct Aligned<const N: usize>(pub [u8; N]);

impl<const N: usize> InlineBytes<N> {
    /// A copy of `data`.
    pub fn new(data: &[u8]) -> Self {
        // A type's size is a multiple of its alignment, and so is the address of each of its
        // objects.
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
        // SAFETY: both forms hold at least `len` bytes, all of them set by `new`.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }

    /// Overwrites eight bytes at `offset`; false when they do not fit.
    pub fn put_u64(&mut self, offset: usize, value: u64) -> bool {
        let end = match offset.checked_add(8) {
            Some(end) if end <= self.len() => end,
            _ => return false,
        };
        match self {
            Self::Inline { bytes, .. } => {
                bytes.0[offset..end].copy_from_slice(&value.to_ne_bytes())
            }
            Self::Heap { bytes, .. } => {
                for (i, b) in value.to_ne_bytes().into_iter().enumerate() {
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
