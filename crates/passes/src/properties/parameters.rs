//! Properties of kernel parameters: string attributes of the parameter, and the LLVM attributes
//! with the same meaning.
//!
//! The front end knows the properties before the parameters exist. [`note`] stores them in
//! `!scythe_param_properties`, with one node of names and values per future parameter. After the
//! lowering of kernel arguments the pass writes the attributes and removes the metadata.

use crate::properties::PropertyError;
use crate::{Error, Pass};
use scythe_llvm::{Function, Metadata, Module, Place};

const KIND: &str = "scythe_param_properties";

/// The property of a pointer to memory that no other pointer of the kernel refers to.
pub const NO_ALIAS: &str = "sycl-no-alias";

/// Stores the properties of each parameter that a kernel will have.
pub fn note(module: &Module<'_>, kernel: Function<'_>, parameters: &[Vec<(String, String)>]) {
    if parameters.iter().all(Vec::is_empty) {
        return;
    }
    let context = module.context();
    let node = |properties: &Vec<(String, String)>| {
        let texts = properties
            .iter()
            .flat_map(|(name, value)| [context.md_string(name), context.md_string(value)]);
        context.md_node(&texts.collect::<Vec<_>>())
    };
    let nodes: Vec<_> = parameters.iter().map(node).collect();
    kernel.set_metadata(context.metadata_kind(KIND), context.md_node(&nodes));
}

/// The pass `parameter-properties`. See the module documentation.
pub struct ParameterProperties;

impl Pass for ParameterProperties {
    fn name(&self) -> &'static str {
        "parameter-properties"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let kind = module.context().metadata_kind(KIND);
        let mut changed = false;
        for kernel in module.kernels() {
            let Some(node) = kernel.metadata(kind) else { continue };
            let fail = |fault: PropertyError| Error::Kernel {
                pass: self.name(),
                kernel: kernel.name(),
                fault: fault.into(),
            };
            let parameters = node.operands();
            if parameters.len() != kernel.param_count() {
                let (have, want) = (parameters.len(), kernel.param_count());
                return Err(fail(PropertyError::Count { have, want }));
            }
            for (index, properties) in parameters.into_iter().enumerate() {
                let texts: Option<Vec<String>> = properties
                    .map(|node| {
                        node.operands()
                            .into_iter()
                            .map(|text| text.and_then(Metadata::string))
                            .collect()
                    })
                    .unwrap_or_default();
                let texts = texts.ok_or_else(|| fail(PropertyError::NotText { index }))?;
                for pair in texts.chunks_exact(2) {
                    apply(module, kernel, index, &pair[0], &pair[1]).map_err(fail)?;
                }
            }
            kernel.erase_metadata(kind);
            changed = true;
        }
        Ok(changed)
    }
}

fn apply<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    index: usize,
    name: &str,
    value: &str,
) -> Result<(), PropertyError> {
    let context = module.context();
    let place = Place::Param(index as u32);
    if kernel.string_attribute(place, name).is_some_and(|other| other != value) {
        return Err(PropertyError::TwoValues { index, property: name.to_owned() });
    }
    kernel.add_attribute(place, context.string_attribute(name, value));
    let is_pointer = kernel.param(index).is_some_and(|p| p.ty().is_pointer())
        && kernel.enum_attribute(place, "byval").is_none();
    let meaning = match name {
        NO_ALIAS if is_pointer => context.enum_attribute("noalias", 0),
        "sycl-alignment" if is_pointer => {
            let bytes = value
                .parse()
                .ok()
                .filter(|bytes: &u64| bytes.is_power_of_two() && *bytes <= 1 << 20);
            let bytes =
                bytes.ok_or_else(|| PropertyError::Alignment { index, value: value.to_owned() })?;
            context.enum_attribute("align", bytes)
        }
        _ => None,
    };
    meaning.into_iter().for_each(|attribute| kernel.add_attribute(place, attribute));
    Ok(())
}
