//! Device targets: the targets that `-fsycl-targets=` selects, and the options for the compiler
//! stages of each target.
//!
//! Each target has its own device pass, because its macros differ, unless two passes would be
//! identical. Objects contain the result of each pass. At the link, each target uses the code that
//! was compiled for it. If an object has no such code, the target uses generic code, which can be
//! compiled for every target except NVIDIA's.

use std::collections::{BTreeMap, BTreeSet};

use scythe_abi::cuda::Architecture;
use scythe_abi::target::{Family, Target};
use scythe_device_config::Table;

use crate::denormals;
use crate::error::Error;

/// A stage of device compilation that can have options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Frontend,
    Backend,
    Linker,
}

impl Stage {
    fn spelling(self) -> &'static str {
        match self {
            Self::Frontend => "-Xsycl-target-frontend",
            Self::Backend => "-Xsycl-target-backend",
            Self::Linker => "-Xsycl-target-linker",
        }
    }
}

/// The targets to which an option applies.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    /// All targets (`-Xs`).
    All,
    /// All NVIDIA GPUs (`-Xcuda-ptxas`).
    Nvidia,
    /// The only target: the option names no target, so there must be exactly one.
    Single,
    /// The name of a target as the user wrote it. After [`Targets::finish`], no scope is of this
    /// kind.
    Written(String),
    Named(Target),
}

/// The targets of an invocation. Names are resolved when the device configuration is known: see
/// [`Targets::finish`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// The last `-fsycl-targets=`, as the user wrote it.
    written: Option<String>,
    /// The selected targets. If empty, no target was named, which selects the generic target or the
    /// targets found in objects.
    selected: BTreeSet<Target>,
    /// The arguments of the device passes of the selected targets, and the architecture for NVIDIA
    /// targets.
    passes: BTreeMap<Target, (Vec<String>, Option<String>)>,
    options: Vec<(Stage, Scope, String)>,
    /// The architectures of `--offload-arch=`, as the user wrote them.
    architectures: BTreeSet<String>,
    /// The last `-fsycl-fixed-targets=` as the user wrote it; `fixed` has the names from the device
    /// configuration.
    written_fixed: Option<String>,
    fixed: BTreeSet<String>,
    /// Whether code for NVIDIA GPUs flushes subnormal `float` numbers.
    flushes: bool,
}

/// One device pass, and the targets whose code it compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    pub targets: Vec<Target>,
    /// The arguments that distinguish the pass from other passes.
    pub args: Vec<String>,
    /// The architecture of NVIDIA GPUs that the pass compiles for.
    pub cuda_arch: Option<String>,
}

impl Pass {
    /// Returns the target that names the pass.
    pub fn target(&self) -> Target {
        self.targets[0]
    }
}

/// Makes clang compile for the given NVPTX architecture without a CUDA installation.
const NVPTX: [&str; 4] = ["-nocudalib", "-nocudainc", "-Xclang", "-target-feature"];
/// Allows the fusion of products and sums across statements, as CUDA's own compiler does. The
/// user's option comes later and overrides it.
const CONTRACT: &str = "-ffp-contract=fast";
/// The device link vectorises loops, after it has aligned variables. Before that, LLVM would access
/// small elements one by one, behind checks of their addresses. The user's option overrides this.
const SCALAR: &str = "-fno-vectorize";
/// Keeps what parameters tell about the alignment of objects when functions are inlined. The
/// elements of a `sycl::float4` can then be loaded together.
const ALIGNED: [&str; 2] = ["-mllvm", "-preserve-alignment-assumptions-during-inlining"];
/// Keeps a load from local memory and one from global memory apart that are alternatives. The
/// device link knows the memory of more pointers, and joins only accesses to the same memory.
const APART: [&str; 2] = ["-mllvm", "-sink-common-insts=false"];
/// The two spellings of back-end options that name an architecture of NVIDIA GPUs.
const CUDA_ARCH: [&str; 2] = ["--cuda-gpu-arch=", "--offload-arch="];

impl Targets {
    /// `-fsycl-targets=LIST`. The last occurrence counts.
    pub fn select(&mut self, list: &str) {
        self.written = Some(list.to_owned());
    }

    /// `-fsycl-fixed-targets=LIST`. The last occurrence counts.
    pub fn fix(&mut self, list: &str) {
        self.written_fixed = Some(list.to_owned());
    }

