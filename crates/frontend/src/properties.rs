//! Compile-time properties: converts the lists of the four `add_ir_…` attributes to text for IR.
//!
//! A list has all names and then as many values. This module does not know any property, so
//! properties of the program and of the headers are treated alike.
//!
//! | type of the value | text |
//! |---|---|
//! | string | the string |
//! | integer, enumeration, floating point | the result of `std::to_string` |
//! | boolean | `true` or `false` |
//! | `char`, `char8_t` … `wchar_t` | the character, in UTF-8 |
//! | tuple, array or class of these | the elements, separated by commas |
//!
//! A value of another type, and every other wrong use, is one error at the attribute.

use std::collections::HashSet;

use scythe_diag::{Diagnostic, Report};

use crate::errors::{PropertyCount, PropertyName, PropertyRepeated, PropertyValue};
use crate::facts::{
    Action, Attribute, Decl, Field, FieldKind, Kernel, Loc, Source, Value, Variable,
};
use crate::reach::Graph;

const PREFIX: &str = "__sycl_detail__::add_ir_";
const FUNCTION: &str = "__sycl_detail__::add_ir_function_attributes";
const VARIABLE: &str = "__sycl_detail__::add_ir_global_variable_attributes";

/// The name and the value of a property.
pub type Property = (String, String);

/// Returns the properties that an attribute lists, or the error at the attribute.
pub fn list(attribute: &Attribute) -> Result<Vec<Property>, Diagnostic<Loc>> {
    properties(attribute).map_err(|error| error.at(attribute.loc))
}

fn properties(attribute: &Attribute) -> Result<Vec<Property>, Diagnostic<Loc>> {
    let written = attribute.name.strip_prefix("__sycl_detail__::").unwrap_or(&attribute.name);
    let written = written.to_owned();
    let arguments = &attribute.arguments;
    if !arguments.len().is_multiple_of(2) {
        return Err(PropertyCount { attribute: written, count: arguments.len() }.report());
    }
    let (names, values) = arguments.split_at(arguments.len() / 2);
    let mut out: Vec<Property> = Vec::new();
    for (index, (name, value)) in names.iter().zip(values).enumerate() {
        let Value::Text(name) = name else {
            return Err(PropertyName { attribute: written, argument: index + 1 }.report());
        };
        let value = text(value).map_err(|UnsupportedType(type_name)| {
            PropertyValue { property: name.clone(), type_name }.report()
        })?;
        if out.iter().any(|(other, _)| other == name) {
            return Err(PropertyRepeated { property: name.clone() }.report());
        }
        out.push((name.clone(), value));
    }
    Ok(out)
}

/// The name of a type whose values have no text in IR.
struct UnsupportedType(String);

