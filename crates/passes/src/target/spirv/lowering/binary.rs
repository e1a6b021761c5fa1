//! Reads and writes SPIR-V modules as lists of instructions, and adds instructions that LLVM's back
//! end cannot emit.
//!
//! A module is read completely or not at all, and writing reproduces the input:
//! `read(words).write() == words`. New instructions go to the end of their section in SPIR-V's
//! module layout, so that a valid module stays valid. Each step is linear in the size of the
//! module.

pub use spirv::Op;
use std::collections::HashSet;

const MAGIC: u32 = spirv::MAGIC_NUMBER;
/// The number of words before the first instruction: magic, version, generator, bound of ids,
/// schema.
const HEADER: usize = 5;
/// The maximum number of words in an instruction: its length is half a word.
const LONGEST: usize = 0xffff;

/// Returns the operation with this number, or `None` if the `spirv` crate does not know it.
fn op(opcode: u16) -> Option<Op> {
    Op::from_u32(u32::from(opcode))
}

/// An instruction, without the word that holds its opcode and length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub opcode: u16,
    pub operands: Vec<u32>,
}

impl Instruction {
    pub fn new(op: Op, operands: Vec<u32>) -> Self {
        Self { opcode: op as u16, operands }
    }

    /// Returns the operation, or `None` if the `spirv` crate does not know the opcode.
    pub fn op(&self) -> Option<Op> {
        op(self.opcode)
    }

    pub fn is(&self, op: Op) -> bool {
        self.opcode == op as u16
    }

    /// Whether the instruction defines a type, which is its first operand: OpTypeVoid to
    /// OpTypePipe. Types of later extensions have other numbers and are not included.
    pub fn is_type(&self) -> bool {
        self.op().is_some_and(|op| (Op::TypeVoid..=Op::TypePipe).contains(&op))
    }

    /// Returns the string that begins at operand `from`.
    pub fn text(&self, from: usize) -> Option<String> {
        let bytes: Vec<u8> =
            self.operands.get(from..)?.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = bytes.iter().position(|&byte| byte == 0)?;
        String::from_utf8(bytes[..end].to_vec()).ok()
    }
}

/// Encodes a string as operands: its bytes and a NUL, padded with NULs to a whole word.
pub fn text_operands(text: &str) -> Vec<u32> {
    // A NUL would end the string early.
    let mut bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// The reason why a module cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryError {
    #[error("a SPIR-V module has {count} bytes, expected a multiple of 4")]
    Bytes { count: usize },
    #[error(
        "a SPIR-V module has {count} words, expected at least the {HEADER} words of the header"
    )]
    Header { count: usize },
    #[error("a SPIR-V module begins with {found:#010x}, expected {MAGIC:#010x}")]
    Magic { found: u32 },
    #[error(
        "word {at} of a SPIR-V module begins an instruction of {len} words, but only {left} words \
         are left"
    )]
    CutOff { at: usize, len: usize, left: usize },
    #[error(
        "a SPIR-V instruction with opcode {opcode} has {length} words, expected at most {LONGEST}"
    )]
    TooLong { opcode: u16, length: usize },
    #[error("a SPIR-V module has more ids than 32 bits can number")]
    TooManyIds,
}

/// A module in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    header: [u32; HEADER],
    pub instructions: Vec<Instruction>,
}

impl Module {
    /// Reads a little-endian module, which is the byte order that the back end emits.
    pub fn read(bytes: &[u8]) -> Result<Self, BinaryError> {
        if !bytes.len().is_multiple_of(4) {
            return Err(BinaryError::Bytes { count: bytes.len() });
        }
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let Some((header, mut rest)) = words.split_first_chunk::<HEADER>() else {
            return Err(BinaryError::Header { count: words.len() });
        };
        if header[0] != MAGIC {
            return Err(BinaryError::Magic { found: header[0] });
        }
        let mut instructions = Vec::new();
        while let Some(&first) = rest.first() {
            let (len, opcode) = ((first >> 16) as usize, first as u16);
            let at = words.len() - rest.len();
            let instruction =
                rest.get(1..len).ok_or(BinaryError::CutOff { at, len, left: rest.len() })?;
            instructions.push(Instruction { opcode, operands: instruction.to_vec() });
            rest = &rest[len..];
        }
        Ok(Self { header: *header, instructions })
    }

