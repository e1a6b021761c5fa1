//! The calling convention between the CUDA backend and kernels, and the images that a device can
//! load.
//!
//! A kernel is an `.entry` function. Its name is the [`symbol`] of the kernel's name. It has one
//! parameter per launch row, in order, followed by a [`Launch`] by value:
//!
//! | row | parameter |
//! |---|---|
//! | `Accessor`, `Pointer` | the 64-bit device address |
//! | `StdLayout`, `Sampler` | the row's bytes: a scalar, or a by-value block |
//! | `Local` | a 32-bit offset into the launch's dynamic shared memory |
//!
//! Local accessors follow one another in dynamic shared memory from offset 0, in the order of their
//! rows, each at a multiple of [`LOCAL_ALIGNMENT`]. The kernel does not read the offset of the
//! first one. Variables in local memory of a known size are static shared memory. The driver
//! reports the amount of static shared memory of a kernel (`CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`)
//! and places dynamic memory after it.
//!
//! Thread blocks are work-groups: `x` is the dimension that varies fastest, index 0 of each array.
//! * nd_range kernels do not check bounds: blocks have the size of the work-group, and there is one
//!   block per work-group.
//! * range kernels run in blocks of any size. They skip work-items beyond [`Launch::end`] in
//!   dimension 0. In the other two dimensions, the `y` and `z` extents of a block must divide the
//!   range.
//! * single-task kernels run as one block of one thread.
//!
//! If a range has more groups than a grid can have, the backend launches the kernel several times.
//! [`Launch::first_group`] and [`Launch::start`] distinguish these launches.
//!
//! The target of an image compiled ahead of time is the target's name, `nvidia_gpu_sm_90` or
//! `nvptx64-nvidia-cuda`. If the name does not contain the architecture, ':' and the architecture
//! follow it: [`Architecture::of_target`]. The code is a fat binary (`Format::Fatbin`) with a cubin
//! for that architecture and PTX for later ones. If no `ptxas` was available, it is PTX only
//! (`Format::Ptx`), with a NUL byte at the end as the driver requires. Generic images become PTX at
//! run time ([`crate::jit::Output::Ptx`]).

use crate::target::{Family, PTX_BASE, SEPARATOR, Target};

/// The alignment of local accessors in shared memory: the alignment of the largest vector type of
/// SYCL.
pub const LOCAL_ALIGNMENT: u32 = 128;

/// The number of work-items in a sub-group.
pub const SUB_GROUP_SIZE: u32 = 32;

/// The maximum number of work-items of a work-group in the slowest of three dimensions. The device
/// configuration holds the maximum over all dimensions together.
pub const MAX_SLOWEST_SIZE: u32 = 64;

/// The last parameter of a kernel, passed by value. Index 0 of each array is the dimension that
/// varies fastest. Dimensions that a launch does not have are of size 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The global id of the first work-item of the launch: the offset plus the part of the range
    /// that earlier launches covered.
    pub start: [u64; 3],
    /// The sum of the offset and the global size.
    pub end: [u64; 3],
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// The work-group that the first block of the launch runs.
    pub first_group: [u32; 3],
    /// The number of work-groups in the whole range.
    pub num_groups: [u32; 3],
    /// The address of the word in global memory at which the work-groups of a cooperative launch
    /// meet, or 0. The launch that uses it last leaves its lower 31 bits 0.
    pub meeting: u64,
}

/// An architecture of NVIDIA GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// Ten times the major number of the compute capability plus the minor number: 90 for `sm_90`.
    pub sm: u32,
    /// Whether the architecture is specific, such as `sm_90a` or `sm_100f`. Code for it is assumed
    /// to run on no other architecture.
    pub specific: bool,
}

impl Architecture {
    /// Returns the architecture of an image's target. Returns `None` for targets of other vendors.
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

    /// Parses a name such as `sm_90` or `sm_90a`.
    pub fn from_name(name: &str) -> Option<Self> {
        let number = name.strip_prefix("sm_")?;
        let specific = number.ends_with(['a', 'f']);
        let number = if specific { &number[..number.len() - 1] } else { number };
        let digits =
            (2..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self { sm: number.parse().ok().filter(|_| digits)?, specific })
    }

    /// Returns whether a device of compute capability `sm` can run a cubin of this architecture:
    /// the device has the same major number and at least the same minor number.
    pub fn cubin_runs_on(self, sm: u32) -> bool {
        self.sm == sm || !self.specific && self.sm / 10 == sm / 10 && self.sm < sm
    }

    /// Returns whether the driver of a device of capability `sm` can compile PTX for this
    /// architecture.
    pub fn ptx_runs_on(self, sm: u32) -> bool {
        self.sm == sm || !self.specific && self.sm < sm
    }
}

/// Returns the name of a kernel or a variable in PTX. Letters, digits and `_` stay as they are,
/// because PTX allows them in names; each other byte becomes `$` and two hexadecimal digits.
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
        assert_eq!((size_of::<Launch>(), align_of::<Launch>()), (128, 8));
        assert_eq!(std::mem::offset_of!(Launch, first_group), 96);
        assert_eq!(std::mem::offset_of!(Launch, meeting), 120);
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
