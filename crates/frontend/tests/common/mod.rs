//! How tests run the plug-in: stock clang, the device pass, the real headers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const TU_ID: &str = "00000000000000ab";

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository exists")
}

/// The plug-in that cargo built beside this test.
pub fn plugin() -> PathBuf {
    let exe = std::env::current_exe().expect("a test knows its path");
    let plugin = exe.parent().expect("a test lies in a folder").join("libscythe_frontend.so");
    assert!(plugin.exists(), "{} is missing: cargo builds it with this test", plugin.display());
    plugin
}

/// A program of LLVM 22: from its own folder where that is set, else by its Debian name.
pub fn llvm_tool(name: &str) -> PathBuf {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let tool = Path::new(&prefix).join("bin").join(name);
    if tool.exists() { tool } else { format!("{name}-22").into() }
}

/// Runs the device pass over a file, in `folder`.
pub fn device_pass(folder: &Path, source: &Path, args: &[&str]) -> Output {
    let plugin = plugin();
    Command::new(llvm_tool("clang++"))
        .current_dir(folder)
        .args(["-fsycl", "-fsycl-device-only", "-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=0"])
        .arg(format!("-fplugin={}", plugin.display()))
        .arg(format!("-fpass-plugin={}", plugin.display()))
        .arg(format!("-fplugin-arg-scythe-tu-id={TU_ID}"))
        .arg(format!("-DSCYTHE_TU_ID=0x{TU_ID}ULL"))
        .arg("-I")
        .arg(root().join("include"))
        .args(args)
        .arg(source)
        .output()
        .expect("clang++ of LLVM 22 starts")
}

/// The `.cpp` files of a folder, in order.
#[allow(dead_code, reason = "not every test that shares this module has a folder of programs")]
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    files.sort();
    assert!(!files.is_empty(), "{} has no tests", folder.display());
    files
}

#[allow(dead_code, reason = "as above")]
/// Calls `check` for each file, on as many threads as there are processors, and fails with all complaints.
pub fn for_each(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let complaints = std::sync::Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Err(complaint) = check(file) {
                        complaints.lock().expect("no check panics").push(format!("{}:\n{complaint}", file.display()));
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no check panics");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
