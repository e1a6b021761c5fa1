//! Device modules as files: reading, linking and writing them, for the tools that work on whole
//! modules.

use crate::files::{self, Outputs, file_error};
use crate::{Failure, unit};
use scythe_image::{FileTable, file_table};
use scythe_llvm::{Context, Module};
use scythe_passes::{Pass, SpirvProperties};
use scythe_split::{Mode, Options, Part, Split};
use std::collections::HashSet;

const BITCODE_MAGICS: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// Reads a module: bitcode, or textual IR. Its name is the file's.
pub fn read<'ctx>(context: &'ctx Context, path: &str) -> Result<Module<'ctx>, Failure> {
    parse(context, path, &files::read(path)?)
}

fn parse<'ctx>(context: &'ctx Context, path: &str, bytes: &[u8]) -> Result<Module<'ctx>, Failure> {
    let parsed = if BITCODE_MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
        context.parse_bitcode(bytes, path)
    } else {
        context.parse_ir(bytes, path)
    };
    let module = parsed.map_err(|error| file_error(path, error))?;
    module.set_name(path);
    unit::qualify(&module, bytes)?;
    Ok(module)
}

/// The same, or `None` for an empty file, which drivers leave of library members that a program
/// does not use.
pub fn read_unless_empty<'ctx>(
    context: &'ctx Context,
    path: &str,
) -> Result<Option<Module<'ctx>>, Failure> {
    let bytes = files::read(path)?;
    if bytes.is_empty() { Ok(None) } else { parse(context, path, &bytes).map(Some) }
}

/// Reads modules to be linked. One that is there twice counts once, and an empty file holds none.
/// Kernels of one name and different code become several.
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
    scythe_split::keep_apart(&modules, &units).map_err(|error| Failure::new(error.to_string()))?;
    Ok(modules)
}

/// Links modules for `target` and splits the result; `None` where there are no modules.
pub fn link_and_split<'ctx>(
    modules: Vec<Module<'ctx>>,
    target: &str,
    options: &Options,
) -> Result<Option<Split<'ctx>>, Failure> {
    // The name is part of the bitcode, so it must not depend on where the inputs are.
    let linked = scythe_split::link(modules, "device", target)?;
    Ok(linked.map(|linked| Split::new(linked, options)).transpose()?)
}

/// Makes IR of a part's compile-time properties that becomes SPIR-V, where the part is for SPIR-V.
pub fn write_properties(part: &Part<'_>) -> Result<(), Failure> {
    if !part.module.triple().starts_with("spir") {
        return Ok(());
    }
    SpirvProperties.run(&part.module).map(|_| ()).map_err(|error| Failure::new(error.to_string()))
}

pub fn mode(name: &str) -> Result<Mode, Failure> {
    Mode::from_name(name).ok_or_else(|| {
        Failure::new(format!("unknown split mode '{name}': expected {}", Mode::NAMES))
    })
}

/// Writes parts as files called `<prefix>_<index>` and their kind, and the table of them.
pub struct PartFiles {
    prefix: String,
    /// Of files with code.
    extension: &'static str,
    table: FileTable,
}

impl PartFiles {
    pub fn new(prefix: &str, extension: &'static str) -> Result<Self, Failure> {
        let table = FileTable::new([file_table::CODE, file_table::PROPERTIES, file_table::SYMBOLS])
            .map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self { prefix: prefix.to_owned(), extension, table })
    }

    /// Stages the files of the next part; without `with_symbols`, its list of symbols is left out.
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
        self.table.push(names).map_err(|error| Failure::new(error.to_string()))
    }

    /// The table of all parts added.
    pub fn table(self) -> FileTable {
        self.table
    }
}
