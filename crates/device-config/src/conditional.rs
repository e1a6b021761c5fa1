//! What a device image needs of some devices only: what branches of `if_device_has` use, on the
//! devices that take them.
//!
//! The property set is [`CONDITIONAL_REQUIREMENTS`]: byte arrays called `<condition> aspect` and
//! `<condition> reqd_sub_group_size`.

use crate::requirements::{Requirements, RequirementsError, numbers};
use scythe_abi::condition::Condition;
use scythe_abi::names::CONDITIONAL_REQUIREMENTS;

/// What is needed of devices that meet a condition. Only aspects and sub-group sizes are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    pub condition: Condition,
    pub requirements: Requirements,
}

impl Conditional {
    /// Reads the properties of the set, each a name and its bytes.
    pub fn read<'a>(
        properties: impl IntoIterator<Item = (&'a str, Option<&'a [u8]>)>,
    ) -> Result<Vec<Self>, RequirementsError> {
        properties.into_iter().map(|(name, bytes)| Self::read_one(name, bytes)).collect()
    }

    fn read_one(name: &str, bytes: Option<&[u8]>) -> Result<Self, RequirementsError> {
        let fail = |what: String| RequirementsError { property: CONDITIONAL_REQUIREMENTS, message: what };
        let bytes = bytes.ok_or_else(|| fail(format!("holds '{name}', which is not a byte array")))?;
        let expected = || fail(format!("holds '{name}': expected a condition, a space and what is required"));
        let (condition, kind) = name.rsplit_once(' ').ok_or_else(expected)?;
        let condition = condition.parse().map_err(|error| fail(format!("holds '{name}': {error}")))?;
        let mut requirements = Requirements::default();
        match kind {
            Requirements::ASPECT => requirements.aspects = Some(numbers(Requirements::ASPECT, bytes)?),
            Requirements::SUB_GROUP_SIZE => {
                requirements.sub_group_sizes = Some(numbers(Requirements::SUB_GROUP_SIZE, bytes)?);
            }
            _ => return Err(expected()),
        }
        Ok(Self { condition, requirements })
    }
}

impl Requirements {
    /// What is needed of one device, of which `has` tells the aspects: these requirements, and
    /// those of the branches that it takes.
    pub fn on(&self, conditional: &[Conditional], has: impl Fn(u32) -> bool) -> Self {
        let mut all = self.clone();
        let taken = conditional.iter().filter(|one| one.condition.holds(&has));
        for Conditional { requirements: more, .. } in taken {
            for (known, more) in [(&mut all.aspects, &more.aspects), (&mut all.sub_group_sizes, &more.sub_group_sizes)]
            {
                for number in more.iter().flatten() {
                    let known = known.get_or_insert_default();
                    if let Err(place) = known.binary_search(number) {
                        known.insert(place, *number);
                    }
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn a_device_needs_what_the_branches_that_it_takes_need() {
        let (fp64, sizes) = (bytes(&[6]), bytes(&[8, 64]));
        let properties = [("40 aspect", &fp64), ("!40&41|42 reqd_sub_group_size", &sizes)];
        let read = Conditional::read(properties.map(|(name, bytes)| (name, Some(&bytes[..])))).unwrap();
        let base = Requirements { aspects: Some(vec![5, 9]), ..Requirements::default() };
        let on = |aspects: &[u32]| {
            let all = base.on(&read, |aspect| aspects.contains(&aspect));
            (all.aspects.unwrap(), all.sub_group_sizes)
        };
        assert_eq!(on(&[]), (vec![5, 9], None));
        assert_eq!(on(&[40, 41]), (vec![5, 6, 9], None));
        assert_eq!(on(&[42]), (vec![5, 9], Some(vec![8, 64])));
    }

    #[test]
    fn other_properties_are_refused() {
        let four = bytes(&[1]);
        for (name, bytes) in [
            ("40", Some(&four[..])),
            ("x aspect", Some(&four)),
            ("40 colour", Some(&four)),
            ("40 aspect", Some(&four[1..])),
            ("40 aspect", None),
        ] {
            assert!(Conditional::read([(name, bytes)]).is_err(), "{name}");
        }
    }
}
