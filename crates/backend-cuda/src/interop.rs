//! Native objects of the CUDA driver, for programs that use CUDA in addition to SYCL.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_hal::{Errc, Error, Event, Interop, Native, NativeKind, Result};

use crate::device::CudaDevice;
use crate::event::CudaEvent;

impl Interop for CudaDevice {
    fn native(&self, kind: NativeKind) -> Result<Native> {
        match kind {
            NativeKind::Platform => {
                Err(Error::new(Errc::BackendMismatch, "CUDA has no native object for a platform"))
            }
            // A `CUdevice` is a number.
            NativeKind::Device => Ok(self.gpu.ordinal as usize as Native),
            NativeKind::Context => self.gpu.enter().map(|made| made.context),
        }
    }

    fn memory_is_native(&self) -> bool {
        true
    }

    fn memory_to_native(&self, ptr: *mut c_void) -> Result<Option<Native>> {
        // A `CUdeviceptr` is an address.
        Ok(Some(ptr))
    }

    unsafe fn event_from_native(&self, event: Native) -> Result<Arc<dyn Event>> {
        if event.is_null() {
            return Err(Error::new(Errc::Invalid, "cannot create an event from a null CUevent"));
        }
        Ok(Arc::new(CudaEvent::foreign(&self.gpu, event)))
    }
}
