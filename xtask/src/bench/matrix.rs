//! Products of joint matrices on the CPU device, against the same products without them. `bench
//! cuda --package` compares the products on NVIDIA GPUs with CUDA.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Limit, Report, numbers, value};
use crate::process::{self, Scratch, progress};
use crate::workspace::root;

const LIMIT: Duration = Duration::from_secs(120);

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let mut report = Report::default();
    let scratch = Scratch::new("bench")?;
    progress("measuring products of joint matrices on the CPU device");
    let program = scratch.path().join("product");
    let mut command = Command::new(prefix.join("bin/scythe"));
    command.args(["-fsycl", "-std=c++17", "-O3"]);
    command.arg(root().join("benches/matrix/product.cpp")).arg("-o").arg(&program);
    process::output(&mut command)?;
    let mut command = Command::new(&program);
    let told = numbers(command.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*"), LIMIT)?;
    for name in ["half", "bfloat16", "float"] {
        let plain = value(&told, &format!("{name}-plain"))?;
        let joint = value(&told, &format!("{name}-joint"))?;
        report.add(format!("{name}, without joint matrices"), plain * 1e3, " ms", Limit::None);
        report.add(format!("{name}, joint matrices"), joint * 1e3, " ms", Limit::None);
        let what = format!("{name}, speed against a product without them");
        report.add(what, plain / joint, "x", Limit::AtLeast(1.0));
    }
    Ok(report)
}
