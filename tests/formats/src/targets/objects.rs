//! ELF files and archives.

use object::write::{Object, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};
use scythe_image::cpu_report::{self, CpuKernel, Report, Stack};
use scythe_image::{archive, bundle, cubin, intel_gpu, linked, unit};
use scythe_wrap::{Machine, SourceFile, SourceLines};

use super::images::images;
use super::{Target, error};

const TARGET: &str = "sycl-spir64-unknown-unknown";

pub fn targets() -> Vec<Target> {
    vec![
        Target {
            name: "fat-object",
            about: "objects with device code, lists of kernels and identities of units",
            seeds: fat_objects,
            words: &[
                b"\x7fELF",
                b"__CLANG_OFFLOAD_BUNDLE__sycl-spir64-unknown-unknown\0",
                b"\x40\0",
                b"\xff\xff",
            ],
            is_program: false,
            seal: None,
            read: fat_object,
        },
        Target {
            name: "archive",
            about: "static libraries with device code",
            seeds: || {
                let members: [(String, &[u8]); 3] = [
                    ("a.o".into(), b"BC\xc0\xde1234"),
                    ("a-name-that-is-longer-than-the-header.o".into(), b"odd"),
                    ("b/c.o".into(), b""),
                ];
                vec![
                    archive::write(&members),
                    b"!<thin>\n//                                              8         `\nab.o/\
                      \n\n\n/0              0           0     0     644     4         `\n"
                        .to_vec(),
                ]
            },
            words: &[b"!<arch>\n", b"!<thin>\n", b"`\n", b"//  ", b"/SYM64/", b"#1/20", b"/0   "],
            is_program: false,
            seal: None,
            read: |bytes| {
                let members = archive::members(bytes);
                if let (Ok(members), Some(numbered)) = (&members, archive::numbered(bytes)) {
                    let names = archive::members(&numbered).expect("it stays an archive");
                    assert!(
                        (0..members.len())
                            .map(|at| at.to_string())
                            .eq(names.iter().map(|member| member.name.to_owned()))
                    );
                }
                error(&members)
            },
        },
        Target {
            name: "cubin",
            about: "machine code of NVIDIA GPUs",
            seeds: || vec![machine_code_of_nvidia()],
            words: &[b"\x7fELF", b".nv.info\0", b".nv.shared.\0", b"\x04\x2f\x08\0", b"\x04\x11"],
            is_program: false,
            seal: None,
            read: |bytes| found(cubin::kernels(bytes).map(|kernels| kernels.len())),
        },
        Target {
            name: "intel-gpu",
            about: "machine code of Intel GPUs: zebin and patch tokens",
            seeds: || vec![zebin(), patch_tokens()],
            words: &[
                b"\x7fELF",
                b"kernels:\n",
                b"  - name:            _ZTS1K\n",
                b"    execution_env:\n",
                b"      simd_size:       ",
                b"    per_thread_memory_buffers:\n",
                b"CTNI",
            ],
            is_program: false,
            seal: None,
            read: |bytes| found(intel_gpu::kernels(bytes).map(|kernels| kernels.len())),
        },
        Target {
            name: "debug-lines",
            about: "line tables of loaded code, in reports of faults",
            seeds: || [vec![wrapped()], compiled()].concat(),
            words: &[b".debug_line\0", b"\0\x01\x01", b"\0\x09\x02", b"\x04\0", b"\x05\0", b"ZLIB"],
            is_program: false,
            seal: None,
            read: |bytes| {
                for address in [0, 1, 17, 1 << 40] {
                    let _ = scythe_backend_cpu::line_of(bytes, address);
                }
                found(scythe_backend_cpu::line_of(bytes, 5).map(|_| 1))
            },
        },
    ]
}

fn found(count: Option<usize>) -> String {
    match count {
        None => "none".into(),
        Some(0) => "no kernel".into(),
        Some(_) => "kernels".into(),
    }
}

pub fn wrapped() -> Vec<u8> {
    let mut options = scythe_wrap::Options::new(Machine::X86_64);
    let file = SourceFile { directory: "/src".into(), name: "a.cpp".into() };
    options.source_lines = SourceLines {
        lines: [(file.clone(), [3, 4, 9].into())].into(),
        kernels: [("kernel".to_owned(), (file, 3))].into(),
    };
    scythe_wrap::wrap(&images()[..1], &options).expect("an image can be wrapped")
}

