//! `sycl-aspect-filter` does what its specification says, rule by rule.

use scythe_abi::aspect::Aspect;
use scythe_image::PropertySets;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What the tool left behind.
struct Outcome {
    success: bool,
    stdout: String,
    stderr: String,
}

/// Runs the tool in a folder with files of `(name, text)`.
fn filter(files: &[(&str, String)], args: &[&str]) -> (Outcome, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("files can be written");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_scythe-tools"))
        .arg("sycl-aspect-filter")
        .args(args)
        .current_dir(folder.path())
        .output()
        .expect("the tool starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let outcome = Outcome {
        success: output.status.success(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    };
    (outcome, folder)
}

/// The text of a property set with these requirements.
fn needs(properties: &[(&str, &[u32])]) -> String {
    let mut sets = PropertySets::default();
    for (name, numbers) in properties {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        sets.set("SYCL/device requirements").insert(name, bytes);
    }
    sets.to_text()
}

/// Whether code with these requirements stays for the target.
fn stays(properties: &[(&str, &[u32])], target: &str) -> bool {
    let files =
        [("t.table", "[Code|Properties]\na.bc|a.prop\n".to_owned()), ("a.prop", needs(properties))];
    let (outcome, _folder) = filter(&files, &[&format!("-target={target}"), "t.table"]);
    assert!(outcome.success, "{}", outcome.stderr);
    match &*outcome.stdout {
        "[Code|Properties]\na.bc|a.prop\n" => true,
        "[Code|Properties]\n" => false,
        other => panic!("unexpected table: {other}"),
    }
}

const FP16: u32 = Aspect::Fp16 as u32;
const FP64: u32 = Aspect::Fp64 as u32;

#[test]
fn a_table_without_properties_is_copied_whatever_the_target_is() {
    let table = "[Code]\na.bc\nb.bc\n";
    let (outcome, _folder) = filter(&[("t.table", table.into())], &["-target=nonesuch", "t.table"]);
    assert!(outcome.success && outcome.stdout == table, "{}", outcome.stderr);
}

#[test]
fn an_unknown_target_is_an_error() {
    let files = [("t.table", "[Code|Properties]\n".into())];
    let (outcome, folder) = filter(&files, &["-target=nonesuch", "t.table", "-o", "out.table"]);
    assert!(!outcome.success);
    let start = "sycl-aspect-filter: error: unknown device target 'nonesuch': expected 'spir64'";
    assert!(outcome.stderr.starts_with(start), "{}", outcome.stderr);
    assert!(!folder.path().join("out.table").exists());
}

#[test]
fn code_without_requirements_stays() {
    assert!(stays(&[], "intel_gpu_dg1"));
    let files = [
        ("t.table", "[Code|Properties]\na.bc|a.prop\n".to_owned()),
        ("a.prop", "[SYCL/other]\naspect=1|6\n".to_owned()),
    ];
    let (outcome, _folder) = filter(&files, &["-target=intel_gpu_dg1", "t.table"]);
    assert_eq!(outcome.stdout, files[0].1);
}

#[test]
fn every_aspect_must_be_there() {
    assert!(stays(&[("aspect", &[FP16, FP64])], "intel_gpu_pvc"));
    assert!(!stays(&[("aspect", &[FP16, FP64])], "intel_gpu_dg1"));
    assert!(!stays(&[("aspect", &[4_000_000_000])], "intel_gpu_pvc"));
    assert!(stays(&[("aspect", &[])], "intel_gpu_dg1"));
}

#[test]
fn every_sub_group_size_must_be_there() {
    assert!(stays(&[("reqd_sub_group_size", &[8, 32])], "intel_gpu_9_0_9"));
    assert!(!stays(&[("reqd_sub_group_size", &[8, 32])], "intel_gpu_pvc"));
}

#[test]
fn one_of_the_fixed_targets_must_be_the_target() {
    let fixed = [Aspect::ExtIntelGpuSkl as u32, Aspect::ExtIntelGpuPvc as u32];
    assert!(stays(&[("fixed_target", &fixed)], "intel_gpu_skl"));
    assert!(!stays(&[("fixed_target", &fixed)], "intel_gpu_kbl"));
    assert!(!stays(&[("fixed_target", &[])], "intel_gpu_skl"));
    assert!(stays(&[("fixed_target", &[Aspect::ExtIntelX86_64 as u32])], "x86_64"));
}

#[test]
fn all_checks_must_pass() {
    let fixed = [Aspect::ExtIntelGpuPvc as u32];
    assert!(stays(
        &[("aspect", &[FP64]), ("reqd_sub_group_size", &[16]), ("fixed_target", &fixed)],
        "intel_gpu_pvc"
    ));
    assert!(!stays(
        &[("aspect", &[FP64]), ("reqd_sub_group_size", &[8]), ("fixed_target", &fixed)],
        "intel_gpu_pvc"
    ));
}

#[test]
fn required_work_group_sizes_are_the_run_times_business() {
    assert!(stays(&[("reqd_work_group_size", &[1, 1_000_000])], "intel_gpu_dg1"));
}

#[test]
fn what_a_target_may_support_is_not_removed() {
    assert!(stays(&[("aspect", &[FP64]), ("reqd_sub_group_size", &[8])], "spir64"));
}

#[test]
fn rows_keep_their_order_and_columns_and_removed_ones_are_told() {
    let table =
        "[Symbols|Properties|Code]\n0.sym|64.prop|0.bc\n1.sym|16.prop|1.bc\n2.sym|64.prop|2.bc\n";
    let files = [
        ("t.table", table.to_owned()),
        ("64.prop", needs(&[("aspect", &[FP64])])),
        ("16.prop", needs(&[("aspect", &[FP16])])),
    ];
    let args = [
        "--target=intel_gpu_dg1",
        "t.table",
        "-o",
        "out.table",
        "--filtered=removed.table",
        "--remarks",
    ];
    let (outcome, folder) = filter(&files, &args);
    assert!(outcome.success, "{}", outcome.stderr);
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the tool wrote it");
    assert_eq!(read("out.table"), "[Symbols|Properties|Code]\n1.sym|16.prop|1.bc\n");
    assert_eq!(
        read("removed.table"),
        "[Symbols|Properties|Code]\n0.sym|64.prop|0.bc\n2.sym|64.prop|2.bc\n"
    );
    // The properties of what was removed are still there, for an image without code.
    assert!(Path::new(&folder.path().join("64.prop")).exists());
    assert_eq!(outcome.stderr, "64.prop: remark: not for target 'intel_gpu_dg1': fp64\n".repeat(2));
}

#[test]
fn when_nothing_fits_the_table_is_empty() {
    assert!(!stays(&[("aspect", &[Aspect::Cpu as u32])], "intel_gpu_dg1"));
}

#[test]
fn a_users_configuration_counts() {
    let files = [
        ("t.table", "[Code|Properties]\na.bc|a.prop\n".to_owned()),
        ("a.prop", needs(&[("aspect", &[FP64])])),
        (
            "c.yaml",
            "intel_gpu_dg1:\n  aspects: [gpu, fp64]\nnew:\n  aspects: [6]\nnew:\n  aspects: \
             [fp64]\n"
                .to_owned(),
        ),
    ];
    for target in ["intel_gpu_dg1", "new"] {
        let (outcome, _folder) = filter(
            &files,
            &[&format!("-target={target}"), "-device-config-file=c.yaml", "t.table"],
        );
        assert_eq!(outcome.stdout, files[0].1, "{}", outcome.stderr);
        assert!(outcome.stderr.starts_with("c.yaml:5:1: warning: target 'new' is described twice"));
    }
}

/// Files, arguments, and how the message begins.
type Mistake<'a> = (&'a [(&'a str, String)], &'a [&'a str], &'a str);

#[test]
fn mistakes_are_named_and_leave_nothing_behind() {
    let table = ("t.table", "[Code|Properties]\na.bc|a.prop\n".to_owned());
    let bad_property = needs(&[("aspect", &[1])]).replace("IAAAAAAAAAABAAAA", "GAAAAAAAAAABAAA=");
    let cases: [Mistake; 6] = [
        (
            &[],
            &["-target=spir64", "t.table"],
            "t.table: error: cannot read: No such file or directory [scythe-E0331]\n",
        ),
        (
            &[("t.table", "x\n".into())],
            &["-target=spir64", "t.table"],
            "t.table: error: line 1: expected the columns",
        ),
        (
            std::slice::from_ref(&table),
            &["t.table"],
            "sycl-aspect-filter: error: option '--target' is missing [scythe-E0306]\n",
        ),
        (
            std::slice::from_ref(&table),
            &["-target=spir64", "t.table"],
            "a.prop: error: cannot read",
        ),
        (
            &[table.clone(), ("a.prop", bad_property)],
            &["-target=spir64", "t.table"],
            "a.prop: error: the property 'aspect' of set SYCL/device requirements has 3 bytes, \
             expected a multiple of 4 [scythe-E0335]\n",
        ),
        (
            &[table.clone(), ("a.prop", String::new()), ("c.yaml", "a: [\n".into())],
            &["-target=spir64", "-device-config-file=c.yaml", "t.table"],
            "c.yaml:1:4: error: found a list, expected the keys of target 'a' [scythe-E0516]\n",
        ),
    ];
    for (files, args, expected) in cases {
        let (outcome, folder) = filter(files, &[args, &["-o", "out.table"]].concat());
        assert!(
            !outcome.success && outcome.stderr.starts_with(expected),
            "{args:?}: {}",
            outcome.stderr
        );
        assert!(!folder.path().join("out.table").exists());
    }
}
