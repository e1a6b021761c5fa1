//! Programs that are compiled from source text, their kernels and their variables.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use scythe_abi::capi::{
    ContextHandle, ContextT, DeviceHandle, DeviceT, NativeKernelHandle, NativeKernelT,
    OnlineProgramHandle, OnlineProgramT, Source as RawSource, Status, Text, TextSink, bundle_state,
};

use super::handles::{check_out, get, give, put, release, retain, share, slice};
use super::{edge, edge_or};
use crate::native_kernel::NativeKernel;
use crate::online::{self, Language, Program, Source};
use crate::platform::Device;
use crate::{Result, invalid};

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_supported(device: DeviceHandle, language: u32) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `device` is null or a live handle.
        let device = unsafe { get::<DeviceT>(device) }?;
        online::supports(device, Language::from_u32(language)?)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_opencl_c(
    device: DeviceHandle,
    fact: u32,
    name: Text,
    version: *mut u32,
    answer: *mut i32,
) -> Status {
    edge(|| {
        check_out(version, "version")?;
        check_out(answer, "answer")?;
        // SAFETY: the caller guarantees that `device` is null or a live handle and that the text is
        // valid.
        let (device, name) = unsafe { (get::<DeviceT>(device)?, text(name)?) };
        // SAFETY: `version` is not null, and the caller guarantees that it is then valid.
        let asked = unsafe { version.read() };
        let found = online::driver::opencl_c(device).and_then(|facts| {
            let list = match fact {
                0 => return facts.versions.contains(&asked).then_some(asked),
                1 => facts.features,
                _ => facts.extensions,
            };
            list.into_iter().find(|(known, _)| known == name).map(|(_, version)| version)
        });
        // SAFETY: the addresses are not null, and the caller guarantees that they are then valid
        // for a write.
        unsafe {
            put(version, "version", found.unwrap_or(asked))?;
            put(answer, "answer", i32::from(found.is_some()))
        }
    })
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_opencl_profile(
    device: DeviceHandle,
    sink: Option<TextSink>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `device` is null or a live handle.
        let device = unsafe { get::<DeviceT>(device) }?;
        if let (Some(facts), Some(sink)) = (online::driver::opencl_c(device), sink) {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { sink(ctx, facts.profile.as_ptr().cast(), facts.profile.len()) };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`]. It must be sound to call `log` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_compile(
    context: ContextHandle,
    devices: *const DeviceHandle,
    device_count: u64,
    source: *const RawSource,
    log: Option<TextSink>,
    ctx: *mut c_void,
    out: *mut OnlineProgramHandle,
) -> Status {
    edge(|| {
        check_out(out, "program")?;
        // SAFETY: the caller guarantees that `source` is null or valid for a read.
        let raw = unsafe { source.as_ref() }.ok_or_else(|| invalid("the source is null"))?;
        // SAFETY: the caller guarantees that the handles are null or live and that the addresses in
        // the source are null or valid.
        let (context, devices, source) = unsafe {
            (share::<ContextT>(context)?, device_list(devices, device_count)?, read_source(raw)?)
        };
        let linked = raw.state == bundle_state::EXECUTABLE;
        let (program, text) = Program::compile(context, devices, &source, linked)?;
        if let Some(log) = log {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { log(ctx, text.as_ptr().cast(), text.len()) };
        }
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "program", give(Arc::new(program))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_link(
    context: ContextHandle,
    devices: *const DeviceHandle,
    device_count: u64,
    programs: *const OnlineProgramHandle,
    count: u64,
    out: *mut OnlineProgramHandle,
) -> Status {
    edge(|| {
        check_out(out, "program")?;
        // SAFETY: the caller guarantees that the handles are null or live.
        let (context, devices) =
            unsafe { (share::<ContextT>(context)?, device_list(devices, device_count)?) };
        // SAFETY: the caller guarantees that `programs` is null or holds `count` handles.
        let programs = unsafe { slice(programs, count, "programs") }?;
        // SAFETY: the caller guarantees that each handle is null or live.
        let programs = programs.iter().map(|&program| unsafe { share(program) });
        let programs = programs.collect::<Result<Vec<_>>>()?;
        let linked = Program::link(context, devices, &programs)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "program", give(Arc::new(linked))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_retain(program: OnlineProgramHandle) {
    // SAFETY: the caller guarantees that `program` is null or a live handle.
    unsafe { retain(program) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_release(program: OnlineProgramHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `program` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(program) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_image_count(program: OnlineProgramHandle) -> u64 {
    // SAFETY: the caller guarantees that `program` is null or a live handle.
    edge_or(0, || Ok(unsafe { get::<OnlineProgramT>(program) }?.image_count() as u64))
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_kernel_name(
    program: OnlineProgramHandle,
    name: Text,
    sink: Option<TextSink>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that the handle is null or live and that the text is valid.
        let (program, name) = unsafe { (get::<OnlineProgramT>(program)?, text(name)?) };
        let raw = program.raw_name(name);
        if let (Some(raw), Some(sink)) = (raw, sink) {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { sink(ctx, raw.as_ptr().cast(), raw.len()) };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_kernel_compatible(
    program: OnlineProgramHandle,
    name: Text,
    device: DeviceHandle,
    answer: *mut i32,
) -> Status {
    edge(|| {
        check_out(answer, "answer")?;
        // SAFETY: the caller guarantees that the handles are null or live and that the text is
        // valid.
        let (program, name) = unsafe { (get::<OnlineProgramT>(program)?, text(name)?) };
        // SAFETY: the caller guarantees that `device` is null or a live handle.
        let device = unsafe { get::<DeviceT>(device) }?;
        let fits = program.is_compatible(name, device);
        // SAFETY: the caller guarantees that `answer` is null or valid for a write.
        unsafe { put(answer, "answer", i32::from(fits)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_kernel(
    program: OnlineProgramHandle,
    name: Text,
    out: *mut NativeKernelHandle,
) -> Status {
    edge(|| {
        check_out(out, "kernel")?;
        // SAFETY: the caller guarantees that the handle is null or live and that the text is valid.
        let (program, name) = unsafe { (share::<OnlineProgramT>(program)?, text(name)?) };
        let kernel = online::kernel(&program, name).map(Arc::new);
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "kernel", kernel.map_or(std::ptr::null_mut(), give)) }
    })
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_variable(
    program: OnlineProgramHandle,
    name: Text,
    sink: Option<TextSink>,
    ctx: *mut c_void,
    size: *mut u64,
) -> Status {
    edge(|| {
        check_out(size, "size")?;
        // SAFETY: the caller guarantees that the handle is null or live and that the text is valid.
        let (program, name) = unsafe { (get::<OnlineProgramT>(program)?, text(name)?) };
        let Some((symbol, bytes)) = program.variable(name) else { return Ok(()) };
        if let Some(sink) = sink {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { sink(ctx, symbol.as_ptr().cast(), symbol.len()) };
        }
        // SAFETY: the caller guarantees that `size` is null or valid for a write.
        unsafe { put(size, "size", bytes) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_online_variable_address(
    program: OnlineProgramHandle,
    name: Text,
    device: DeviceHandle,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "address")?;
        // SAFETY: the caller guarantees that the handle is null or live and that the text is valid.
        let (program, name) = unsafe { (get::<OnlineProgramT>(program)?, text(name)?) };
        // SAFETY: the caller guarantees that `device` is null or a live handle. Devices are never
        // freed.
        let device: &'static Device = unsafe { get::<DeviceT>(device) }?;
        let address = program.variable_address(name, device)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "address", address) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_kernel_name(kernel: NativeKernelHandle) -> *const c_char {
    edge_or(c"".as_ptr(), || {
        // SAFETY: the caller guarantees that `kernel` is null or a live handle.
        Ok(match unsafe { get::<NativeKernelT>(kernel) }? {
            NativeKernel::Online { name, .. } => name.as_ptr(),
            NativeKernel::Driver(kernel) => kernel.name.as_ptr(),
        })
    })
}

/// # Safety
/// See [`super`]. `work_group` must be null or valid for writes of three numbers. It must be sound
/// to call `attributes` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_kernel_facts(
    kernel: NativeKernelHandle,
    arg_count: *mut u32,
    work_group: *mut u64,
    sub_group: *mut u32,
    attributes: Option<TextSink>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        check_out(arg_count, "number of arguments")?;
        check_out(work_group, "work-group size")?;
        check_out(sub_group, "sub-group size")?;
        // SAFETY: the caller guarantees that `kernel` is null or a live handle.
        let kernel = unsafe { get::<NativeKernelT>(kernel) }?;
        let (mut sizes, mut text) = (([0; 3], 0), "");
        let count = match kernel {
            NativeKernel::Online { program, symbol, .. } => {
                sizes = program.required_sizes(symbol);
                text = program.attributes(symbol);
                let function = program.launch(symbol)?.function.as_ref();
                Some(function.map_or(0, |function| function.arguments.len() as u32))
            }
            NativeKernel::Driver(kernel) => kernel.arg_count,
        };
        let count = count.unwrap_or(u32::MAX);
        if let Some(attributes) = attributes {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { attributes(ctx, text.as_ptr().cast(), text.len()) };
        }
        // SAFETY: the addresses are not null, and the caller guarantees that they are then valid
        // for writes.
        unsafe {
            work_group.cast::<[u64; 3]>().write_unaligned(sizes.0);
            put(sub_group, "sub-group size", sizes.1)?;
            put(arg_count, "number of arguments", count)
        }
    })
}

/// Returns the devices of a list, each once.
///
/// # Safety
/// `list` must be null or hold `count` handles, each null or live.
unsafe fn device_list(list: *const DeviceHandle, count: u64) -> Result<Vec<&'static Device>> {
    let mut devices: Vec<&'static Device> = Vec::new();
    // SAFETY: the caller guarantees that `list` is null or holds `count` handles.
    for &device in unsafe { slice(list, count, "devices") }? {
        // SAFETY: the caller guarantees that the handle is null or live. Devices are never freed.
        let device: &'static Device = unsafe { get::<DeviceT>(device) }?;
        if devices.iter().all(|known| known.id != device.id) {
            devices.push(device);
        }
    }
    Ok(devices)
}

/// Converts a source to Rust values.
///
/// # Safety
/// The addresses in the source must be null or valid during `'a`.
unsafe fn read_source<'a>(raw: &RawSource) -> Result<Source<'a>> {
    // SAFETY: the caller guarantees that the lists are null or valid.
    let (includes, options, names) = unsafe {
        (
            slice(raw.includes, raw.include_count.saturating_mul(2), "include files")?,
            slice(raw.options, raw.option_count, "build options")?,
            slice(raw.names, raw.name_count, "registered names")?,
        )
    };
    let pairs = includes.as_chunks::<2>().0.iter();
    Ok(Source {
        language: Language::from_u32(raw.language)?,
        // SAFETY: the caller guarantees that all texts are null or valid, here and below.
        text: unsafe { slice(raw.text.data.cast(), raw.text.size, "source text") }?,
        includes: pairs
            .map(|[name, contents]| {
                // SAFETY: as above.
                let bytes = unsafe { slice(contents.data.cast(), contents.size, "include file") };
                // SAFETY: as above.
                Ok((unsafe { text(*name) }?, bytes?))
            })
            .collect::<Result<_>>()?,
        // SAFETY: as above.
        options: options.iter().map(|one| unsafe { text(*one) }).collect::<Result<_>>()?,
        // SAFETY: as above.
        names: names.iter().map(|one| unsafe { text(*one) }).collect::<Result<_>>()?,
    })
}

/// Converts a text, which must be UTF-8.
///
/// # Safety
/// The address must be null or valid for reads of the size during `'a`.
unsafe fn text<'a>(raw: Text) -> Result<&'a str> {
    // SAFETY: the caller guarantees that the address is null or valid for reads of the size.
    let bytes = unsafe { slice(raw.data.cast::<u8>(), raw.size, "text") }?;
    std::str::from_utf8(bytes)
        .map_err(|_| invalid(format!("'{}' is not UTF-8", bytes.escape_ascii())))
}
