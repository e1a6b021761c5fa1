//! Random modules taken apart: every part is closed, minimal and well formed, and nothing depends
//! on anything but the input.
//!
//! Functions call each other, take each other's addresses, and use variables whose contents name
//! functions and variables.

use proptest::prelude::*;
use scythe_abi::names::{EXPORTED_SYMBOLS, IMPORTED_SYMBOLS};
use scythe_llvm::{Context, Module};
use scythe_split::{Imports, Mode, Options, Part, Split};
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
struct Shape {
    /// What each function uses, and whether it calls it or takes its address; functions first, then
    /// variables.
    uses: Vec<Vec<(usize, bool)>>,
    /// What each variable's contents name.
    contents: Vec<Vec<usize>>,
    /// Of each function: its linkage, or that it is only declared.
    kinds: Vec<Kind>,
    /// The translation unit of each function.
    units: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Kernel,
    Exported,
    Inline,
    Internal,
    Declared,
}

fn shapes() -> impl Strategy<Value = Shape> {
    (1usize..12, 0usize..5).prop_flat_map(|(functions, variables)| {
        let all = functions + variables;
        let kind = prop_oneof![
            4 => Just(Kind::Kernel),
            2 => Just(Kind::Exported),
            2 => Just(Kind::Inline),
            2 => Just(Kind::Internal),
            1 => Just(Kind::Declared)
        ];
        (
            prop::collection::vec(prop::collection::vec((0..all, any::<bool>()), 0..4), functions),
            prop::collection::vec(prop::collection::vec(0..all, 0..3), variables),
            prop::collection::vec(kind, functions),
            prop::collection::vec(0u8..3, functions),
        )
            .prop_map(|(uses, contents, kinds, units)| Shape {
                uses,
                contents,
                kinds,
                units,
            })
    })
}

impl Shape {
    fn name(&self, index: usize) -> String {
        match index.checked_sub(self.kinds.len()) {
            Some(variable) => format!("v{variable}"),
            None => format!("f{index}"),
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
        for (index, named) in self.contents.iter().enumerate() {
            let list: Vec<String> =
                named.iter().map(|&at| format!("ptr @{}", self.name(at))).collect();
            text += &format!("@v{index} = constant [{} x ptr] [{}]\n", list.len(), list.join(", "));
        }
        let mut rows = Vec::new();
        for (index, uses) in self.uses.iter().enumerate() {
            let (kind, unit) = (self.kinds[index], self.units[index]);
            let head = match kind {
                Kind::Kernel => "define weak_odr spir_kernel",
                Kind::Exported => "define",
                Kind::Inline => "define linkonce_odr",
                Kind::Internal => "define internal",
                Kind::Declared => {
                    text += &format!("declare void @f{index}()\n");
                    continue;
                }
            };
            let unit = match kind {
                Kind::Kernel | Kind::Exported => format!("\"sycl-module-id\"=\"{unit}\" "),
                _ => String::new(),
            };
            text += &format!("{head} void @f{index}() {unit}{{\n  %p = alloca ptr\n");
            for &(at, called) in uses {
                // A kernel cannot be called.
                let callable = self.kinds.get(at).is_some_and(|&kind| kind != Kind::Kernel);
                if called && callable {
                    text += &format!("  call void @{}()\n", self.name(at));
                } else {
                    text += &format!("  store ptr @{}, ptr %p\n", self.name(at));
                }
            }
            text += "  ret void\n}\n";
            if kind == Kind::Kernel {
                rows.push(format!(
                    "!{{!\"f{index}\", i32 0, i64 1, !\"a.cpp\", i32 1, i32 1, i64 {index}}}"
                ));
            }
        }
        let numbers: Vec<String> = (0..rows.len()).map(|row| format!("!{row}")).collect();
        text += &format!("!scythe.launch = !{{{}}}\n", numbers.join(", "));
        numbers.iter().zip(&rows).for_each(|(number, row)| text += &format!("{number} = {row}\n"));
        text
    }

    /// What is reached from `roots`, by brute force: once round for each global, at most.
    fn reached(&self, roots: &[usize]) -> BTreeSet<usize> {
        let functions = self.kinds.len();
        let mut reached: BTreeSet<usize> = roots.iter().copied().collect();
        for _ in 0..functions + self.contents.len() {
            let step: Vec<usize> = reached
                .iter()
                .flat_map(|&at| match at.checked_sub(functions) {
                    Some(variable) => self.contents[variable].clone(),
                    None if self.kinds[at] == Kind::Declared => Vec::new(),
                    None => self.uses[at].iter().map(|&(used, _)| used).collect(),
                })
                .collect();
            reached.extend(step);
        }
        reached
    }

    /// The groups that a mode makes of the entry points, in order. Those with different imports are
    /// apart in any mode: what an import demands counts for the entry points that reach it alone.
    fn groups(&self, mode: Mode, export: bool) -> Vec<Vec<usize>> {
        let entry = |kind| kind == Kind::Kernel || export && kind == Kind::Exported;
        let declared = |&at: &usize| self.kinds.get(at) == Some(&Kind::Declared);
        let imports = |index| {
            self.reached(&[index]).into_iter().filter(declared).collect::<BTreeSet<usize>>()
        };
        let mut keys: Vec<(u8, BTreeSet<usize>)> = Vec::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for index in (0..self.kinds.len()).filter(|&index| entry(self.kinds[index])) {
            let key = match mode {
                Mode::Off => 0,
                Mode::PerSource | Mode::Auto => self.units[index],
                Mode::PerKernel => index as u8,
            };
            let key = (key, imports(index));
            match keys.iter().position(|known| *known == key) {
                Some(place) => groups[place].push(index),
                None => {
                    keys.push(key);
                    groups.push(vec![index]);
                }
            }
        }
        groups
    }
}

fn parse<'ctx>(context: &'ctx Context, text: &str) -> Module<'ctx> {
    context.parse_ir(text.as_bytes(), "random").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn names(module: &Module<'_>) -> BTreeSet<String> {
    module.functions().map(|f| f.name()).chain(module.globals().map(|g| g.name())).collect()
}

