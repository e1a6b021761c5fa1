//! The stack that functions of linked objects need.

use std::collections::HashMap;

use scythe_image::cpu_report::{self, Stack};

/// What the objects tell about the stacks of their functions.
pub(crate) struct Stacks {
    /// The first object's functions come first.
    functions: HashMap<String, Stack>,
}

impl Stacks {
    /// Reads what the objects tell. Objects of other versions tell nothing: their functions count
    /// as if they needed no stack.
    pub(crate) fn of(objects: &[&[u8]]) -> Self {
        let mut functions = HashMap::new();
        for object in objects {
            for stack in cpu_report::read(object).unwrap_or_default().stacks {
                functions.entry(stack.symbol.clone()).or_insert(stack);
            }
        }
        Self { functions }
    }

    /// Returns the bytes that a function needs, with the functions of all objects that it calls.
    pub(crate) fn bytes(&self, name: &str) -> usize {
        usize::try_from(self.total(name, &mut Vec::new())).unwrap_or(usize::MAX)
    }

    /// Does the same for a function that is called by those in `callers`.
    fn total<'a>(&'a self, name: &'a str, callers: &mut Vec<&'a str>) -> u64 {
        let Some(stack) = self.functions.get(name).filter(|_| !callers.contains(&name)) else {
            return 0;
        };
        callers.push(name);
        let outside = stack.outside.iter().map(|callee| self.total(callee, callers)).max();
        callers.pop();
        stack.bytes.saturating_add(outside.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_other_objects_count() {
        let function = |symbol: &str, bytes, outside: &[&str]| {
            let outside = outside.iter().map(|&name| name.to_owned()).collect();
            (symbol.to_owned(), Stack { symbol: symbol.to_owned(), bytes, outside })
        };
        let functions = HashMap::from([
            function("kernel", 100, &["sinf", "small", "large"]),
            function("small", 10, &[]),
            function("large", 1000, &["small", "round"]),
            // Damaged objects may contain anything.
            function("round", 1, &["large"]),
            function("endless", u64::MAX, &["kernel"]),
        ]);
        let stacks = Stacks { functions };
        assert_eq!(stacks.bytes("kernel"), 1110);
        assert_eq!(stacks.bytes("large"), 1010);
        assert_eq!(stacks.bytes("unknown"), 0);
        assert_eq!(stacks.bytes("endless"), usize::MAX);
        assert!(Stacks::of(&[b"damaged", b"\x7fELF"]).functions.is_empty());
    }
}
