//! Reading launch rows from the metadata of a device module; the form is written down at `scythe_abi::launch`.

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_abi::names::LAUNCH_METADATA;
use scythe_llvm::{Metadata, Module};

/// Operands before the parameters, and per parameter.
const HEAD: usize = 7;
const PER_PARAM: usize = 3;

/// The rows of all kernels in a module, with each kernel's symbol, in order. The error says which node is damaged.
pub(crate) fn read(module: &Module<'_>) -> Result<Vec<(String, KernelLaunch)>, String> {
    let nodes = module.named_metadata(LAUNCH_METADATA);
    nodes
        .into_iter()
        .enumerate()
        .map(|(index, node)| read_node(node).map_err(|what| format!("node {index} of '!{LAUNCH_METADATA}': {what}")))
        .collect()
}

/// The kernel that a node is about.
pub(crate) fn symbol(node: Metadata<'_>) -> Option<String> {
    node.operand(0)?.string()
}

fn read_node(node: Metadata<'_>) -> Result<(String, KernelLaunch), String> {
    let count = node.operand_count();
    if count < HEAD || !(count - HEAD).is_multiple_of(PER_PARAM) {
        return Err(format!("{count} operands, expected {HEAD} and {PER_PARAM} per parameter"));
    }
    let text = |index: usize, what: &str| {
        node.operand(index)
            .and_then(Metadata::string)
            .ok_or_else(|| format!("operand {index} is no {what}, expected text"))
    };
    let number = |index: usize, what: &str| {
        node.operand(index)
            .and_then(Metadata::int)
            .ok_or_else(|| format!("operand {index} is no {what}, expected a number"))
    };
    let small = |index: usize, what: &str| {
        let value = number(index, what)?;
        u32::try_from(value)
            .map_err(|_| format!("operand {index}, the {what}, is {value}: expected at most 4294967295"))
    };
    let shape = small(1, "shape")?;
    let mut params = Vec::with_capacity((count - HEAD) / PER_PARAM);
    for at in (HEAD..count).step_by(PER_PARAM) {
        let kind = small(at, "parameter kind")?;
        params.push(Param {
            kind: ParamKind::from_u32(kind).ok_or_else(|| format!("operand {at}: unknown parameter kind {kind}"))?,
            size: number(at + 1, "parameter size")?,
            offset: number(at + 2, "parameter offset")?,
        });
    }
    let launch = KernelLaunch {
        shape: Shape::from_u32(shape).ok_or_else(|| format!("operand 1: unknown shape {shape}"))?,
        functor_size: number(2, "functor size")?,
        file: text(3, "file name")?,
        line: small(4, "line")?,
        column: small(5, "column")?,
        identity: number(6, "identity")?,
        params,
    };
    Ok((text(0, "symbol")?, launch))
}
