//! Checks that the memory of `device_global` variables lives as long as commands may use it.

mod common;

use std::time::{Duration, Instant};

use common::Machine;
use scythe::device_global;
use scythe::queue::{Action, Order};
use scythe_abi::aspect::Aspect;

#[test]
fn memory_outlives_commands_of_a_context_that_is_gone() {
    let machine = Machine::with_device(
        |info| info.aspects.push(Aspect::UsmDeviceAllocations as u32),
        0,
        |_, _| Ok(()),
    );
    let queue = machine.queue(machine.device, false);
    let memory =
        device_global::memory(machine.device, queue.context.id, "outlives", 4).expect("memory");
    assert!(machine.device_backend.owns(memory.address, 4));
    drop(memory);
    machine.device_backend.pause();
    // SAFETY: a marker contains no address.
    let command = unsafe { queue.submit(Action::Marker, Order::default()) }.expect("submitted");
    drop(queue);
    assert_eq!(machine.device_backend.allocations(), 1, "the command is under way");
    machine.device_backend.resume();
    command.event.wait().expect("it ends");
    let start = Instant::now();
    while machine.device_backend.allocations() > 0 {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "the context and its last command are gone"
        );
        std::thread::yield_now();
    }
}
