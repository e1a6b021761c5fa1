//! The libraries that registered images.
//!
//! [`register`] runs before `main`. It records the descriptor and reads no image. [`unregister`]
//! waits until the kernels built from the library's images have finished. These include kernels of
//! other libraries that call its functions. The reference count of a [`ReadyKernel`] shows whether
//! it has finished, because a launch holds a reference until it is done. At the end of the process,
//! [`exit`] has waited before. The wait is limited: removal runs inside `dlclose`, which holds the
//! dynamic loader's lock, and a new worker thread also needs that lock. A kernel that outlives the
//! wait keeps its program, which is a copy. Only memory of the library that was passed to the
//! kernel becomes invalid.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use scythe_abi::tgt::{BinDesc, DeviceImage};
use scythe_hal::library::containing;

use super::holders::Holders;
use super::image::Image;
use super::ready::ReadyKernel;
use super::{GENERATION, REGISTRY};
use crate::{exit, lock, settings};

/// The maximum time that removal waits for kernels.
const PATIENCE: Duration = Duration::from_secs(1);

/// The images of one call of `__tgt_register_lib`.
pub(super) struct Library {
    pub(super) descriptor: usize,
    /// The load address of the file, or 0 if the descriptor is not in a file.
    pub(super) base: usize,
    /// The name of the file.
    pub(super) name: Arc<str>,
    /// The addresses of the images: `(start, end)`.
    pub(super) places: Vec<(usize, usize)>,
    /// The images, read at the first lookup.
    pub(super) images: Option<Vec<Arc<Image>>>,
    /// The errors of images of this library that could not be read.
    pub(super) errors: Vec<String>,
}

impl Library {
    /// Reads the images, if this was not done before.
    pub(super) fn read_images(&mut self, holders: &mut Holders) {
        if self.images.is_some() {
            return;
        }
        let mut images = Vec::new();
        for (index, &(start, end)) in self.places.iter().enumerate() {
            match Image::read((start, end), self.name.clone(), self.base) {
                Ok(image) => images.push(Arc::new(image)),
                Err(why) => self.errors.push(format!("image {index}: {why}")),
            }
        }
        images.iter().for_each(|image| holders.add(image));
        self.images = Some(images);
    }
}

/// Records the images of a library.
///
/// # Safety
/// `descriptor` must be null, or point to a descriptor whose images stay readable until
/// [`unregister`].
pub unsafe fn register(descriptor: *const BinDesc) {
    // SAFETY: the caller guarantees that a non-null pointer points to a valid descriptor.
    let Some(desc) = (unsafe { descriptor.as_ref() }) else { return };
    let count = usize::try_from(desc.num_device_images).unwrap_or(0);
    let rows: &[DeviceImage] = if count == 0 || desc.device_images.is_null() {
        &[]
    } else {
        // SAFETY: the descriptor states that there are `count` rows at this address.
        unsafe { std::slice::from_raw_parts(desc.device_images, count) }
    };
    let places =
        rows.iter().map(|row| (row.image_start as usize, row.image_end as usize)).collect();
    // This must precede the lock of the registry: it needs the lock of the dynamic loader, which a
    // thread in `dlclose` may hold while it waits for the registry.
    let (name, base) = library_of(descriptor.cast());
    let name =
        name.filter(|name| !name.is_empty()).unwrap_or_else(|| "the program".to_owned()).into();
    let mut registry = lock(&REGISTRY);
    let (images, errors) = (None, Vec::new());
    registry.libraries.push(Library {
        descriptor: descriptor as usize,
        base,
        name,
        places,
        images,
        errors,
    });
    GENERATION.fetch_add(1, Ordering::Release);
    drop(registry);
    if settings::trace().images {
        settings::trace_line("images", &format!("registered {count} image(s)"));
    }
}

/// Returns the file of the program or library that contains an address, and its load address. The
/// load address is 0 if no file contains the address. This needs the lock of the dynamic loader, so
/// the caller must not hold the registry.
pub(super) fn library_of(address: *const c_void) -> (Option<String>, usize) {
    match containing(address as usize) {
        Some(found) => (found.file.map(|file| file.to_string_lossy().into_owned()), found.base),
        None => (None, 0),
    }
}

/// Removes the images that [`register`] recorded, after a limited wait for kernels built from them
/// that are running or about to run. Ignores a descriptor that is not registered.
pub fn unregister(descriptor: *const BinDesc) {
    let mut leaving: Vec<Arc<ReadyKernel>> = Vec::new();
    let library = {
        let mut registry = lock(&REGISTRY);
        let Some(at) =
            registry.libraries.iter().position(|lib| lib.descriptor == descriptor as usize)
        else {
            return;
        };
        let library = registry.libraries.remove(at);
        GENERATION.fetch_add(1, Ordering::Release);
        if let Some(holders) = &mut registry.holders {
            library.images.iter().flatten().for_each(|image| holders.remove(image));
        }
        let images: Vec<u64> = library.images.iter().flatten().map(|image| image.id).collect();
        registry.images().for_each(|image| image.forget_linked_with(&images));
        for entry in registry.entries.iter().flat_map(HashMap::values) {
            lock(&entry.ready).retain(|ready| {
                let leaves = ready.images.iter().any(|image| images.contains(image));
                if leaves {
                    leaving.push(ready.kernel.clone());
                }
                !leaves
            });
        }
        library
    };
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(20);
    for kernel in leaving {
        while Arc::strong_count(&kernel) > 1 && !exit::is_over() && Instant::now() < deadline {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }
    if settings::trace().images {
        settings::trace_line("images", &format!("removed {} image(s)", library.places.len()));
    }
}
