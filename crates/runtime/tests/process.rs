//! Tests of whole processes: C programs that link `libscythe.so`, and how they exit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Returns the directory of the shared library, where cargo put it: next to the directory of this
/// test.
fn library_dir() -> PathBuf {
    let exe = std::env::current_exe().expect("the test's path");
    let deps = exe.parent().expect("a folder");
    deps.parent().filter(|dir| dir.join("libscythe.so").exists()).unwrap_or(deps).to_owned()
}

/// The common start of the programs.
const PRELUDE: &str = r#"
#include "sycl/detail/abi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define CHECK(call) \
  do { \
    int status = (call); \
    if (status) { \
      fprintf(stderr, "%s: %d %s\n", #call, status, scythe_last_error()); \
      exit(3); \
    } \
  } while (0)
static scythe_device device;
static scythe_context context;
static scythe_queue open_queue(unsigned flags) {
  scythe_queue queue;
  CHECK(scythe_device_get(0, 0, &device));
  CHECK(scythe_context_create(&device, 1, &context));
  CHECK(scythe_queue_create(context, device, flags, &queue));
  return queue;
}
static void submit_host(scythe_queue queue, scythe_host_kernel call, void *arg, uint64_t n) {
  scythe_command command;
  memset(&command, 0, sizeof command);
  command.kind = SCYTHE_COMMAND_KERNEL;
  command.u.kernel.host = call;
  command.u.kernel.functor = &arg;
  command.u.kernel.functor_size = sizeof arg;
  command.u.kernel.shape = SCYTHE_SHAPE_RANGE;
  command.u.kernel.dims = 1;
  command.u.kernel.global_size[0] = n;
  command.u.kernel.global_size[1] = command.u.kernel.global_size[2] = 1;
  for (int d = 0; d < 3; ++d) command.u.kernel.local_size[d] = 1;
  CHECK(scythe_submit(queue, &command, 0));
}
static void nap(const void *functor, const scythe_host_box *box) { usleep(100000); }
"#;

struct Program {
    dir: PathBuf,
    exe: PathBuf,
}

impl Program {
    fn build(name: &str, body: &str) -> Self {
        let dir =
            std::env::temp_dir().join(format!("scythe-process-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a temporary folder");
        let (source, exe) = (dir.join("main.c"), dir.join("main"));
        std::fs::write(&source, format!("{PRELUDE}{body}")).expect("write the program");
        let libraries = library_dir();
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-g", "-w", "-I"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include"))
            .arg(&source)
            .arg("-o")
            .arg(&exe)
            .arg("-L")
            .arg(&libraries)
            .args(["-lscythe", "-ldl", "-lpthread"])
            .arg(format!("-Wl,-rpath,{}", libraries.display()))
            .output()
            .expect("start cc");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Self { dir, exe }
    }

    /// Runs the program and returns its output. The program must succeed and must exit in time.
    fn run(&self) -> String {
        self.run_by(Command::new(&self.exe), Duration::from_secs(20))
    }

    /// Runs the program under valgrind, if it is installed: there must be no invalid access and no
    /// memory that is definitely lost.
    fn check_memory(&self) {
        if Command::new("valgrind").arg("--version").output().is_err() {
            return;
        }
        let mut command = Command::new("valgrind");
        command
            .args([
                "-q",
                "--error-exitcode=99",
                "--leak-check=full",
                "--errors-for-leak-kinds=definite",
            ])
            .args(["--show-leak-kinds=definite", "--fair-sched=yes"])
            .arg(&self.exe);
        self.run_by(command, Duration::from_secs(120));
    }

    fn run_by(&self, mut command: Command, limit: Duration) -> String {
        let (out, err) = (self.dir.join("out"), self.dir.join("err"));
        command.stdout(std::fs::File::create(&out).expect("a file"));
        command.stderr(std::fs::File::create(&err).expect("a file"));
        let mut child = command.env("SCYTHE_CPU_THREADS", "2").spawn().expect("start the program");
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("the child's status") {
                break status;
            }
            if start.elapsed() > limit {
                // The child may have exited in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                panic!("the program did not end within {limit:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let errors = std::fs::read_to_string(&err).expect("standard error");
        assert!(status.success(), "{status}\n{errors}");
        std::fs::read_to_string(&out).expect("standard output")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A directory that remains is not a failure.
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

#[test]
fn a_program_that_submits_nothing_starts_no_thread() {
    let program = Program::build(
        "idle",
        r#"
#include <dirent.h>
int main(void) {
  uint32_t count;
  scythe_queue queue = open_queue(0);
  CHECK(scythe_platform_count(&count));
  DIR *tasks = opendir("/proc/self/task");
  int threads = 0;
  for (struct dirent *e; (e = readdir(tasks));) threads += e->d_name[0] != '.';
  closedir(tasks);
  printf("%u %d\n", count, threads);
  scythe_queue_release(queue);
  scythe_context_release(context);
}
"#,
    );
    assert_eq!(program.run(), "1 1\n");
    program.check_memory();
}

#[test]
fn main_may_return_with_commands_in_flight() {
    let program = Program::build(
        "inflight",
        r#"
static int done[64];
static void work(const void *functor, const scythe_host_box *box) {
  int *to = *(int **)functor;
  usleep(20000);
  for (uint64_t i = box->begin[0]; i < box->end[0]; ++i) to[i] = 1;
}
static void at_end(void) {
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += done[i];
  printf("%d\n", sum);
}
int main(void) {
  atexit(at_end); /* runs after the runtime's own, which is registered later */
  scythe_queue queue = open_queue(SCYTHE_QUEUE_IN_ORDER);
  for (int i = 0; i < 4; ++i) submit_host(queue, work, done, 64);
  scythe_queue_release(queue);
  scythe_context_release(context);
  return 0;
}
"#,
    );
    assert_eq!(program.run(), "64\n");
    program.check_memory();
}

#[test]
fn a_command_that_never_gets_its_turn_does_not_hold_up_the_end() {
    let program = Program::build(
        "held",
        r#"
int main(void) {
  scythe_queue queue = open_queue(SCYTHE_QUEUE_IN_ORDER);
  static int data[16];
  scythe_buffer_desc desc = {sizeof data, 4, data, 0, 0};
  static scythe_buffer buffer;
  CHECK(scythe_buffer_create(&desc, &buffer));
  static scythe_host_access access;
  void *at;
  CHECK(scythe_host_access_begin(buffer, SCYTHE_ACCESS_READ_WRITE, 0, &at, &access));
  scythe_requirement need = {buffer, SCYTHE_ACCESS_READ_WRITE, 0};
  int value = 5;
  scythe_command command;
  memset(&command, 0, sizeof command);
  command.kind = SCYTHE_COMMAND_FILL_VIEW;
  command.requirements = &need;
  command.requirement_count = 1;
  command.u.fill.dst.buffer = buffer;
  command.u.fill.dst.elem_size = 4;
  for (int d = 0; d < 3; ++d) command.u.fill.dst.memory_range[d] = command.u.fill.dst.range[d] = d ? 1 : 16;
  command.u.fill.pattern = &value;
  CHECK(scythe_submit(queue, &command, 0));
  puts(scythe_queue_is_empty(queue) ? "empty" : "waiting");
  return 0;
}
"#,
    );
    assert_eq!(program.run(), "waiting\n");
}

#[test]
fn destructors_may_call_after_main() {
    let program = Program::build(
        "late",
        r#"
static scythe_queue queue;
static scythe_buffer buffer;
static int data[16];
static void touch(const void *functor, const scythe_host_box *box) { (*(int **)functor)[0] += 1; }
__attribute__((constructor)) static void early(void) {
  queue = open_queue(0);
  scythe_buffer_desc desc = {sizeof data, 4, data, 0, 0};
  CHECK(scythe_buffer_create(&desc, &buffer));
}
__attribute__((destructor)) static void late(void) {
  submit_host(queue, touch, data, 1);
  CHECK(scythe_queue_wait(queue));
  scythe_buffer_release(buffer);
  scythe_queue_release(queue);
  scythe_context_release(context);
  printf("%d\n", data[0]);
  fflush(stdout);
}
int main(void) {
  submit_host(queue, touch, data, 1);
  CHECK(scythe_queue_wait(queue));
  return 0;
}
"#,
    );
    assert_eq!(program.run(), "2\n");
    program.check_memory();
}

#[test]
fn exit_beside_running_kernels_ends_the_process() {
    let program = Program::build(
        "exit",
        r#"
int main(void) {
  scythe_queue queue = open_queue(0);
  for (int i = 0; i < 4; ++i) submit_host(queue, nap, 0, 1);
  puts("leaving");
  exit(0);
}
"#,
    );
    assert_eq!(program.run(), "leaving\n");
}

#[test]
fn a_host_task_may_end_the_process() {
    let program = Program::build(
        "task",
        r#"
static void leave(void *context) {
  puts("left");
  exit(0);
}
int main(void) {
  scythe_queue queue = open_queue(SCYTHE_QUEUE_IN_ORDER);
  scythe_command command;
  memset(&command, 0, sizeof command);
  command.kind = SCYTHE_COMMAND_HOST_TASK;
  command.u.host_task.call = leave;
  CHECK(scythe_submit(queue, &command, 0));
  CHECK(scythe_queue_wait(queue));
  return 1;
}
"#,
    );
    let start = Instant::now();
    assert_eq!(program.run(), "left\n");
    assert!(start.elapsed() < Duration::from_secs(8), "it does not wait for itself");
}

#[test]
fn everyday_use_leaves_no_memory_behind() {
    let program = Program::build(
        "everyday",
        r#"
static void add(const void *functor, const scythe_host_box *box) {
  int *to = *(int **)functor;
  for (uint64_t i = box->begin[0]; i < box->end[0]; ++i) to[i] += 1;
}
int main(void) {
  scythe_queue queue = open_queue(SCYTHE_QUEUE_IN_ORDER);
  int *memory = 0;
  CHECK(scythe_usm_alloc(context, device, SCYTHE_USM_SHARED, 1000 * sizeof(int), 0, (void **)&memory));
  memset(memory, 0, 1000 * sizeof(int));
  for (int i = 0; i < 50; ++i) submit_host(queue, add, memory, 1000);
  CHECK(scythe_queue_wait(queue));
  int data[100] = {0};
  scythe_buffer_desc desc = {sizeof data, 4, data, SCYTHE_BUFFER_READ_ONLY_HOST, 0};
  scythe_buffer buffer, part;
  CHECK(scythe_buffer_create(&desc, &buffer));
  CHECK(scythe_buffer_create_sub(buffer, 40, 80, &part));
  scythe_host_access access;
  void *at;
  CHECK(scythe_host_access_begin(part, SCYTHE_ACCESS_READ, 0, &at, &access));
  scythe_host_access_end(access);
  scythe_buffer_release(part);
  scythe_buffer_release(buffer);
  scythe_event event;
  scythe_command command;
  memset(&command, 0, sizeof command);
  CHECK(scythe_submit(queue, &command, &event));
  CHECK(scythe_event_wait(event));
  scythe_event_release(event);
  printf("%d\n", memory[999]);
  CHECK(scythe_usm_free(context, memory));
  scythe_queue_release(queue);
  scythe_context_release(context);
}
"#,
    );
    assert_eq!(program.run(), "50\n");
    program.check_memory();
}

#[test]
fn a_bad_setting_is_the_first_calls_error() {
    let program = Program::build(
        "setting",
        r#"
int main(void) {
  uint32_t count;
  setenv("SCYTHE_CPU_THREADS", "several", 1);
  int status = scythe_platform_count(&count);
  printf("%d %s\n", status, scythe_last_error());
}
"#,
    );
    let expected = "1 environment variable SCYTHE_CPU_THREADS is 'several', expected a number from \
        1 to 1024\n";
    assert_eq!(program.run(), expected);
}

#[test]
fn a_library_registers_when_opened_and_leaves_when_closed() {
    let library = r#"
struct image { const void *start, *end; };
struct descriptor { int count; const struct image *images; };
static const char bytes[] = "nonsense";
static const struct image images[] = {{bytes, bytes + 8}};
static const struct descriptor descriptor = {1, images};
void __tgt_register_lib(const void *);
void __tgt_unregister_lib(const void *);
__attribute__((constructor)) static void in(void) { __tgt_register_lib(&descriptor); }
__attribute__((destructor)) static void out(void) { __tgt_unregister_lib(&descriptor); }
"#;
    let program = Program::build(
        "opened",
        r#"
static void look(scythe_queue queue) {
  scythe_command command;
  memset(&command, 0, sizeof command);
  command.kind = SCYTHE_COMMAND_KERNEL;
  command.u.kernel.name = "_ZTS1K";
  command.u.kernel.dims = 1;
  for (int d = 0; d < 3; ++d) command.u.kernel.global_size[d] = command.u.kernel.local_size[d] = 1;
  if (scythe_submit(queue, &command, 0)) puts(scythe_last_error());
}
int main(int argc, char **argv) {
  char path[4096];
  snprintf(path, sizeof path, "%s.so", argv[0]);
  scythe_queue queue = open_queue(0);
  for (int i = 0; i < 2; ++i) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    look(queue);
    dlclose(library);
    look(queue);
  }
  scythe_queue_release(queue);
  scythe_context_release(context);
}
"#,
    );
    let source = program.dir.join("library.c");
    std::fs::write(&source, library).expect("write the library");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-g"])
        .arg(&source)
        .arg("-o")
        .arg(program.exe.with_extension("so"));
    assert!(compiler.status().expect("start cc").success());
    let opened = "no device image contains kernel '_ZTS1K' (1 registered); image 0: not a device \
        image: \
                  it starts with \"nonsense\", expected \"SCYTHEIM\"\n";
    let closed = "no device image contains kernel '_ZTS1K' (0 registered); link the program with \
        scythe -fsycl\n";
    assert_eq!(program.run(), [opened, closed, opened, closed].concat());
    program.check_memory();
}
