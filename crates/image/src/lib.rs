//! All formats in which device code is passed from the compiler to the runtime. This crate does not
//! need LLVM.
//!
//! * [`container`]: the device image, [`Image`] when it is made and [`ImageView`] when it is used.
//! * [`manifest`]: the description of an image.
//! * [`properties`]: property sets, the text files of post-link tools.
//! * [`file_table`]: the tables by which post-link stages name their outputs.
//! * [`bundle`]: fat objects, host ELF files with one section of device code per target.
//! * [`binary_bundle`]: bundles of files, in the format of clang's offload bundler for files that
//!   are neither text nor objects.
//! * [`fatbin`]: CUDA's fat binary.
//! * [`cpu_report`]: what an x86-64 object tells about its kernels.
//! * [`cubin`], [`intel_gpu`]: what the machine code of GPUs tells about its kernels.
//! * [`linked`]: objects whose device link is final.
//! * [`text_bundle`]: the preprocessed text of all passes in one file.
//! * [`unit`]: the identity of a translation unit, in its device modules and in its host object.
//! * [`archive`]: the members of static libraries.
//!
//! The only reader and the only writer of each format are here. Readers accept any bytes: for
//! invalid bytes they return an error that states the actual and the expected contents, and their
//! position.

#![forbid(unsafe_code)]

pub mod archive;
pub mod binary_bundle;
pub mod bundle;
pub mod container;
pub mod cpu_report;
pub mod cubin;
mod elf;
pub mod fatbin;
pub mod file_table;
pub mod intel_gpu;
pub mod linked;
pub mod manifest;
pub mod precompiled;
pub mod properties;
pub mod text_bundle;
pub mod unit;

pub use container::{Format, Image, ImageError, ImageView};
pub use elf::ElfError;
pub use file_table::{FileTable, FileTableError};
pub use manifest::{Manifest, ManifestError};
pub use properties::{PropertyError, PropertySet, PropertySets, PropertyValue};
