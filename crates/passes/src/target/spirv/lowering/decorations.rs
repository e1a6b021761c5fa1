//! Translates `!spirv.*` metadata to SPIR-V, as far as the driver supports it. The pass has two
//! parts, directly before and directly after LLVM's back end.
//!
//! * A decoration of an extension that the driver does not support is omitted.
//! * Execution modes replace the older metadata of kernels with the same meaning, which the back
//!   end would translate again.
//! * Annotations of members become `llvm.spv.assign.decoration`, the back end's intrinsic for a
//!   list of decorations.
//! * [`Additions`] keeps the decorations that the back end cannot emit, for the finished module:
//!   strings in decorations of parameters, on which the back end crashes; decorations of extensions
//!   that the back end does not support; decorations of structure members.

use super::binary::{self, Instruction, text_operands};
use crate::properties::members;
use crate::properties::spirv::{
    DECORATIONS, EXECUTION_MODES, PARAMETER_DECORATIONS, annotation_text, annotations,
    member_decorations,
};
use crate::properties::spirv_table::{Extension, Operand, USER_SEMANTIC, extension_of};
use crate::target::spirv::SpirvError;
use scythe_llvm::{Function, Instruction as Call, Metadata, Module, Type};
use spirv::Op;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Metadata of kernels that the back end translates to an execution mode, by the number of the
/// mode.
const OLDER_METADATA: [(u32, &str); 3] =
    [(17, "reqd_work_group_size"), (18, "work_group_size_hint"), (35, "intel_reqd_sub_group_size")];

/// The prefix of strings that represent decorations which the back end does not support, until the
/// module is finished.
const MARK: &str = "scythe-decorations:";

/// A decoration: its number, and its operands as words.
type Words = Vec<u32>;

/// Decorations that must be added to the finished module.
#[derive(Default)]
pub struct Additions {
    /// Decorations of parameters: function, index of the parameter and decoration.
    parameters: Vec<(String, usize, Words)>,
    /// Decorations of values. The string of a mark ends with the index in this list.
    values: Vec<Vec<Words>>,
    /// Decorations of structure members: structure, index of the member and decoration.
    members: BTreeSet<(String, u32, Words)>,
    extensions: Vec<Extension>,
}

/// The state of the first part of the pass.
struct Preparation<'a, 'ctx> {
    module: &'a Module<'ctx>,
    /// The extensions that the driver supports.
    extensions: &'a [String],
    additions: Additions,
}

/// A list of decorations, divided into those that LLVM's back end emits and those that this pass
/// adds.
#[derive(Default)]
struct Divided<'ctx> {
    emitted_by_llvm: Vec<Metadata<'ctx>>,
    added_here: Vec<Words>,
    /// The decorations of both kinds.
    all: Vec<Words>,
}

/// Translates all metadata to the form that the back end supports. Returns the remaining
/// decorations.
pub fn prepare(module: &Module<'_>, extensions: &[String]) -> Result<Additions, SpirvError> {
    execution_modes(module)?;
    let mut preparation = Preparation { module, extensions, additions: Additions::default() };
    for function in module.functions().filter(|function| !function.is_declaration()) {
        preparation.parameters(function)?;
    }
    preparation.variables()?;
    for call in annotations(module) {
        preparation.member(call)?;
    }
    Ok(preparation.additions)
}

/// Keeps the execution modes of kernels that exist, each once.
fn execution_modes(module: &Module<'_>) -> Result<(), SpirvError> {
    let mut kept = Vec::new();
    for node in module.named_metadata(EXECUTION_MODES) {
        // A removed kernel leaves an empty operand.
        let Some(kernel) =
            node.operand(0).and_then(Metadata::constant).and_then(|value| value.as_function())
        else {
            continue;
        };
        let mode = node.operand(1).and_then(Metadata::int);
        let mode = mode.ok_or_else(|| SpirvError::ExecutionMode { kernel: kernel.name() })?;
        if !kernel.is_kernel() || kernel.is_declaration() || kept.contains(&node) {
            continue;
        }
        for (_, kind) in OLDER_METADATA.iter().filter(|(number, _)| u64::from(*number) == mode) {
            kernel.erase_metadata(module.context().metadata_kind(kind));
        }
        kept.push(node);
    }
    module.set_named_metadata(EXECUTION_MODES, &kept);
    if kept.is_empty() {
        module.erase_named_metadata(EXECUTION_MODES);
    }
    Ok(())
}

