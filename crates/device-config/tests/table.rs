//! The default configuration: complete, in order, and true to what the rest of Scythe says.

use scythe_abi::aspect::Aspect;
use scythe_abi::requirements::Requirements;
use scythe_device_config::{Lack, Table, Target};

fn lookup(name: &str) -> Target {
    Table::embedded().lookup(name).unwrap_or_else(|| panic!("{name} is unknown")).clone()
}

/// The device names of the documents, and the aliases with what they stand for.
const INTEL_GPUS: [&str; 22] = [
    "bdw", "skl", "kbl", "cfl", "apl", "glk", "whl", "aml", "cml", "icllp", "ehl", "tgllp", "rkl",
    "adl_s", "rpl_s", "adl_p", "adl_n", "dg1", "acm_g10", "acm_g11", "acm_g12", "pvc",
];
const ALIASES: [(&str, &str); 16] = [
    ("intel_gpu_8_0_0", "intel_gpu_bdw"),
    ("intel_gpu_9_0_9", "intel_gpu_skl"),
    ("intel_gpu_9_1_9", "intel_gpu_kbl"),
    ("intel_gpu_9_2_9", "intel_gpu_cfl"),
    ("intel_gpu_9_3_0", "intel_gpu_apl"),
    ("intel_gpu_9_4_0", "intel_gpu_glk"),
    ("intel_gpu_9_5_0", "intel_gpu_whl"),
    ("intel_gpu_9_6_0", "intel_gpu_aml"),
    ("intel_gpu_9_7_0", "intel_gpu_cml"),
    ("intel_gpu_11_0_0", "intel_gpu_icllp"),
    ("intel_gpu_11_2_0", "intel_gpu_ehl"),
    ("intel_gpu_12_0_0", "intel_gpu_tgllp"),
    ("intel_gpu_12_10_0", "intel_gpu_dg1"),
    ("intel_gpu_tgl", "intel_gpu_tgllp"),
    ("intel_gpu_12_0", "intel_gpu_tgllp"),
    ("x86_64", "spir64_x86_64"),
];

#[test]
fn every_device_of_the_documents_is_there_with_an_aspect_of_its_own() {
    for device in INTEL_GPUS {
        let target = lookup(&format!("intel_gpu_{device}"));
        let own = Aspect::from_name(&format!("ext_intel_gpu_{device}"));
        assert!(own.is_some() && target.architecture() == own, "{device}");
        assert!(!target.may_support_other_aspects, "{device}");
        assert_eq!(target.aot_toolchain, "ocloc");
        let ocloc_name = if device == "rpl_s" { "adl-s".into() } else { device.replace('_', "-") };
        assert_eq!(target.aot_toolchain_options, format!("-device {ocloc_name}"));
    }
    assert_eq!(lookup("spir64_x86_64").architecture(), Some(Aspect::ExtIntelX86_64));
    assert_eq!(lookup("nvidia_gpu_sm_90").architecture(), Some(Aspect::ExtNvidiaGpuSm90));
    assert_eq!(lookup("intel_gpu").architecture(), None);
}

#[test]
fn each_architecture_is_the_own_one_of_exactly_one_target() {
    let table = Table::embedded();
    for &aspect in Aspect::ALL.iter().filter(|aspect| aspect.is_architecture()) {
        let owners: Vec<_> =
            table.targets().filter(|target| target.architecture() == Some(aspect)).collect();
        assert_eq!(owners.len(), 1, "{}: {owners:?}", aspect.as_str());
    }
}

#[test]
fn aliases_and_triples_are_other_names() {
    for (alias, target) in ALIASES {
        assert_eq!(lookup(alias), lookup(target));
        assert_eq!(Table::canonical(alias), target);
        assert!(Table::aliases(target).any(|known| known == alias));
    }
    for triple in
        ["spir64-unknown-unknown", "spirv64-unknown-unknown", "spir64-unknown-unknown-sycldevice"]
    {
        assert_eq!(lookup(triple).name, "spir64");
    }
    assert_eq!(lookup("spir64_gen-unknown-unknown").name, "spir64_gen");
    assert_eq!(lookup("ptx64").name, "nvptx64-nvidia-cuda");
    for unknown in
        ["", "spir", "intel_gpu_", "intel_gpu_nonesuch", "spir64-unknown", "-unknown-unknown"]
    {
        assert_eq!(Table::embedded().lookup(unknown), None, "{unknown}");
    }
}

