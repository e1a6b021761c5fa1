//! Launches whose work-groups depend on each other, and how many of them can run at the same time.

/// The way in which the work-groups of a launch depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cooperation {
    /// No work-group waits for another one.
    #[default]
    None,
    /// All work-groups wait for each other: the root group has a barrier. The backend runs all of
    /// them at the same time. The launch has at most [`Occupancy::together`] work-groups.
    Root,
    /// Boxes of this many neighbouring work-groups (fastest dimension first) run at the same time
    /// and share their local memory. The device has
    /// [`DeviceInfo::max_cluster_size`](crate::DeviceInfo::max_cluster_size) > 0.
    Clusters([u32; 3]),
}

/// The number of work-groups of a kernel that run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The number on one compute unit. `None` if the driver does not tell.
    pub per_unit: Option<u64>,
    /// The number on the whole device that a launch with [`Cooperation::Root`] may have. 0 if the
    /// device cannot run the kernel with work-groups of this size.
    pub together: u64,
    /// The maximum size of sub-groups, and the number of sub-groups in a work-group. `None` if
    /// sub-groups have the largest size of the device and are neighbours by linear id.
    pub sub_groups: Option<(u32, u64)>,
}

impl Occupancy {
    /// The answer of devices that guarantee nothing: a single work-group.
    pub const ONE: Self = Self { per_unit: None, together: 1, sub_groups: None };
}

/// What a kernel needs on its device, as far as the driver tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The maximum number of work-items of a group, if the kernel allows fewer than the device.
    pub max_group_size: Option<u64>,
    /// The bytes of memory for spilled registers, on devices with
    /// `aspect::ext_intel_spill_memory_size`.
    pub spill_bytes: Option<u64>,
}