    /// `-Xsycl-target-…[=NAME] OPTIONS`.
    pub fn add_options(&mut self, stage: Stage, name: Option<&str>, options: String) {
        let scope = name.map_or(Scope::Single, |name| Scope::Written(name.to_owned()));
        self.options.push((stage, scope, options));
    }

    /// `-Xs OPTIONS`: options for the back end of every target.
    pub fn add_options_for_all(&mut self, options: String) {
        self.options.push((Stage::Backend, Scope::All, options));
    }

    /// `-Xcuda-ptxas OPTIONS`: options for the back end of NVIDIA GPUs.
    pub fn add_options_for_nvidia(&mut self, options: String) {
        self.options.push((Stage::Backend, Scope::Nvidia, options));
    }

    /// `--offload-arch=LIST`. All occurrences count.
    pub fn add_architectures(&mut self, list: &str) {
        self.architectures.extend(list.split(',').map(str::to_owned));
    }

    /// Makes code for NVIDIA GPUs flush subnormal `float` numbers.
    pub fn flush_denormals(&mut self) {
        self.flushes = true;
    }

    /// Undoes `--offload-arch=`.
    pub fn forget_architectures(&mut self) {
        self.architectures.clear();
    }

    /// Resolves names in the device configuration, when all options are known. Reports names that
    /// exclude each other, and applies options that specify a target further.
    pub fn finish(&mut self, table: &Table) -> Result<(), Error> {
        if let Some(list) = &self.written {
            let option = || format!("-fsycl-targets={list}");
            self.selected =
                list.split(',').map(|name| named(table, name, option)).collect::<Result<_, _>>()?;
        }
        if let Some(list) = &self.written_fixed {
            for name in list.split(',') {
                let option = format!("-fsycl-fixed-targets={list}");
                let target = table
                    .lookup(name)
                    .ok_or_else(|| Error::Target { option, source: table.unknown(name) })?;
                self.fixed.insert(target.name.to_string());
            }
        }
        self.name_architectures(table)?;
        for (stage, scope, options) in &mut self.options {
            if let Scope::Written(name) = scope {
                *scope = Scope::Named(named(table, name, || {
                    format!("{}={name} {options}", stage.spelling())
                })?);
            }
        }
        let gpu = self.selected.iter().find(|target| matches!(target, Target::IntelGpu(_)));
        if let Some(gpu) = gpu.filter(|_| self.selected.contains(&Target::IntelGen)) {
            return Err(Error::MixedIntel { device: gpu.name() });
        }
        if self.selected.len() > 1
            && let Some((stage, _, options)) =
                self.options.iter().find(|option| option.1 == Scope::Single)
        {
            let (option, count) = (stage.spelling(), self.selected.len());
            return Err(Error::AmbiguousOptions { option, options: options.clone(), count });
        }
        for target in self.selected.clone() {
            self.check_device_option(target)?;
        }
        self.name_ptx_architecture(table)?;
        for target in self.effective() {
            let words = pass_words(table, target, self.flushes)?;
            self.passes.insert(target, words);
        }
        Ok(())
    }

    /// Selects the targets of `--offload-arch=`. With the target `nvptx64-nvidia-cuda`, an
    /// architecture of NVIDIA GPUs is an option for its back end.
    fn name_architectures(&mut self, table: &Table) -> Result<(), Error> {
        for arch in &self.architectures {
            let name = architecture_target(arch);
            let target = named(table, &name, || format!("--offload-arch={arch}"))?;
            if target.is_nvptx() && self.selected.contains(&Target::Ptx) {
                let option = format!("--offload-arch={arch}");
                self.options.push((Stage::Backend, Scope::Named(Target::Ptx), option));
            } else {
                self.selected.insert(target);
            }
        }
        Ok(())
    }

    /// Checks that no option gives ocloc a second `-device`: the first one comes from the target's
    /// name.
    fn check_device_option(&self, target: Target) -> Result<(), Error> {
        if !matches!(target, Target::IntelGpu(_)) {
            return Ok(());
        }
        let options = self.words(Stage::Backend, target);
        match options.iter().position(|word| word == "-device") {
            None => Ok(()),
            Some(at) => {
                let device =
                    options.get(at + 1).map_or_else(String::new, |device| format!(" {device}"));
                Err(Error::DeviceGiven {
                    option: format!("-device{device}"),
                    target: target.name(),
                })
            }
        }
    }

