//! Shows loaded code with debug information to debuggers, through GDB's interface for code that is
//! compiled at run time, which LLDB supports too; and to the unwinder of the process.
//!
//! A debugger sets a breakpoint in [`__jit_debug_register_code`] and reads the list of
//! [`__jit_debug_descriptor`] when the process stops there. Each entry is an ELF object whose
//! section headers contain the addresses in memory. The debugger applies the relocations of the
//! debug sections itself. Code without debug information costs nothing.

pub(crate) mod attached;
pub(crate) mod work_item;

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use object::read::elf::FileHeader as _;
use object::{Object, ObjectSection, SectionIndex};

use crate::loader::{Elf, UNWIND_TABLE};

/// The version of the interface.
const VERSION: u32 = 1;
const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

/// An object in the list, in the layout of the interface.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    object: *const u8,
    size: u64,
}

/// The head of the list, in the layout of the interface.
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

#[repr(transparent)]
pub struct Shared(UnsafeCell<Descriptor>);

// SAFETY: `LIST` guards all accesses of this process. Debuggers read it while the process stands.
unsafe impl Sync for Shared {}

/// The list of objects, which debuggers find by its name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static __jit_debug_descriptor: Shared = Shared(UnsafeCell::new(Descriptor {
    version: VERSION,
    action: 0,
    relevant: ptr::null_mut(),
    first: ptr::null_mut(),
}));

/// The function in which debuggers stop to read the list.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __jit_debug_register_code() {
    // The call must not be optimised away.
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    std::hint::black_box(());
}

static LIST: Mutex<()> = Mutex::new(());

unsafe extern "C" {
    /// Adds unwind tables to those of the process.
    fn __register_frame(table: *const u8);
    fn __deregister_frame(table: *const u8);
}

/// An object that debuggers know. It is removed on drop, before its code is unmapped.
pub(crate) struct Registration {
    entry: Box<Entry>,
    /// The contents to which the entry refers.
    image: Arc<[u8]>,
    unwind_table: Option<usize>,
}

// SAFETY: the pointers are only used under the lock of `LIST`.
unsafe impl Send for Registration {}
// SAFETY: a shared registration gives no access to its contents.
unsafe impl Sync for Registration {}

/// Registers a loaded object, if it has debug information. `bytes` are its contents, and `address`
/// returns the address of a section in memory.
pub(crate) fn register(
    bytes: &[u8],
    elf: &Elf<'_>,
    address: &dyn Fn(SectionIndex) -> Option<u64>,
) -> Option<Registration> {
    elf.section_by_name(".debug_line")?;
    let image: Arc<[u8]> = with_addresses(bytes, elf, address)?.into();
    let unwind_table =
        elf.section_by_name(UNWIND_TABLE).and_then(|s| address(s.index())).map(|a| a as usize);
    if let Some(table) = unwind_table {
        // SAFETY: the loader has relocated the section and put zeroes behind it.
        unsafe { __register_frame(table as *const u8) };
    }
    let mut entry = Box::new(Entry {
        next: ptr::null_mut(),
        previous: ptr::null_mut(),
        object: image.as_ptr(),
        size: image.len() as u64,
    });
    let _lock = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the lock guards the list, and all entries in it are alive: an entry leaves the list
    // before it is freed.
    unsafe {
        let list = __jit_debug_descriptor.0.get();
        entry.next = (*list).first;
        if let Some(next) = entry.next.as_mut() {
            next.previous = &mut *entry;
        }
        (*list).first = &mut *entry;
        notify(list, &mut entry, REGISTER);
    }
    Some(Registration { entry, image, unwind_table })
}

impl Registration {
    /// Returns the object with the addresses of its sections in memory.
    pub(crate) fn image(&self) -> Arc<[u8]> {
        self.image.clone()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        {
            let _lock = LIST.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the lock guards the list, and all entries in it are alive.
            unsafe {
                let list = __jit_debug_descriptor.0.get();
                match self.entry.previous.as_mut() {
                    Some(previous) => previous.next = self.entry.next,
                    None => (*list).first = self.entry.next,
                }
                if let Some(next) = self.entry.next.as_mut() {
                    next.previous = self.entry.previous;
                }
                notify(list, &mut self.entry, UNREGISTER);
            }
        }
        if let Some(table) = self.unwind_table {
            // SAFETY: `register` passed the same address, and no thread runs the code any more.
            unsafe { __deregister_frame(table as *const u8) };
        }
    }
}

/// Tells an attached debugger about a change of the list.
///
/// # Safety
/// The caller holds the lock of the list.
unsafe fn notify(list: *mut Descriptor, entry: &mut Entry, action: u32) {
    // SAFETY: the caller holds the lock (this function's contract).
    unsafe {
        (*list).relevant = entry;
        (*list).action = action;
        __jit_debug_register_code();
        (*list).action = 0;
        (*list).relevant = ptr::null_mut();
    }
}

/// Returns a copy of the object whose section headers contain the addresses in memory.
fn with_addresses(
    bytes: &[u8],
    elf: &Elf<'_>,
    address: &dyn Fn(SectionIndex) -> Option<u64>,
) -> Option<Vec<u8>> {
    /// The size of a section header, and the offset of the address in it.
    const HEADER: u64 = 64;
    const ADDRESS: u64 = 16;
    let header = elf.elf_header();
    if u64::from(header.e_shentsize(elf.endian())) != HEADER {
        return None;
    }
    let start: u64 = header.e_shoff(elf.endian());
    let mut image = bytes.to_vec();
    for section in elf.sections() {
        let Some(value) = address(section.index()) else { continue };
        let at = (section.index().0 as u64).checked_mul(HEADER)?.checked_add(start)?;
        let at = usize::try_from(at.checked_add(ADDRESS)?).ok()?;
        image.get_mut(at..at.checked_add(8)?)?.copy_from_slice(&value.to_le_bytes());
    }
    Some(image)
}
