//! Optional features of random programs: what propagation, split and the checks after it make of
//! them, compared with brute force.
//!
//! Programs have two translation units, whose functions call each other also across units, in
//! circles too. Each unit is compiled with its own fixed targets, or none, and may or may not know
//! what functions of the other declare.

use proptest::prelude::*;
use scythe_abi::aspect::Aspect;
use scythe_image::Manifest;
use scythe_llvm::{Context, Module};
use scythe_passes::fixed_targets::FixedTarget;
use scythe_passes::{Aspects, Pass};
use scythe_split::{Mode, Options, Part, Split};
use std::collections::BTreeSet;

type Set = BTreeSet<u32>;

#[derive(Clone, Debug)]
struct Function {
    unit: usize,
    kernel: bool,
    calls: Vec<usize>,
    uses: Set,
    declares: Option<Set>,
    /// The other unit's declaration tells what it declares.
    is_known: bool,
    sub_group_size: Option<u32>,
    work_group_size: Option<u32>,
    /// Only devices that have this architecture, or only those that do not, call it.
    condition: Option<(u32, bool)>,
}

#[derive(Clone, Debug)]
struct Program {
    functions: Vec<Function>,
    fixed_targets: [&'static [&'static str]; 2],
    mode: Mode,
}

const ASPECTS: [u32; 3] = [Aspect::Fp16 as u32, Aspect::Fp64 as u32, Aspect::Atomic64 as u32];
const FIXED: [&[&str]; 5] =
    [&[], &[], &["intel_gpu_pvc"], &["intel_gpu_pvc", "intel_gpu_skl"], &["intel_gpu_dg1"]];

fn architecture(target: &str) -> u32 {
    match target {
        "intel_gpu_pvc" => Aspect::ExtIntelGpuPvc as u32,
        "intel_gpu_skl" => Aspect::ExtIntelGpuSkl as u32,
        _ => Aspect::ExtIntelGpuDg1 as u32,
    }
}

fn aspects() -> impl Strategy<Value = Set> {
    prop_oneof![3 => Just(Set::new()), 1 => prop::collection::btree_set(prop::sample::select(&ASPECTS[..]), 1..3)]
}

fn function(count: usize) -> impl Strategy<Value = Function> {
    let rarely = |size: &'static [u32]| prop_oneof![4 => Just(None), 1 => prop::sample::select(size).prop_map(Some)];
    (
        0usize..2,
        prop::bool::weighted(0.4),
        prop::collection::vec(0..count, 0..3),
        aspects(),
        prop::option::weighted(0.2, aspects()),
        any::<bool>(),
        rarely(&[16, 32]),
        rarely(&[64, 128]),
    )
        .prop_map(
            |(unit, kernel, calls, uses, declares, is_known, sub_group_size, work_group_size)| {
                Function {
                    unit,
                    kernel,
                    calls,
                    uses,
                    declares,
                    is_known,
                    sub_group_size,
                    work_group_size: work_group_size.filter(|_| kernel),
                    condition: None,
                }
            },
        )
}

fn programs() -> impl Strategy<Value = Program> {
    (1usize..9).prop_flat_map(|count| {
        let fixed = || prop::sample::select(&FIXED[..]);
        let mode = prop::sample::select(&[Mode::Off, Mode::PerSource, Mode::PerKernel][..]);
        (prop::collection::vec(function(count), count), fixed(), fixed(), mode).prop_map(
            |(functions, a, b, mode)| {
                let mut program = Program { functions, fixed_targets: [a, b], mode };
                let kernels: Vec<bool> =
                    program.functions.iter().map(|function| function.kernel).collect();
                // Kernels cannot be called.
                program
                    .functions
                    .iter_mut()
                    .for_each(|function| function.calls.retain(|&callee| !kernels[callee]));
                program
            },
        )
    })
}