/// Objects of a C compiler with both versions of line tables, if there is a compiler.
fn compiled() -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("scythe-fuzz-lines-{}", std::process::id()));
    let (source, object) = (folder.join("a.c"), folder.join("a.o"));
    let text = "int f(int *p) {\n  return *p;\n}\nint g(int a, int b) {\n  return a / b;\n}\n";
    let mut made = Vec::new();
    if std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&source, text)).is_ok() {
        for options in [["-gdwarf-4", "-O0"], ["-gdwarf-5", "-O1"], ["-gdwarf-5", "-gz"]] {
            let mut command = std::process::Command::new("clang-22");
            command.arg("-c").args(options).arg(&source).arg("-o").arg(&object);
            if command.status().is_ok_and(|status| status.success()) {
                made.extend(std::fs::read(&object));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    made
}

pub fn fat_objects() -> Vec<Vec<u8>> {
    let host = elf(&[(".text", b"\xc3".as_slice()), (".data", b"12345678")]);
    let module = unit::wrap(b"BC\xc0\xde\x35\x14\0\0", unit::identify(1, &[]));
    let fat = bundle::bundle(&host, &[(TARGET.to_owned(), &module)]).expect("it can be bundled");
    let kernel = CpuKernel {
        symbol: "_ZTS1K".into(),
        lanes: 8,
        local_bytes: 64,
        remark: "it calls f".into(),
    };
    let stack = Stack { symbol: "f".into(), bytes: 96, outside: vec!["g".into()] };
    let report = Report { kernels: vec![kernel], stacks: vec![stack] };
    let reported = cpu_report::add(&host, &report).expect("it can be reported");
    let linked = linked::mark(&fat, &["_ZTS1K".to_owned()]).expect("it can be marked");
    let named = elf(&[
        (scythe_abi::names::UNIT_SECTION, &1_u64.to_le_bytes()),
        (scythe_abi::names::UNIT_NAMES_SECTION, b"f0000000000000001"),
    ]);
    vec![host, fat, reported, linked, named]
}

fn fat_object(bytes: &[u8]) -> String {
    let mut outcome = error(&bundle::host_target(bytes));
    let list = bundle::list(bytes);
    outcome += &error(&list);
    for part in list.iter().flatten() {
        outcome += &error(&unit::modules(part.data));
        let _ = (unit::identity(part.data), unit::bare(part.data), part.device_triple());
    }
    outcome += &error(&linked::kernels(bytes));
    outcome += &error(&cpu_report::read(bytes));
    let _ = cpu_report::symbols(bytes);
    let mut copy = bytes.to_vec();
    outcome += &error(&unit::stamp(&mut copy, unit::identify(1, &[b"x"])));
    assert_eq!(copy.len(), bytes.len());
    if let Ok(stripped) = linked::without_bundles(bytes) {
        assert_eq!(stripped.len(), bytes.len());
    }
    match bundle::bundle(bytes, &[("sycl-new-target".to_owned(), b"new")]) {
        Ok(fat) => {
            let read = bundle::extract(&fat, "sycl-new-target");
            assert_eq!(read, Ok(Some(&b"new"[..])), "a bundled part is read");
        }
        Err(error) => outcome += &error.to_string(),
    }
    outcome
}

/// Returns an object with these sections, and a symbol for each.
fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    for (name, data) in sections {
        let kind = if *name == ".text" { SectionKind::Text } else { SectionKind::ReadOnlyData };
        let id = object.add_section(Vec::new(), name.as_bytes().to_vec(), kind);
        object.append_section_data(id, data, 4);
        object.add_symbol(Symbol {
            name: name.trim_start_matches(".text.").into(),
            value: 0,
            size: data.len() as u64,
            kind: SymbolKind::Text,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(id),
            flags: SymbolFlags::None,
        });
    }
    object.write().expect("an object can be written")
}

fn machine_code_of_nvidia() -> Vec<u8> {
    let info = |symbol: u8, number: u8, kind: u8| [4, kind, 8, 0, symbol, 0, 0, 0, number, 0, 0, 0];
    let attributes = [info(1, 32, 0x2f), info(1, 16, 0x11), info(2, 8, 0x2f)].concat();
    let mut cubin = elf(&[
        (".text.kernel", b"codecode".as_slice()),
        (".nv.info", &attributes),
        (".nv.shared.kernel", b"1234"),
        (".nv.shared.reserved.0", b""),
    ]);
    cubin[18..20].copy_from_slice(&190_u16.to_le_bytes());
    cubin
}

fn zebin() -> Vec<u8> {
    let info = "---\nversion: '1.49'\nkernels:\n  - name:            _ZTS1K\n    \
                execution_env:\n      \
                grf_count:       128\n      simd_size:       32\n      slm_size:        1024\n    \
                per_thread_memory_buffers:\n      - type:            scratch\n        \
                size:            64\nkernels_misc_info:\n  - name: _ZTS1M\n...\n";
    elf(&[(".text._ZTS1K", b"code".as_slice()), (".ze_info", info.as_bytes())])
}

fn patch_tokens() -> Vec<u8> {
    let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut execution = [0; 23];
    execution[..2].copy_from_slice(&[23, 92]);
    (execution[5], execution[22]) = (32, 128);
    let records = [&[15, 16, 0, 256, 18, 16, 0, 64], &execution[..]].concat();
    let mut all = bytes(&[0x494e_5443, 1081, 18, 8, 1, 6, 4, 0xffff]);
    all.extend(bytes(&[1, 2, 3, 8, 4 * records.len() as u32, 8, 0, 4, 4, 5]));
    all.extend(b"_ZTS1K\0\0");
    all.extend([0; 16]);
    all.extend(bytes(&records));
    elf(&[("Intel(R) OpenCL Device Binary", all.as_slice())])
}
