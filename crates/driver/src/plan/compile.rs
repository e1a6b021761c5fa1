//! From sources to objects: the device pass, the host pass, and the bundle of both.

use std::path::{Path, PathBuf};

use crate::args::{Input, InputKind, Invocation, Item, Mode};
use crate::facts::Facts;
use crate::flags::{Meaning, Steps};
use crate::plan::names::{self, Intermediates};
use crate::plan::{Action, Plan, Step};

/// One source on its way through both passes.
pub struct Unit<'a> {
    invocation: &'a Invocation,
    facts: &'a Facts,
    input: &'a Input,
    id: u64,
    group: usize,
    files: Intermediates,
}

/// What became of a source, and the steps that make it.
pub struct Compiled {
    pub device: PathBuf,
    pub device_step: usize,
    pub host: PathBuf,
    pub host_step: usize,
}

impl<'a> Unit<'a> {
    /// `group` is the input's place among all inputs.
    pub fn new(invocation: &'a Invocation, facts: &'a Facts, input: &'a Input, group: usize) -> Self {
        let before = || invocation.inputs().take(group);
        let repeat = before().filter(|i| i.path == input.path).count();
        let stem = names::stem(&input.path);
        let number = before().filter(|i| names::stem(&i.path) == stem).count();
        let output = invocation.output.as_deref().unwrap_or_default();
        let id = names::unit_id(&input.path, output, repeat);
        let files = Intermediates::new(invocation, facts, &stem, number);
        Self { invocation, facts, input, id, group, files }
    }

    /// Where the host pass writes for a link that follows.
    pub fn host_object(&self) -> PathBuf {
        self.files.host(false)
    }

    /// Both passes, side by side; a foreign host compiler waits for the integration header.
    pub fn compile(&self, plan: &mut Plan) -> Compiled {
        let device = self.files.device();
        let device_step = self.device_pass(plan, &["-c", "-emit-llvm"], Some(&device));
        let host = self.host_object();
        let host_step = self.host_pass(plan, &["-c"], Some(&host), Some(device_step));
        Compiled { device, device_step, host, host_step }
    }

    /// The device pass, with the plug-in.
    pub fn device_pass(&self, plan: &mut Plan, action: &[&str], output: Option<&Path>) -> usize {
        let layout = &self.facts.layout;
        let mut args = words(&["-fsycl", "-fsycl-device-only"]);
        args.extend(common_clang(self.invocation, self.facts));
        args.push(format!("-fplugin={}", layout.plugin.display()));
        args.push(format!("-fpass-plugin={}", layout.plugin.display()));
        args.push(plugin_arg("mode", "device"));
        args.push(plugin_arg("tu-id", &format!("{:016x}", self.id)));
        let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
        if let Some(header) = &self.invocation.int_header {
            let waiting = names::waiting(header, self.facts);
            args.push(plugin_arg("int-header", &waiting.to_string_lossy()));
            offer(&mut publish, &mut unfinished, waiting, header, self.facts);
        } else if self.invocation.host_compiler.is_some() {
            args.push(plugin_arg("int-header", &self.files.int_header().to_string_lossy()));
        }
        if let Some(pass) = &self.invocation.dump_after {
            args.push(plugin_arg("dump-after", pass));
        }
        if let Some(dir) = &self.invocation.dump_dir {
            args.push(plugin_arg("dump-dir", dir));
        }
        if self.invocation.time_passes {
            args.push(plugin_arg("time-passes", "1"));
        }
        args.push(self.define_id());
        args.extend(system_include(self.facts));
        args.extend(self.invocation.options_for(Steps::DEVICE));
        args.extend(words(action));
        self.finish(&mut args, output);
        plan.push(Step {
            what: format!("device pass of '{}'", self.input.path),
            action: self.run(self.facts.clang.clone(), args),
            after: Vec::new(),
            group: self.group,
            publish,
            unfinished,
        })
    }

