//! Tests wrapped objects in real programs and libraries: registration must run at the right time,
//! with the right images.

use scythe_image::{Format, Image, Manifest};
use scythe_wrap::{Machine, Options, wrap};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A runtime that prints each call, with the number of images and the first bytes and size of each
/// image.
const RUNTIME: &str = r#"
#include <stdint.h>
#include <stdio.h>
struct image { const char *start, *end; };
struct desc { int32_t count; struct image *images; };
static void show(const char *what, struct desc *desc) {
  printf("%s %d", what, desc->count);
  for (int i = 0; i < desc->count; ++i)
    printf(" %.8s+%ld%s", desc->images[i].start, (long)(desc->images[i].end - desc->images[i].start),
           (uintptr_t)desc->images[i].start % 16 ? " unaligned" : "");
  printf("\n");
  fflush(stdout);
}
void __tgt_register_lib(struct desc *desc) { show("reg", desc); }
void __tgt_unregister_lib(struct desc *desc) { show("unreg", desc); }
void other_reg(struct desc *desc) { show("other reg", desc); }
void other_unreg(struct desc *desc) { show("other unreg", desc); }
"#;

/// A program with constructors and destructors of every priority that it may use.
const MAIN: &str = r#"
#include <stdio.h>
#define SAY(text) do { puts(text); fflush(stdout); } while (0)
__attribute__((constructor(101))) static void early(void) { SAY("constructor 101"); }
__attribute__((constructor)) static void usual(void) { SAY("constructor"); }
__attribute__((destructor(101))) static void late(void) { SAY("destructor 101"); }
int main(void) { SAY("main"); return 0; }
"#;

