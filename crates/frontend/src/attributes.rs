//! Checks the places and the arguments of SYCL's attributes.
//!
//! [`placed`] checks an attribute when clang parses it, on any declaration. [`check`] checks the
//! attributes of device code, where template arguments are known and all declarations of a function
//! count.

use std::collections::HashSet;

use scythe_abi::aspect::Aspect;
use scythe_diag::{Diagnostic, Report};

use crate::annotate::{
    NAMED_SUB_GROUP_SIZE as NAMED_SUB_GROUP, REQUIRED_SUB_GROUP_SIZE as NUMERIC_SUB_GROUP,
};
use crate::aspects::{DEVICE_HAS, USES_ASPECTS};
use crate::call_operator::CallOperator;
use crate::errors::parts::{Arity, AttributeTargets, Contradiction, Expected, KernelSize, Seen};
use crate::errors::{
    ArgumentCount, ArgumentValue, AttributePlace, Contradictory, ExternalWorkGroupSize,
    SizeMismatch,
};
use crate::facts::{Attribute, Kernel, Loc, Placed, Source, Value};
use crate::normalise::{Takes, known};
use crate::reach::{Graph, Node};

const WORK_GROUP: &str = "sycl::reqd_work_group_size";
const WORK_GROUP_HINT: &str = "sycl::work_group_size_hint";
const VECTOR_TYPE_HINT: &str = "sycl::vec_type_hint";
/// No two pointers of the kernel's arguments refer to the same memory.
pub const ARGUMENTS_RESTRICT: &str = "intel::kernel_args_restrict";

/// The attributes that require a size for the launch or the compilation of a kernel.
const SIZES: [&str; 3] = [WORK_GROUP, NUMERIC_SUB_GROUP, NAMED_SUB_GROUP];

/// Returns the errors of one attribute on a declaration.
pub fn placed(placed: &Placed) -> Vec<Diagnostic<Loc>> {
    let (namespace, name) = placed.written.split_once("::").unwrap_or(("", &placed.written));
    let on_types = known(namespace, name)
        .is_some_and(|known| known.takes == Takes::Aspects && known.annotation == USES_ASPECTS);
    if !(placed.on_function || on_types && placed.on_class) {
        let targets = match on_types {
            true => AttributeTargets::FunctionsAndClasses,
            false => AttributeTargets::Functions,
        };
        let attribute = placed.written.clone();
        return vec![AttributePlace { attribute, targets }.report().at(placed.loc)];
    }
    let Some(attribute) = placed.attributes.first() else { return Vec::new() };
    if let Some(fault) = fault(attribute) {
        return vec![fault.at(placed.loc)];
    }
    // The later attribute of each pair reports the pair.
    conflicts(&placed.attributes)
        .into_iter()
        .filter(|(_, second)| second.loc == placed.loc)
        .map(|(first, second)| contradiction(first, second, None))
        .collect()
}

fn contradiction(
    first: &Attribute,
    second: &Attribute,
    function: Option<String>,
) -> Diagnostic<Loc> {
    let attributes = Contradiction { first: shown(first), second: shown(second), function };
    let note = format!("'{}' is here", attributes.first);
    Contradictory { attributes }.report().at(second.loc).note_at(first.loc, note)
}

/// Reports attributes of device functions whose arguments are wrong or that contradict each other.
/// Returns true if there are none.
pub fn check(source: &impl Source, graph: &Graph, kernels: &[Kernel]) -> bool {
    let mut sound = true;
    for node in &graph.nodes {
        let runs = |kernel: &Kernel| kernel.function.as_ref().is_some_and(|f| f.decl == node.decl);
        let is_kernel = kernels.iter().any(runs);
        let attributes = &node.function.attributes;
        for (index, attribute) in attributes.iter().enumerate() {
            let external =
                node.function.sycl_external && !is_kernel && attribute.name == WORK_GROUP;
            let misplaced = external.then(|| {
                let function = node.function.name.clone();
                ExternalWorkGroupSize { attribute: WORK_GROUP, function }.report()
            });
            let Some(fault) = misplaced.or_else(|| fault(attribute)) else { continue };
            // An attribute that a declaration and the definition share is reported once.
            if !attributes[..index].iter().any(|earlier| earlier.loc == attribute.loc) {
                source.report(&fault.at(attribute.loc));
            }
            sound = false;
        }
        for (first, second) in conflicts(attributes) {
            source.report(&contradiction(first, second, Some(node.function.name.clone())));
            sound = false;
        }
    }
    sound
}

