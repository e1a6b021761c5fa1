//! Conditions over the aspects of a device, which state the devices that take a branch of
//! `if_device_has`.
//!
//! A condition is a conjunction of clauses. A clause is a disjunction of literals. A literal states
//! that the device has an aspect, or that it lacks the aspect. The clauses of an `else` branch
//! include the negation of each earlier branch. The clauses of a nested branch include those of the
//! branches around it.
//!
//! There are two forms. Headers annotate a branch with numbers: a positive number is an aspect that
//! the device must have, a negative number is an aspect that it must lack, and 0 ends each clause.
//! IR attributes and image properties hold text: `1040&!1021|!1022` holds on a device that has
//! aspect 1040 and lacks at least one of the other two. The empty text is the condition that every
//! device meets.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The number of an aspect, and whether the device must have the aspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Literal {
    aspect: u32,
    has: bool,
}

/// A conjunction of clauses; see the module documentation. The default holds on every device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition(BTreeSet<BTreeSet<Literal>>);

/// An error for a text or a list of numbers that is not a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError(String);

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not a condition on aspects: expected one such as '1040&!1021|!1022'",
            self.0
        )
    }
}

impl std::error::Error for ConditionError {}

impl Condition {
    /// Parses the numbers of an annotation.
    pub fn from_numbers(numbers: &[i64]) -> Result<Self, ConditionError> {
        let fail = || ConditionError(format!("the list {numbers:?}"));
        let Some((0, _)) = numbers.split_last() else {
            return if numbers.is_empty() { Ok(Self::default()) } else { Err(fail()) };
        };
        let literal = |&number: &i64| {
            let aspect = u32::try_from(number.unsigned_abs()).map_err(|_| fail())?;
            Ok(Literal { aspect, has: number > 0 })
        };
        let clauses = numbers[..numbers.len() - 1].split(|&number| number == 0);
        clauses
            .map(|clause| clause.iter().map(literal).collect())
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the clauses. Each literal is an aspect and whether the device must have it.
    pub fn clauses(&self) -> Vec<Vec<(u32, bool)>> {
        let clause =
            |clause: &BTreeSet<Literal>| clause.iter().map(|one| (one.aspect, one.has)).collect();
        self.0.iter().map(clause).collect()
    }

    /// Inverse of [`Condition::clauses`].
    pub fn from_clauses(clauses: Vec<Vec<(u32, bool)>>) -> Self {
        let literal = |(aspect, has)| Literal { aspect, has };
        Self(clauses.into_iter().map(|clause| clause.into_iter().map(literal).collect()).collect())
    }

    /// Returns whether a device meets the condition; `has` returns whether the device has an
    /// aspect.
    pub fn holds(&self, has: impl Fn(u32) -> bool) -> bool {
        self.0.iter().all(|clause| clause.iter().any(|literal| has(literal.aspect) == literal.has))
    }

    /// Describes the condition in words; `name` returns the name of an aspect.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let literal = |literal: &Literal| {
            format!("{}{}", if literal.has { "" } else { "no " }, name(literal.aspect))
        };
        let clause = |clause: &BTreeSet<Literal>| {
            clause.iter().map(literal).collect::<Vec<_>>().join(" or ")
        };
        self.0.iter().map(clause).collect::<Vec<_>>().join(" and ")
    }

    /// Returns whether every device meets the condition.
    pub fn is_always(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the conjunction of both conditions. Returns `None` if one clause contradicts
    /// another, so that no device meets it.
    pub fn and(&self, other: &Self) -> Option<Self> {
        let both = Self(&self.0 | &other.0);
        let single =
            |clause: &BTreeSet<Literal>| clause.first().copied().filter(|_| clause.len() == 1);
        let contradicts = |clause: &BTreeSet<Literal>| {
            let opposite =
                |literal: Literal| BTreeSet::from([Literal { has: !literal.has, ..literal }]);
            clause.is_empty()
                || single(clause).is_some_and(|literal| both.0.contains(&opposite(literal)))
        };
        (!both.0.iter().any(contradicts)).then_some(both)
    }

    /// Returns whether this condition holds on every device on which `other` holds. This is so if
    /// all of its clauses are clauses of `other`.
    pub fn covers(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Returns the clauses that both conditions share: a condition that holds on every device that
    /// meets at least one of the two.
    pub fn common(&self, other: &Self) -> Self {
        Self(&self.0 & &other.0)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, clause) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "&" })?;
            for (index, literal) in clause.iter().enumerate() {
                let sign = if literal.has { "" } else { "!" };
                write!(f, "{}{sign}{}", if index == 0 { "" } else { "|" }, literal.aspect)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let literal = |word: &str| {
            let (number, has) =
                word.strip_prefix('!').map_or((word, true), |number| (number, false));
            let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let aspect = number.parse().ok().filter(|_| digits);
            aspect
                .map(|aspect| Literal { aspect, has })
                .ok_or_else(|| ConditionError(format!("'{text}'")))
        };
        text.split('&')
            .map(|clause| clause.split('|').map(literal).collect())
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(text: &str) -> Condition {
        text.parse().expect("a condition")
    }

    #[test]
    fn both_forms_say_the_same() {
        for (numbers, text) in [
            (&[][..], ""),
            (&[40, 0], "40"),
            (&[-7, 0], "!7"),
            (&[40, 0, -21, -22, 0], "!21|!22&40"),
            (&[3, 4, 0], "3|4"),
        ] {
            let read = Condition::from_numbers(numbers).expect("a condition");
            assert_eq!(read.to_string(), text);
            assert_eq!(condition(text), read);
            assert_eq!(Condition::from_clauses(read.clauses()), read);
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for numbers in [&[40][..], &[40, 0, 41], &[i64::MAX, 0]] {
            assert!(Condition::from_numbers(numbers).is_err(), "{numbers:?}");
        }
        for text in ["&", "40&", "|", "!", "40|", "x", "+4", "4 0", "99999999999"] {
            let error = text.parse::<Condition>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("'{text}' is not a condition on aspects")),
                "{error}"
            );
        }
    }

    #[test]
    fn devices_meet_conditions_by_their_aspects() {
        let holds =
            |text: &str, aspects: &[u32]| condition(text).holds(|aspect| aspects.contains(&aspect));
        assert!(
            holds("", &[]) && holds("4|5", &[5]) && holds("4&!5|!6", &[4, 5]) && holds("!4", &[5])
        );
        assert!(!holds("4", &[5]) && !holds("4&!5|!6", &[4, 5, 6]) && !holds("!4", &[4]));
    }

    #[test]
    fn conjunctions_that_no_device_meets_are_none() {
        assert_eq!(condition("4").and(&condition("!5")), Some(condition("4&!5")));
        assert_eq!(condition("4").and(&condition("!4")), None);
        assert_eq!(condition("4|5").and(&condition("!4")), Some(condition("4|5&!4")));
        // The empty clause is a disjunction over no architectures.
        assert_eq!(Condition::from_numbers(&[0]).unwrap().and(&condition("")), None);
        assert!(condition("").covers(&condition("4")) && !condition("4").covers(&condition("")));
        assert_eq!(
            condition("!5|6&4").describe(|aspect| format!("a{aspect}")),
            "a4 and no a5 or a6"
        );
        assert_eq!(condition("4&!5").common(&condition("4&6")), condition("4"));
    }
}
