//! The passes over one source: the device pass of each target, the host pass, and the files that
//! they need.

use std::path::{Path, PathBuf};

use scythe_abi::target::Target;

use crate::args::{Input, InputKind, Invocation, Mode, Standard};
use crate::facts::Facts;
use crate::flags::{Meaning, Steps};
use crate::header_cache::Request;
use crate::plan::compile::offer;
use crate::plan::names::{self, Intermediates};
use crate::plan::{Action, Plan, Step, checks, precompile, preprocess};
use crate::targets::Pass;
use crate::{fingerprint, preprocessed};

/// The macro by which DPC++ tells programs that kernels need no names.
const UNNAMED_LAMBDA: &str = "-D__SYCL_UNNAMED_LAMBDA__=1";
/// Disables warnings about headers. A device pass compiles a header as a source, because clang has
/// no device passes of other kinds, and its warnings about that do not concern the user.
const AS_SOURCE: [&str; 3] = [
    "-Wno-pragma-once-outside-header",
    "-Wno-pragma-system-header-outside-header",
    "-Wno-include-next-outside-header",
];

pub struct Unit<'a> {
    invocation: &'a Invocation,
    pub facts: &'a Facts,
    pub input: &'a Input,
    pub id: u64,
    pub group: usize,
    pub files: Intermediates,
}

/// How a unit's host object gets the unit's identity, which is known after the device passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Identification {
    /// The identity is written into the object.
    Afterwards,
    /// The host pass waits for the identity, because objects for link-time optimisation cannot be
    /// changed.
    Before,
    /// The object keeps the provisional identifier, because the text to compile for link-time
    /// optimisation already contains it.
    Provisional,
}

/// The use of the passes' outputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A later step bundles them and also sets the unit's identity ([`Compiled::provisional`]).
    Bundle,
    /// They are linked separately.
    Link,
}

/// The outputs of a source's passes, and the steps that make them.
pub struct Compiled {
    /// The device modules. Empty for a source that provably contains no device code.
    pub device: Vec<(Target, PathBuf)>,
    pub device_steps: Vec<usize>,
    pub host: PathBuf,
    /// The step after which the host side may be used.
    pub host_step: usize,
    /// The unit's provisional identifier, if its outputs do not have the final identity yet.
    pub provisional: Option<u64>,
}

impl<'a> Unit<'a> {
    /// Creates a unit. `group` is the input's index among all inputs.
    pub fn new(
        invocation: &'a Invocation,
        facts: &'a Facts,
        input: &'a Input,
        group: usize,
    ) -> Self {
        let before = || invocation.inputs().take(group);
        let code = |input: &Input| {
            (file_name(&input.path), facts.code.get(&input.path).copied().unwrap_or_default())
        };
        let repeat = before().filter(|other| code(other) == code(input)).count();
        let stem = names::stem(&input.path);
        let number = before().filter(|i| names::stem(&i.path) == stem).count();
        let id = facts.texts.get(&input.path).and_then(|bundle| bundle.unit).unwrap_or_else(|| {
            let (name, code) = code(input);
            fingerprint::unit_id(&name, code, invocation.macros(), repeat)
        });
        let files = Intermediates::new(invocation, facts, &stem, number);
        Self { invocation, facts, input, id, group, files }
    }

    /// Returns whether the source concerns only the host pass.
    pub fn is_host_only(&self) -> bool {
        self.facts.host_only.contains(&self.input.path)
    }

