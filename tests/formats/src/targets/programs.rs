//! Readers that are part of a program of their own, which every input starts.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use scythe_image::container;

use super::images::images;
use super::{Target, objects, shown};

/// The program `scythe-tools`.
pub static TOOLS: OnceLock<PathBuf> = OnceLock::new();

/// The time for one process. Loading LLVM takes part of it.
const TIME: Duration = Duration::from_secs(20);
/// The address space of a process, most of which libraries take.
const ADDRESS_SPACE: u64 = 4 << 30;

pub fn targets() -> Vec<Target> {
    vec![Target {
        name: "inspect",
        about: "the input of 'scythe inspect'",
        seeds: || {
            let images = images().into_iter().map(|image| image.to_bytes());
            let archive = scythe_image::archive::write(&[("a.o".to_owned(), &objects::wrapped())]);
            images.chain(objects::fat_objects()).chain([objects::wrapped(), archive]).collect()
        },
        words: &[
            b"SCYTHEIM",
            b"\x7fELF",
            b"!<arch>\n",
            b"__CLANG_OFFLOAD_BUNDLE__",
            b"SCYTHOBJ",
            b"\x1b[2J",
        ],
        is_program: true,
        seal: Some(|bytes| {
            if bytes.starts_with(&container::MAGIC) {
                container::seal(bytes);
            }
        }),
        read: |bytes| run(&["inspect", "--no-compile"], bytes),
    }]
}

/// Runs a tool on a file with these bytes. Returns what it prints as an error.
fn run(arguments: &[&str], bytes: &[u8]) -> String {
    let Some(tools) = TOOLS.get() else { return "no program".into() };
    let folder = std::env::temp_dir();
    let path = folder.join(format!("scythe-fuzz-input-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("the input can be written");
    let errors = path.with_extension("err");
    let output = path.with_extension("out");
    let create = |path| std::fs::File::create(path).expect("the output can be written");
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={ADDRESS_SPACE}")).arg(tools).args(arguments).arg(&path);
    command.stdin(Stdio::null()).stdout(create(&output)).stderr(create(&errors));
    let mut child = command.spawn().expect("the program can be started");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status;
        }
        if start.elapsed() > TIME {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the program does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let read =
        |path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let text = shown(read(&errors));
    shown(read(&output));
    for file in [&path, &errors, &output] {
        let _ = std::fs::remove_file(file);
    }
    assert!(
        matches!(status.code(), Some(0 | 1)) && !text.contains("panicked"),
        "the program ended with {status}: {text}"
    );
    text.split_once("error: ").map(|(_, text)| text.to_owned()).unwrap_or_default()
}
