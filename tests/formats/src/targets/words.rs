//! Command lines, variables of the environment, and small texts between parts of the compiler.

use std::path::{Path, PathBuf};

use scythe::selection::{Candidate, Selector};
use scythe_abi::aspect_origin::AspectOrigin;
use scythe_abi::condition::Condition;
use scythe_abi::functor;
use scythe_abi::image_target::ImageTarget;
use scythe_driver::diagnostics::Merger;
use scythe_driver::header_cache::{leading, store};
use scythe_driver::{args, dependencies, linker_arguments, render};
use scythe_hal::BackendKind;
use scythe_hal::info::DeviceType;

use super::{Target, error, shown, text};

pub fn targets() -> Vec<Target> {
    vec![
        Target {
            name: "command-line",
            about: "the driver's arguments, one in each line",
            seeds: || {
                [
                    "-fsycl\n-O2\na.cpp\nb.o\n-o\napp",
                    "-fsycl\n-fsycl-targets=spir64,x86_64_avx512,nvidia_gpu_sm_90\n-c\na.cpp",
                    "-fsycl\n-fsycl-targets=intel_gpu_skl,spir64_gen\n-Xs\n-device pvc\na.cpp",
                    "-fsycl\n-Xsycl-target-backend=spir64_gen\n-device *\n-MD\n-MF\nx.d\na.cpp",
                    "-fsycl\n-Wl,--as-needed\n-Wl,-rpath,lib\n-lfoo\n-x\nc++\n--\na.cpp\n-",
                    "-fsycl\n-fsycl-host-compiler=g++\n-fsycl-host-compiler-options='a b'\na.cpp",
                    "-fsycl\n-fsycl-link\n-fsycl-device-code-split=per_kernel\nk.cpp",
                    "-fsycl\n-fsycl-add-default-spec-consts-image\n-save-temps=obj\n-###\na.cpp",
                ]
                .map(|words| words.as_bytes().to_vec())
                .to_vec()
            },
            words: &[
                b"-fsycl\n",
                b"-fsycl-targets=",
                b"-Xsycl-target-backend=",
                b"-Xs\n",
                b"-Wl,",
                b"-Xlinker\n",
                b"spir64",
                b"spir64_gen",
                b"intel_gpu_pvc",
                b"nvidia_gpu_sm_80",
                b"x86_64_avx2",
                b"nvptx64-nvidia-cuda",
                b"-fsycl-device-code-split=",
                b"-x\n",
                b"-o\n",
                b"--cuda-gpu-arch=sm_70",
                b"--offload-arch=sm_90",
                b"-fsanitize=address",
                b"-std=c++20",
                b"-fno-",
                b"=",
                b",",
                b"\n",
                b"/LD",
                b"-",
            ],
            is_program: false,
            seal: None,
            read: command_line,
        },
        Target {
            name: "dependencies",
            about: "lists of dependencies that compilers write",
            seeds: || vec![b"a.o: a.cpp \\\n  b\\ c.hpp $$x \\#y\n\nb.hpp:\n".to_vec()],
            words: &[b": ", b"\\\n", b"\\ ", b"$$", b"\\#", b"\r\n"],
            is_program: false,
            seal: None,
            read: |bytes| dependencies::files(&text(bytes)).len().min(9).to_string(),
        },
        Target {
            name: "header-cache",
            about: "records of the cache of precompiled headers",
            seeds: || {
                let record = store::rewritten(&format!(
                    "{}\nstamp 123456789 42 /usr/include/a b.h\nname sycl/sycl.hpp\n",
                    store::FORMAT
                ));
                record.into_iter().map(String::into_bytes).collect()
            },
            words: &[b"stamp ", b"name ", b"\n", b" "],
            is_program: false,
            seal: None,
            read: |bytes| match store::rewritten(&text(bytes)) {
                Some(record) => {
                    assert_eq!(store::rewritten(&record).as_ref(), Some(&record));
                    String::new()
                }
                None => "no record".into(),
            },
        },
        Target {
            name: "source",
            about: "sources whose first header is looked for",
            seeds: || {
                vec![
                    b"// a\n/* b */\n#pragma once\n#include <vector>\n#define X(a) a\\\n b\n\
                      #include \
                      <sycl/sycl.hpp>\nint main() {}\n"
                        .to_vec(),
                ]
            },
            words: &[
                b"#include <sycl/sycl.hpp>\n",
                b"#include \"a.hpp\"\n",
                b"#define ",
                b"#ifdef X\n",
                b"#endif\n",
                b"/*",
                b"*/",
                b"//",
                b"\\\n",
                b"\"",
                b"R\"(",
                b"??/",
                b"#pragma once",
            ],
            is_program: false,
            seal: None,
            read: |bytes| {
                let found = leading::sycl_header(Path::new("/nowhere/a.cpp"), bytes, &[]);
                let count = leading::identifiers(bytes).count().min(9);
                format!("{} {}", found.is_some(), "x".repeat(count))
            },
        },
        Target {
            name: "diagnostics",
            about: "the output of the passes over a source",
            seeds: || {
                vec![
                    b"In file included from a.cpp:1:\nb.hpp:2:3: error: no 'x' [scythe-E0101]\n   \
                      2 | x\n     | ^\na.cpp:1:1: note: here\n1 error and 2 warnings generated.\n"
                        .to_vec(),
                ]
            },
            words: &[b": error: ", b": warning: ", b": note: ", b"\x1b[0;1;31m", b"\n"],
            is_program: false,
            seal: None,
            read: |bytes| {
                let text = text(bytes);
                let mut merger = Merger::default();
                merger.add(&text);
                let again = merger.add(&text);
                format!("{}{}", merger.summary(), again.is_empty())
            },
        },
        Target {
            name: "functors",
            about: "layouts of functors that passes exchange",
            seeds: || {
                let head = functor::to_text(&[]);
                vec![
                    (head.clone()
                        + "kernel\tK\tname\ta\\tb.cpp\t3\t4\t1\t24\t8\npart\t0\t1\tx\tint\tid\t0\t8\n")
                        .into_bytes(),
                    head.into_bytes(),
                ]
            },
            words: &[b"kernel\t", b"part\t", b"\t", b"\\\\", b"\\n", b"\n"],
            is_program: false,
            seal: None,
            read: |bytes| match functor::from_text(&text(bytes)) {
                Some(read) => {
                    assert_eq!(functor::from_text(&functor::to_text(&read)), Some(read));
                    String::new()
                }
                None => "no functors".into(),
            },
        },
        Target {
            name: "conditions",
            about: "conditions on aspects, origins of aspects, and targets of images",
            seeds: || {
                vec![
                    b"1040&!1021|!1022".to_vec(),
                    b"fp64\tkernel@a.cpp:1:2\tg".to_vec(),
                    b"nvidia_gpu_sm_90a".to_vec(),
                    b"intel_gpu_12_60_7".to_vec(),
                    b"spir64_x86_64".to_vec(),
                ]
            },
            words: &[b"&", b"|", b"!", b"@", b"\t", b":", b"intel_gpu_", b"nvidia_gpu_sm_"],
            is_program: false,
            seal: None,
            read: conditions,
        },
        Target {
            name: "selector",
            about: "ONEAPI_DEVICE_SELECTOR and other variables of the environment",
            seeds: || {
                ["opencl:gpu,1;!*:cpu", "native_cpu:*.0.*", "commands,images,t.json", "16", "map"]
                    .map(|value| value.as_bytes().to_vec())
                    .to_vec()
            },
            words: &[
                b"*",
                b":",
                b";",
                b"!",
                b",",
                b".",
                b"cuda",
                b"level_zero",
                b"opencl",
                b"gpu",
                b"4294967296",
                b".json",
                b"all",
            ],
            is_program: false,
            seal: None,
            read: variables,
        },
    ]
}