    /// Plans all passes. They run in parallel, except that a foreign host compiler waits for the
    /// integration header. The host pass writes `host`, and `action` are its additional words.
    pub fn compile(&self, plan: &mut Plan, action: &[&str], host: PathBuf, next: Next) -> Compiled {
        let (device, mut device_steps) =
            if self.is_host_only() { Default::default() } else { self.device_passes(plan) };
        let identification = self.identification();
        let early = identification == Identification::Before && !device.is_empty();
        let passes = device_steps.clone();
        if early {
            device_steps = vec![self.identify(plan, &device, &passes, true)];
        }
        let mut host_step = self.host_pass(plan, action, Some(&host), &passes);
        if early {
            self.tell_identity(&mut plan.steps[host_step], device_steps[0]);
        }
        host_step = self.compare_layouts(plan, &passes, host_step);
        self.dependencies(plan, &passes, host_step);
        let late = identification == Identification::Afterwards && !device.is_empty();
        if late && next == Next::Link {
            let module = device[0].1.clone();
            device_steps = vec![self.identify(plan, &device, &passes, false)];
            host_step = plan.push(Step {
                what: format!("identity of the host code of '{}'", self.input.path),
                action: Action::Stamp { object: host.clone(), module },
                after: vec![host_step, device_steps[0]],
                group: self.group,
                publish: Vec::new(),
                unfinished: Vec::new(),
            });
        }
        let provisional = (late && next == Next::Bundle).then_some(self.id);
        Compiled { device, device_steps, host, host_step, provisional }
    }

    /// Plans the device passes alone, and the identity of their modules. Returns the modules, and
    /// the steps after which they may be linked.
    pub fn device_side(&self, plan: &mut Plan) -> (Vec<(Target, PathBuf)>, Vec<usize>) {
        let (device, steps) = self.device_passes(plan);
        if let Some((&first, rest)) = steps.split_first() {
            self.dependencies(plan, rest, first);
        }
        let identified = self.identify(plan, &device, &steps, false);
        (device, vec![identified])
    }

    /// Plans the device pass of each target. Returns the modules and the steps.
    fn device_passes(&self, plan: &mut Plan) -> (Vec<(Target, PathBuf)>, Vec<usize>) {
        let (mut device, mut steps) = (Vec::new(), Vec::new());
        let passes = self.invocation.targets.passes();
        for (number, pass) in passes.iter().enumerate() {
            let output = self.files.device(pass.target(), passes.len() > 1);
            steps.push(self.device_pass(plan, number, pass, &["-c", "-emit-llvm"], Some(&output)));
            device.extend(pass.targets.iter().map(|target| (*target, output.clone())));
        }
        (device, steps)
    }

    fn identification(&self) -> Identification {
        let inv = self.invocation;
        let foreign = |word: &String| self.by_foreign_compiler() && word.starts_with("-flto");
        if !inv.lto() && !inv.host_compiler_options.iter().any(foreign) {
            Identification::Afterwards
        } else if preprocessed::is_preprocessed(self.input) {
            Identification::Provisional
        } else {
            Identification::Before
        }
    }

    /// Plans the step that computes the unit's identity, after the device passes.
    fn identify(
        &self,
        plan: &mut Plan,
        device: &[(Target, PathBuf)],
        passes: &[usize],
        tell: bool,
    ) -> usize {
        let header = (tell && self.by_foreign_compiler()).then(|| self.int_header());
        let mut files: Vec<PathBuf> = device.iter().map(|(_, file)| file.clone()).collect();
        files.dedup();
        plan.push(Step {
            what: format!("identity of '{}'", self.input.path),
            action: Action::Identify {
                provisional: self.id,
                device: files,
                words: tell.then(|| (self.files.identity(), self.id_words())),
                header,
            },
            after: passes.to_vec(),
            group: self.group,
            publish: Vec::new(),
            unfinished: Vec::new(),
        })
    }

    /// Makes a host pass read the identity that the step `identified` computes.
    fn tell_identity(&self, host: &mut Step, identified: usize) {
        if let Action::Run { args, .. } = &mut host.action {
            args.retain(|word| !self.id_words().contains(word));
            args.insert(0, format!("@{}", self.files.identity().display()));
        }
        host.after.push(identified);
    }

    /// Returns the integration header, which is the user's or a temporary file.
    fn int_header(&self) -> PathBuf {
        self.invocation.int_header.as_ref().map_or_else(|| self.files.int_header(), PathBuf::from)
    }

