//! What the runtime knows of one kernel symbol, and the slots in host programs that point at it.
//!
//! A symbol has one [`Entry`] for the life of the process, and one more for each library with a
//! kernel of its own. Slots may therefore point at an entry without counting. What an entry knows
//! carries the generation in which it was found out. Each registration and each removal begins a
//! new generation.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::choice::{self, Ranked, rank};
use super::image::{BuiltProgram, oldest_values};
use super::ready::{Expected, ReadyKernel, check};
use super::{Constants, GENERATION, Home, Place, REGISTRY, no_image};
use crate::demangle::symbol_name;
use crate::platform::Device;
use crate::{Errc, Error, Result, lock, settings};

/// What the runtime knows of one kernel symbol.
pub struct Entry {
    pub(super) symbol: String,
    pub(super) home: Home,
    /// The same for C.
    pub(super) c_symbol: CString,
    pub(super) ready: Mutex<Vec<Ready>>,
}

pub(super) struct Ready {
    pub(super) device: u32,
    pub(super) constants: Constants,
    /// 0 where it is the same in all: its images have no `device_global`.
    pub(super) context: u64,
    pub(super) generation: u64,
    /// The images it was made of, the kernel's first: tells what to forget when one goes.
    pub(super) images: Vec<u64>,
    pub(super) kernel: Arc<ReadyKernel>,
}

/// A kernel slot: where a host program lets the runtime remember a lookup.
///
/// The two words are written one after the other, so that a reader may see a new generation with an
/// older entry. That entry is for the same kernel name and never freed; when its image is gone, it
/// holds nothing for the generation and the lookup starts over.
pub struct Slot<'a> {
    pub entry: &'a AtomicPtr<c_void>,
    pub generation: &'a AtomicU64,
}

impl Slot<'_> {
    /// What the slot remembers, as a number, and the generation, where that is the current one.
    pub fn content(&self) -> Option<(usize, u64)> {
        let generation = GENERATION.load(Ordering::Acquire);
        let current = self.generation.load(Ordering::Acquire) == generation;
        current.then(|| (self.entry.load(Ordering::Acquire) as usize, generation))
    }
}

impl Ready {
    pub(super) fn is_for(&self, place: Place, constants: &[(String, Vec<u8>)]) -> bool {
        let context = self.context == 0 || self.context == place.context;
        self.device == place.device.id && context && *self.constants == *constants
    }
}

impl Entry {
    pub(super) fn find(
        &self,
        place: Place,
        generation: u64,
        constants: &[(String, Vec<u8>)],
    ) -> Option<Arc<ReadyKernel>> {
        let ready = lock(&self.ready);
        let fits = |r: &&Ready| r.is_for(place, constants) && r.generation == generation;
        ready.iter().find(fits).map(|r| r.kernel.clone())
    }

    /// The kernel remembered from an earlier generation, now of this one.
    pub(super) fn renew(
        &self,
        place: Place,
        images: &[u64],
        generation: u64,
        constants: &Constants,
    ) -> Option<Arc<ReadyKernel>> {
        let mut ready = lock(&self.ready);
        let known = ready.iter_mut().find(|r| r.is_for(place, constants) && r.images == images)?;
        known.generation = generation;
        Some(known.kernel.clone())
    }

    /// Remembers a kernel, unless another thread was quicker, and gives the one that counts.
    pub(super) fn remember(
        &self,
        place: Place,
        images: Vec<u64>,
        generation: u64,
        (kernel, context): (Arc<ReadyKernel>, u64),
        constants: &Constants,
    ) -> Arc<ReadyKernel> {
        // Dropped without the locks: a driver may wait for its device before it unloads a kernel.
        let mut forgotten = None;
        // Removals take both locks in this order.
        let registry = lock(&REGISTRY);
        let mut ready = lock(&self.ready);
        if let Some(known) = ready.iter().find(|r| r.is_for(place, constants) && r.images == images)
        {
            return known.kernel.clone();
        }
        // When one of its images left in the meantime, nothing may point at it. Others may come and
        // go: a kernel that is not remembered is not waited for when its own go.
        if images.iter().all(|&id| registry.images().any(|image| image.id == id)) {
            forgotten = oldest_values(&mut ready, |ready| !ready.constants.is_empty());
            let (device, constants) = (place.device.id, constants.clone());
            ready.push(Ready {
                device,
                context,
                constants,
                generation,
                images,
                kernel: kernel.clone(),
            });
        }
        drop((ready, registry));
        drop(forgotten);
        kernel
    }

