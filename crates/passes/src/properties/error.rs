//! Compile-time properties that make no sense.

/// What is wrong with a property.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    #[error("property '{property}' is '{value}', expected {expected}")]
    Value { property: &'static str, value: String, expected: String },
    #[error("property '{property}' contradicts an attribute of the kernel")]
    Contradiction { property: &'static str },
    #[error("has properties of {have} parameters, expected {want}")]
    Count { have: usize, want: usize },
    #[error("properties of parameter {index} are not text")]
    NotText { index: usize },
    #[error("parameter {index} has two values of property '{property}'")]
    TwoValues { index: usize, property: String },
    #[error("property 'sycl-alignment' of parameter {index} is '{value}', expected a power of two")]
    Alignment { index: usize, value: String },
    #[error("parameter {index}: {fault}")]
    Parameter { index: usize, fault: Box<PropertyError> },
}
