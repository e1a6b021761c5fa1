//! The table of the compile-time properties that SPIR-V represents, and of their form in SPIR-V. A
//! property without a row stays in LLVM IR.
//!
//! The numbers are those of SPIR-V's specification or of the extension that a row names. A device
//! whose driver does not support the extension gets the code without the decoration.

use super::PropertyError;

/// The entity that has a property. It determines the SPIR-V instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// `OpExecutionMode` of the kernel.
    Kernel,
    /// `OpDecorate` of the kernel's `OpFunctionParameter`.
    Parameter,
    /// `OpDecorate` of the module's `OpVariable`.
    Variable,
    /// `OpDecorate` of a pointer to the member, and `OpMemberDecorate` of the member.
    Member,
}

/// The form of a property's value, which determines the operands after the number of a mode or
/// decoration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No value. The operands are always these numbers.
    Fixed(&'static [u32]),
    /// One number.
    Number,
    /// One to three sizes. SYCL lists the fastest dimension last, and SPIR-V lists it first.
    Sizes,
    /// One of these words, or the index of the word, which is an enumerator's value. Each word has
    /// its number in SPIR-V.
    Word(&'static [(&'static str, u32)]),
    /// Like [`Form::Word`], followed by the variable's name.
    WordAndName(&'static [(&'static str, u32)]),
}

/// The representation of one property on one kind of entity.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub property: &'static str,
    pub on: Entity,
    /// The number of the mode or decoration.
    pub number: u32,
    pub form: Form,
    /// The extension that defines it, or `None` if SPIR-V itself does.
    pub extension: Option<Extension>,
}

/// The extension and capability that a module must declare to use a decoration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    pub name: &'static str,
    pub capability: u32,
    /// Whether LLVM's back end knows the extension. For other extensions Scythe writes the
    /// instructions itself.
    pub in_llvm: bool,
}

/// The decoration for the properties of a member that have no row, if other properties of the
/// member have one. Its operand is text for any reader.
pub const USER_SEMANTIC: u32 = 5635;

const HOST_ACCESS: Extension =
    Extension { name: "SPV_INTEL_global_variable_host_access", capability: 6187, in_llvm: true };
const FPGA_VARIABLES: Extension = Extension {
    name: "SPV_INTEL_global_variable_fpga_decorations",
    capability: 6189,
    in_llvm: true,
};
const BUFFER_LOCATION: Extension =
    Extension { name: "SPV_INTEL_fpga_buffer_location", capability: 5920, in_llvm: false };
const ARGUMENT_INTERFACES: Extension =
    Extension { name: "SPV_INTEL_fpga_argument_interfaces", capability: 6174, in_llvm: false };

/// How the host may access a variable. SPIR-V's order differs from that of the enumerators.
const HOST_ACCESSES: [(&str, u32); 4] = [("read", 1), ("write", 2), ("read_write", 3), ("none", 0)];
const ACCESSES: [(&str, u32); 3] = [("read", 0), ("write", 1), ("read_write", 2)];
const INIT_MODES: [(&str, u32); 2] = [("reprogram", 0), ("reset", 1)];
const BOOLEANS: [(&str, u32); 2] = [("false", 0), ("true", 1)];

const fn row(
    property: &'static str,
    on: Entity,
    number: u32,
    form: Form,
    extension: Option<Extension>,
) -> Row {
    Row { property, on, number, form, extension }
}

/// Returns the rows of a property of a kernel argument: one for the parameter, and one for the
/// member of `annotated_ptr` or `annotated_arg`.
const fn argument(
    property: &'static str,
    number: u32,
    form: Form,
    extension: Extension,
) -> [Row; 2] {
    [
        row(property, Entity::Parameter, number, form, Some(extension)),
        row(property, Entity::Member, number, form, Some(extension)),
    ]
}

const BOTH: [[Row; 2]; 10] = [
    argument("sycl-buffer-location", 5921, Form::Number, BUFFER_LOCATION),
    argument("sycl-conduit", 6175, Form::Fixed(&[]), ARGUMENT_INTERFACES),
    argument("sycl-register-map", 6176, Form::Fixed(&[]), ARGUMENT_INTERFACES),
    argument("sycl-awidth", 6177, Form::Number, ARGUMENT_INTERFACES),
    argument("sycl-dwidth", 6178, Form::Number, ARGUMENT_INTERFACES),
    argument("sycl-latency", 6179, Form::Number, ARGUMENT_INTERFACES),
    argument("sycl-read-write-mode", 6180, Form::Word(&ACCESSES), ARGUMENT_INTERFACES),
    argument("sycl-maxburst", 6181, Form::Number, ARGUMENT_INTERFACES),
    argument("sycl-wait-request", 6182, Form::Number, ARGUMENT_INTERFACES),
    argument("sycl-stable", 6183, Form::Fixed(&[]), ARGUMENT_INTERFACES),
];

