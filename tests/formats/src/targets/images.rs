//! Device images and what is in them.

use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::condition::Condition;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::launch::{
    Argument, FreeFunction, KernelLaunch, Param, ParamKind, Passing, Scalar, Shape,
};
use scythe_abi::requirements::{Conditional, Requirements};
use scythe_image::manifest::{DeviceGlobal, EntryPoint, Import, SpecializationConstant};
use scythe_image::{Format, Image, ImageView, Manifest, PropertySets, container};

use super::{Target, error};

pub fn targets() -> Vec<Target> {
    vec![
        Target {
            name: "image",
            about: "the container of a device image, also in other files",
            seeds: || {
                images().iter().flat_map(|i| [i.to_bytes(), i.to_compressed_bytes()]).collect()
            },
            words: &[b"SCYTHEIM", b"\x28\xb5\x2f\xfd", b"spirv64", b"x86_64_avx512"],
            is_program: false,
            seal: Some(container::seal),
            read: image,
        },
        Target {
            name: "manifest",
            about: "the manifest of a device image",
            seeds: || images().iter().map(|image| image.manifest.to_bytes()).collect(),
            words: &[b"\x01\0\0\0", b"\0\0\0\0", b"\xff\xff\xff\xff"],
            is_program: false,
            seal: None,
            read: manifest,
        },
        Target {
            name: "launch",
            about: "the launch description of a kernel",
            seeds: || launches().iter().map(KernelLaunch::to_bytes).collect(),
            words: &[b"\x01\0\0\0", b"\xff\xff\xff\xff"],
            is_program: false,
            seal: None,
            read: |bytes| match KernelLaunch::from_bytes(bytes) {
                Some(launch) => {
                    assert_eq!(KernelLaunch::from_bytes(&launch.to_bytes()), Some(launch));
                    String::new()
                }
                None => "no launch description".to_owned(),
            },
        },
    ]
}

fn launches() -> Vec<KernelLaunch> {
    let simple = KernelLaunch {
        shape: Shape::from_u32(1).expect("a shape has the number 1"),
        functor_size: 24,
        file: "a.cpp".into(),
        line: 3,
        column: 7,
        identity: 9,
        params: vec![
            Param::pointer(ParamKind::from_u32(1).expect("a kind has the number 1"), 0),
            Param {
                kind: ParamKind::StdLayout,
                size: 4,
                offset: 8,
                passing: Passing::Scalar(Scalar::I32),
            },
            Param::unlowered(ParamKind::StdLayout, 8, 16),
        ],
        function: None,
    };
    let function = FreeFunction {
        symbol: "_Z4iotaf".into(),
        name: "ns::iota<float>".into(),
        dimensions: 2,
        registered: vec!["iota".into(), "ns::iota".into()],
        arguments: vec![Argument { offset: 0, size: 8 }],
    };
    vec![simple.clone(), KernelLaunch { function: Some(function), ..simple }]
}

pub fn images() -> Vec<Image> {
    let origin = "fp64\tkernel@a.cpp:1:2\tf@a.cpp:3:4\tg";
    let launches = launches();
    let entry = |index: usize| EntryPoint {
        symbol: format!("_ZTS{index}K"),
        launch: launches.get(index).cloned(),
        work_group_size: (index == 0).then(|| vec![8, 4, 2]),
        attributes: "reqd_work_group_size(2,4,8)".into(),
        aspect_origins: AspectOrigin::parse(origin).into_iter().collect(),
    };
    let requirements = Requirements {
        aspects: Some(vec![6, 9]),
        sub_group_sizes: Some(vec![8, 16]),
        work_group_sizes: Some(vec![vec![8, 4, 2], vec![64]]),
        fixed_targets: Some(vec![1, 2]),
    };
    let condition: Condition = "1040&!1021|!1022".parse().expect("a condition");
    let mut other = PropertySets::default();
    other.set("SYCL/misc").insert("optLevel", 2);
    other.set("Other=%[tool]").insert("bytes", vec![1, 2, 3]);
    let full = Manifest {
        entry_points: (0..3).map(entry).collect(),
        requirements: requirements.clone(),
        conditional: vec![Conditional { condition: condition.clone(), requirements }],
        exports: vec!["_Z3fooi".into()],
        imports: vec![
            Import { symbol: "_Z3barv".into(), conditions: vec![condition] },
            Import { symbol: "_Z3bazv".into(), conditions: Vec::new() },
        ],
        constants: vec![SpecializationConstant { symbol: "constant".into(), size: 4 }],
        globals: vec![DeviceGlobal { symbol: "global".into(), size: 16, image_scope: true }],
        asks_for_aspects: true,
        other,
    };
    let code: Vec<u8> = (0..400).map(|at| (at / 7) as u8).collect();
    let image = |target: &str, format, manifest: &Manifest, code: &[u8]| Image {
        target: ImageTarget::parse(target),
        format,
        options: "-O2".into(),
        manifest: manifest.clone(),
        symbols: vec!["_ZTS0K".into(), "_ZTS1K".into()],
        code: code.to_vec(),
    };
    vec![
        image("spir64", Format::LlvmBitcode, &full, &code),
        image("spir64_x86_64", Format::CpuObject, &Manifest::default(), b"\x7fELF"),
        image("spirv64", Format::SpirV, &full, &0x0723_0203_u32.to_le_bytes()),
        image("nvidia_gpu_sm_90", Format::Ptx, &full, b".version 8.3\n"),
        image("intel_gpu_pvc", Format::Empty, &full, b""),
    ]
}

fn image(bytes: &[u8]) -> String {
    let mut outcome = match container::find_all(bytes) {
        Ok(found) => found.len().min(3).to_string().replace(['0', '1', '2', '3'], "i"),
        Err(error) => error.to_string(),
    };
    let view = match ImageView::parse(bytes) {
        Ok(view) => view,
        Err(error) => return format!("{outcome}{error}"),
    };
    outcome += &error(&view.manifest());
    let read = view.to_image();
    outcome += &error(&read);
    if let Ok(image) = read {
        let again = Image::parse(&image.to_bytes());
        assert_eq!(again.as_ref(), Ok(&image), "a written image is read");
        assert_eq!(view.symbols().len(), image.symbols.len());
        assert_eq!(view.code_size(), image.code.len() as u64);
    }
    outcome
}

fn manifest(bytes: &[u8]) -> String {
    let read = Manifest::from_bytes(bytes);
    if let Ok(manifest) = &read {
        assert_eq!(Manifest::from_bytes(&manifest.to_bytes()).as_ref(), Ok(manifest));
        let sets = manifest.to_properties();
        let text = sets.to_text();
        assert_eq!(PropertySets::from_text(&text).as_ref(), Ok(&sets), "{text}");
        return error(&Manifest::from_properties(&sets));
    }
    error(&read)
}
