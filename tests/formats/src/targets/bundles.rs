//! Files that hold other files, and entries of caches.

use scythe_image::{binary_bundle, fatbin, precompiled, text_bundle, unit};

use super::{Target, error};

pub fn targets() -> Vec<Target> {
    vec![
        Target {
            name: "binary-bundle",
            about: "bundles of clang-offload-bundler for binary files",
            seeds: || vec![bundle()],
            words: &[b"__CLANG_OFFLOAD_BUNDLE__", b"host-", b"sycl-spir64"],
            is_program: false,
            seal: None,
            read: |bytes| {
                let parts = binary_bundle::divide(bytes);
                if let Ok(parts) = &parts {
                    let again = binary_bundle::join(parts);
                    assert_eq!(binary_bundle::divide(&again).as_ref(), Ok(parts));
                }
                error(&parts)
            },
        },
        Target {
            name: "text-bundle",
            about: "bundles of clang-offload-bundler for texts, and preprocessed units",
            seeds: || {
                let parts = [
                    ("sycl-spir64-unknown-unknown".to_owned(), b"# 1 \"a.cpp\"\nint x;\n".to_vec()),
                    ("host-x86_64-unknown-linux-gnu".to_owned(), b"int y;".to_vec()),
                ];
                let borrowed = parts.clone();
                let borrowed = [
                    (borrowed[0].0.clone(), borrowed[0].1.as_slice()),
                    (borrowed[1].0.clone(), borrowed[1].1.as_slice()),
                ];
                vec![
                    text_bundle::join(0xabc, 0xdef, &parts),
                    text_bundle::join_as("//", &borrowed),
                    text_bundle::join_as("#", &borrowed),
                ]
            },
            words: &[
                b"// __CLANG_OFFLOAD_BUNDLE____START__ ",
                b"// __CLANG_OFFLOAD_BUNDLE____END__ ",
                b"# __CLANG_OFFLOAD_BUNDLE____START__ ",
                b"sycl-spir64-unknown-unknown",
                b"\n",
            ],
            is_program: false,
            seal: None,
            read: |bytes| {
                let read = text_bundle::divide(bytes);
                let _ = text_bundle::is_bundle(bytes);
                error(&read) + &error(&text_bundle::divide_as("#", bytes))
            },
        },
        Target {
            name: "precompiled",
            about: "precompiled headers with those of device passes",
            seeds: || {
                let device: [(String, &[u8]); 2] =
                    [("spir64".into(), b"CPCHdevice"), ("native".into(), b"CPCH")];
                vec![
                    precompiled::join(b"CPCHhost", &device, "a note").expect("it can be joined"),
                    b"CPCHhost".to_vec(),
                ]
            },
            words: &[b"CPCH", b"SCYPCH01", b"__CLANG_OFFLOAD_BUNDLE__", b"note"],
            is_program: false,
            seal: None,
            read: |bytes| error(&precompiled::device_parts(bytes)),
        },
        Target {
            name: "modules",
            about: "device modules of several units, with their identities",
            seeds: || {
                let module = b"BC\xc0\xde\x35\x14\0\0\x05\0\0\0\x62\x0c\x30\x24";
                let first = unit::wrap(module, unit::identify(1, &[b"a"]));
                let second = unit::wrap(b"BC\xc0\xde", unit::identify(2, &[b"b"]));
                vec![first.clone(), [&first[..], &[0; 4], &second, &module[..]].concat()]
            },
            words: &[b"BC\xc0\xde", b"\xde\xc0\x17\x0b", b"scytheTU", b"\x35\x14\0\0\x05\0\0\0"],
            is_program: false,
            seal: None,
            read: |bytes| {
                let _ = (unit::identity(bytes), unit::bare(bytes));
                error(&unit::modules(bytes))
            },
        },
        Target {
            name: "fatbin",
            about: "fat binaries of CUDA",
            seeds: || {
                let entries = [
                    fatbin::Entry::cubin(90, b"\x7fELF\x02\x01\x01A\x08cubin"),
                    fatbin::Entry::ptx(90, 83, b".version 8.3\n"),
                ];
                vec![fatbin::write(&entries), fatbin::write(&[])]
            },
            words: &[b"\x50\xed\x55\xba", b"\x01\0\x01\x01", b"\x02\0\x01\x01"],
            is_program: false,
            seal: None,
            read: |bytes| error(&fatbin::read(bytes)),
        },
        Target {
            name: "cache-entry",
            about: "entries of the run-time cache",
            seeds: || vec![cache_entry(b""), cache_entry(b"0123456789abcdef01234567/usr/lib/llvm")],
            words: &[b"SCYTHOBJ"],
            is_program: false,
            seal: Some(seal_cache_entry),
            read: |bytes| match scythe_jit_client::entries::CachedCode::decode(bytes.to_vec()) {
                None => "not an entry".into(),
                Some(Ok(entry)) => {
                    let _ = entry.code();
                    entry.compiler().map(|_| "entry of a compiler".into()).unwrap_or_default()
                }
                Some(Err(error)) => error.to_string(),
            },
        },
        Target {
            name: "spirv",
            about: "the kernels of a SPIR-V module",
            seeds: || {
                let words = [
                    0x0723_0203_u32,
                    0x0001_0400,
                    0,
                    9,
                    0,
                    2 << 16 | 17,
                    6,
                    4 << 16 | 15,
                    6,
                    1,
                    0x61,
                    4 << 16 | 15,
                    6,
                    2,
                    0x62,
                    5 << 16 | 54,
                    1,
                    2,
                    0,
                    3,
                ];
                vec![words.iter().flat_map(|word| word.to_le_bytes()).collect()]
            },
            words: &[b"\x0f\0\x04\0", b"\x36\0\x05\0", b"\0\0\0\0"],
            is_program: false,
            seal: None,
            read: |bytes| scythe_backend_opencl::has_several_kernels(bytes).to_string(),
        },
    ]
}

fn bundle() -> Vec<u8> {
    let parts: [(String, &[u8]); 3] = [
        ("host-x86_64-unknown-linux-gnu-".into(), b""),
        ("sycl-spir64-unknown-unknown".into(), b"BC\xc0\xde"),
        ("sycl-spir64_x86_64-unknown-unknown".into(), b"code"),
    ];
    binary_bundle::join(&parts)
}

const CHECKSUM: usize = 64;
const HEADER: usize = 96;

/// Returns an entry; the head of `jit-client/src/cache/entry.rs` describes the format.
fn cache_entry(stamp: &[u8]) -> Vec<u8> {
    let object = b"\x7fELF object";
    let mut bytes = b"SCYTHOBJ".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend((stamp.len() as u32).to_le_bytes());
    bytes.extend((object.len() as u64).to_le_bytes());
    bytes.extend([7; 32]);
    bytes.resize(HEADER, 0);
    bytes.extend(stamp);
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    bytes.extend(object);
    seal_cache_entry(&mut bytes);
    bytes
}

fn seal_cache_entry(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..CHECKSUM]).update(&bytes[HEADER..]);
    bytes[CHECKSUM..HEADER].copy_from_slice(hasher.finalize().as_bytes());
}