fn set_of(part: &Part<'_>, set: &str) -> Vec<String> {
    part.manifest
        .to_properties()
        .get(set)
        .into_iter()
        .flat_map(|set| set.iter())
        .map(|(name, _)| name.to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn parts_are_closed_minimal_and_well_formed(shape in shapes(), export in any::<bool>()) {
        let text = shape.text();
        for mode in [Mode::Off, Mode::PerSource, Mode::PerKernel] {
            let options = Options { mode, export, imports: Imports::Any, ..Options::default() };
            let context = Context::new();
            let split = Split::new(parse(&context, &text), &options).expect("everything may be \
                imported");
            let groups = shape.groups(mode, export);
            prop_assert_eq!(split.len(), groups.len());
            let mut bytes = Vec::new();
            for (part, group) in split.parts().zip(&groups) {
                part.module.verify().unwrap();
                let reached = shape.reached(group);
                let name = |&index: &usize| shape.name(index);
                prop_assert_eq!(names(&part.module), reached.iter().map(name).collect::<BTreeSet<_>>());
                let of = |kind: Kind, list: &mut dyn Iterator<Item = usize>| -> Vec<String> {
                    list.filter(|&at| shape.kinds.get(at) == Some(&kind)).map(|at| shape.name(at)).collect()
                };
                prop_assert_eq!(&part.symbols, &of(Kind::Kernel, &mut group.iter().copied()));
                prop_assert_eq!(set_of(&part, EXPORTED_SYMBOLS), of(Kind::Exported, &mut group.iter().copied()));
                let imports: BTreeSet<String> = of(Kind::Declared, &mut reached.iter().copied()).into_iter().collect();
                prop_assert_eq!(set_of(&part, IMPORTED_SYMBOLS).into_iter().collect::<BTreeSet<_>>(), imports);
                for function in part.module.functions().filter(|function| !function.is_declaration()) {
                    let visible = group.iter().map(name).any(|entry| entry == function.name());
                    prop_assert_eq!(function.is_externally_visible(), visible, "{}", function.name());
                }
                bytes.push(part.module.to_bitcode());
            }
            // What is written can be read again, and a second run writes the same.
            let other = Context::new();
            for code in &bytes {
                other.parse_bitcode(code, "again").unwrap().verify().unwrap();
            }
            let again = Split::new(parse(&other, &text), &options).expect("everything may be \
                imported");
            prop_assert_eq!(again.parts().map(|part| part.module.to_bitcode()).collect::<Vec<_>>(), bytes);
        }
    }
}
