//! The libraries that registered images.
//!
//! [`register`] runs before `main`. It records the descriptor and reads no image. [`unregister`]
//! waits until the kernels made of the library's images have finished. These include kernels of
//! other libraries that call its functions. The count of a [`ReadyKernel`] tells, because a launch
//! holds one until it is done. At the end of the process, [`exit`] has waited before. The wait is
//! limited: removal runs inside `dlclose`, which holds the dynamic loader's lock, and a new worker
//! thread needs that lock, too. A kernel that outlives the wait keeps its program, which is a copy.
//! Only memory of the library that the kernel was given goes away.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use scythe_abi::tgt::{BinDesc, DeviceImage};

use super::holders::Holders;
use super::image::Image;
use super::ready::ReadyKernel;
use super::{GENERATION, REGISTRY};
use crate::{exit, lock, settings};

/// How long removal waits for kernels.
const PATIENCE: Duration = Duration::from_secs(1);

/// What one call of `__tgt_register_lib` brought.
pub(super) struct Library {
    pub(super) descriptor: usize,
    /// Where the file is loaded; 0 where it is none.
    pub(super) base: usize,
    /// The file it is in.
    pub(super) name: Arc<str>,
    /// Where the images lie: `(start, end)`.
    pub(super) places: Vec<(usize, usize)>,
    /// Read at the first lookup.
    pub(super) images: Option<Vec<Arc<Image>>>,
    /// Why images of this library could not be read.
    pub(super) errors: Vec<String>,
}

impl Library {
    /// Reads the images, unless that was done.
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

/// Records a library's images.
///
/// # Safety
/// `descriptor` is null or points at a descriptor whose images stay readable until [`unregister`].
pub unsafe fn register(descriptor: *const BinDesc) {
    // SAFETY: the caller vouches for a non-null pointer.
    let Some(desc) = (unsafe { descriptor.as_ref() }) else { return };
    let count = usize::try_from(desc.num_device_images).unwrap_or(0);
    let rows: &[DeviceImage] = if count == 0 || desc.device_images.is_null() {
        &[]
    } else {
        // SAFETY: the descriptor names `count` rows.
        unsafe { std::slice::from_raw_parts(desc.device_images, count) }
    };
    let places =
        rows.iter().map(|row| (row.image_start as usize, row.image_end as usize)).collect();
    // Before the lock: this needs the dynamic loader's, which a thread that waits for ours in
    // `dlclose` may hold.
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

/// The file of the program or library that an address is in, and where it is loaded; 0 where the
/// address is in none. Needs the dynamic loader's lock, so the caller does not hold the registry.
pub(super) fn library_of(address: *const c_void) -> (Option<String>, usize) {
    // SAFETY: `info` is plain pointers, filled when the call succeeds; it fails for an address that
    // is in no library. The name then is a C string that lives as long as the library, which the
    // caller is in.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &mut info) == 0 {
            return (None, 0);
        }
        let named = !info.dli_fname.is_null();
        let name = named.then(|| CStr::from_ptr(info.dli_fname).to_string_lossy().into_owned());
        (name, info.dli_fbase as usize)
    }
}

/// Forgets what [`register`] recorded, after waiting (for a while) for kernels made of its images
/// that are running or about to. A descriptor that is not registered is ignored.
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
