//! Finds lambdas whose layout may differ between compilers.
//!
//! C++ does not specify the order of captures. Clang and g++ agree if the capture list names all
//! captures. For implicit captures, g++ follows the text: the first mention of a variable gives its
//! place. Clang captures after it has instantiated the code, and captures a constant only if the
//! value of the constant is not enough. The layouts differ, possibly with the same size, in these
//! cases:
//!
//! * The lambda captures a pack. g++ puts the elements of the pack last.
//! * A discarded statement (`if constexpr`) mentions a variable. g++ captures it.
//! * A generic lambda or a nested lambda mentions a constant. Only one of the compilers may capture
//!   it.
//! * Clang does not follow the order of the text, as for captured constants and for lambdas inside
//!   a generic lambda.
//!
//! [`difference`] finds these. With a host compiler other than clang, the kernel is an error.

use std::fmt;

use crate::facts::{Capture, Closure, Mention};

/// The reason why g++ may capture other variables than clang, or capture them in another order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The front end does not know the text of the lambda.
    UnknownText,
    /// The lambda captures the elements of this pack.
    Pack(String),
    /// Only one of the compilers may capture this constant.
    Constant(String),
    /// A statement that is not compiled mentions this variable.
    Discarded(String),
    /// Clang does not capture this variable in the order of the text.
    Order(String),
    /// The lambda captures a variable that its text does not mention.
    Unmentioned,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownText => f.write_str("its text is not known here"),
            Self::Pack(name) => write!(f, "the elements of '{name}' are a pack"),
            Self::Constant(name) => write!(f, "'{name}' is a constant"),
            Self::Discarded(name) => write!(f, "a statement that is discarded mentions '{name}'"),
            Self::Order(name) => write!(f, "'{name}' is not captured in the order of the text"),
            Self::Unmentioned => {
                f.write_str("it captures a variable that its text does not mention")
            }
        }
    }
}

/// Finds a reason why the captures of a lambda may differ between g++ and clang. `None` if they are
/// the same.
pub fn difference(closure: &Closure) -> Option<Difference> {
    let implicit: Vec<&Capture> =
        closure.captures.iter().filter(|capture| !capture.explicit).collect();
    let Some(mentions) = &closure.mentions else {
        return (!implicit.is_empty()).then_some(Difference::UnknownText);
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
        return Some(Difference::Pack(pack.name.clone()));
    }
    let nested =
        |declared| mentions.iter().any(|mention| mention.declared == declared && mention.nested);
    let mut expected = Vec::new();
    for mention in first {
        let captured = implicit.iter().find(|capture| capture.declared == mention.declared);
        let name = || mention.name.clone();
        match captured {
            None if mention.constant && !closure.generic && !nested(mention.declared) => {}
            None if mention.constant => return Some(Difference::Constant(name())),
            None => return Some(Difference::Discarded(name())),
            Some(capture) if capture.constant && (closure.generic || nested(mention.declared)) => {
                return Some(Difference::Constant(name()));
            }
            Some(_) => expected.push(mention.declared),
        }
    }
    let place =
        implicit.iter().zip(&expected).find(|(capture, declared)| capture.declared != **declared);
    if let Some((capture, _)) = place {
        return Some(Difference::Order(capture.name.clone()));
    }
    (implicit.len() != expected.len()).then_some(Difference::Unmentioned)
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
        assert_eq!(difference(&closure(generic, captures, mentions)), None);
    }

    #[track_caller]
    fn unsure(generic: bool, captures: &[&str], mentions: &[&str], why: &str) {
        let found = difference(&closure(generic, captures, mentions));
        assert!(found.expect("there is a difference").to_string().contains(why));
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
        assert_eq!(difference(&unknown), Some(Difference::UnknownText));
        unknown.captures[0].explicit = true;
        assert_eq!(difference(&unknown), None);
    }
}
