//! Tests the driver's guarantees about the execution of steps, with scripts in place of clang and
//! the tools.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::tree::{SYCL, Tree, start};

/// Writes a fake clang that answers `--version`, sets `$pass` (`device`, `host` or `link`) and
/// `$out`, then executes `body`. The host pass writes an object.
fn clang(tree: &Tree, body: &str) -> String {
    let folder = tree.tmp().parent().unwrap().to_owned();
    std::fs::write(folder.join("host.s"), "").unwrap();
    let object = folder.join("host.o");
    let made = std::process::Command::new("cc")
        .arg("-c")
        .arg(folder.join("host.s"))
        .arg("-o")
        .arg(&object)
        .status();
    assert!(made.unwrap().success());
    let object = object.display();
    let path = tree.script(
        "clang",
        &format!(
            "[ \"$1\" = --version ] && {{ echo 'clang version 22.1.8'; exit; }}\n\
             pass=link; prev=; out=\n\
             for a in \"$@\"; do\n\
               case $a in -fsycl-device-only) pass=device;; -fsycl-is-host) pass=host;; esac\n\
               case $a in *-functors=*) echo scythe functors 1 > \"${{a#*-functors=}}\";; esac\n\
               [ \"$prev\" = -o ] && out=$a; prev=$a\n\
             done\n[ $pass = host ] && trap 'status=$?; [ $status != 0 ] || cp {object} $out; exit \
             $status' EXIT\n{body}"
        ),
    );
    format!("--scythe-clang={}", path.display())
}

/// Checks that the current folder contains only `expected`, and that the temporary folder is empty.
#[track_caller]
fn left(tree: &Tree, expected: &[&str]) {
    let mut names = tree.names(&tree.cwd());
    names.retain(|n| n != "clang");
    assert_eq!(names, expected);
    assert_eq!(tree.names(&tree.tmp()), Vec::<String>::new());
}

#[test]
fn a_program_is_made_and_nothing_else_remains() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let clang = clang(&tree, "echo $pass > $out");
    let outcome = tree.scythe(&["-fsycl", &clang, "a.cpp", "-o", "app"]);
    assert_eq!((outcome.status, outcome.text.as_str()), (Some(0), ""));
    left(&tree, &["a.cpp", "app"]);
}

#[test]
fn a_failed_link_leaves_the_old_output() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    tree.write("app", "old");
    let clang = clang(&tree, "echo $pass > $out; [ $pass != link ] || exit 7");
    let outcome = tree.scythe(&["-fsycl", &clang, "a.cpp", "-o", "app"]);
    assert_eq!(outcome.status, Some(7));
    left(&tree, &["a.cpp", "app"]);
    assert_eq!(std::fs::read_to_string(tree.cwd().join("app")).unwrap(), "old");
}

#[test]
fn what_depends_on_a_failure_does_not_run() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let log = tree.tmp().parent().unwrap().join("log");
    tree.script("prefix/bin/scythe-tools", &format!("echo tools >> {}", log.display()));
    let clang =
        clang(&tree, &format!("echo $pass >> {}; [ $pass != device ] || exit 3", log.display()));
    let outcome = tree.scythe(&["-fsycl", &clang, "a.cpp", "-o", "app"]);
    assert_eq!(outcome.status, Some(3));
    let mut ran: Vec<String> =
        std::fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
    ran.sort();
    assert_eq!(ran, ["device", "host"]);
    left(&tree, &["a.cpp"]);
}

#[test]
fn both_passes_run_at_the_same_time() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    // Each pass waits for the marker file of the other pass.
    let clang = clang(
        &tree,
        "t=$(dirname $out); : > $t/$pass.mark\n\
         case $pass in device) other=host;; host) other=device;; *) exit 0;; esac\n\
         for i in $(seq 200); do [ -e $t/$other.mark ] && exit 0; sleep 0.05; done; exit 9",
    );
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    if processors > 1 {
        let outcome = tree.scythe(&["-fsycl", &clang, "-c", "a.cpp"]);
        assert!(!outcome.text.contains("status"), "{}", outcome.text);
        // Bundling two empty files fails, after both passes succeeded.
        assert_eq!(outcome.status, Some(1), "{}", outcome.text);
    }
}

#[test]
fn the_same_message_of_both_passes_comes_once() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let clang = clang(
        &tree,
        "echo 'a.cpp:1:2: error: wrong' >&2\n\
         [ $pass = device ] && echo 'a.cpp:9:9: note: called by kernel' >&2\n\
         echo '1 error generated.' >&2; exit 1",
    );
    let outcome = tree.scythe(&["-fsycl", &clang, "-c", "a.cpp"]);
    let expected =
        "a.cpp:1:2: error: wrong\na.cpp:9:9: note: called by kernel\n1 error generated.\n";
    assert_eq!((outcome.status, outcome.text.as_str()), (Some(1), expected));
    left(&tree, &["a.cpp"]);
}

