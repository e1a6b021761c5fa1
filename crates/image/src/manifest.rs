//! The manifest of a device image: what the runtime must know of the image besides its code.
//!
//! Inside an image, the manifest is a list of typed values with a version ([`Manifest::to_bytes`]).
//! In the files of `sycl-post-link`, the same facts are property sets
//! ([`Manifest::to_properties`]), as the specification demands. Only `codec` and `facts` know the
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

/// What is known of an image. Lists have the order of the image's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Kernels, and exported functions of which something is known.
    pub entry_points: Vec<EntryPoint>,
    pub requirements: Requirements,
    /// What the image needs of some devices besides.
    pub conditional: Vec<Conditional>,
    /// Symbols that the image defines for other images.
    pub exports: Vec<String>,
    /// Symbols that other images must define.
    pub imports: Vec<Import>,
    pub constants: Vec<SpecializationConstant>,
    /// `device_global` variables that the code uses.
    pub globals: Vec<DeviceGlobal>,
    /// The code asks for the aspects of the device that it runs on.
    pub asks_for_aspects: bool,
    /// Properties of other tools, which mean nothing here and are kept.
    pub other: PropertySets,
}

/// A kernel or an exported function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPoint {
    pub symbol: String,
    /// How to launch a kernel. Kernels of other compilers have no launch rows.
    pub launch: Option<KernelLaunch>,
    /// The work-group size that a kernel must be launched with, in the attribute's order.
    pub work_group_size: Option<Vec<u32>>,
    /// The attributes of a kernel, as `info::kernel::attributes` shows them.
    pub attributes: String,
    /// For each aspect, the calls that bring it in.
    pub aspect_origins: Vec<AspectOrigin>,
}

/// A symbol that other images must define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub symbol: String,
    /// The code calls the symbol only on devices that meet one of these conditions. Empty: on every
    /// device.
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
    /// Its name in device code.
    pub symbol: String,
    pub size: u64,
    /// It has `device_image_scope`: each image has its own.
    pub image_scope: bool,
}

impl Manifest {
    /// What is known of the entry point `symbol`.
    pub fn entry_point(&self, symbol: &str) -> Option<&EntryPoint> {
        self.entry_points.iter().find(|entry| entry.symbol == symbol)
    }

    /// The launch rows of the kernel `symbol`.
    pub fn launch(&self, symbol: &str) -> Option<&KernelLaunch> {
        self.entry_point(symbol)?.launch.as_ref()
    }
}
