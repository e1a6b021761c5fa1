//! Reads and writes SPIR-V modules as lists of instructions, and adds instructions that LLVM's back
//! end cannot write.
//!
//! A module is read completely or not at all, and written as it was read: `read(words).write() ==
//! words`. New instructions go to the end of their section in SPIR-V's module layout, so that a
//! valid module stays valid. Each step is linear in the size of the module.

use std::collections::HashSet;

/// The first word of a module.
const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction: magic, version, generator, bound of ids, schema.
const HEADER: usize = 5;
/// Words that an instruction can have: its length is half a word.
const LONGEST: usize = 0xffff;

pub const OP_NAME: u16 = 5;
pub const OP_EXTENSION: u16 = 10;
pub const OP_ENTRY_POINT: u16 = 15;
pub const OP_CAPABILITY: u16 = 17;
pub const OP_TYPE_STRUCT: u16 = 30;
pub const OP_TYPE_POINTER: u16 = 32;
pub const OP_FUNCTION: u16 = 54;
pub const OP_FUNCTION_PARAMETER: u16 = 55;
pub const OP_FUNCTION_END: u16 = 56;
pub const OP_DECORATE: u16 = 71;
pub const OP_MEMBER_DECORATE: u16 = 72;

/// Whether instructions with this opcode make a type, which is their first operand: OpTypeVoid to
/// OpTypeForwardPointer, and those of later extensions that have their own numbers are not among
/// them.
pub fn is_type(opcode: u16) -> bool {
    (19..=38).contains(&opcode)
}

/// One instruction, without the word that tells opcode and length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub opcode: u16,
    pub operands: Vec<u32>,
}

impl Instruction {
    pub fn new(opcode: u16, operands: Vec<u32>) -> Self {
        Self { opcode, operands }
    }

    /// The text that begins at operand `from`.
    pub fn text(&self, from: usize) -> Option<String> {
        let bytes: Vec<u8> =
            self.operands.get(from..)?.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = bytes.iter().position(|&byte| byte == 0)?;
        String::from_utf8(bytes[..end].to_vec()).ok()
    }
}

/// A text as operands: its bytes, a NUL, and more of those up to a whole word.
pub fn text_operands(text: &str) -> Vec<u32> {
    // A NUL would end the text where it stands.
    let mut bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// Why a module cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryError {
    #[error("a SPIR-V module has {count} bytes, expected whole words of 4")]
    Bytes { count: usize },
    #[error("a SPIR-V module has {count} words, expected a header of {HEADER}")]
    Header { count: usize },
    #[error("a SPIR-V module begins with {found:#010x}, expected {MAGIC:#010x}")]
    Magic { found: u32 },
    #[error(
        "word {at} of a SPIR-V module begins an instruction of {len} words, but only {left} words \
         are left"
    )]
    CutOff { at: usize, len: usize, left: usize },
    #[error("an instruction with opcode {opcode} has {length} words, expected at most {LONGEST}")]
    TooLong { opcode: u16, length: usize },
    #[error("a SPIR-V module has more ids than fit into a word")]
    TooManyIds,
}

/// A module in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    header: [u32; HEADER],
    pub instructions: Vec<Instruction>,
}

impl Module {
    /// Reads a module in this machine's order of bytes, which is the one that the back end writes.
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
            instructions.push(Instruction::new(opcode, instruction.to_vec()));
            rest = &rest[len..];
        }
        Ok(Self { header: *header, instructions })
    }

    /// A module of these instructions, for tests.
    #[cfg(test)]
    pub fn with(instructions: Vec<Instruction>) -> Self {
        Self { header: [MAGIC, 0x0001_0400, 0, 100, 0], instructions }
    }

    /// One more than the highest id that the module has.
    pub fn bound(&self) -> u32 {
        self.header[3]
    }

    pub fn set_bound(&mut self, bound: u32) {
        self.header[3] = bound;
    }

    /// The bytes. An error tells of an instruction that is longer than SPIR-V's instructions can
    /// be.
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

    /// Adds instructions to their sections, in order, but for those that the module or the list has
    /// already.
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

    /// The id that is called so, of those that an instruction with this opcode makes.
    pub fn named(&self, name: &str, opcode: u16) -> Option<u32> {
        let names = self
            .instructions
            .iter()
            .filter(|i| i.opcode == OP_NAME && i.text(1).as_deref() == Some(name));
        let mut ids = names.filter_map(|i| i.operands.first().copied());
        ids.find(|id| {
            self.instructions.iter().any(|i| i.opcode == opcode && i.result(opcode) == Some(*id))
        })
    }

    /// All that an id is called.
    pub fn names(&self, id: u32) -> Vec<String> {
        let own = |i: &&Instruction| i.opcode == OP_NAME && i.operands.first() == Some(&id);
        self.instructions.iter().filter(own).filter_map(|i| i.text(1)).collect()
    }

    /// The ids of the parameters of a kernel, or of another function that has a name, in their
    /// order.
    pub fn parameters(&self, function: &str) -> Option<Vec<u32>> {
        let is_entry =
            |i: &&Instruction| i.opcode == OP_ENTRY_POINT && i.text(2).as_deref() == Some(function);
        let entry = self
            .instructions
            .iter()
            .find(is_entry)
            .and_then(|entry| entry.operands.get(1).copied());
        let function = entry.or_else(|| self.named(function, OP_FUNCTION))?;
        let mut body = self
            .instructions
            .iter()
            .skip_while(|i| i.opcode != OP_FUNCTION || i.result(OP_FUNCTION) != Some(function));
        body.next()?;
        let parameters = body
            .take_while(|i| i.opcode != OP_FUNCTION_END)
            .filter(|i| i.opcode == OP_FUNCTION_PARAMETER);
        parameters.map(|i| i.result(OP_FUNCTION_PARAMETER)).collect()
    }
}

