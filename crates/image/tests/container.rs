//! Tests the image container: written images are read back, and damaged images are rejected with
//! the reason.

use proptest::prelude::*;
use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::condition::Condition;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Passing, Scalar, Shape};
use scythe_abi::requirements::{Conditional, Requirements};
use scythe_image::manifest::{DeviceGlobal, EntryPoint, Import, SpecializationConstant};
use scythe_image::{
    Format, Image, ImageError, ImageView, Manifest, ManifestError, PropertySets, PropertyValue,
};

/// Returns a manifest in which every field has a value.
fn manifest() -> Manifest {
    let mut other = PropertySets::default();
    other.set("SYCL/misc properties").insert("optLevel", 2);
    other.set("SYCL/misc properties").insert("bytes", vec![1, 2, 3]);
    let launch = KernelLaunch {
        shape: Shape::Range,
        functor_size: 16,
        file: "a.cpp".into(),
        line: 3,
        column: 4,
        identity: 5,
        params: vec![
            Param::pointer(ParamKind::Accessor, 0),
            Param {
                kind: ParamKind::StdLayout,
                size: 4,
                offset: 8,
                passing: Passing::Scalar(Scalar::Float),
            },
        ],
        function: None,
    };
    let condition = |text: &str| text.parse::<Condition>().unwrap();
    Manifest {
        entry_points: vec![EntryPoint {
            symbol: "_ZTS1K".into(),
            launch: Some(launch),
            work_group_size: Some(vec![8, 4]),
            attributes: "reqd_work_group_size(8,4)".into(),
            aspect_origins: AspectOrigin::parse("fp64\tf@a.cpp:1:2\tg").into_iter().collect(),
        }],
        requirements: Requirements {
            aspects: Some(vec![5, 6]),
            sub_group_sizes: Some(vec![16]),
            work_group_sizes: Some(vec![vec![8, 4], vec![32]]),
            fixed_targets: Some(vec![]),
        },
        conditional: vec![Conditional {
            condition: condition("40&!41|42"),
            requirements: Requirements { aspects: Some(vec![7]), ..Requirements::default() },
        }],
        exports: vec!["exported".into()],
        imports: vec![
            Import { symbol: "always".into(), conditions: vec![] },
            Import {
                symbol: "sometimes".into(),
                conditions: vec![condition("40"), condition("!0")],
            },
        ],
        constants: vec![SpecializationConstant { symbol: "constant".into(), size: 4 }],
        globals: vec![DeviceGlobal { symbol: "global".into(), size: 1 << 40, image_scope: true }],
        asks_for_aspects: true,
        other,
    }
}

fn sample() -> Image {
    Image {
        target: "spirv64-unknown-unknown".into(),
        format: Format::LlvmBitcode,
        options: "-O2".into(),
        manifest: manifest(),
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
    assert_eq!(view.manifest().unwrap(), image.manifest);
    let code = view.code().unwrap();
    assert!(bytes.as_ptr_range().contains(&code.as_ptr()), "the code was copied");
    // Loaders may use the code in place if the image itself is aligned.
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

/// Returns `bytes` with a correct checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    // The error contains the correct checksum.
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
    let code_error =
        |bytes: &[u8]| ImageView::parse(bytes).unwrap().code().unwrap_err().to_string();
    let with = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        sealed(bytes)
    };
    let expected =
        |size| format!("device image code decompresses to {size} bytes or more, expected");
    assert_eq!(code_error(&with(size_at, 4999)), format!("{} 4999", expected(5000)));
    assert_eq!(code_error(&with(size_at, 5001)), format!("{} 5001", expected(5000)));
    let error = ImageView::parse(&with(kind_at, 9)).unwrap_err().to_string();
    assert_eq!(error, "device image code has encoding 9, expected 1 (zstd)");
    let stored = ImageView::parse(&good).unwrap().compressed_size().unwrap() as usize;
    for at in good.len() - 12 - stored..good.len() - 12 {
        let mut bytes = good.clone();
        bytes[at] ^= 0x55;
        // There must be no panic, and the code must have the right size.
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
    assert_eq!(
        error,
        format!(
            "device image of {first} bytes is followed by {extra} bytes that are not part of it"
        )
    );
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
        "not a device image: it starts with \"\\x7fELF\\x02\\x01\\x01\\x00\", \
         expected \"SCYTHEIM\"",
    );
    check(&good[..20], "device image truncated at byte 20: expected 32 bytes for the header");
    let whole = good.len();
    check(
        &good[..whole - 1],
        &format!(
            "device image truncated at byte {}: expected {whole} bytes for the whole image",
            whole - 1
        ),
    );
    let mut other = good.clone();
    other[8] = 9;
    check(
        &other,
        "device image has version 9, expected 2: link the program again with this version of Scythe",
    );
    let mut damaged = good.clone();
    damaged[whole - 1] ^= 1;
    assert!(matches!(ImageView::parse(&damaged), Err(ImageError::Checksum { .. })));
}

