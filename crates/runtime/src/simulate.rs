//! Simulated devices: the CPU device with the aspects, sub-group sizes and limits of a different
//! device.
//!
//! `SCYTHE_SIMULATE` lists targets of the device configuration, `intel_gpu_skl`, or targets of a
//! file that extends it, `FILE.yaml:TARGET`. `FILE.yaml` suffices if the file defines a single
//! target. Each target becomes a device that runs on the CPU, has the properties in the
//! configuration, and rejects what that device would reject. Properties that the configuration does
//! not contain are those of the CPU.
//!
//! The CPU runs the code. A simulated device therefore has no sub-group sizes that the CPU does not
//! support, and no limits beyond those of the CPU.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::aspect::Aspect;
use scythe_abi::image_target::ImageTarget;
use scythe_device_config::{Table, Target};
use scythe_hal::info::DeviceType;
use scythe_hal::{self as hal, Backend, BackendKind, DeviceInfo, PlatformInfo, UsmKind};
use scythe_image::Format;
use scythe_own_files::is_privileged;

use crate::{Errc, Error, Result};

pub const VARIABLE: &str = scythe_abi::environment::SIMULATE.name;

/// Returns a backend with the simulated devices that the environment requests, or `backend` if it
/// requests none.
pub fn as_environment_says(backend: Arc<dyn Backend>) -> Result<Arc<dyn Backend>> {
    match std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned()) {
        Some(list) if !list.trim().is_empty() => Ok(Arc::new(simulate(&*backend, &list)?)),
        _ => Ok(backend),
    }
}

fn simulate(backend: &dyn Backend, list: &str) -> Result<SimulatedBackend> {
    let Some(inner) = backend.devices().first() else {
        return Err(Error::new(
            Errc::Platform,
            format!("{VARIABLE} is set, but there is no CPU device to run the simulated devices"),
        ));
    };
    let mut devices: Vec<Arc<dyn hal::Device>> = Vec::new();
    for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let wrong = |why: String| {
            let message = format!("environment variable {VARIABLE} holds '{entry}': {why}");
            Error::new(Errc::Runtime, message)
        };
        let target = find(entry, is_privileged()).map_err(wrong)?;
        let info = describe(&target, inner.info()).map_err(wrong)?;
        devices.push(Arc::new(SimulatedDevice { inner: inner.clone(), info }));
    }
    if devices.is_empty() {
        let message = format!(
            "environment variable {VARIABLE} holds '{list}': expected a comma-separated list of \
             targets (for example intel_gpu_skl) or of FILE.yaml:TARGET"
        );
        return Err(Error::new(Errc::Runtime, message));
    }
    let mut platform = backend.platform().clone();
    platform.name.push_str(" (simulated devices)");
    Ok(SimulatedBackend { kind: backend.kind(), platform, devices })
}

/// Returns the target that an entry of the list names.
fn find(entry: &str, is_privileged: bool) -> std::result::Result<Target, String> {
    const EXTENSIONS: [&str; 2] = [".yaml", ".yml"];
    let is_file = |path: &str| EXTENSIONS.iter().any(|extension| path.ends_with(extension));
    let (file, name) = match entry.rsplit_once(':') {
        Some((file, name)) if is_file(file) => (Some(file), Some(name)),
        _ if is_file(entry) => (Some(entry), None),
        _ => (None, Some(entry)),
    };
    let embedded = Table::embedded();
    let mut table = Table::embedded();
    if let Some(file) = file {
        if is_privileged {
            return Err(
                "a program with more rights than its caller reads no file that a variable \
                        names"
                    .to_owned(),
            );
        }
        table.extend_with_yaml(file).map_err(|error| error.to_string().trim_end().to_owned())?;
    }
    if let Some(name) = name {
        let place = file.map_or_else(
            || "the device configuration".to_owned(),
            |file| format!("'{file}' or the device configuration"),
        );
        return table.lookup(name).cloned().ok_or_else(|| {
            format!(
                "{place} does not define the target '{name}'; expected a target name (for example \
                 intel_gpu_skl) or FILE.yaml:TARGET"
            )
        });
    }
    let described: Vec<&Target> =
        table.targets().filter(|t| embedded.lookup(&t.name) != Some(*t)).collect();
    match described[..] {
        [target] => Ok(target.clone()),
        [] => Err("the file defines no new target; expected FILE.yaml:TARGET".to_owned()),
        _ => {
            let names: Vec<&str> = described.iter().map(|target| &*target.name).collect();
            Err(format!("the file defines {}; select one with FILE.yaml:TARGET", names.join(", ")))
        }
    }
}