    /// Picks an image for the device, builds it where that was not done yet, and remembers the
    /// kernel.
    pub(super) fn prepare(
        &self,
        expected: Expected,
        place: Place,
        generation: u64,
        constants: &Constants,
    ) -> Result<Arc<ReadyKernel>> {
        let device = place.device;
        let registry = lock(&REGISTRY);
        let candidates = registry.candidates(&self.symbol, self.home);
        let fitting: Vec<_> = candidates
            .iter()
            .filter(|c| check(&self.symbol, &c.facts.launch, expected).is_ok())
            .collect();
        if fitting.is_empty() {
            let first = candidates.first().ok_or_else(|| no_image(&self.symbol))?;
            check(&self.symbol, &first.facts.launch, expected)?;
            return Err(Error::new(
                Errc::Kernel,
                format!(
                    "kernel '{}' changed during its lookup: a library was loaded or unloaded",
                    self.symbol
                ),
            ));
        }
        if let Some((first, other)) = choice::conflict(&fitting) {
            let message = format!(
                "two different kernels have the name '{}': {}:{}:{} and {}:{}:{}; rename one of \
                 them",
                self.symbol,
                first.file,
                first.line,
                first.column,
                other.file,
                other.line,
                other.column
            );
            return Err(Error::new(Errc::Kernel, message));
        }
        let (ranked, rejected) = rank(&fitting, &registry, device);
        drop(registry);

        let mut failure = None;
        for found in ranked {
            let tell = |what: &str| {
                if settings::trace().images {
                    let (kernel, device) = (symbol_name(&self.symbol), device.name());
                    settings::trace_line(
                        "images",
                        &format!("kernel '{kernel}' on {device}: {}{what}", found.describe()),
                    );
                }
            };
            tell("");
            let Ranked { candidate, libraries, .. } = &found;
            let images: Vec<u64> =
                std::iter::once(&candidate.image).chain(libraries).map(|image| image.id).collect();
            // A kernel that outlives a registration elsewhere stays the same object: removal counts
            // its launches.
            if let Some(kernel) = self.renew(place, &images, generation, constants) {
                return Ok(kernel);
            }
            let built = candidate.image.program(place, libraries, constants);
            let kernel = |built: BuiltProgram| -> Result<(Arc<ReadyKernel>, u64)> {
                let inner = built.program.kernel(&self.symbol, &candidate.facts.launch)?;
                let kernel =
                    ReadyKernel::new(&self.symbol, inner, candidate.facts.clone(), built.globals);
                Ok((Arc::new(kernel), built.context))
            };
            match built.and_then(kernel) {
                Ok(kernel) => {
                    return Ok(self.remember(place, images, generation, kernel, constants));
                }
                Err(error) => {
                    tell(&format!(", cannot be used: {}", error.message));
                    // A backend that finds out only now that an image is not for its device says
                    // less than other errors.
                    if failure.is_none() || error.code != Errc::KernelNotSupported {
                        failure = Some(error);
                    }
                }
            }
        }
        let failure = failure.map(|error| on_device(&self.symbol, error, device));
        Err(failure
            .or(rejected.map(|rejection| rejection.error(&self.symbol, device)))
            .unwrap_or_else(|| no_image(&self.symbol)))
    }
}

/// The kernel that a slot remembers, where it still does: the quick way, without the kernel's name.
pub fn remembered(
    slot: &Slot<'_>,
    expected: Expected,
    place: Place,
) -> Result<Option<Arc<ReadyKernel>>> {
    let generation = GENERATION.load(Ordering::Acquire);
    if slot.generation.load(Ordering::Acquire) != generation {
        return Ok(None);
    }
    // SAFETY: only this module writes slots, and only addresses of entries, which are never freed.
    let entry = unsafe { slot.entry.load(Ordering::Acquire).cast::<Entry>().as_ref() };
    let kernel = entry.and_then(|entry| entry.find(place, generation, &[]));
    if let Some(kernel) = &kernel {
        kernel.check(expected)?;
    }
    Ok(kernel)
}

pub(super) fn on_device(symbol: &str, error: Error, device: &Device) -> Error {
    Error::new(
        error.code,
        format!("kernel '{}' on {}: {}", symbol_name(symbol), device.name(), error.message),
    )
}
