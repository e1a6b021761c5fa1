//! Reads, links and writes device modules, for the tools that process whole modules.

use crate::errors::{Properties, UnknownValue, UnreadableModule};
use crate::files::{self, Outputs, damaged, file_error};
use crate::{Failure, unit};
use scythe_image::{FileTable, file_table};
use scythe_llvm::{Context, Module};
use scythe_passes::{Pass, SpirvProperties};
use scythe_split::{Mode, Options, Part, Split};
use std::collections::HashSet;

/// Whether a file is LLVM bitcode, with or without a wrapper.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

/// Reads a module from bitcode or textual IR. The module gets the name of the file.
pub fn read<'ctx>(context: &'ctx Context, path: &str) -> Result<Module<'ctx>, Failure> {
    parse(context, path, &files::read(path)?)
}

fn parse<'ctx>(context: &'ctx Context, path: &str, bytes: &[u8]) -> Result<Module<'ctx>, Failure> {
    let parsed = if is_bitcode(bytes) {
        context.parse_bitcode(bytes, path)
    } else {
        context.parse_ir(bytes, path)
    };
    let module = parsed
        .map_err(|error| file_error(path, &UnreadableModule { reason: error.to_string() }))?;
    module.set_name(path);
    unit::qualify(&module, bytes)?;
    Ok(module)
}

/// Like [`read`], but returns `None` for an empty file. Drivers write empty files for library
/// members that a program does not use.
pub fn read_unless_empty<'ctx>(
    context: &'ctx Context,
    path: &str,
) -> Result<Option<Module<'ctx>>, Failure> {
    let bytes = files::read(path)?;
    if bytes.is_empty() { Ok(None) } else { parse(context, path, &bytes).map(Some) }
}

/// Reads the modules of a link. Repeated modules count once, and empty files are skipped. Kernels
/// with the same name and different code get different names.
pub fn read_units<'ctx>(
    context: &'ctx Context,
    paths: &[&str],
) -> Result<Vec<Module<'ctx>>, Failure> {
    let mut met = HashSet::new();
    let (mut modules, mut units) = (Vec::new(), Vec::new());
    for path in paths {
        let bytes = files::read(path)?;
        let identity = scythe_image::unit::identity(&bytes);
        let again = identity.is_some_and(|identity| !met.insert(identity));
        if again || bytes.is_empty() {
            continue;
        }
        let module = parse(context, path, &bytes)?;
        unit::separate(&module, &bytes);
        modules.push(module);
        units.push(identity.map(|identity| identity.id));
    }
    scythe_split::keep_apart(&modules, &units)?;
    Ok(modules)
}

/// Links modules for `target` and splits the result. Returns `None` if there are no modules.
pub fn link_and_split<'ctx>(
    modules: Vec<Module<'ctx>>,
    target: &str,
    options: &Options,
) -> Result<Option<Split<'ctx>>, Failure> {
    // The bitcode contains the name, so the name must not depend on the folders of the inputs.
    let linked = scythe_split::link(modules, "device", target)?;
    Ok(linked.map(|linked| Split::new(linked, options)).transpose()?)
}

/// Converts the compile-time properties of a part to metadata for SPIR-V, if the part is for
/// SPIR-V.
pub fn write_properties(part: &Part<'_>) -> Result<(), Failure> {
    if !part.module.triple().starts_with("spir") {
        return Ok(());
    }
    let run = SpirvProperties.run(&part.module).map(|_| ());
    run.map_err(|error| Failure::new(&Properties { reason: error.to_string() }))
}

pub fn mode(name: &str) -> Result<Mode, Failure> {
    Mode::from_name(name).ok_or_else(|| {
        let (value, expected) = (name.to_owned(), Mode::NAMES.to_owned());
        Failure::new(&UnknownValue { what: "split mode", value, expected })
    })
}

/// Writes parts as files `<prefix>_<index>.<extension>`, and the table of these files.
pub struct PartFiles {
    prefix: String,
    /// The extension of files with code.
    extension: &'static str,
    table: FileTable,
}

impl PartFiles {
    pub fn new(prefix: &str, extension: &'static str) -> Result<Self, Failure> {
        let table = FileTable::new([file_table::CODE, file_table::PROPERTIES, file_table::SYMBOLS])
            .map_err(|error| damaged(prefix, error))?;
        Ok(Self { prefix: prefix.to_owned(), extension, table })
    }

    /// Stages the files of the next part. Without `with_symbols`, the list of symbols is not
    /// written.
    pub fn add(
        &mut self,
        part: &Part<'_>,
        code: &[u8],
        with_symbols: bool,
        outputs: &mut Outputs,
    ) -> Result<(), Failure> {
        let stem = format!("{}_{}", self.prefix, self.table.rows().len());
        let names = [self.extension, "prop", "sym"].map(|extension| format!("{stem}.{extension}"));
        outputs.add(&names[0], code)?;
        outputs.add(&names[1], part.manifest.to_properties().to_text().as_bytes())?;
        if with_symbols {
            let symbols: String = part.symbols.iter().map(|symbol| format!("{symbol}\n")).collect();
            outputs.add(&names[2], symbols.as_bytes())?;
        }
        self.table.push(names).map_err(|error| damaged(&self.prefix, error))
    }

    /// Returns the table of all parts.
    pub fn table(self) -> FileTable {
        self.table
    }
}
