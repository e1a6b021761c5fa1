//! Whether SYCL's attributes stand where they may, and say what they may say.
//!
//! [`placed`] looks at each attribute when clang meets it, on whatever declaration; [`check`] at
//! those of device code, where template parameters are known and all declarations of a function
//! count.

use std::collections::HashSet;

use scythe_abi::aspect::Aspect;

use crate::body::Body;
use crate::facts::{Attribute, Kernel, Level, Loc, Placed, Source, Value};
use crate::normalise::{Takes, known};
use crate::reach::{Graph, Node};

const WORK_GROUP: &str = "sycl::reqd_work_group_size";
const WORK_GROUP_HINT: &str = "sycl::work_group_size_hint";
const NUMERIC_SUB_GROUP: &str = "sycl::reqd_sub_group_size";
const NAMED_SUB_GROUP: &str = "intel::named_sub_group_size";

/// What a kernel must be launched and compiled with.
const SIZES: [&str; 3] = [WORK_GROUP, NUMERIC_SUB_GROUP, NAMED_SUB_GROUP];

/// What is wrong with one attribute on a declaration.
pub fn placed(placed: &Placed) -> Vec<(Level, Loc, String)> {
    let (namespace, name) = placed.written.split_once("::").unwrap_or(("", &placed.written));
    let on_types = known(namespace, name).is_some_and(|known| {
        known.takes == Takes::Aspects && known.annotation == crate::aspects::USES_ASPECTS
    });
    if !(placed.on_function || on_types && placed.on_class) {
        let what = if on_types { "functions and classes" } else { "functions" };
        let message = format!("'{}' attribute only applies to {what}", placed.written);
        return vec![(Level::Error, placed.loc, message)];
    }
    let Some(attribute) = placed.attributes.first() else { return Vec::new() };
    if let Some(fault) = fault(attribute) {
        return vec![(Level::Error, placed.loc, fault)];
    }
    let mut out = Vec::new();
    for (first, second) in conflicts(&placed.attributes) {
        // Each pair is met once, by the later one.
        if second.loc == placed.loc {
            out.push((
                Level::Error,
                second.loc,
                format!("'{}' contradicts '{}'", shown(second), shown(first)),
            ));
            out.push((Level::Note, first.loc, format!("'{}' is here", shown(first))));
        }
    }
    out
}

/// Reports attributes of device functions whose arguments are wrong, or that contradict each other;
/// true when there are none.
pub fn check(source: &impl Source, graph: &Graph) -> bool {
    let mut sound = true;
    for node in &graph.nodes {
        let attributes = &node.function.attributes;
        for (index, attribute) in attributes.iter().enumerate() {
            let external = node.function.sycl_external && attribute.name == WORK_GROUP;
            let misplaced = external.then(|| {
                format!(
                    "'{WORK_GROUP}' attribute cannot be on the SYCL_EXTERNAL function '{}': put it \
                     on the kernel",
                    node.function.name
                )
            });
            let Some(fault) = misplaced.or_else(|| fault(attribute)) else { continue };
            // The same attribute of a declaration and a definition is reported once.
            if !attributes[..index].iter().any(|earlier| earlier.loc == attribute.loc) {
                source.report(Level::Error, attribute.loc, &fault);
            }
            sound = false;
        }
        for (first, second) in conflicts(attributes) {
            let message = format!(
                "'{}' of '{}' contradicts '{}'",
                shown(second),
                node.function.name,
                shown(first)
            );
            source.report(Level::Error, second.loc, &message);
            source.report(Level::Note, first.loc, &format!("'{}' is here", shown(first)));
            sound = false;
        }
    }
    sound
}