/// Returns the text of a value in IR.
fn text(value: &Value) -> Result<String, UnsupportedType> {
    Ok(match value {
        Value::Text(text) => text.clone(),
        Value::Signed(number) => number.to_string(),
        Value::Unsigned(number) => number.to_string(),
        Value::Floating(bits) => floating(f64::from_bits(*bits)),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Character(code) => {
            char::from_u32(*code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
        }
        Value::Tuple(elements) => {
            elements.iter().map(text).collect::<Result<Vec<_>, _>>()?.join(",")
        }
        Value::Other(type_name) => return Err(UnsupportedType(type_name.clone())),
    })
}

/// Formats a number like `std::to_string`, with six digits after the point.
fn floating(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    match number {
        _ if number.is_nan() => format!("{sign}nan"),
        _ if number.is_infinite() => format!("{sign}inf"),
        _ => format!("{number:.6}"),
    }
}

/// Returns the annotation for accesses to a member with these properties. It is empty if there are
/// no properties.
pub fn member_annotation(attribute: &Attribute) -> Result<String, Diagnostic<Loc>> {
    let definitions: Vec<String> = list(attribute)?
        .into_iter()
        .map(|(name, value)| if value.is_empty() { name } else { format!("{name}={value}") })
        .collect();
    Ok(if definitions.is_empty() {
        String::new()
    } else {
        format!("sycl-properties:{}", definitions.join(","))
    })
}

/// Returns the properties of a function. Wrong attributes, which [`check`] reports, have none.
pub fn of_function(attributes: &[Attribute]) -> Vec<Property> {
    named(attributes, FUNCTION)
}

/// Returns the properties that the class of a variable gives to it.
pub fn of_variable(variable: &Variable) -> Vec<Property> {
    named(&variable.attributes, VARIABLE)
}

/// Returns the properties of a kernel parameter.
pub fn of_parameter(attributes: &[Attribute]) -> Vec<Property> {
    attributes.iter().flat_map(|attribute| list(attribute).unwrap_or_default()).collect()
}

fn named(attributes: &[Attribute], name: &str) -> Vec<Property> {
    attributes.iter().filter(|a| a.name == name).flat_map(|a| list(a).unwrap_or_default()).collect()
}

/// Returns the variables that device code uses, without duplicates, in the order of the search.
pub fn variables(source: &impl Source, graph: &Graph) -> Vec<Variable> {
    let mut seen: HashSet<Decl> = HashSet::new();
    let events = graph.nodes.iter().flat_map(|node| &node.events);
    let used = events.filter_map(|event| match event.action {
        Action::Global { decl, .. } => Some(decl),
        _ => None,
    });
    used.filter(|&decl| seen.insert(decl)).map(|decl| source.variable(decl)).collect()
}

/// Reports wrong attributes of device functions, kernel parameters and variables. Returns true if
/// there are none.
pub fn check(
    source: &impl Source,
    graph: &Graph,
    kernels: &[Kernel],
    variables: &[Variable],
) -> bool {
    let mut attributes: Vec<&Attribute> =
        graph.nodes.iter().flat_map(|node| &node.function.attributes).collect();
    kernels
        .iter()
        .filter_map(|kernel| kernel.fields.as_ref())
        .for_each(|field| in_fields(field, &mut attributes));
    attributes.extend(variables.iter().flat_map(|variable| &variable.attributes));
    let mut seen: HashSet<(Loc, String)> = HashSet::new();
    let mut sound = true;
    for attribute in attributes.into_iter().filter(|attribute| attribute.name.starts_with(PREFIX)) {
        if let Err(fault) = list(attribute) {
            sound = false;
            if seen.insert((attribute.loc, fault.message.clone())) {
                source.report(&fault);
            }
        }
    }
    sound
}

fn in_fields<'a>(field: &'a Field, out: &mut Vec<&'a Attribute>) {
    out.extend(&field.properties);
    match &field.kind {
        FieldKind::Record(members) => members.iter().for_each(|member| in_fields(member, out)),
        FieldKind::Array(element, _) => in_fields(element, out),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(arguments: &[Value]) -> Attribute {
        Attribute { name: FUNCTION.into(), arguments: arguments.to_vec(), ..Attribute::default() }
    }

    fn word(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn values_have_the_forms_of_the_specification() {
        let tuple = Value::Tuple(vec![Value::Unsigned(8), Value::Boolean(true), word("x")]);
        for (value, expected) in [
            (word(""), ""),
            (word("read"), "read"),
            (Value::Signed(-32), "-32"),
            (Value::Unsigned(u64::MAX), "18446744073709551615"),
            (Value::Floating(1.5f64.to_bits()), "1.500000"),
            (Value::Floating(1e20f64.to_bits()), "100000000000000000000.000000"),
            (Value::Floating(f64::NEG_INFINITY.to_bits()), "-inf"),
            (Value::Boolean(false), "false"),
            (Value::Character('q' as u32), "q"),
            (tuple, "8,true,x"),
        ] {
            assert_eq!(
                list(&attribute(&[word("p"), value])),
                Ok(vec![("p".to_owned(), expected.to_owned())])
            );
        }
        assert_eq!(list(&attribute(&[])), Ok(vec![]));
    }

    #[test]
    fn each_wrong_use_has_its_error() {
        let fault = |arguments: &[Value]| list(&attribute(arguments)).unwrap_err().message;
        assert!(fault(&[word("a"), word("b"), word("c")]).ends_with("odd number of arguments (3)"));
        assert!(fault(&[Value::Signed(1), word("")]).starts_with("argument 1 of 'add_ir_function"));
        assert!(
            fault(&[word("a"), Value::Other("int *".into())])
                .contains("the value of property 'a' has type 'int *'")
        );
        assert_eq!(
            fault(&[word("a"), word("a"), word(""), word("")]),
            "property 'a' occurs twice in one list: remove one of them"
        );
    }

    #[test]
    fn members_are_annotated_as_the_specification_says() {
        let properties = attribute(&[word("foo"), word("bar"), word(""), Value::Signed(32)]);
        assert_eq!(member_annotation(&properties), Ok("sycl-properties:foo,bar=32".to_owned()));
        assert_eq!(member_annotation(&attribute(&[])), Ok(String::new()));
    }
}
