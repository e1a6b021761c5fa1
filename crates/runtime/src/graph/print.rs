//! Graphs as text in the format DOT.

use std::fmt::Write as _;
use std::fs;

use super::Graph;
use super::body::Content;
use crate::copy::sycl;
use crate::demangle::symbol_name;
use crate::{Result, invalid};

impl Graph {
    /// Writes the graph to a file, whose name must end with `.dot`.
    pub fn print(&self, path: &str, verbose: bool) -> Result<()> {
        let valid = std::path::Path::new(path).extension().is_some_and(|end| end == "dot");
        if !valid {
            return Err(invalid(format!(
                "print_graph: '{path}' does not end with .dot, the only supported format"
            )));
        }
        fs::write(path, self.to_dot(verbose))
            .map_err(|why| invalid(format!("print_graph: cannot write '{path}': {why}")))
    }

    fn to_dot(&self, verbose: bool) -> String {
        let mut text = String::from("digraph dot {\n");
        for (index, (body, before)) in self.snapshot().into_iter().enumerate() {
            let (kind, content, accesses) = body.active();
            let mut label = format!("ID = {index}\\nTYPE = {}", kind.name());
            if let Content::Kernel { kernel, .. } = &*content {
                let _ = write!(label, "\\nNAME = {}", escape(&symbol_name(kernel.symbol())));
            }
            if verbose {
                if let Content::Kernel { kernel, .. } = &*content {
                    let _ = write!(label, "\\nSYMBOL = {}", escape(kernel.symbol()));
                }
                label.push_str(&details(&content));
                for access in &accesses {
                    let _ = write!(
                        label,
                        "\\nBUFFER = {:p} {:?} {:?}",
                        access.buffer.memory_address(),
                        access.buffer.bytes(),
                        access.mode
                    );
                }
            }
            let _ = writeln!(text, "  \"{index}\" [label=\"{label}\"];");
            for one in before {
                let _ = writeln!(text, "  \"{one}\" -> \"{index}\";");
            }
        }
        text.push_str("}\n");
        text
    }
}

/// Returns the ranges, addresses and sizes of a command.
fn details(content: &Content) -> String {
    use scythe_hal::Work;
    match content {
        Content::Kernel { kernel, functor, ranges, .. } => {
            let mut text = format!(
                "\\nRANGE = {:?} LOCAL = {:?} OFFSET = {:?}",
                sycl(ranges.global_size),
                sycl(ranges.local_size),
                sycl(ranges.global_offset)
            );
            for (index, param) in kernel.params().iter().enumerate() {
                let start = param.offset as usize;
                let bytes = functor.as_slice().get(start..start + (param.size as usize).min(8));
                let value: String =
                    bytes.unwrap_or_default().iter().rev().map(|b| format!("{b:02x}")).collect();
                let _ = write!(
                    text,
                    "\\nARG {index} = {:?} of {} bytes, 0x{value}",
                    param.kind, param.size
                );
            }
            text
        }
        Content::Plain(Work::Memcpy { dst, src, size }) => {
            format!("\\nDST = {dst:p} SRC = {src:p} SIZE = {size}")
        }
        Content::Plain(Work::Fill { dst, pattern, count }) => {
            format!("\\nDST = {dst:p} PATTERN = {pattern:02x?} COUNT = {count}")
        }
        Content::Plain(Work::Hint { ptr, size, .. }) => format!("\\nPTR = {ptr:p} SIZE = {size}"),
        _ => String::new(),
    }
}

fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
