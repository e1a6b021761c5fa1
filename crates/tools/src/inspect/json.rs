//! Formats a report as JSON for other programs. New versions only add keys. `version` changes if
//! the meaning of a key changes.

use super::code::CodeReport;
use super::devices::{Device, Verdict};
use super::report::{GlobalReport, ImageReport, KernelReport, Report, place_of};
use scythe_abi::aspect_origin::AspectOrigin;
use serde_json::{Value, json};

const VERSION: u32 = 1;

pub fn render(report: &Report) -> String {
    let images: Vec<Value> = report.images.iter().map(image).collect();
    let value = json!({
        "version": VERSION,
        "file": report.file,
        "sizes": report.sizes(),
        "images": images,
    });
    // The alternate form is indented.
    format!("{value:#}\n")
}

fn image(image: &ImageReport) -> Value {
    let requirements = &image.requirements;
    json!({
        "member": image.member,
        "linked": image.linked,
        "cached": image.cached,
        "target": image.target,
        "format": image.format,
        "options": image.options,
        "codeSize": image.code_size,
        "needs": image.needs(),
        "requirements": {
            "aspect": requirements.aspects,
            "reqd_sub_group_size": requirements.sub_group_sizes,
            "reqd_work_group_size": requirements.work_group_sizes,
            "fixed_target": requirements.fixed_targets,
        },
        "exports": image.exported,
        "imports": image.imported,
        "deviceGlobals": image.device_globals.iter().map(device_global).collect::<Vec<_>>(),
        "kernels": image.kernels.iter().map(kernel).collect::<Vec<_>>(),
        "devices": image.devices.iter().map(device).collect::<Vec<_>>(),
    })
}

fn kernel(kernel: &KernelReport) -> Value {
    json!({
        "symbol": kernel.symbol,
        "name": kernel.name,
        "shape": kernel.launch.as_ref().map(|launch| launch.shape.as_str()),
        "location": kernel.launch.as_ref().map(place_of),
        "parameters": kernel.launch.as_ref().map(|launch| launch.params.len()),
        "functorSize": kernel.launch.as_ref().map(|launch| launch.functor_size),
        "aspects": kernel.origins.iter().map(origin).collect::<Vec<_>>(),
        "code": kernel.code.iter().map(code).collect::<Vec<_>>(),
    })
}

fn code(code: &CodeReport) -> Value {
    json!({
        "processor": code.processor,
        "lanes": code.lanes,
        "registers": code.registers,
        "localBytes": code.local_bytes,
        "privateBytes": code.private_bytes,
        "codeBytes": code.code_bytes,
        "remark": code.remark,
    })
}

fn device_global(global: &GlobalReport) -> Value {
    json!({
        "symbol": global.symbol,
        "name": global.name,
        "size": global.size,
        "imageScope": global.image_scope,
    })
}

fn origin(origin: &AspectOrigin) -> Value {
    let steps = origin
        .chain
        .iter()
        .map(|step| json!({ "function": step.function, "location": step.place }));
    json!({ "aspect": origin.aspect, "chain": steps.collect::<Vec<_>>() })
}

fn device(device: &Device) -> Value {
    let (verdict, reason) = match &device.verdict {
        Verdict::Runs => ("runs", None),
        Verdict::Perhaps(what) => ("perhaps", Some(what)),
        Verdict::Lacks(what) => ("lacks", Some(what)),
    };
    json!({ "name": device.name, "verdict": verdict, "reason": reason })
}
