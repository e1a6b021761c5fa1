//! The device features that a device image requires.

use crate::condition::Condition;

/// The requirements of an image. `None` means that the image has no such list. An empty list of
/// `fixed_targets` differs from `None`: the image runs on no device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// Numbers of aspects. The device must have all of them.
    pub aspects: Option<Vec<u32>>,
    /// Sub-group sizes. The device must support all of them.
    pub sub_group_sizes: Option<Vec<u32>>,
    /// Work-group sizes. The device must support all of them.
    pub work_group_sizes: Option<Vec<Vec<u32>>>,
    /// Aspects of architectures. The device must have at least one of them.
    pub fixed_targets: Option<Vec<u32>>,
}

/// The requirements of an image on the devices that meet a condition: the features that a branch of
/// `if_device_has` uses. Only aspects and sub-group sizes are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    pub condition: Condition,
    pub requirements: Requirements,
}

impl Requirements {
    /// Returns the requirements on one device: these requirements and those of the branches that
    /// the device takes. `has` returns whether the device has an aspect.
    pub fn on(&self, conditional: &[Conditional], has: impl Fn(u32) -> bool) -> Self {
        let mut all = self.clone();
        let taken = conditional.iter().filter(|one| one.condition.holds(&has));
        for Conditional { requirements: more, .. } in taken {
            let lists = [
                (&mut all.aspects, &more.aspects),
                (&mut all.sub_group_sizes, &more.sub_group_sizes),
            ];
            for (known, more) in lists {
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

    #[test]
    fn a_device_needs_what_the_branches_that_it_takes_need() {
        let conditional = |condition: &str, requirements| Conditional {
            condition: condition.parse().unwrap(),
            requirements,
        };
        let branches = [
            conditional("40", Requirements { aspects: Some(vec![6]), ..Requirements::default() }),
            conditional(
                "!40&41|42",
                Requirements { sub_group_sizes: Some(vec![8, 64]), ..Requirements::default() },
            ),
        ];
        let base = Requirements { aspects: Some(vec![5, 9]), ..Requirements::default() };
        let on = |aspects: &[u32]| {
            let all = base.on(&branches, |aspect| aspects.contains(&aspect));
            (all.aspects.unwrap(), all.sub_group_sizes)
        };
        assert_eq!(on(&[]), (vec![5, 9], None));
        assert_eq!(on(&[40, 41]), (vec![5, 6, 9], None));
        assert_eq!(on(&[42]), (vec![5, 9], Some(vec![8, 64])));
    }
}