impl Program {
    /// One unit's module.
    fn text(&self, unit: usize) -> String {
        let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
        let (mut nodes, mut rows) = (String::new(), Vec::new());
        let mut node = |numbers: &mut dyn Iterator<Item = u32>| {
            let at = nodes.matches('\n').count() + 100;
            let numbers: Vec<String> = numbers.map(|number| format!("i32 {number}")).collect();
            nodes += &format!("!{at} = !{{{}}}\n", numbers.join(", "));
            at
        };
        for (index, f) in self.functions.iter().enumerate() {
            let mut facts = String::new();
            if f.unit != unit {
                if let Some(declares) = f.declares.as_ref().filter(|_| f.is_known) {
                    facts = format!(
                        "!intel_declared_aspects !{} ",
                        node(&mut declares.iter().copied())
                    );
                }
                if !f.kernel {
                    text += &format!("declare {facts}void @f{index}()\n");
                }
                continue;
            }
            if !f.uses.is_empty() {
                facts += &format!("!intel_used_aspects !{} ", node(&mut f.uses.iter().copied()));
            }
            if let Some(declares) = &f.declares {
                facts +=
                    &format!("!intel_declared_aspects !{} ", node(&mut declares.iter().copied()));
            }
            if let Some(size) = f.sub_group_size {
                facts += &format!("!intel_reqd_sub_group_size !{} ", node(&mut [size].into_iter()));
            }
            if let Some(size) = f.work_group_size {
                facts +=
                    &format!("!reqd_work_group_size !{} ", node(&mut [size, 1, 1].into_iter()));
                facts += &format!("!work_group_num_dim !{} ", node(&mut [1].into_iter()));
            }
            let head = if f.kernel { "define weak_odr spir_kernel" } else { "define" };
            let condition = f.condition.map_or(String::new(), |(aspect, has)| {
                format!("\"scythe-conditional\"=\"{}{aspect}\" ", if has { "" } else { "!" })
            });
            text += &format!(
                "{head} void @f{index}() \"sycl-module-id\"=\"{unit}\" {condition}{facts}{{\n"
            );
            f.calls.iter().for_each(|callee| text += &format!("  call void @f{callee}()\n"));
            text += "  ret void\n}\n";
            if f.kernel {
                rows.push(format!(
                    "!{{!\"f{index}\", i32 0, i64 1, !\"a.cpp\", i32 1, i32 1, i64 {index}}}"
                ));
            }
        }
        text += &nodes;
        let numbers: Vec<String> = (0..rows.len()).map(|row| format!("!{row}")).collect();
        text += &format!("!scythe.launch = !{{{}}}\n", numbers.join(", "));
        numbers.iter().zip(&rows).for_each(|(number, row)| text += &format!("{number} = {row}\n"));
        text
    }

