//! Text files.

use scythe_device_config::{Table, shell_words};
use scythe_image::{FileTable, Manifest, PropertySets};

use super::images::images;
use super::{Target, error, shown, text};

pub fn targets() -> Vec<Target> {
    vec![
        Target {
            name: "properties",
            about: "property sets, and the manifest in them",
            seeds: || {
                let sets = images().into_iter().map(|image| image.manifest.to_properties());
                sets.map(|sets| sets.to_text().into_bytes()).collect()
            },
            words: &[
                b"[SYCL/device requirements]\n",
                b"[SYCL/kernel work-group sizes]\n",
                b"aspect=2|",
                b"=1|",
                b"=2|",
                b"AAAAAAAAAAA=",
                b"CAAAAAAAAAAA",
                b"%3D",
                b"reqd_work_group_size",
            ],
            is_program: false,
            seal: None,
            read: properties,
        },
        Target {
            name: "file-table",
            about: "the tables of post-link tools",
            seeds: || vec![b"[Code|Properties|Symbols]\na.bc|a.prop|a.sym\nb.bc||\n".to_vec()],
            words: &[b"[", b"]", b"|", b"\n", b"\r\n"],
            is_program: false,
            seal: None,
            read: file_table,
        },
        Target {
            name: "device-config",
            about: "device configuration in YAML",
            seeds: || {
                vec![
                    b"intel_gpu_skl:\n  aspects: [gpu, fp16, 6]\n  may_support_other_aspects: \
                      false\n  sub-group-sizes: [8, 16, 32]\n  aot-toolchain: ocloc\n  \
                      aot-toolchain-options: -device skl\n  max-work-group-size: 256\n  \
                      local-mem-size: 65536\n"
                        .to_vec(),
                    b"# comment\n\"mine\":\n  aspects:\n    - cpu\n    - 'fp64'\n  \
                      local-mem-size: 1\nmine: {}\n"
                        .to_vec(),
                    b"{a: {aspects: []}, b: {aot-toolchain: x}}".to_vec(),
                ]
            },
            words: &[
                b"aspects:",
                b"- ",
                b": ",
                b"\n  ",
                b"&a ",
                b"*a",
                b"!!str ",
                b"---\n",
                b"...\n",
                b"|\n",
                b">-\n",
                b"? ",
                b"'",
                b"\"",
                b"\\u00e9",
                b"\\x",
                b"{",
                b"}",
                b"[",
                b"]",
                b"%YAML 1.2\n",
                b"\t",
                b"\xef\xbb\xbf",
                b"true",
                b"null",
                b"<<: ",
            ],
            is_program: false,
            seal: None,
            read: |bytes| {
                let read = Table::embedded().extend_with_yaml_text("file.yaml", &text(bytes));
                match read {
                    Ok(warnings) => {
                        shown(warnings.iter().map(|w| w.render_as("fuzz")).collect());
                        warnings.len().min(3).to_string()
                    }
                    Err(error) => {
                        shown(error.to_string());
                        // Kinds of outcomes have no digits.
                        let code = error.code.map(|code| code.to_string()).unwrap_or_default();
                        code.bytes().map(|byte| char::from(byte + b'A' - b'0')).collect()
                    }
                }
            },
        },
        Target {
            name: "shell-words",
            about: "words of response files and options",
            seeds: || vec![b"-O2 'a b' \"c \\\" d\" e\\ f\n-g".to_vec()],
            words: &[b"'", b"\"", b"\\", b"\n", b" "],
            is_program: false,
            seal: None,
            read: |bytes| shell_words::split(&text(bytes)).len().min(9).to_string(),
        },
    ]
}

fn properties(bytes: &[u8]) -> String {
    match PropertySets::from_text(&text(bytes)) {
        Ok(sets) => {
            assert_eq!(PropertySets::from_text(&sets.to_text()).as_ref(), Ok(&sets));
            let manifest = Manifest::from_properties(&sets);
            if let Ok(manifest) = &manifest {
                assert_eq!(Manifest::from_bytes(&manifest.to_bytes()).as_ref(), Ok(manifest));
            }
            error(&manifest)
        }
        Err(error) => error.to_string(),
    }
}

fn file_table(bytes: &[u8]) -> String {
    let read = FileTable::from_text(&text(bytes));
    if let Ok(table) = &read {
        assert_eq!(FileTable::from_text(&table.to_text()).as_ref(), Ok(table));
        let columns: Vec<&str> = table.columns().iter().map(String::as_str).collect();
        assert_eq!(table.extract(&columns).as_ref(), Ok(table));
    }
    error(&read)
}
