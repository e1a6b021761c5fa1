//! Everything that device code travels in between the compiler and the runtime, and nothing that needs LLVM.
//!
//! * [`container`]: the device image, [`Image`] when it is made and [`ImageView`] when it is used.
//! * [`properties`]: property sets, inside images and as text files.
//!
//! Each format has its one reader and its one writer here. Readers take any bytes: what does not fit comes back as an
//! error that says what was seen, what was expected, and where.

mod base64;
pub mod container;
mod ordered;
pub mod properties;

pub use container::{Format, Image, ImageError, ImageView};
pub use properties::{PropertyError, PropertySet, PropertySets, PropertyValue};
