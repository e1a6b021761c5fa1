//! The state of one kernel symbol, and the slots in host programs that point to it.
//!
//! A symbol has one [`Entry`] for the lifetime of the process, and another for each library that
//! defines its own kernel with that symbol. Slots may therefore point to an entry without a
//! reference count. The data of an entry carries the generation in which it was determined. Each
//! registration and each removal starts a new generation.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::choice::{self, Ranked, rank};
use super::image::{BuiltProgram, oldest_values};
use super::ready::{Expected, ReadyKernel, check};
use super::{Constants, DeviceInContext, GENERATION, Home, REGISTRY, no_image};
use crate::demangle::symbol_name;
use crate::platform::Device;
use crate::{Errc, Error, Result, lock, settings};

/// The state of one kernel symbol.
pub struct Entry {
    pub(super) symbol: String,
    pub(super) home: Home,
    /// The symbol as a C string.
    pub(super) c_symbol: CString,
    pub(super) ready: Mutex<Vec<Ready>>,
}

pub(super) struct Ready {
    pub(super) device: u32,
    pub(super) constants: Constants,
    /// The context, or 0 if the kernel is the same in all contexts because its images have no
    /// `device_global`.
    pub(super) context: u64,
    pub(super) generation: u64,
    /// The images that the kernel was built from, the kernel's own first. They determine which
    /// kernels to drop when an image is removed.
    pub(super) images: Vec<u64>,
    pub(super) kernel: Arc<ReadyKernel>,
}

/// A kernel slot: memory of a host program in which the runtime caches a lookup.
///
/// The two words are written one after the other, so a reader may see a new generation with an
/// older entry. That entry is for the same kernel name and is never freed. If its image was
/// removed, it has no kernel for the generation, and the lookup starts again.
pub struct Slot<'a> {
    pub entry: &'a AtomicPtr<c_void>,
    pub generation: &'a AtomicU64,
}

impl Slot<'_> {
    /// Returns the cached entry as a number, and the generation, if that is the current one.
    pub fn content(&self) -> Option<(usize, u64)> {
        let generation = GENERATION.load(Ordering::Acquire);
        let current = self.generation.load(Ordering::Acquire) == generation;
        current.then(|| (self.entry.load(Ordering::Acquire) as usize, generation))
    }
}

impl Ready {
    pub(super) fn is_for(&self, place: DeviceInContext, constants: &[(String, Vec<u8>)]) -> bool {
        let context = self.context == 0 || self.context == place.context;
        self.device == place.device.id && context && *self.constants == *constants
    }
}

impl Entry {
    pub(super) fn find(
        &self,
        place: DeviceInContext,
        generation: u64,
        constants: &[(String, Vec<u8>)],
    ) -> Option<Arc<ReadyKernel>> {
        let ready = lock(&self.ready);
        let fits = |r: &&Ready| r.is_for(place, constants) && r.generation == generation;
        ready.iter().find(fits).map(|r| r.kernel.clone())
    }

    /// Returns the kernel from an earlier generation and assigns it to this one.
    pub(super) fn renew(
        &self,
        place: DeviceInContext,
        images: &[u64],
        generation: u64,
        constants: &Constants,
    ) -> Option<Arc<ReadyKernel>> {
        let mut ready = lock(&self.ready);
        let known = ready.iter_mut().find(|r| r.is_for(place, constants) && r.images == images)?;
        known.generation = generation;
        Some(known.kernel.clone())
    }

    /// Records a kernel, unless another thread has recorded one before. Returns the recorded
    /// kernel.
    pub(super) fn remember(
        &self,
        place: DeviceInContext,
        images: Vec<u64>,
        generation: u64,
        (kernel, context): (Arc<ReadyKernel>, u64),
        constants: &Constants,
    ) -> Arc<ReadyKernel> {
        // This is dropped after the locks are released: a driver may wait for its device before it
        // unloads a kernel.
        let mut forgotten = None;
        // Removals acquire both locks in this order.
        let registry = lock(&REGISTRY);
        let mut ready = lock(&self.ready);
        if let Some(known) = ready.iter().find(|r| r.is_for(place, constants) && r.images == images)
        {
            return known.kernel.clone();
        }
        // If one of its images was removed in the meantime, nothing may point to the kernel. Other
        // images may be added and removed: removal does not wait for a kernel that is not recorded.
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

    /// Selects an image for the device, builds it if necessary, and records the kernel.
    pub(super) fn prepare(
        &self,
        expected: Expected,
        place: DeviceInContext,
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
            // A kernel that outlives an unrelated registration must stay the same object, because
            // removal counts its launches.
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
                    // The error of a backend that detects only now that an image does not fit its
                    // device is less informative than other errors.
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

/// Returns the kernel that a slot caches, if it is still valid. This is the fast path, which does
/// not use the kernel's name.
pub fn remembered(
    slot: &Slot<'_>,
    expected: Expected,
    place: DeviceInContext,
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