    /// Creates a module of these instructions, for tests.
    #[cfg(test)]
    pub fn with(instructions: Vec<Instruction>) -> Self {
        Self { header: [MAGIC, 0x0001_0400, 0, 100, 0], instructions }
    }

    /// Returns the bound of ids: one more than the highest id in the module.
    pub fn bound(&self) -> u32 {
        self.header[3]
    }

    pub fn set_bound(&mut self, bound: u32) {
        self.header[3] = bound;
    }

    /// Returns the bytes of the module. Fails if an instruction is longer than SPIR-V allows.
    pub fn write(&self) -> Result<Vec<u8>, BinaryError> {
        let mut words = self.header.to_vec();
        for Instruction { opcode, operands } in &self.instructions {
            let length = operands.len() + 1;
            if length > LONGEST {
                return Err(BinaryError::TooLong { opcode: *opcode, length });
            }
            words.push(((length as u32) << 16) | u32::from(*opcode));
            words.extend(operands);
        }
        Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }

    /// Adds instructions to their sections, in order. Skips instructions that the module or the
    /// list already contains.
    pub fn add(&mut self, mut added: Vec<Instruction>) {
        let opcodes: HashSet<u16> = added.iter().map(|new| new.opcode).collect();
        let of_same_kind = self.instructions.iter().filter(|i| opcodes.contains(&i.opcode));
        let mut known: HashSet<Instruction> = of_same_kind.cloned().collect();
        added.retain(|instruction| known.insert(instruction.clone()));
        added.sort_by_key(|instruction| section(instruction.opcode));
        let mut added = added.into_iter().peekable();
        let mut all = Vec::with_capacity(self.instructions.len() + added.len());
        for instruction in std::mem::take(&mut self.instructions) {
            let here = section(instruction.opcode);
            while let Some(new) = added.next_if(|new| section(new.opcode) < here) {
                all.push(new);
            }
            all.push(instruction);
        }
        all.extend(added);
        self.instructions = all;
    }

    /// Returns the id with this name that an instruction with this opcode defines.
    pub fn named(&self, name: &str, op: Op) -> Option<u32> {
        let names = self
            .instructions
            .iter()
            .filter(|i| i.is(Op::Name) && i.text(1).as_deref() == Some(name));
        let mut ids = names.filter_map(|i| i.operands.first().copied());
        ids.find(|id| self.instructions.iter().any(|i| i.is(op) && i.result() == Some(*id)))
    }

    /// Returns all names of an id.
    pub fn names(&self, id: u32) -> Vec<String> {
        let own = |i: &&Instruction| i.is(Op::Name) && i.operands.first() == Some(&id);
        self.instructions.iter().filter(own).filter_map(|i| i.text(1)).collect()
    }

    /// Returns the ids of the parameters of a kernel, or of another function with a name, in order.
    pub fn parameters(&self, function: &str) -> Option<Vec<u32>> {
        let is_entry =
            |i: &&Instruction| i.is(Op::EntryPoint) && i.text(2).as_deref() == Some(function);
        let entry = self
            .instructions
            .iter()
            .find(is_entry)
            .and_then(|entry| entry.operands.get(1).copied());
        let function = entry.or_else(|| self.named(function, Op::Function))?;
        let mut body = self
            .instructions
            .iter()
            .skip_while(|i| !i.is(Op::Function) || i.result() != Some(function));
        body.next()?;
        let parameters =
            body.take_while(|i| !i.is(Op::FunctionEnd)).filter(|i| i.is(Op::FunctionParameter));
        parameters.map(|i| i.result()).collect()
    }
}

impl Instruction {
    /// Returns the id that the instruction defines. In other instructions than type definitions,
    /// the type of the result precedes the id.
    fn result(&self) -> Option<u32> {
        self.operands.get(usize::from(!self.is(Op::TypeStruct))).copied()
    }
}