    /// The host pass, by clang or another compiler. `device` is the step that makes the integration header.
    pub fn host_pass(&self, plan: &mut Plan, action: &[&str], output: Option<&Path>, device: Option<usize>) -> usize {
        let (program, mut args, after) = match (&self.invocation.host_compiler, device) {
            (Some(compiler), Some(device)) => (PathBuf::from(compiler), self.foreign_args(), vec![device]),
            _ => (self.facts.clang.clone(), self.clang_host_args(), Vec::new()),
        };
        args.extend(words(action));
        args.extend(self.side_outputs());
        self.finish(&mut args, output);
        plan.push(Step {
            what: format!("host pass of '{}'", self.input.path),
            action: self.run(program, args),
            after,
            group: self.group,
            publish: Vec::new(),
            unfinished: Vec::new(),
        })
    }

    fn clang_host_args(&self) -> Vec<String> {
        let mut args = words(&["-Xclang", "-fsycl-is-host", "-D__SCYTHE_HOST_PASS__"]);
        args.push(self.define_id());
        args.extend(common_clang(self.invocation, self.facts));
        // SYCL's attributes mean something to the device pass only.
        args.push("-Wno-unknown-attributes".to_owned());
        args.extend(system_include(self.facts));
        args.extend(self.invocation.options_for(Steps::HOST));
        if self.invocation.save_temps.is_some() && self.input.path != "-" {
            args.push("-save-temps=obj".to_owned());
        }
        args
    }

    fn foreign_args(&self) -> Vec<String> {
        let header = match &self.invocation.int_header {
            Some(header) => PathBuf::from(header),
            None => self.files.int_header(),
        };
        let mut args = vec![self.define_id(), "-Wno-attributes=sycl::".to_owned()];
        args.extend(system_include(self.facts));
        if self.facts.colour && self.invocation.has(Meaning::Colour).is_none() {
            args.push("-fdiagnostics-color=always".to_owned());
        }
        // The temporary folder's name must not reach debug information: outputs are reproducible.
        args.push(format!("-fdebug-prefix-map={}=.", self.facts.temp.display()));
        args.extend(["-include".to_owned(), header.to_string_lossy().into_owned()]);
        args.extend(self.invocation.options_for(Steps::FOREIGN));
        args.extend(self.invocation.host_compiler_options.iter().cloned());
        args
    }

    /// Files that compilers name after `-o`, where `-o` is a temporary file.
    fn side_outputs(&self) -> Vec<String> {
        let inv = self.invocation;
        let mut args = Vec::new();
        let named = |option: &str| {
            inv.items.iter().any(|i| {
                matches!(i, Item::Option { words, meaning: Meaning::DependencyName, .. }
                if words[0].starts_with(option))
            })
        };
        if inv.has(Meaning::DependencyFile).is_some() {
            let target = inv.output.clone().unwrap_or_else(|| format!("{}.o", names::stem(&self.input.path)));
            if !named("-MF") {
                args.extend(["-MF".to_owned(), Path::new(&target).with_extension("d").to_string_lossy().into_owned()]);
            }
            if !named("-MT") && !named("-MQ") {
                args.extend(["-MQ".to_owned(), target]);
            }
        }
        if inv.mode == Mode::Link && inv.has(Meaning::SideOutput).is_some() {
            let output = inv.output.as_deref().unwrap_or("a");
            args.extend(["-dumpdir".to_owned(), format!("{output}-")]);
        }
        args
    }

    fn define_id(&self) -> String {
        format!("-DSCYTHE_TU_ID=0x{:016x}ULL", self.id)
    }

    fn run(&self, program: PathBuf, args: Vec<String>) -> Action {
        Action::Run { program, args, stdin: self.input.path == "-" }
    }

    fn finish(&self, args: &mut Vec<String>, output: Option<&Path>) {
        args.extend(source_words(self.input));
        if let Some(output) = output {
            args.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
        }
    }
}

