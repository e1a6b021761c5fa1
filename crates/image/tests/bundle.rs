//! Tests fat objects with the stock tools and linkers.

use proptest::prelude::*;
use scythe_image::{archive, bundle};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const HOST: &str = "host-x86_64-unknown-linux-gnu-";
const SPIRV: &str = "sycl-spirv64-unknown-unknown";
const NVPTX: &str = "sycl-nvptx64-nvidia-cuda";

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Compiles a host object in which `main` calls a function of another section and a string has
    /// its own section.
    fn host_object(&self, flags: &[&str]) -> Vec<u8> {
        let source = self.write(
            "host.c",
            "#include <stdio.h>\nint main(void) { puts(\"host runs\"); return 0; }\n",
        );
        let object = self.path("host.o");
        run(Command::new("clang-22")
            .args(["-c", "-ffunction-sections"])
            .args(flags)
            .arg(source)
            .arg("-o")
            .arg(&object));
        fs::read(object).unwrap()
    }

    fn fat_object(&self) -> PathBuf {
        let host = self.host_object(&[]);
        let fat =
            bundle::bundle(&host, &[(SPIRV.into(), b"BC\xc0\xdespirv"), (NVPTX.into(), b"ptx")])
                .unwrap();
        self.write("fat.o", fat)
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn targets(object: &[u8]) -> Vec<String> {
    bundle::list(object).unwrap().iter().map(|bundle| bundle.target.to_owned()).collect()
}

#[test]
fn bundles_are_listed_and_extracted() {
    let files = Files::new();
    let fat = fs::read(files.fat_object()).unwrap();
    assert_eq!(targets(&fat), [HOST, SPIRV, NVPTX]);
    assert_eq!(bundle::extract(&fat, SPIRV).unwrap().unwrap(), b"BC\xc0\xdespirv");
    assert_eq!(bundle::extract(&fat, "sycl-other").unwrap(), None);
    let triples: Vec<_> =
        bundle::list(&fat).unwrap().iter().filter_map(|bundle| bundle.device_triple()).collect();
    assert_eq!(triples, ["spirv64-unknown-unknown", "nvptx64-nvidia-cuda"]);
}

#[test]
fn stock_tools_see_the_same_bundles() {
    let files = Files::new();
    let fat = files.fat_object();
    let listed = run(Command::new("clang-offload-bundler-22")
        .arg("-type=o")
        .arg("-list")
        .arg(format!("-input={}", fat.display())));
    let mut listed: Vec<&str> = listed.lines().collect();
    listed.sort();
    assert_eq!(listed, [HOST, NVPTX, SPIRV]);
    let dumped = files.path("dumped");
    run(Command::new("llvm-objcopy-22")
        .arg(format!("--dump-section=__CLANG_OFFLOAD_BUNDLE__{SPIRV}={}", dumped.display()))
        .arg(&fat)
        .arg("/dev/null"));
    assert_eq!(fs::read(dumped).unwrap(), b"BC\xc0\xdespirv");
    run(Command::new("readelf").args(["-aW"]).arg(&fat));
}

#[test]
fn linkers_take_a_fat_object_and_drop_the_device_code() {
    let files = Files::new();
    let fat = files.fat_object();
    for linker in ["bfd", "lld"] {
        let program = files.path(linker);
        let link =
            format!("-fuse-ld={}", if linker == "lld" { "/usr/bin/ld.lld-22" } else { linker });
        run(Command::new("clang-22").arg(link).arg(&fat).arg("-o").arg(&program));
        assert_eq!(run(&mut Command::new(&program)), "host runs\n");
        let bytes = fs::read(&program).unwrap();
        assert!(
            !bytes.windows(9).any(|window| window == b"BC\xc0\xdespirv"),
            "{linker} kept the device code"
        );
    }
}

#[test]
fn other_compilers_objects_work_as_well() {
    let files = Files::new();
    let host = files.host_object(&["-g", "-O2"]);
    let stripped = files.path("stripped.o");
    run(Command::new("llvm-objcopy-22").arg("-g").arg(files.path("host.o")).arg(&stripped));
    let fat = bundle::bundle(&fs::read(stripped).unwrap(), &[(SPIRV.into(), b"x")]).unwrap();
    assert_eq!(bundle::extract(&fat, SPIRV).unwrap().unwrap(), b"x");
    let many = bundle::bundle(&host, &[(SPIRV.into(), b"x")]).unwrap();
    let program = files.path("program");
    run(Command::new("cc").arg(files.write("many.o", many)).arg("-o").arg(&program));
    assert_eq!(run(&mut Command::new(&program)), "host runs\n");
}

#[test]
fn a_target_can_be_added_later_but_only_once() {
    let files = Files::new();
    let fat = bundle::bundle(&files.host_object(&[]), &[(SPIRV.into(), b"one")]).unwrap();
    let more = bundle::bundle(&fat, &[(NVPTX.into(), b"two")]).unwrap();
    assert_eq!(targets(&more), [HOST, SPIRV, NVPTX]);
    let error = |parts: &[(String, &[u8])]| bundle::bundle(&fat, parts).unwrap_err().to_string();
    assert_eq!(
        error(&[(SPIRV.into(), b"")]),
        format!("the object already contains a bundle for '{SPIRV}'")
    );
    assert_eq!(
        error(&[(NVPTX.into(), b""), (NVPTX.into(), b"")]),
        format!("there are two bundles for '{NVPTX}', expected one")
    );
    assert_eq!(
        error(&[("sycl".into(), b"")]),
        "'sycl' is not a target: expected a kind and a triple, for example \
         'sycl-spirv64-unknown-unknown'"
    );
}

#[test]
fn what_is_no_object_is_refused_with_the_reason() {
    let files = Files::new();
    let error = |bytes: &[u8]| bundle::list(bytes).unwrap_err().to_string();
    assert_eq!(error(b"!<arch>\n"), "not an ELF file: it starts with \"!<ar\"");
    let host = files.host_object(&[]);
    assert_eq!(error(&host[..30]), "ELF header spans bytes 0 to 0 + 64, beyond the file's 30");
    let mut executable = host.clone();
    executable[16] = 2;
    assert_eq!(error(&executable), "ELF file has type 2, expected 1 (relocatable object)");
    let mut narrow = host.clone();
    narrow[4] = 1;
    assert_eq!(
        error(&narrow),
        "ELF file has class 1 and byte order 1, expected 2 (64 bits) and 1 (little-endian)"
    );
}

#[test]
fn a_section_table_inside_the_header_does_no_harm() {
    let mut bytes = vec![0; 128];
    bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
    bytes[16] = 1;
    bytes[18] = 62;
    bytes[58] = 64;
    for table in 1..=64u8 {
        bytes[40] = table;
        for (count, names) in [(1, 0), (1, 1), (2, 1), (0, 1)] {
            bytes[60] = count;
            bytes[62] = names;
            let whole = usize::from(table) + 64 * usize::from(count).max(1);
            bytes.resize(whole, 0);
            let _ = bundle::bundle(&bytes, &[(SPIRV.into(), b"code")]);
        }
    }
}

#[test]
fn fat_objects_in_archives_keep_their_bundles() {
    let files = Files::new();
    let fat = files.fat_object();
    let plain = files.path("host.o");
    let members = |archive: &Path| -> Vec<(String, bool)> {
        let bytes = fs::read(archive).unwrap();
        assert!(archive::is_archive(&bytes));
        archive::members(&bytes)
            .unwrap()
            .into_iter()
            .map(|member| {
                (
                    member.name.to_owned(),
                    member.data.is_some_and(|data| bundle::list(data).unwrap().len() == 3),
                )
            })
            .collect()
    };
    let archive = files.path("libfat.a");
    run(Command::new("ar").arg("rcs").arg(&archive).args([&fat, &plain]));
    assert_eq!(members(&archive), [("fat.o".into(), true), ("host.o".into(), false)]);
    let thin = files.path("libthin.a");
    run(Command::new("ar")
        .current_dir(files.0.path())
        .arg("rcsT")
        .arg(&thin)
        .args(["fat.o", "host.o"]));
    assert_eq!(members(&thin), [("fat.o".into(), false), ("host.o".into(), false)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutated_objects_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = FAT.with(Clone::clone);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = bundle::list(&bytes);
        let _ = bundle::bundle(&bytes, &[("sycl-new".into(), b"code")]);
    }

    #[test]
    fn headers_and_section_tables_are_never_trusted(at in 0usize..64, value in prop::sample::select(&[0u8, 1, 0x7f, 0x80, 0xff][..])) {
        let mut bytes = FAT.with(Clone::clone);
        let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
        for start in [0, table, table + 64, bytes.len() - 64] {
            let kept = bytes[start + at];
            bytes[start + at] = value;
            let _ = bundle::list(&bytes);
            let _ = bundle::bundle(&bytes, &[("sycl-new".into(), b"code")]);
            bytes[start + at] = kept;
        }
    }

    #[test]
    fn any_bytes_are_an_archive_or_refused(tail: Vec<u8>) {
        let _ = archive::members(&[b"!<arch>\n", &tail[..]].concat());
        let _ = archive::members(&[b"!<thin>\n", &tail[..]].concat());
    }
}

thread_local! {
    static FAT: Vec<u8> = {
        let files = Files::new();
        fs::read(files.fat_object()).unwrap()
    };
}