/// Reports functions that require a size which a kernel that calls them does not have. Returns true
/// if there are none.
///
/// The device link, which sees the whole program, checks functions of other translation units.
pub fn reached(
    source: &impl Source,
    graph: &Graph,
    kernels: &[Kernel],
    operators: &[Option<CallOperator<'_>>],
) -> bool {
    let requires_size = |a: &&Attribute| SIZES.contains(&a.name.as_str());
    let demanding = |node: &Node| node.function.attributes.iter().any(|a| requires_size(&a));
    if !graph.nodes.iter().any(demanding) {
        return true;
    }
    let mut reported = HashSet::new();
    for (kernel, operator) in kernels.iter().zip(operators) {
        let Some(start) = operator.as_ref().and_then(|found| graph.position(found.node.decl))
        else {
            continue;
        };
        let own_attributes = &graph.nodes[start].function.attributes;
        for (index, call) in graph.reachable(start) {
            let function = &graph.nodes[index].function;
            for required in function.attributes.iter().filter(requires_size) {
                let own = own_attributes.iter().find(|own| same_subject(own, required));
                let agrees = own.is_some_and(|own| !differ(own, required));
                if agrees
                    || (own.is_none() && !function.defined)
                    || !reported.insert((kernel.entry, required.loc))
                {
                    continue;
                }
                let error = SizeMismatch {
                    function: function.name.clone(),
                    required: shown(required),
                    kernel: kernel.name.clone(),
                    has: own.map_or(KernelSize::Missing, |own| KernelSize::Other(shown(own))),
                };
                let note = format!("'{}' is here", error.required);
                source.report(&error.report().at(call).note_at(required.loc, note));
            }
        }
    }
    reported.is_empty()
}

/// Returns the first error in the arguments of an attribute, without a location.
fn fault(attribute: &Attribute) -> Option<Diagnostic<Loc>> {
    let count = attribute.arguments.len();
    let takes = |expected, count| {
        let attribute = attribute.name.clone();
        Some(ArgumentCount { attribute, expected, count }.report())
    };
    match attribute.name.as_str() {
        // The runtime rejects sizes that the device does not support.
        WORK_GROUP | WORK_GROUP_HINT if !(1..=3).contains(&count) => {
            takes(Arity::OneToThree, count)
        }
        NUMERIC_SUB_GROUP | NAMED_SUB_GROUP if count != 1 => takes(Arity::One, count),
        ARGUMENTS_RESTRICT if count != 0 => takes(Arity::None, count),
        // Each argument is two: the name of the type, and a test that it is a type.
        VECTOR_TYPE_HINT if count != 2 => takes(Arity::OneType, count / 2),
        WORK_GROUP | WORK_GROUP_HINT => wrong_argument(attribute, |value| size(value, i64::MAX)),
        NUMERIC_SUB_GROUP => wrong_argument(attribute, |value| size(value, u32::MAX.into())),
        NAMED_SUB_GROUP => wrong_argument(attribute, sub_group_name),
        DEVICE_HAS | USES_ASPECTS => wrong_argument(attribute, aspect),
        _ => None,
    }
}

/// Returns the error of the first argument that breaks a rule.
fn wrong_argument(
    attribute: &Attribute,
    rule: impl Fn(&Value) -> Option<Expected>,
) -> Option<Diagnostic<Loc>> {
    (1..).zip(&attribute.arguments).find_map(|(argument, value)| {
        let (attribute, expected) = (attribute.name.clone(), rule(value)?);
        Some(ArgumentValue { attribute, argument, expected }.report())
    })
}

/// The rule for sizes of work-groups and sub-groups.
fn size(value: &Value, limit: i64) -> Option<Expected> {
    match value {
        Value::Signed(size) if *size <= 0 => Some(Expected::Positive(*size)),
        Value::Unsigned(0) | Value::Boolean(false) | Value::Character(0) => {
            Some(Expected::Positive(0))
        }
        Value::Signed(size) if *size > limit => {
            Some(Expected::AtMost { limit, seen: size.unsigned_abs() })
        }
        Value::Unsigned(size) if limit < i64::MAX && *size > limit.unsigned_abs() => {
            Some(Expected::AtMost { limit, seen: *size })
        }
        Value::Signed(_) | Value::Unsigned(_) | Value::Boolean(_) | Value::Character(_) => None,
        other => Some(Expected::Integer(seen(other))),
    }
}

/// The rule for names of sub-group sizes.
fn sub_group_name(value: &Value) -> Option<Expected> {
    match value {
        Value::Text(text) if text == "automatic" || text == "primary" => None,
        Value::Text(text) => Some(Expected::SubGroupName(Seen::Word(text.clone()))),
        other => Some(Expected::SubGroupName(seen(other))),
    }
}

/// The rule for aspects.
fn aspect(value: &Value) -> Option<Expected> {
    let number = match value {
        Value::Signed(number) => u32::try_from(*number).ok(),
        Value::Unsigned(number) => u32::try_from(*number).ok(),
        _ => None,
    };
    let known = number.and_then(Aspect::from_u32).is_some();
    (!known).then(|| Expected::Aspect(seen(value)))
}

fn seen(value: &Value) -> Seen {
    match value {
        Value::Signed(number) => Seen::Integer((*number).into()),
        Value::Unsigned(number) => Seen::Integer((*number).into()),
        Value::Boolean(value) => Seen::Integer((*value).into()),
        Value::Character(code) => Seen::Integer((*code).into()),
        Value::Floating(_) => Seen::FloatingPoint,
        Value::Text(_) => Seen::String,
        Value::Tuple(_) => Seen::Aggregate,
        Value::Other(type_name) => Seen::Type(type_name.clone()),
    }
}

/// Returns the pairs of attributes that exclude each other: two values of one attribute, or two
/// kinds of sub-group size.
fn conflicts(attributes: &[Attribute]) -> Vec<(&Attribute, &Attribute)> {
    let single = |a: &Attribute| {
        [WORK_GROUP_HINT, VECTOR_TYPE_HINT].contains(&a.name.as_str())
            || SIZES.contains(&a.name.as_str())
    };
    // The attributes of a definition may come before the attributes of its declaration.
    let mut in_order: Vec<&Attribute> = attributes.iter().filter(|a| single(a)).collect();
    in_order.sort_by_key(|attribute| attribute.loc);
    let mut found = Vec::new();
    for (index, &second) in in_order.iter().enumerate() {
        let first = in_order[..index]
            .iter()
            .find(|first| same_subject(first, second) && differ(first, second));
        found.extend(first.map(|&first| (first, second)));
    }
    found
}

/// Whether two attributes have the same subject, such as the size of sub-groups.
fn same_subject(a: &Attribute, b: &Attribute) -> bool {
    let sub_group = |a: &Attribute| a.name == NUMERIC_SUB_GROUP || a.name == NAMED_SUB_GROUP;
    a.name == b.name || (sub_group(a) && sub_group(b))
}

/// Whether two attributes with the same subject have different values.
fn differ(a: &Attribute, b: &Attribute) -> bool {
    a.name != b.name || a.values != b.values || a.text != b.text
}

/// Returns an attribute as programs write it: `sycl::reqd_sub_group_size(8)`.
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
            wrong.message,
            "argument 1 of 'intel::named_sub_group_size' must be 'automatic' or 'primary', not \
             'biggest'"
        );
        let mut real = attribute(WORK_GROUP, &[], None);
        real.arguments.push(Value::Floating(1.5f64.to_bits()));
        let wrong = fault(&real).unwrap();
        assert!(
            wrong.message.ends_with("must be an integer constant, not a floating-point number"),
            "{wrong:?}"
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
            found.first().map(|error| error.message.clone()).unwrap_or_default()
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
