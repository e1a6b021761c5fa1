//! Images: buffers whose bytes are elements of four channels in rows and slices.
//!
//! Layouts are computed and checked here, once; what accessors read and write by them is the
//! headers' code.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use scythe_abi::capi::{BufferHandle, ImageLayout, Status, buffer_flags};

use super::edge;
use super::handles::{check_out, give, put};
use crate::memory::{Buffer, Destination, Initial};
use crate::{Result, invalid};

/// Coordinates are `int`, and `float` while sampling: numbers up to here fit both, and one more
/// does, too.
const MOST_ELEMENTS: u64 = 1 << 30;

/// What programs see channels as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

impl Kind {
    fn element(self) -> &'static str {
        match self {
            Kind::Signed => "int4",
            Kind::Unsigned => "uint4",
            Kind::Float => "float4 or half4",
        }
    }
}

/// `sycl::image_format`, in its order: name, bytes of a channel, kind.
const FORMATS: [(&str, u32, Kind); 11] = [
    ("r8g8b8a8_unorm", 1, Kind::Float),
    ("r16g16b16a16_unorm", 2, Kind::Float),
    ("r8g8b8a8_sint", 1, Kind::Signed),
    ("r16g16b16a16_sint", 2, Kind::Signed),
    ("r32b32g32a32_sint", 4, Kind::Signed),
    ("r8g8b8a8_uint", 1, Kind::Unsigned),
    ("r16g16b16a16_uint", 2, Kind::Unsigned),
    ("r32b32g32a32_uint", 4, Kind::Unsigned),
    ("r16b16g16a16_sfloat", 2, Kind::Float),
    ("r32g32b32a32_sfloat", 4, Kind::Float),
    ("b8g8r8a8_unorm", 1, Kind::Float),
];

fn format_of(name: &str, number: u32) -> Result<(&'static str, u32, Kind)> {
    let known = usize::try_from(number).ok().and_then(|index| FORMATS.get(index));
    known.copied().ok_or_else(|| {
        invalid(format!("{name}: image format {number} is unknown, expected 0 to 10"))
    })
}

/// Where elements lie whose numbers in each dimension are `size`, the fastest first. `pitch` is
/// empty where the program gave none.
fn lay_out(name: &str, format: u32, size: &[u64], pitch: &[u64]) -> Result<ImageLayout> {
    let (_, channel, _) = format_of(name, format)?;
    let mut layout = ImageLayout { pitch: [0; 2], size: [1; 3], format, channel };
    for (dimension, (&elements, place)) in size.iter().zip(&mut layout.size).enumerate() {
        if !(1..=MOST_ELEMENTS).contains(&elements) {
            return Err(invalid(format!(
                "{name}: the range has {elements} elements in dimension {dimension}, expected 1 to \
                 {MOST_ELEMENTS}"
            )));
        }
        *place = elements as i32;
    }
    let checked = |what: &str, given: Option<&u64>, unit: u64, least: u64| match given {
        None => Ok(least),
        Some(&bytes) if bytes >= least && bytes % unit == 0 => Ok(bytes),
        Some(bytes) => Err(invalid(format!(
            "{name}: the {what} pitch is {bytes} bytes, expected a multiple of {unit} of at least \
             {least} bytes"
        ))),
    };
    let too_large = || invalid(format!("{name}: the size of the range exceeds the address space"));
    let [width, height, depth] = layout.size.map(|elements| elements as u64);
    let element = u64::from(channel) * 4;
    let row = checked("row", pitch.first(), element, width * element)?;
    let slice =
        checked("slice", pitch.get(1), row, row.checked_mul(height).ok_or_else(too_large)?)?;
    layout.pitch = [row, slice];
    slice.checked_mul(depth).filter(|&bytes| bytes <= isize::MAX as u64).ok_or_else(too_large)?;
    Ok(layout)
}

/// # Safety
/// `text` is null or a C string that lives as long as the result is used.
unsafe fn name_of<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        "image"
    } else {
        // SAFETY: passed on.
        unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("image")
    }
}

