//! Images: buffers whose bytes are elements of four channels in rows and slices.
//!
//! Layouts are computed and validated here, once. The code in the headers reads and writes elements
//! through accessors according to these layouts.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use scythe_abi::capi::{BufferHandle, ImageLayout, Status, buffer_flags};

use super::edge;
use super::handles::{check_out, give, put};
use crate::memory::{Buffer, Destination, Initial};
use crate::{Result, invalid};

/// The maximum number of elements in a dimension. Coordinates are `int`, and `float` while
/// sampling: this number and the next one are representable in both.
const MOST_ELEMENTS: u64 = 1 << 30;

/// The type of the channels that programs see.
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

/// The formats of `sycl::image_format`, in its order: name, bytes per channel, kind.
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

/// The format of an element: the number of its channels, their size and their type.
struct Format {
    name: String,
    channels: u32,
    channel: u32,
    kind: Kind,
}

impl Format {
    fn element(&self) -> u32 {
        self.channels * self.channel
    }
}

fn format_of(name: &str, number: u32) -> Result<Format> {
    if let Some(earlier) = number.checked_sub(EARLIER_FORMATS) {
        return earlier_format(name, earlier);
    }
    let known = usize::try_from(number).ok().and_then(|index| FORMATS.get(index));
    let &(known, channel, kind) = known.ok_or_else(|| {
        invalid(format!("{name}: image format {number} is unknown, expected 0 to 10"))
    })?;
    Ok(Format { name: known.to_owned(), channels: 4, channel, kind })
}

/// The first number of the formats of SYCL 1.2.1: an `image_channel_order` times 16, plus an
/// `image_channel_type`.
const EARLIER_FORMATS: u32 = 256;

/// The order of images in the colour space sRGB, which reads make linear.
const SRGBA: &str = "ext_oneapi_srgba";

/// The orders of `sycl::image_channel_order`, in its order: name, channels.
const ORDERS: [(&str, u32); 15] = [
    ("a", 1),
    ("r", 1),
    ("rx", 1),
    ("rg", 2),
    ("rgx", 2),
    ("ra", 2),
    ("rgb", 3),
    ("rgbx", 3),
    ("rgba", 4),
    ("argb", 4),
    ("bgra", 4),
    ("intensity", 1),
    ("luminance", 1),
    ("abgr", 4),
    (SRGBA, 4),
];

/// The types of `sycl::image_channel_type`, in its order: name, bytes per channel, kind. The types
/// 4 to 6 pack all channels of an element into one number.
const TYPES: [(&str, u32, Kind); 15] = [
    ("snorm_int8", 1, Kind::Float),
    ("snorm_int16", 2, Kind::Float),
    ("unorm_int8", 1, Kind::Float),
    ("unorm_int16", 2, Kind::Float),
    ("unorm_short_565", 2, Kind::Float),
    ("unorm_short_555", 2, Kind::Float),
    ("unorm_int_101010", 4, Kind::Float),
    ("signed_int8", 1, Kind::Signed),
    ("signed_int16", 2, Kind::Signed),
    ("signed_int32", 4, Kind::Signed),
    ("unsigned_int8", 1, Kind::Unsigned),
    ("unsigned_int16", 2, Kind::Unsigned),
    ("unsigned_int32", 4, Kind::Unsigned),
    ("fp16", 2, Kind::Float),
    ("fp32", 4, Kind::Float),
];

/// Returns the name of the order in a format of SYCL 1.2.1.
fn order_name(format: u32) -> Option<&'static str> {
    let order = format.checked_sub(EARLIER_FORMATS)? >> 4;
    ORDERS.get(order as usize).map(|&(name, _)| name)
}

/// Returns a format of SYCL 1.2.1, if OpenCL permits the combination of order and type.
fn earlier_format(name: &str, number: u32) -> Result<Format> {
    let (order, type_) = ((number >> 4) as usize, (number & 15) as usize);
    let unknown = |what: &str, most: usize| {
        invalid(format!("{name}: the {what} of the image is unknown, expected 0 to {most}"))
    };
    let &(order_name, channels) =
        ORDERS.get(order).ok_or_else(|| unknown("channel order", ORDERS.len() - 1))?;
    let &(type_name, channel, kind) =
        TYPES.get(type_).ok_or_else(|| unknown("channel type", TYPES.len() - 1))?;
    let packed = (4..=6).contains(&type_);
    let types = match order_name {
        "rgb" | "rgbx" if !packed => "unorm_short_565, unorm_short_555 or unorm_int_101010",
        "rgb" | "rgbx" => "",
        "intensity" | "luminance" if packed || kind != Kind::Float => {
            "a normalised type or a floating-point type"
        }
        "argb" | "bgra" | "abgr" if channel != 1 => "a type of 8 bits",
        SRGBA if type_name != "unorm_int8" => "unorm_int8",
        _ if packed => "a type that is not packed",
        _ => "",
    };
    if !types.is_empty() {
        return Err(invalid(format!(
            "{name}: channel order {order_name} with channel type {type_name}, expected {types}"
        )));
    }
    let channels = if packed { 1 } else { channels };
    Ok(Format { name: format!("{order_name} {type_name}"), channels, channel, kind })
}