#[test]
fn every_target_is_known_by_all_of_its_names() {
    let table = Table::embedded();
    let mut bundles = std::collections::BTreeSet::new();
    for target in table.targets().filter(|target| target.name != "spir64_fpga") {
        let id = target.id().unwrap_or_else(|error| panic!("{error}"));
        assert!(bundles.insert(id.bundle_id()), "{} shares its bundle id", target.name);
        let mut names = vec![target.name.to_string(), id.full_triple(), id.bundle_id()];
        names.extend(Table::aliases(&target.name).map(str::to_owned));
        names.extend(Table::aliases(&target.name).map(|alias| format!("{alias}-unknown-unknown")));
        for name in names {
            assert_eq!(lookup(&name).name, target.name, "{name}");
            assert_eq!(table.id(&name), Ok(id), "{name}");
        }
    }
}

#[test]
fn slips_of_the_pen_are_guessed_and_other_vendors_named() {
    let unknown = |name| Table::embedded().id(name).unwrap_err().message;
    for (name, meant) in [
        ("intel_gpu_sklx", "intel_gpu_skl"),
        ("nvptx64-nvidia-coda", "nvptx64-nvidia-cuda"),
        ("spir46", "spir64"),
        ("intel_gpu_SKL", "intel_gpu_skl"),
        (" spir64", "spir64"),
        ("nvidia_gpu_sm90", "nvidia_gpu_sm_90"),
    ] {
        let start = format!(
            "unknown device target '{name}' (did you mean '{meant}'?): expected 'spir64' (generic \
             code"
        );
        assert!(unknown(name).starts_with(&start), "{}", unknown(name));
    }
    assert!(unknown("quantum").starts_with("unknown device target 'quantum': expected"));
    for amd in ["amd_gpu_gfx90a", "amdgcn-amd-amdhsa"] {
        let start = format!(
            "the target '{amd}' is an AMD GPU, which Scythe does not support: expected 'spir64'"
        );
        assert!(unknown(amd).starts_with(&start), "{}", unknown(amd));
    }
}

#[test]
fn names_that_stand_for_several_devices_may_support_more() {
    for name in
        ["spir64", "spir64_gen", "spir64_x86_64", "intel_gpu", "ptx64", "nvptx64-nvidia-cuda"]
    {
        assert!(lookup(name).may_support_other_aspects, "{name}");
    }
}

#[test]
fn the_default_knows_which_generation_has_what() {
    let has = |device: &str, aspect| lookup(&format!("intel_gpu_{device}")).has(aspect);
    for (aspect, with, without) in [
        (
            Aspect::Fp64,
            &["bdw", "skl", "glk", "pvc", "mtl_h"][..],
            &["icllp", "tgllp", "dg1", "acm_g10"][..],
        ),
        (
            Aspect::Atomic64,
            &["bdw", "skl", "icllp", "tgllp", "acm_g10", "pvc"],
            &["apl", "glk", "ehl"],
        ),
        (Aspect::ExtIntelLegacyImage, &["skl", "pvc"], &[]),
        (Aspect::Image, &["skl", "pvc"], &[]),
        (Aspect::Fp16, &["bdw", "pvc"], &[]),
    ] {
        assert!(with.iter().all(|device| has(device, aspect)), "{}", aspect.as_str());
        assert!(!without.iter().any(|device| has(device, aspect)), "{}", aspect.as_str());
    }
    assert_eq!(*lookup("intel_gpu_skl").sub_group_sizes, [8, 16, 32]);
    assert_eq!(*lookup("intel_gpu_pvc").sub_group_sizes, [16, 32]);
    assert!(
        !lookup("nvidia_gpu_sm_50").has(Aspect::Fp16)
            && lookup("nvidia_gpu_sm_53").has(Aspect::Fp16)
    );
    assert!(
        !lookup("nvidia_gpu_sm_53").has(Aspect::Atomic64)
            && lookup("nvidia_gpu_sm_60").has(Aspect::Atomic64)
    );
    assert!(
        !lookup("nvidia_gpu_sm_60").has(Aspect::ExtOneapiAtomic16)
            && lookup("nvidia_gpu_sm_70").has(Aspect::ExtOneapiAtomic16)
            && lookup("x86_64").has(Aspect::ExtOneapiAtomic16)
    );
}

#[test]
fn rows_are_in_order_and_sound() {
    let table = Table::embedded();
    let names: Vec<_> = table.targets().map(|target| target.name.clone()).collect();
    assert!(names.is_sorted() && names.len() > 60);
    for target in table.targets() {
        assert!(
            target.aspects.is_sorted() && target.sub_group_sizes.is_sorted(),
            "{}",
            target.name
        );
        assert_eq!(table.lookup(&target.name), Some(target));
        let kinds = [Aspect::Cpu, Aspect::Gpu, Aspect::Accelerator]
            .into_iter()
            .filter(|&kind| target.has(kind))
            .count();
        assert!(kinds == 1 || (kinds == 0 && target.aspects.is_empty()), "{}", target.name);
    }
}

