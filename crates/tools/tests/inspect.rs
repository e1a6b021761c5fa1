//! `inspect` tells what a file holds, as text, JSON and HTML, of hand-made images. What it says of
//! real objects, libraries and programs, end-to-end tests show.

use scythe_abi::aspect::Aspect;
use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_abi::requirements::Requirements;
use scythe_image::manifest::{EntryPoint, Import};
use scythe_image::{Format, Image, Manifest};
use std::process::{Command, Output};
use tempfile::TempDir;

/// An image of one kernel that needs double precision because of a helper, and work-groups of 512.
fn image() -> Image {
    let launch = KernelLaunch {
        shape: Shape::NdRange,
        functor_size: 24,
        file: "a.cpp".into(),
        line: 12,
        column: 5,
        identity: 1,
        params: vec![Param::pointer(ParamKind::Pointer, 0)],
        function: None,
    };
    let manifest = Manifest {
        entry_points: vec![EntryPoint {
            symbol: "_ZTS1KIiE".into(),
            launch: Some(launch),
            aspect_origins: AspectOrigin::parse(
                "fp64\tK<int>::operator()@a.cpp:20:5\thelper<a&b>@b.hpp:8:10",
            )
            .into_iter()
            .collect(),
            ..EntryPoint::default()
        }],
        requirements: Requirements {
            aspects: Some(vec![Aspect::Fp64 as u32]),
            sub_group_sizes: Some(vec![16]),
            work_group_sizes: Some(vec![vec![16, 32]]),
            fixed_targets: None,
        },
        imports: vec![Import { symbol: "_Z3fooi".into(), conditions: Vec::new() }],
        ..Manifest::default()
    };
    Image {
        target: "spirv64-unknown-unknown".into(),
        format: Format::LlvmBitcode,
        options: "-O2".into(),
        manifest,
        symbols: vec!["_ZTS1KIiE".into()],
        code: vec![1, 2, 3],
    }
}

/// Runs the tool on a file with these bytes.
fn inspect(bytes: &[u8], args: &[&str]) -> (Output, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("app"), bytes).expect("files can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_scythe-tools"));
    let output = command.args(["inspect", "app", "--no-compile"]).args(args);
    let output = output.current_dir(folder.path()).output();
    (output.expect("the tool starts"), folder)
}