    /// Replaces `nvptx64-nvidia-cuda` by a named architecture for `-Xsycl-target-backend
    /// --cuda-gpu-arch=sm_90`, or by several for several such options.
    fn name_ptx_architecture(&mut self, table: &Table) -> Result<(), Error> {
        if !self.selected.contains(&Target::Ptx) {
            return Ok(());
        }
        let words = self.words(Stage::Backend, Target::Ptx);
        let arch_of = |word: &str| {
            CUDA_ARCH.iter().find_map(|option| word.strip_prefix(option).map(str::to_owned))
        };
        let lists = words.iter().filter_map(|word| arch_of(word));
        let archs: BTreeSet<String> =
            lists.flat_map(|list| list.split(',').map(str::to_owned).collect::<Vec<_>>()).collect();
        if archs.is_empty() {
            return Ok(());
        }
        let targets = archs
            .iter()
            .map(|arch| named(table, &format!("nvidia_gpu_{arch}"), || words.join(" ")));
        let targets = targets.collect::<Result<BTreeSet<Target>, Error>>()?;
        self.selected.remove(&Target::Ptx);
        self.selected.extend(&targets);
        let mut options = Vec::new();
        for (stage, scope, text) in std::mem::take(&mut self.options) {
            let text = match stage {
                Stage::Backend => {
                    let words = crate::response::split(&text).into_iter();
                    words.filter(|word| arch_of(word).is_none()).collect::<Vec<_>>().join(" ")
                }
                Stage::Frontend | Stage::Linker => text,
            };
            match scope {
                Scope::Named(Target::Ptx) => {
                    options.extend(
                        targets.iter().map(|target| (stage, Scope::Named(*target), text.clone())),
                    );
                }
                _ => options.push((stage, scope, text)),
            }
        }
        self.options = options;
        Ok(())
    }

    /// Returns the options for targets that are neither selected nor in objects. They have no
    /// effect, because a build may give the options of all its targets to each command.
    pub fn unused_options(&self, found: &BTreeSet<Target>) -> Vec<String> {
        let known = self.effective();
        let unused = |target: &Target| !known.contains(target) && !found.contains(target);
        let written = self.options.iter().filter_map(|(stage, scope, options)| match scope {
            Scope::Named(target) if unused(target) => {
                Some(format!("{}={} {options}", stage.spelling(), target.name()))
            }
            _ => None,
        });
        written.collect()
    }

    /// Returns the targets named by `-fsycl-targets=`; empty without that option.
    pub fn selected(&self) -> &BTreeSet<Target> {
        &self.selected
    }

    /// Returns the targets for which sources are compiled.
    pub fn effective(&self) -> BTreeSet<Target> {
        if self.selected.is_empty() {
            BTreeSet::from([Target::Generic])
        } else {
            self.selected.clone()
        }
    }

    /// Returns the names of `-fsycl-fixed-targets=`.
    pub fn fixed(&self) -> Vec<String> {
        self.fixed.iter().cloned().collect()
    }

    /// Returns the device passes for sources. Targets whose passes would be identical share one.
    pub fn passes(&self) -> Vec<Pass> {
        let mut passes: Vec<Pass> = Vec::new();
        for target in self.effective() {
            let (mut args, cuda_arch) = self.passes.get(&target).cloned().unwrap_or_default();
            args.extend(self.words(Stage::Frontend, target));
            match passes.iter_mut().find(|pass| pass.args == args) {
                Some(pass) => pass.targets.push(target),
                None => passes.push(Pass { targets: vec![target], args, cuda_arch }),
            }
        }
        passes
    }

    /// Returns the options for a target's back end as one text, which is empty if there are none.
    pub fn backend_options(&self, target: Target) -> String {
        self.options_for(Stage::Backend, target).collect::<Vec<_>>().join(" ")
    }

    /// Returns the options for the device link, which serves all targets.
    pub fn linker_arguments(&self) -> Vec<String> {
        let linker = self.options.iter().filter(|(stage, ..)| *stage == Stage::Linker);
        linker.flat_map(|(.., options)| crate::response::split(options)).collect()
    }

    fn words(&self, stage: Stage, target: Target) -> Vec<String> {
        self.options_for(stage, target).flat_map(crate::response::split).collect()
    }

