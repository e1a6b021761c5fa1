//! Tests the replacement of attributes in each place where C++ programs write them.

use super::edit;
use super::stream::{Kind, Piece, Stream, Token};

/// The tokens of a text without comments: words, numbers, string literals and punctuation.
struct Text(Vec<(Kind, String)>);

impl Text {
    fn new(text: &str) -> Self {
        let (mut rest, mut tokens) = (text.trim_start(), Vec::new());
        while let Some(first) = rest.chars().next() {
            let word =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (kind, length) = match first {
                '"' => (Kind::Text, rest[1..].find('"').unwrap() + 2),
                '0'..='9' => (Kind::Other, word),
                _ if word > 0 => (Kind::Word, word),
                _ => {
                    let marks = ["...", "::", "->", ">>", "&&"];
                    (
                        Kind::Punctuation,
                        marks
                            .iter()
                            .find(|mark| rest.starts_with(**mark))
                            .map_or(1, |mark| mark.len()),
                    )
                }
            };
            tokens.push((kind, rest[..length].to_owned()));
            rest = rest[length..].trim_start();
        }
        Self(tokens)
    }
}

impl Stream for Text {
    fn get(&self, at: usize) -> Token<'_> {
        self.0
            .get(at)
            .map_or(Token { kind: Kind::End, text: "" }, |(kind, text)| Token { kind: *kind, text })
    }
}

/// Returns the tokens after all edits, separated by spaces.
fn check(text: &str) -> String {
    let tokens = Text::new(text);
    let starts: Vec<usize> = (0..tokens.0.len())
        .filter(|&at| {
            tokens.is(at, "[") && tokens.is(at + 1, "[") || tokens.is_word(at, "scythe_external")
        })
        .collect();
    let (edits, faults) = edit(&tokens, &starts);
    assert!(faults.is_empty(), "{faults:?}");
    let mut out: Vec<String> = Vec::new();
    let mut next = 0;
    for edit in edits.edits {
        assert!(next <= edit.start && edit.start <= edit.end);
        out.extend((next..edit.start).map(|at| tokens.0[at].1.clone()));
        out.extend(edit.pieces.into_iter().map(|piece| match piece {
            Piece::Copy(at) => tokens.0[at].1.clone(),
            Piece::New(Kind::Text, text, _) => format!("\"{text}\""),
            Piece::New(_, text, _) => text,
        }));
        next = edit.end;
    }
    out.extend((next..tokens.0.len()).map(|at| tokens.0[at].1.clone()));
    out.join(" ")
}

/// Compares tokens.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    let expected = expected.replace("SIZE(", "annotate(\"sycl::reqd_sub_group_size\", +(");
    let expected: Vec<String> = Text::new(&expected).0.into_iter().map(|(_, text)| text).collect();
    assert_eq!(check(text), expected.join(" "));
}

#[test]
fn after_a_lambda_parameter_list() {
    becomes(
        "[=](id<1> i) [[sycl::reqd_sub_group_size(n)]] { f(); }",
        "[=](id<1> i) __attribute__((SIZE(n)), scythe_attribute)) { f(); }",
    );
    becomes(
        "[=](int i) mutable noexcept(true) [[sycl::reqd_sub_group_size(n)]] -> int { }",
        "[=](int i) __attribute__((SIZE(n)), scythe_attribute)) mutable noexcept(true) -> int { }",
    );
    becomes(
        "[]<typename T, A<B<T>> N>(T) constexpr [[sycl::reqd_sub_group_size(n)]] {}",
        "[]<typename T, A<B<T>> N>(T) __attribute__((SIZE(n)), scythe_attribute)) constexpr {}",
    );
    becomes(
        "[]<class T> requires C<T> (T) [[sycl::reqd_sub_group_size(n)]] {}",
        "[]<class T> requires C<T> (T) __attribute__((SIZE(n)), scythe_attribute)) {}",
    );
    becomes(
        "[] [[likely]] (int) [[sycl::reqd_sub_group_size(n)]] {}",
        "[] [[likely]] (int) __attribute__((SIZE(n)), scythe_attribute)) {}",
    );
}

#[test]
fn a_lambda_without_parameters() {
    becomes(
        "[=] [[sycl::reqd_sub_group_size(n)]] { }",
        "[=] [[clang::SIZE(n)), scythe::attribute]] { }",
    );
    becomes(
        "[=] mutable [[sycl::reqd_sub_group_size(n)]] { }",
        "[=] __attribute__((SIZE(n)), scythe_attribute)) mutable { }",
    );
}

