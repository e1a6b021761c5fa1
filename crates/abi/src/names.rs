//! Names that appear in IR, images and objects.

/// Named metadata with one node per kernel; see [`crate::launch`].
pub const LAUNCH_METADATA: &str = "scythe.launch";
/// Property set with one byte-array property per kernel; see
/// [`crate::launch::KernelLaunch::to_bytes`].
pub const LAUNCH_PROPERTY_SET: &str = "SCYTHE/launch";
/// Property set with one number, 1, for each symbol that the image defines for other images.
pub const EXPORTED_SYMBOLS: &str = "SYCL/exported symbols";
/// Property set with one number, 1, for each symbol that other images must define.
pub const IMPORTED_SYMBOLS: &str = "SYCL/imported symbols";
/// Property set with the requirements of the image on all devices; see the specification.
pub const DEVICE_REQUIREMENTS: &str = "SYCL/device requirements";
/// Property set with the number `asks`=1 if the code queries the aspects of its device.
pub const ASPECT_QUERIES: &str = "SCYTHE/aspect queries";
/// Property set with one byte array per entry point. The bytes are lines of the form
/// `aspect<TAB>function@file:line:column<TAB>…`, which list the functions from the entry point to
/// the function that uses the aspect.
pub const ASPECT_ORIGINS: &str = "SCYTHE/aspect origins";
/// Property set with the requirements of the image on some devices only. Each condition and
/// requirement has one byte array of `u32` numbers, named `<condition> aspect` or `<condition>
/// reqd_sub_group_size`; see [`crate::condition`].
pub const CONDITIONAL_REQUIREMENTS: &str = "SCYTHE/conditional requirements";
/// Property set with one byte array for each symbol of [`IMPORTED_SYMBOLS`] that is called on some
/// devices only. The bytes are conditions, each followed by a line feed. A device that calls the
/// symbol meets at least one of them.
pub const CONDITIONAL_IMPORTS: &str = "SCYTHE/conditional imports";
/// Property set with one byte array per `device_global` of the image. The property name is the
/// variable's name in device code. The bytes are the variable's size as a `u64`, and a byte that is
/// 1 if the variable has the property `device_image_scope`.
pub const DEVICE_GLOBALS: &str = "SYCL/device globals";
/// Property set with one byte array per kernel that requires a work-group size: the sizes as `u32`
/// numbers in the order of the attribute.
pub const KERNEL_WORK_GROUP_SIZES: &str = "SCYTHE/required work-group sizes";
/// Property set with one text per kernel that has attributes; see `info::kernel::attributes` in
/// `docs/properties.md`.
pub const KERNEL_ATTRIBUTES: &str = "SCYTHE/kernel attributes";
/// Function attribute of kernels: `single_task`, `range` or `nd_range`.
pub const SHAPE_ATTRIBUTE: &str = "scythe-shape";
/// Property set with the number 1 for each check that kernels of the image request; see
/// [`CHECKS_ATTRIBUTE`].
pub const CHECKS_PROPERTY_SET: &str = "SCYTHE/checks";
/// Function attribute of kernels: the checks that the compiler adds to their code for the CPU
/// ([`crate::checks::Checks::names`]).
pub const CHECKS_ATTRIBUTE: &str = "scythe-checks";
/// Function attribute of kernels and `SYCL_EXTERNAL` functions: the identifier of the translation
/// unit (spec: device code split).
pub const MODULE_ID_ATTRIBUTE: &str = "sycl-module-id";
/// Prefix of the work-group function that the CPU lowering creates for a kernel.
pub const CPU_ENTRY_PREFIX: &str = "__scythe_cpu.";
/// Prefix of the function that describes how an nd_range kernel was compiled; see
/// [`crate::cpu::FormFn`].
pub const CPU_FORM_PREFIX: &str = "__scythe_cpu_form.";
/// The function in an object that contains all kernels of its image although only one was
/// requested, because kernels share variables. The function is never called.
pub const CPU_WHOLE: &str = "__scythe_cpu_whole";
/// The section of an x86-64 object that tells how its kernels were compiled.
pub const KERNELS_SECTION: &str = ".scythe.kernels";
/// The function in an object whose kernels were compiled for debuggers (`-O0 -g`): one work-item
/// runs after the other. The function is never called.
pub const CPU_STEPPING: &str = "__scythe_cpu_stepping";
/// Beginning of the symbols of free function kernels: the class template
/// `sycl::detail::free_function`, whose argument is the function.
pub const FREE_FUNCTION_PREFIX: &str = "_ZTSN4sycl6detail13free_functionI";
/// Separator between a kernel's mangled name and the identifier of its translation unit (16
/// hexadecimal digits), for names with internal linkage.
pub const TU_SEPARATOR: &str = ".tu.";
/// Section of host objects that holds the identifier of the translation unit, a 64-bit number
/// (`include/sycl/detail/unit.hpp`).
pub const UNIT_SECTION: &str = ".scythe.unit";
/// Section of host objects that holds names which contain the identifier as text.
pub const UNIT_NAMES_SECTION: &str = ".scythe.unit.names";
/// The triple of the generic device target.
pub const GENERIC_TRIPLE: &str = "spirv64-unknown-unknown";
/// Section of programs, libraries and wrapper objects that holds the bytes of their device images.
pub const IMAGE_SECTION: &str = ".scythe.images";
/// Section that lists the kernels of an object whose device code is already fully linked, one per
/// line.
pub const LINKED_SECTION: &str = ".scythe.linked";
/// The bundler's prefix of `sycl-<triple>` in section names.
pub const BUNDLE_SECTION_PREFIX: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// Prefix of the names of specialization constants (`include/sycl/specialization_id.hpp`). The
/// names end with [`SPECIALIZATION_SUFFIX`], which the identifier of the translation unit may
/// follow.
pub const SPECIALIZATION_PREFIX: &str = "_ZN4sycl6detail23specialization_constantI";
pub const SPECIALIZATION_SUFFIX: &str = "5valueE";
/// Property set with the names and sizes of the specialization constants.
pub const SPECIALIZATION_CONSTANTS: &str = "SYCL/specialization constants";