impl<'ctx> Preparation<'_, 'ctx> {
    fn parameters(&mut self, function: Function<'ctx>) -> Result<(), SpirvError> {
        let context = self.module.context();
        let kind = context.metadata_kind(PARAMETER_DECORATIONS);
        let Some(node) = function.metadata(kind) else { return Ok(()) };
        let (have, want) = (node.operand_count(), function.param_count());
        if have != want {
            return Err(SpirvError::DecorationCount { function: function.name(), have, want });
        }
        let mut lists = Vec::new();
        for (index, list) in node.operands().into_iter().enumerate() {
            let what = || format!("parameter {index} of '{}'", function.name());
            let divided = self.divide(list, true, &what)?;
            let additions =
                divided.added_here.into_iter().map(|words| (function.name(), index, words));
            self.additions.parameters.extend(additions);
            lists.push(context.md_node(&divided.emitted_by_llvm));
        }
        function.set_metadata(kind, context.md_node(&lists));
        Ok(())
    }

    fn variables(&mut self) -> Result<(), SpirvError> {
        let context = self.module.context();
        let kind = context.metadata_kind(DECORATIONS);
        for variable in self.module.globals() {
            let Some(node) = variable.metadata(kind) else { continue };
            let divided =
                self.divide(Some(node), false, &|| format!("variable '{}'", variable.name()))?;
            variable.erase_metadata(kind);
            if !divided.emitted_by_llvm.is_empty() {
                variable.set_metadata(kind, context.md_node(&divided.emitted_by_llvm));
            }
        }
        Ok(())
    }

    /// Replaces an annotation by the decorations of the annotated address.
    fn member(&mut self, call: Call<'ctx>) -> Result<(), SpirvError> {
        let context = self.module.context();
        let Some(&address) = call.args().first() else { return Ok(()) };
        let list = match call.metadata(context.metadata_kind(DECORATIONS)) {
            Some(list) => Some(list),
            None => member_decorations(self.module, call)?,
        };
        let what = || {
            format!(
                "a member that '{}' accesses",
                call.function().map(|f| f.name()).unwrap_or_default()
            )
        };
        let list = list.or_else(|| {
            let text = context.md_string(&annotation_text(call)?);
            Some(
                context
                    .md_node(&[context.md_node(&[context.md_int(32, USER_SEMANTIC.into()), text])]),
            )
        });
        let mut divided = self.divide(list, false, &what)?;
        if !divided.added_here.is_empty() {
            let mark = context.md_string(&format!("{MARK}{}", self.additions.values.len()));
            self.additions.values.push(divided.added_here);
            divided
                .emitted_by_llvm
                .push(context.md_node(&[context.md_int(32, USER_SEMANTIC.into()), mark]));
        }
        if let Some((structure, member)) = members::recorded_member(self.module, call) {
            let decorations =
                divided.all.into_iter().map(|words| (structure.clone(), member, words));
            self.additions.members.extend(decorations);
        }
        if !divided.emitted_by_llvm.is_empty() {
            self.assign(call, address.ty(), context.md_node(&divided.emitted_by_llvm));
        }
        call.replace_all_uses_with(address);
        call.erase();
        Ok(())
    }

    /// Inserts the intrinsic that tells the back end the decorations of the address before `call`.
    fn assign(&self, call: Call<'ctx>, address: Type<'ctx>, list: Metadata<'ctx>) {
        let context = self.module.context();
        let Some(assign) = self.module.intrinsic("llvm.spv.assign.decoration", &[address]) else {
            return;
        };
        let builder = context.create_builder();
        builder.position_before(call);
        let address = call.args()[0];
        builder.call(assign, &[address, list.as_value(context)], "");
    }

    /// Divides a list. The back end does not support strings if `texts_are_ours`, nor extensions
    /// that are not marked as supported by it.
    fn divide(
        &mut self,
        list: Option<Metadata<'ctx>>,
        texts_are_ours: bool,
        what: &dyn Fn() -> String,
    ) -> Result<Divided<'ctx>, SpirvError> {
        let mut divided = Divided::default();
        for node in list.map(Metadata::operands).unwrap_or_default() {
            let read = node.and_then(decoration).filter(|(number, _)| number.is_some());
            let Some((Some(number), operands)) = read else {
                return Err(SpirvError::Decoration { of: what() });
            };
            let extension = extension_of(number);
            if extension.is_some_and(|extension| {
                !self.extensions.iter().any(|known| known == extension.name)
            }) {
                continue;
            }
            let has_text = operands.iter().any(|operand| matches!(operand, Operand::Text(_)));
            let words = words(number, &operands);
            divided.all.push(words.clone());
            let ours = extension.filter(|extension| !extension.in_llvm);
            if ours.is_some() || has_text && texts_are_ours {
                self.additions
                    .extensions
                    .extend(ours.filter(|e| !self.additions.extensions.contains(e)));
                divided.added_here.push(words);
            } else {
                divided.emitted_by_llvm.extend(node);
            }
        }
        Ok(divided)
    }
}