/// Computes the layout of an image with `size` elements in each dimension, the fastest first.
/// `pitch` is empty if the program provided none.
fn lay_out(name: &str, format: u32, size: &[u64], pitch: &[u64]) -> Result<ImageLayout> {
    let shape = format_of(name, format)?;
    if size.len() == 1 && format >= EARLIER_FORMATS && order_name(format) == Some(SRGBA) {
        return Err(invalid(format!(
            "{name}: an image with order {SRGBA} has one dimension, expected 2 or 3"
        )));
    }
    // The code for SYCL 1.2.1 needs the size of a whole element.
    let channel = if format < EARLIER_FORMATS { shape.channel } else { shape.element() };
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
    let element = u64::from(shape.element());
    let row = checked("row", pitch.first(), element, width * element)?;
    let slice =
        checked("slice", pitch.get(1), row, row.checked_mul(height).ok_or_else(too_large)?)?;
    layout.pitch = [row, slice];
    slice.checked_mul(depth).filter(|&bytes| bytes <= isize::MAX as u64).ok_or_else(too_large)?;
    Ok(layout)
}

/// Returns the name of an image for messages.
///
/// # Safety
/// `text` must be null or a C string that lives as long as the result is used.
unsafe fn name_of<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        "image"
    } else {
        // SAFETY: `text` is not null, and the caller guarantees that it is a C string.
        unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("image")
    }
}

/// # Safety
/// See [`super`]. `size` must hold `dims` values, and `pitch` one less. `host` must live as long as
/// the flags require.
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
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let name = unsafe { name_of(name) };
        let known =
            buffer_flags::USE_HOST_PTR | buffer_flags::READ_ONLY_HOST | buffer_flags::COPY_HOST;
        if !(1..=3).contains(&dims) || size.is_null() || flags & !known != 0 {
            return Err(invalid(format!(
                "{name}: {dims} dimensions with flags {flags:#x}, expected 1 to 3 dimensions and a \
                 subset of {known:#x}"
            )));
        }
        // SAFETY: `size` is not null, and the caller guarantees that it holds `dims` values.
        let size = unsafe { std::slice::from_raw_parts(size, dims as usize) };
        let pitch = match dims as usize - 1 {
            pitches if pitch.is_null() || pitches == 0 => &[][..],
            // SAFETY: `pitch` is not null, and the caller guarantees that it holds `dims - 1`
            // values.
            pitches => unsafe { std::slice::from_raw_parts(pitch, pitches) },
        };
        let made = lay_out(name, format, size, pitch)?;
        let alignment = format_of(name, format)?.channel;
        let aligned = (host as usize).is_multiple_of(alignment as usize);
        let in_place = flags & buffer_flags::USE_HOST_PTR != 0;
        if in_place && (host.is_null() || !aligned) {
            return Err(invalid(format!(
                "{name}: property use_host_ptr with address {host:?}, expected a valid address \
                 aligned to {alignment}"
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
        // Elements are accessed with their types. Memory that is not aligned for them is only a
        // source and a destination of copies.
        let apart = !aligned && !read_only && flags & buffer_flags::COPY_HOST == 0;
        // SAFETY: the caller guarantees that `host` is valid for the size of the image, for as long
        // as the flags require.
        let buffer = unsafe { Buffer::new(made.pitch[1] * made.size[2] as u64, initial) }?;
        if apart {
            buffer.set_destination(Destination::Address(host.cast()))?;
        }
        // SAFETY: the caller guarantees that `layout` is null or valid for a write.
        unsafe { put(layout, "layout", made) }?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
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
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let name = unsafe { name_of(name) };
        let Format { name: known, kind: expected, .. } = format_of(name, format)?;
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
    fn formats_of_sycl_1_2_1_have_one_to_four_channels() {
        let element = |order: u32, type_: u32| {
            lay_out("i", 256 + order * 16 + type_, &[8, 2], &[]).map(|layout| {
                assert_eq!(layout.pitch[0], 8 * u64::from(layout.channel));
                layout.channel
            })
        };
        assert_eq!(element(8, 14).unwrap(), 16);
        assert_eq!(element(1, 14).unwrap(), 4);
        assert_eq!(element(3, 8).unwrap(), 4);
        assert_eq!(element(6, 4).unwrap(), 2);
        assert_eq!(element(7, 6).unwrap(), 4);
        assert_eq!(element(11, 3).unwrap(), 2);
        let fails = |order, type_| element(order, type_).unwrap_err().message;
        assert_eq!(
            fails(8, 4),
            "i: channel order rgba with channel type unorm_short_565, expected a type that is not \
             packed"
        );
        assert_eq!(
            fails(6, 14),
            "i: channel order rgb with channel type fp32, expected unorm_short_565, \
             unorm_short_555 or unorm_int_101010"
        );
        assert_eq!(
            fails(12, 9),
            "i: channel order luminance with channel type signed_int32, expected a normalised \
             type or a floating-point type"
        );
        assert_eq!(
            fails(9, 14),
            "i: channel order argb with channel type fp32, expected a type of 8 bits"
        );
        assert_eq!(fails(15, 2), "i: the channel order of the image is unknown, expected 0 to 14");
        assert_eq!(
            fails(14, 3),
            "i: channel order ext_oneapi_srgba with channel type unorm_int16, expected unorm_int8"
        );
        assert_eq!(
            lay_out("i", EARLIER_FORMATS + 14 * 16 + 2, &[4], &[]).unwrap_err().message,
            "i: an image with order ext_oneapi_srgba has one dimension, expected 2 or 3"
        );
        assert_eq!(lay_out("i", EARLIER_FORMATS + 14 * 16 + 2, &[4, 4], &[]).unwrap().channel, 4);
        assert_eq!(fails(8, 15), "i: the channel type of the image is unknown, expected 0 to 14");
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