/// The vendors of devices, by the first part of their targets' names, with the vendor's number.
const VENDORS: [(&str, &str, u32); 3] = [
    ("amd_gpu_", "Advanced Micro Devices, Inc.", 0x1002),
    ("intel_gpu_", "Intel(R) Corporation", 0x8086),
    ("nvidia_gpu_", "NVIDIA Corporation", 0x10de),
];

/// Returns the properties of a device of the target that runs on `cpu`.
fn describe(target: &Target, cpu: &DeviceInfo) -> std::result::Result<DeviceInfo, String> {
    let mut info = cpu.clone();
    info.name = format!("{} (simulated on {})", target.name, cpu.name);
    if let Some((_, name, number)) = VENDORS.iter().find(|v| target.name.starts_with(v.0)) {
        info.vendor = (*name).to_owned();
        info.vendor_id = *number;
    }
    info.device_type = [
        (Aspect::Gpu, DeviceType::Gpu),
        (Aspect::Accelerator, DeviceType::Accelerator),
        (Aspect::Custom, DeviceType::Custom),
        (Aspect::Cpu, DeviceType::Cpu),
    ]
    .into_iter()
    .find_map(|(aspect, kind)| target.has(aspect).then_some(kind))
    .unwrap_or(DeviceType::Custom);
    info.aspects = target.aspects.iter().map(|&aspect| aspect as u32).collect();
    if !target.sub_group_sizes.is_empty() {
        let sizes = target.sub_group_sizes.iter().map(|&size| u64::from(size));
        info.sub_group_sizes = sizes.filter(|size| cpu.sub_group_sizes.contains(size)).collect();
        if info.sub_group_sizes.is_empty() {
            return Err(format!(
                "the CPU device supports none of its sub-group sizes {:?}, only {:?}",
                target.sub_group_sizes, cpu.sub_group_sizes
            ));
        }
    }
    if let Some(limit) = target.max_work_group_size {
        info.max_work_group_size = limit.min(cpu.max_work_group_size);
        info.max_work_item_sizes =
            info.max_work_item_sizes.map(|size| size.min(info.max_work_group_size));
        info.max_num_sub_groups = info
            .max_num_sub_groups
            .min(u32::try_from(info.max_work_group_size).unwrap_or(u32::MAX));
    }
    if let Some(limit) = target.local_mem_size {
        info.local_mem_size = limit.min(cpu.local_mem_size);
    }
    // The order is char, short, int, long, float, double, half.
    const DOUBLE: usize = 5;
    const HALF: usize = 6;
    if !target.has(Aspect::Fp64) {
        info.double_fp_config = 0;
        info.preferred_vector_widths[DOUBLE] = 0;
        info.native_vector_widths[DOUBLE] = 0;
    }
    if !target.has(Aspect::Fp16) {
        info.half_fp_config = 0;
        info.preferred_vector_widths[HALF] = 0;
        info.native_vector_widths[HALF] = 0;
    }
    Ok(info)
}

struct SimulatedBackend {
    kind: BackendKind,
    platform: PlatformInfo,
    devices: Vec<Arc<dyn hal::Device>>,
}

impl Backend for SimulatedBackend {
    fn kind(&self) -> BackendKind {
        self.kind
    }
    fn platform(&self) -> &PlatformInfo {
        &self.platform
    }
    fn devices(&self) -> &[Arc<dyn hal::Device>] {
        &self.devices
    }
}

/// A device that forwards everything except its description to the inner device.
struct SimulatedDevice {
    inner: Arc<dyn hal::Device>,
    info: DeviceInfo,
}