impl Instruction {
    /// The id that it makes: types have no type of their own before it.
    fn result(&self, opcode: u16) -> Option<u32> {
        self.operands.get(usize::from(opcode != OP_TYPE_STRUCT)).copied()
    }
}

/// The number of the section that instructions with this opcode stand in.
fn section(opcode: u16) -> u32 {
    match opcode {
        OP_CAPABILITY => 0,
        OP_EXTENSION => 1,
        // OpExtInstImport, OpMemoryModel.
        11 => 2,
        14 => 3,
        OP_ENTRY_POINT => 4,
        // OpExecutionMode, OpExecutionModeId.
        16 | 331 => 5,
        // OpSourceContinued, OpSource, OpSourceExtension, OpString.
        2..=4 | 7 => 6,
        // OpName, OpMemberName.
        OP_NAME | 6 => 7,
        // OpModuleProcessed.
        330 => 8,
        // OpDecorationGroup, OpGroupDecorate, OpGroupMemberDecorate, OpDecorateId,
        // OpDecorateString, OpMemberDecorateString.
        OP_DECORATE | OP_MEMBER_DECORATE | 73..=75 | 332 | 5632 | 5633 => 9,
        _ => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any instructions, in sections as SPIR-V wants them.
    fn modules() -> impl Strategy<Value = Module> {
        let opcodes = prop_oneof![
            Just(OP_CAPABILITY),
            Just(OP_EXTENSION),
            Just(OP_ENTRY_POINT),
            Just(OP_NAME),
            Just(OP_DECORATE),
            Just(OP_MEMBER_DECORATE),
            Just(OP_TYPE_STRUCT),
            Just(OP_FUNCTION),
            any::<u16>()
        ];
        let instruction = (opcodes, prop::collection::vec(any::<u32>(), 0..6));
        prop::collection::vec(instruction, 0..40).prop_map(|list| {
            let mut list: Vec<Instruction> =
                list.into_iter().map(|(o, w)| Instruction::new(o, w)).collect();
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
            let new = |opcode: u16| Instruction::new(opcode, vec![target, 1, 2, 3, 4, 5, 6, 7]);
            let added = [OP_DECORATE, OP_CAPABILITY, OP_EXTENSION, OP_MEMBER_DECORATE, OP_DECORATE].map(new).to_vec();
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
            prop_assert_eq!(Instruction::new(OP_NAME, operands).text(before), Some(text));
        }
    }

    #[test]
    fn instructions_that_are_too_long_are_not_written() {
        let long = |words: usize| {
            Module::with(vec![Instruction::new(OP_NAME, vec![0; words - 1])]).write()
        };
        assert!(long(LONGEST).is_ok());
        let error = long(LONGEST + 1).unwrap_err().to_string();
        assert_eq!(error, "an instruction with opcode 5 has 65536 words, expected at most 65535");
    }

    #[test]
    fn broken_modules_are_explained() {
        let error = |words: &[u32]| {
            Module::read(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[MAGIC]).contains("1 words, expected a header of 5"));
        assert!(error(&[1, 2, 3, 4, 5]).contains("0x00000001, expected 0x07230203"));
        assert!(
            error(&[MAGIC, 0, 0, 0, 0, 0x0003_0005, 1])
                .contains("word 5 of a SPIR-V module begins an instruction of 3")
        );
        assert!(error(&[MAGIC, 0, 0, 0, 0, 5]).contains("instruction of 0 words"));
        assert!(Module::read(b"abc").unwrap_err().to_string().contains("3 bytes"));
    }
}
