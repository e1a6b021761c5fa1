//! Every header for users can be included alone, before anything else, and all of them together
//! stay light.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Headers below `folder`, without those that only others include.
fn headers(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the headers' folder can be read").flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "detail") {
            headers(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "hpp") {
            found.push(path);
        }
    }
}

#[test]
fn each_header_stands_alone() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let mut all = Vec::new();
    headers(&include.join("sycl"), &mut all);
    all.sort();
    assert!(all.len() > 40, "only {} headers were found", all.len());
    // One compiler for many headers starts once; two of them use both processors of a small
    // machine.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = all
            .chunks(all.len().div_ceil(2))
            .map(|half| scope.spawn(|| check(&include, half)))
            .collect();
        halves
            .into_iter()
            .filter_map(|half| half.join().expect("the thread does not panic"))
            .collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What the compiler complains about, if it does.
fn check(include: &Path, headers: &[PathBuf]) -> Option<String> {
    let mut clang = Command::new("clang++-22");
    clang.args([
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Wno-pragma-once-outside-header",
        "-x",
        "c++",
        "-I",
    ]);
    let output = clang.arg(include).args(headers).output().expect("clang++-22 starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success() || !text.is_empty()).then_some(text)
}

/// Declarations, types and expressions that clang makes of `<sycl/sycl.hpp>`, less those of the
/// standard headers in it. The time that our headers take follows this number (in 2026, about 1.8
/// µs each), which no busy machine can blur: at the limit it is 0.2 s. Templates cost what their
/// text does until they are used; what non-template functions use is counted.
const MOST_NODES: usize = 113_500;
const MOST_LINES: usize = 79_999;

#[test]
fn sycl_hpp_stays_light() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    let clang = |args: &[&str], name: &str, text: &str| {
        let source = folder.path().join(name);
        std::fs::write(&source, text).expect("the temporary folder can be written");
        let mut clang = Command::new("clang++-22");
        clang.arg("-std=c++17").args(args).arg("-isystem").arg(&include).arg(&source);
        let output = clang.output().expect("clang++-22 starts");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        (told, String::from_utf8_lossy(&output.stdout).lines().count())
    };
    let count = ["-fsyntax-only", "-Xclang", "-print-stats", "-H"];
    let (all, _) = clang(&count, "all.cpp", "#include <sycl/sycl.hpp>\n");
    let standard: String =
        standard_headers(&include, &all).map(|h| format!("#include \"{h}\"\n")).collect();
    let (standard, _) = clang(&count, "standard.cpp", &standard);
    let (_, lines) = clang(&["-E"], "all.cpp", "#include <sycl/sycl.hpp>\n");
    let own = nodes(&all) - nodes(&standard);
    assert!(
        own > 50_000,
        "clang's statistics read as {own} declarations, types and expressions: they have a new form"
    );
    assert!(
        own <= MOST_NODES,
        "<sycl/sycl.hpp> has {own} declarations, types and expressions of its own, {MOST_NODES} \
         are allowed: see what \
         -ftime-trace -ftime-trace-granularity=100 lists, and make templates of what is \
         instantiated without being used"
    );
    assert!(
        lines <= MOST_LINES,
        "<sycl/sycl.hpp> has {lines} lines after preprocessing, {MOST_LINES} are allowed"
    );
}

/// What `-print-stats` counts: `  59736 decls total.`
fn nodes(stats: &str) -> usize {
    let totals = ["types total.", "decls total.", "stmts/exprs total."];
    let of = |line: &str| {
        line.trim()
            .split_once(' ')
            .filter(|(_, what)| totals.contains(what))?
            .0
            .parse::<usize>()
            .ok()
    };
    stats.lines().filter_map(of).sum()
}

/// The headers outside `ours` that a header inside includes: `-H` prints one per line, with a dot
/// for each level.
fn standard_headers<'a>(ours: &Path, told: &'a str) -> impl Iterator<Item = &'a str> {
    let mut chain: Vec<bool> = Vec::new();
    let mut found = std::collections::BTreeSet::new();
    for line in told.lines() {
        let Some((dots, path)) =
            line.split_once(' ').filter(|(d, _)| !d.is_empty() && d.bytes().all(|b| b == b'.'))
        else {
            continue;
        };
        chain.truncate(dots.len() - 1);
        let is_ours = Path::new(path).starts_with(ours);
        if !is_ours && chain.last() == Some(&true) {
            found.insert(path);
        }
        chain.push(is_ours);
    }
    found.into_iter()
}

/// SPIR-V's operations by name: kernels that the host's compiler sees may name them, and code for
/// the host may not call them.
#[test]
fn spirv_operations_are_declared_for_the_host_and_refuse_to_be_called() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let names = "#include <CL/__spirv/spirv_ops.hpp>
         #include <CL/__spirv/spirv_vars.hpp>
         inline unsigned long kernel(unsigned *p, __ocl_event_t e, __ocl_sampler_t, \
         __ocl_sampled_image2d_ro_t) {
           __spirv_ControlBarrier(__spv::Scope::Workgroup, __spv::Scope::Workgroup, 0);
           e = __spirv_OpGroupAsyncCopy(__spv::Scope::Workgroup, p, p, 4, 1, e);
           __spirv_GroupWaitEvents(__spv::Scope::Workgroup, 1, &e);
           p[0] = __spirv_GroupIAdd(__spv::Scope::Subgroup, 0, p[1]) + \
           __spirv_BuiltInSubgroupSize();
           return __spirv_GroupBroadcast(2, p[0], 3ul) + __spirv_BuiltInGlobalInvocationId(0);
         }";
    let calls = format!(
        "{names}\nunsigned long f(unsigned *p) {{ return kernel(p, {{}}, {{}}, {{}}); }}\n"
    );
    for compiler in ["clang++-22", "g++"] {
        for (text, fits) in [(names, true), (&calls, false)] {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let source = folder.path().join("a.cpp");
            std::fs::write(&source, text).expect("files can be written");
            let mut command = Command::new(compiler);
            command
                .args(["-std=c++17", "-O1", "-c", "-o"])
                .arg(folder.path().join("a.o"))
                .arg("-I")
                .arg(&include);
            let output = command.arg(&source).output().expect("the compiler starts");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let told = text.contains("SPIR-V operations can only be called in device code");
            assert_eq!((output.status.success(), told), (fits, !fits), "{compiler}: {text}");
        }
    }
}