    /// Plans checks for every side, which write nothing.
    pub fn check(&self, plan: &mut Plan) {
        let mut steps = Vec::new();
        if !self.invocation.host_only && !self.is_host_only() {
            for (number, pass) in self.invocation.targets.passes().iter().enumerate() {
                steps.push(self.device_pass(plan, number, pass, &["-fsyntax-only"], None));
            }
        }
        let host = self.host_pass(plan, &["-fsyntax-only"], None, &steps);
        let host = self.compare_layouts(plan, &steps, host);
        self.dependencies(plan, &steps, host);
    }

    /// Plans only the host side. A foreign host compiler also needs the integration header.
    pub fn host_side(&self, plan: &mut Plan, action: &[&str], output: &Path) -> usize {
        let passes = self.invocation.targets.passes();
        let header = self.by_foreign_compiler()
            && !self.is_host_only()
            && !preprocessed::is_preprocessed(self.input);
        let device: Vec<usize> = passes
            .first()
            .filter(|_| header)
            .map(|pass| self.device_pass(plan, 0, pass, &["-fsyntax-only"], None))
            .into_iter()
            .collect();
        let host = self.host_pass(plan, action, Some(output), &device);
        self.dependencies(plan, &device, host);
        host
    }

    /// Plans a device pass, with the plug-in. The first device pass writes the integration header,
    /// which is the same for all.
    pub fn device_pass(
        &self,
        plan: &mut Plan,
        number: usize,
        pass: &Pass,
        action: &[&str],
        output: Option<&Path>,
    ) -> usize {
        let (inv, layout) = (self.invocation, &self.facts.layout);
        let mut args = match preprocessed::is_preprocessed(self.input) {
            true => preprocess::device_words(pass),
            false => words(&["-fsycl", "-fsycl-device-only"]),
        };
        args.extend(common_clang(inv, self.facts));
        args.push(format!("-fplugin={}", layout.plugin.display()));
        args.push(format!("-fpass-plugin={}", layout.plugin.display()));
        args.extend(self.functors_arg(number + 1));
        args.push(plugin_arg("mode", "device"));
        args.push(plugin_arg("tu-id", &format!("{:016x}", self.id)));
        let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
        match &inv.int_header {
            Some(header) if number == 0 => {
                let waiting = names::waiting(header, self.facts);
                args.push(plugin_arg("int-header", &waiting.to_string_lossy()));
                offer(&mut publish, &mut unfinished, waiting, header, self.facts);
            }
            None if number == 0 && self.by_foreign_compiler() => {
                args.push(plugin_arg("int-header", &self.files.int_header().to_string_lossy()));
            }
            _ => {}
        }
        args.extend(self.plugin_args());
        args.extend(standard_args(inv, Steps::DEVICE));
        args.extend(checks::words(inv, Steps::DEVICE));
        args.push(UNNAMED_LAMBDA.to_owned());
        args.extend(system_include(self.facts));
        args.extend(inv.first_folders());
        args.extend(self.facts.aspect_macros.iter().cloned());
        args.extend(pass.args.iter().cloned());
        args.extend(host_layout_args(inv));
        let part = precompile::part(plan, self, pass);
        match (&self.facts.precompiled, &part) {
            (Some(used), Some((file, _))) => args.extend(used.device_options(inv, file)),
            _ => args.extend(inv.options_for(Steps::DEVICE)),
        }
        if self.input.is_header() {
            args.extend(words(&AS_SOURCE));
        }
        let header = self.header_request(&args);
        args.extend(words(action));
        args.extend(self.device_dependency_args(number));
        self.finish(&mut args, &pass.target().bundle_id(), output);
        let division = preprocess::division(plan, self);
        let several = inv.targets.passes().len() > 1;
        let target = if several { format!(" for {}", pass.target().name()) } else { String::new() };
        plan.push(Step {
            what: format!("device pass of '{}'{target}", self.input.path),
            action: self.run(self.facts.clang.clone(), args, header),
            after: division.into_iter().chain(part.map(|(_, step)| step)).collect(),
            group: self.group,
            publish,
            unfinished,
        })
    }