/// `-c`: one fat object per source.
pub fn objects(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let extension = if invocation.emit_llvm { "bc" } else { "o" };
        let output = output_name(invocation, input, extension);
        let one_side = input.kind == InputKind::HostSource || invocation.host_only || invocation.emit_llvm;
        if one_side {
            host_output(plan, invocation, facts, (group, input), &["-c"], &output);
            continue;
        }
        let unit = Unit::new(invocation, facts, input, group);
        // What the compiler names after the object must be named after the final one: it is then compiled in place.
        let beside = invocation.has(Meaning::SideOutput).is_some();
        let device = unit.files.device();
        let host = if beside { PathBuf::from(&output) } else { unit.files.host(true) };
        let device_step = unit.device_pass(plan, &["-c", "-emit-llvm"], Some(&device));
        let mut action = vec!["-c"];
        if invocation.has(Meaning::Lto).is_some() {
            // Device code needs an ELF object to live in, which plain LTO output is not.
            action.push("-ffat-lto-objects");
        }
        let host_step = unit.host_pass(plan, &action, Some(&host), Some(device_step));
        let waiting = names::waiting(&output, facts);
        let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
        offer(&mut publish, &mut unfinished, waiting.clone(), &output, facts);
        if beside {
            unfinished.push(host.clone());
        }
        plan.push(Step {
            what: format!("bundle '{output}'"),
            action: Action::Bundle { host, device, output: waiting },
            after: vec![device_step, host_step],
            group,
            publish,
            unfinished,
        });
    }
}

/// `-S`: the host side's assembly.
pub fn assembly(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let output = output_name(invocation, input, if invocation.emit_llvm { "ll" } else { "s" });
        host_output(plan, invocation, facts, (group, input), &["-S"], &output);
    }
}

/// `-fsyntax-only`: both sides are checked.
pub fn syntax(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        if input.kind == InputKind::HostSource {
            plain_host(plan, invocation, facts, (group, input), &["-fsyntax-only"], None);
            continue;
        }
        let unit = Unit::new(invocation, facts, input, group);
        let device = (!invocation.host_only).then(|| unit.device_pass(plan, &["-fsyntax-only"], None));
        unit.host_pass(plan, &["-fsyntax-only"], None, device);
    }
}

/// `-fsycl-device-only`: bitcode, LLVM assembly, or a check alone.
pub fn device_only(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    let (action, extension): (&[&str], _) = match invocation.mode {
        Mode::Syntax => (&["-fsyntax-only"], ""),
        Mode::Assembly => (&["-S", "-emit-llvm"], "ll"),
        _ => (&["-c", "-emit-llvm"], "bc"),
    };
    for (group, input) in compiled_inputs(invocation).filter(|(_, i)| i.kind == InputKind::Source) {
        let unit = Unit::new(invocation, facts, input, group);
        if invocation.mode == Mode::Syntax {
            unit.device_pass(plan, action, None);
            continue;
        }
        let output = output_name(invocation, input, extension);
        let waiting = names::waiting(&output, facts);
        let step = unit.device_pass(plan, action, Some(&waiting));
        let step = &mut plan.steps[step];
        offer(&mut step.publish, &mut step.unfinished, waiting, &output, facts);
    }
}

/// `-E` and its kin: clang's own action, with one side's view of the program.
pub fn one_side(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let unit = Unit::new(invocation, facts, input, group);
        let output = invocation.output.as_deref().map(Path::new);
        match input.kind {
            InputKind::Source if invocation.device_only => unit.device_pass(plan, &[], output),
            InputKind::Source => unit.host_pass(plan, &[], output, None),
            _ => plain_host(plan, invocation, facts, (group, input), &[], output),
        };
    }
}

