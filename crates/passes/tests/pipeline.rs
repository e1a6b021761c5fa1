//! Tests of the hooks around passes, and of launch metadata from writing to linking.

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Passing, Scalar, Shape};
use scythe_llvm::{Context, Module};
use scythe_passes::{
    Aspects, Dump, Error, Options, Pass, front_end_pipeline, launch_metadata, pipeline,
};

fn module<'c>(context: &'c Context) -> Module<'c> {
    let text = "target triple = \"spirv64-unknown-unknown\"\n\
        define spir_kernel void @k(ptr byval(i64) %f) {\n  ret void\n}\n";
    let module = context.parse_ir(text.as_bytes(), "test").unwrap();
    launch_metadata::write(&module, &[("k".into(), launch())]);
    module
}

fn launch() -> KernelLaunch {
    KernelLaunch {
        shape: Shape::Range,
        functor_size: 8,
        file: "dir/a.cpp".into(),
        line: 7,
        column: 9,
        identity: u64::MAX - 3,
        params: vec![Param {
            kind: ParamKind::StdLayout,
            size: 8,
            offset: 0,
            passing: Passing::Scalar(Scalar::I64),
        }],
        function: None,
    }
}

/// A pass that leaves a block without a terminator.
struct Breaks;

impl Pass for Breaks {
    fn name(&self) -> &'static str {
        "breaks"
    }
    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        module.function("k").unwrap().entry_block().unwrap().terminator().unwrap().erase();
        Ok(true)
    }
}

#[test]
fn nothing_is_reported_unless_asked_for() {
    let context = Context::new();
    let report =
        front_end_pipeline(&module(&context), &Aspects::SILENT, &Options::default(), &mut |d| {
            panic!("{}", d.file_name)
        });
    assert_eq!(report, Ok(String::new()));
}

#[test]
fn the_time_report_names_every_pass() {
    let context = Context::new();
    let options = Options { time: true, ..Options::default() };
    let report =
        front_end_pipeline(&module(&context), &Aspects::SILENT, &options, &mut |_| {}).unwrap();
    let names: Vec<_> =
        report.lines().skip(2).map(|l| l.split_whitespace().last().unwrap()).collect();
    assert_eq!(
        names,
        [
            "host-code",
            "work-group-static",
            "kernel-properties",
            "literals",
            "aspects",
            "linkage",
            "lower-kernel-args",
            "parameter-properties",
            "member-properties",
            "total"
        ]
    );
}

#[test]
fn dumps_follow_one_pass_or_all() {
    let context = Context::new();
    let dumps = |after: &str| {
        let mut seen: Vec<Dump> = Vec::new();
        let options = Options { dump_after: Some(after.into()), ..Options::default() };
        front_end_pipeline(&module(&context), &Aspects::SILENT, &options, &mut |d| seen.push(d))
            .unwrap();
        seen
    };
    assert_eq!(
        dumps("all").iter().map(|d| d.file_name.as_str()).collect::<Vec<_>>(),
        [
            "01-host-code.ll",
            "02-work-group-static.ll",
            "03-kernel-properties.ll",
            "04-literals.ll",
            "05-aspects.ll",
            "06-linkage.ll",
            "07-lower-kernel-args.ll",
            "08-parameter-properties.ll",
            "09-member-properties.ll"
        ]
    );
    let one = dumps("linkage");
    assert_eq!(one.len(), 1);
    assert!(one[0].ir.contains("weak_odr spir_kernel void @k(ptr byval(i64)"), "{}", one[0].ir);
    assert!(dumps("other").is_empty());
}

#[test]
fn a_pass_that_breaks_the_module_is_named() {
    let context = Context::new();
    let options = Options { verify: true, ..Options::default() };
    let error = pipeline::run(&module(&context), &[&Breaks], &options, &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("after pass 'breaks': invalid IR"), "{error}");
}

#[test]
fn launch_rows_survive_bitcode_and_linking() {
    let context = Context::new();
    let first = module(&context);
    let rows = launch_metadata::read(&first).unwrap();
    assert_eq!(rows, [("k".to_owned(), launch())]);
    let again = context.parse_bitcode(&first.to_bitcode(), "again").unwrap();
    assert_eq!(launch_metadata::read(&again).unwrap(), rows);

    // A kernel that two translation units share appears once. A different kernel with the same name
    // stays visible.
    let second = context.create_module("second");
    launch_metadata::add(&second, "k", &launch());
    launch_metadata::add(&second, "k", &KernelLaunch { identity: 1, ..launch() });
    again.link(second).unwrap();
    let linked = launch_metadata::read(&again).unwrap();
    assert_eq!(linked.iter().map(|(_, l)| l.identity).collect::<Vec<_>>(), [u64::MAX - 3, 1]);
}

#[test]
fn two_translation_units_with_one_kernel_link() {
    let context = Context::new();
    let unit = |name: &str| {
        let unit = module(&context);
        unit.set_name(name);
        front_end_pipeline(
            &unit,
            &Aspects::SILENT,
            &Options { verify: true, ..Options::default() },
            &mut |_| {},
        )
        .unwrap();
        unit
    };
    let a = unit("a");
    a.link(unit("b")).unwrap();
    a.verify().unwrap();
    assert_eq!(a.kernels().len(), 1);
}
