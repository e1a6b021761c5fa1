//! Translates properties into the IR from which LLVM's SPIR-V back end, and Scythe after it, emit
//! SPIR-V instructions. This pass is part of post-link. [`super::spirv_table`] lists the
//! translation of each property.
//!
//! | property of | IR | SPIR-V |
//! |---|---|---|
//! | kernels | `!spirv.ExecutionMode = !{!{ptr @kernel, i32 mode, i32 operand…}}` | `OpExecutionMode` |
//! | parameters | `!spirv.ParameterDecorations` of the kernel: a list of decorations for each parameter | `OpDecorate` |
//! | variables | `!spirv.Decorations` of the variable: a list of decorations | `OpDecorate` |
//! | members | `!spirv.Decorations` of the call of `llvm.ptr.annotation`: a list of decorations | `OpDecorate`, `OpMemberDecorate` |
//!
//! A decoration is `!{i32 number, operand…}`. Operands are numbers or strings.
//!
//! The design document specifies a call of `__spirv_AddMemberDecoration(ptr, metadata)` for
//! members. This is not valid IR, because only intrinsics can have metadata arguments. Instead, the
//! call of `llvm.ptr.annotation` stays and carries the same list. If an optimisation drops the
//! list, [`member_decorations`] rebuilds it from the text of the call.
//!
//! The pass keeps existing metadata. A second run changes nothing.

use super::PropertyError;
use super::spirv_table::{Entity, Operand, Row, USER_SEMANTIC, rows_on};
use crate::{Error, Pass};
use scythe_llvm::{ContextRef, Function, Instruction, Metadata, Module, Place};
use std::collections::HashSet;

pub const EXECUTION_MODES: &str = "spirv.ExecutionMode";
pub const PARAMETER_DECORATIONS: &str = "spirv.ParameterDecorations";
pub const DECORATIONS: &str = "spirv.Decorations";
/// The prefix of the text of an annotation that lists properties.
pub const ANNOTATION_PREFIX: &str = "sycl-properties:";

/// The pass `spirv-properties`. See the module documentation.
pub struct SpirvProperties;

impl Pass for SpirvProperties {
    fn name(&self) -> &'static str {
        "spirv-properties"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let mut changed = false;
        let mut modes: HashSet<Metadata<'_>> =
            module.named_metadata(EXECUTION_MODES).into_iter().collect();
        for kernel in module.kernels() {
            let fail = |fault: PropertyError| Error::Kernel {
                pass: self.name(),
                kernel: kernel.name(),
                fault: fault.into(),
            };
            changed |= execution_modes(module, kernel, &mut modes).map_err(fail)?;
            changed |= parameter_decorations(module, kernel).map_err(fail)?;
        }
        changed |= variable_decorations(module).map_err(|(variable, fault)| Error::Variable {
            pass: self.name(),
            variable,
            fault: fault.into(),
        })?;
        let kind = module.context().metadata_kind(DECORATIONS);
        for call in annotations(module) {
            let fail = |fault: PropertyError| {
                let kernel = call.function().map(|function| function.name()).unwrap_or_default();
                Error::Function { pass: self.name(), function: kernel, fault: fault.into() }
            };
            if call.metadata(kind).is_none()
                && let Some(list) = member_decorations(module, call).map_err(fail)?
            {
                call.set_metadata(kind, Some(list));
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// Returns the calls that annotate members, in the module's order.
pub fn annotations<'ctx>(module: &Module<'ctx>) -> Vec<Instruction<'ctx>> {
    if !module.functions().any(|function| is_annotation(function)) {
        return Vec::new();
    }
    let functions = module.functions().filter(|function| !function.is_declaration());
    functions
        .flat_map(|f| f.instructions())
        .filter(|i| i.called_function().is_some_and(is_annotation))
        .collect()
}

fn is_annotation(function: Function<'_>) -> bool {
    function.is_intrinsic() && function.name().starts_with("llvm.ptr.annotation.")
}

/// Returns the list of decorations for the properties in an annotation's text. Properties in the
/// table become the decorations that it lists, and the others become text. Returns `None` if the
/// table has none of the properties: the back end then turns the whole annotation into text.
pub fn member_decorations<'ctx>(
    module: &Module<'ctx>,
    annotation: Instruction<'ctx>,
) -> Result<Option<Metadata<'ctx>>, PropertyError> {
    let Some(text) = annotation_text(annotation) else { return Ok(None) };
    let Some(properties) = text.strip_prefix(ANNOTATION_PREFIX) else { return Ok(None) };
    let context = module.context();
    let (mut list, mut rest) = (Vec::new(), Vec::new());
    // A value may contain commas, too. The text after such a comma is a part that matches no row.
    for part in properties.split(',') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match rows_on(Entity::Member).find(|row| row.property == name) {
            Some(row) => list.push(decoration(context, &row, &[], value, "")?),
            None => rest.push(part),
        }
    }
    if list.is_empty() {
        return Ok(None);
    }
    if !rest.is_empty() {
        let text = context.md_string(&format!("{ANNOTATION_PREFIX}{}", rest.join(",")));
        list.push(context.md_node(&[context.md_int(32, USER_SEMANTIC.into()), text]));
    }
    Ok(Some(context.md_node(&list)))
}