fn shown(bytes: &[u8], args: &[&str]) -> String {
    let (output, _folder) = inspect(bytes, args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn names_do_not_control_the_terminal() {
    let mut image = image();
    image.manifest.entry_points[0].symbol = "K\u{1b}[2J".into();
    image.symbols[0] = image.manifest.entry_points[0].symbol.clone();
    image.manifest.imports[0].symbol = "f\u{7}".into();
    let (output, _folder) = inspect(&image.to_bytes(), &[]);
    let text = String::from_utf8(output.stdout).expect("it is text");
    assert!(text.contains("K\\u{1b}[2J") && text.contains("f\\u{7}"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
}

#[test]
fn text_tells_kernels_needs_reasons_and_devices() {
    let text = shown(&image().to_bytes(), &[]);
    let (before, devices) = text.split_once("  runs on ").expect("devices are listed");
    assert_eq!(
        before,
        "app: 1 device image, 1 kernel\n  spirv64-unknown-unknown: 3 bytes\n\
         \n\
         image 0: spirv64-unknown-unknown, llvmbc, 3 bytes\n  options: -O2\n  \
         needs: fp64, sub-group size 16, work-group size 16×32\n  imports: foo(int)\n  kernel \
         K<int>\n    \
         nd_range, a.cpp:12:5, 1 parameter\n    \
         fp64: K<int>::operator() (a.cpp:20:5) → helper<a&b> (b.hpp:8:10)\n"
    );
    let (runs, others) = devices.split_once("  lacks ").expect("some devices lack something");
    assert!(runs.contains("intel_gpu_pvc") && runs.contains("x86_64_avx2"), "{runs}");
    assert!(!runs.contains("intel_gpu_dg1") && !runs.contains("nvidia_gpu_sm_90"), "{runs}");
    for expected in
        ["fp64: ", "lacks sub-group size 16: ", "lacks work-groups of 512 (at most 256): "]
    {
        assert!(others.contains(expected), "{others}");
    }
}

#[test]
fn images_are_found_inside_of_other_files() {
    let mut bytes = b"\x7fELF and so on SCYTHEIM but not an image".to_vec();
    bytes.extend(image().to_bytes());
    bytes.extend(b"something else");
    bytes.extend(
        Image { format: Format::Empty, target: "intel_gpu_dg1".into(), ..image() }.to_bytes(),
    );
    let text = shown(&bytes, &[]);
    assert!(text.starts_with("app: 2 device images, 1 kernel\n"), "{text}");
    let (_, left_out) =
        text.split_once("\nimage 1: intel_gpu_dg1, empty, 3 bytes\n").expect("the second is told");
    assert!(left_out.contains("  runs on 0 of "), "{text}");
}

#[test]
fn json_tells_the_same() {
    let report: serde_json::Value =
        serde_json::from_str(&shown(&image().to_bytes(), &["--json"])).unwrap();
    let image = &report["images"][0];
    assert_eq!(report["version"], 1);
    assert_eq!(image["requirements"]["aspect"], serde_json::json!([6]));
    assert_eq!(image["requirements"]["reqd_work_group_size"], serde_json::json!([[16, 32]]));
    assert_eq!(image["requirements"]["fixed_target"], serde_json::Value::Null);
    let kernel = &image["kernels"][0];
    assert_eq!(
        (kernel["name"].as_str(), kernel["location"].as_str()),
        (Some("K<int>"), Some("a.cpp:12:5"))
    );
    assert_eq!(kernel["aspects"][0]["chain"][1]["function"], "helper<a&b>");
    assert_eq!(kernel["aspects"][0]["chain"][1]["location"], "b.hpp:8:10");
    let devices = image["devices"].as_array().unwrap();
    let of = |name: &str| devices.iter().find(|device| device["name"] == name).unwrap();
    assert_eq!(of("intel_gpu_pvc")["verdict"], "runs");
    assert_eq!(
        of("intel_gpu_dg1"),
        &serde_json::json!({"name": "intel_gpu_dg1", "verdict": "lacks", "reason": "fp64"})
    );
}

#[test]
fn html_is_one_page_that_needs_nothing_else() {
    let page = shown(&image().to_bytes(), &["--html"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(
        !page.contains("http")
            && !page.contains("<script")
            && !page.contains("src=")
            && !page.contains("@import")
    );
    assert!(
        page.contains("<code>K&lt;int&gt;</code>") && page.contains("helper&lt;a&amp;b&gt;"),
        "{page}"
    );
    for tag in [
        "section", "article", "ul", "ol", "li", "dl", "dd", "dt", "i", "p", "h3", "code", "div",
        "main", "body",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn users_devices_are_judged_too() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.yaml");
    std::fs::write(&config, "mine:\n  aspects: [gpu, fp64]\n  sub-group-sizes: [16]\n").unwrap();
    let text = shown(&image().to_bytes(), &[&format!("--device-config-file={}", config.display())]);
    let runs = text.split("  lacks ").next().unwrap();
    assert!(runs.contains(" mine"), "{text}");
}

#[test]
fn an_output_file_is_written_whole_or_not_at_all() {
    let (output, folder) = inspect(&image().to_bytes(), &["--html", "-o", "page.html"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(
        std::fs::read_to_string(folder.path().join("page.html")).unwrap().ends_with("</html>\n")
    );
}

#[test]
fn mistakes_are_named() {
    let error = |bytes: &[u8], args: &[&str]| {
        let (output, _folder) = inspect(bytes, args);
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(
        error(b"nothing here", &[]),
        "app: error: no device image, and no bundle of device code [scythe-E0336]\n"
    );
    assert_eq!(
        error(b"", &[]),
        "app: error: no device image, and no bundle of device code [scythe-E0336]\n"
    );
    let mut damaged = image().to_bytes();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert!(error(&damaged, &[]).starts_with("app: error: device image checksum "));
    assert_eq!(
        error(&damaged[..last], &[]),
        format!(
            "app: error: device image truncated at byte {last}: expected {} bytes for the whole \
             image [scythe-E0335]\n",
            last + 1
        )
    );
    assert_eq!(
        error(b"", &["--json", "--html"]),
        "inspect: error: both --json and --html: expected one [scythe-E0314]\n"
    );
}

/// Runs the tool on a path.
fn inspect_path(path: &std::path::Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scythe-tools"));
    command.arg("inspect").arg(path).output().expect("the tool starts")
}

#[test]
fn what_is_not_a_file_is_refused() {
    let refused = |path: &str| {
        let output = inspect_path(path.as_ref());
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(
        refused("/dev/zero"),
        "/dev/zero: error: it is a device, expected a file with device code [scythe-E0346]\n"
    );
    assert!(refused("/").contains("it is a folder without entries of the cache"));
    assert!(refused("/nowhere").contains("/nowhere: error: cannot read: No such file"));
}

#[test]
fn random_bytes_are_no_device_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ä b");
    let mut state = 1u64;
    for start in ["", "\x7fELF\x02\x01\x01", "!<arch>\n", "!<thin>\n", "SCYTHEIM", "SCYTHOBJ", "BC"]
    {
        for length in [0, 1, 20, 100, 5000] {
            let random = (0..length).map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            });
            let bytes: Vec<u8> = start.bytes().chain(random).collect();
            std::fs::write(&file, &bytes).unwrap();
            let output = inspect_path(&file);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{start:?} and {length}: {message}");
            assert_eq!(message.matches("error: ").count(), 1, "{start:?} and {length}: {message}");
        }
    }
}

#[test]
fn code_that_cannot_be_compiled_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("app");
    std::fs::write(&file, image().to_bytes()).unwrap();
    let output = inspect_path(&file);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("    this CPU: cannot be compiled: "), "{text}");
}

#[test]
fn the_same_file_gives_the_same_report() {
    let bytes = image().to_bytes();
    for args in [&[][..], &["--json"], &["--html"]] {
        assert_eq!(shown(&bytes, args), shown(&bytes, args));
    }
}
