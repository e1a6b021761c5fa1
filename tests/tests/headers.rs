//! Tests that every public header can be included alone, before anything else, that all of them
//! together stay small, that `<sycl/sycl.hpp>` brings the standard headers that programs for DPC++
//! expect from it, and that docs/extensions.md lists the extensions.

use std::path::{Path, PathBuf};
use std::process::Command;

use scythe_tests::Project;

/// Finds the headers below `folder`, except those that only other headers include.
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

/// Returns the headers that `header` includes, if it contains only comments, its guard and
/// includes of these headers. Such a header is another name of them.
fn forwarded(header: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(header).expect("the header can be read");
    let mut included = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#include <").and_then(|l| l.strip_suffix('>')) {
            included.push(name.to_owned());
        } else if !(line.is_empty()
            || line.starts_with("//")
            || line.starts_with("#ifndef SCYTHE_")
            || line.starts_with("#define SCYTHE_")
            || line == "#endif")
        {
            return None;
        }
    }
    Some(included).filter(|names| !names.is_empty())
}

#[test]
fn each_header_stands_alone() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let mut all = Vec::new();
    headers(&include.join("sycl"), &mut all);
    all.push(include.join("sycl/detail/core.hpp"));
    all.sort();
    assert!(all.len() > 200, "only {} headers were found", all.len());
    // The headers behind other names are compiled under their own name.
    all.retain(|header| {
        let Some(names) = forwarded(header) else { return true };
        for name in names.iter().filter(|name| name.contains('/')) {
            assert!(include.join(name).exists(), "{}: <{name}> is missing", header.display());
        }
        false
    });
    assert!(all.len() > 40, "only {} headers were found that are no other names", all.len());
    // A compiler that reads many headers starts once. Two compilers use both processors of a small
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

/// The flags of host mode, and of the host pass, in which the headers include less. Host mode shows
/// the warnings.
const PASSES: [&[&str]; 2] = [
    &["-Wall", "-Wextra"],
    &["-w", "-Xclang", "-fsycl-is-host", "-D__SCYTHE_HOST_PASS__", "-D__SCYTHE_HEADER_LIBRARY__"],
];

/// Returns the compiler's errors, if there are any.
fn check(include: &Path, headers: &[PathBuf]) -> Option<String> {
    PASSES.iter().find_map(|flags| check_pass(include, headers, flags))
}

