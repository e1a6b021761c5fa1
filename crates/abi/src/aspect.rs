//! The aspects of `sycl::aspect`, with their numbers and names: the one table that headers, compiler and backends
//! agree on.
//!
//! The numbers are those that DPC++ publishes, so that device images say the same thing to both implementations. 7, 8
//! and 16 belonged to aspects of older SYCL drafts and stay unused.

/// A property that a device may have, and that device code may require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Aspect {
    Host = 0,
    Cpu = 1,
    Gpu = 2,
    Accelerator = 3,
    Custom = 4,
    Fp16 = 5,
    Fp64 = 6,
    Image = 9,
    OnlineCompiler = 10,
    OnlineLinker = 11,
    QueueProfiling = 12,
    UsmDeviceAllocations = 13,
    UsmHostAllocations = 14,
    UsmSharedAllocations = 15,
    UsmSystemAllocations = 17,
    UsmAtomicHostAllocations = 26,
    UsmAtomicSharedAllocations = 27,
    Atomic64 = 28,
    HostDebuggable = 32,
    Emulated = 40,
}

impl Aspect {
    pub const ALL: [Self; 20] = [
        Self::Host,
        Self::Cpu,
        Self::Gpu,
        Self::Accelerator,
        Self::Custom,
        Self::Fp16,
        Self::Fp64,
        Self::Image,
        Self::OnlineCompiler,
        Self::OnlineLinker,
        Self::QueueProfiling,
        Self::UsmDeviceAllocations,
        Self::UsmHostAllocations,
        Self::UsmSharedAllocations,
        Self::UsmSystemAllocations,
        Self::UsmAtomicHostAllocations,
        Self::UsmAtomicSharedAllocations,
        Self::Atomic64,
        Self::HostDebuggable,
        Self::Emulated,
    ];

    /// The aspect with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&aspect| aspect as u32 == number)
    }

    /// The enumerator's name in `sycl::aspect`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Accelerator => "accelerator",
            Self::Custom => "custom",
            Self::Fp16 => "fp16",
            Self::Fp64 => "fp64",
            Self::Image => "image",
            Self::OnlineCompiler => "online_compiler",
            Self::OnlineLinker => "online_linker",
            Self::QueueProfiling => "queue_profiling",
            Self::UsmDeviceAllocations => "usm_device_allocations",
            Self::UsmHostAllocations => "usm_host_allocations",
            Self::UsmSharedAllocations => "usm_shared_allocations",
            Self::UsmSystemAllocations => "usm_system_allocations",
            Self::UsmAtomicHostAllocations => "usm_atomic_host_allocations",
            Self::UsmAtomicSharedAllocations => "usm_atomic_shared_allocations",
            Self::Atomic64 => "atomic64",
            Self::HostDebuggable => "host_debuggable",
            Self::Emulated => "emulated",
        }
    }

    /// Inverse of [`Aspect::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|aspect| aspect.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_round_trip() {
        for aspect in Aspect::ALL {
            assert_eq!(Aspect::from_u32(aspect as u32), Some(aspect));
            assert_eq!(Aspect::from_name(aspect.as_str()), Some(aspect));
        }
        assert_eq!(Aspect::from_u32(7), None);
        assert_eq!(Aspect::from_name("fp128"), None);
    }
}