    fn options_for(&self, stage: Stage, target: Target) -> impl Iterator<Item = &str> {
        let meant = move |scope: &Scope| match scope {
            Scope::All | Scope::Single => true,
            Scope::Nvidia => target.is_nvptx(),
            Scope::Named(named) => *named == target,
            Scope::Written(_) => false,
        };
        let of_stage =
            self.options.iter().filter(move |option| option.0 == stage && meant(&option.1));
        of_stage.map(|(.., options)| options.as_str()).filter(|options| !options.is_empty())
    }
}

/// Returns the arguments of a target's device pass, and its architecture of NVIDIA GPUs.
fn pass_words(
    table: &Table,
    target: Target,
    flushes: bool,
) -> Result<(Vec<String>, Option<String>), Error> {
    let Some(row) = table.lookup(&target.name()) else { return Ok(Default::default()) };
    let mut args = Vec::new();
    let mut arch = None;
    if target.family() == Family::Nvidia {
        let told = row.cuda_arch().filter(|arch| Architecture::from_name(arch).is_some());
        let told = told.ok_or_else(|| Error::NoArchitecture { target: target.name() })?;
        args.push(format!("--offload-arch={told}"));
        args.extend(NVPTX.map(str::to_owned));
        args.extend([
            "-Xclang".to_owned(),
            format!("+ptx{}", row.ptx_version()),
            CONTRACT.to_owned(),
            SCALAR.to_owned(),
        ]);
        args.extend([ALIGNED, APART].into_iter().flatten().map(str::to_owned));
        if flushes {
            args.extend(denormals::FLUSH.map(str::to_owned));
        }
        arch = Some(told);
    }
    args.extend(row.macros().into_iter().map(|definition| format!("-D{definition}")));
    Ok((args, arch))
}

/// Returns the name of the target for an architecture of `--offload-arch=`.
fn architecture_target(arch: &str) -> String {
    match arch {
        _ if arch.starts_with("sm_") => format!("nvidia_gpu_{arch}"),
        _ if arch.starts_with("gfx") => format!("amd_gpu_{arch}"),
        _ => format!("intel_gpu_{arch}"),
    }
}

