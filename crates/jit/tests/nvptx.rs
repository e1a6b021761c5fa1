//! Lowering for NVIDIA GPUs on IR, one file for each behaviour: `tests/filetests/nvptx/*.ll`.
//!
//! A file begins with `; RUN:` and options: `-O0` to `-O3`, `--arch=` and `--ptx=` for the target, `--stage=` for what to look at: a stage
//! of the lowering (`prepared`, `lowered`, `optimized`), `local-memory` for that pass alone, or the PTX (the default). FileCheck then
//! compares it with the file. The C edge is tested at the end. With `not` before the options, the lowering must fail, and FileCheck sees the error. No libraries are
//! linked.

use scythe_abi::jit::{Bytes, Output, Request, Response, VERSION};
use scythe_jit::edge::{scythe_jit_build, scythe_jit_free};
use scythe_llvm::{Context, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::target::nvptx::{self, Stage, generic, local_memory};
use std::ffi::CStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr::null;

struct Run {
    fails: bool,
    stage: String,
    opt_level: u32,
    arch: String,
    ptx: String,
}

fn parse(text: &str) -> Run {
    let line = text.lines().next().and_then(|l| l.strip_prefix("; RUN:")).expect("the first line is '; RUN: options'");
    let mut run = Run { fails: false, stage: "ptx".into(), opt_level: 3, arch: "sm_90".into(), ptx: "83".into() };
    for word in line.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("not", _) => run.fails = true,
            ("--arch", value) => run.arch = value.into(),
            ("--ptx", value) => run.ptx = value.into(),
            ("--stage", value) => run.stage = value.into(),
            (level, _) => run.opt_level = level.strip_prefix("-O").expect(word).parse().expect("a level is a number"),
        }
    }
    run
}

/// The module's text after the stage, or the PTX, or the error.
fn lower(name: &str, text: &str, run: &Run) -> Result<String, String> {
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), name).map_err(|e| e.to_string())?;
    let target = TargetOptions {
        triple: "nvptx64-nvidia-cuda".into(),
        cpu: run.arch.clone(),
        features: format!("+ptx{}", run.ptx),
        opt_level: OptLevel::from_number(run.opt_level),
    };
    let machine = TargetMachine::new(&target).map_err(|e| e.to_string())?;
    let short = TargetMachine::with_short_pointers(&target).map_err(|e| e.to_string())?;
    assert!(short.data_layout().contains("p3:32:32") && !machine.data_layout().contains("p3:32:32"));
    if run.stage == "local-memory" {
        local_memory::run(&module);
        return module.verify().map(|()| module.to_string()).map_err(|e| e.to_string());
    }
    let module = match module.triple().starts_with("spir") {
        true => generic::run(&context, module, &machine).map_err(|e| e.to_string())?,
        false => module,
    };
    let options = nvptx::Options { opt_level: run.opt_level, sm: run.arch[3..].parse().expect("sm_NN") };
    nvptx::prepare(&module, &machine, &options).map_err(|e| e.to_string())?;
    let mut seen = None;
    let mut observe = |stage: Stage, module: &scythe_llvm::Module<'_>| {
        module.verify()?;
        if stage.name().ends_with(&run.stage) {
            seen = Some(module.to_string());
        }
        Ok(())
    };
    let machine = nvptx::lower(&module, &machine, &short, &options, &mut observe).map_err(|e| e.to_string())?;
    if run.stage == "ptx" {
        let ptx = machine.emit_assembly(module).map_err(|e| e.to_string())?;
        return String::from_utf8(ptx).map_err(|e| e.to_string());
    }
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/nvptx");
    let entries = std::fs::read_dir(&folder).expect("the folder of file tests can be read");
    let mut files: Vec<_> = entries.map(|e| e.expect("its entries too").path()).collect();
    files.sort();
    let mut failures = Vec::new();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "ll")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a file test can be read");
        let run = parse(&text);
        let result = match (lower(&name, &text, &run), run.fails) {
            (Ok(seen), false) => file_check(path, &seen),
            (Err(error), true) => file_check(path, &error),
            (Ok(_), true) => Err("it was lowered, and should have been refused".into()),
            (Err(error), false) => Err(error),
        };
        failures.extend(result.err().map(|e| format!("{name}: {e}")));
    }
    assert!(files.len() > 5 && failures.is_empty(), "{}", failures.join("\n\n"));
}

/// What the C edge answers: the object, or the error.
fn translate(bitcode: &[u8], change: impl Fn(&mut Request)) -> Result<Vec<u8>, String> {
    let bitcode = Bytes { data: bitcode.as_ptr(), len: bitcode.len() };
    let mut request = Request { opt_level: 2, bitcode, sm: 90, ptx_version: 88, ..Request::new(Output::Ptx) };
    change(&mut request);
    let mut response = Response::empty();
    // SAFETY: all pointers are null or valid for the call.
    let status = unsafe { scythe_jit_build(&request, &mut response) };
    let result = if status == 0 {
        // SAFETY: filled on success.
        Ok(unsafe { std::slice::from_raw_parts(response.object, response.object_len) }.to_vec())
    } else {
        // SAFETY: a C string on failure.
        Err(unsafe { CStr::from_ptr(response.error) }.to_string_lossy().into_owned())
    };
    // SAFETY: filled above, and freed once.
    unsafe { scythe_jit_free(&mut response) };
    result
}

#[test]
fn generic_code_becomes_ptx_for_the_device_and_its_driver() {
    let context = Context::new();
    let text = r#"target triple = "spirv64-unknown-unknown"
        define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 {
          %any = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
          store i32 7, ptr addrspace(4) %any
          ret void
        }
        attributes #0 = { "scythe-shape"="single_task" }"#;
    let bitcode = context.parse_ir(text.as_bytes(), "generic").expect("it is IR").to_bitcode();
    let ptx = translate(&bitcode, |_| {}).expect("it is compiled");
    assert_eq!(ptx.last(), Some(&0), "the driver wants a C string");
    let ptx = String::from_utf8_lossy(&ptx).into_owned();
    assert!(ptx.contains(".target sm_90") && ptx.contains(".entry _ZTS1K(") && ptx.contains("st.global"), "{ptx}");
    let older = translate(&bitcode, |request| (request.sm, request.ptx_version) = (75, 78)).expect("it is compiled");
    let older = String::from_utf8_lossy(&older).into_owned();
    assert!(older.contains(".version 7.8") && older.contains(".target sm_75"), "{older}");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let refused = |change: &dyn Fn(&mut Request)| translate(b"BC", change).unwrap_err();
    assert!(refused(&|r| r.version = 9).contains(&format!("expects requests of version {VERSION}, not 9")));
    assert!(refused(&|r| r.opt_level = 4).contains("optimisation level 4"));
    assert!(refused(&|r| r.bitcode.data = null()).contains("no bitcode"));
    assert!(refused(&|r| r.ptx_version = 63).contains("whose driver knows PTX 6.3: expected 5.0 and PTX 7.7 or later"));
    assert!(refused(&|r| r.cuda_path = c"/nowhere".as_ptr()).contains("'/nowhere' holds no CUDA"));
    assert!(refused(&|_| {}).contains("device image"));
}