/// # Safety
/// See [`super`]; `size` has `dims` values, `pitch` one less; `host` lives as long as its flags
/// say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_image_create(
    name: *const c_char,
    format: u32,
    dims: u32,
    size: *const u64,
    pitch: *const u64,
    host: *mut c_void,
    flags: u32,
    layout: *mut ImageLayout,
    out: *mut BufferHandle,
) -> Status {
    edge(|| {
        check_out(out, "image")?;
        // SAFETY: passed on.
        let name = unsafe { name_of(name) };
        let known =
            buffer_flags::USE_HOST_PTR | buffer_flags::READ_ONLY_HOST | buffer_flags::COPY_HOST;
        if !(1..=3).contains(&dims) || size.is_null() || flags & !known != 0 {
            return Err(invalid(format!(
                "{name}: {dims} dimensions with flags {flags:#x}, expected 1 to 3 dimensions and a \
                 subset of {known:#x}"
            )));
        }
        // SAFETY: `size` is not null and has that many values, as the caller says.
        let size = unsafe { std::slice::from_raw_parts(size, dims as usize) };
        let pitch = match dims as usize - 1 {
            pitches if pitch.is_null() || pitches == 0 => &[][..],
            // SAFETY: `pitch` is not null and has that many values, as the caller says.
            pitches => unsafe { std::slice::from_raw_parts(pitch, pitches) },
        };
        let made = lay_out(name, format, size, pitch)?;
        let aligned = (host as usize).is_multiple_of(made.channel as usize);
        let in_place = flags & buffer_flags::USE_HOST_PTR != 0;
        if in_place && (host.is_null() || !aligned) {
            let channel = made.channel;
            return Err(invalid(format!(
                "{name}: property use_host_ptr with address {host:?}, expected a valid address \
                 aligned to {channel}"
            )));
        }
        let read_only = flags & buffer_flags::READ_ONLY_HOST != 0;
        let initial = if host.is_null() {
            Initial::None
        } else if read_only || !aligned || flags & buffer_flags::COPY_HOST != 0 && !in_place {
            Initial::Copy(host.cast_const().cast())
        } else {
            Initial::Program { ptr: host.cast(), only_copy: in_place }
        };
        // Elements are read as their types: memory that is not aligned for them is only copied from
        // and to.
        let apart = !aligned && !read_only && flags & buffer_flags::COPY_HOST == 0;
        // SAFETY: passed on.
        let buffer = unsafe { Buffer::new(made.pitch[1] * made.size[2] as u64, initial) }?;
        if apart {
            buffer.set_destination(Destination::Address(host.cast()))?;
        }
        // SAFETY: passed on.
        unsafe { put(layout, "layout", made) }?;
        // SAFETY: passed on.
        unsafe { put(out, "image", give(Arc::new(buffer))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_image_check_access(
    name: *const c_char,
    format: u32,
    kind: u32,
) -> Status {
    edge(|| {
        // SAFETY: passed on.
        let name = unsafe { name_of(name) };
        let (known, _, expected) = format_of(name, format)?;
        let kinds = [Kind::Signed, Kind::Unsigned, Kind::Float];
        let kind = kinds.get(kind as usize).ok_or_else(|| {
            invalid(format!("{name}: channel kind {kind} is unknown, expected 0 to 2"))
        })?;
        if *kind == expected {
            return Ok(());
        }
        let (seen, expected) = (kind.element(), expected.element());
        Err(invalid(format!(
            "{name}: the accessor has elements of type {seen}, but the image has format {known}, \
             expected {expected}"
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_the_smallest_pitches_or_the_programs() {
        let plain = lay_out("i", 3, &[3, 5, 7], &[]).unwrap();
        assert_eq!((plain.pitch, plain.size, plain.channel), ([24, 120], [3, 5, 7], 2));
        let line = lay_out("i", 9, &[MOST_ELEMENTS], &[]).unwrap();
        assert_eq!((line.pitch, line.size), ([16 << 30, 16 << 30], [1 << 30, 1, 1]));
        assert_eq!(lay_out("i", 0, &[4, 2], &[20]).unwrap().pitch, [20, 40]);
        assert_eq!(lay_out("i", 0, &[4, 2, 2], &[20, 60]).unwrap().pitch, [20, 60]);
    }

    #[test]
    fn bad_layouts_name_what_is_wrong() {
        let fails = |format, size: &[u64], pitch: &[u64]| {
            lay_out("i", format, size, pitch).unwrap_err().message
        };
        assert_eq!(fails(11, &[1], &[]), "i: image format 11 is unknown, expected 0 to 10");
        assert_eq!(
            fails(0, &[1, 0], &[]),
            "i: the range has 0 elements in dimension 1, expected 1 to 1073741824"
        );
        assert_eq!(
            fails(0, &[4, 2], &[18]),
            "i: the row pitch is 18 bytes, expected a multiple of 4 of at least 16 bytes"
        );
        assert_eq!(
            fails(0, &[4, 2, 2], &[16, 40]),
            "i: the slice pitch is 40 bytes, expected a multiple of 16 of at least 32 bytes"
        );
        assert_eq!(
            fails(0, &[1 << 30, 1 << 30, 2], &[]),
            "i: the size of the range exceeds the address space"
        );
    }
}
