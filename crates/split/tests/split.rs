//! Linking and splitting device modules, written as textual IR.

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_image::manifest::DeviceGlobal;
use scythe_llvm::{Context, Module};
use scythe_split::{AUTO_MOST, Granted, Imports, Mode, Options, Part, Split, link};

const TARGET: &str = "spirv64-unknown-unknown";

/// Builds IR text: a module with kernels that have one pointer parameter, and launch rows that fit.
#[derive(Default)]
struct Ir {
    body: String,
    rows: Vec<String>,
}

impl Ir {
    /// A kernel that runs `code`, written in translation unit `unit` at `line` of `file`.
    fn kernel(mut self, symbol: &str, unit: &str, file: &str, line: u32, code: &str) -> Self {
        self.body += &format!(
            "define linkonce_odr spir_kernel void @{symbol}(ptr addrspace(1) \
             %p) \"sycl-module-id\"=\"{unit}\" {{\n{code}  ret void\n}}\n"
        );
        self.rows.push(format!(
            "!{{!\"{symbol}\", i32 0, i64 8, !\"{file}\", i32 {line}, i32 5, i64 77, i32 3, i64 8, \
             i64 0, i32 0}}"
        ));
        self
    }

    fn text(mut self, text: &str) -> Self {
        self.body += text;
        self
    }

    fn parse<'ctx>(&self, context: &'ctx Context, name: &str) -> Module<'ctx> {
        let mut text = format!("target triple = \"{TARGET}\"\n{}", self.body);
        let numbers: Vec<String> = (0..self.rows.len()).map(|index| format!("!{index}")).collect();
        text += &format!("!scythe.launch = !{{{}}}\n", numbers.join(", "));
        for (number, row) in numbers.iter().zip(&self.rows) {
            text += &format!("{number} = {row}\n");
        }
        let module = context
            .parse_ir(text.as_bytes(), name)
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        module.set_name(name);
        module
    }
}

fn messages(faults: Vec<scythe_diag::Diagnostic>) -> String {
    faults.iter().map(|fault| fault.render()).collect()
}

fn link_all<'ctx>(context: &'ctx Context, modules: &[Ir]) -> Result<Module<'ctx>, String> {
    let names = ["a.bc", "b.bc", "c.bc"];
    let modules = modules.iter().zip(names).map(|(ir, name)| ir.parse(context, name)).collect();
    link(modules, "device", TARGET)
        .map(|linked| linked.expect("there are inputs"))
        .map_err(messages)
}

fn by(mode: Mode) -> Options {
    Options { mode, ..Options::default() }
}

fn split<'ctx>(module: Module<'ctx>, mode: Mode) -> Vec<Part<'ctx>> {
    split_with(module, &by(mode))
}

fn split_with<'ctx>(module: Module<'ctx>, options: &Options) -> Vec<Part<'ctx>> {
    let split = Split::new(module, options).map_err(messages).unwrap();
    let parts: Vec<_> = split.parts().collect();
    assert_eq!(parts.len(), split.len());
    for part in &parts {
        part.module.verify().unwrap();
    }
    parts
}

