//! Random kernels that capture variables of many types in many ways.
//!
//! A program holds several kernels, each in a function of its own. A kernel's body folds all that
//! it captures into one number. The same body runs on the host, called as a function, and on the
//! device: the numbers must be equal, or the launch did not carry the captures over. Kernel `i` is
//! left out where the macro `SKIP_i` is defined.

use std::fmt::Write as _;

use scythe_fuzz::random::Random;

const PRELUDE: &str = include_str!("captures_prelude.hpp");

/// A type, how an object of it is made, and how it is read; `$` stands for the object, `#` for a
/// number.
struct Kind {
    name: &'static str,
    value: &'static str,
    read: &'static str,
    /// `const` objects of it may be usable in constant expressions.
    constant: bool,
}

const fn plain(name: &'static str, value: &'static str, read: &'static str) -> Kind {
    Kind { name, value, read, constant: false }
}

const fn number(name: &'static str, value: &'static str) -> Kind {
    Kind { name, value, read: "u64($)", constant: true }
}

const KINDS: &[Kind] = &[
    number("bool", "# % 2 == 1"),
    number("char", "char(# % 100)"),
    number("signed char", "(signed char)(# % 100 - 50)"),
    number("unsigned short", "(unsigned short)(# * 7)"),
    number("short", "short(# - 500)"),
    number("int", "# * 3 - 100"),
    number("unsigned", "#u * 77777u"),
    number("long", "-#L * 1000003"),
    number("unsigned long long", "#ull * 0x123456789ull"),
    number("Small", "Small(# % 3)"),
    number("Wide", "Wide(#l << 33)"),
    plain("float", "#.25f", "u64(long($ * 4))"),
    plain("double", "-#.125", "u64(long($ * 8))"),
    plain("sycl::half", "sycl::half(float(# % 500) / 2)", "u64(long(float($) * 2))"),
    plain("Pointer", "shared + # % 16", "u64(*$)"),
    plain("Reader", "shared + # % 16", "u64(*$ * 5)"),
    plain("std::array<short, 3>", "{short(#), 2, short(# - 9)}", "u64($[0] * 31 + $[2])"),
    plain(
        "std::pair<char, double>",
        "{char(# % 99), #.5}",
        "u64($.first * 1000 + long($.second * 2))",
    ),
    plain("std::tuple<int, char, float>", "{#, char(# % 50), #.5f}", "tuple_value($)"),
    plain("sycl::vec<float, 3>", "{#.5f, 2.f, float(# % 7)}", "u64(long($[0] * 2 + $[2]))"),
    plain(
        "sycl::vec<unsigned char, 8>",
        "sycl::vec<unsigned char, 8>((unsigned char)(# % 200))",
        "u64($[0] + $[7])",
    ),
    plain("sycl::id<2>", "sycl::id<2>(#, # + 3)", "u64($[0] * 13 + $[1])"),
    plain("sycl::range<3>", "sycl::range<3>(#, 2, # + 1)", "u64($[0] * 13 + $[2])"),
    plain("sycl::marray<short, 5>", "sycl::marray<short, 5>(short(#))", "u64($[4])"),
    plain("Empty", "{}", "u64(sizeof($))"),
    plain("Bits", "{# % 8, unsigned(# % 32), (# % 2) == 1}", "u64($.a * 100 + int($.b) * 2 + $.c)"),
    plain(
        "Derived",
        "{{char(# % 100)}, {#.5}, {}, short(#)}",
        "u64($.Base::c * 7 + long($.d * 2) + $.s)",
    ),
    plain(
        "Nested",
        "{{1, #.75f}, {char(# % 90), 'b'}, {{#}}}",
        "u64(long($.inner.f * 4) + $.text[0] + $.deep.x.i)",
    ),
    plain("Aligned", "{char(# % 100), #}", "u64($.c + $.l)"),
    plain("Choice", "{#}", "u64($.i)"),
    plain("Pointers", "{shared + # % 16, {shared, shared + 3}, #}", "u64(*$.p + *$.q[1] + $.n)"),
    plain("Packed", "{char(# % 100), #, short(#)}", "u64($.c + $.i + $.s)"),
];

/// How a variable is declared and captured.
struct Variable {
    name: String,
    declaration: String,
    /// What reads it in the kernel, by the name that the kernel knows.
    read: String,
    /// What the capture list says where it is named there.
    explicit: String,
    /// `[=]` must not be relied upon.
    by_name: bool,
}

/// The source of a program with kernels 0 to `count` of this seed.
pub fn program(seed: u64, count: usize) -> String {
    let mut random = Random::new(seed);
    let mut out = String::from(PRELUDE);
    for index in 0..count {
        kernel(&mut random, &mut out, index);
    }
    out.push_str("int main() {\n  sycl::queue q;\n  Run run(q);\n");
    for index in 0..count {
        let _ = writeln!(out, "#ifndef SKIP_{index}\n  call_{index}(run);\n#endif");
    }
    out.push_str("  return run.result();\n}\n");
    out
}

