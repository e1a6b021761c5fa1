//! Formats a report as one web page. It needs no other files, no network and no scripts, and it
//! follows the reader's choice of light or dark colours.

use super::devices::{Device, Verdict};
use super::report::{GlobalReport, ImageReport, KernelReport, Report};
use super::text::{count, headline};
use scythe_abi::aspect_origin::AspectOrigin;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// Escapes text.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

pub fn render(report: &Report) -> String {
    let file = escaped(&report.file);
    let images = count(report.images.len(), "device image");
    let kernels = count(report.kernel_count(), "kernel");
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{file} – \
         device code</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{file}</h1><p>{images}, \
         {kernels}</p></header>\n<main>\n"
    );
    let sizes: String = report
        .sizes()
        .into_iter()
        .map(|(target, size)| format!("<li>{}: {size} bytes</li>", escaped(target)))
        .collect();
    out += &format!("<ul class=\"sizes\">{sizes}</ul>\n");
    for (index, image) in report.images.iter().enumerate() {
        show_image(&mut out, index, image);
    }
    out + "</main>\n</body>\n</html>\n"
}

fn show_image(out: &mut String, index: usize, image: &ImageReport) {
    let mut add =
        |text: String| writeln!(out, "{text}").expect("a string takes all that is written");
    add(format!(
        "<section>\n<h2>Image {index}</h2>\n<p class=\"about\">{}</p>",
        escaped(&headline(image))
    ));
    let needs: String =
        image.needs().iter().map(|need| format!("<li>{}</li>", escaped(need))).collect();
    add(match needs.as_str() {
        _ if image.cached => String::new(),
        "" => "<p>Needs nothing special of a device.</p>".to_owned(),
        _ => format!("<h3>Needs</h3>\n<ul class=\"needs\">{needs}</ul>"),
    });
    for (what, symbols) in [("Exports", &image.exported), ("Imports", &image.imported)] {
        if !symbols.is_empty() {
            let items: String = symbols
                .iter()
                .map(|symbol| format!("<li><code>{}</code></li>", escaped(symbol)))
                .collect();
            add(format!(
                "<details><summary>{what} {}</summary><ul>{items}</ul></details>",
                count(symbols.len(), "symbol")
            ));
        }
    }
    if !image.device_globals.is_empty() {
        let item = |global: &GlobalReport| {
            format!(
                "<li><code>{}</code>, {}</li>",
                escaped(&global.name),
                escaped(&global.details())
            )
        };
        let items: String = image.device_globals.iter().map(item).collect();
        add(format!("<h3>Variables</h3>\n<ul>{items}</ul>"));
    }
    add("<h3>Kernels</h3>".into());
    image.kernels.iter().for_each(|kernel| add(show_kernel(kernel, image.cached)));
    if !image.cached {
        add(show_devices(&image.devices));
    }
    add("</section>".into());
}

fn show_kernel(kernel: &KernelReport, cached: bool) -> String {
    let (name, symbol) = (escaped(&kernel.name), escaped(&kernel.symbol));
    let origins: String = kernel.origins.iter().map(show_origin).collect();
    let summary = if cached { String::new() } else { escaped(&kernel.summary()) };
    let code: String = kernel
        .code
        .iter()
        .map(|code| format!("<li>{}: {}</li>", escaped(&code.processor), escaped(&code.summary())))
        .collect();
    format!(
        "<article><h4 title=\"{symbol}\"><code>{name}</code></h4><p class=\"about\">{summary}</p>\
         <ul class=\"code\">{code}</ul>{origins}</article>"
    )
}

fn show_origin(origin: &AspectOrigin) -> String {
    let steps: String = origin
        .chain
        .iter()
        .map(|step| {
            let place =
                step.place.as_deref().map(|place| format!(" <span>{}</span>", escaped(place)));
            format!(
                "<li><code>{}</code>{}</li>",
                escaped(&step.function),
                place.unwrap_or_default()
            )
        })
        .collect();
    format!("<div class=\"origin\"><b>{}</b><ol>{steps}</ol></div>", escaped(&origin.aspect))
}

/// Writes one line of chips for each family.
fn show_devices(devices: &[Device]) -> String {
    let runs = devices.iter().filter(|device| device.verdict == Verdict::Runs).count();
    let mut out = format!(
        "<h3>Runs on {runs} of {}</h3>\n<dl class=\"devices\">",
        count(devices.len(), "known device")
    );
    let mut families: Vec<&str> = devices.iter().map(|device| device.family).collect();
    families.sort();
    families.dedup();
    for family in families {
        let chips: String =
            devices.iter().filter(|device| device.family == family).map(chip).collect();
        out += &format!("<dt>{family}</dt><dd>{chips}</dd>\n");
    }
    out + "</dl>\n<p class=\"legend\"><i class=\"runs\">runs</i> <i class=\"perhaps\">depends on \
        the model</i> \
           <i class=\"lacks\">lacks something: point at it to see what</i></p>"
}

fn chip(device: &Device) -> String {
    let (class, reason) = match &device.verdict {
        Verdict::Runs => ("runs", "runs".to_owned()),
        Verdict::Perhaps(what) => ("perhaps", format!("depends on {what}")),
        Verdict::Lacks(what) => ("lacks", format!("lacks {what}")),
    };
    format!("<i class=\"{class}\" title=\"{}\">{}</i> ", escaped(&reason), escaped(&device.name))
}