    /// Plans the host pass, by clang or by another compiler. `device` are the steps whose results
    /// it may need.
    pub fn host_pass(
        &self,
        plan: &mut Plan,
        action: &[&str],
        output: Option<&Path>,
        device: &[usize],
    ) -> usize {
        let (program, mut args, mut after) = match &self.invocation.host_compiler {
            Some(compiler) if self.by_foreign_compiler() => {
                // Preprocessed text already includes the integration header.
                let header =
                    device.first().copied().filter(|_| !preprocessed::is_preprocessed(self.input));
                (
                    PathBuf::from(compiler),
                    self.foreign_args(header.is_some()),
                    header.into_iter().collect(),
                )
            }
            _ => (self.facts.clang.clone(), self.clang_host_args(), Vec::new()),
        };
        let header = self.header_request(&args).filter(|_| program == self.facts.clang);
        args.extend(words(action));
        args.extend(self.side_outputs(!device.is_empty()));
        self.finish(&mut args, &preprocessed::host_part(), output);
        after.extend(preprocess::division(plan, self));
        plan.push(Step {
            what: format!("host pass of '{}'", self.input.path),
            action: self.run(program, args, header),
            after,
            group: self.group,
            publish: Vec::new(),
            unfinished: Vec::new(),
        })
    }

    /// Returns whether clang compiles all sides of the unit, so that they can be compared.
    fn compares(&self) -> bool {
        let inv = self.invocation;
        let all_sides =
            !inv.device_only && !inv.host_only && !inv.emit_llvm && !self.is_host_only();
        all_sides
            && matches!(inv.mode, Mode::Object | Mode::Link | Mode::Syntax)
            && !self.by_foreign_compiler()
    }

    /// Returns the argument that makes the pass write the layout of its functors.
    fn functors_arg(&self, number: usize) -> Option<String> {
        self.compares()
            .then(|| plugin_arg("functors", &self.files.functors(number).to_string_lossy()))
    }

    /// Returns the step after which the host side may be used: the host pass or, if several passes
    /// run, their comparison.
    fn compare_layouts(&self, plan: &mut Plan, device_steps: &[usize], host_step: usize) -> usize {
        if !self.compares() || device_steps.is_empty() {
            return host_step;
        }
        plan.push(Step {
            what: format!("comparison of the passes of '{}'", self.input.path),
            action: Action::CompareLayouts {
                host: self.files.functors(0),
                device: (1..=device_steps.len()).map(|n| self.files.functors(n)).collect(),
            },
            after: device_steps.iter().copied().chain([host_step]).collect(),
            group: self.group,
            publish: Vec::new(),
            unfinished: Vec::new(),
        })
    }

    /// Plans one dependency file from the lists of all passes.
    pub fn dependencies(&self, plan: &mut Plan, device_steps: &[usize], host_step: usize) {
        let alone = self.invocation.device_images();
        let Some(file) = dependency_file(self.invocation, self.input)
            .filter(|_| alone || !device_steps.is_empty())
        else {
            return;
        };
        // Without a host pass, the first device pass takes its place.
        let first = usize::from(alone);
        let last = device_steps.len() + first;
        let waiting = names::waiting(&file, self.facts);
        let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
        offer(&mut publish, &mut unfinished, waiting.clone(), &file, self.facts);
        plan.push(Step {
            what: format!("dependencies of '{}'", self.input.path),
            action: Action::Dependencies {
                host: self.files.dependencies(first),
                device: (first + 1..=last).map(|n| self.files.dependencies(n)).collect(),
                output: waiting,
                phony: self.invocation.has(Meaning::PhonyTargets).is_some(),
                hidden: std::iter::once(&self.facts.temp)
                    .chain(&self.facts.header_cache.folder)
                    .cloned()
                    .collect(),
                source: self.input.path.clone(),
            },
            after: device_steps.iter().copied().chain([host_step]).collect(),
            group: self.group,
            publish,
            unfinished,
        });
    }