fn kernel(random: &mut Random, out: &mut String, index: usize) {
    let place =
        *random.pick(&["function", "template", "member", "generic", "function", "template"]);
    let mut variables: Vec<Variable> = (0..2 + random.below(9))
        .map(|number| variable(random, number, place == "template"))
        .collect();
    if random.chance(25) {
        variables.push(bindings(random));
    }
    if place == "template" && random.chance(50) {
        variables.push(pack(random));
    }
    let declarations: Vec<&str> =
        variables.iter().map(|variable| variable.declaration.as_str()).collect();
    let mut order: Vec<&Variable> = variables.iter().collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let captures = capture_list(random, &order, place == "member");
    let mut reads: Vec<String> = order.iter().map(|variable| variable.read.clone()).collect();
    if place == "member" {
        reads.push("u64(member_a + member_b)".to_owned());
    }
    let size = random.chance(60).then(|| GroupSize::new(random));
    if let Some(read) = size.as_ref().and_then(|size| size.read.clone()) {
        // A read by `same` captures, which takes `[=]`. In generic lambdas clang then captures at
        // the attribute, before the body: the passes differ, which is an error.
        if !read.contains("same(") || (captures.starts_with('=') && place != "generic") {
            reads.push(read);
        }
    }
    let body = body(random, &reads);
    let function = launch(random, index, place, &captures, &body, &declarations, size.as_ref());
    let _ = writeln!(out, "#ifndef SKIP_{index}\n{function}#endif");
}

/// A constant with the value 4, which an attribute of the kernel uses.
struct GroupSize {
    /// A local declaration, unless the constant is declared elsewhere.
    declaration: String,
    expression: String,
    /// A read in the kernel's body: one that captures the constant (`same`), or one that does not.
    read: Option<String>,
}

impl GroupSize {
    fn new(random: &mut Random) -> Self {
        let (declaration, name) = *random.pick(&[
            ("const int size{4};", "size"),
            ("constexpr unsigned long size{4};", "size"),
            ("static constexpr short size{4};", "size"),
            ("const unsigned size{4}; const unsigned &same_size = size; (void)same_size;", "size"),
            ("constexpr struct { int n; } sizes{4};", "sizes.n"),
            ("", "fixed_size"),
            ("", "Sizes<2>::twice"),
        ]);
        let expression = match random.below(4) {
            0 => format!("{name} * 2 / 2"),
            1 => format!("({name} > 3 ? {name} : 1)"),
            2 => format!("twice_half({name})"),
            _ => name.to_owned(),
        };
        let read = match random.below(4) {
            0 => Some(format!("u64({name})")),
            1 => Some(format!("u64(same({name}))")),
            _ => None,
        };
        Self { declaration: declaration.to_owned(), expression, read }
    }
}

fn variable(random: &mut Random, number: usize, in_template: bool) -> Variable {
    let numbers = KINDS.iter().take_while(|kind| kind.constant).count();
    let kind = if random.chance(30) { &KINDS[random.below(numbers)] } else { random.pick(KINDS) };
    let name = format!("v{number}");
    let digits = (random.below(900) + 10).to_string();
    let value = kind.value.replace('#', &digits);
    let type_name = if in_template && kind.name == "int" { "T" } else { kind.name };
    let init = if value.starts_with('{') { value } else { format!("{{{value}}}") };
    let way = if kind.constant { random.below(8) } else { random.below(6) };
    let declaration = match way {
        0 => format!("{type_name} {name}_{init}; {type_name} &{name} = {name}_; (void){name};"),
        1 => format!("const {type_name} {name}{init}; (void){name};"),
        6 => format!("constexpr {type_name} {name}{init}; (void){name};"),
        2 => format!("{type_name} {name}[2] = {{{init}, {init}}}; (void){name};"),
        _ => format!("{type_name} {name}{init}; (void){name};"),
    };
    let object = if way == 2 { format!("{name}[1]") } else { name.clone() };
    // A reference to a constant needs an object: it is captured.
    let object = if random.chance(20) { format!("same({object})") } else { object };
    let renamed = way != 2 && random.chance(25);
    let (read, explicit) = match renamed {
        true => (
            kind.read.replace('$', &object.replace(&name, &format!("{name}r"))),
            format!("{name}r = {name}"),
        ),
        false => (kind.read.replace('$', &object), name.clone()),
    };
    Variable { name, declaration, read, explicit, by_name: renamed }
}

/// Structured bindings, which C++20 lets lambdas capture.
fn bindings(random: &mut Random) -> Variable {
    let (a, b) = (random.below(90) + 1, random.below(90) + 1);
    let declaration =
        format!("Two two{{{a}, {b}.5f}}; auto [first, second] = two; (void)first, (void)second;");
    let read = "u64(first * 3 + long(second * 2))".to_owned();
    Variable {
        name: "first".into(),
        declaration,
        read,
        explicit: "first, second".into(),
        by_name: false,
    }
}