const ORDER: [&str; 4] = ["constructor 101", "constructor", "main", "destructor 101"];

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(TempDir::new().unwrap());
        files.write("runtime.c", RUNTIME);
        files.write("main.c", MAIN);
        files
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn wrapped(&self, name: &str, images: &[Image]) -> PathBuf {
        self.write(name, wrap(images, &Options::new(Machine::X86_64)).unwrap())
    }

    /// Runs a compiler in the folder.
    fn compile(&self, compiler: &str, args: &[&str]) {
        run(Command::new(compiler).current_dir(self.0.path()).args(args));
    }

    fn run(&self, program: &str) -> Vec<String> {
        let path = self.0.path();
        run(Command::new(path.join(program)).current_dir(path)).lines().map(str::to_owned).collect()
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{stderr}");
    assert!(!stderr.contains("warning"), "{command:?}\n{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn image(code: &[u8]) -> Image {
    Image {
        target: "spirv64-unknown-unknown".into(),
        format: Format::LlvmBitcode,
        options: String::new(),
        manifest: Manifest::default(),
        symbols: vec!["_ZTS1K".into()],
        code: code.to_vec(),
    }
}

fn expected_call(what: &str, images: &[Image]) -> String {
    let sizes: String =
        images.iter().map(|image| format!(" SCYTHEIM+{}", image.to_bytes().len())).collect();
    format!("{what} {}{sizes}", images.len())
}

#[test]
fn registration_comes_before_constructors_and_after_destructors() {
    let files = Files::new();
    let images = [image(b"one"), image(b"another one")];
    files.wrapped("wrapped.o", &images);
    let expected: Vec<String> = std::iter::once(expected_call("reg", &images))
        .chain(ORDER.map(str::to_owned))
        .chain([expected_call("unreg", &images)])
        .collect();
    let ways: &[(&str, &[&str])] = &[
        ("cc", &["-pie", "-fPIE"]),
        ("cc", &["-no-pie"]),
        ("cc", &["-static"]),
        ("cc", &["-static-pie", "-fPIE"]),
        ("cc", &["-Wl,--gc-sections,-z,relro,-z,now"]),
        ("clang-22", &["-fuse-ld=/usr/bin/ld.lld-22", "-pie", "-fPIE"]),
        ("clang-22", &["-fuse-ld=/usr/bin/ld.lld-22", "-no-pie", "-Wl,--gc-sections"]),
    ];
    for (compiler, flags) in ways {
        files.compile(
            compiler,
            &[*flags, &["main.c", "wrapped.o", "runtime.c", "-o", "program"]].concat(),
        );
        assert_eq!(files.run("program"), expected, "{compiler} {flags:?}");
    }
}

#[test]
fn the_symbols_of_the_specification_are_in_the_object() {
    let files = Files::new();
    let object = files.wrapped("wrapped.o", &[image(b"code")]);
    let symbols = run(Command::new("readelf").args(["-sW"]).arg(&object));
    let kind = |name: &str| {
        let line = symbols
            .lines()
            .find(|line| line.ends_with(&format!(" {name}")))
            .unwrap_or_else(|| panic!("{name}\n{symbols}"));
        let fields: Vec<&str> = line.split_whitespace().collect();
        format!("{} {}", fields[3], fields[4])
    };
    assert_eq!(kind(".sycl_offloading.descriptor"), "OBJECT LOCAL");
    assert_eq!(kind(".sycl_offloading.descriptor_reg"), "FUNC LOCAL");
    assert_eq!(kind(".sycl_offloading.descriptor_unreg"), "FUNC LOCAL");
    assert_eq!(kind("__tgt_register_lib"), "NOTYPE GLOBAL");
    assert_eq!(kind("__tgt_unregister_lib"), "NOTYPE GLOBAL");
}

#[test]
fn several_wrapped_objects_live_in_one_program() {
    let files = Files::new();
    let (first, second) = ([image(b"first")], [image(b"the second")]);
    files.wrapped("a.o", &first);
    files.wrapped("b.o", &second);
    files.compile("cc", &["main.c", "a.o", "b.o", "runtime.c", "-o", "program"]);
    let lines = files.run("program");
    for images in [&first, &second] {
        for what in ["reg", "unreg"] {
            assert_eq!(
                lines.iter().filter(|line| **line == expected_call(what, images)).count(),
                1,
                "{lines:?}"
            );
        }
    }
}

#[test]
fn a_library_registers_when_opened_and_unregisters_when_closed() {
    let files = Files::new();
    let images = [image(b"library")];
    files.wrapped("wrapped.o", &images);
    files.write(
        "open.c",
        "#include <dlfcn.h>\n#include <stdio.h>\n#define SAY(t) do { puts(t); fflush(stdout); } \
         while (0)\n\
         int main(void) {\n  SAY(\"open\");\n  void *lib = dlopen(\"./lib.so\", RTLD_NOW);\n\
         if (!lib) { puts(dlerror()); return 1; }\n  SAY(\"close\");\n  dlclose(lib);\n  \
         SAY(\"end\");\n  return 0;\n}\n",
    );
    for flags in [&["cc", "-Wl,-z,now"][..], &["clang-22", "-fuse-ld=/usr/bin/ld.lld-22"]] {
        files.compile(flags[0], &[flags[1], "-shared", "wrapped.o", "-o", "lib.so"]);
        files.compile("cc", &["open.c", "runtime.c", "-rdynamic", "-ldl", "-o", "open"]);
        let expected = [
            "open",
            &expected_call("reg", &images),
            "close",
            &expected_call("unreg", &images),
            "end",
        ];
        assert_eq!(files.run("open"), expected);
    }
}

#[test]
fn the_functions_called_can_be_named() {
    let files = Files::new();
    let options = Options {
        register: "other_reg".into(),
        unregister: "other_unreg".into(),
        ..Options::new(Machine::X86_64)
    };
    files.write("wrapped.o", wrap(&[], &options).unwrap());
    files.compile("cc", &["main.c", "wrapped.o", "runtime.c", "-o", "program"]);
    let lines = files.run("program");
    assert_eq!(
        (lines.first().unwrap().as_str(), lines.last().unwrap().as_str()),
        ("other reg 0", "other unreg 0")
    );
    let bad = Options { register: String::new(), ..options };
    assert_eq!(
        wrap(&[], &bad).unwrap_err().to_string(),
        "'' cannot be the name of a function: it is empty or contains a NUL character"
    );
}

#[test]
fn the_stack_stays_unexecutable_and_branch_protection_on() {
    let files = Files::new();
    files.wrapped("wrapped.o", &[image(b"code")]);
    files.write("runtime.c", RUNTIME);
    files.compile("cc", &["-c", "-fcf-protection=full", "runtime.c", "-o", "runtime.o"]);
    files.compile("ld", &["-r", "wrapped.o", "runtime.o", "-o", "both.o"]);
    let notes = run(Command::new("readelf").arg("-nW").arg(files.0.path().join("both.o")));
    assert!(notes.contains("x86 feature: IBT, SHSTK"), "{notes}");
    files.compile("cc", &["main.c", "wrapped.o", "runtime.c", "-o", "program"]);
    let segments = run(Command::new("readelf").arg("-lW").arg(files.0.path().join("program")));
    assert!(
        segments.lines().any(|line| line.contains("GNU_STACK") && line.contains("RW ")),
        "{segments}"
    );
}

#[test]
fn aarch64_objects_have_the_same_parts() {
    let files = Files::new();
    let object =
        files.write("wrapped.o", wrap(&[image(b"code")], &Options::new(Machine::Aarch64)).unwrap());
    let code = run(Command::new("llvm-objdump-22")
        .args(["-dr", "--mattr=+bti", "--no-show-raw-insn"])
        .arg(&object));
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "<.sycl_offloading.descriptor_reg>: 0: bti c 4: adrp x0,",
        "R_AARCH64_ADR_PREL_PG_HI21 .sycl_offloading.descriptor 8: add x0, x0, #0x0",
        "R_AARCH64_ADD_ABS_LO12_NC .sycl_offloading.descriptor c: b ",
        "R_AARCH64_JUMP26 __tgt_register_lib",
    ] {
        assert!(code.contains(part), "{part}\n{code}");
    }
    let runtime = files.write(
        "runtime.s",
        ".globl __tgt_register_lib, \
         __tgt_unregister_lib\n__tgt_register_lib:\n__tgt_unregister_lib:\nret\n",
    );
    let runtime_object = files.0.path().join("runtime.o");
    run(Command::new("clang-22")
        .args(["--target=aarch64-linux-gnu", "-c"])
        .arg(runtime)
        .arg("-o")
        .arg(&runtime_object));
    run(Command::new("ld.lld-22")
        .args(["-shared", "-o"])
        .arg(files.0.path().join("lib.so"))
        .args([&object, &runtime_object]));
}

#[test]
fn equal_images_give_equal_objects() {
    let make = || wrap(&[image(b"code")], &Options::new(Machine::X86_64)).unwrap();
    assert_eq!(make(), make());
}

#[test]
fn machines_are_found_by_triple() {
    assert_eq!(Machine::from_triple("x86_64-unknown-linux-gnu"), Some(Machine::X86_64));
    assert_eq!(Machine::from_triple("aarch64-linux-gnu"), Some(Machine::Aarch64));
    assert_eq!(Machine::from_triple("riscv64-linux-gnu"), None);
}
