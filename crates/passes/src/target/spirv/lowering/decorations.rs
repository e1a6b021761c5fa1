//! Translates `!spirv.*` metadata to SPIR-V, as far as the driver supports it. The pass has two
//! parts, directly before and directly after LLVM's back end.
//!
//! * A decoration of an extension that the driver does not support is left out.
//! * Execution modes replace the older metadata of kernels with the same meaning, which the back
//!   end would translate again.
//! * Annotations of members become `llvm.spv.assign.decoration`, the back end's intrinsic for a
//!   list of decorations.
//! * [`Additions`] keeps what the back end cannot write, for the finished module: texts in
//!   decorations of parameters, on which the back end crashes; decorations of extensions that the
//!   back end does not know; decorations of structure members.

use super::binary::{self, Instruction, text_operands};
use crate::properties::members;
use crate::properties::spirv::{
    DECORATIONS, EXECUTION_MODES, PARAMETER_DECORATIONS, annotation_text, annotations,
    member_decorations,
};
use crate::properties::spirv_table::{Extension, Operand, USER_SEMANTIC, extension_of};
use crate::target::spirv::SpirvError;
use scythe_llvm::{Function, Instruction as Call, Metadata, Module, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Metadata of kernels that the back end makes an execution mode of, by the mode's number.
const OLDER_METADATA: [(u32, &str); 3] =
    [(17, "reqd_work_group_size"), (18, "work_group_size_hint"), (35, "intel_reqd_sub_group_size")];

/// Text that stands for decorations which the back end does not know, until the module is finished.
const MARK: &str = "scythe-decorations:";

/// One decoration: its number, and operands as words.
type Words = Vec<u32>;

/// What the finished module still lacks.
#[derive(Default)]
pub struct Additions {
    /// Function, parameter and decoration.
    parameters: Vec<(String, usize, Words)>,
    /// Decorations of values: the text of a mark ends with the place in this list.
    values: Vec<Vec<Words>>,
    /// Structure, member and decoration.
    members: BTreeSet<(String, u32, Words)>,
    extensions: Vec<Extension>,
}

/// Who translates, and for which driver.
struct Preparation<'a, 'ctx> {
    module: &'a Module<'ctx>,
    /// Those that the driver knows.
    extensions: &'a [String],
    additions: Additions,
}

/// A list of decorations by who writes them.
#[derive(Default)]
struct Divided<'ctx> {
    by_llvm: Vec<Metadata<'ctx>>,
    by_us: Vec<Words>,
    /// Both.
    all: Vec<Words>,
}

/// Makes of all metadata what the back end understands; the rest is returned.
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

/// Keeps the modes of kernels that are there, each once.
fn execution_modes(module: &Module<'_>) -> Result<(), SpirvError> {
    let mut kept = Vec::new();
    for node in module.named_metadata(EXECUTION_MODES) {
        // A kernel that has gone leaves nothing in its place.
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
            let additions = divided.by_us.into_iter().map(|words| (function.name(), index, words));
            self.additions.parameters.extend(additions);
            lists.push(context.md_node(&divided.by_llvm));
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
            if !divided.by_llvm.is_empty() {
                variable.set_metadata(kind, context.md_node(&divided.by_llvm));
            }
        }
        Ok(())
    }

    /// Replaces an annotation by the decorations of the address that it annotates.
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
        if !divided.by_us.is_empty() {
            let mark = context.md_string(&format!("{MARK}{}", self.additions.values.len()));
            self.additions.values.push(divided.by_us);
            divided
                .by_llvm
                .push(context.md_node(&[context.md_int(32, USER_SEMANTIC.into()), mark]));
        }
        if let Some((structure, member)) = members::noted(self.module, call) {
            let decorations =
                divided.all.into_iter().map(|words| (structure.clone(), member, words));
            self.additions.members.extend(decorations);
        }
        if !divided.by_llvm.is_empty() {
            self.assign(call, address.ty(), context.md_node(&divided.by_llvm));
        }
        call.replace_all_uses_with(address);
        call.erase();
        Ok(())
    }

    /// Puts the decorations of the address, which the back end knows by this intrinsic, before
    /// `call`.
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

    /// Divides a list. The back end knows no texts where `texts_are_ours`, and no extension that is
    /// not marked as known to it.
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
                divided.by_us.push(words);
            } else {
                divided.by_llvm.extend(node);
            }
        }
        Ok(divided)
    }
}

/// The number and the operands of a decoration.
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

    /// Writes all of it into a finished module.
    pub fn apply(&self, bytes: Vec<u8>) -> Result<Vec<u8>, SpirvError> {
        if self.is_empty() {
            return Ok(bytes);
        }
        let mut module = binary::Module::read(&bytes)?;
        let decorate = |target: u32, words: &Words| {
            Instruction::new(binary::OP_DECORATE, [vec![target], words.clone()].concat())
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
            added.push(Instruction::new(binary::OP_CAPABILITY, vec![extension.capability]));
            added.push(Instruction::new(binary::OP_EXTENSION, text_operands(extension.name)));
        }
        module.add(added);
        Ok(module.write()?)
    }

    /// The back end makes one structure of all that have the same members. Where such ones are to
    /// be decorated differently, and be it that one is not, the members stay as they are: the
    /// accesses to each are decorated anyway.
    fn member_decorations(&self, module: &binary::Module) -> Vec<Instruction> {
        let mut wanted: BTreeMap<&str, BTreeSet<(u32, &Words)>> = BTreeMap::new();
        for (structure, member, words) in &self.members {
            wanted.entry(structure).or_default().insert((*member, words));
        }
        let mut added = Vec::new();
        for (structure, decorations) in &wanted {
            // Structures that no instruction needs to know are not in the module.
            let Some(id) = module.named(structure, binary::OP_TYPE_STRUCT) else { continue };
            if module.names(id).iter().all(|name| wanted.get(name.as_str()) == Some(decorations)) {
                added.extend(decorations.iter().map(|(member, words)| {
                    Instruction::new(
                        binary::OP_MEMBER_DECORATE,
                        [&[id, *member], &words[..]].concat(),
                    )
                }));
            }
        }
        added
    }

    /// The place in `values` that the instruction is a mark of.
    fn mark(&self, instruction: &Instruction) -> Option<usize> {
        if instruction.opcode != binary::OP_DECORATE
            || instruction.operands.get(1) != Some(&USER_SEMANTIC)
        {
            return None;
        }
        let place = instruction.text(2)?.strip_prefix(MARK)?.parse().ok()?;
        (place < self.values.len()).then_some(place)
    }
}