fn symbols(parts: &[Part<'_>]) -> Vec<Vec<String>> {
    parts.iter().map(|part| part.symbols.clone()).collect()
}

fn functions(module: &Module<'_>) -> Vec<String> {
    module.functions().map(|function| function.name()).collect()
}

const SHARED: &str = "@table = linkonce_odr addrspace(1) constant [2 x i32] [i32 1, i32 2]\n\
    define linkonce_odr void @shared() {\n  %v = load i32, ptr addrspace(1) @table\n  ret \
    void\n}\n";
const UNUSED: &str = "define void @unused() {\n  ret void\n}\n";
const CALL_SHARED: &str = "  call void @shared()\n";

fn two_units() -> [Ir; 2] {
    let unit = |first: &str, second: &str, file: &str| {
        Ir::default()
            .text(SHARED)
            .kernel(first, file, file, 1, CALL_SHARED)
            .kernel(second, file, file, 9, "")
    };
    [unit("_ZTS1A", "_ZTS1B", "a.cpp"), unit("_ZTS1C", "_ZTS1D", "b.cpp").text(UNUSED)]
}

#[test]
fn every_mode_groups_as_it_says_and_keeps_the_order() {
    let context = Context::new();
    let run = |mode| symbols(&split(link_all(&context, &two_units()).unwrap(), mode));
    assert_eq!(
        run(Mode::Off),
        [["_ZTS1A", "_ZTS1B", "_ZTS1C", "_ZTS1D"].map(String::from).to_vec()]
    );
    let per_source = run(Mode::PerSource);
    assert_eq!(
        per_source,
        [
            ["_ZTS1A", "_ZTS1B"].map(String::from).to_vec(),
            ["_ZTS1C", "_ZTS1D"].map(String::from).to_vec()
        ]
    );
    let per_kernel = run(Mode::PerKernel);
    assert_eq!(per_kernel.concat(), ["_ZTS1A", "_ZTS1B", "_ZTS1C", "_ZTS1D"]);
    assert_eq!(per_kernel.len(), 4);
}

#[test]
fn what_several_parts_need_is_in_each_and_what_none_needs_in_none() {
    let context = Context::new();
    let parts = split(link_all(&context, &two_units()).unwrap(), Mode::PerKernel);
    let with_shared: Vec<bool> = parts
        .iter()
        .map(|part| part.module.function("shared").is_some_and(|shared| !shared.is_declaration()))
        .collect();
    assert_eq!(with_shared, [true, false, true, false]);
    assert!(parts[0].module.global("table").is_some_and(|table| table.initializer().is_some()));
    assert_eq!(functions(&parts[1].module), ["_ZTS1B"]);
    assert!(parts.iter().all(|part| part.module.function("unused").is_none()));
}

#[test]
fn only_kernels_are_visible_outside_a_part() {
    let context = Context::new();
    let parts = split(link_all(&context, &two_units()).unwrap(), Mode::Off);
    let visible: Vec<String> = parts[0]
        .module
        .functions()
        .filter(|function| !function.is_declaration() && function.is_externally_visible())
        .map(|function| function.name())
        .collect();
    assert_eq!(visible, parts[0].symbols);
    assert!(parts[0].module.globals().all(|global| !global.is_externally_visible()));
}

#[test]
fn launch_rows_are_in_the_manifest_of_the_part_with_the_kernel() {
    let context = Context::new();
    let parts = split(link_all(&context, &two_units()).unwrap(), Mode::PerKernel);
    let manifest = &parts[1].manifest;
    assert_eq!(
        manifest.entry_points.iter().map(|entry| &*entry.symbol).collect::<Vec<_>>(),
        ["_ZTS1B"]
    );
    let expected = KernelLaunch {
        shape: Shape::SingleTask,
        functor_size: 8,
        file: "a.cpp".into(),
        line: 9,
        column: 5,
        identity: 77,
        params: vec![Param::pointer(ParamKind::Pointer, 0)],
        function: None,
    };
    assert_eq!(manifest.launch("_ZTS1B"), Some(&expected));
    assert_eq!(parts[1].module.named_metadata("scythe.launch").len(), 1);
}

#[test]
fn same_input_same_bytes() {
    let run = || {
        let context = Context::new();
        let parts = split(link_all(&context, &two_units()).unwrap(), Mode::PerSource);
        parts.iter().map(|part| part.module.to_bitcode()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn one_header_kernel_in_two_units_is_one_kernel() {
    let context = Context::new();
    let unit = |unit: &str, path: &str| Ir::default().kernel("_ZTS1K", unit, path, 3, "");
    let linked =
        link_all(&context, &[unit("a.cpp", "include/k.hpp"), unit("b.cpp", "../include/k.hpp")])
            .unwrap();
    let parts = split(linked, Mode::PerSource);
    assert_eq!(symbols(&parts), [["_ZTS1K"]]);
    assert_eq!(parts[0].manifest.launch("_ZTS1K").unwrap().file, "include/k.hpp");
    assert_eq!(parts[0].module.named_metadata("scythe.launch").len(), 1);
}

#[test]
fn one_name_for_two_kernels_is_an_error_with_both_positions() {
    let context = Context::new();
    let unit =
        |file: &str, line, code: &str| Ir::default().kernel("_ZTS6Shared", file, file, line, code);
    let message = "b.cpp:7:5: error: kernel name 'Shared' is used by two different kernels \
        [scythe-E0201]\n\
                   a.cpp:3:5: note: the other kernel is here\n";
    let store = |value: u32| format!("  store i32 {value}, ptr addrspace(1) %p\n");
    let error = link_all(&context, &[unit("a.cpp", 3, &store(1)), unit("b.cpp", 7, &store(2))])
        .unwrap_err();
    assert_eq!(error, message);
    // What each of them calls is its own.
    let helper = "define internal void @helper() {\n  ret void\n}\n";
    let calling = |file, line| unit(file, line, "  call void @helper()\n").text(helper);
    assert_eq!(
        link_all(&context, &[calling("a.cpp", 3), calling("b.cpp", 7)]).unwrap_err(),
        message
    );
    // They demand different devices.
    for kind in [
        "reqd_work_group_size",
        "intel_reqd_sub_group_size",
        "work_group_size_hint",
        "intel_used_aspects",
    ] {
        let demanding = |file: &str, line, value: u32| {
            let mut ir = unit(file, line, "");
            ir.body = ir.body.replace(" {\n", &format!(" !{kind} !90 {{\n"));
            ir.text(&format!("!90 = !{{i32 {value}, i32 1, i32 1}}\n"))
        };
        let error =
            link_all(&context, &[demanding("a.cpp", 3, 4), demanding("b.cpp", 7, 8)]).unwrap_err();
        assert_eq!(error, message, "{kind}");
        assert!(
            link_all(&context, &[demanding("a.cpp", 3, 4), demanding("b.cpp", 7, 4)]).is_ok(),
            "{kind}"
        );
    }
}

#[test]
fn features_that_all_devices_have_split_nothing() {
    let context = Context::new();
    let unit = || {
        let needs = |ir: &mut Ir, symbol: &str, kind: &str, node: u32| {
            let (old, new) = (format!("@{symbol}(ptr"), format!("!{kind} !{node} {{"));
            let at = ir.body.find(&old).expect("the kernel is there");
            let end = at + ir.body[at..].find('{').expect("it has a body");
            ir.body.replace_range(end..=end, &new);
        };
        let mut ir = Ir::default();
        for (line, symbol) in ["_ZTS1A", "_ZTS1B", "_ZTS1C", "_ZTS1D"].iter().enumerate() {
            ir = ir.kernel(symbol, "a.cpp", "a.cpp", line as u32 + 1, "");
        }
        needs(&mut ir, "_ZTS1B", "sycl_used_aspects", 90);
        needs(&mut ir, "_ZTS1C", "sycl_used_aspects", 91);
        needs(&mut ir, "_ZTS1D", "intel_reqd_sub_group_size", 92);
        ir.text("!90 = !{i32 6}\n!91 = !{i32 7}\n!92 = !{i32 32}\n")
    };
    let run = |granted| {
        let linked = link_all(&context, &[unit()]).unwrap();
        symbols(&split_with(linked, &Options { granted, ..by(Mode::Auto) }))
    };
    assert_eq!(run(Granted::default()), [["_ZTS1A"], ["_ZTS1B"], ["_ZTS1C"], ["_ZTS1D"]]);
    let granted = Granted { aspects: [6].into(), sub_group_sizes: [32].into() };
    assert_eq!(run(granted), [&["_ZTS1A", "_ZTS1B", "_ZTS1D"][..], &["_ZTS1C"]]);
}

#[test]
fn one_kernel_may_be_written_in_several_places() {
    let context = Context::new();
    let helper = "define linkonce_odr void @helper() {\n  ret void\n}\n";
    let unit = |file: &str, line| {
        Ir::default().kernel("_ZTS1K", file, file, line, "  call void @helper()\n").text(helper)
    };
    let linked = link_all(&context, &[unit("a.cpp", 3), unit("b.cpp", 7)]).unwrap();
    assert_eq!(symbols(&split(linked, Mode::PerSource)), [["_ZTS1K"]]);
}

#[test]
fn an_undefined_symbol_is_named_with_the_kernel_and_the_calls() {
    let context = Context::new();
    let code = "declare void @_Z3foov()\ndeclare spir_func i64 \
        @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)\n\
                declare float @sinf(float)\ndeclare void @unreached()\ndefine void @other() {\n  \
                call void @unreached()\n  ret void\n}\n\
                define void @middle() {\n  call void @_Z3foov()\n  call float @sinf(float 0.0)\n  \
                call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\n  ret void\n}\n";
    let unit =
        Ir::default().text(code).kernel("_ZTS1K", "a.cpp", "a.cpp", 3, "  call void @middle()\n");
    let linked = link_all(&context, &[unit]).unwrap();
    let error = messages(Split::new(linked, &by(Mode::Off)).err().unwrap());
    assert_eq!(
        error,
        "a.cpp:3:5: error: undefined device symbol 'foo()', needed by kernel 'K' [scythe-E0202]\n\
         note: 'foo()' is called by 'middle'\n"
    );
}

#[test]
fn a_symbol_undefined_in_one_unit_may_be_defined_in_another() {
    let user = || {
        Ir::default().text("declare void @_Z3foov()\n").kernel(
            "_ZTS1K",
            "a.cpp",
            "a.cpp",
            3,
            "  call void @_Z3foov()\n",
        )
    };
    for linkage in ["", "linkonce_odr "] {
        let definition =
            || Ir::default().text(&format!("define {linkage}void @_Z3foov() {{\n  ret void\n}}\n"));
        for units in [[user(), definition()], [definition(), user()]] {
            let context = Context::new();
            let parts = split(link_all(&context, &units).unwrap(), Mode::PerSource);
            assert!(!parts[0].module.function("_Z3foov").unwrap().is_declaration());
        }
    }
}

#[test]
fn a_symbol_defined_twice_is_named_with_both_files() {
    let context = Context::new();
    let unit = || Ir::default().text("define void @_Z3foov() {\n  ret void\n}\n");
    let error = link_all(&context, &[unit(), unit()]).unwrap_err();
    assert_eq!(
        error,
        "b.bc: error: device symbol 'foo()' is defined twice: the other definition is in 'a.bc'. \
         Remove one of them, or make the function 'inline' [scythe-E0203]\n"
    );
}

#[test]
fn modules_without_kernels_give_no_parts() {
    let context = Context::new();
    let linked = link_all(&context, &[Ir::default().text(UNUSED)]).unwrap();
    assert!(Split::new(linked, &by(Mode::PerSource)).map_err(messages).unwrap().is_empty());
    assert!(link(Vec::new(), "device", TARGET).map_err(messages).unwrap().is_none());
}

#[test]
fn code_for_another_target_is_refused() {
    let context = Context::new();
    let module =
        context.parse_ir(b"target triple = \"x86_64-unknown-linux-gnu\"\n", "a.bc").unwrap();
    let error = messages(link(vec![module], "device", TARGET).err().unwrap());
    let expected = "a.bc: error: the device code is for 'x86_64-unknown-linux-gnu', expected \
        'spirv64-unknown-unknown'. Compile it with the '-fsycl-targets=' of this link \
        [scythe-E0206]\n";
    assert_eq!(error, expected);
}

#[test]
fn missing_and_damaged_launch_rows_are_errors() {
    let context = Context::new();
    let check = |ir: Ir, message: &str| {
        let error = link_all(&context, &[ir])
            .and_then(|linked| Split::new(linked, &by(Mode::Off)).map_err(messages));
        assert_eq!(error.err().unwrap(), message);
    };
    let mut without = Ir::default().kernel("_ZTS1K", "a.cpp", "a.cpp", 3, "");
    without.rows.clear();
    check(
        without,
        "error: kernel 'K' has no description of its parameters. Compile its source with 'scythe \
         -fsycl' [scythe-E0210]\n",
    );
    let mut short = Ir::default().kernel("_ZTS1K", "a.cpp", "a.cpp", 3, "");
    short.rows = vec!["!{!\"_ZTS1K\", i32 0, i64 8, !\"a.cpp\", i32 3, i32 5, i64 77}".into()];
    check(
        short,
        "error: kernel 'K' has 1 parameters, but its description has 0. Compile its source again \
         [scythe-E0211]\n",
    );
    let damaged = Ir { rows: vec!["!{!\"_ZTS1K\", i32 0}".into()], ..Ir::default() };
    check(
        damaged,
        "a.bc: error: cannot read the descriptions of the kernels' parameters: launch metadata, \
         node 0: the node has 2 operands, expected 7 and 4 more for each parameter. Compile the \
         source again [scythe-E0204]\n",
    );
    let row = "!{!\"_ZTS1K\", i32 9, i64 8, !\"a.cpp\", i32 3, i32 5, i64 77}".into();
    let unknown = Ir { rows: vec![row], ..Ir::default() };
    check(
        unknown,
        "a.bc: error: cannot read the descriptions of the kernels' parameters: launch metadata, \
         node 0: kernel '_ZTS1K': unknown shape 9. Compile the source again [scythe-E0204]\n",
    );
}

#[test]
fn units_of_many_kernels_become_several_images_unless_a_variable_binds_them() {
    let kernels = |used: &str, users: &[usize]| {
        (0..2 * AUTO_MOST + 6).fold(Ir::default(), |ir, n| {
            let code = if users.contains(&n) { used } else { "" };
            ir.kernel(&format!("_ZTS3K{n:02}"), "a.cpp", "a.cpp", 1, code)
        })
    };
    let sizes = |ir: Ir, mode| -> Vec<usize> {
        let context = Context::new();
        split(link_all(&context, &[ir]).unwrap(), mode)
            .iter()
            .map(|part| part.symbols.len())
            .collect()
    };
    assert_eq!(sizes(kernels("", &[]), Mode::Auto), [AUTO_MOST, AUTO_MOST, 6]);
    assert_eq!(sizes(kernels("", &[]), Mode::PerSource), [2 * AUTO_MOST + 6]);
    let variable = "@scoped = weak_odr addrspace(1) externally_initialized global i32 0 #9\n\
                    attributes #9 = { \"sycl-unique-id\"=\"scoped\" \"sycl-device-global-size\"=\"4\" \"sycl-device-image-scope\" }\n";
    let using = |users: &[usize]| {
        kernels("  store i32 1, ptr addrspace(1) @scoped\n", users).text(variable)
    };
    assert_eq!(sizes(using(&[3, 50]), Mode::Auto), [2 * AUTO_MOST + 6]);
    assert_eq!(sizes(using(&[3]), Mode::Auto), [AUTO_MOST, AUTO_MOST, 6]);
}

#[test]
fn mode_names_are_those_of_the_driver_and_of_post_link_tools() {
    for (name, mode) in [
        ("off", Mode::Off),
        ("per_source", Mode::PerSource),
        ("source", Mode::PerSource),
        ("auto", Mode::Auto),
        ("per_kernel", Mode::PerKernel),
        ("kernel", Mode::PerKernel),
    ] {
        assert_eq!(Mode::from_name(name), Some(mode));
    }
    assert_eq!(Mode::from_name("global"), None);
}

fn set_of(part: &Part<'_>, name: &str) -> Vec<String> {
    let properties = part.manifest.to_properties();
    let set = properties.get(name);
    set.into_iter()
        .flat_map(|set| set.iter())
        .map(|(symbol, value)| format!("{symbol}={}", value.as_u32().unwrap()))
        .collect()
}

const EXPORTS: &str = "SYCL/exported symbols";
const IMPORTS: &str = "SYCL/imported symbols";

fn library() -> Ir {
    Ir::default()
        .text(
            "define void @_Z3onev() \"sycl-module-id\"=\"a.cpp\" {\n  call void @helper()\n  ret \
            void\n}\n",
        )
        .text(
            "define linkonce_odr void @_Z3twov() \"sycl-module-id\"=\"b.cpp\" {\n  call void \
            @_Z3onev()\n  ret void\n}\n",
        )
        .text("define internal void @static() \"sycl-module-id\"=\"b.cpp\" {\n  ret void\n}\n")
        .text("define void @helper() {\n  ret void\n}\n")
        .kernel("_ZTS1K", "a.cpp", "a.cpp", 3, "  call void @_Z3onev()\n")
}

#[test]
fn external_functions_are_entry_points_where_they_are_exported() {
    let context = Context::new();
    let run = |mode, export| {
        let linked = link_all(&context, &[library()]).unwrap();
        let parts = split_with(linked, &Options { mode, export, ..Options::default() });
        parts
            .iter()
            .map(|part| (part.symbols.concat(), set_of(part, EXPORTS).join(" ")))
            .collect::<Vec<_>>()
    };
    let pairs = |list: &[(&str, &str)]| {
        list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(run(Mode::PerKernel, false), pairs(&[("_ZTS1K", "")]));
    assert_eq!(run(Mode::Off, true), pairs(&[("_ZTS1K", "_Z3onev=1 _Z3twov=1")]));
    assert_eq!(run(Mode::PerSource, true), pairs(&[("_ZTS1K", "_Z3onev=1"), ("", "_Z3twov=1")]));
    assert_eq!(
        run(Mode::PerKernel, true),
        pairs(&[("", "_Z3onev=1"), ("", "_Z3twov=1"), ("_ZTS1K", "")])
    );
}

#[test]
fn exported_functions_are_visible_and_inline_ones_stay_weak() {
    let context = Context::new();
    let linked = link_all(&context, &[library()]).unwrap();
    let parts =
        split_with(linked, &Options { mode: Mode::PerKernel, export: true, ..Options::default() });
    let heads = |part: &Part<'_>| {
        let text = part.module.to_string();
        text.lines()
            .filter(|line| line.starts_with("define"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(heads(&parts[0]).contains("define void @_Z3onev()"), "{}", heads(&parts[0]));
    assert!(heads(&parts[1]).contains("define weak_odr void @_Z3twov()"), "{}", heads(&parts[1]));
    assert!(heads(&parts[1]).contains("define internal void @_Z3onev()"), "{}", heads(&parts[1]));
    assert!(heads(&parts[2]).contains("define internal void @_Z3onev()"), "{}", heads(&parts[2]));
}

fn user() -> Ir {
    Ir::default()
        .text("declare void @_Z3onev()\ndeclare void @_Z3twov()\ndeclare float @sinf(float)\n")
        .text("@state = external addrspace(1) global i32\n")
        .kernel(
            "_ZTS1A",
            "a.cpp",
            "a.cpp",
            3,
            "  call void @_Z3onev()\n  call float @sinf(float 1.0)\n",
        )
        .kernel("_ZTS1B", "a.cpp", "a.cpp", 9, "  load i32, ptr addrspace(1) @state\n")
}

#[test]
fn what_other_images_provide_is_imported_by_those_that_use_it() {
    let context = Context::new();
    let of =
        |symbols: &[&str]| Imports::Of(symbols.iter().map(|symbol| symbol.to_string()).collect());
    for imports in [Imports::Any, of(&["_Z3onev", "state", "_Z5otherv"])] {
        let linked = link_all(&context, &[user()]).unwrap();
        let parts =
            split_with(linked, &Options { mode: Mode::PerKernel, imports, ..Options::default() });
        assert_eq!(
            parts.iter().map(|part| set_of(part, IMPORTS)).collect::<Vec<_>>(),
            [["_Z3onev=1"], ["state=1"]]
        );
    }
    let options = Options { imports: of(&["_Z3onev"]), ..Options::default() };
    let error =
        messages(Split::new(link_all(&context, &[user()]).unwrap(), &options).err().unwrap());
    assert_eq!(
        error,
        "a.cpp:9:5: error: undefined device symbol 'state', needed by kernel 'B' [scythe-E0202]\n"
    );
}

#[test]
fn all_kernels_that_need_a_symbol_are_told() {
    let context = Context::new();
    let mut unit =
        Ir::default().text("declare void @_Z3foov()\n@table = constant [1 x ptr] [ptr @_Z3foov]\n");
    for (line, name) in [(1, "A"), (2, "B"), (3, "C"), (4, "D"), (5, "E"), (6, "F")] {
        unit = unit.kernel(
            &format!("_ZTS1{name}"),
            "a.cpp",
            "a.cpp",
            line,
            "  %f = load ptr, ptr @table\n  call void %f()\n",
        );
    }
    let error =
        messages(Split::new(link_all(&context, &[unit]).unwrap(), &by(Mode::Off)).err().unwrap());
    assert_eq!(
        error,
        "a.cpp:1:5: error: undefined device symbol 'foo()', needed by kernel 'A' [scythe-E0202]\n\
         note: 'foo()' is used by 'table'\n\
         note: kernel 'B' also needs it\n\
         note: kernel 'C' also needs it\n\
         note: kernel 'D' also needs it\n\
         note: 2 more kernels or exported functions also need it\n"
    );
}

#[test]
fn functions_resolved_at_load_are_refused() {
    let context = Context::new();
    let text = "@f = ifunc void (), ptr @resolve\ndefine ptr @resolve() {\n  ret ptr null\n}\n";
    let error = link_all(&context, &[Ir::default().text(text)]).unwrap_err();
    assert!(
        error.starts_with("a.bc: error: device code cannot contain indirect functions"),
        "{error}"
    );
}

/// Two units whose kernels use one variable of one image, and one that any image may use.
fn sharing_units() -> [Ir; 2] {
    let variables = "@scoped = weak_odr addrspace(1) externally_initialized global i32 0 #9\n\
                     @free = weak_odr addrspace(1) externally_initialized global i64 5 #8\n\
                     attributes #9 = { \"sycl-unique-id\"=\"scoped\" \"sycl-device-global-size\"=\"4\" \"sycl-device-image-scope\" }\n\
                     attributes #8 = { \"sycl-unique-id\"=\"free\" \"sycl-device-global-size\"=\"8\" }\n";
    let both = "  store i32 1, ptr addrspace(1) @scoped\n  store i64 1, ptr addrspace(1) @free\n";
    let free = "  store i64 2, ptr addrspace(1) @free\n";
    [
        Ir::default().kernel("_ZTS1A", "a.cpp", "a.cpp", 1, both).text(variables),
        Ir::default()
            .kernel("_ZTS1B", "b.cpp", "b.cpp", 2, both)
            .kernel("_ZTS1C", "b.cpp", "b.cpp", 3, free)
            .text(variables),
    ]
}

#[test]
fn variables_of_device_code_stay_visible_and_are_listed() {
    let context = Context::new();
    let parts = split(link_all(&context, &sharing_units()).unwrap(), Mode::Off);
    let mut globals = parts[0].manifest.globals.clone();
    globals.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    let global =
        |symbol: &str, size, image_scope| DeviceGlobal { symbol: symbol.into(), size, image_scope };
    assert_eq!(globals, [global("free", 8, false), global("scoped", 4, true)]);
    let text = parts[0].module.to_string();
    assert!(
        text.contains("@free = weak_odr addrspace(1) externally_initialized global i64 5"),
        "{text}"
    );
}

#[test]
fn a_variable_of_one_image_keeps_its_kernels_together_or_is_an_error() {
    let context = Context::new();
    let parts = split(link_all(&context, &sharing_units()).unwrap(), Mode::Auto);
    assert_eq!(symbols(&parts), [["_ZTS1A", "_ZTS1B", "_ZTS1C"].map(String::from).to_vec()]);
    for (mode, works) in [
        (Mode::PerSource, "'-fsycl-device-code-split=auto' or '-fsycl-device-code-split=off'"),
        (Mode::PerKernel, "'-fsycl-device-code-split=auto' or '-fsycl-device-code-split=off'"),
    ] {
        let linked = link_all(&context, &sharing_units()).unwrap();
        let error = messages(Split::new(linked, &by(mode)).err().unwrap());
        let expected = format!(
            "error: device_global 'scoped' has the property 'device_image_scope', but the kernels \
             that use it are in 2 device images: link with \
             {works} [scythe-E0205]\na.cpp:1:5: note: kernel 'A' uses it in image 1\nb.cpp:2:5: \
             note: kernel 'B' uses it in image 2\n"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn a_variable_that_another_library_holds_is_no_import() {
    let context = Context::new();
    let unit = Ir::default()
        .kernel(
            "_ZTS1A",
            "a.cpp",
            "a.cpp",
            1,
            "  store i32 1, ptr addrspace(1) \
            @elsewhere\n",
        )
        .text(
            "@elsewhere = external addrspace(1) global i32 #9\nattributes #9 = \
             { \"sycl-unique-id\"=\"elsewhere\" \
         \"sycl-device-global-size\"=\"4\" }\n",
        );
    let parts = split(link_all(&context, &[unit]).unwrap(), Mode::Off);
    assert!(parts[0].manifest.imports.is_empty());
    assert_eq!(parts[0].manifest.globals.len(), 1);
}