    /// Returns whether a foreign compiler runs the host pass. Clang's own actions for one side
    /// (`-M`, …) never need another compiler.
    pub fn by_foreign_compiler(&self) -> bool {
        self.invocation.host_compiler.is_some() && self.invocation.mode != Mode::OneSide
    }

    fn plugin_args(&self) -> Vec<String> {
        let inv = self.invocation;
        let fixed = inv.targets.fixed().join(",");
        let known = [
            ("default-sub-group-size", inv.sub_group_size.as_deref()),
            ("fixed-targets", Some(fixed.as_str()).filter(|list| !list.is_empty())),
            ("device-config-file", inv.config_file.as_deref()),
            ("dump-after", inv.dump_after.as_deref()),
            ("dump-dir", inv.dump_dir.as_deref()),
            ("time-passes", inv.time_passes.then_some("1")),
        ];
        known.iter().filter_map(|(key, value)| value.map(|value| plugin_arg(key, value))).collect()
    }

    fn clang_host_args(&self) -> Vec<String> {
        let mut args = words(&["-Xclang", "-fsycl-is-host", "-D__SCYTHE_HOST_PASS__"]);
        // The plug-in lets programs register the variables of their device code.
        args.push(format!("-fplugin={}", self.facts.layout.plugin.display()));
        args.push(format!("-fpass-plugin={}", self.facts.layout.plugin.display()));
        args.push(plugin_arg("mode", "host"));
        args.extend(self.functors_arg(0));
        args.extend(self.id_words());
        args.extend(standard_args(self.invocation, Steps::HOST));
        args.extend(checks::words(self.invocation, Steps::HOST));
        args.push(UNNAMED_LAMBDA.to_owned());
        args.extend(header_library(self.facts));
        args.extend(common_clang(self.invocation, self.facts));
        // SYCL's attributes have a meaning only in the device pass.
        args.push("-Wno-unknown-attributes".to_owned());
        args.extend(system_include(self.facts));
        args.extend(self.facts.aspect_macros.iter().cloned());
        args.extend(self.invocation.options_for(Steps::HOST));
        if self.invocation.save_temps.is_some() && self.input.path != "-" {
            args.push("-save-temps=obj".to_owned());
        }
        args
    }

    fn foreign_args(&self, with_header: bool) -> Vec<String> {
        let mut args = self.id_words();
        args.extend(standard_args(self.invocation, Steps::FOREIGN));
        args.extend(checks::words(self.invocation, Steps::FOREIGN));
        args.push(UNNAMED_LAMBDA.to_owned());
        args.extend(header_library(self.facts));
        args.extend(system_include(self.facts));
        args.extend(self.facts.aspect_macros.iter().cloned());
        if self.facts.colour && self.invocation.has(Meaning::Colour).is_none() {
            args.push("-fdiagnostics-color=always".to_owned());
        }
        // The temporary folder's name must not occur in debug information, because outputs are
        // reproducible.
        args.push(format!("-fdebug-prefix-map={}=.", self.facts.temp.display()));
        if with_header {
            args.extend(["-include".to_owned(), self.int_header().to_string_lossy().into_owned()]);
        }
        args.extend(self.invocation.options_for(Steps::FOREIGN));
        args.extend(self.invocation.host_compiler_options.iter().cloned());
        args
    }

    /// Returns the options for the list of files that a device pass read. If there is only the
    /// device side, the pass writes the user's file.
    fn device_dependency_args(&self, number: usize) -> Vec<String> {
        let Some(file) = dependency_file(self.invocation, self.input) else { return Vec::new() };
        let list = self.files.dependencies(number + 1);
        if self.invocation.device_images() {
            return dependency_args(self.invocation, self.input, &list.to_string_lossy());
        }
        if self.invocation.device_only {
            return dependency_args(self.invocation, self.input, &file);
        }
        // The target of the rule is not used; only the prerequisites are.
        words(&["-MF", &list.to_string_lossy(), "-MT", "device"])
    }