/// A host pass that makes a final output.
fn host_output(
    plan: &mut Plan,
    invocation: &Invocation,
    facts: &Facts,
    (group, input): (usize, &Input),
    action: &[&str],
    output: &str,
) {
    let mut action = action.to_vec();
    if invocation.emit_llvm {
        action.push("-emit-llvm");
    }
    let beside = invocation.has(Meaning::SideOutput).is_some() || invocation.save_temps.is_some();
    let target = if beside { PathBuf::from(output) } else { names::waiting(output, facts) };
    let step = if input.kind == InputKind::HostSource {
        plain_host(plan, invocation, facts, (group, input), &action, Some(&target))
    } else {
        let unit = Unit::new(invocation, facts, input, group);
        // A foreign host compiler cannot do without the integration header.
        let foreign = invocation.host_compiler.is_some();
        let device = foreign.then(|| unit.device_pass(plan, &["-fsyntax-only"], None));
        unit.host_pass(plan, &action, Some(&target), device)
    };
    let step = &mut plan.steps[step];
    if !beside {
        offer(&mut step.publish, &mut step.unfinished, target, output, facts);
    }
}

/// Compiles what is not SYCL (assembly, C, LLVM IR), as clang++ alone would.
pub fn plain_host(
    plan: &mut Plan,
    invocation: &Invocation,
    facts: &Facts,
    (group, input): (usize, &Input),
    action: &[&str],
    output: Option<&Path>,
) -> usize {
    let mut args = common_clang(invocation, facts);
    args.extend(invocation.options_for(Steps::HOST));
    args.extend(words(action));
    args.extend(source_words(input));
    if let Some(output) = output {
        args.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
    }
    plan.push(Step {
        what: format!("host pass of '{}'", input.path),
        action: Action::Run { program: facts.clang.clone(), args, stdin: input.path == "-" },
        after: Vec::new(),
        group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    })
}

/// The object of a source that is not SYCL, for linking.
pub fn plain_object(plan: &mut Plan, inv: &Invocation, facts: &Facts, group: usize, input: &Input) -> (PathBuf, usize) {
    let unit = Unit::new(inv, facts, input, group);
    let object = unit.files.host(false);
    let step = plain_host(plan, inv, facts, (group, input), &["-c"], Some(&object));
    (object, step)
}

/// Everything but linkable inputs, with each input's place among all.
fn compiled_inputs(invocation: &Invocation) -> impl Iterator<Item = (usize, &Input)> {
    invocation.inputs().enumerate().filter(|(_, i)| i.kind != InputKind::Linkable)
}

fn output_name(invocation: &Invocation, input: &Input, extension: &str) -> String {
    invocation.output.clone().unwrap_or_else(|| format!("{}.{extension}", names::stem(&input.path)))
}

/// A waiting file takes its final name when the step has succeeded, and vanishes when not.
pub fn offer(
    publish: &mut Vec<(PathBuf, PathBuf)>,
    unfinished: &mut Vec<PathBuf>,
    waiting: PathBuf,
    output: &str,
    facts: &Facts,
) {
    if !facts.in_place.contains(output) {
        publish.push((waiting.clone(), PathBuf::from(output)));
        unfinished.push(waiting);
    }
}

/// What every clang step begins with. The user's options are spread over several commands, so that none of them can tell
/// which are unused.
fn common_clang(invocation: &Invocation, facts: &Facts) -> Vec<String> {
    let mut args = words(&["-Qunused-arguments"]);
    if facts.colour && invocation.has(Meaning::Colour).is_none() {
        args.push("-fcolor-diagnostics".to_owned());
    }
    args
}

fn system_include(facts: &Facts) -> [String; 2] {
    ["-isystem".to_owned(), facts.layout.include.to_string_lossy().into_owned()]
}

fn plugin_arg(key: &str, value: &str) -> String {
    format!("-fplugin-arg-scythe-{key}={value}")
}

fn source_words(input: &Input) -> Vec<String> {
    let language = input.language.iter().flat_map(|l| ["-x".to_owned(), l.clone()]);
    language.chain([input.path.clone()]).collect()
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|w| (*w).to_owned()).collect()
}