/// Returns the number and the operands of a decoration.
fn decoration(node: Metadata<'_>) -> Option<(Option<u32>, Vec<Operand>)> {
    let number = node.operand(0)?.int().and_then(|number| u32::try_from(number).ok());
    let operand = |metadata: Option<Metadata<'_>>| {
        let metadata = metadata?;
        metadata
            .string()
            .map(Operand::Text)
            .or_else(|| Some(Operand::Number(metadata.int()? as u32)))
    };
    Some((number, node.operands().into_iter().skip(1).map(operand).collect::<Option<_>>()?))
}

fn words(number: u32, operands: &[Operand]) -> Words {
    let operand = |operand: &Operand| match operand {
        Operand::Number(number) => vec![*number],
        Operand::Text(text) => text_operands(text),
    };
    [number].into_iter().chain(operands.iter().flat_map(operand)).collect()
}

impl Additions {
    fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.values.is_empty() && self.members.is_empty()
    }

    /// Writes all decorations into a finished module.
    pub fn apply(&self, bytes: Vec<u8>) -> Result<Vec<u8>, SpirvError> {
        if self.is_empty() {
            return Ok(bytes);
        }
        let mut module = binary::Module::read(&bytes)?;
        let decorate = |target: u32, words: &Words| {
            Instruction::new(Op::Decorate, [vec![target], words.clone()].concat())
        };
        let mut added = Vec::new();
        let mut known = HashMap::new();
        for (function, index, words) in &self.parameters {
            let parameters = known.entry(function).or_insert_with(|| module.parameters(function));
            let parameter =
                parameters.as_ref().and_then(|parameters| parameters.get(*index).copied());
            let parameter = parameter.ok_or_else(|| SpirvError::NoParameter {
                function: function.clone(),
                index: *index,
            })?;
            added.push(decorate(parameter, words));
        }
        let mut marked = Vec::new();
        module.instructions.retain(|instruction| {
            let mark = self.mark(instruction);
            marked.extend(mark.map(|place| (instruction.operands[0], place)));
            mark.is_none()
        });
        for (target, place) in marked {
            added.extend(self.values[place].iter().map(|words| decorate(target, words)));
        }
        added.extend(self.member_decorations(&module));
        for extension in &self.extensions {
            added.push(Instruction::new(Op::Capability, vec![extension.capability]));
            added.push(Instruction::new(Op::Extension, text_operands(extension.name)));
        }
        module.add(added);
        Ok(module.write()?)
    }

    /// Returns the decorations of structure members. The back end merges all structures that have
    /// the same members. If merged structures have different decorations, or one of them has none,
    /// their members are not decorated: the accesses to each member are decorated anyway.
    fn member_decorations(&self, module: &binary::Module) -> Vec<Instruction> {
        let mut wanted: BTreeMap<&str, BTreeSet<(u32, &Words)>> = BTreeMap::new();
        for (structure, member, words) in &self.members {
            wanted.entry(structure).or_default().insert((*member, words));
        }
        let mut added = Vec::new();
        for (structure, decorations) in &wanted {
            // Structures that no instruction uses are not in the module.
            let Some(id) = module.named(structure, Op::TypeStruct) else { continue };
            if module.names(id).iter().all(|name| wanted.get(name.as_str()) == Some(decorations)) {
                added.extend(decorations.iter().map(|(member, words)| {
                    Instruction::new(Op::MemberDecorate, [&[id, *member], &words[..]].concat())
                }));
            }
        }
        added
    }

    /// Returns the index in `values` if the instruction is a mark.
    fn mark(&self, instruction: &Instruction) -> Option<usize> {
        if !instruction.is(Op::Decorate) || instruction.operands.get(1) != Some(&USER_SEMANTIC) {
            return None;
        }
        let place = instruction.text(2)?.strip_prefix(MARK)?.parse().ok()?;
        (place < self.values.len()).then_some(place)
    }
}