fn command_line(bytes: &[u8]) -> String {
    let text = text(bytes);
    let words: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let _ = linker_arguments::value(&words);
    match args::parse(&words) {
        Ok(invocation) => {
            let list: Vec<_> = invocation.targets.passes();
            format!("{:?}{}{}", invocation.mode, invocation.sycl, list.len().min(4))
        }
        Err(error) => shown(render(&error)),
    }
}

fn conditions(bytes: &[u8]) -> String {
    let text = text(bytes);
    let condition = text.parse::<Condition>();
    if let Ok(condition) = &condition {
        let again = condition.to_string().parse::<Condition>();
        assert_eq!(again.as_ref(), Ok(condition), "{condition}");
        assert!(condition.covers(condition));
        let _ = (condition.holds(|aspect| aspect % 2 == 0), condition.is_always());
    }
    if let Some(origin) = AspectOrigin::parse(&text) {
        assert!(!origin.to_string().is_empty());
    }
    let target = ImageTarget::parse(text.as_str());
    assert_eq!(target.as_str(), text);
    let _ = scythe_abi::target::is_name(&text);
    let _ = scythe_abi::checks::Checks::of_setting(Some(&text));
    format!("{}{:?}", error(&condition), target.nvidia().map(|_| ()))
}

fn variables(bytes: &[u8]) -> String {
    let text = text(bytes);
    let folder = PathBuf::from("/nowhere");
    let _ = scythe::online::check_options(&[&text], &folder);
    let outcome = match Selector::parse(&text) {
        Ok(selector) => {
            let candidate = |backend| Candidate { backend, device_type: DeviceType::Gpu, index: 1 };
            let kinds = [BackendKind::Cpu, BackendKind::OpenCl, BackendKind::Cuda];
            for kind in kinds {
                assert!(!selector.sees(candidate(kind)) || selector.may_see(kind), "{text}");
            }
            String::new()
        }
        Err(error) => error.message,
    };
    let accepted = scythe::settings::accepting(&text).len();
    format!("{outcome}{}", "x".repeat(accepted))
}