#[test]
fn a_killed_step_is_reported() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let clang = clang(&tree, "[ $pass != host ] || kill -SEGV $$");
    let outcome = tree.scythe(&["-fsycl", &clang, "a.cpp"]);
    assert_eq!(outcome.status, Some(139));
    assert!(outcome.text.contains("was terminated by signal 11 (SIGSEGV)"), "{}", outcome.text);
}

#[test]
fn an_interrupted_driver_ends_its_children_and_cleans_up() {
    use std::os::unix::process::ExitStatusExt;
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let mark = tree.tmp().parent().unwrap().join("mark");
    let clang =
        clang(&tree, &format!("echo x > $out; echo $$ >> {}; exec sleep 60", mark.display()));
    let mut child = start(tree.command(&["-fsycl", &clang, "a.cpp"]).stderr(Stdio::null()));
    let started = Instant::now();
    while !std::fs::read_to_string(&mark).is_ok_and(|t| t.ends_with('\n')) {
        assert!(started.elapsed() < Duration::from_secs(20), "no step started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: the child has not been waited for, so its process id still refers to it.
    unsafe { libc::kill(pid, libc::SIGTERM) };
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(libc::SIGTERM));
    assert!(started.elapsed() < Duration::from_secs(20), "the driver waited for its steps");
    for step in std::fs::read_to_string(&mark).unwrap().lines() {
        assert!(!std::path::Path::new("/proc").join(step).exists(), "step {step} still runs");
    }
    left(&tree, &["a.cpp"]);
}

#[test]
fn a_source_without_sycl_starts_no_device_step() {
    let tree = Tree::new();
    tree.write("a.cpp", "#include <vector>\nint main() {}\n");
    let log = tree.tmp().parent().unwrap().join("log");
    let log_name = log.display();
    tree.script("prefix/bin/scythe-tools", &format!("echo tools >> {log_name}"));
    let clang = clang(&tree, &format!("echo $pass >> {log_name}; : > $out"));
    let foreign = tree.script(
        "foreign",
        &format!("echo foreign >> {log_name}; while [ $# -gt 1 ]; do shift; done; : > $1"),
    );
    assert_eq!(tree.scythe(&["-fsycl", &clang, "a.cpp", "-o", "app"]).status, Some(0));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "host\nlink\n");
    std::fs::remove_file(&log).unwrap();
    let compiler = format!("-fsycl-host-compiler={}", foreign.display());
    assert_eq!(tree.scythe(&["-fsycl", &clang, &compiler, "a.cpp", "-o", "app"]).status, Some(0));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "foreign\nlink\n");
}

#[test]
fn dependencies_of_all_passes_are_in_one_file() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let body = "prev=; for a in \"$@\"; do [ \"$prev\" = -MF ] && echo \"a.o: a.cpp $pass.h\" > \
        $a; prev=$a; done; : > $out";
    let clang = clang(&tree, body);
    let outcome = tree.scythe(&["-fsycl", &clang, "-MD", "-MP", "a.cpp", "-o", "app"]);
    assert_eq!((outcome.status, outcome.text.as_str()), (Some(0), ""));
    let expected = "a.o: \\\n  a.cpp \\\n  host.h \\\n  device.h\nhost.h:\ndevice.h:\n";
    assert_eq!(std::fs::read_to_string(tree.cwd().join("app.d")).unwrap(), expected);
    left(&tree, &["a.cpp", "app", "app.d"]);
}

#[test]
fn an_interrupted_device_link_leaves_nothing() {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    tree.write("app", "old");
    let mark = tree.tmp().parent().unwrap().join("mark");
    tree.script(
        "prefix/bin/scythe-tools",
        &format!("echo half > $3; echo x > {}; exec sleep 60", mark.display()),
    );
    let clang = clang(&tree, ": > $out");
    let mut command = tree.command(&["-fsycl", &clang, "a.cpp", "-o", "app"]);
    // A test that runs in the background may have inherited that the signal is ignored, and the
    // driver would keep ignoring it.
    // SAFETY: 'signal' is safe to call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        })
    };
    let mut child = start(command.stderr(Stdio::null()));
    let started = Instant::now();
    while !mark.exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "the device link did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    // SAFETY: the child has not been waited for, so its process id still refers to it.
    unsafe { libc::kill(libc::pid_t::try_from(child.id()).unwrap(), libc::SIGINT) };
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGINT));
    left(&tree, &["a.cpp", "app"]);
    assert_eq!(std::fs::read_to_string(tree.cwd().join("app")).unwrap(), "old");
}