    /// Returns the options for files that compilers would name after `-o`, if `-o` is a temporary
    /// file.
    fn side_outputs(&self, merged: bool) -> Vec<String> {
        let mut args = Vec::new();
        if let Some(file) = dependency_file(self.invocation, self.input) {
            let list = if merged {
                self.files.dependencies(0).to_string_lossy().into_owned()
            } else {
                file
            };
            args.extend(dependency_args(self.invocation, self.input, &list));
        } else if let (Mode::OneSide, Some(file)) =
            (self.invocation.mode, &self.invocation.dependency_output)
        {
            args.extend(["-MF".to_owned(), file.clone()]);
        }
        args.extend(dump_dir(self.invocation));
        args
    }

    /// Returns the words that give compilers the unit's identifier.
    fn id_words(&self) -> Vec<String> {
        // The plug-in takes the identifier as an argument, because macros must not differ from
        // those of a precompiled header.
        match self.by_foreign_compiler() {
            true => vec![format!("-DSCYTHE_TU_ID=0x{:016x}ULL", self.id)],
            false => vec![plugin_arg("tu-id", &format!("{:016x}", self.id))],
        }
    }

    fn run(&self, program: PathBuf, args: Vec<String>, header: Option<Request>) -> Action {
        let divided = self.facts.texts.contains_key(&self.input.path);
        Action::Run { program, args, stdin: self.input.path == "-" && !divided, header }
    }

    /// Returns the precompiled header for a pass by clang with the arguments `args`. In a pass
    /// alone, clang itself writes the dependency file, which would list the precompiled header.
    fn header_request(&self, args: &[String]) -> Option<Request> {
        let facts = self.facts;
        let inv = self.invocation;
        let one_side = inv.host_only || inv.device_only && !inv.device_images();
        if (one_side || self.is_host_only()) && args.iter().any(|arg| arg.starts_with("-M")) {
            return None;
        }
        let first = inv.first_folders();
        let args: Vec<String> = args.iter().filter(|arg| !first.contains(arg)).cloned().collect();
        facts.header_cache.request(&self.input.path, &args, &facts.clang, &facts.layout)
    }

