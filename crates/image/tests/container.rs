//! The image container: what is written is read back, what is damaged is refused with the reason.

use proptest::prelude::*;
use scythe_image::{Format, Image, ImageError, ImageView, PropertySets};

fn sample() -> Image {
    let mut properties = PropertySets::default();
    properties.set("SCYTHE/launch").insert("_ZTS1K", vec![1, 2, 3]);
    Image {
        target: "spirv64-unknown-unknown".into(),
        format: Format::LlvmBitcode,
        options: "-O2".into(),
        properties,
        symbols: vec!["_ZTS1K".into(), "_ZTS1L".into()],
        code: (0..100).collect(),
    }
}

#[test]
fn the_view_borrows_its_parts_from_the_bytes() {
    let image = sample();
    let bytes = image.to_bytes();
    let view = ImageView::parse(&bytes).unwrap();
    assert_eq!(view.target, "spirv64-unknown-unknown");
    assert_eq!(view.format, Format::LlvmBitcode);
    assert_eq!(view.options, "-O2");
    assert_eq!(view.symbols().collect::<Vec<_>>(), ["_ZTS1K", "_ZTS1L"]);
    assert_eq!(view.symbols().len(), 2);
    assert_eq!(view.properties().unwrap(), image.properties);
    let code = view.code().unwrap();
    assert!(bytes.as_ptr_range().contains(&code.as_ptr()), "the code was copied");
    // Loaders may use the code in place where the image itself is aligned.
    assert_eq!((code.as_ptr() as usize - bytes.as_ptr() as usize) % 16, 0);
    assert_eq!(Image::parse(&bytes).unwrap(), image);
}

#[test]
fn code_is_compressed_where_that_helps_and_read_back() {
    let code: Vec<u8> = (0..5000u32).flat_map(|number| (number / 50).to_le_bytes()).collect();
    let image = Image { code, ..sample() };
    let bytes = image.to_compressed_bytes();
    assert!(bytes.len() < image.to_bytes().len() / 2, "{} bytes", bytes.len());
    let view = ImageView::parse(&bytes).unwrap();
    assert_eq!((view.code_size(), view.compressed_size().is_some()), (20_000, true));
    assert_eq!(Image::parse(&bytes).unwrap(), image);
    assert_eq!(bytes, image.to_compressed_bytes());
    let small = Image { code: b"incompressible".to_vec(), ..sample() };
    assert_eq!(small.to_compressed_bytes(), small.to_bytes());
}

/// `bytes` with the checksum that fits them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    // The error tells what the checksum should be.
    if let Err(ImageError::Checksum { seen, .. }) = ImageView::parse(&bytes) {
        bytes[24..32].copy_from_slice(&seen.to_le_bytes());
    }
    bytes
}

#[test]
fn damaged_compressed_code_is_refused_when_it_is_asked_for() {
    let image = Image { code: vec![7; 5000], ..sample() };
    let good = image.to_compressed_bytes();
    let (size_at, kind_at) = (good.len() - 8, good.len() - 12);
    let code_error = |bytes: &[u8]| ImageView::parse(bytes).unwrap().code().unwrap_err().to_string();
    let with = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        sealed(bytes)
    };
    let expected = |size| format!("device image code decompresses to {size} bytes or more, expected");
    assert_eq!(code_error(&with(size_at, 4999)), format!("{} 4999", expected(5000)));
    assert_eq!(code_error(&with(size_at, 5001)), format!("{} 5001", expected(5000)));
    let error = ImageView::parse(&with(kind_at, 9)).unwrap_err().to_string();
    assert_eq!(error, "device image code has encoding 9, expected 1 (zstd)");
    for at in good.len() - 30..good.len() - 12 {
        let mut bytes = good.clone();
        bytes[at] ^= 0x55;
        // Never a panic; what is read is of the right size.
        if let Ok(code) = ImageView::parse(&sealed(bytes)).unwrap().code() {
            assert_eq!(code.len(), 5000);
        }
    }
}

