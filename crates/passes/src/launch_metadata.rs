//! Reads and writes the named metadata that holds launch rows. Only this module knows its form,
//! which `scythe_abi::launch` describes. The front end writes the metadata, and `split` turns it
//! into a property set.

use crate::Error;
use scythe_abi::launch::{Argument, FreeFunction, KernelLaunch, Param, ParamKind, Passing, Shape};
use scythe_abi::names::LAUNCH_METADATA;
use scythe_llvm::{ContextRef, Metadata, Module};

/// The number of operands before those of the first parameter.
const HEAD: usize = 7;
/// The number of operands of one parameter.
const PER_PARAM: usize = 4;

/// The reason why a row cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    #[error(
        "the node has {count} operands, expected {HEAD} and {PER_PARAM} more for each parameter"
    )]
    Operands { count: usize },
    #[error("kernel '{kernel}': the description of its function is wrong")]
    Function { kernel: String },
    #[error("operand {operand} ({what}) is not a string")]
    NotText { operand: usize, what: &'static str },
    #[error("operand {operand} ({what}) is not an integer")]
    NotNumber { operand: usize, what: &'static str },
    #[error("operand {operand} ({what}) is {seen}, which does not fit in 32 bits")]
    TooLarge { operand: usize, what: &'static str, seen: u64 },
    #[error("kernel '{kernel}': unknown {what} {seen}")]
    Unknown { kernel: String, what: &'static str, seen: u32 },
}

/// Reads all rows, in the module's order, without duplicates. Linking concatenates the rows of its
/// inputs. A kernel that two translation units share appears once. Different kernels with the same
/// symbol stay separate, so that the caller of the linker can report them.
pub fn read(module: &Module<'_>) -> Result<Vec<(String, KernelLaunch)>, Error> {
    let mut seen = std::collections::HashSet::new();
    let mut rows = Vec::new();
    for (node, metadata) in module.named_metadata(LAUNCH_METADATA).into_iter().enumerate() {
        let row = decode(metadata).map_err(|fault| Error::LaunchMetadata { node, fault })?;
        if seen.insert(row.clone()) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Replaces all rows.
pub fn write(module: &Module<'_>, rows: &[(String, KernelLaunch)]) {
    let context = module.context();
    let nodes: Vec<_> =
        rows.iter().map(|(symbol, launch)| encode(context, symbol, launch)).collect();
    module.set_named_metadata(LAUNCH_METADATA, &nodes);
}

/// Adds one row.
pub fn add(module: &Module<'_>, symbol: &str, launch: &KernelLaunch) {
    module.add_named_metadata(LAUNCH_METADATA, encode(module.context(), symbol, launch));
}

/// Returns the symbol of the kernel that a node of the launch metadata describes. It allows callers
/// to select nodes without reading them in full.
pub fn symbol(node: Metadata<'_>) -> Option<String> {
    node.operand(0)?.string()
}

fn encode<'ctx>(context: ContextRef<'ctx>, symbol: &str, launch: &KernelLaunch) -> Metadata<'ctx> {
    let mut operands = vec![
        context.md_string(symbol),
        context.md_int(32, launch.shape as u64),
        context.md_int(64, launch.functor_size),
        context.md_string(&launch.file),
        context.md_int(32, launch.line.into()),
        context.md_int(32, launch.column.into()),
        context.md_int(64, launch.identity),
    ];
    for param in &launch.params {
        operands.push(context.md_int(32, param.kind as u64));
        operands.push(context.md_int(64, param.size));
        operands.push(context.md_int(64, param.offset));
        operands.push(context.md_int(32, param.passing.to_u32().into()));
    }
    operands.extend(launch.function.as_ref().map(|function| encode_function(context, function)));
    context.md_node(&operands)
}

fn encode_function<'ctx>(context: ContextRef<'ctx>, function: &FreeFunction) -> Metadata<'ctx> {
    let registered: Vec<_> =
        function.registered.iter().map(|name| context.md_string(name)).collect();
    let mut operands = vec![
        context.md_string(&function.symbol),
        context.md_string(&function.name),
        context.md_int(32, function.dimensions.into()),
        context.md_node(&registered),
    ];
    for argument in &function.arguments {
        operands.push(context.md_int(64, argument.offset));
        operands.push(context.md_int(64, argument.size));
    }
    context.md_node(&operands)
}

fn decode_function(node: Metadata<'_>) -> Option<FreeFunction> {
    let number = |i: usize| node.operand(i)?.int();
    let names = node.operand(3)?;
    let registered = (0..names.operand_count()).map(|i| names.operand(i)?.string());
    let rest = node.operand_count().checked_sub(4).filter(|rest| rest.is_multiple_of(2))?;
    let argument =
        |i: usize| Some(Argument { offset: number(4 + 2 * i)?, size: number(5 + 2 * i)? });
    Some(FreeFunction {
        symbol: node.operand(0)?.string()?,
        name: node.operand(1)?.string()?,
        dimensions: u32::try_from(number(2)?).ok()?,
        registered: registered.collect::<Option<_>>()?,
        arguments: (0..rest / 2).map(argument).collect::<Option<_>>()?,
    })
}

fn decode(node: Metadata<'_>) -> Result<(String, KernelLaunch), RowError> {
    let all = node.operand_count();
    // The function of a free function kernel is one more operand, at the end.
    let function = (all > HEAD && (all - HEAD) % PER_PARAM == 1).then(|| node.operand(all - 1));
    let count = all - usize::from(function.is_some());
    if count < HEAD || !(count - HEAD).is_multiple_of(PER_PARAM) {
        return Err(RowError::Operands { count: all });
    }
    let text = |i: usize, what: &'static str| {
        let seen = node.operand(i).and_then(Metadata::string);
        seen.ok_or(RowError::NotText { operand: i, what })
    };
    let number = |i: usize, what: &'static str| {
        let seen = node.operand(i).and_then(Metadata::int);
        seen.ok_or(RowError::NotNumber { operand: i, what })
    };
    let number32 = |i: usize, what: &'static str| {
        let seen = number(i, what)?;
        u32::try_from(seen).map_err(|_| RowError::TooLarge { operand: i, what, seen })
    };
    let symbol = text(0, "symbol")?;
    let shape = number32(1, "shape")?;
    let unknown = |what, seen| RowError::Unknown { kernel: symbol.clone(), what, seen };
    let shape = Shape::from_u32(shape).ok_or_else(|| unknown("shape", shape))?;
    let mut params = Vec::with_capacity((count - HEAD) / PER_PARAM);
    for i in (HEAD..count).step_by(PER_PARAM) {
        let kind = number32(i, "parameter kind")?;
        let kind = ParamKind::from_u32(kind).ok_or_else(|| unknown("parameter kind", kind))?;
        let passing = number32(i + 3, "parameter passing")?;
        let passing =
            Passing::from_u32(passing).ok_or_else(|| unknown("parameter passing", passing))?;
        let (size, offset) = (number(i + 1, "parameter size")?, number(i + 2, "parameter offset")?);
        params.push(Param { kind, size, offset, passing });
    }
    let function = function
        .map(|found| {
            let decoded = found.and_then(decode_function);
            decoded.ok_or_else(|| RowError::Function { kernel: symbol.clone() })
        })
        .transpose()?;
    let launch = KernelLaunch {
        shape,
        functor_size: number(2, "functor size")?,
        file: text(3, "file")?,
        line: number32(4, "line")?,
        column: number32(5, "column")?,
        identity: number(6, "identity")?,
        params,
        function,
    };
    Ok((symbol, launch))
}
