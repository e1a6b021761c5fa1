//! Formats a report for a terminal.

use super::devices::{Device, Verdict};
use super::report::{ImageReport, Report};
use scythe_abi::aspect_origin::AspectOrigin;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: usize = 100;

/// Formats a number with its noun: `1 kernel`, `2 kernels`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

pub fn render(report: &Report) -> String {
    let images = count(report.images.len(), "device image");
    let mut out =
        format!("{}: {images}, {}\n", report.file, count(report.kernel_count(), "kernel"));
    for (target, bytes) in report.sizes() {
        out += &format!("  {}: {}\n", target, count(bytes as usize, "byte"));
    }
    for (index, image) in report.images.iter().enumerate() {
        out.push('\n');
        show_image(&mut out, index, image);
    }
    // Names in the file may be any text.
    scythe_diag::visible(out)
}

/// Describes an image: target, format, size and origin.
pub fn headline(image: &ImageReport) -> String {
    let size = count(image.code_size as usize, "byte");
    let mut text = format!("{}, {}, {size}", image.target, image.format);
    if let Some(member) = &image.member {
        text += &format!(", in {member}");
    }
    if !image.linked {
        text += ", not linked yet";
    }
    text
}

/// Groups devices by the feature that they lack. Devices that can run the image have the empty
/// string.
pub fn by_verdict(devices: &[Device]) -> (Vec<&str>, BTreeMap<String, Vec<&str>>) {
    let mut runs = Vec::new();
    let mut others: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for device in devices {
        match &device.verdict {
            Verdict::Runs => runs.push(&*device.name),
            Verdict::Perhaps(what) => {
                others.entry(format!("depends on {what}")).or_default().push(&device.name)
            }
            Verdict::Lacks(what) => {
                others.entry(format!("lacks {what}")).or_default().push(&device.name)
            }
        }
    }
    (runs, others)
}

/// Formats the functions from the kernel to the use on one line.
pub fn chain(origin: &AspectOrigin) -> String {
    let steps = origin.chain.iter().map(|step| match &step.place {
        Some(place) => format!("{} ({place})", step.function),
        None => step.function.clone(),
    });
    steps.collect::<Vec<_>>().join(" → ")
}

fn show_image(out: &mut String, index: usize, image: &ImageReport) {
    let mut print =
        |line: String| writeln!(out, "{line}").expect("a string takes all that is written");
    print(format!("image {index}: {}", headline(image)));
    if !image.options.is_empty() {
        print(format!("  options: {}", image.options));
    }
    let needs = image.needs();
    if !image.cached {
        print(format!(
            "  needs: {}",
            if needs.is_empty() { "nothing special".into() } else { needs.join(", ") }
        ));
    }
    for (what, symbols) in [("exports", &image.exported), ("imports", &image.imported)] {
        if !symbols.is_empty() {
            print(format!("  {what}: {}", symbols.join(", ")));
        }
    }
    for global in &image.device_globals {
        print(format!("  device_global {}: {}", global.name, global.details()));
    }
    for kernel in &image.kernels {
        print(format!("  kernel {}", kernel.name));
        if !image.cached {
            print(format!("    {}", kernel.summary()));
        }
        for code in &kernel.code {
            print(format!("    {}: {}", code.processor, code.summary()));
        }
        for origin in &kernel.origins {
            print(format!("    {}: {}", origin.aspect, chain(origin)));
        }
    }
    if image.cached {
        return;
    }
    let (runs, others) = by_verdict(&image.devices);
    print(format!("  runs on {} of {}", runs.len(), count(image.devices.len(), "known device")));
    wrapped(&runs).into_iter().for_each(&mut print);
    for (reason, devices) in others {
        print(format!("  {reason}: {}", devices.len()));
        wrapped(&devices).into_iter().for_each(&mut print);
    }
}

/// Formats names in indented lines of a readable length.
fn wrapped(names: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut().filter(|line| line.len() + name.len() < WIDTH) {
            Some(line) => *line += &format!(" {name}"),
            None => lines.push(format!("    {name}")),
        }
    }
    lines
}
