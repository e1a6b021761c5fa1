//! The manifest of a device image: the information that the runtime needs besides the code.
//!
//! Inside of an image, the manifest is a list of typed values with a version
//! ([`Manifest::to_bytes`]). In the files of `sycl-post-link`, the same facts are property sets
//! ([`Manifest::to_properties`]), as the specification requires. Only `codec` and `facts` know the
//! two forms.

mod codec;
mod facts;

use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::condition::Condition;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::requirements::{Conditional, Requirements};

use crate::PropertySets;
pub use codec::{ManifestError, VERSION};
pub use facts::FactError;

/// Facts about an image. Lists have the order of the image's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Kernels, and exported functions with known facts.
    pub entry_points: Vec<EntryPoint>,
    pub requirements: Requirements,
    /// Additional requirements for some devices.
    pub conditional: Vec<Conditional>,
    /// Symbols that the image defines for other images.
    pub exports: Vec<String>,
    /// Symbols that other images must define.
    pub imports: Vec<Import>,
    pub constants: Vec<SpecializationConstant>,
    /// `device_global` variables that the code uses.
    pub globals: Vec<DeviceGlobal>,
    /// Whether the code queries the aspects of the device that it runs on.
    pub asks_for_aspects: bool,
    /// Properties of other tools, which are kept but not interpreted.
    pub other: PropertySets,
}

/// A kernel or an exported function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPoint {
    pub symbol: String,
    /// The launch description of a kernel. Kernels of other compilers have none.
    pub launch: Option<KernelLaunch>,
    /// The required work-group size of a kernel, in the attribute's order.
    pub work_group_size: Option<Vec<u32>>,
    /// The attributes of a kernel, as `info::kernel::attributes` returns them.
    pub attributes: String,
    /// For each aspect, the chain of calls because of which the entry point uses it.
    pub aspect_origins: Vec<AspectOrigin>,
}

/// A symbol that other images must define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub symbol: String,
    /// The conditions under which the code calls the symbol: the device must meet one of them.
    /// Empty if the code calls the symbol on every device.
    pub conditions: Vec<Condition>,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecializationConstant {
    pub symbol: String,
    /// The size of its value in bytes.
    pub size: u32,
}

/// A `device_global` variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceGlobal {
    /// The name of the variable in device code.
    pub symbol: String,
    pub size: u64,
    /// Whether the variable has `device_image_scope`, so that each image has its own copy.
    pub image_scope: bool,
}

impl Manifest {
    /// Returns the facts about the entry point `symbol`.
    pub fn entry_point(&self, symbol: &str) -> Option<&EntryPoint> {
        self.entry_points.iter().find(|entry| entry.symbol == symbol)
    }

    /// Returns the launch description of the kernel `symbol`.
    pub fn launch(&self, symbol: &str) -> Option<&KernelLaunch> {
        self.entry_point(symbol)?.launch.as_ref()
    }
}
