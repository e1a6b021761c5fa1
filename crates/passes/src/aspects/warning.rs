//! Warnings about optional kernel features, as values. The messages follow the specification.

pub use scythe_diag::warning::Group;

use super::chain::{Analysis, Chain, Place, aspect_name};
use std::fmt;

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub group: Group,
    pub place: Option<Place>,
    pub message: String,
    /// The lines that follow the message.
    pub details: Vec<String>,
}

impl Warning {
    /// Creates a warning with the call chain that leads to its cause.
    pub fn with_chain(group: Group, message: String, chain: &Chain) -> Self {
        let mut details = vec!["use is from this call chain:".to_owned()];
        details.extend(chain.lines());
        if chain.place.is_none() {
            details.push("compile with '-g' to get source location".to_owned());
        }
        Self { group, place: chain.place.clone(), message, details }
    }
}

/// Formats the warning like the specification.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", place.location)?;
        }
        write!(f, "warning: {}", self.message)?;
        self.details.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}

/// Reports functions that use aspects which their `device_has` does not list. There is one warning
/// per function and aspect.
pub fn undeclared(analysis: &Analysis<'_, '_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (number, node) in analysis.functions.nodes.iter().enumerate() {
        let (number, Some(declared)) = (number as u32, &node.declared) else { continue };
        for (&aspect, reach) in &analysis.reaches {
            if declared.contains(&aspect) || !reach.uses(number) || node.function.is_declaration() {
                continue;
            }
            let Some(chain) = analysis.chain(number, aspect) else { continue };
            // A kernel repeats its functor's declaration. The functor's warning is enough.
            if chain.links[0].function != number
                && analysis.functions.nodes[chain.links[0].function as usize].declared.is_some()
            {
                continue;
            }
            let name = analysis.name(number, &node.function.name());
            let message = format!(
                "function '{name}' uses aspect '{}' not listed in 'sycl::device_has'",
                aspect_name(aspect)
            );
            warnings.push(Warning::with_chain(Group::DeviceHas, message, &chain));
        }
    }
    warnings
}
