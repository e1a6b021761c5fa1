//! How the CUDA backend launches a kernel, and which images it can load.
//!
//! A kernel is an `.entry` function called [`symbol`] of its name. It has one parameter per launch
//! row, in order, and [`Launch`] by value after them:
//!
//! | row | parameter |
//! |---|---|
//! | `Accessor`, `Pointer` | the 64-bit device address |
//! | `StdLayout`, `Sampler` | the row's bytes: a scalar, or a by-value block |
//! | `Local` | a 32-bit offset into the launch's dynamic shared memory |
//!
//! Local accessors stand one after another in dynamic shared memory, in the order of their rows,
//! each at a multiple of [`LOCAL_ALIGNMENT`], from offset 0: the first one's offset is not even
//! read. Variables in local memory of a known size are static shared memory: the driver tells how
//! much of it a kernel has (`CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`), and places dynamic memory
//! behind it.
//!
//! Thread blocks are work-groups: `x` is the dimension that varies fastest, index 0 of each array.
//! * nd_range kernels check nothing: blocks have the work-group's size, and there is one per
//!   work-group.
//! * range kernels run in blocks of any size. They leave out work-items beyond [`Launch::end`] of
//!   dimension 0; in the other two, blocks must fit the range, so that `y` and `z` of a block
//!   divide it.
//! * single-task kernels run as one block of one thread.
//!
//! Where a range has more groups than a grid can have, it takes several launches, told apart by
//! [`Launch::first_group`] and [`Launch::start`].
//!
//! Images ahead of time have the target's name, `nvidia_gpu_sm_90` or `nvptx64-nvidia-cuda`, and
//! behind a name that does not tell the architecture ':' and that: [`Architecture::of_target`].
//! Their code is a fat binary (`Format::Fatbin`) with a cubin for that architecture and PTX for
//! later ones, or, where no `ptxas` was at hand, PTX alone (`Format::Ptx`, with a NUL byte at the
//! end, as the driver wants it). Generic images become PTX at run time ([`crate::ptx`]).

use crate::target::{Family, PTX_BASE, SEPARATOR, Target};

/// What local accessors are aligned to in shared memory: what the largest vector type of SYCL asks
/// for.
pub const LOCAL_ALIGNMENT: u32 = 128;

/// Work-items of a sub-group.
pub const SUB_GROUP_SIZE: u32 = 32;

/// The most work-items of a work-group in the slowest of three dimensions. That of all dimensions
/// together is in the device configuration.
pub const MAX_SLOWEST_SIZE: u32 = 64;

/// A kernel's last parameter, by value. Index 0 of each array is the dimension that varies fastest;
/// dimensions that a launch does not have are of size 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The global id of the launch's first work-item: the offset, and what earlier launches of the
    /// same range covered.
    pub start: [u64; 3],
    /// The offset and the global size together.
    pub end: [u64; 3],
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// The work-group that the launch's first block is.
    pub first_group: [u32; 3],
    /// Work-groups in the whole range.
    pub num_groups: [u32; 3],
}

/// An architecture of NVIDIA GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// 90 for `sm_90`: ten times the major number of the compute capability, and the minor one.
    pub sm: u32,
    /// `sm_90a`, `sm_100f`: code for it is taken to run nowhere else.
    pub specific: bool,
}

impl Architecture {
    /// What an image's target means. `None` for targets that are not NVIDIA's.
    pub fn of_target(target: &str) -> Option<Self> {
        let (name, told) =
            target.split_once(SEPARATOR).map_or((target, None), |(name, arch)| (name, Some(arch)));
        if Family::of_image_target(name) != Some(Family::Nvidia) {
            return None;
        }
        let in_name =
            || name.strip_prefix(Family::Nvidia.prefix()).or_else(|| Target::of_id(name)?.arch());
        Self::from_name(told.or_else(in_name).unwrap_or(PTX_BASE))
    }

    /// Inverse of `sm_90`, `sm_90a`.
    pub fn from_name(name: &str) -> Option<Self> {
        let number = name.strip_prefix("sm_")?;
        let specific = number.ends_with(['a', 'f']);
        let number = if specific { &number[..number.len() - 1] } else { number };
        let digits =
            (2..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self { sm: number.parse().ok().filter(|_| digits)?, specific })
    }

    /// A device of capability `sm` runs a cubin of this architecture: the same major number, and a
    /// minor one that is no older.
    pub fn cubin_runs_on(self, sm: u32) -> bool {
        self.sm == sm || !self.specific && self.sm / 10 == sm / 10 && self.sm < sm
    }

    /// The driver of a device of capability `sm` can compile PTX for this architecture.
    pub fn ptx_runs_on(self, sm: u32) -> bool {
        self.sm == sm || !self.specific && self.sm < sm
    }
}

/// The name of a kernel or a variable in PTX, which has letters, digits and `_` only: other bytes
/// are `$` and two hexadecimal digits.
pub fn symbol(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => symbol.push(byte.into()),
            _ => symbol.push_str(&format!("${byte:02x}")),
        }
    }
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launch_block_has_no_holes() {
        assert_eq!((size_of::<Launch>(), align_of::<Launch>()), (120, 8));
        assert_eq!(std::mem::offset_of!(Launch, first_group), 96);
    }

    #[test]
    fn images_run_where_their_architecture_does() {
        let of = |name| Architecture::of_target(name).unwrap();
        assert_eq!(of("nvidia_gpu_sm_90"), Architecture { sm: 90, specific: false });
        assert_eq!(of("nvidia_gpu_sm_90a"), Architecture { sm: 90, specific: true });
        assert_eq!(of("nvptx64-nvidia-cuda").sm, 75);
        assert_eq!(of("nvptx64-nvidia-cuda-sm_80"), of("nvidia_gpu_sm_80"));
        assert_eq!(of("nvidia_gpu_@mine:sm_120a"), Architecture { sm: 120, specific: true });
        for target in [
            "spir64",
            "nvidia_gpu_@mine",
            "nvidia_gpu_sm_",
            "nvidia_gpu_sm_9b",
            "intel_gpu_x:sm_90",
        ] {
            assert_eq!(Architecture::of_target(target), None, "{target}");
        }
        let sm_80 = of("nvidia_gpu_sm_80");
        assert!(
            sm_80.cubin_runs_on(80)
                && sm_80.cubin_runs_on(86)
                && !sm_80.cubin_runs_on(75)
                && !sm_80.cubin_runs_on(90)
        );
        assert!(sm_80.ptx_runs_on(90) && sm_80.ptx_runs_on(120) && !sm_80.ptx_runs_on(75));
        assert!(
            !of("nvidia_gpu_sm_90a").ptx_runs_on(100) && of("nvidia_gpu_sm_100").cubin_runs_on(103)
        );
    }

    #[test]
    fn names_are_what_ptx_takes() {
        assert_eq!(symbol("_ZTS1K"), "_ZTS1K");
        assert_eq!(symbol("_ZTS1K.tu.00ff"), "_ZTS1K$2etu$2e00ff");
        assert_eq!(symbol("a$b"), "a$24b");
    }
}