fn check_pass(include: &Path, headers: &[PathBuf], flags: &[&str]) -> Option<String> {
    let mut clang = Command::new("clang++-22");
    clang.args(flags);
    clang.args([
        "-std=c++17",
        "-fsyntax-only",
        "-Wno-pragma-once-outside-header",
        "-x",
        "c++",
        "-I",
    ]);
    let output = clang.arg(include).args(headers).output().expect("clang++-22 starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success() || !text.is_empty()).then_some(text)
}

/// A use of each standard header that a program may expect from `<sycl/sycl.hpp>` alone.
const STANDARD: &str = r#"#include <sycl/sycl.hpp>
inline const std::string words = "b a";
inline int algorithm(std::array<int, 3> a, std::vector<int> v) {
  std::sort(v.begin(), v.end());
  return std::clamp(*std::max_element(a.begin(), a.end()), 0, v.back());
}
inline std::atomic<int> atomic{1};
inline std::bitset<8> bitset{3};
inline int c_library(const char *text) {
  assert(text != nullptr);
  errno = 0;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::printf("%zu %d %d\n", std::strlen(text), std::isdigit(text[0]), std::atoi(text));
  return static_cast<int>(std::time(nullptr)) % INT_MAX + (FLT_MAX > 1) + (errno == ERANGE);
}
inline double cmath(double x) { return std::sqrt(x) + std::isnan(x) + std::abs(x); }
inline std::complex<float> complex{1, 2};
inline auto chrono = std::chrono::steady_clock::now() - std::chrono::steady_clock::now();
inline double milliseconds = std::chrono::duration<double, std::milli>(chrono).count();
inline std::condition_variable condition_variable;
inline std::ptrdiff_t cstddef = 0;
inline std::uint64_t cstdint = 0;
inline std::exception_ptr exception = std::current_exception();
inline std::filesystem::path filesystem = "file";
inline std::ifstream fstream;
inline std::function<int(int)> functional = std::bind(std::plus<int>(), std::placeholders::_1, 1);
inline std::initializer_list<int> initializer_list;
inline void iostream(std::istream &in) {
  int i = 0;
  std::cout << std::setw(4) << std::fixed << std::setprecision(2) << 1.0 << std::endl;
  std::cerr << (in >> i).good();
}
inline auto iterator = std::make_move_iterator(words.begin());
inline int limits = std::numeric_limits<int>::max();
inline std::map<std::string, int> map;
inline std::unique_ptr<int> memory = std::make_unique<int>(1);
inline std::mutex mutex;
inline void lock() { std::lock_guard<std::mutex> guard(mutex); }
inline std::bad_alloc new_header;
inline int numeric(std::vector<int> v) {
  std::iota(v.begin(), v.end(), 0);
  return std::accumulate(v.begin(), v.end(), 0);
}
inline std::optional<int> optional;
inline std::ratio<1, 2> ratio;
inline std::set<int> set;
inline std::stringstream sstream(words);
inline std::runtime_error stdexcept("text");
inline std::string_view string_view = words;
inline std::error_code system_error;
inline std::thread::id thread = std::this_thread::get_id();
inline std::tuple<int, int> tuple{1, 2};
inline std::enable_if_t<std::is_same_v<int, int>, int> type_traits = 1;
inline const char *typeinfo = typeid(int).name();
inline std::unordered_map<int, int> unordered_map;
inline std::pair<int, int> utility = std::make_pair(1, 2);
inline std::variant<int, float> variant = 1;
#if __cplusplus >= 202002L
inline int bit = std::popcount(3u);
inline std::span<int> span;
inline double numbers = std::numbers::pi;
#endif
"#;

/// Checks the device pass, the host pass, and host mode with another compiler.
#[test]
fn sycl_hpp_brings_the_standard_headers_of_dpcpp() {
    let project = Project::new().file("a.cpp", STANDARD);
    for standard in ["-std=c++17", "-std=c++20"] {
        for pass in ["-fsycl-device-only", "-fsycl-host-only"] {
            project.scythe(&["-fsycl", pass, standard, "-c", "a.cpp", "-o", "a.o"]).ok();
        }
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../include");
        project.run("g++", &[standard, "-fsyntax-only", include, "a.cpp"]).ok();
    }
}

/// The maximum number of declarations, types and expressions in `<sycl/sycl.hpp>`, without those of
/// the standard headers. The compile time of Scythe's headers is proportional to this number (in
/// 2026, about 1.2 µs each), and the load of the machine does not affect it. At the limit the time
/// is 0.2 s. An unused template costs as much as its text; the code that non-template functions use
/// is counted.
const MOST_NODES: usize = 163_000;
const MOST_LINES: usize = 120_999;

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

/// Sums up the counts of `-print-stats`, as in `  59736 decls total.`
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

/// Returns the headers outside of `ours` that a header inside of it includes. `-H` prints one
/// header per line, with a dot for each level.
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

/// SPIR-V's operations by name: kernels may name them in code that the host compiler sees, but host
/// code must not call them.
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

/// The macros of extensions in a text, each with the number after it.
fn macros(text: &str) -> std::collections::BTreeMap<String, String> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .collect();
    words
        .windows(2)
        .filter(|pair| pair[0].starts_with("SYCL_EXT_") || pair[0].starts_with("SYCL_KHR_"))
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect()
}

#[test]
fn the_page_of_extensions_agrees_with_the_headers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the file can be read");
    let defined = macros(&read("include/sycl/feature_test.hpp"));
    let page = read("docs/extensions.md");
    let (supported, others) =
        page.split_once("## Not supported").expect("the page has a section 'Not supported'");
    assert_eq!(defined, macros(supported), "feature_test.hpp (left), docs/extensions.md (right)");

    // No other header defines a macro of an extension.
    let include = root.join("include/sycl");
    let mut all = Vec::new();
    headers(&include, &mut all);
    for header in all.iter().filter(|h| !h.ends_with("feature_test.hpp")) {
        let text = std::fs::read_to_string(header).expect("the header can be read");
        let own = text
            .lines()
            .find(|l| l.starts_with("#define SYCL_EXT_") || l.starts_with("#define SYCL_KHR_"));
        assert_eq!(own, None, "{}", header.display());
    }

    // Rows of tables start with the names of the extensions.
    let names = |text: &str| -> Vec<String> {
        let first = |row: &str| row.split('|').nth(1).unwrap_or_default().to_owned();
        text.lines()
            .filter(|line| line.starts_with("| `sycl_"))
            .flat_map(|row| {
                let cell = first(row);
                cell.split('`')
                    .filter(|n| n.starts_with("sycl_"))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let (here, absent) = (names(supported), names(others));
    assert!(here.len() > 50 && absent.len() > 40, "{} {}", here.len(), absent.len());
    for name in &absent {
        assert!(!here.contains(name), "{name} is in two tables");
        assert!(!defined.contains_key(&name.to_uppercase()), "the macro of {name} is defined");
    }
    for row in supported.lines().filter(|line| line.starts_with("| `sycl_")) {
        let cell = row.split('|').nth(3).unwrap_or_default();
        for header in cell.split('`').filter(|h| h.ends_with(".hpp") && !h.contains('*')) {
            assert!(include.join(header).exists(), "{header} does not exist");
        }
    }
}
