//! Flattens the layout of a functor into launch rows, one per parameter of the lowered kernel.
//!
//! * A scalar becomes a row of its type, a pointer becomes a `Pointer` row.
//! * A special object becomes an `Accessor` or `Local` row for its first word and a row of bytes
//!   for the rest.
//! * A record or array without pointers and special objects becomes one row of bytes. Otherwise,
//!   each part is flattened.
//! * Unions, bit-fields and other fields without parts become rows of bytes.
//!
//! Rows never overlap, have the order of the layout, and omit the padding between fields.

use scythe_abi::launch::{Param, ParamKind, Passing, Scalar};

use crate::facts::{Attribute, Field, FieldKind};
use crate::free_function;

/// Longer arrays become rows of bytes, even if they contain pointers.
const MAX_EXPANDED: u64 = 256;

/// A launch row with its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub param: Param,
    /// The properties of the object of which this row is the whole, the address or the first part.
    pub properties: Vec<Attribute>,
}

/// Returns the rows of a functor.
pub fn flatten(functor: &Field) -> Vec<Row> {
    let mut rows = Vec::new();
    match &functor.kind {
        FieldKind::Record(members) if functor.special.is_none() => {
            members.iter().for_each(|member| add(member, 0, &mut rows));
        }
        _ => add(functor, 0, &mut rows),
    }
    rows
}

/// Adds the rows of an object. Its first pointer gets the properties, because that is the address
/// which an accessor or annotated pointer represents. Without a pointer, its first row gets them.
fn add(field: &Field, shift: u64, rows: &mut Vec<Row>) {
    let first = rows.len();
    add_parts(field, shift, rows);
    let Some(properties) = &field.properties else { return };
    let own = &mut rows[first..];
    let is_pointer = |row: &Row| row.param.kind != ParamKind::StdLayout;
    let carrier = own.iter().position(is_pointer).unwrap_or(0);
    if let Some(row) = own.get_mut(carrier) {
        row.properties.push(properties.clone());
    }
}

fn add_parts(field: &Field, shift: u64, rows: &mut Vec<Row>) {
    let offset = field.offset + shift;
    if field.size == 0 || field.empty {
        return;
    }
    let mut push = |kind, size, offset, passing| {
        rows.push(Row { param: Param { kind, size, offset, passing }, properties: Vec::new() });
    };
    match (field.special.as_deref(), &field.kind) {
        (Some(special @ ("accessor" | "local_accessor")), _) if field.size >= 8 => {
            let kind = if special == "accessor" { ParamKind::Accessor } else { ParamKind::Local };
            push(kind, 8, offset, Passing::Pointer);
            if field.size > 8 {
                push(ParamKind::StdLayout, field.size - 8, offset + 8, bytes(8, offset + 8));
            }
        }
        (None, FieldKind::Scalar(scalar)) => {
            push(ParamKind::StdLayout, field.size, offset, Passing::Scalar(*scalar))
        }
        (None, FieldKind::Pointer | FieldKind::Reference) => {
            push(ParamKind::Pointer, 8, offset, Passing::Pointer)
        }
        (None, FieldKind::Record(members)) if needs_parts(field) => {
            members.iter().for_each(|member| add(member, shift, rows));
        }
        (None, FieldKind::Array(element, count))
            if needs_parts(field) && *count <= MAX_EXPANDED =>
        {
            (0..*count).for_each(|i| add(element, shift + i * element.size, rows));
        }
        _ => match only_scalar(field) {
            Some(scalar) => push(ParamKind::StdLayout, field.size, offset, Passing::Scalar(scalar)),
            None => push(ParamKind::StdLayout, field.size, offset, bytes(field.align, offset)),
        },
    }
}

/// Whether the field contains a pointer or a special object.
fn needs_parts(field: &Field) -> bool {
    if field.special.is_some() || free_function::holds_arguments(field) {
        return true;
    }
    match &field.kind {
        FieldKind::Pointer | FieldKind::Reference => true,
        FieldKind::Record(members) => members.iter().any(needs_parts),
        FieldKind::Array(element, _) => needs_parts(element),
        FieldKind::Scalar(_) | FieldKind::Opaque | FieldKind::Bits => false,
    }
}

/// Returns the scalar that fills the whole field, as in `struct { int i; }`.
fn only_scalar(field: &Field) -> Option<Scalar> {
    let inner = match &field.kind {
        FieldKind::Scalar(scalar) => return Some(*scalar),
        FieldKind::Record(members) => {
            let mut filled = members.iter().filter(|member| !member.empty);
            filled.next().filter(|_| filled.next().is_none())?
        }
        FieldKind::Array(element, 1) => element,
        _ => return None,
    };
    (inner.size == field.size && inner.special.is_none()).then(|| only_scalar(inner)).flatten()
}