/// Reports functions that require sizes which a kernel that calls them does not have; true when
/// there are none.
///
/// A function that is defined elsewhere is left to the link, which sees all of the program.
pub fn reached(
    source: &impl Source,
    graph: &Graph,
    kernels: &[Kernel],
    bodies: &[Option<Body<'_>>],
) -> bool {
    let demanding =
        |node: &Node| node.function.attributes.iter().any(|a| SIZES.contains(&a.name.as_str()));
    if !graph.nodes.iter().any(demanding) {
        return true;
    }
    let mut told = HashSet::new();
    for (kernel, body) in kernels.iter().zip(bodies) {
        let Some(start) = body.as_ref().and_then(|body| graph.position(body.node.decl)) else {
            continue;
        };
        for (index, call) in graph.reachable(start) {
            let function = &graph.nodes[index].function;
            for required in function.attributes.iter().filter(|a| SIZES.contains(&a.name.as_str()))
            {
                let own = graph.nodes[start]
                    .function
                    .attributes
                    .iter()
                    .find(|own| one_thing(own, required));
                let agrees = own.is_some_and(|own| !differ(own, required));
                if agrees
                    || (own.is_none() && !function.defined)
                    || !told.insert((kernel.entry, required.loc))
                {
                    continue;
                }
                let (name, required_text) = (&function.name, shown(required));
                let has = own.map_or("has no such attribute".to_owned(), |own| {
                    format!("has '{}'", shown(own))
                });
                let message = format!(
                    "'{name}' requires '{required_text}', but kernel '{}', which calls it, {has}",
                    kernel.name
                );
                source.report(Level::Error, call, &message);
                source.report(Level::Note, required.loc, &format!("'{required_text}' is here"));
            }
        }
    }
    told.is_empty()
}

/// What is wrong with the arguments of one attribute.
fn fault(attribute: &Attribute) -> Option<String> {
    let name = &attribute.name;
    let count = attribute.arguments.len();
    let takes = |words: &str| Some(format!("'{name}' attribute takes {words}, not {count}"));
    match name.as_str() {
        // Sizes that no device has are for the run time to refuse.
        WORK_GROUP | WORK_GROUP_HINT if !(1..=3).contains(&count) => {
            takes("one to three arguments")
        }
        NUMERIC_SUB_GROUP if count != 1 => takes("one argument"),
        WORK_GROUP | WORK_GROUP_HINT | NUMERIC_SUB_GROUP => sizes(attribute),
        NAMED_SUB_GROUP if count != 1 => takes("one argument"),
        NAMED_SUB_GROUP => match attribute.text.as_deref() {
            Some("automatic" | "primary") => None,
            text => {
                let seen = text.unwrap_or("something else");
                Some(format!(
                    "argument 1 of '{name}' must be 'automatic' or 'primary', not '{seen}'"
                ))
            }
        },
        // The type's name, and that it is one.
        "sycl::vec_type_hint" if count != 2 => {
            Some(format!("'{name}' attribute takes one argument, a type"))
        }
        crate::aspects::DEVICE_HAS | crate::aspects::USES_ASPECTS => aspects(attribute),
        _ => None,
    }
}

fn sizes(attribute: &Attribute) -> Option<String> {
    let name = &attribute.name;
    let largest = if name == NUMERIC_SUB_GROUP { i64::from(u32::MAX) } else { i64::MAX };
    for (index, argument) in (1..).zip(&attribute.arguments) {
        let wrong = |what: &str| Some(format!("argument {index} of '{name}' must be {what}"));
        match argument {
            Value::Signed(size) if *size <= 0 => return wrong(&format!("positive, not {size}")),
            Value::Unsigned(0) | Value::Boolean(false) | Value::Character(0) => {
                return wrong("positive, not 0");
            }
            Value::Signed(size) if *size > largest => {
                return wrong(&format!("at most {largest}, not {size}"));
            }
            Value::Unsigned(size) if name == NUMERIC_SUB_GROUP && *size > largest as u64 => {
                return wrong(&format!("at most {largest}, not {size}"));
            }
            Value::Signed(_) | Value::Unsigned(_) | Value::Boolean(_) | Value::Character(_) => {}
            Value::Floating(_) => return wrong("an integer constant, not a floating-point number"),
            Value::Text(_) => return wrong("an integer constant, not a text"),
            Value::Tuple(_) => return wrong("an integer constant, not an aggregate"),
            Value::Other(ty) => {
                return wrong(&format!("an integer constant, not a value of type '{ty}'"));
            }
        }
    }
    None
}

fn aspects(attribute: &Attribute) -> Option<String> {
    for (index, argument) in (1..).zip(&attribute.arguments) {
        let number = match argument {
            Value::Signed(number) => u32::try_from(*number).ok(),
            Value::Unsigned(number) => u32::try_from(*number).ok(),
            _ => None,
        };
        if number.and_then(Aspect::from_u32).is_none() {
            let seen = match argument {
                Value::Signed(number) => number.to_string(),
                Value::Unsigned(number) => number.to_string(),
                _ => "no integer".to_owned(),
            };
            let name = &attribute.name;
            return Some(format!(
                "argument {index} of '{name}' is {seen}, which is no value of 'sycl::aspect'"
            ));
        }
    }
    None
}

/// Pairs that cannot both hold: two values of one attribute, or two kinds of sub-group size.
fn conflicts(attributes: &[Attribute]) -> Vec<(&Attribute, &Attribute)> {
    let single = |a: &Attribute| {
        [WORK_GROUP_HINT, "sycl::vec_type_hint"].contains(&a.name.as_str())
            || SIZES.contains(&a.name.as_str())
    };
    // Those of a definition may come before those of its declaration.
    let mut in_order: Vec<&Attribute> = attributes.iter().filter(|a| single(a)).collect();
    in_order.sort_by_key(|attribute| attribute.loc);
    let mut found = Vec::new();
    for (index, &second) in in_order.iter().enumerate() {
        let first = in_order[..index]
            .iter()
            .find(|first| one_thing(first, second) && differ(first, second));
        found.extend(first.map(|&first| (first, second)));
    }
    found
}

/// Whether two attributes say one thing: what is required of work-groups, say.
fn one_thing(a: &Attribute, b: &Attribute) -> bool {
    let sub_group = |a: &Attribute| a.name == NUMERIC_SUB_GROUP || a.name == NAMED_SUB_GROUP;
    a.name == b.name || (sub_group(a) && sub_group(b))
}

/// Whether two attributes that say one thing say it differently.
fn differ(a: &Attribute, b: &Attribute) -> bool {
    a.name != b.name || a.values != b.values || a.text != b.text
}

/// As it is written: `sycl::reqd_sub_group_size(8)`.
pub fn shown(attribute: &Attribute) -> String {
    let values: Vec<String> = attribute.values.iter().map(i64::to_string).collect();
    let arguments = attribute.text.clone().unwrap_or_else(|| values.join(", "));
    format!("{}({arguments})", attribute.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, values: &[i64], text: Option<&str>) -> Attribute {
        let mut arguments: Vec<Value> =
            text.iter().map(|text| Value::Text((*text).to_owned())).collect();
        arguments.extend(values.iter().map(|&value| Value::Signed(value)));
        let text = text.map(str::to_owned);
        Attribute { name: name.into(), values: values.into(), text, arguments, loc: Loc(0) }
    }

    #[test]
    fn sizes_are_positive_and_as_many_as_fit() {
        for (name, values, right) in [
            (WORK_GROUP, &[8, 1, 2][..], true),
            (WORK_GROUP, &[i64::MAX], true),
            (WORK_GROUP, &[8, 1, 2, 4], false),
            (WORK_GROUP_HINT, &[], false),
            (WORK_GROUP, &[8, -1], false),
            (NUMERIC_SUB_GROUP, &[8], true),
            (NUMERIC_SUB_GROUP, &[8, 8], false),
            (NUMERIC_SUB_GROUP, &[0], false),
            (NUMERIC_SUB_GROUP, &[1 << 32], false),
            ("sycl::device_has", &[], true),
            ("sycl::device_has", &[5, 6], true),
            ("sycl::device_has", &[5, -1], false),
            ("sycl::device_has", &[999_999], false),
        ] {
            assert_eq!(fault(&attribute(name, values, None)).is_none(), right, "{name} {values:?}");
        }
        assert!(fault(&attribute(NAMED_SUB_GROUP, &[], Some("primary"))).is_none());
        let wrong = fault(&attribute(NAMED_SUB_GROUP, &[], Some("biggest"))).unwrap();
        assert_eq!(
            wrong,
            "argument 1 of 'intel::named_sub_group_size' must be 'automatic' or 'primary', not \
             'biggest'"
        );
        let mut real = attribute(WORK_GROUP, &[], None);
        real.arguments.push(Value::Floating(1.5f64.to_bits()));
        let wrong = fault(&real).unwrap();
        assert!(
            wrong.ends_with("must be an integer constant, not a floating-point number"),
            "{wrong}"
        );
    }

    #[test]
    fn what_is_repeated_must_agree() {
        let eight = attribute(NUMERIC_SUB_GROUP, &[8], None);
        let sixteen = attribute(NUMERIC_SUB_GROUP, &[16], None);
        let named = attribute(NAMED_SUB_GROUP, &[], Some("primary"));
        assert!(conflicts(&[eight.clone(), eight.clone()]).is_empty());
        assert_eq!(conflicts(&[eight.clone(), sixteen]).len(), 1);
        assert_eq!(conflicts(&[eight, named]).len(), 1);
    }

    #[test]
    fn attributes_of_functions_stand_on_functions() {
        let on = |written: &str, on_function, on_class| {
            let found = placed(&Placed {
                written: written.into(),
                on_function,
                on_class,
                ..Placed::default()
            });
            found.first().map(|(_, _, message)| message.clone()).unwrap_or_default()
        };
        assert_eq!(on("sycl::device_has", true, false), "");
        assert_eq!(
            on("sycl::device_has", false, true),
            "'sycl::device_has' attribute only applies to functions"
        );
        assert_eq!(on("sycl_detail::uses_aspects", false, true), "");
        let message = on("sycl_detail::uses_aspects", false, false);
        assert_eq!(
            message,
            "'sycl_detail::uses_aspects' attribute only applies to functions and classes"
        );
    }
}
