//! The platform and its only device.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::image_target::ImageTarget;
use scythe_hal::{
    Backend, BackendKind, BuildRequest, Compiler, Device, DeviceInfo, Errc, Error, Graph,
    GraphNode, HostQueue, Kernel, Occupancy, Partition, Partitions, PlatformInfo, Program, Queue,
    Result, UsmKind, VirtualMemory,
};
use scythe_image::Format;

use crate::debugger::attached;
use crate::executor::Executor;
use crate::graph::CpuGraph;
use crate::program::{CpuKernel, CpuProgram};
use crate::queue::CpuQueue;
use crate::{
    check, device_info, fault, form, level, memory, partition, processors, sanitize, threads,
    variant,
};

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
    /// The executor, or an error if the setting for the number of threads is invalid.
    executor: Result<&'static Executor>,
    /// The processors of the threads, if each thread has its own.
    cpus: Option<Vec<usize>>,
    compiler: &'static dyn Compiler,
}

impl CpuDevice {
    pub(crate) fn new(threads: Result<usize>, compiler: &'static dyn Compiler) -> Self {
        let processors = processors::allowed();
        let info = device_info::device(*threads.as_ref().unwrap_or(&processors));
        // Never freed, because worker threads use it until the process ends.
        let executor = threads.map(|count| &*Box::leak(Box::new(Executor::new(count, processors))));
        let cpus = partition::processors_of(info.max_compute_units as usize);
        Self { info, executor, cpus, compiler }
    }

    fn queue(&self, profiling: bool) -> Result<CpuQueue> {
        let executor = self.executor.clone()?;
        variant::Mode::of_process()?;
        form::Form::of_process()?;
        check::of_process()?;
        attached::Mode::of_process()?;
        fault::Mode::of_process()?;
        sanitize::of_process()?;
        Ok(CpuQueue::new(executor, profiling, self.info.local_mem_size))
    }

    /// Returns the size of the largest allocation.
    pub(crate) fn memory_limit(&self) -> u64 {
        self.info.max_mem_alloc_size
    }

    /// A part of this device.
    fn part(&self, threads: usize, cpus: Option<Vec<usize>>) -> Self {
        let mut info = self.info.clone();
        info.max_compute_units = threads as u32;
        info.partition_max_sub_devices = threads as u32;
        let executor = self.executor.clone().map(|_| {
            let executor = Executor::on(threads, processors::allowed(), cpus.clone());
            // Never freed, like the executor of the whole device.
            &*Box::leak(Box::new(executor))
        });
        Self { info, executor, cpus, compiler: self.compiler }
    }
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_memory(&self) -> Result<u64> {
        device_info::free_memory().ok_or_else(|| {
            Error::new(
                Errc::Runtime,
                "cannot read the size of the available memory from /proc/meminfo",
            )
        })
    }

    fn alloc(&self, _kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        memory::alloc(size, align, self.info.max_mem_alloc_size)
    }

    unsafe fn free(&self, _kind: UsmKind, ptr: *mut c_void) {
        // SAFETY: the caller guarantees that `ptr` came from `alloc` and is no longer used
        // (contract of `Device::free`).
        unsafe { memory::free(ptr) }
    }

    fn shares_host_memory(&self) -> bool {
        // The check of widened kernels needs all memory to be allocated on the device.
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

    unsafe fn create_graph(&self, nodes: &[GraphNode]) -> Result<Option<Arc<dyn Graph>>> {
        let graph = CpuGraph::new(self.executor.clone()?, self.info.local_mem_size, nodes)?;
        Ok(Some(Arc::new(graph)))
    }

    fn binds_globals(&self) -> bool {
        true
    }

    fn occupancy(
        &self,
        kernel: &dyn Kernel,
        local_size: [u64; 3],
        _local_bytes: u64,
    ) -> Result<Occupancy> {
        let kernel = kernel.as_any().downcast_ref::<CpuKernel>();
        Ok(Occupancy {
            // A thread runs one work-group at a time.
            per_unit: Some(1),
            together: self.executor.clone()?.threads() as u64,
            sub_groups: kernel.and_then(|kernel| kernel.sub_groups(local_size)),
        })
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
        Ok(Arc::new(self.queue(profiling)?))
    }

    fn create_host_queue(&self, profiling: bool) -> Result<Option<Arc<dyn HostQueue>>> {
        Ok(Some(Arc::new(self.queue(profiling)?)))
    }

    fn virtual_memory(&self) -> Option<&dyn VirtualMemory> {
        Some(self)
    }
}
