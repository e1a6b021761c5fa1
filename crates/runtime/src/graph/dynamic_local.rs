//! Local memory whose size changes after its kernel was added to a graph: the classes
//! `dynamic_work_group_memory` and `dynamic_local_accessor`.
//!
//! The first word of such an object is a number, where other local accessors have a small number
//! that nobody reads. An update finds the objects with the number in the kernels of all graphs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Weak};

use super::body::Body;
use crate::platform::Device;
use crate::{Result, lock};

/// The smallest number.
const FIRST: u64 = 1 << 62;

struct Objects {
    /// The commands that may contain such objects.
    bodies: Vec<(Weak<Body>, &'static Device)>,
    /// The words after the number, of objects that were updated. Copies that the program made
    /// before an update have older words.
    latest: BTreeMap<u64, Vec<u8>>,
}

static OBJECTS: Mutex<Objects> =
    Mutex::new(Objects { bodies: Vec::new(), latest: BTreeMap::new() });

/// Returns a number that no other object has.
pub fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(FIRST);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Returns whether the first word of a local accessor is a number of this module.
pub fn is_number(word: u64) -> bool {
    word >= FIRST
}

/// Notes a body whose commands contain numbers, and returns the words of updated objects.
pub fn note(body: Weak<Body>, device: &'static Device, numbers: &[u64]) -> Vec<(u64, Vec<u8>)> {
    let mut objects = lock(&OBJECTS);
    objects.bodies.retain(|(known, _)| known.strong_count() != 0 && !known.ptr_eq(&body));
    objects.bodies.push((body, device));
    let words = |number: &u64| Some((*number, objects.latest.get(number)?.clone()));
    numbers.iter().filter_map(words).collect()
}

/// Replaces the words after the number in all kernels that contain it.
pub fn update(number: u64, words: &[u8]) -> Result<()> {
    let mut objects = lock(&OBJECTS);
    objects.latest.insert(number, words.to_vec());
    let bodies = objects.bodies.clone();
    drop(objects);
    for (body, device) in bodies {
        if let Some(body) = body.upgrade() {
            body.set_local(device, number, words)?;
        }
    }
    Ok(())
}
