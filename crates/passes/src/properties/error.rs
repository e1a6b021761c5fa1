//! Errors about invalid compile-time properties.

/// The reason why a property is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    #[error("property '{property}' is '{value}', expected {expected}")]
    Value { property: &'static str, value: String, expected: String },
    #[error("property '{property}' contradicts an attribute of the kernel; remove one of them")]
    Contradiction { property: &'static str },
    #[error("the metadata describes properties of {have} parameters, expected {want}")]
    Count { have: usize, want: usize },
    #[error("the properties of parameter {index} are not a string")]
    NotText { index: usize },
    #[error("parameter {index} has two values for property '{property}'")]
    TwoValues { index: usize, property: String },
    #[error("property 'sycl-alignment' of parameter {index} is '{value}', expected a power of two")]
    Alignment { index: usize, value: String },
    #[error("parameter {index}: {fault}")]
    Parameter { index: usize, fault: Box<PropertyError> },
}
