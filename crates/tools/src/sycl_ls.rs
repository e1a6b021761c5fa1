//! `sycl-ls`: lists the devices that a program sees, in the syntax of `ONEAPI_DEVICE_SELECTOR`.
//! With `--verbose`, describes the devices, and reports the reasons why others cannot be used.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::{NoDevices, UnexpectedInput};
use crate::{Failure, Status};
use scythe::platform::{Device, Platform, Runtime};
use scythe::selection::{VARIABLE, backend_name, type_name};
use scythe_abi::aspect::Aspect;
use scythe_hal::info::DeviceType;
use std::fmt::Write;

pub const SYNTAX: Syntax = Syntax {
    tool: "sycl-ls",
    summary: "Lists the devices that SYCL programs see.",
    inputs: "",
    options: &[
        Opt {
            name: "verbose",
            value: None,
            help: "also tell what each device is, and why others cannot be used",
        },
        Opt {
            name: "ignore-device-selectors",
            value: None,
            help: "list all devices, whatever ONEAPI_DEVICE_SELECTOR says",
        },
    ],
    notes: "Each line begins with [BACKEND:TYPE][BACKEND:NUMBER], which ONEAPI_DEVICE_SELECTOR \
        takes without the brackets.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    if let Some(input) = args.inputs().next() {
        let unexpected = UnexpectedInput { tool: SYNTAX.tool, input: input.to_owned() };
        return Err(Failure::new(&unexpected));
    }
    let runtime =
        if args.has("ignore-device-selectors") { Runtime::unfiltered() } else { Runtime::get() };
    let runtime = runtime.map_err(|error| Failure::new(&NoDevices { reason: error.message }))?;
    let mut text = String::new();
    if std::env::var_os(VARIABLE).is_some() && !args.has("ignore-device-selectors") {
        eprintln!("note: {VARIABLE} is set: devices that it leaves out are not listed");
    }
    runtime.devices.iter().for_each(|device| line(device, &mut text));
    if args.has("verbose") {
        describe(runtime, &mut text);
    }
    Ok(Status::print(text))
}

/// Appends a line to a string, which cannot fail.
macro_rules! put {
    ($text:expr, $($what:tt)*) => {
        writeln!($text, $($what)*).expect("a string takes all that is written")
    };
}

fn line(device: &Device, text: &mut String) {
    let backend = backend_name(device.platform.backend.kind());
    let (info, platform) = (device.hal.info(), device.platform.backend.platform());
    let (kind, index) = (type_name(info.device_type), device.index);
    let (name, version, driver) = (&info.name, &info.version, &info.driver_version);
    put!(
        text,
        "[{backend}:{kind}][{backend}:{index}] {}, {name} {version} [{driver}]",
        platform.name
    );
}

fn describe(runtime: &Runtime, text: &mut String) {
    put!(text, "\nPlatforms: {}", runtime.platforms.len());
    for (number, platform) in runtime.platforms.iter().enumerate() {
        describe_platform(number + 1, platform, text);
    }
    let score = |device: &&&Device| match device.hal.info().device_type {
        DeviceType::Gpu => 3,
        DeviceType::Cpu => 2,
        DeviceType::Accelerator => 1,
        DeviceType::Custom | DeviceType::Host => 0,
    };
    // The default selector chooses the first device with the highest score.
    match runtime.devices.iter().rev().max_by_key(score) {
        Some(device) => {
            let (info, platform) = (device.hal.info(), device.platform.backend.platform());
            put!(
                text,
                "default_selector: {}, {}, {}",
                type_name(info.device_type),
                platform.name,
                info.name
            );
        }
        None => put!(text, "default_selector: no device"),
    }
    let problems: Vec<String> =
        runtime.problems.iter().cloned().chain(scythe::platform::broken_drivers()).collect();
    if !problems.is_empty() {
        put!(text, "\nNot usable: {}", problems.len());
        problems.iter().for_each(|problem| put!(text, "    {problem}"));
    }
}

fn describe_platform(number: usize, platform: &Platform, text: &mut String) {
    let info = platform.backend.platform();
    let devices = platform.devices();
    put!(text, "Platform [#{number}]:");
    for (key, value) in [("Version", &info.version), ("Name", &info.name), ("Vendor", &info.vendor)]
    {
        put!(text, "    {key:8} : {value}");
    }
    put!(text, "    Devices  : {}", devices.len());
    for device in devices {
        let info = device.hal.info();
        put!(text, "        Device [#{}]:", device.index);
        let rows = [
            ("Type", type_name(info.device_type)),
            ("Version", &info.version),
            ("Name", &info.name),
            ("Vendor", &info.vendor),
            ("Driver", &info.driver_version),
        ];
        for (key, value) in rows {
            put!(text, "        {key:10} : {value}");
        }
        let aspects = device.aspects();
        let names = aspects.iter().filter_map(|&number| Some(Aspect::from_u32(number)?.as_str()));
        put!(text, "        {:10} : {}", "Aspects", names.collect::<Vec<_>>().join(" "));
        let sizes: Vec<String> = info.sub_group_sizes.iter().map(u64::to_string).collect();
        put!(text, "        {:10} : {}", "Sub-groups", sizes.join(" "));
    }
}
