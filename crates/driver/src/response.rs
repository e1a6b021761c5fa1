//! Response files: replaces `@FILE` by the arguments in `FILE`, split and unquoted as GNU tools and
//! clang do.

use std::path::Path;

pub use scythe_device_config::shell_words::split;

use crate::error::Error;

/// The maximum nesting depth of response files. A deeper nesting indicates a file that names
/// itself.
const MAX_DEPTH: usize = 32;

/// Replaces each `@FILE` by the arguments in the file. As in clang, an `@FILE` that does not exist
/// stays unchanged.
pub fn expand(args: Vec<String>) -> Result<Vec<String>, Error> {
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        expand_one(arg, 0, &mut out)?;
    }
    Ok(out)
}

fn expand_one(arg: String, depth: usize, out: &mut Vec<String>) -> Result<(), Error> {
    let Some(file) = arg.strip_prefix('@').filter(|f| Path::new(f).is_file()) else {
        out.push(arg);
        return Ok(());
    };
    if depth == MAX_DEPTH {
        return Err(Error::ResponseDepth { file: file.to_owned() });
    }
    let text = std::fs::read_to_string(file)
        .map_err(|source| Error::Read { path: file.into(), source })?;
    for word in split(&text) {
        expand_one(word, depth + 1, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_nest_and_missing_ones_stay() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        let outer = dir.path().join("outer");
        std::fs::write(&inner, "-O2 b.cpp").unwrap();
        std::fs::write(&outer, format!("a.cpp @{}", inner.display())).unwrap();
        let args = vec![format!("@{}", outer.display()), "@nowhere".into()];
        assert_eq!(expand(args).unwrap(), ["a.cpp", "-O2", "b.cpp", "@nowhere"]);
    }

    #[test]
    fn a_file_that_names_itself_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("loop");
        std::fs::write(&file, format!("@{}", file.display())).unwrap();
        let error = expand(vec![format!("@{}", file.display())]).unwrap_err();
        assert!(error.to_string().contains("loop"), "{error}");
    }
}
