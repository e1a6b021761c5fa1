//! The platform and its one device.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::image_target::ImageTarget;
use scythe_hal::{
    Backend, BackendKind, BuildRequest, Compiler, Device, DeviceInfo, Errc, Error, Partition,
    Partitions, PlatformInfo, Program, Queue, Result, UsmKind,
};
use scythe_image::Format;

use crate::executor::Executor;
use crate::program::CpuProgram;
use crate::queue::CpuQueue;
use crate::{check, device_info, form, level, memory, partition, processors, threads, variant};

pub(crate) struct CpuBackend {
    platform: PlatformInfo,
    devices: [Arc<dyn Device>; 1],
}

impl CpuBackend {
    pub(crate) fn new(compiler: &'static dyn Compiler) -> Self {
        let setting = std::env::var_os(scythe_abi::environment::CPU_THREADS.name)
            .map(|text| text.to_string_lossy().into_owned());
        let device = CpuDevice::new(threads::worker_count(setting.as_deref()), compiler);
        Self { platform: device_info::platform(), devices: [Arc::new(device)] }
    }
}

impl Backend for CpuBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn platform(&self) -> &PlatformInfo {
        &self.platform
    }

    fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }
}

pub(crate) struct CpuDevice {
    info: DeviceInfo,
    /// An error where the number of threads was asked for in a way that makes no sense.
    executor: Result<&'static Executor>,
    /// One for each thread, where that is so.
    cpus: Option<Vec<usize>>,
    compiler: &'static dyn Compiler,
}

impl CpuDevice {
    pub(crate) fn new(threads: Result<usize>, compiler: &'static dyn Compiler) -> Self {
        let processors = processors::allowed();
        let info = device_info::device(*threads.as_ref().unwrap_or(&processors));
        // Never freed: worker threads use it until the process ends.
        let executor = threads.map(|count| &*Box::leak(Box::new(Executor::new(count, processors))));
        let cpus = partition::processors_of(info.max_compute_units as usize);
        Self { info, executor, cpus, compiler }
    }

    /// A part of this device.
    fn part(&self, threads: usize, cpus: Option<Vec<usize>>) -> Self {
        let mut info = self.info.clone();
        info.max_compute_units = threads as u32;
        info.partition_max_sub_devices = threads as u32;
        let executor = self.executor.clone().map(|_| {
            let executor = Executor::on(threads, processors::allowed(), cpus.clone());
            // Never freed, as the whole device's.
            &*Box::leak(Box::new(executor))
        });
        Self { info, executor, cpus, compiler: self.compiler }
    }
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, _kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        memory::alloc(size, align, self.info.max_mem_alloc_size)
    }

    unsafe fn free(&self, _kind: UsmKind, ptr: *mut c_void) {
        // SAFETY: the caller's contract.
        unsafe { memory::free(ptr) }
    }

    fn shares_host_memory(&self) -> bool {
        // What is checked must be known.
        !check::is_on()
    }

    fn preference(&self, format: Format, target: &ImageTarget) -> Result<u32> {
        level::preference(format, target)
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>> {
        let globals = request
            .globals
            .iter()
            .map(|global| (global.symbol.to_owned(), global.address as usize))
            .collect();
        let program = match request.format {
            Format::CpuObject => {
                CpuProgram::from_objects(&[&[request.code], request.libraries].concat(), &globals)?
            }
            Format::LlvmBitcode => {
                CpuProgram::from_bitcode(self.compiler, &self.info.name, request, globals)?
            }
            other => {
                let message = format!(
                    "the CPU device supports LLVM bitcode and x86-64 objects, not {}",
                    other.as_str()
                );
                return Err(Error::new(Errc::Build, message));
            }
        };
        Ok(Arc::new(program))
    }

    fn binds_globals(&self) -> bool {
        true
    }

    fn partitions(&self) -> Partitions {
        partition::able(self.info.max_compute_units, self.cpus.as_deref())
    }

    fn partition(&self, how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        let parts = partition::parts(how, self.info.max_compute_units, self.cpus.as_deref());
        Ok(parts
            .into_iter()
            .map(|(threads, cpus)| Arc::new(self.part(threads, cpus)) as Arc<dyn Device>)
            .collect())
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        let executor = self.executor.clone()?;
        variant::Mode::of_process()?;
        form::Form::of_process()?;
        check::of_process()?;
        Ok(Arc::new(CpuQueue::new(executor, profiling, self.info.local_mem_size)))
    }
}