/// Returns the text of a call of `llvm.ptr.annotation`.
pub fn annotation_text(annotation: Instruction<'_>) -> Option<String> {
    let text = annotation.args().get(1)?.strip_constant_casts().const_string_value()?;
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    Some(String::from_utf8_lossy(text).into_owned())
}

/// `!{first…, i32 number, operand…}`
fn decoration<'ctx>(
    context: ContextRef<'ctx>,
    row: &Row,
    first: &[Metadata<'ctx>],
    value: &str,
    name: &str,
) -> Result<Metadata<'ctx>, PropertyError> {
    let mut operands = first.to_vec();
    operands.push(context.md_int(32, row.number.into()));
    operands.extend(row.operands(value, name)?.into_iter().map(|operand| match operand {
        Operand::Number(number) => context.md_int(32, number.into()),
        Operand::Text(text) => context.md_string(&text),
    }));
    Ok(context.md_node(&operands))
}

fn execution_modes<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    present: &mut HashSet<Metadata<'ctx>>,
) -> Result<bool, PropertyError> {
    let mut changed = false;
    for row in rows_on(Entity::Kernel) {
        let Some(value) = kernel.string_attribute(Place::Function, row.property) else { continue };
        let mode =
            decoration(module.context(), &row, &[kernel.as_value().as_metadata()], &value, "")?;
        // LLVM uniquifies metadata, so equal nodes are the same node.
        if present.insert(mode) {
            module.add_named_metadata(EXECUTION_MODES, mode);
            changed = true;
        }
    }
    Ok(changed)
}

fn parameter_decorations<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
) -> Result<bool, PropertyError> {
    let context = module.context();
    let kind = context.metadata_kind(PARAMETER_DECORATIONS);
    let present = kernel.metadata(kind);
    let mut lists = Vec::new();
    let mut any = false;
    for index in 0..kernel.param_count() {
        let own = present
            .and_then(|lists| lists.operand(index))
            .map(Metadata::operands)
            .unwrap_or_default();
        let mut list: Vec<Metadata<'ctx>> = own.into_iter().flatten().collect();
        for row in rows_on(Entity::Parameter) {
            let Some(value) = kernel.string_attribute(Place::Param(index as u32), row.property)
            else {
                continue;
            };
            if is_pointer_decoration(&row) && !is_plain_pointer(kernel, index) {
                continue;
            }
            let of_parameter = |fault| PropertyError::Parameter { index, fault: Box::new(fault) };
            let made = decoration(context, &row, &[], &value, "").map_err(of_parameter)?;
            if !list.contains(&made) {
                list.push(made);
            }
        }
        any |= !list.is_empty();
        lists.push(context.md_node(&list));
    }
    let node = context.md_node(&lists);
    if !any || present == Some(node) {
        return Ok(false);
    }
    kernel.set_metadata(kind, node);
    Ok(true)
}

/// Returns whether SPIR-V defines the decoration for pointers only. This holds for decorations of
/// SPIR-V itself.
fn is_pointer_decoration(row: &Row) -> bool {
    row.extension.is_none()
}

fn is_plain_pointer(kernel: Function<'_>, index: usize) -> bool {
    let by_value = kernel.enum_attribute(Place::Param(index as u32), "byval").is_some();
    kernel.param(index).is_some_and(|parameter| parameter.ty().is_pointer()) && !by_value
}

/// Returns whether a variable changed. An error has the variable's name and the reason.
fn variable_decorations(module: &Module<'_>) -> Result<bool, (String, PropertyError)> {
    let context = module.context();
    let kind = context.metadata_kind(DECORATIONS);
    let mut changed = false;
    for variable in module.globals() {
        let present = variable.metadata(kind);
        let mut list: Vec<Metadata<'_>> =
            present.map(Metadata::operands).unwrap_or_default().into_iter().flatten().collect();
        for row in rows_on(Entity::Variable) {
            let Some(value) = variable.string_attribute(row.property) else { continue };
            let name = variable.name();
            let made =
                decoration(context, &row, &[], &value, &name).map_err(|fault| (name, fault))?;
            if !list.contains(&made) {
                list.push(made);
            }
        }
        let node = context.md_node(&list);
        if !list.is_empty() && present != Some(node) {
            variable.set_metadata(kind, node);
            changed = true;
        }
    }
    Ok(changed)
}
