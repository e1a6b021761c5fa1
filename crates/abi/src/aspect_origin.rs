//! The reason why an entry point requires an aspect: the chain of calls from the entry point to the
//! function that uses the aspect.
//!
//! IR metadata and property sets hold a line of text for each aspect,
//! `aspect<TAB>function@file:line:column<TAB>…`. Only this file parses that text.

use std::fmt;

/// An aspect and the call chain that requires it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AspectOrigin {
    /// The name of the aspect.
    pub aspect: String,
    /// The functions from the entry point to the function that uses the aspect.
    pub chain: Vec<Step>,
}

/// A function in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub function: String,
    /// The location where the function calls the next one or uses the aspect, as
    /// `file:line:column`.
    pub place: Option<String>,
}

impl AspectOrigin {
    /// Parses a line. Returns `None` if the line does not name an aspect.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let aspect = fields.next().filter(|aspect| !aspect.is_empty())?.to_owned();
        Some(Self { aspect, chain: fields.map(Step::parse).collect() })
    }
}

impl Step {
    fn parse(text: &str) -> Self {
        match text.rsplit_once('@').filter(|(_, place)| place.contains(':')) {
            Some((function, place)) => {
                Self { function: function.to_owned(), place: Some(place.to_owned()) }
            }
            None => Self { function: text.to_owned(), place: None },
        }
    }
}

impl fmt::Display for AspectOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.aspect)?;
        for Step { function, place } in &self.chain {
            write!(f, "\t{function}")?;
            place.iter().try_for_each(|place| write!(f, "@{place}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_written() {
        for line in ["fp64", "fp64\tK::operator()@a.cpp:20:5\t…\thelper<a@b>@b.hpp:8:10\tlast"] {
            assert_eq!(AspectOrigin::parse(line).unwrap().to_string(), line);
        }
        let origin = AspectOrigin::parse("fp64\tf@a.cpp:1:2\tg").unwrap();
        let step = |function: &str, place: Option<&str>| Step {
            function: function.to_owned(),
            place: place.map(str::to_owned),
        };
        assert_eq!(origin.chain, [step("f", Some("a.cpp:1:2")), step("g", None)]);
        assert_eq!(AspectOrigin::parse(""), None);
    }
}
