//! Platforms, devices and contexts.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, Mutex, OnceLock};

use scythe_abi::aspect::{Aspect, OF_DEVICE_ALLOCATIONS};
use scythe_abi::capi::{
    self as c, ContextHandle, DeviceHandle, PlatformHandle, Status, device_param, platform_param,
};

use scythe_hal::{DeviceInfo, Errc, Partition};

use super::handles::{check_out, get, give, give_static, put, release, retain, slice};
use super::{edge, edge_or};
use crate::context::Context;
use crate::platform::{Device, Platform, Runtime};
use crate::{Error, Result, invalid};

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_platform_count(count: *mut u32) -> Status {
    // SAFETY: the caller guarantees that `count` is null or valid for a write.
    edge(|| unsafe { put(count, "count", Runtime::get()?.platforms.len() as u32) })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_platform_get(index: u32, out: *mut PlatformHandle) -> Status {
    edge(|| {
        let platforms = &Runtime::get()?.platforms;
        let platform = platforms
            .get(index as usize)
            .ok_or_else(|| no_such("platform", index, platforms.len()))?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "platform", give_static(*platform)) }
    })
}

fn no_such(what: &str, index: u32, count: usize) -> crate::Error {
    invalid(format!("{what} {index} does not exist, there are {count}"))
}

/// Defines a function of the C interface that writes one property of the object behind a handle:
/// as many bytes as fit to `buf`, and the number of all bytes to `len`.
macro_rules! info_function {
    ($name:ident, $handle:ty, $value:path) => {
        /// # Safety
        /// See [`super`].
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            handle: $handle,
            param: u32,
            buf: *mut c_void,
            cap: usize,
            len: *mut usize,
        ) -> Status {
            edge(|| {
                // SAFETY: the caller guarantees that `handle` is null or a live handle.
                let value = $value(unsafe { get(handle) }?, param)?;
                // SAFETY: the caller guarantees that `buf` is null or valid for writes of `cap`
                // bytes and that `len` is null or valid for a write.
                unsafe { answer(&value, buf, cap, len) }
            })
        }
    };
}

info_function!(scythe_platform_info, PlatformHandle, platform_value);
info_function!(scythe_device_info, DeviceHandle, device_value);

fn platform_value(platform: &Platform, param: u32) -> Result<Vec<u8>> {
    let info = platform.backend.platform();
    Ok(match param {
        platform_param::NAME => info.name.clone().into_bytes(),
        platform_param::VENDOR => info.vendor.clone().into_bytes(),
        platform_param::VERSION => info.version.clone().into_bytes(),
        platform_param::PROFILE => info.profile.clone().into_bytes(),
        platform_param::BACKEND => bytes([platform.backend.kind() as u32]),
        _ => {
            return Err(invalid(format!("platform parameter {param} is unknown, expected 0 to 4")));
        }
    })
}

