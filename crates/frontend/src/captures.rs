//! Which lambdas every compiler lays out alike.
//!
//! C++ leaves the order of captures open. Clang and g++ agree where all captures are named. For
//! what `[=]` captures, g++ follows the text: a variable takes its place where the lambda first
//! mentions it. Clang captures when it has instantiated the code, and a constant only once it knows
//! that its value alone will not do. So they differ, without a difference in size,
//!
//! * where a pack is captured: g++ puts its elements last;
//! * where a discarded statement (`if constexpr`) mentions a variable: g++ captures it;
//! * where a generic lambda, or a lambda inside of the lambda, mentions a constant: only one of
//!   them may capture it;
//! * where clang's order is not that of the text, as with constants that it captures, and with
//!   lambdas inside of a generic lambda.
//!
//! [`doubt`] finds these. With other host compilers than clang, such a kernel is an error.

use crate::facts::{Capture, Closure, Mention};

/// Why g++ may capture something else than clang did, or in another order; `None` where it does
/// not.
pub fn doubt(closure: &Closure) -> Option<String> {
    let implicit: Vec<&Capture> =
        closure.captures.iter().filter(|capture| !capture.explicit).collect();
    let Some(mentions) = &closure.mentions else {
        return (!implicit.is_empty()).then(|| "its text is not known here".to_owned());
    };
    let explicit = |mention: &Mention| {
        closure
            .captures
            .iter()
            .any(|capture| capture.explicit && capture.declared == mention.declared)
    };
    let mut first: Vec<&Mention> = Vec::new();
    for mention in mentions.iter().filter(|mention| !explicit(mention)) {
        if first.iter().all(|known| known.declared != mention.declared) {
            first.push(mention);
        }
    }
    if let Some(pack) = first.iter().find(|mention| mention.pack)
        && (implicit.len() > 1 || first.len() > 1)
    {
        return Some(format!("the elements of '{}' are a pack", pack.name));
    }
    let nested =
        |declared| mentions.iter().any(|mention| mention.declared == declared && mention.nested);
    let mut expected = Vec::new();
    for mention in first {
        let captured = implicit.iter().find(|capture| capture.declared == mention.declared);
        let name = &mention.name;
        match captured {
            None if mention.constant && !closure.generic && !nested(mention.declared) => {}
            None if mention.constant => return Some(format!("'{name}' is a constant")),
            None => return Some(format!("a statement that is discarded mentions '{name}'")),
            Some(capture) if capture.constant && (closure.generic || nested(mention.declared)) => {
                return Some(format!("'{name}' is a constant"));
            }
            Some(_) => expected.push(mention.declared),
        }
    }
    let place =
        implicit.iter().zip(&expected).find(|(capture, declared)| capture.declared != **declared);
    if let Some((capture, _)) = place {
        return Some(format!("'{}' is not captured in the order of the text", capture.name));
    }
    (implicit.len() != expected.len())
        .then(|| "it captures what its text does not mention".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Loc;

    /// `captures` as "a", "a!" for explicit ones and "a#" for constants; `mentions` likewise, with
    /// "a/" inside of another lambda and "a+" for packs.
    fn closure(generic: bool, captures: &[&str], mentions: &[&str]) -> Closure {
        let declared = |text: &str| Loc(u32::from(text.as_bytes()[0]));
        let name = |text: &str| text[..1].to_owned();
        Closure {
            loc: Loc(1),
            generic,
            captures: captures
                .iter()
                .map(|text| Capture {
                    name: name(text),
                    declared: declared(text),
                    explicit: text.contains('!'),
                    constant: text.contains('#'),
                })
                .collect(),
            mentions: Some(
                mentions
                    .iter()
                    .map(|text| Mention {
                        name: name(text),
                        declared: declared(text),
                        pack: text.contains('+'),
                        constant: text.contains('#'),
                        nested: text.contains('/'),
                    })
                    .collect(),
            ),
        }
    }

    #[track_caller]
    fn sure(generic: bool, captures: &[&str], mentions: &[&str]) {
        assert_eq!(doubt(&closure(generic, captures, mentions)), None);
    }

    #[track_caller]
    fn unsure(generic: bool, captures: &[&str], mentions: &[&str], why: &str) {
        assert!(
            doubt(&closure(generic, captures, mentions)).expect("there is doubt").contains(why)
        );
    }

    #[test]
    fn the_order_of_the_text_is_sure() {
        sure(false, &["b", "a"], &["b", "a", "b"]);
        sure(true, &["b", "a"], &["b", "a"]);
        sure(false, &["c!", "b", "a"], &["b", "c", "a/"]);
        sure(false, &["a"], &["a", "k#"]);
        sure(false, &["k#", "a"], &["k#", "a"]);
        sure(false, &["x"], &["x+"]);
    }

    #[test]
    fn another_order_is_not() {
        unsure(true, &["h", "b"], &["b", "h/"], "'h' is not captured in the order");
    }

    #[test]
    fn discarded_statements_constants_and_packs_are_not() {
        unsure(false, &["b"], &["b", "c"], "a statement that is discarded mentions 'c'");
        unsure(false, &["a", "k#"], &["k#", "a"], "'a' is not captured in the order");
        unsure(false, &["k#"], &["k#/"], "'k' is a constant");
        unsure(true, &["a"], &["a", "k#"], "'k' is a constant");
        unsure(false, &["a"], &["a", "k#/"], "'k' is a constant");
        unsure(false, &["b", "x", "x"], &["b", "x+"], "the elements of 'x' are a pack");
        unsure(false, &["x", "x"], &["x+"], "are a pack");
    }

    #[test]
    fn without_the_text_only_a_lambda_without_implicit_captures_is_sure() {
        let mut unknown = closure(false, &["a"], &[]);
        unknown.mentions = None;
        assert!(doubt(&unknown).is_some());
        unknown.captures[0].explicit = true;
        assert_eq!(doubt(&unknown), None);
    }
}