fn pack(random: &mut Random) -> Variable {
    let (explicit, read) = *random.pick(&[
        ("xs...", "(u64(xs) + ... + u64(0))"),
        ("...ys = xs", "(u64(ys) + ... + u64(0))"),
        ("...ys = xs", "u64(long(last(ys...)))"),
        ("xs...", "u64(long(last(xs...)))"),
    ]);
    let by_name = explicit.contains('=');
    Variable {
        name: "xs".into(),
        declaration: String::new(),
        read: read.into(),
        explicit: explicit.into(),
        by_name,
    }
}

fn capture_list(random: &mut Random, order: &[&Variable], member: bool) -> String {
    let mut list: Vec<String> = Vec::new();
    let by_default = random.chance(65);
    if by_default {
        list.push("=".to_owned());
    }
    for variable in order {
        // What is captured by default may be named as well, by another name.
        if !by_default
            || variable.by_name
            || (random.chance(15) && variable.explicit == variable.name)
        {
            let named = !by_default || variable.by_name;
            list.push(if named {
                variable.explicit.clone()
            } else {
                format!("{0} = {0}", variable.name)
            });
        }
    }
    if member {
        let at = 1 + random.below(list.len());
        list.insert(if by_default { at } else { at - 1 }, "*this".to_owned());
    }
    if !by_default {
        list.push("out".to_owned());
    }
    list.join(", ")
}

/// Statements that fold what is read into `h`.
fn body(random: &mut Random, reads: &[String]) -> String {
    let mut out = String::from("u64 h = 1;");
    for read in reads {
        let _ = match random.below(9) {
            0 => write!(out, " h = mix(h, [=] {{ return {read}; }}());"),
            1 => write!(
                out,
                " if constexpr (sizeof(u64) == 8) h = mix(h, {read}); else h = mix(1, {read});"
            ),
            2 => write!(out, " for (int i = 0; i < 2; ++i) h = mix(h, {read});"),
            3 => write!(out, " h = mix(h, sizeof({read}) + {read});"),
            _ => write!(out, " h = mix(h, {read});"),
        };
    }
    out.push_str(" *out = h;");
    out
}

/// The function that makes a kernel, runs it in both ways and compares.
fn launch(
    random: &mut Random,
    index: usize,
    place: &str,
    captures: &str,
    body: &str,
    declarations: &[&str],
    size: Option<&GroupSize>,
) -> String {
    let locals: Vec<&str> = size
        .map(|size| size.declaration.as_str())
        .into_iter()
        .chain(declarations.iter().copied())
        .collect();
    let locals = locals.join("\n  ");
    let name = match random.below(3) {
        0 => "",
        1 => "<class Local>",
        _ => "<Named>",
    };
    let name = name
        .replace("Local", &format!("Local{index}"))
        .replace("Named", &format!("Named<{index}>"));
    let generic = place == "generic";
    // An attribute may stand on a kernel that is launched as it is; number 3 has work-groups.
    let shape = match (generic, size) {
        (true, None) => 1,
        (true, Some(_)) => 3,
        (_, None) => random.below(3),
        (_, Some(_)) => *random.pick(&[0, 1, 3]),
    };
    let parameter = match (generic, shape) {
        (true, _) => "(auto item) ",
        (_, 3) => "(Group item) ",
        (_, 1) => "(sycl::id<1> item) ",
        (_, 2) => "(int item) ",
        _ => "() ",
    };
    let use_item = if shape == 0 { "" } else { "(void)item; " };
    let run = match shape {
        0 => "single_task",
        1 => "over_range",
        3 => "over_groups",
        _ => "over_number",
    };
    let attribute = size.map(|size| match shape {
        3 => format!("[[sycl::reqd_work_group_size({})]] ", size.expression),
        _ => format!("[[sycl::work_group_size_hint({})]] ", size.expression),
    });
    let attribute = attribute.unwrap_or_default();
    let lambda =
        format!("auto kernel = [{captures}] {parameter}{attribute}{{ {use_item}{body} }};");
    let code = format!(
        "  int *shared = run.shared;\n  u64 *out = run.out;\n  (void)shared;\n  {locals}\n  \
         {lambda}\n\
         \x20 run.{run}{name}({index}, kernel);\n"
    );
    match place {
        "template" => format!(
            "template <class T, class... Xs> void make_{index}(Run &run, Xs... xs) {{\n  \
             ((void)xs, ...);\n{code}}}\n\
             void call_{index}(Run &run) {{ make_{index}<int>(run, char(5), {}, short(-3)); }}\n",
            random.pick(&["2.5f", "1000000007L", "Small::c"])
        ),
        "member" => format!(
            "struct Member_{index} {{\n  char member_a = {};\n  long member_b = {};\n  void go(Run \
             &run) {{\n{code}  }}\n}};\n\
             void call_{index}(Run &run) {{ Member_{index}().go(run); }}\n",
            random.below(100),
            random.below(100_000)
        ),
        _ => format!("void call_{index}(Run &run) {{\n{code}}}\n"),
    }
}
