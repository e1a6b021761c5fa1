//! The shape of a kernel's launches: single task, range or nd_range.

use scythe_abi::launch::Shape;
use scythe_abi::names::SHAPE_ATTRIBUTE;
use scythe_llvm::{Function, Place};

/// The error for a kernel without a usable [`SHAPE_ATTRIBUTE`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    #[error(
        "kernel '{kernel}' has launch shape '{found}', expected 'single_task', 'range' or \
         'nd_range'"
    )]
    Unknown { kernel: String, found: String },
    #[error("kernel '{kernel}' lacks the function attribute '{SHAPE_ATTRIBUTE}'")]
    Missing { kernel: String },
}

/// Reads the shape from the kernel's attribute.
pub fn of(kernel: Function<'_>) -> Result<Shape, ShapeError> {
    let Some(found) = kernel.string_attribute(Place::Function, SHAPE_ATTRIBUTE) else {
        return Err(ShapeError::Missing { kernel: kernel.name() });
    };
    Shape::from_name(&found).ok_or_else(|| ShapeError::Unknown { kernel: kernel.name(), found })
}
