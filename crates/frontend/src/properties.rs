//! Compile-time properties: what the four `add_ir_…` attributes list, as the texts that IR carries.
//!
//! Names come first, then as many values. No property is known here: a program's own travel like
//! those of the headers.
//!
//! | a value of this type | becomes |
//! |---|---|
//! | text | itself |
//! | integer, enumeration, floating point | what `std::to_string` gives |
//! | boolean | `true` or `false` |
//! | `char`, `char8_t` … `wchar_t` | the character, in UTF-8 |
//! | tuple, array or class of such | its elements, separated by commas |
//!
//! Anything else, and every other wrong use, is one error at the attribute.

use crate::facts::{
    Action, Attribute, Decl, Field, FieldKind, Kernel, Level, Loc, Source, Value, Variable,
};
use crate::reach::Graph;
use std::collections::HashSet;

const PREFIX: &str = "__sycl_detail__::add_ir_";
const FUNCTION: &str = "__sycl_detail__::add_ir_function_attributes";
const VARIABLE: &str = "__sycl_detail__::add_ir_global_variable_attributes";

/// A property's name and value.
pub type Property = (String, String);

/// The properties that an attribute lists.
pub fn list(attribute: &Attribute) -> Result<Vec<Property>, String> {
    let written = attribute.name.strip_prefix("__sycl_detail__::").unwrap_or(&attribute.name);
    let arguments = &attribute.arguments;
    if !arguments.len().is_multiple_of(2) {
        let count = arguments.len();
        return Err(format!(
            "'{written}' lists names and as many values, but has {count} argument(s)"
        ));
    }
    let (names, values) = arguments.split_at(arguments.len() / 2);
    let mut out: Vec<Property> = Vec::new();
    for (index, (name, value)) in names.iter().zip(values).enumerate() {
        let Value::Text(name) = name else {
            return Err(format!(
                "'{written}': argument {} is the name of a property and must be text",
                index + 1
            ));
        };
        let value = text(value).map_err(|ty| {
            format!(
                "property '{name}' has a value of type '{ty}', expected text, a number, a boolean, \
                 a character, an \
                 enumeration, or a tuple of those"
            )
        })?;
        if out.iter().any(|(other, _)| other == name) {
            return Err(format!("property '{name}' is given twice"));
        }
        out.push((name.clone(), value));
    }
    Ok(out)
}

/// A value as IR carries it, or the type that has no such form.
fn text(value: &Value) -> Result<String, String> {
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
        Value::Other(ty) => return Err(ty.clone()),
    })
}

/// `std::to_string` prints with six digits after the point.
fn floating(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    match number {
        _ if number.is_nan() => format!("{sign}nan"),
        _ if number.is_infinite() => format!("{sign}inf"),
        _ => format!("{number:.6}"),
    }
}

/// What accesses to a member with these properties are annotated with; empty without properties.
pub fn member_annotation(attribute: &Attribute) -> Result<String, String> {
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

/// The properties of a function. Faulty attributes, which [`check`] reports, give none.
pub fn of_function(attributes: &[Attribute]) -> Vec<Property> {
    named(attributes, FUNCTION)
}

/// The properties of a variable, by its class.
pub fn of_variable(variable: &Variable) -> Vec<Property> {
    named(&variable.attributes, VARIABLE)
}

/// The properties of a kernel's parameter.
pub fn of_parameter(attributes: &[Attribute]) -> Vec<Property> {
    attributes.iter().flat_map(|attribute| list(attribute).unwrap_or_default()).collect()
}

fn named(attributes: &[Attribute], name: &str) -> Vec<Property> {
    attributes.iter().filter(|a| a.name == name).flat_map(|a| list(a).unwrap_or_default()).collect()
}

/// The variables that device code uses, each once, in the order in which it is reached.
pub fn variables(source: &impl Source, graph: &Graph) -> Vec<Variable> {
    let mut seen: HashSet<Decl> = HashSet::new();
    let events = graph.nodes.iter().flat_map(|node| &node.events);
    let used = events.filter_map(|event| match event.action {
        Action::Global { decl, .. } => Some(decl),
        _ => None,
    });
    used.filter(|&decl| seen.insert(decl)).map(|decl| source.variable(decl)).collect()
}

/// Reports wrong attributes of device functions, kernel parameters and variables; true when there
/// are none.
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
            if seen.insert((attribute.loc, fault.clone())) {
                source.report(Level::Error, attribute.loc, &fault);
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
        let fault = |arguments: &[Value]| list(&attribute(arguments)).unwrap_err();
        assert!(fault(&[word("a"), word("b"), word("c")]).ends_with("but has 3 argument(s)"));
        assert!(fault(&[Value::Signed(1), word("")]).contains("argument 1 is the name"));
        assert!(
            fault(&[word("a"), Value::Other("int *".into())])
                .contains("'a' has a value of type 'int *'")
        );
        assert_eq!(
            fault(&[word("a"), word("a"), word(""), word("")]),
            "property 'a' is given twice"
        );
    }

    #[test]
    fn members_are_annotated_as_the_specification_says() {
        let properties = attribute(&[word("foo"), word("bar"), word(""), Value::Signed(32)]);
        assert_eq!(member_annotation(&properties), Ok("sycl-properties:foo,bar=32".to_owned()));
        assert_eq!(member_annotation(&attribute(&[])), Ok(String::new()));
    }
}