#[test]
fn standard_input_reaches_both_passes() {
    let tree = Tree::new();
    let log = tree.tmp().parent().unwrap().join("log");
    let clang = clang(
        &tree,
        &format!("[ $pass = link ] || echo \"$pass $(cat)\" >> {}; : > $out", log.display()),
    );
    let mut child = start(
        tree.command(&["-fsycl", &clang, "-x", "c++", "-", "-o", "app"]).stdin(Stdio::piped()),
    );
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"int x;").unwrap();
    assert!(child.wait().unwrap().success());
    let mut seen: Vec<String> =
        std::fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
    seen.sort();
    assert_eq!(seen, ["device int x;", "host int x;"]);
    left(&tree, &["app"]);
}

#[test]
fn an_output_folder_that_does_not_exist_is_named() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let clang = clang(&tree, ": > $out");
    let outcome = tree.scythe(&["-fsycl", &clang, "a.cpp", "-o", "no/app"]);
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.text.starts_with("scythe: error: cannot write 'no/app': No such file"),
        "{}",
        outcome.text
    );
}

#[test]
fn a_device_is_written_in_place() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let clang = clang(&tree, "[ $pass != link ] || [ $out = /dev/null ] || exit 4; : > $out");
    assert_eq!(tree.scythe(&["-fsycl", &clang, "a.cpp", "-o", "/dev/null"]).status, Some(0));
    left(&tree, &["a.cpp"]);
}

#[test]
fn another_clang_is_refused_with_what_to_install() {
    let tree = Tree::new();
    tree.write("a.cpp", SYCL);
    let old = tree.script("old", "echo 'clang version 14.0.6'");
    let outcome = tree.scythe(&["-fsycl", &format!("--scythe-clang={}", old.display()), "a.cpp"]);
    assert_eq!(outcome.status, Some(1));
    for word in ["clang 14.0.6", "clang 22.1", "apt-get install clang-22"] {
        assert!(outcome.text.contains(word), "{}", outcome.text);
    }
}

#[test]
fn without_sycl_it_is_clang() {
    let tree = Tree::new();
    let clang = tree.script("plain", "echo \"[$*]\"; exit 5");
    let outcome =
        tree.scythe(&[&format!("--scythe-clang={}", clang.display()), "-O2", "a.cpp", "-weird"]);
    assert_eq!((outcome.status, outcome.text.as_str()), (Some(5), "[-O2 a.cpp -weird]\n"));
}

#[test]
fn clang_answers_questions_without_inputs() {
    let tree = Tree::new();
    let clang = tree.script("plain", "echo \"[$*]\"");
    let clang = format!("--scythe-clang={}", clang.display());
    for question in ["-v", "-Wl,--version", "-Wl,-v"] {
        let outcome = tree.scythe(&[&clang, "-fsycl", "-O2", question]);
        assert_eq!((outcome.status, outcome.text), (Some(0), format!("[-O2 {question}]\n")));
    }
}

#[test]
fn versions_and_help_are_printed() {
    let tree = Tree::new();
    let clang = clang(&tree, "exit 1");
    let version = tree.scythe(&[&clang, "--version"]);
    assert_eq!(version.status, Some(0));
    assert!(
        version.text.starts_with("clang version 22.1.8")
            && version.text.contains(concat!("scythe version ", env!("CARGO_PKG_VERSION")))
    );
    let help = tree.scythe(&["--help"]);
    assert!(help.text.contains("-fsycl-host-compiler=PROGRAM"), "{}", help.text);
}

#[test]
fn a_full_disk_is_an_error() {
    let tree = Tree::new();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device exists");
    let mut command = tree.command(&["--help"]);
    let output = command.stdout(full).stderr(std::process::Stdio::piped()).output();
    let output = output.expect("the driver runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    let expected = "scythe: error: cannot write 'standard output': No space left on device";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn inputs_for_a_linker_that_does_not_run_are_named() {
    let tree = Tree::new();
    let clang = clang(&tree, "exit 0");
    tree.write("a.o", "");
    let outcome = tree.scythe(&[&clang, "-fsycl", "-c", "a.o"]);
    assert_eq!(outcome.text, "scythe: warning: a.o: 'linker' input unused\n");
    let silent = tree.scythe(&[&clang, "-fsycl", "-c", "a.o", "-Qunused-arguments"]);
    assert_eq!(silent.text, "");
}