/// Requirements from lists `(name, numbers)`.
fn requirements(lists: &[(&str, &[u32])]) -> Requirements {
    let list = |name: &str| {
        lists.iter().find(|(known, _)| *known == name).map(|(_, numbers)| numbers.to_vec())
    };
    Requirements {
        aspects: list("aspect"),
        sub_group_sizes: list("reqd_sub_group_size"),
        work_group_sizes: None,
        fixed_targets: list("fixed_target"),
    }
}

#[test]
fn a_target_must_have_every_aspect_and_sub_group_size() {
    let fp64 = requirements(&[("aspect", &[5, 6])]);
    assert_eq!(lookup("intel_gpu_skl").check(&fp64), Ok(()));
    assert_eq!(lookup("intel_gpu_dg1").check(&fp64), Err(Lack::Aspect(6)));
    let sizes = requirements(&[("reqd_sub_group_size", &[16, 8])]);
    assert_eq!(lookup("intel_gpu_dg1").check(&sizes), Ok(()));
    assert_eq!(lookup("intel_gpu_pvc").check(&sizes), Err(Lack::SubGroupSize(8)));
    assert_eq!(lookup("intel_gpu_pvc").check(&requirements(&[])), Ok(()));
}

#[test]
fn a_target_must_be_one_of_the_fixed_ones() {
    let fixed = requirements(&[(
        "fixed_target",
        &[Aspect::ExtIntelGpuSkl as u32, Aspect::ExtIntelGpuPvc as u32],
    )]);
    assert_eq!(lookup("intel_gpu_pvc").check(&fixed), Ok(()));
    let lack = lookup("intel_gpu_dg1").check(&fixed).unwrap_err();
    assert_eq!(lack.to_string(), "compiled for ext_intel_gpu_skl, ext_intel_gpu_pvc only");
    // Targets that no device can be: not even unknown ones.
    let none = requirements(&[("fixed_target", &[])]);
    assert_eq!(lookup("spir64").check(&none), Err(Lack::FixedTarget(vec![])));
}

#[test]
fn a_family_may_hold_fixed_targets_of_its_own_only() {
    let fits = |architecture: Aspect, target: &str| {
        lookup(target).check(&requirements(&[("fixed_target", &[architecture as u32])])).is_ok()
    };
    assert!(
        fits(Aspect::ExtIntelX86_64Avx512, "spir64_x86_64")
            && fits(Aspect::ExtIntelX86_64, "spir64_x86_64")
    );
    assert!(
        fits(Aspect::ExtIntelX86_64, "x86_64_avx2")
            && fits(Aspect::ExtIntelX86_64Avx2, "x86_64_avx512")
    );
    assert!(!fits(Aspect::ExtIntelX86_64Avx512, "x86_64_avx2"));
    // A machine that runs code of the lowest level may have more.
    assert!(fits(Aspect::ExtIntelX86_64Avx2, "x86_64_sse2"));
    assert!(
        !fits(Aspect::ExtIntelGpuPvc, "spir64_x86_64")
            && !fits(Aspect::ExtIntelX86_64, "spir64_gen")
    );
    assert!(
        fits(Aspect::ExtIntelGpuPvc, "spir64_gen")
            && !fits(Aspect::ExtIntelGpuPvc, "nvptx64-nvidia-cuda")
    );
    assert!(
        fits(Aspect::ExtNvidiaGpuSm90, "nvptx64-nvidia-cuda")
            && fits(Aspect::ExtIntelGpuPvc, "spir64")
    );
}

#[test]
fn what_is_unknown_of_a_target_is_not_lacking() {
    let much = requirements(&[
        ("aspect", &[5, 6]),
        ("reqd_sub_group_size", &[8]),
        ("fixed_target", &[1020]),
    ]);
    assert_eq!(lookup("spir64").check(&much), Ok(()));
    // Sizes that are listed are all that there are.
    let odd = requirements(&[("reqd_sub_group_size", &[7])]);
    assert_eq!(lookup("spir64_x86_64").check(&odd), Err(Lack::SubGroupSize(7)));
}

#[test]
fn work_groups_must_fit_where_the_limit_is_known() {
    let sizes = Some(vec![vec![64], vec![16, 16, 4]]);
    let large = Requirements { work_group_sizes: sizes, ..Requirements::default() };
    assert_eq!(lookup("intel_gpu_skl").check(&large), Ok(()));
    assert_eq!(lookup("intel_gpu_skl").check_launch(&large), Err(Lack::WorkGroupSize(1024, 256)));
    assert_eq!(lookup("intel_gpu_pvc").check_launch(&large), Ok(()));
    assert_eq!(lookup("spir64").check_launch(&large), Ok(()));
}