#[test]
fn after_a_function_parameter_list() {
    let moved = "[[clang::SIZE(n)), scythe::attribute]]";
    let here = "[[sycl::reqd_sub_group_size(n)]]";
    for (text, expected) in [
        (
            format!("void operator()(id<1>) const {here} {{}}"),
            format!("void operator() {moved} (id<1>) const {{}}"),
        ),
        (
            format!("void operator[](int) const & {here} {{}}"),
            format!("void operator[] {moved} (int) const & {{}}"),
        ),
        (format!("void f(int) noexcept(x) {here};"), format!("void f {moved} (int) noexcept(x) ;")),
        (format!("void f<int>(int) {here};"), format!("void f<int> {moved} (int) ;")),
    ] {
        becomes(&text, &expected);
    }
}

#[test]
fn attributes_stay_where_the_grammar_knows_what_they_are_on() {
    let (new, old) = ("[[clang::SIZE(n)), scythe::attribute]]", "[[sycl::reqd_sub_group_size(n)]]");
    for text in [
        "@ void f();",
        "void f @ ();",
        "class @ half {};",
        "int b @ : 5;",
        "if (x) @ return;",
        "if constexpr (x) @ return;",
        "alignas(8) @ int x;",
        "template <class T> requires (x) @ void f();",
        "void @ f();",
        "[]() -> int @ {}",
        "extern \"C\" @ void f();",
        "static @ void f();",
    ] {
        becomes(&text.replace('@', old), &text.replace('@', new));
    }
}

#[test]
fn lists_and_using() {
    becomes(
        "[[nodiscard, sycl::reqd_sub_group_size(n), gnu::pure]] int f();",
        "[[nodiscard, clang::SIZE(n)), scythe::attribute, gnu::pure]] int f();",
    );
    becomes(
        "[[using sycl: unheard_of(x), reqd_sub_group_size(4)]] int f();",
        "[[sycl::unheard_of(x), clang::SIZE(4)), scythe::attribute]] int f();",
    );
    becomes(
        "[] () [[using sycl: unheard_of, reqd_sub_group_size(4), reqd_sub_group_size(8)]] {}",
        "[] () __attribute__((SIZE(4)), scythe_attribute, SIZE(8)), scythe_attribute)) \
         [[sycl::unheard_of]] {}",
    );
    becomes(
        "[] () [[sycl::reqd_sub_group_size(4)]] mutable [[sycl::reqd_sub_group_size(8)]] {}",
        "[] () __attribute__((SIZE(4)), scythe_attribute)) __attribute__((SIZE(8)), \
         scythe_attribute)) mutable {}",
    );
}

#[test]
fn arguments_become_values() {
    becomes(
        "[[sycl::reqd_work_group_size(f(a, b), c<1, 2>::n, N...)]] void f();",
        "[[clang::annotate(\"sycl::reqd_work_group_size\", +(f(a, b)), +(c<1, 2>::n), +(N)...), \
         scythe::attribute]] void f();",
    );
    becomes(
        "[[sycl::device_has(a)]] void f();",
        "[[clang::annotate(\"sycl::device_has\", (false ? ::sycl::aspect{} : (a))), \
         scythe::attribute]] void f();",
    );
    becomes(
        "[[sycl::device_has()]] void f();",
        "[[clang::annotate(\"sycl::device_has\"), scythe::attribute]] void f();",
    );
    becomes(
        "[[intel::named_sub_group_size(primary)]] void f();",
        "[[clang::annotate(\"intel::named_sub_group_size\", \"primary\"), scythe::attribute]] void \
         f();",
    );
    becomes(
        "struct [[__sycl_detail__::add_ir_member_annotation(\"x\", 1)]] s {};",
        "struct [[clang::annotate(\"__sycl_detail__::add_ir_member_annotation\", \"x\", 1)]] s {};",
    );
}

#[test]
fn foreign_and_broken_attributes_are_left_alone() {
    for text in [
        "[[nodiscard]] int sycl(); [[gnu::pure]] int g();",
        "[[sycl::unheard_of(x)]] int f();",
        "a[b[c]] = sycl::x;",
        "[[sycl::device_has(x",
        "[[sycl",
        "[[",
    ] {
        becomes(text, text);
    }
}

#[test]
fn external_declarations_with_language_linkage() {
    becomes(
        "__attribute__((scythe_external)) extern \"C\" int f();",
        "extern \"C\" __attribute__((scythe_external)) int f();",
    );
    becomes(
        "__attribute__((scythe_external)) extern int f();",
        "__attribute__((scythe_external)) extern int f();",
    );
    let block = Text::new("__attribute__((scythe_external)) extern \"C\" { }");
    assert_eq!(edit(&block, &[3]).1.len(), 1);
}

#[test]
fn no_input_makes_it_panic() {
    let words = [
        "[[",
        "]]",
        "sycl::device_has",
        "(",
        ")",
        "<",
        ">>",
        "{",
        "x",
        ",",
        "...",
        "operator",
        "[",
        "]",
        "noexcept",
    ];
    let mut state = 1u64;
    for _ in 0..20_000 {
        let text: Vec<&str> = (0..12)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                words[(state >> 33) as usize % words.len()]
            })
            .collect();
        check(&text.join(" "));
    }
}