/// Returns the devices of one platform, or of all platforms if it is `None`.
fn devices(platform: Option<&'static Platform>) -> Result<&'static [&'static Device]> {
    Ok(match platform {
        None => &Runtime::get()?.devices,
        Some(platform) => platform.devices(),
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_count(platform: PlatformHandle, count: *mut u32) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `platform` is null or a valid handle; platforms are
        // never freed.
        let platform = unsafe { platform.cast::<Platform>().as_ref() };
        // SAFETY: the caller guarantees that `count` is null or valid for a write.
        unsafe { put(count, "count", devices(platform)?.len() as u32) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_get(
    platform: PlatformHandle,
    index: u32,
    out: *mut DeviceHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `platform` is null or a valid handle; platforms are
        // never freed.
        let devices = devices(unsafe { platform.cast::<Platform>().as_ref() })?;
        let device =
            devices.get(index as usize).ok_or_else(|| no_such("device", index, devices.len()))?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "device", give_static(*device)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_quick_default(
    only_cpus: i32,
    out: *mut DeviceHandle,
) -> Status {
    edge(|| {
        let device = Runtime::quick_default(only_cpus != 0)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "device", device.map_or(std::ptr::null_mut(), give_static)) }
    })
}

/// Returns the reasons why there is no device, or no suitable one: a sentence that lives as long as
/// the process.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_device_problems() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    edge_or(c"".as_ptr(), || {
        let text = Runtime::get()?.why_no_device();
        Ok(TEXT.get_or_init(|| super::c_string(&text)).as_ptr())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_platform(
    device: DeviceHandle,
    out: *mut PlatformHandle,
) -> Status {
    // SAFETY: the caller guarantees that `out` is null or valid for a write and that `device` is
    // null or a live handle.
    edge(|| unsafe { put(out, "platform", give_static(get(device)?.platform)) })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_partition(
    device: DeviceHandle,
    property: u32,
    values: *const u64,
    count: u32,
    out: *mut DeviceHandle,
    capacity: u32,
    made: *mut u32,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device: &'static Device = unsafe { get::<c::DeviceT>(device) }?;
        // SAFETY: the caller guarantees that `values` is null or valid for reads of `count` values.
        let values = unsafe { slice(values, u64::from(count), "values") }?;
        let how = match (property, values) {
            (1, [units]) => Partition::Equally(*units),
            (2, counts) => Partition::ByCounts(counts.to_vec()),
            (3, [domain]) => {
                Partition::ByAffinityDomain(u32::try_from(*domain).unwrap_or(u32::MAX))
            }
            _ => {
                return Err(invalid(format!(
                    "partition property {property} with {count} values: expected 1 (equally) with \
                     one value, 2 (by counts) or 3 (by affinity domain) with one value"
                )));
            }
        };
        let parts = device.partition(&how)?;
        for (index, part) in parts.iter().take(capacity as usize).enumerate() {
            // SAFETY: the caller guarantees that `out` has space for `capacity` handles, and
            // `index` is less.
            unsafe { put(out.wrapping_add(index), "sub-device", give_static(*part)) }?;
        }
        // SAFETY: the caller guarantees that `made` is null or valid for a write.
        unsafe { put(made, "number of sub-devices", parts.len() as u32) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_partition_info(
    device: DeviceHandle,
    out: *mut c::PartitionInfo,
    parent: *mut DeviceHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device: &'static Device = unsafe { get::<c::DeviceT>(device) }?;
        let able = device.hal.partitions();
        let whole = device.whole();
        let info = c::PartitionInfo {
            properties: able.properties,
            affinity_domains: able.affinity_domains,
            type_property: whole.map_or(0, |(_, how)| how.property()),
            type_affinity_domain: whole.map_or(0, |(_, how)| how.affinity_domain()),
        };
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "partition info", info) }?;
        let whole = whole.map_or(std::ptr::null_mut(), |(whole, _)| give_static(*whole));
        // SAFETY: the caller guarantees that `parent` is null or valid for a write.
        unsafe { put(parent, "parent", whole) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_has_aspect(device: DeviceHandle, aspect: u32) -> i32 {
    // SAFETY: the caller guarantees that `device` is null or a live handle.
    edge_or(0, || Ok(i32::from(unsafe { get(device) }?.aspects().contains(&aspect))))
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_can_access_peer(
    device: DeviceHandle,
    peer: DeviceHandle,
    atomics: i32,
) -> i32 {
    edge_or(0, || {
        // SAFETY: the caller guarantees that `device` is null or a live handle.
        let device = unsafe { get(device) }?;
        // SAFETY: the caller guarantees that `peer` is null or a live handle.
        let peer = unsafe { get(peer) }?;
        Ok(i32::from(can_access(device, peer, atomics != 0)))
    })
}

/// Returns whether kernels on `device` can access device allocations of `peer`.
fn can_access(device: &Device, peer: &Device, atomics: bool) -> bool {
    if std::ptr::eq(device, peer) || !std::ptr::eq(device.platform, peer.platform) {
        return false;
    }
    // Parts of the CPU device have the same memory.
    let same_memory = device.hal.shares_host_memory() && peer.hal.shares_host_memory();
    same_memory || device.hal.can_access_peer(&*peer.hal, atomics)
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_set_peer_access(
    device: DeviceHandle,
    peer: DeviceHandle,
    on: i32,
) -> Status {
    /// The pairs of devices with access. The backends always permit the access, so this only
    /// detects calls that the extension forbids.
    static ENABLED: Mutex<BTreeSet<(usize, usize)>> = Mutex::new(BTreeSet::new());
    edge(|| {
        let key = (device as usize, peer as usize);
        // SAFETY: the caller guarantees that `device` is null or a live handle.
        let device = unsafe { get(device) }?;
        // SAFETY: the caller guarantees that `peer` is null or a live handle.
        let peer = unsafe { get(peer) }?;
        let (own, other) = (device.name(), peer.name());
        if on != 0 && !can_access(device, peer, false) {
            return Err(Error::new(
                Errc::FeatureNotSupported,
                format!(
                    "device::ext_oneapi_enable_peer_access: device '{own}' cannot access the \
                     memory of device '{other}'; call ext_oneapi_can_access_peer first"
                ),
            ));
        }
        let mut enabled = crate::lock(&ENABLED);
        let changed = if on != 0 { enabled.insert(key) } else { enabled.remove(&key) };
        if changed {
            return Ok(());
        }
        let (call, state) =
            if on != 0 { ("enable", "is already enabled") } else { ("disable", "is not enabled") };
        Err(invalid(format!(
            "device::ext_oneapi_{call}_peer_access: access of device '{own}' to the memory of \
             device '{other}' {state}"
        )))
    })
}

impl Device {
    /// Returns the aspects of the device, and those that the headers and the runtime implement for
    /// it: memory pools and bindless images only require device allocations, and the runtime has
    /// graphs for every device and knows its queues. The compiler lowers private memory for every
    /// target, and the headers convert colours of images.
    pub fn aspects(&self) -> Vec<u32> {
        let mut aspects = self.hal.info().aspects.clone();
        let mut add = |aspect| {
            if !aspects.contains(&(aspect as u32)) {
                aspects.push(aspect as u32);
            }
        };
        let has = |aspect| self.hal.info().aspects.contains(&(aspect as u32));
        if has(Aspect::UsmDeviceAllocations) {
            OF_DEVICE_ALLOCATIONS.into_iter().for_each(&mut add);
        }
        if has(Aspect::UsmSystemAllocations) {
            add(Aspect::ExtOneapiRegisterHostMemory);
        }
        if has(Aspect::ExtIntelLegacyImage) {
            add(Aspect::ExtOneapiSrgb);
        }
        add(Aspect::ExtOneapiPrivateAlloca);
        add(Aspect::ExtOneapiGraph);
        add(Aspect::ExtOneapiLimitedGraph);
        add(Aspect::ExtOneapiDeviceWait);
        aspects
    }
}

fn device_value(device: &Device, param: u32) -> Result<Vec<u8>> {
    let info = device.hal.info();
    let text = |text: &String| text.clone().into_bytes();
    Ok(match param {
        device_param::NAME => text(&info.name),
        device_param::VENDOR => text(&info.vendor),
        device_param::VERSION => text(&info.version),
        device_param::DRIVER_VERSION => text(&info.driver_version),
        device_param::PROFILE => text(&info.profile),
        device_param::BACKEND_VERSION => text(&info.backend_version),
        device_param::TYPE => bytes([info.device_type as u32]),
        device_param::VENDOR_ID => bytes([info.vendor_id]),
        device_param::MAX_COMPUTE_UNITS => bytes([info.max_compute_units]),
        device_param::MAX_WORK_ITEM_DIMENSIONS => bytes([3u32]),
        device_param::MAX_WORK_ITEM_SIZES => bytes(info.max_work_item_sizes),
        device_param::MAX_WORK_GROUP_SIZE => bytes([info.max_work_group_size]),
        device_param::MAX_NUM_SUB_GROUPS => bytes([info.max_num_sub_groups]),
        device_param::SUB_GROUP_SIZES => bytes(info.sub_group_sizes.iter().copied()),
        device_param::SUB_GROUP_FORWARD_PROGRESS => vec![u8::from(info.sub_group_forward_progress)],
        device_param::MAX_CLOCK_FREQUENCY => bytes([info.max_clock_frequency]),
        device_param::ADDRESS_BITS => bytes([info.address_bits]),
        device_param::MAX_MEM_ALLOC_SIZE => bytes([info.max_mem_alloc_size]),
        device_param::GLOBAL_MEM_SIZE => bytes([info.global_mem_size]),
        device_param::GLOBAL_MEM_CACHE_SIZE => bytes([info.global_mem_cache_size]),
        device_param::GLOBAL_MEM_CACHE_LINE_SIZE => bytes([info.global_mem_cache_line_size]),
        device_param::GLOBAL_MEM_CACHE_TYPE => bytes([info.global_mem_cache_type]),
        device_param::LOCAL_MEM_SIZE => bytes([info.local_mem_size]),
        device_param::LOCAL_MEM_TYPE => bytes([info.local_mem_type]),
        device_param::MAX_PARAMETER_SIZE => bytes([info.max_parameter_size]),
        device_param::MEM_BASE_ADDR_ALIGN => bytes([info.mem_base_addr_align]),
        device_param::PROFILING_TIMER_RESOLUTION => bytes([info.profiling_timer_resolution]),
        device_param::PREFERRED_VECTOR_WIDTHS => bytes(info.preferred_vector_widths),
        device_param::NATIVE_VECTOR_WIDTHS => bytes(info.native_vector_widths),
        device_param::HALF_FP_CONFIG => bytes([info.half_fp_config]),
        device_param::SINGLE_FP_CONFIG => bytes([info.single_fp_config]),
        device_param::DOUBLE_FP_CONFIG => bytes([info.double_fp_config]),
        device_param::ATOMIC_MEMORY_ORDERS => bytes([info.atomic_memory_orders]),
        device_param::ATOMIC_MEMORY_SCOPES => bytes([info.atomic_memory_scopes]),
        device_param::PRINTF_BUFFER_SIZE => bytes([info.printf_buffer_size]),
        device_param::BACKEND => bytes([device.platform.backend.kind() as u32]),
        device_param::ERROR_CORRECTION => vec![u8::from(info.error_correction)],
        device_param::PARTITION_MAX_SUB_DEVICES => bytes([info.partition_max_sub_devices]),
        device_param::ASPECTS => bytes(device.aspects()),
        device_param::FREE_MEMORY => bytes([device.hal.free_memory()?]),
        device_param::MAX_CLUSTER_SIZE => bytes([info.max_cluster_size]),
        device_param::MAX_REGISTERS_PER_GROUP => bytes([info.max_registers_per_group]),
        _ => return device_detail(info, param),
    })
}

/// Returns a property that only some devices have.
fn device_detail(info: &DeviceInfo, param: u32) -> Result<Vec<u8>> {
    let details = &info.details;
    let number = |value: Option<u32>| value.map(|value| bytes([value]));
    let (value, aspect) = match param {
        device_param::ID => (number(details.device_id), Aspect::ExtIntelDeviceId),
        device_param::PCI_ADDRESS => {
            (details.pci_address.clone().map(String::into_bytes), Aspect::ExtIntelPciAddress)
        }
        device_param::UUID => {
            (details.uuid.map(|uuid| uuid.to_vec()), Aspect::ExtIntelDeviceInfoUuid)
        }
        device_param::MEMORY_CLOCK_RATE => {
            (number(details.memory_clock_rate), Aspect::ExtIntelMemoryClockRate)
        }
        device_param::MEMORY_BUS_WIDTH => {
            (number(details.memory_bus_width), Aspect::ExtIntelMemoryBusWidth)
        }
        device_param::MAX_MEM_BANDWIDTH => {
            (details.max_mem_bandwidth.map(|value| bytes([value])), Aspect::ExtIntelMaxMemBandwidth)
        }
        device_param::GPU_EU_COUNT => (number(details.gpu_eu_count()), Aspect::ExtIntelGpuEuCount),
        device_param::GPU_SLICES => (number(details.gpu_slices), Aspect::ExtIntelGpuSlices),
        device_param::GPU_SUBSLICES_PER_SLICE => {
            (number(details.gpu_subslices_per_slice), Aspect::ExtIntelGpuSubslicesPerSlice)
        }
        device_param::GPU_EU_COUNT_PER_SUBSLICE => {
            (number(details.gpu_eu_count_per_subslice), Aspect::ExtIntelGpuEuCountPerSubslice)
        }
        device_param::GPU_HW_THREADS_PER_EU => {
            (number(details.gpu_hw_threads_per_eu), Aspect::ExtIntelGpuHwThreadsPerEu)
        }
        _ => return Err(invalid(format!("device parameter {param} is unknown, expected 0 to 50"))),
    };
    value.ok_or_else(|| {
        let (name, aspect) = (&info.name, aspect.as_str());
        Error::new(
            Errc::FeatureNotSupported,
            format!(
                "device::get_info: device '{name}' does not report this property, which \
                 aspect::{aspect} announces"
            ),
        )
    })
}

/// Numbers that can be written in the byte order of the caller's memory.
trait Number {
    fn append(self, out: &mut Vec<u8>);
}

impl Number for u32 {
    fn append(self, out: &mut Vec<u8>) {
        out.extend(self.to_ne_bytes());
    }
}

impl Number for u64 {
    fn append(self, out: &mut Vec<u8>) {
        out.extend(self.to_ne_bytes());
    }
}

fn bytes<T: Number>(numbers: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.into_iter().for_each(|number| number.append(&mut out));
    out
}

/// Writes as much of `value` as fits, and its size.
///
/// # Safety
/// `buf` must be null or valid for writes of `cap` bytes. `len` must be null or valid for a write.
unsafe fn answer(value: &[u8], buf: *mut c_void, cap: usize, len: *mut usize) -> Result<()> {
    if !buf.is_null() {
        // SAFETY: the caller guarantees that `buf` is valid for `cap` bytes, and at most `cap` are
        // written.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), buf.cast(), value.len().min(cap)) };
    }
    if !len.is_null() {
        // SAFETY: `len` is not null, and the caller guarantees that it is then valid for a write.
        unsafe { len.write(value.len()) };
    } else if buf.is_null() {
        return Err(invalid(
            "'buf' and 'len' are both null, expected at least one address for the result",
        ));
    }
    Ok(())
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_context_create(
    devices: *const DeviceHandle,
    count: u32,
    out: *mut ContextHandle,
) -> Status {
    edge(|| {
        check_out(out, "context")?;
        // SAFETY: the caller guarantees that `devices` is null or valid for reads of `count`
        // handles.
        let handles = unsafe { slice(devices, u64::from(count), "devices") }?;
        // SAFETY: the caller guarantees that each handle is null or live.
        let devices = handles
            .iter()
            .map(|&device| unsafe { get::<c::DeviceT>(device) })
            .collect::<Result<Vec<_>>>()?;
        let context = Arc::new(Context::new(devices)?);
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "context", give(context)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_context_retain(context: ContextHandle) {
    // SAFETY: the caller guarantees that `context` is null or a live handle.
    unsafe { retain(context) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_context_release(context: ContextHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `context` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(context) };
        Ok(())
    });
}
