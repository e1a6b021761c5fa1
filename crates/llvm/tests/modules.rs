//! Tests of modules: reading, writing, linking, verifying, and error messages.

use scythe_llvm::*;

fn parse<'c>(context: &'c Context, text: &str) -> Module<'c> {
    context.parse_ir(text.as_bytes(), "test").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn bitcode_round_trip_keeps_the_module() {
    let context = Context::new();
    let module =
        parse(&context, "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n");
    let bitcode = module.to_bitcode();
    let again = context.parse_bitcode(&bitcode, "again").unwrap();
    assert_eq!(again.function("f").unwrap().param_count(), 1);
    assert_eq!(again.name(), "again");
    assert_eq!(again.to_bitcode().len(), bitcode.len());
}

#[test]
fn bad_bitcode_is_an_error_that_names_the_input() {
    let context = Context::new();
    for bytes in [
        &b""[..],
        b"BC",
        b"hello, world, this is not bitcode",
        &[0x42, 0x43, 0xc0, 0xde, 1, 2, 3, 4],
    ] {
        let error = context.parse_bitcode(bytes, "a.bc").unwrap_err().to_string();
        assert!(error.starts_with("cannot read bitcode 'a.bc': "), "{error}");
    }
    assert!(context.take_diagnostics().is_empty());
}

#[test]
fn bad_text_is_an_error_with_its_position() {
    let context = Context::new();
    let error = context.parse_ir(b"define void @f( {\n", "bad.ll").unwrap_err().to_string();
    assert!(error.contains("bad.ll:2:1: error: "), "{error}");
}

#[test]
fn the_verifier_says_what_is_wrong() {
    let context = Context::new();
    let module = parse(&context, "define void @f() {\n  ret void\n}\n");
    assert_eq!(module.verify(), Ok(()));
    module.function("f").unwrap().entry_block().unwrap().terminator().unwrap().erase();
    let error = module.verify().unwrap_err().to_string();
    assert!(error.contains("terminator"), "{error}");
}

#[test]
fn linking_joins_and_reports_conflicts() {
    let context = Context::new();
    let a =
        parse(&context, "declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}\n");
    a.link(parse(&context, "define void @g() {\n  ret void\n}\n")).unwrap();
    assert!(!a.function("g").unwrap().is_declaration());
    let error =
        a.link(parse(&context, "define void @g() {\n  ret void\n}\n")).unwrap_err().to_string();
    assert!(error.contains("symbol multiply defined") && error.contains("g"), "{error}");

    let other = Context::new();
    let foreign = parse(&other, "define void @h() {\n  ret void\n}\n");
    let raw = foreign.as_raw();
    // SAFETY: both modules live until the end of the test.
    let borrowed = unsafe { Module::borrowed(raw) }.unwrap();
    let error = a.link(borrowed).unwrap_err().to_string();
    assert!(error.contains("different contexts"), "{error}");
}

#[test]
fn a_borrowed_module_is_not_disposed() {
    let context = Context::new();
    let module = parse(&context, "define void @f() {\n  ret void\n}\n");
    // SAFETY: `module` outlives the borrowed module and is not used meanwhile.
    drop(unsafe { Module::borrowed(module.as_raw()) }.unwrap());
    assert!(module.function("f").is_some());
    // SAFETY: the function accepts a null pointer.
    assert!(unsafe { Module::borrowed(std::ptr::null_mut()) }.is_none());
}