    /// Adds the input and the output. `part` names the pass in a bundle of preprocessed text.
    fn finish(&self, args: &mut Vec<String>, part: &str, output: Option<&Path>) {
        if self.facts.texts.contains_key(&self.input.path) {
            args.extend(words(&[
                "-x",
                preprocess::LANGUAGE,
                &self.files.text(part).to_string_lossy(),
            ]));
        } else if self.input.is_header() && part != preprocessed::host_part() {
            args.extend(words(&["-x", "c++", &self.input.path]));
        } else {
            args.extend(source_words(self.input));
        }
        if let Some(output) = output {
            args.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
        }
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the user's dependency file for an input, if it is written in addition to another output.
pub fn dependency_file(inv: &Invocation, input: &Input) -> Option<String> {
    inv.has(Meaning::DependencyFile)?;
    if let Some(file) = &inv.dependency_output {
        return Some(file.clone());
    }
    let target = dependency_target(inv, input);
    Some(Path::new(&target).with_extension("d").to_string_lossy().into_owned())
}

fn dependency_target(inv: &Invocation, input: &Input) -> String {
    if inv.mode == Mode::Precompile {
        return names::precompiled(inv, input);
    }
    inv.output.clone().unwrap_or_else(|| format!("{}.o", names::stem(&input.path)))
}

/// Returns the options that make a compiler write the dependency file `file`, for the user's
/// output.
pub fn dependency_args(inv: &Invocation, input: &Input, file: &str) -> Vec<String> {
    let mut args = words(&["-MF", file]);
    if inv.has(Meaning::DependencyName).is_none() {
        args.extend(["-MQ".to_owned(), dependency_target(inv, input)]);
    }
    args
}

/// Returns the option that names files beside an object after the program, if the object itself is
/// a temporary file.
pub fn dump_dir(inv: &Invocation) -> Vec<String> {
    if inv.mode != Mode::Link || inv.has(Meaning::SideOutput).is_none() {
        return Vec::new();
    }
    words(&["-dumpdir", &format!("{}-", inv.output.as_deref().unwrap_or("a"))])
}

/// Compiles sources that are not SYCL (assembly, C, LLVM IR), as clang++ alone would.
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
    if let Some(file) = dependency_file(invocation, input) {
        args.extend(dependency_args(invocation, input, &file));
    }
    args.extend(dump_dir(invocation));
    args.extend(source_words(input));
    if let Some(output) = output {
        args.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
    }
    plan.push(Step {
        what: format!("host pass of '{}'", input.path),
        action: Action::Run {
            program: facts.clang.clone(),
            args,
            stdin: input.path == "-",
            header: None,
        },
        after: Vec::new(),
        group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    })
}

/// Plans the object of a source, for linking, made by the host side alone.
pub fn host_object(
    plan: &mut Plan,
    inv: &Invocation,
    facts: &Facts,
    group: usize,
    input: &Input,
) -> (PathBuf, usize) {
    let unit = Unit::new(inv, facts, input, group);
    let object = unit.files.host(false);
    let step = match input.kind {
        InputKind::Source => unit.host_side(plan, &["-c"], &object),
        _ => plain_host(plan, inv, facts, (group, input), &["-c"], Some(&object)),
    };
    (object, step)
}

/// Returns the first arguments of every clang step. The user's options are distributed over several
/// commands, so clang must not warn about unused options.
fn common_clang(invocation: &Invocation, facts: &Facts) -> Vec<String> {
    let mut args = words(&["-Qunused-arguments"]);
    if facts.colour && invocation.has(Meaning::Colour).is_none() {
        args.push("-fcolor-diagnostics".to_owned());
    }
    args
}

/// Returns the options for `-sycl-std=`, for each kind of pass. For the older version, clang
/// defines only the macro of that version, so `SYCL_LANGUAGE_VERSION` is defined here.
fn standard_args(invocation: &Invocation, step: Steps) -> Vec<String> {
    if invocation.standard == Standard::Sycl2020 {
        return Vec::new();
    }
    let mut args = match step {
        Steps::DEVICE => words(&["-sycl-std=1.2.1"]),
        Steps::HOST => words(&["-Xclang", "-sycl-std=1.2.1"]),
        _ => words(&["-DCL_SYCL_LANGUAGE_VERSION=121"]),
    };
    args.push("-DSYCL_LANGUAGE_VERSION=201707L".to_owned());
    args
}

/// Makes the device pass lay out types as an x86-64 host does: `std::max_align_t`, and classes that
/// are aligned to it or to `__BIGGEST_ALIGNMENT__`. Only for that reason does `long double` have
/// the host's layout; the plug-in rejects kernels that use it.
fn host_layout_args(invocation: &Invocation) -> Vec<String> {
    let mut args =
        words(&["-U__BIGGEST_ALIGNMENT__", "-D__BIGGEST_ALIGNMENT__=16", "-fnew-alignment=16"]);
    // With this option, the device's own layout equals the host's.
    if !invocation.options_for(Steps::HOST).iter().any(|option| option == "-mlong-double-64") {
        args.extend(words(&["-Xclang", "-mlong-double-80"]));
    }
    args
}

/// Returns the macro that makes the headers leave functions to their library, if there is one.
fn header_library(facts: &Facts) -> Option<String> {
    facts.layout.header_library.then(|| "-D__SCYTHE_HEADER_LIBRARY__".to_owned())
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

pub fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|w| (*w).to_owned()).collect()
}