#[test]
fn several_images_can_stand_one_after_another() {
    let mut bytes = sample().to_bytes();
    let first = bytes.len();
    let second = Image { symbols: vec![], code: vec![], format: Format::Empty, ..sample() };
    bytes.extend(second.to_bytes());
    let (_, length) = ImageView::parse_prefix(&bytes).unwrap();
    assert_eq!(length, first);
    assert_eq!(Image::parse(&bytes[length..]).unwrap(), second);
    let error = ImageView::parse(&bytes).unwrap_err().to_string();
    let extra = bytes.len() - first;
    assert_eq!(error, format!("device image of {first} bytes is followed by {extra} bytes that are not part of it"));
}

#[test]
fn errors_name_what_was_seen_and_what_was_expected() {
    let good = sample().to_bytes();
    let check = |bytes: &[u8], message: &str| {
        assert_eq!(ImageView::parse(bytes).unwrap_err().to_string(), message);
    };
    check(b"", "not a device image: it starts with nothing, expected \"SCYTHEIM\"");
    check(
        b"\x7fELF\x02\x01\x01\0\0",
        "not a device image: it starts with \"\\x7fELF\\x02\\x01\\x01\\x00\", expected \"SCYTHEIM\"",
    );
    check(&good[..20], "device image truncated at byte 20: expected 32 bytes for the header");
    let whole = good.len();
    check(
        &good[..whole - 1],
        &format!("device image truncated at byte {}: expected {whole} bytes for the whole image", whole - 1),
    );
    let mut other = good.clone();
    other[8] = 9;
    check(&other, "device image version 9, expected 1");
    let mut damaged = good.clone();
    damaged[whole - 1] ^= 1;
    assert!(matches!(ImageView::parse(&damaged), Err(ImageError::Checksum { .. })));
}

#[test]
fn equal_images_are_equal_bytes() {
    assert_eq!(sample().to_bytes(), sample().to_bytes());
}

#[test]
fn every_format_has_its_own_number_and_name() {
    for format in Format::ALL {
        assert_eq!(Format::from_u32(format as u32), Some(format));
        assert_eq!(Format::from_name(format.as_str()), Some(format));
    }
    assert_eq!(Format::from_u32(Format::ALL.len() as u32), None);
}

#[test]
fn every_flipped_byte_is_noticed() {
    let good = sample().to_bytes();
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x55;
        assert!(ImageView::parse(&bytes).is_err(), "byte {at}");
    }
}

/// The bytes with the checksum that fits them, so that mutations get past it to the checks behind.
fn with_checksum_of(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Err(ImageError::Checksum { seen, .. }) = ImageView::parse_prefix(&bytes) {
        bytes[24..32].copy_from_slice(&seen.to_le_bytes());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_image_survives(
        target: String, options: String, format in prop::sample::select(&Format::ALL[..]),
        symbols: Vec<String>, code: Vec<u8>, properties: Vec<(String, Vec<u8>)>,
    ) {
        let mut sets = PropertySets::default();
        for (name, value) in properties {
            sets.set("set").insert(&name, value);
        }
        let image = Image { target, format, options, properties: sets, symbols, code };
        prop_assert_eq!(Image::parse(&image.to_bytes()).unwrap(), image);
    }

    #[test]
    fn mutated_images_are_read_or_refused(changes in prop::collection::vec((0usize..400, any::<u8>()), 1..6)) {
        let mut bytes = sample().to_bytes();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let bytes = with_checksum_of(bytes);
        if let Ok(view) = ImageView::parse(&bytes) {
            prop_assert_eq!(view.symbols().count(), view.symbols().len());
            let _ = view.to_image();
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(tail: Vec<u8>, length in 0usize..32) {
        let mut bytes = sample().to_bytes();
        bytes.truncate(length);
        bytes.extend(tail);
        let _ = Image::parse(&bytes);
    }
}
