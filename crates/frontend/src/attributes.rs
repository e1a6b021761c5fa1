//! Whether SYCL's attributes say what they may say.

use crate::facts::{Attribute, Level, Source};
use crate::reach::Graph;

/// Reports attributes of device functions whose arguments are wrong, or that contradict each other; true when there are none.
pub fn check(source: &impl Source, graph: &Graph) -> bool {
    let mut sound = true;
    for node in &graph.nodes {
        let attributes = &node.function.attributes;
        for (index, attribute) in attributes.iter().enumerate() {
            let Some(fault) = fault(attribute) else { continue };
            // The same attribute of a declaration and a definition is reported once.
            if !attributes[..index].iter().any(|earlier| earlier.loc == attribute.loc) {
                source.report(Level::Error, attribute.loc, &fault);
            }
            sound = false;
        }
        for (first, second) in conflicts(attributes) {
            let message = format!("'{}' of '{}' contradicts '{}'", shown(second), node.function.name, shown(first));
            source.report(Level::Error, second.loc, &message);
            source.report(Level::Note, first.loc, &format!("'{}' is here", shown(first)));
            sound = false;
        }
    }
    sound
}

/// What is wrong with one attribute by itself.
fn fault(attribute: &Attribute) -> Option<String> {
    let sizes = |most: usize, largest: i64, words: &str| {
        let values = &attribute.values;
        let fits = |size: &i64| (1..=largest).contains(size);
        let wrong = values.is_empty() || values.len() > most || !values.iter().all(fits);
        wrong.then(|| format!("'{}' wants {words}", shown(attribute)))
    };
    match attribute.name.as_str() {
        // Sizes that no device has are for the run time to refuse.
        "sycl::reqd_work_group_size" | "sycl::work_group_size_hint" => {
            sizes(3, i64::MAX, "one to three positive sizes")
        }
        "sycl::reqd_sub_group_size" => sizes(1, i64::from(u32::MAX), "one positive size"),
        "intel::named_sub_group_size" => match attribute.text.as_deref() {
            Some("automatic" | "primary") => None,
            _ => Some(format!("'{}' wants 'automatic' or 'primary'", shown(attribute))),
        },
        "sycl::device_has" | "sycl_detail::uses_aspects" => {
            let wrong = attribute.values.iter().any(|&value| u32::try_from(value).is_err());
            wrong.then(|| format!("'{}' wants values of 'sycl::aspect'", shown(attribute)))
        }
        _ => None,
    }
}

/// Pairs that cannot both hold: two values of one attribute, or two kinds of sub-group size.
fn conflicts(attributes: &[Attribute]) -> Vec<(&Attribute, &Attribute)> {
    const SUB_GROUP: [&str; 2] = ["sycl::reqd_sub_group_size", "intel::named_sub_group_size"];
    let single = |a: &Attribute| a.name == "sycl::reqd_work_group_size" || SUB_GROUP.contains(&a.name.as_str());
    let one_thing = |a: &Attribute, b: &Attribute| {
        a.name == b.name || (SUB_GROUP.contains(&a.name.as_str()) && SUB_GROUP.contains(&b.name.as_str()))
    };
    let differ = |a: &Attribute, b: &Attribute| a.name != b.name || a.values != b.values || a.text != b.text;
    // Those of a definition may come before those of its declaration.
    let mut in_order: Vec<&Attribute> = attributes.iter().filter(|a| single(a)).collect();
    in_order.sort_by_key(|attribute| attribute.loc);
    let mut found = Vec::new();
    for (index, &second) in in_order.iter().enumerate() {
        let first = in_order[..index].iter().find(|first| one_thing(first, second) && differ(first, second));
        found.extend(first.map(|&first| (first, second)));
    }
    found
}

/// As it is written: `sycl::reqd_sub_group_size(8)`.
fn shown(attribute: &Attribute) -> String {
    let values: Vec<String> = attribute.values.iter().map(i64::to_string).collect();
    let arguments = attribute.text.clone().unwrap_or_else(|| values.join(", "));
    format!("{}({arguments})", attribute.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, values: &[i64], text: Option<&str>) -> Attribute {
        Attribute { name: name.into(), values: values.into(), text: text.map(str::to_owned), ..Attribute::default() }
    }

    #[test]
    fn sizes_are_positive_and_as_many_as_fit() {
        for (name, values, right) in [
            ("sycl::reqd_work_group_size", &[8, 4, 2][..], true),
            ("sycl::reqd_work_group_size", &[1 << 40, 1], true),
            ("sycl::reqd_work_group_size", &[], false),
            ("sycl::reqd_work_group_size", &[8, 0], false),
            ("sycl::reqd_work_group_size", &[1, 1, 1, 1], false),
            ("sycl::reqd_sub_group_size", &[16], true),
            ("sycl::reqd_sub_group_size", &[16, 16], false),
            ("sycl::reqd_sub_group_size", &[-1], false),
            ("sycl::reqd_sub_group_size", &[1 << 40], false),
            ("sycl::device_has", &[], true),
            ("sycl::device_has", &[5, -1], false),
        ] {
            assert_eq!(fault(&attribute(name, values, None)).is_none(), right, "{name} {values:?}");
        }
        assert!(fault(&attribute("intel::named_sub_group_size", &[], Some("primary"))).is_none());
        let wrong = fault(&attribute("intel::named_sub_group_size", &[], Some("biggest"))).unwrap();
        assert_eq!(wrong, "'intel::named_sub_group_size(biggest)' wants 'automatic' or 'primary'");
    }

    #[test]
    fn what_is_repeated_must_agree() {
        let eight = attribute("sycl::reqd_sub_group_size", &[8], None);
        let sixteen = attribute("sycl::reqd_sub_group_size", &[16], None);
        let named = attribute("intel::named_sub_group_size", &[], Some("primary"));
        assert!(conflicts(&[eight.clone(), eight.clone()]).is_empty());
        assert_eq!(conflicts(&[eight.clone(), sixteen]).len(), 1);
        assert_eq!(conflicts(&[eight, named]).len(), 1);
    }
}
