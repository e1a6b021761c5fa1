//! Tests that a process may end at any time: while kernels run, while host tasks block, and with
//! commands that will never be ready.

use std::ffi::c_void;
use std::process;
use std::time::{Duration, Instant};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::compiler::NoCompiler;
use scythe_hal::{Command, FunctorBytes, HostKernelWork, HostWork, Work};

const CHILD: &str = "SCYTHE_TEST_EXIT_CHILD";

unsafe extern "C" fn for_ever(_: *const c_void, _: *const HostBox) {
    loop {
        std::hint::spin_loop();
    }
}

/// The child process: submits commands that never end, and exits.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let backend = scythe_backend_cpu::backend(&NoCompiler);
    let queue = backend.devices()[0].create_host_queue(false).unwrap().unwrap();
    let kernel = || {
        HostWork::Kernel(Box::new(HostKernelWork {
            call: for_ever,
            functor: FunctorBytes::new(&[]),
            shape: Shape::Range,
            global_size: [1000, 1, 1],
            local_size: [1; 3],
            global_offset: [0; 3],
        }))
    };
    for _ in 0..4 {
        // SAFETY: the work touches nothing.
        let event = unsafe { queue.enqueue_host(Command::new(kernel(), &[])) }.unwrap();
        // SAFETY: as above.
        drop(unsafe { queue.enqueue(Command::new(Work::Marker, &[event])) }.unwrap());
    }
    let blocking = HostWork::Task(Box::new(|| {
        std::thread::sleep(Duration::from_secs(3600));
        Ok(())
    }));
    // SAFETY: as above.
    drop(unsafe { queue.enqueue_host(Command::new(blocking, &[])) }.unwrap());
    std::thread::sleep(Duration::from_millis(20));
}

#[test]
fn process_ends_while_commands_run() {
    let start = Instant::now();
    let mut child = process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--test-threads=1"])
        .env(CHILD, "1")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("the process did not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
}