/// Returns the number of the section that contains instructions with this opcode.
fn section(opcode: u16) -> u32 {
    match op(opcode) {
        Some(Op::Capability) => 0,
        Some(Op::Extension) => 1,
        Some(Op::ExtInstImport) => 2,
        Some(Op::MemoryModel) => 3,
        Some(Op::EntryPoint) => 4,
        Some(Op::ExecutionMode | Op::ExecutionModeId) => 5,
        Some(Op::SourceContinued | Op::Source | Op::SourceExtension | Op::String) => 6,
        Some(Op::Name | Op::MemberName) => 7,
        Some(Op::ModuleProcessed) => 8,
        Some(
            Op::Decorate
            | Op::MemberDecorate
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString,
        ) => 9,
        _ => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Generates any instructions, in the order of SPIR-V's sections.
    fn modules() -> impl Strategy<Value = Module> {
        let opcodes = prop_oneof![
            Just(Op::Capability as u16),
            Just(Op::Extension as u16),
            Just(Op::EntryPoint as u16),
            Just(Op::Name as u16),
            Just(Op::Decorate as u16),
            Just(Op::MemberDecorate as u16),
            Just(Op::TypeStruct as u16),
            Just(Op::Function as u16),
            any::<u16>()
        ];
        let instruction = (opcodes, prop::collection::vec(any::<u32>(), 0..6));
        prop::collection::vec(instruction, 0..40).prop_map(|list| {
            let mut list: Vec<Instruction> = list
                .into_iter()
                .map(|(opcode, operands)| Instruction { opcode, operands })
                .collect();
            list.sort_by_key(|instruction| section(instruction.opcode));
            Module::with(list)
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(module in modules()) {
            prop_assert_eq!(Module::read(&module.write().unwrap()), Ok(module));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), valid in any::<bool>()) {
            let mut bytes = bytes;
            if valid && bytes.len() >= 4 {
                bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
            }
            if let Ok(module) = Module::read(&bytes) {
                prop_assert_eq!(module.write(), Ok(bytes));
            }
        }

        #[test]
        fn additions_keep_sections_in_order_and_all_else(module in modules(), target in any::<u32>()) {
            let mut more = module.clone();
            let new = |op: Op| Instruction::new(op, vec![target, 1, 2, 3, 4, 5, 6, 7]);
            let added = [Op::Decorate, Op::Capability, Op::Extension, Op::MemberDecorate, Op::Decorate].map(new).to_vec();
            more.add(added.clone());
            let once = more.clone();
            more.add(added);
            prop_assert_eq!(&more, &once);
            let sections: Vec<u32> = more.instructions.iter().map(|i| section(i.opcode)).collect();
            prop_assert!(sections.is_sorted());
            let mut kept = module.instructions.iter();
            let mut next = kept.next();
            for instruction in &more.instructions {
                if next == Some(instruction) {
                    next = kept.next();
                }
            }
            prop_assert_eq!(next, None);
            prop_assert_eq!(more.instructions.len(), module.instructions.len() + 4);
        }

        #[test]
        fn texts_are_read_as_they_were_written(text in "[^\u{0}]{0,40}", before in 0usize..3) {
            let operands = [vec![7; before], text_operands(&text)].concat();
            prop_assert_eq!(Instruction::new(Op::Name, operands).text(before), Some(text));
        }
    }

    #[test]
    fn instructions_that_are_too_long_are_not_written() {
        let long = |words: usize| {
            Module::with(vec![Instruction::new(Op::Name, vec![0; words - 1])]).write()
        };
        assert!(long(LONGEST).is_ok());
        let error = long(LONGEST + 1).unwrap_err().to_string();
        assert_eq!(
            error,
            "a SPIR-V instruction with opcode 5 has 65536 words, expected at most 65535"
        );
    }

    #[test]
    fn broken_modules_are_explained() {
        let error = |words: &[u32]| {
            Module::read(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[MAGIC]).contains("1 words, expected at least the 5 words of the header"));
        assert!(error(&[1, 2, 3, 4, 5]).contains("0x00000001, expected 0x07230203"));
        assert!(
            error(&[MAGIC, 0, 0, 0, 0, 0x0003_0005, 1])
                .contains("word 5 of a SPIR-V module begins an instruction of 3")
        );
        assert!(error(&[MAGIC, 0, 0, 0, 0, 5]).contains("instruction of 0 words"));
        assert!(Module::read(b"abc").unwrap_err().to_string().contains("3 bytes"));
    }
}