    /// A unit, with aspects propagated.
    fn compile<'ctx>(&self, context: &'ctx Context, unit: usize) -> Module<'ctx> {
        let text = self.text(unit);
        let module = context
            .parse_ir(text.as_bytes(), "random")
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let fixed: Vec<FixedTarget> = self.fixed_targets[unit]
            .iter()
            .map(|&name| FixedTarget { name: name.to_owned(), ..FixedTarget::default() })
            .collect();
        Aspects { fixed_targets: &fixed, ..Aspects::SILENT }
            .run(&module)
            .expect("the pass has no errors");
        module
    }

    /// What a function is known to need inside of its unit: what it declares, and what all that
    /// calls lead to uses or declares as far as the unit can see.
    fn needed_in_unit(&self, function: usize) -> Set {
        let unit = self.functions[function].unit;
        let mut reached = BTreeSet::from([function]);
        let mut needed = Set::new();
        for _ in 0..=self.functions.len() {
            for at in reached.clone() {
                let f = &self.functions[at];
                if f.unit == unit {
                    needed.extend(&f.uses);
                    reached.extend(&f.calls);
                }
                if f.unit == unit || f.is_known {
                    needed.extend(f.declares.iter().flatten());
                }
            }
        }
        needed
    }

    /// All functions that calls lead to, in all units.
    fn reached(&self, roots: &[usize]) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = roots.iter().copied().collect();
        for _ in &self.functions {
            let next: Vec<usize> =
                reached.iter().flat_map(|&at| self.functions[at].calls.clone()).collect();
            reached.extend(next);
        }
        reached
    }

    /// What a kernel needs in the linked program, of a device with these architectures: aspects and
    /// sub-group sizes.
    fn needed(&self, kernel: usize, architectures: &[u32]) -> (Set, Set) {
        let taken = |f: &Function| {
            f.condition.is_none_or(|(aspect, has)| architectures.contains(&aspect) == has)
        };
        let mut reached = BTreeSet::from([kernel]);
        for _ in &self.functions {
            let calls = reached.iter().flat_map(|&at| &self.functions[at].calls).copied();
            let next: Vec<usize> = calls.filter(|&callee| taken(&self.functions[callee])).collect();
            reached.extend(next);
        }
        let members = || reached.iter().map(|&at| &self.functions[at]);
        let aspects = members()
            .flat_map(|f| f.uses.iter().chain(f.declares.iter().flatten()).copied())
            .collect();
        (aspects, members().filter_map(|f| f.sub_group_size).collect())
    }

    /// Whether the specification lets two kernels be in one image after the user's split.
    fn may_share(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.functions[a], &self.functions[b]);
        let asked = match self.mode {
            Mode::Off => true,
            Mode::PerSource | Mode::Auto => one.unit == other.unit,
            Mode::PerKernel => a == b,
        };
        let fixed =
            [one, other].map(|f| self.fixed_targets[f.unit].iter().collect::<BTreeSet<_>>());
        let same_fixed = !fixed[0].is_empty() && fixed[0] == fixed[1];
        let same_features = fixed.iter().all(BTreeSet::is_empty)
            && self.needed(a, &[]) == self.needed(b, &[])
            && one.work_group_size == other.work_group_size;
        asked && (same_fixed || same_features)
    }

    /// The kernels of each image, in order.
    fn images(&self) -> Vec<Vec<usize>> {
        let mut images: Vec<Vec<usize>> = Vec::new();
        for kernel in (0..self.functions.len()).filter(|&f| self.functions[f].kernel) {
            match images
                .iter_mut()
                .find(|image| image.iter().all(|&other| self.may_share(kernel, other)))
            {
                Some(image) => image.push(kernel),
                None => images.push(vec![kernel]),
            }
        }
        images
    }

    /// The properties of an image of these kernels, and whether something in it is odd.
    fn requirements(&self, kernels: &[usize]) -> (Vec<(&'static str, Vec<u32>)>, bool) {
        let members: Vec<&Function> =
            self.reached(kernels).iter().map(|&at| &self.functions[at]).collect();
        let first = &self.functions[kernels[0]];
        let fixed: BTreeSet<&str> = self.fixed_targets[first.unit].iter().copied().collect();
        if !fixed.is_empty() {
            let mut left = fixed.clone();
            let mut odd = false;
            for member in members {
                let others: BTreeSet<&str> =
                    self.fixed_targets[member.unit].iter().copied().collect();
                odd |= others != fixed;
                left.retain(|target| others.is_empty() || others.contains(target));
            }
            return (vec![("fixed_target", left.into_iter().map(architecture).collect())], odd);
        }
        let aspects: Set = members
            .iter()
            .flat_map(|f| f.uses.iter().chain(f.declares.iter().flatten()).copied())
            .collect();
        let sizes: Set = members.iter().filter_map(|f| f.sub_group_size).collect();
        // A kernel that calls something which its unit does not know of.
        let odd = kernels.iter().any(|&kernel| {
            let own: Set = self.functions[kernel].sub_group_size.into_iter().collect();
            self.needed(kernel, &[]) != (self.needed_in_unit(kernel), own)
        });
        let all = [
            ("aspect", aspects.into_iter().collect()),
            ("reqd_sub_group_size", sizes.into_iter().collect()),
            ("reqd_work_group_size", first.work_group_size.map_or(vec![], |size| vec![1, size])),
        ];
        (all.into_iter().filter(|(_, numbers): &(_, Vec<u32>)| !numbers.is_empty()).collect(), odd)
    }
}