/// Makes a row of bytes with the alignment at this offset of the functor.
fn bytes(align: u64, offset: u64) -> Passing {
    let of_offset = if offset == 0 { u64::MAX } else { 1 << offset.trailing_zeros() };
    Passing::bytes(align.min(of_offset).max(1))
}

/// Returns a hash of the definition of a kernel's call operator and of its layout. The position in
/// the source does not count.
pub fn identity(odr_hash: u64, functor_size: u64, rows: &[Row]) -> u64 {
    let mut hash = Fnv::default();
    hash.add(&odr_hash.to_le_bytes());
    hash.add(&functor_size.to_le_bytes());
    for row in rows {
        hash.add(&(row.param.kind as u32).to_le_bytes());
        hash.add(&row.param.size.to_le_bytes());
        hash.add(&row.param.offset.to_le_bytes());
        hash.add(&row.param.passing.to_u32().to_le_bytes());
    }
    hash.0
}

/// Computes FNV-1a, which is the same on every machine and in every build.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Loc;

    fn field(kind: FieldKind, offset: u64, size: u64) -> Field {
        Field {
            name: String::new(),
            type_name: String::new(),
            kind,
            special: None,
            properties: None,
            offset,
            size,
            align: size.clamp(1, 8),
            loc: Loc(0),
            capture: false,
            captured_this: false,
            base: false,
            closure: false,
            parameter: false,
            empty: false,
            trivially_copyable: true,
            device_copyable: false,
            own_copy: false,
            long_double: false,
        }
    }

    fn int(offset: u64) -> Field {
        field(FieldKind::Scalar(Scalar::I32), offset, 4)
    }

    fn functor(members: Vec<Field>, size: u64) -> Field {
        field(FieldKind::Record(members), 0, size)
    }

    const POINTER: Passing = Passing::Pointer;
    const INT: Passing = Passing::Scalar(Scalar::I32);
    const BYTES8: Passing = Passing::Bytes { align_log2: 3 };

    fn rows(functor: &Field) -> Vec<(ParamKind, u64, u64, Passing)> {
        flatten(functor)
            .iter()
            .map(|r| (r.param.kind, r.param.size, r.param.offset, r.param.passing))
            .collect()
    }

    #[test]
    fn scalars_and_pointers_are_rows_of_their_own() {
        let f = functor(vec![int(0), field(FieldKind::Pointer, 8, 8)], 16);
        assert_eq!(
            rows(&f),
            [(ParamKind::StdLayout, 4, 0, INT), (ParamKind::Pointer, 8, 8, POINTER)]
        );
    }

    #[test]
    fn an_accessor_is_a_pointer_and_bytes() {
        let mut accessor = field(FieldKind::Record(vec![]), 16, 40);
        accessor.special = Some("accessor".into());
        let f = functor(vec![accessor], 56);
        assert_eq!(
            rows(&f),
            [(ParamKind::Accessor, 8, 16, POINTER), (ParamKind::StdLayout, 32, 24, BYTES8)]
        );
    }

    #[test]
    fn plain_records_stay_whole_and_others_are_taken_apart() {
        let plain = field(FieldKind::Record(vec![int(0), int(4)]), 0, 8);
        let mut mixed =
            field(FieldKind::Record(vec![int(8), field(FieldKind::Pointer, 16, 8)]), 8, 16);
        mixed.align = 8;
        assert_eq!(
            rows(&functor(vec![plain, mixed], 24)),
            [
                (ParamKind::StdLayout, 8, 0, BYTES8),
                (ParamKind::StdLayout, 4, 8, INT),
                (ParamKind::Pointer, 8, 16, POINTER),
            ]
        );
    }

    #[test]
    fn elements_of_a_pointer_array_get_their_own_offsets() {
        let array = field(FieldKind::Array(Box::new(field(FieldKind::Pointer, 8, 8)), 3), 8, 24);
        let offsets: Vec<u64> = rows(&functor(vec![array], 32)).iter().map(|r| r.2).collect();
        assert_eq!(offsets, [8, 16, 24]);
    }

    #[test]
    fn a_huge_array_of_pointers_is_bytes() {
        let array =
            field(FieldKind::Array(Box::new(field(FieldKind::Pointer, 0, 8)), 100_000), 0, 800_000);
        assert_eq!(rows(&functor(vec![array], 800_000)).len(), 1);
    }

    #[test]
    fn a_record_around_one_scalar_is_that_scalar() {
        let f = functor(vec![field(FieldKind::Record(vec![int(0)]), 0, 4)], 4);
        assert_eq!(rows(&f), [(ParamKind::StdLayout, 4, 0, INT)]);
    }

    #[test]
    fn identity_depends_on_definition_and_layout() {
        let rows = flatten(&functor(vec![int(0)], 4));
        assert_eq!(identity(1, 4, &rows), identity(1, 4, &rows));
        assert_ne!(identity(1, 4, &rows), identity(2, 4, &rows));
        assert_ne!(identity(1, 4, &rows), identity(1, 4, &[]));
    }
}
