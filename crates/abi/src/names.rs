//! Names that appear in IR, images and objects.

/// Named metadata with one node per kernel; see [`crate::launch`].
pub const LAUNCH_METADATA: &str = "scythe.launch";
/// Property set with one byte-array property per kernel; see
/// [`crate::launch::KernelLaunch::to_bytes`].
pub const LAUNCH_PROPERTY_SET: &str = "SCYTHE/launch";
/// Property set with one number, 1, per symbol that an image defines for others.
pub const EXPORTED_SYMBOLS: &str = "SYCL/exported symbols";
/// Property set with one number, 1, per symbol that other images must define.
pub const IMPORTED_SYMBOLS: &str = "SYCL/imported symbols";
/// Property set with what an image requires of every device; see the specification.
pub const DEVICE_REQUIREMENTS: &str = "SYCL/device requirements";
/// Property set with the number `asks`=1 if the code asks for the aspects of its device.
pub const ASPECT_QUERIES: &str = "SCYTHE/aspect queries";
/// Property set with one byte array per entry point: lines
/// `aspect<TAB>function@file:line:column<TAB>…`, from the entry point to the function that uses the
/// aspect.
pub const ASPECT_ORIGINS: &str = "SCYTHE/aspect origins";
/// Property set with what an image requires of some devices only: one byte array, `u32` numbers,
/// per condition and requirement, called `<condition> aspect` or `<condition> reqd_sub_group_size`;
/// see [`crate::condition`].
pub const CONDITIONAL_REQUIREMENTS: &str = "SCYTHE/conditional requirements";
/// Property set with one byte array per symbol of [`IMPORTED_SYMBOLS`] that is called on some
/// devices only: conditions, of which such a device meets one, each with a line feed after it.
pub const CONDITIONAL_IMPORTS: &str = "SCYTHE/conditional imports";
/// Property set with one byte array per `device_global` of an image, under its name in device code:
/// its size as a `u64`, and a byte that is 1 where it has `device_image_scope`.
pub const DEVICE_GLOBALS: &str = "SYCL/device globals";
/// Property set with one byte array per kernel that requires a work-group size: `u32` sizes in the
/// attribute's order.
pub const KERNEL_WORK_GROUP_SIZES: &str = "SCYTHE/required work-group sizes";
/// Property set with one text per kernel that has attributes: see `info::kernel::attributes` in
/// `docs/properties.md`.
pub const KERNEL_ATTRIBUTES: &str = "SCYTHE/kernel attributes";
/// Function attribute on kernels: `single_task`, `range` or `nd_range`.
pub const SHAPE_ATTRIBUTE: &str = "scythe-shape";
/// Function attribute on kernels and `SYCL_EXTERNAL` functions: the translation unit (spec: device
/// code split).
pub const MODULE_ID_ATTRIBUTE: &str = "sycl-module-id";
/// Prefix of the work-group function that the CPU lowering makes from a kernel.
pub const CPU_ENTRY_PREFIX: &str = "__scythe_cpu.";
/// Prefix of the function that tells how an nd_range kernel was compiled; see
/// [`crate::cpu::FormFn`].
pub const CPU_FORM_PREFIX: &str = "__scythe_cpu_form.";
/// Between a kernel's mangled name and its translation unit's identifier (16 hex digits), for names
/// with internal linkage.
pub const TU_SEPARATOR: &str = ".tu.";
/// Section of host objects with the identifier of their translation unit, a 64-bit number
/// (`include/sycl/detail/unit.hpp`).
pub const UNIT_SECTION: &str = ".scythe.unit";
/// Section of host objects with names that hold the identifier as text.
pub const UNIT_NAMES_SECTION: &str = ".scythe.unit.names";
/// The generic device target.
pub const GENERIC_TRIPLE: &str = "spirv64-unknown-unknown";
/// Section of programs, libraries and wrapper objects with the bytes of their device images.
pub const IMAGE_SECTION: &str = ".scythe.images";
/// Section that lists the kernels of an object whose device code is linked for good, one per line.
pub const LINKED_SECTION: &str = ".scythe.linked";
/// What the bundler puts before `sycl-<triple>` in a section's name.
pub const BUNDLE_SECTION_PREFIX: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// Specialization constants are the variables whose names begin so
/// (`include/sycl/specialization_id.hpp`), and end with [`SPECIALIZATION_SUFFIX`] and perhaps the
/// translation unit.
pub const SPECIALIZATION_PREFIX: &str = "_ZN4sycl6detail23specialization_constantI";
pub const SPECIALIZATION_SUFFIX: &str = "5valueE";
/// The property set that names them, with their sizes.
pub const SPECIALIZATION_CONSTANTS: &str = "SYCL/specialization constants";