#[test]
fn a_manifest_is_the_same_as_bytes_and_as_property_sets() {
    let manifest = manifest();
    assert_eq!(Manifest::from_bytes(&manifest.to_bytes()), Ok(manifest.clone()));
    let text = manifest.to_properties().to_text();
    assert_eq!(Manifest::from_properties(&PropertySets::from_text(&text).unwrap()), Ok(manifest));
    assert!(Manifest::default().to_properties().is_empty());
    // The layouts of the specification.
    for line in [
        "aspect=2|QAAAAAAAAAAFAAAABgAAAA==",
        "reqd_work_group_size=2|oAAAAAAAAAACAAAACAAAAAQAAAABAAAAIAAAAA==",
    ] {
        assert!(text.contains(line), "{line} is not in: {text}");
    }
}

#[test]
fn properties_of_another_layout_are_refused() {
    let refused = |set: &str, name: &str, value: PropertyValue| {
        let mut sets = PropertySets::default();
        sets.set(set).insert(name, value);
        Manifest::from_properties(&sets).unwrap_err().to_string()
    };
    let words = |numbers: &[u32]| {
        PropertyValue::Bytes(numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
    };
    let required = |name: &str, value| refused("SYCL/device requirements", name, value);
    let set = "of set SYCL/device requirements";
    assert_eq!(
        required("aspect", vec![1, 2, 3].into()),
        format!("the property 'aspect' {set} has 3 bytes, expected a multiple of 4")
    );
    assert_eq!(
        required("fixed_target", 3.into()),
        format!("the property 'fixed_target' {set} is not a byte array")
    );
    assert_eq!(
        required("reqd_work_group_size", words(&[2, 8])),
        format!(
            "the property 'reqd_work_group_size' {set} ends after 1 of 2 dimensions of an entry"
        )
    );
    assert_eq!(
        required("reqd_work_group_size", words(&[4, 1, 1, 1, 1])),
        format!(
            "the property 'reqd_work_group_size' {set} has an entry of 4 dimensions, expected 1, 2 \
             or 3"
        )
    );
    assert!(
        refused("SCYTHE/launch", "k", vec![1].into()).ends_with("does not contain a launch row")
    );
    assert!(
        refused("SYCL/device globals", "g", vec![0; 8].into())
            .ends_with("does not contain a size and a flag of 0 or 1")
    );
    assert!(
        refused("SYCL/device globals", "g", vec![2; 9].into())
            .ends_with("does not contain a size and a flag of 0 or 1")
    );
    for name in ["40", "x aspect", "40 colour"] {
        assert!(refused("SCYTHE/conditional requirements", name, words(&[1])).contains(name));
    }
    assert!(
        refused("SCYTHE/conditional imports", "f", b"x\n".to_vec().into())
            .contains("'x' is not a condition")
    );
}

#[test]
fn a_manifest_of_another_version_is_refused() {
    let mut bytes = manifest().to_bytes();
    bytes[0] = 7;
    assert_eq!(
        Manifest::from_bytes(&bytes).unwrap_err().to_string(),
        "device image manifest has version 7, expected 2: link the program again with the compiler \
         of this runtime"
    );
}

#[test]
fn a_manifest_cut_off_anywhere_is_refused() {
    let good = manifest().to_bytes();
    for keep in 0..good.len() {
        let error = Manifest::from_bytes(&good[..keep]).unwrap_err();
        assert!(matches!(error, ManifestError::Truncated { .. }), "{keep}: {error}");
    }
    let longer = [&good[..], &[0]].concat();
    let end = good.len();
    assert_eq!(
        Manifest::from_bytes(&longer),
        Err(ManifestError::TrailingBytes { at: end, extra: 1 })
    );
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

/// Returns the bytes with a correct checksum, so that mutations reach the later checks.
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
        let mut other = PropertySets::default();
        for (name, value) in properties {
            other.set("set").insert(&name, value);
        }
        let manifest = Manifest { other, ..manifest() };
        let image = Image { target: ImageTarget::parse(target), format, options, manifest, symbols, code };
        prop_assert_eq!(Image::parse(&image.to_bytes()).unwrap(), image);
    }

    #[test]
    fn mutated_images_are_read_or_refused(changes in prop::collection::vec((0usize..1000, any::<u8>()), 1..6)) {
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

    /// A damaged manifest that can be read is a valid manifest: it is written and read again.
    #[test]
    fn mutated_manifests_are_read_or_refused(changes in prop::collection::vec((0usize..1000, any::<u8>()), 1..6)) {
        let mut bytes = manifest().to_bytes();
        for (at, value) in changes {
            let at = 4 + at % (bytes.len() - 4);
            bytes[at] = value;
        }
        if let Ok(read) = Manifest::from_bytes(&bytes) {
            prop_assert_eq!(Manifest::from_bytes(&read.to_bytes()), Ok(read));
        }
    }

    #[test]
    fn any_manifest_bytes_are_read_or_refused(mut tail: Vec<u8>) {
        let mut bytes = 1u32.to_le_bytes().to_vec();
        bytes.append(&mut tail);
        let _ = Manifest::from_bytes(&bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(tail: Vec<u8>, length in 0usize..32) {
        let mut bytes = sample().to_bytes();
        bytes.truncate(length);
        bytes.extend(tail);
        let _ = Image::parse(&bytes);
    }
}
