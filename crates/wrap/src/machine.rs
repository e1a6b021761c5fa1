//! The differences between host machines: the instructions of the registration functions, and
//! relocation types.

use object::elf;

/// A host machine that the wrapper supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    X86_64,
    Aarch64,
}

/// The symbol that an instruction refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Referent {
    Descriptor,
    Callee,
}

/// A position in a function that the linker fills in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    pub offset: u64,
    pub referent: Referent,
    pub r_type: u32,
    pub addend: i64,
}

/// A function that tail-calls another function with the descriptor's address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forwarder {
    pub code: &'static [u8],
    pub fixups: &'static [Fixup],
}

/// `endbr64; lea rdi, [rip + descriptor]; jmp callee@PLT`
const X86_64: Forwarder = Forwarder {
    code: &[0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0],
    fixups: &[
        Fixup { offset: 7, referent: Referent::Descriptor, r_type: elf::R_X86_64_PC32, addend: -4 },
        Fixup { offset: 12, referent: Referent::Callee, r_type: elf::R_X86_64_PLT32, addend: -4 },
    ],
};

/// `bti c; adrp x0, descriptor; add x0, x0, :lo12:descriptor; b callee`
const AARCH64: Forwarder = Forwarder {
    code: &[0x5f, 0x24, 0x03, 0xd5, 0, 0, 0, 0x90, 0, 0, 0, 0x91, 0, 0, 0, 0x14],
    fixups: &[
        Fixup {
            offset: 4,
            referent: Referent::Descriptor,
            r_type: elf::R_AARCH64_ADR_PREL_PG_HI21,
            addend: 0,
        },
        Fixup {
            offset: 8,
            referent: Referent::Descriptor,
            r_type: elf::R_AARCH64_ADD_ABS_LO12_NC,
            addend: 0,
        },
        Fixup { offset: 12, referent: Referent::Callee, r_type: elf::R_AARCH64_JUMP26, addend: 0 },
    ],
};

impl Machine {
    /// Returns the machine of a host triple such as `x86_64-unknown-linux-gnu`.
    pub fn from_triple(triple: &str) -> Option<Self> {
        match triple.split('-').next() {
            Some("x86_64" | "amd64") => Some(Self::X86_64),
            Some("aarch64" | "arm64") => Some(Self::Aarch64),
            _ => None,
        }
    }

    /// Returns the machine that this program runs on, if it is supported.
    pub fn host() -> Option<Self> {
        Self::from_triple(std::env::consts::ARCH)
    }

    pub(crate) fn architecture(self) -> object::Architecture {
        match self {
            Self::X86_64 => object::Architecture::X86_64,
            Self::Aarch64 => object::Architecture::Aarch64,
        }
    }

    pub(crate) fn absolute_pointer(self) -> u32 {
        match self {
            Self::X86_64 => elf::R_X86_64_64,
            Self::Aarch64 => elf::R_AARCH64_ABS64,
        }
    }

    pub(crate) fn absolute_offset(self) -> u32 {
        match self {
            Self::X86_64 => elf::R_X86_64_32,
            Self::Aarch64 => elf::R_AARCH64_ABS32,
        }
    }

    pub(crate) fn forwarder(self) -> Forwarder {
        match self {
            Self::X86_64 => X86_64,
            Self::Aarch64 => AARCH64,
        }
    }

    /// Returns the property type and value of the note about branch protection (CET, or BTI and
    /// PAC). The note states that the code supports the protection. If one object lacks the note,
    /// linkers disable the protection for the whole program.
    pub(crate) fn branch_protection(self) -> (u32, u32) {
        match self {
            Self::X86_64 => (0xc000_0002, 0b11),
            Self::Aarch64 => (0xc000_0000, 0b11),
        }
    }
}