const ONE: [Row; 8] = [
    row("sycl-sub-group-size", Entity::Kernel, 35, Form::Number, None),
    row("sycl-work-group-size", Entity::Kernel, 17, Form::Sizes, None),
    row("sycl-work-group-size-hint", Entity::Kernel, 18, Form::Sizes, None),
    // The operand is the function parameter attribute `NoAlias`.
    row("sycl-no-alias", Entity::Parameter, 38, Form::Fixed(&[4]), None),
    row("sycl-alignment", Entity::Parameter, 44, Form::Number, None),
    row(
        "sycl-host-access",
        Entity::Variable,
        6188,
        Form::WordAndName(&HOST_ACCESSES),
        Some(HOST_ACCESS),
    ),
    row("sycl-init-mode", Entity::Variable, 6190, Form::Word(&INIT_MODES), Some(FPGA_VARIABLES)),
    row(
        "sycl-implement-in-csr",
        Entity::Variable,
        6191,
        Form::Word(&BOOLEANS),
        Some(FPGA_VARIABLES),
    ),
];

/// Returns all rows.
pub fn rows() -> impl Iterator<Item = Row> {
    ONE.into_iter().chain(BOTH.into_iter().flatten())
}

/// Returns the rows for one kind of entity.
pub fn rows_on(on: Entity) -> impl Iterator<Item = Row> {
    rows().filter(move |row| row.on == on)
}

/// Returns the extension that defines a decoration.
pub fn extension_of(decoration: u32) -> Option<Extension> {
    rows()
        .find(|row| row.on != Entity::Kernel && row.number == decoration)
        .and_then(|row| row.extension)
}

/// An operand in SPIR-V: a number or a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Number(u32),
    Text(String),
}

impl Row {
    /// Returns the operands for a property with this value on an entity with this name.
    pub fn operands(&self, value: &str, name: &str) -> Result<Vec<Operand>, PropertyError> {
        let number = |text: &str| text.parse::<u32>().ok();
        let fault = |expected: &str| PropertyError::Value {
            property: self.property,
            value: value.to_owned(),
            expected: expected.to_owned(),
        };
        let word = |words: &[(&str, u32)]| {
            let listed = words.iter().find(|(word, _)| *word == value);
            let found =
                listed.or_else(|| words.get(number(value)? as usize)).map(|&(_, number)| number);
            let all: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
            found.ok_or_else(|| fault(&format!("one of {}", all.join(", "))))
        };
        Ok(match self.form {
            Form::Fixed(numbers) => numbers.iter().map(|&number| Operand::Number(number)).collect(),
            Form::Number => vec![Operand::Number(number(value).ok_or_else(|| fault("a number"))?)],
            Form::Sizes => {
                let sizes: Option<Vec<u32>> = value.split(',').map(number).collect();
                let sizes =
                    sizes.filter(|sizes| sizes.len() <= 3 && sizes.iter().all(|&size| size > 0));
                let mut sizes = sizes.ok_or_else(|| fault("one to three positive sizes"))?;
                sizes.reverse();
                sizes.resize(3, 1);
                sizes.into_iter().map(Operand::Number).collect()
            }
            Form::Word(words) => vec![Operand::Number(word(words)?)],
            Form::WordAndName(words) => {
                vec![Operand::Number(word(words)?), Operand::Text(name.to_owned())]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(property: &str, value: &str) -> Result<Vec<Operand>, PropertyError> {
        rows()
            .find(|row| row.property == property)
            .expect("the table has a row for the property")
            .operands(value, "name")
    }

    #[test]
    fn values_become_operands() {
        use Operand::{Number, Text};
        assert_eq!(of("sycl-work-group-size", "2,4"), Ok(vec![Number(4), Number(2), Number(1)]));
        assert_eq!(of("sycl-host-access", "read"), Ok(vec![Number(1), Text("name".into())]));
        assert_eq!(of("sycl-host-access", "3"), Ok(vec![Number(0), Text("name".into())]));
        assert_eq!(of("sycl-no-alias", ""), Ok(vec![Number(4)]));
        assert_eq!(of("sycl-implement-in-csr", "true"), Ok(vec![Number(1)]));
    }

    #[test]
    fn values_of_another_form_are_named() {
        let expected =
            "property 'sycl-host-access' is 'rread', expected one of read, write, read_write, none";
        assert_eq!(of("sycl-host-access", "rread").unwrap_err().to_string(), expected);
        assert!(of("sycl-host-access", "4").is_err() && of("sycl-alignment", "x").is_err());
        assert!(
            of("sycl-work-group-size", "1,2,3,4").is_err()
                && of("sycl-work-group-size", "0").is_err()
        );
    }

    #[test]
    fn a_property_has_one_row_for_each_use() {
        let all: Vec<Row> = rows().collect();
        for (index, row) in all.iter().enumerate() {
            assert!(
                !all[..index]
                    .iter()
                    .any(|other| (other.property, other.on) == (row.property, row.on)),
                "{row:?}"
            );
        }
    }
}