#[test]
fn named_metadata_can_be_read_written_and_replaced() {
    let context = Context::new();
    let module = parse(
        &context,
        "!rows = !{!0, !1}\n!0 = !{!\"k\", i32 7, null, ptr @f}\n!1 = !{}\ndeclare void @f()\n",
    );
    let rows = module.named_metadata("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].operand(0).unwrap().string().as_deref(), Some("k"));
    assert_eq!(rows[0].operand(1).unwrap().int(), Some(7));
    assert_eq!(rows[0].operand(2), None);
    assert_eq!(rows[0].operand(3).unwrap().constant().unwrap().name(), "f");
    assert_eq!(rows[0].operands().len(), 4);
    assert!(rows[0].operand(9).is_none() && module.named_metadata("nothing").is_empty());

    let c = module.context();
    module.set_named_metadata("rows", &[c.md_node(&[c.md_int(64, 3)])]);
    assert_eq!(module.named_metadata("rows")[0].operand(0).unwrap().int(), Some(3));
    module.erase_named_metadata("rows");
    assert!(module.named_metadata_names().is_empty());
}

#[test]
fn attributes_of_all_forms() {
    let context = Context::new();
    let module = parse(
        &context,
        "define void @f(ptr byval(i64) align 8 %p, i32 %x) #0 {\n  ret void\n}\n\
         attributes #0 = { nounwind \"key\"=\"value\" }\n",
    );
    let (f, c) = (module.function("f").unwrap(), module.context());
    assert_eq!(
        f.enum_attribute(Place::Param(0), "byval").unwrap().type_value(),
        Some(c.int_type(64))
    );
    assert_eq!(f.enum_attribute(Place::Param(0), "align").unwrap().int_value(), Some(8));
    assert!(f.enum_attribute(Place::Function, "nounwind").is_some());
    assert_eq!(f.string_attribute(Place::Function, "key").as_deref(), Some("value"));
    assert_eq!(f.string_attribute(Place::Function, "other"), None);
    assert!(f.enum_attribute(Place::Param(1), "byval").is_none());
    f.add_attribute(Place::Param(1), c.enum_attribute("noundef", 0).unwrap());
    f.clear_param_attributes(0);
    f.remove_string_attribute(Place::Function, "key");
    let text = module.to_string();
    assert!(text.contains("@f(ptr %p, i32 noundef %x)") && !text.contains("key"), "{text}");
    assert!(c.enum_attribute("no-such-attribute", 0).is_none());
}

#[test]
fn passes_run_by_name_and_unknown_ones_are_errors() {
    let context = Context::new();
    let module = parse(
        &context,
        "define i32 @f() {\n  %p = alloca i32\n  store i32 4, ptr %p\n  %v = load i32, ptr %p\n  \
         ret i32 %v\n}\n",
    );
    run_passes(&module, "function(sroa)", None, PassOptions::default()).unwrap();
    assert!(!module.to_string().contains("alloca"));
    let error =
        run_passes(&module, "no-such-pass", None, PassOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no-such-pass"), "{error}");
}

#[test]
fn the_host_target_makes_elf_objects() {
    let context = Context::new();
    let module = parse(&context, "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n");
    let machine = TargetMachine::new(&TargetOptions::host(OptLevel::Default)).unwrap();
    let error = machine.emit_object(module.duplicate()).unwrap_err().to_string();
    assert!(error.contains("data layout"), "{error}");
    machine.apply_to(&module);
    let object = machine.emit_object(module.duplicate()).unwrap();
    assert_eq!(&object[..4], b"\x7fELF");
    assert_eq!(object, machine.emit_object(module).unwrap(), "the same input gives the same bytes");
}

#[test]
fn an_unknown_target_is_an_error() {
    let options = TargetOptions { triple: "vax-dec-ultrix".into(), ..Default::default() };
    let error = TargetMachine::new(&options).err().unwrap().to_string();
    assert!(error.contains("vax-dec-ultrix"), "{error}");
}

#[test]
fn inlining_works_or_says_why_not() {
    let context = Context::new();
    let module = parse(
        &context,
        "declare void @ext()\n\
         define void @callee() {\n  call void @ext()\n  ret void\n}\n\
         define void @caller() {\n  call void @callee()\n  ret void\n}\n",
    );
    let call =
        |name: &str| module.function(name).unwrap().instructions().find(|i| i.is_call()).unwrap();
    call("caller").inline_call().unwrap();
    let error = call("caller").inline_call().unwrap_err().to_string();
    assert!(error.contains("'ext'") && error.contains("'caller'"), "{error}");
    module.verify().unwrap();
}

/// Two functions with a table each, and a function that both call.
const TABLES: &str = "@a = constant [2 x ptr] [ptr @f, ptr @shared]
@b = constant [2 x ptr] [ptr @g, ptr @deep]
@used = appending global [1 x ptr] [ptr @g], section \"llvm.metadata\"
define i32 @f(i32 %i) {
  %p = getelementptr [2 x ptr], ptr @a, i32 0, i32 %i
  %c = load ptr, ptr %p
  %x = call i32 %c(i32 %i)
  ret i32 %x
}
define i32 @g(i32 %i) {
  %p = getelementptr [2 x ptr], ptr @b, i32 0, i32 %i
  %c = load ptr, ptr %p
  %x = call i32 %c(i32 %i)
  ret i32 %x
}
define i32 @shared(i32 %i) {
  ret i32 %i
}
define i32 @deep(i32 %i) {
  %x = call i32 @shared(i32 %i)
  ret i32 %x
}
";

#[test]
fn a_lazy_module_keeps_what_a_function_reaches() {
    let context = Context::new();
    let bitcode = parse(&context, TABLES).to_bitcode();
    let kept = |root: &str| {
        let lazy = context.parse_bitcode_lazily(&bitcode, "lazy").unwrap();
        let module = lazy.reached_from(root).unwrap()?;
        run_passes(&module, "globaldce", None, PassOptions::default()).unwrap();
        module.verify().unwrap();
        Some(module.functions().map(|f| f.name()).collect::<Vec<_>>())
    };
    assert_eq!(kept("f").unwrap(), ["f", "shared"]);
    assert_eq!(kept("deep").unwrap(), ["shared", "deep"]);
    assert_eq!(kept("h"), None);
}

#[test]
fn links_with_a_lazy_module_read_what_they_need() {
    let context = Context::new();
    let library = parse(&context, TABLES);
    for function in library.functions() {
        function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
    }
    let library = context.parse_bitcode_lazily(&library.to_bitcode(), "library").unwrap();
    let module = parse(
        &context,
        "declare i32 @deep(i32)\ndefine i32 @user(i32 %i) {\n  %x = call i32 @deep(i32 %i)\n  \
         ret i32 %x\n}\n",
    );
    module.link(library.into_source()).unwrap();
    module.verify().unwrap();
    assert!(module.function("shared").is_some_and(|f| !f.is_declaration()));
}

#[test]
fn truncated_lazy_modules_are_errors() {
    let context = Context::new();
    let bitcode = parse(&context, TABLES).to_bitcode();
    for length in (0..bitcode.len()).step_by(64) {
        let read = context.parse_bitcode_lazily(&bitcode[..length], "a.bc");
        let Err(error) = read.and_then(|lazy| lazy.reached_from("g")) else { continue };
        assert!(error.to_string().starts_with("cannot read bitcode 'a.bc': "), "{error}");
    }
}