fn required(part: &Part<'_>) -> Vec<(String, Vec<u32>)> {
    let properties = part.manifest.to_properties();
    let set = properties.get("SYCL/device requirements");
    let numbers = |bytes: &[u8]| {
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let all = set.into_iter().flat_map(|set| set.iter());
    all.map(|(name, value)| (name.to_owned(), numbers(value.as_bytes().expect("a byte array"))))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn random_programs_are_split_by_what_their_kernels_need(program in programs()) {
        let context = Context::new();
        let modules = vec![program.compile(&context, 0), program.compile(&context, 1)];
        let linked = scythe_split::link(modules, "random", "spirv64-unknown-unknown").expect("it \
            links").expect("two units");
        let split = Split::new(linked, &Options { mode: program.mode, ..Options::default() }).expect("it is well formed");
        let parts: Vec<Part<'_>> = split.parts().collect();
        let mut images = program.images();
        // Parts are in the order of the linked module.
        images.sort_by_key(|image| parts.iter().position(|part| part.symbols.contains(&format!("f{}", image[0]))));
        prop_assert_eq!(parts.len(), images.len(), "{:?}", images);
        for (part, kernels) in parts.iter().zip(&images) {
            let expected: BTreeSet<String> = kernels.iter().map(|kernel| format!("f{kernel}")).collect();
            prop_assert_eq!(&part.symbols.iter().cloned().collect::<BTreeSet<_>>(), &expected);
            let members: BTreeSet<String> = program.reached(kernels).iter().map(|at| format!("f{at}")).collect();
            prop_assert_eq!(&part.module.functions().map(|f| f.name()).collect::<BTreeSet<_>>(), &members);
            let (properties, odd) = program.requirements(kernels);
            let properties: Vec<_> = properties.into_iter().map(|(name, numbers)| (name.to_owned(), numbers)).collect();
            prop_assert_eq!(required(part), properties);
            prop_assert_eq!(!part.warnings.is_empty(), odd, "{:?}", part.warnings);
        }
    }

    #[test]
    fn branches_count_on_the_devices_that_take_them(program in programs(), conditions in conditions()) {
        let mut program = program;
        program.fixed_targets = [&[], &[]];
        for (function, condition) in program.functions.iter_mut().zip(conditions) {
            function.condition = condition.filter(|_| !function.kernel);
            // Branches are called in the unit that has them: no other declares them.
            function.is_known &= function.condition.is_none();
        }
        let context = Context::new();
        let modules = vec![program.compile(&context, 0), program.compile(&context, 1)];
        let linked = scythe_split::link(modules, "random", "spirv64-unknown-unknown").expect("it \
            links").expect("two units");
        let split = Split::new(linked, &Options { mode: program.mode, ..Options::default() }).expect("it is well formed");
        for part in split.parts() {
            let Manifest { requirements: always, conditional: sometimes, .. } = &part.manifest;
            for device in [&[][..], &ARCHITECTURES[..1], &ARCHITECTURES[1..], &ARCHITECTURES] {
                let all = always.on(sometimes, |aspect| device.contains(&aspect));
                let set = |numbers: &Option<Vec<u32>>| numbers.iter().flatten().copied().collect::<Set>();
                for kernel in &part.symbols {
                    let number = kernel[1..].parse().expect("its number");
                    let expected = program.needed(number, device);
                    prop_assert_eq!((set(&all.aspects), set(&all.sub_group_sizes)), expected, "{} \
                        on {:?}", kernel, device);
                }
            }
        }
    }
}

const ARCHITECTURES: [u32; 2] = [Aspect::ExtIntelGpuPvc as u32, Aspect::ExtIntelGpuSkl as u32];

fn conditions() -> impl Strategy<Value = Vec<Option<(u32, bool)>>> {
    let one = (prop::sample::select(&ARCHITECTURES[..]), any::<bool>());
    prop::collection::vec(prop::option::weighted(0.5, one), 9)
}