fn named(table: &Table, name: &str, option: impl Fn() -> String) -> Result<Target, Error> {
    // The 32-bit form of SPIR is a known name, but can never work.
    if name == "spir" || name.starts_with("spir-") {
        return Err(Error::PointersDiffer { option: option(), name: name.to_owned() });
    }
    table.id(name).map_err(|source| Error::Target { option: option(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse;

    fn targets(args: &[&str]) -> Result<Targets, Error> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        parse(&args).map(|invocation| invocation.targets)
    }

    fn selected(list: &str) -> Vec<String> {
        let targets = targets(&[&format!("-fsycl-targets={list}")]).expect("the names are known");
        targets.effective().iter().map(|target| target.name()).collect()
    }

    #[test]
    fn the_last_list_counts_and_names_count_once() {
        assert_eq!(selected("native_cpu,x86_64"), ["spir64_x86_64"]);
        assert_eq!(selected("x86_64,spir64"), ["spir64", "spir64_x86_64"]);
        let last = targets(&["-fsycl-targets=spir64", "-fsycl-targets=intel_gpu_tgl"]).unwrap();
        assert_eq!(
            last.effective().iter().map(|t| t.name()).collect::<Vec<_>>(),
            ["intel_gpu_tgllp"]
        );
        assert_eq!(targets(&[]).unwrap().effective(), BTreeSet::from([Target::Generic]));
    }

    #[test]
    fn passes_differ_by_macros_and_architecture() {
        let args = |list: &str| {
            let passes = targets(&[&format!("-fsycl-targets={list}")]).unwrap().passes();
            passes.into_iter().map(|pass| pass.args.join(" ")).collect::<Vec<_>>()
        };
        let cpu = "-D__SYCL_TARGET_INTEL_X86_64__=1";
        assert_eq!(args("spir64,x86_64,x86_64_avx2"), ["", cpu]);
        assert_eq!(args("intel_gpu_9_0_9"), ["-D__SYCL_TARGET_INTEL_GPU_SKL__=1"]);
        let nvidia = &args("nvidia_gpu_sm_90")[0];
        assert!(nvidia.starts_with("--offload-arch=sm_90 -nocudalib"), "{nvidia}");
        assert!(nvidia.contains("-D__SYCL_NVPTX__=1 -D__SYCL_CUDA_ARCH__=900"), "{nvidia}");
    }

    #[test]
    fn options_reach_their_stage_and_target() {
        let both = "-fsycl-targets=spir64,spir64_x86_64";
        let args = [
            both,
            "-Xsycl-target-backend=spir64",
            "-O0",
            "-Xsycl-target-frontend=native_cpu",
            "-DX -DY",
            "-Xs",
            "-v",
        ];
        let targets = targets(&args).unwrap();
        assert_eq!(targets.backend_options(Target::Generic), "-O0 -v");
        assert_eq!(targets.backend_options(Target::Cpu), "-v");
        assert_eq!(targets.passes()[1].args[1..], ["-DX", "-DY"]);
        assert!(targets.passes()[0].args.is_empty());
    }

    #[test]
    fn an_architecture_for_the_back_end_names_the_target() {
        for option in ["--cuda-gpu-arch=sm_90 -v", "-v --offload-arch=sm_90"] {
            let targets =
                targets(&["-fsycl-targets=nvptx64-nvidia-cuda", "-Xsycl-target-backend", option])
                    .unwrap();
            let target = Target::named(Family::Nvidia, "nvidia_gpu_sm_90").unwrap();
            assert_eq!(targets.effective(), BTreeSet::from([target]));
            assert_eq!(targets.backend_options(target), "-v");
        }
        let ptx = "-Xsycl-target-backend=nvptx64-nvidia-cuda";
        let several = [
            "-fsycl-targets=nvptx64-nvidia-cuda,spir64",
            ptx,
            "--cuda-gpu-arch=sm_80 --cuda-gpu-arch=sm_90",
            ptx,
            "-O2",
        ];
        let several = targets(&several).unwrap();
        let names: Vec<String> = several.effective().iter().map(|target| target.name()).collect();
        assert_eq!(names, ["spir64", "nvidia_gpu_sm_80", "nvidia_gpu_sm_90"]);
        for target in several.effective().into_iter().filter(|target| target.is_nvptx()) {
            assert_eq!(several.backend_options(target), "-O2");
        }
    }

    #[track_caller]
    fn refused(args: &[&str], parts: &[&str]) {
        let message = targets(args).map(|_| ()).expect_err("refused").to_string();
        for part in parts {
            assert!(message.contains(part), "no '{part}' in: {message}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        refused(
            &["-fsycl-targets=spir64,spir64_fpga"],
            &["in '-fsycl-targets=spir64,spir64_fpga': the device configuration does not name a \
                 compiler for the target 'spir64_fpga'"],
        );
        refused(&["-fsycl-targets=intel_gpu_sklx"], &["did you mean 'intel_gpu_skl'?"]);
        refused(
            &["-fsycl-fixed-targets=gpu"],
            &["in '-fsycl-fixed-targets=gpu': unknown device target 'gpu'", "'ptx64'"],
        );
        refused(&["-fsycl-targets="], &["unknown device target ''"]);
        refused(
            &["-fsycl-targets=spir64,,x86_64"],
            &["in '-fsycl-targets=spir64,,x86_64': unknown device target ''"],
        );
        refused(
            &["-fsycl-targets=spir64, x86_64"],
            &["unknown device target ' x86_64' (did you mean 'x86_64'?)"],
        );
        refused(
            &["-fsycl-targets=amd_gpu_gfx90a"],
            &["'amd_gpu_gfx90a' is an AMD GPU, which Scythe does not support"],
        );
        refused(&["-fsycl-targets=spir-unknown-unknown"], &["32-bit pointers", "'spir64'"]);
        let two = "-fsycl-targets=spir64,x86_64";
        refused(
            &[two, "-Xsycl-target-backend", "-O1"],
            &["is ambiguous because there are 2 targets"],
        );
        refused(&["-Xsycl-target-backend=x86_64"], &["needs a value"]);
        refused(
            &["-fsycl-targets=spir64_gen,intel_gpu_skl"],
            &["'intel_gpu_skl'", "'spir64_gen'", "cannot name both"],
        );
        for option in
            [["-Xs", "-device skl"], ["-Xsycl-target-backend=intel_gpu_skl", "-O1 -device kbl"]]
        {
            refused(
                &["-fsycl-targets=intel_gpu_skl", option[0], option[1]],
                &["'-device ", "the target already selects the GPU"],
            );
        }
        refused(&["-fsycl-targets=ptx64", "-Xs", "--offload-arch=sm_9"], &["nvidia_gpu_sm_9"]);
    }
}
