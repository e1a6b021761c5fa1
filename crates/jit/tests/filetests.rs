//! The CPU lowering on IR, one file for each behaviour: `tests/filetests/cpu/*.ll`.
//!
//! A file begins with `; RUN:` and options: `-O0` to `-O3`, `--cpu=`, `--width=` and `--lanes=` for the target, `--local-size=X,Y,Z` to
//! compile the kernel `k` for that work-group size alone, `--scalar` for one work-item at a time, `--stage=` for the stage to look at (the last by default). FileCheck then compares the module with the file. With `not` before the options, the
//! lowering must fail, and FileCheck sees the error.

use scythe_llvm::{Context, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::target::cpu::{self, Stage};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

struct Run {
    fails: bool,
    stage: String,
    options: cpu::Options,
}

fn parse(text: &str) -> Run {
    let line = text.lines().next().and_then(|l| l.strip_prefix("; RUN:")).expect("the first line is '; RUN: options'");
    let (cpu, features) = ("x86-64".into(), String::new());
    let options = cpu::Options {
        opt_level: 3,
        cpu,
        features,
        vector_width: 0,
        lanes: 4,
        scalar: false,
        target: None,
        linkable: false,
    };
    let mut run = Run { fails: false, stage: "optimized".into(), options };
    for word in line.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("not", _) => run.fails = true,
            ("--cpu", value) => run.options.cpu = value.into(),
            ("--width", value) => run.options.vector_width = value.parse().expect("a width is a number"),
            ("--lanes", value) => run.options.lanes = value.parse().expect("lanes are a number"),
            ("--local-size", value) => {
                let sizes: Vec<u64> = value.split(',').map(|n| n.parse().expect("an extent is a number")).collect();
                let local_size = sizes.try_into().expect("a size has three extents");
                run.options.target = Some(cpu::specialise::Target { kernel: "k".into(), local_size });
            }
            ("--scalar", _) => run.options.scalar = true,
            ("--stage", value) => run.stage = value.into(),
            (level, _) => {
                run.options.opt_level = level.strip_prefix("-O").expect(word).parse().expect("a level is a number")
            }
        }
    }
    run
}

/// The module's text after the stage, or the error.
fn lower(name: &str, text: &str, run: &Run) -> Result<String, String> {
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), name).map_err(|e| e.to_string())?;
    let target = TargetOptions {
        triple: "x86_64-unknown-linux-gnu".into(),
        cpu: run.options.cpu.clone(),
        features: run.options.features.clone(),
        opt_level: OptLevel::from_number(run.options.opt_level),
    };
    let machine = TargetMachine::new(&target).map_err(|e| e.to_string())?;
    let mut seen = None;
    let mut observe = |stage: Stage, module: &scythe_llvm::Module<'_>| {
        module.verify()?;
        if stage.name().ends_with(&run.stage) {
            seen = Some(module.to_string());
        }
        Ok(())
    };
    cpu::lower(&module, &machine, &run.options, &mut observe).map_err(|e| e.to_string())?;
    seen.ok_or_else(|| format!("no stage is called '{}'", run.stage))
}

fn file_check(path: &Path, input: &str) -> Result<(), String> {
    let mut command = Command::new("/usr/lib/llvm-22/bin/FileCheck");
    command.arg(path).arg("--dump-input=fail").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("FileCheck of LLVM 22 does not start: {e}"))?;
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() && written.is_some_and(|w| w.is_ok()) {
        return Ok(());
    }
    Err(format!("{}\n{input}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_file_is_lowered_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/cpu");
    let entries = std::fs::read_dir(&folder).expect("the folder of file tests can be read");
    let mut files: Vec<_> = entries.map(|e| e.expect("its entries too").path()).collect();
    files.sort();
    let mut failures = Vec::new();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "ll")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a file test can be read");
        let run = parse(&text);
        let result = match (lower(&name, &text, &run), run.fails) {
            (Ok(module), false) => file_check(path, &module),
            (Err(error), true) => file_check(path, &error),
            (Ok(_), true) => Err("it was lowered, and should have been refused".into()),
            (Err(error), false) => Err(error),
        };
        failures.extend(result.err().map(|e| format!("{name}: {e}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// A kernel with a barrier, and with operations on memory that work-items can only do one after the other.
fn kernel_with_atomics(count: usize) -> String {
    let mut text = String::from(
        "target triple = \"spirv64-unknown-unknown\"\n\
        declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)\n\
        declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)\n\
        define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) \"scythe-shape\"=\"nd_range\" {\n\
        %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\n\
        %p = getelementptr i32, ptr addrspace(1) %in, i64 %x\n\
        %v0 = load i32, ptr addrspace(1) %p, align 4\n\
        call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)\n",
    );
    for i in 0..count {
        text += &format!(
            "%s{i} = zext i32 %v{i} to i64\n%a{i} = getelementptr i32, ptr addrspace(1) %out, i64 %s{i}\n\
            %v{} = atomicrmw add ptr addrspace(1) %a{i}, i32 1 monotonic\n",
            i + 1
        );
    }
    text + "ret void\n}\n"
}

#[test]
fn kernels_that_would_swell_are_not_widened() {
    let run = parse("; RUN: -O3 --cpu=x86-64-v4 --width=512 --lanes=16 --stage=work-groups");
    let widened = |atomics| lower("k.ll", &kernel_with_atomics(atomics), &run).unwrap().contains("<16 x i32>");
    assert!(widened(2));
    assert!(!widened(200));
}
