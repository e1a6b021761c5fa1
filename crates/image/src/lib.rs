//! Everything that device code travels in between the compiler and the runtime, and nothing that
//! needs LLVM.
//!
//! * [`container`]: the device image, [`Image`] when it is made and [`ImageView`] when it is used.
//! * [`manifest`]: what an image says of itself.
//! * [`properties`]: property sets, the text files of post-link tools.
//! * [`file_table`]: the tables by which post-link stages name their outputs.
//! * [`bundle`]: fat objects, host ELF files with one section of device code per target.
//! * [`binary_bundle`]: files of any kind in one, as clang's offload bundler makes of all that is
//!   neither text nor object.
//! * [`fatbin`]: CUDA's fat binary.
//! * [`linked`]: objects whose device code is linked for good.
//! * [`text_bundle`]: preprocessed text of all passes in one file.
//! * [`unit`]: the identity of a translation unit, in its device modules and in its host object.
//! * [`archive`]: the members of static libraries.
//!
//! Each format has its one reader and its one writer here. Readers take any bytes: what does not
//! fit comes back as an error that says what was seen, what was expected, and where.

#![forbid(unsafe_code)]

pub mod archive;
mod base64;
pub mod binary_bundle;
pub mod bundle;
pub mod container;
mod elf;
pub mod fatbin;
pub mod file_table;
pub mod linked;
pub mod manifest;
mod ordered;
pub mod precompiled;
pub mod properties;
pub mod text_bundle;
pub mod unit;

pub use container::{Format, Image, ImageError, ImageView};
pub use elf::ElfError;
pub use file_table::{FileTable, FileTableError};
pub use manifest::{Manifest, ManifestError};
pub use properties::{PropertyError, PropertySet, PropertySets, PropertyValue};
