//! Evaluates conditions of tests: features with `&&`, `||`, `!` and parentheses.

use std::collections::BTreeSet;

/// The features of a device, of the compiler and of the machine.
pub type Features = BTreeSet<String>;

/// Returns whether a condition holds. `*` is true. `{{…}}` in the name of a feature stands for any
/// text if it is `.*`.
pub fn holds(condition: &str, features: &Features) -> Result<bool, String> {
    if condition.trim() == "*" {
        return Ok(true);
    }
    let mut parser = Parser { tokens: tokens(condition)?, at: 0, features };
    let value = parser.either()?;
    match parser.tokens.get(parser.at) {
        None => Ok(value),
        Some(token) => Err(format!("'{token}' is unexpected in the condition '{condition}'")),
    }
}

fn tokens(condition: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = condition.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' | '!' => 1,
            '&' | '|' if rest[1..].starts_with(first) => 2,
            _ => name_length(rest),
        };
        if length == 0 {
            return Err(format!("'{first}' is unexpected in the condition '{condition}'"));
        }
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Returns the length of the name of a feature at the start of `text`.
fn name_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if text[at..].starts_with("{{") {
            match text[at..].find("}}") {
                Some(end) => at += end + 2,
                None => return 0,
            }
        } else if c.is_alphanumeric() || "-+=._".contains(c) {
            at += c.len_utf8();
        } else {
            break;
        }
    }
    at
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    features: &'a Features,
}

impl Parser<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|next| next == token);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<bool, String> {
        let mut value = self.both()?;
        while self.takes("||") {
            value |= self.both()?;
        }
        Ok(value)
    }

    fn both(&mut self) -> Result<bool, String> {
        let mut value = self.one()?;
        while self.takes("&&") {
            value &= self.one()?;
        }
        Ok(value)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.takes("!") {
            return Ok(!self.one()?);
        }
        if self.takes("(") {
            let value = self.either()?;
            return match self.takes(")") {
                true => Ok(value),
                false => Err("')' is missing in a condition".to_owned()),
            };
        }
        let name = self.tokens.get(self.at).ok_or("a condition ends too early")?;
        if matches!(name.as_str(), ")" | "&&" | "||") {
            return Err(format!("a feature is expected before '{name}' in a condition"));
        }
        self.at += 1;
        Ok(match name.as_str() {
            "true" => true,
            "false" => false,
            _ => self.features.iter().any(|feature| matches(name, feature)),
        })
    }
}

/// Returns whether a feature has a name that may contain `{{.*}}`.
fn matches(name: &str, feature: &str) -> bool {
    match name.split_once("{{.*}}") {
        None => name == feature,
        Some((start, end)) => feature.strip_prefix(start).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(end, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(condition: &str) -> Result<bool, String> {
        holds(condition, &["cpu", "linux", "sg-8"].map(str::to_owned).into())
    }

    #[test]
    fn conditions_have_precedence() {
        for (condition, value) in [
            ("cpu", true),
            ("*", true),
            ("gpu", false),
            ("!gpu && linux", true),
            ("gpu && linux || cpu", true),
            ("gpu && (linux || cpu)", false),
            ("!(gpu||windows)", true),
            ("sg-{{.*}}", true),
            ("arch-{{.*}}", false),
            ("true && !false", true),
        ] {
            assert_eq!(check(condition), Ok(value), "{condition}");
        }
    }

    #[test]
    fn conditions_with_mistakes_are_errors() {
        for condition in ["", "cpu linux", "(cpu", "cpu &&", "|| cpu", "cpu & linux", "{{a"] {
            assert!(check(condition).is_err(), "{condition}");
        }
    }
}
