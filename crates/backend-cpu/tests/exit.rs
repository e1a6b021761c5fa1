//! A process may end at any time: while kernels run, while host tasks block, with commands that
//! never will be ready.

use std::ffi::c_void;
use std::process::Command;
use std::time::{Duration, Instant};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::compiler::NoCompiler;
use scythe_hal::{FunctorBytes, HostKernelWork, Work};

const CHILD: &str = "SCYTHE_TEST_EXIT_CHILD";

unsafe extern "C" fn for_ever(_: *const c_void, _: *const HostBox) {
    loop {
        std::hint::spin_loop();
    }
}

/// What the child process does: it fills the device with commands that never end, and leaves.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let backend = scythe_backend_cpu::backend(&NoCompiler);
    let queue = backend.devices()[0].create_queue(false).unwrap();
    let kernel = || {
        Work::HostKernel(Box::new(HostKernelWork {
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
        let event = unsafe { queue.enqueue(kernel(), &[], None) }.unwrap();
        // SAFETY: as above.
        drop(unsafe { queue.enqueue(Work::Marker, &[event], None) }.unwrap());
    }
    let blocking = Work::HostTask(Box::new(|| {
        std::thread::sleep(Duration::from_secs(3600));
        Ok(())
    }));
    // SAFETY: as above.
    drop(unsafe { queue.enqueue(blocking, &[], None) }.unwrap());
    std::thread::sleep(Duration::from_millis(20));
}

#[test]
fn process_ends_while_commands_run() {
    let start = Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap())
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