impl hal::Device for SimulatedDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        self.inner.alloc(kind, size, align)
    }
    unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void) {
        // SAFETY: the caller satisfies the contract of `free`, and the memory comes from `alloc` of
        // the inner device.
        unsafe { self.inner.free(kind, ptr) }
    }
    fn shares_host_memory(&self) -> bool {
        self.inner.shares_host_memory()
    }
    fn preference(&self, format: Format, target: &ImageTarget) -> Result<u32> {
        self.inner.preference(format, target)
    }
    fn build(&self, request: &hal::BuildRequest<'_>) -> Result<Arc<dyn hal::Program>> {
        self.inner.build(request)
    }
    fn binds_globals(&self) -> bool {
        self.inner.binds_globals()
    }
    fn occupancy(
        &self,
        kernel: &dyn hal::Kernel,
        local_size: [u64; 3],
        local_bytes: u64,
    ) -> Result<hal::Occupancy> {
        self.inner.occupancy(kernel, local_size, local_bytes)
    }
    fn free_memory(&self) -> Result<u64> {
        self.inner.free_memory()
    }
    unsafe fn register_host(&self, start: usize, size: usize, read_only: bool) -> Result<()> {
        // SAFETY: the caller satisfies the contract of `register_host`.
        unsafe { self.inner.register_host(start, size, read_only) }
    }
    unsafe fn unregister_host(&self, start: usize) -> Result<()> {
        // SAFETY: the caller satisfies the contract of `unregister_host`.
        unsafe { self.inner.unregister_host(start) }
    }
    fn virtual_memory(&self) -> Option<&dyn hal::VirtualMemory> {
        self.inner.virtual_memory()
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn hal::Queue>> {
        self.inner.create_queue(profiling)
    }
    fn create_host_queue(&self, profiling: bool) -> Result<Option<Arc<dyn hal::HostQueue>>> {
        self.inner.create_host_queue(profiling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scythe_hal::null::{NullBackend, NullOptions};

    fn backend() -> Arc<NullBackend> {
        NullBackend::new(NullOptions {
            adjust: |info| {
                info.name = "plain".into();
                info.aspects = vec![Aspect::Cpu as u32, Aspect::Fp64 as u32];
                info.sub_group_sizes = vec![4, 8, 16, 32];
                (info.max_work_group_size, info.local_mem_size) = (8192, 1 << 18);
                (info.double_fp_config, info.half_fp_config) = (63, 63);
            },
            ..NullOptions::default()
        })
    }

    fn failure(list: &str) -> String {
        simulate(&*backend(), list).err().expect("refused").message
    }

    fn file(name: &str, text: &str) -> (std::path::PathBuf, String) {
        let path =
            std::env::temp_dir().join(format!("scythe-simulate-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a file can be written");
        let shown = path.to_str().expect("a plain path").to_owned();
        (path, shown)
    }

    #[test]
    fn a_target_of_the_configuration_lends_its_aspects_sizes_and_limits() {
        let simulated =
            simulate(&*backend(), "intel_gpu_dg1, spir64_x86_64").expect("both are known");
        let [dg1, x86] = &simulated.devices[..] else { panic!("two devices") };
        let (target, info) =
            (Table::embedded().lookup("intel_gpu_dg1").cloned().expect("known"), dg1.info());
        assert_eq!(info.name, "intel_gpu_dg1 (simulated on plain)");
        assert_eq!(info.device_type, DeviceType::Gpu);
        assert_eq!((&info.vendor[..], info.vendor_id), ("Intel(R) Corporation", 0x8086));
        assert_eq!(
            info.aspects,
            target.aspects.iter().map(|&aspect| aspect as u32).collect::<Vec<_>>()
        );
        assert_eq!(info.sub_group_sizes, [8, 16, 32]);
        assert_eq!(Some(info.max_work_group_size), target.max_work_group_size);
        assert!(info.max_work_item_sizes.iter().all(|&size| size <= info.max_work_group_size));
        assert_eq!((info.double_fp_config, info.half_fp_config), (0, 63), "no double precision");
        assert_eq!(x86.info().device_type, DeviceType::Cpu);
    }

    #[test]
    fn a_file_adds_targets_and_its_only_one_needs_no_name() {
        let one = "tiny:\n  aspects: [gpu, fp16]\n  sub-group-sizes: [8, 128]\n  \
            max-work-group-size: 64\n  local-mem-size: 1024\n";
        let (path, shown) = file("one.yaml", one);
        for entry in [shown.clone(), format!("{shown}:tiny")] {
            let simulated = simulate(&*backend(), &entry).expect("described");
            let info = simulated.devices[0].info();
            assert_eq!(
                (info.max_work_group_size, info.local_mem_size, &info.sub_group_sizes[..]),
                (64, 1024, &[8][..])
            );
        }
        assert!(failure(&format!("{shown}:huge")).contains("does not define the target 'huge'"));
        std::fs::write(
            &path,
            "a:\n  aspects: [gpu]\nb:\n  aspects: [cpu]\n  sub-group-sizes: [128]\n",
        )
        .expect("written");
        assert!(failure(&shown).contains("defines a, b; select one with FILE.yaml:TARGET"));
        assert!(
            failure(&format!("{shown}:b")).contains("supports none of its sub-group sizes [128]")
        );
        std::fs::write(&path, "a:\n  aspects: [nonsense]\n").expect("written");
        assert!(failure(&shown).contains("nonsense"), "{}", failure(&shown));
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn what_is_not_a_target_is_refused() {
        assert_eq!(
            failure("intel_gpu_skl,nothing"),
            "environment variable SCYTHE_SIMULATE holds 'nothing': the device configuration does \
             not define the target 'nothing'; expected a target name (for example intel_gpu_skl) \
             or FILE.yaml:TARGET"
        );
        assert!(failure("no-such-file.yaml:x").contains("no-such-file.yaml"));
        assert_eq!(
            failure(" , "),
            "environment variable SCYTHE_SIMULATE holds ' , ': expected a comma-separated list of \
             targets (for example intel_gpu_skl) or of FILE.yaml:TARGET"
        );
    }
}
