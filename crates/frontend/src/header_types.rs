//! The types with aspects of a precompiled header in the header cache.
//!
//! A unit reports all types with aspects, used or not. To find them in a precompiled header, the
//! pass would have to read the whole header. Therefore, the pass that makes the header writes them
//! to a file, one per line: the aspects, separated by commas, a blank, and the name. The passes
//! that use the header read the file. They find nothing else to report in the header, because the
//! first pass refuses a header with kernels, SYCL_EXTERNAL functions or device_globals.

use std::path::Path;

use scythe_diag::Diagnostic;

use crate::errors::parts::PluginArgument;
use crate::facts::{DecoratedType, Loc};
use crate::options::{HeaderCache, wrong};
use crate::unit::Unit;

/// The first line of the file.
const FORMAT: &str = "scythe header types 1";

/// Writes the types of a unit that is a precompiled header, or adds the types of the precompiled
/// header that the unit uses.
pub fn exchange(unit: &mut Unit, cache: &HeaderCache) -> Result<(), Diagnostic<Loc>> {
    match cache {
        HeaderCache::None => Ok(()),
        HeaderCache::Make(_) if unit.errors => Ok(()),
        HeaderCache::Make(path) => match unit.reportable() {
            Some(definition) => Err(wrong(PluginArgument::HeaderDefines(definition))),
            None => std::fs::write(path, text(&unit.types)).map_err(|e| unusable(path, &e)),
        },
        HeaderCache::Use(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| unusable(path, &e))?;
            let types = parse(&text).ok_or_else(|| unusable(path, &"unexpected contents"))?;
            unit.types.splice(0..0, types);
            Ok(())
        }
    }
}

fn unusable(path: &Path, reason: &dyn std::fmt::Display) -> Diagnostic<Loc> {
    wrong(PluginArgument::HeaderTypes(format!("'{}': {reason}", path.display())))
}

fn text(types: &[DecoratedType]) -> String {
    let mut text = format!("{FORMAT}\n");
    for decorated in types {
        let aspects: Vec<String> = decorated.aspects.iter().map(i64::to_string).collect();
        text += &format!("{} {}\n", aspects.join(","), decorated.name);
    }
    text
}

/// Reads the types. Returns `None` if the text is not one of [`text`].
fn parse(text: &str) -> Option<Vec<DecoratedType>> {
    let mut lines = text.lines();
    (lines.next() == Some(FORMAT)).then_some(())?;
    lines
        .map(|line| {
            let (aspects, name) = line.split_once(' ')?;
            let numbers = aspects.split(',').filter(|number| !number.is_empty());
            let aspects = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
            Some(DecoratedType { name: name.to_owned(), aspects })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_survive_the_disk() {
        let decorated = |name: &str, aspects: &[i64]| DecoratedType {
            name: name.to_owned(),
            aspects: aspects.to_vec(),
        };
        let types = vec![decorated("struct.a<int, 3>", &[5, 6]), decorated("class.b", &[])];
        assert_eq!(parse(&text(&types)), Some(types));
        assert_eq!(parse(&text(&[])), Some(Vec::new()));
        for wrong in ["", "other\n", "scythe header types 1\n5", "scythe header types 1\nx y"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
