//! What became of each kernel: the number of lanes, and the reason if there is only one.

use super::widening::divergence::WideningError;
use scythe_llvm::{Function, Module, Opcode, Remark};

/// How a kernel was compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelReport {
    pub kernel: String,
    /// The number of work-items that run side by side in the lanes of vectors.
    pub lanes: u32,
    /// The reason why there is only one lane.
    pub scalar: Option<Scalar>,
    /// The size of the variables in local memory. Local accessors are not part of it.
    pub local_bytes: u64,
}

/// The reason why a kernel runs one work-item at a time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Scalar {
    #[error("a single task has one work-item")]
    SingleTask,
    #[error("the options request the scalar form")]
    Requested,
    #[error("code without optimisation is not vectorised")]
    NotOptimised,
    #[error("the kernel requires sub-groups of one work-item")]
    SubGroups,
    #[error("the kernel requires work-groups of one work-item")]
    WorkGroups,
    #[error("{0}")]
    Widening(WideningError),
    #[error("the vector form would have {vector} instructions, the scalar form has {scalar}")]
    TooLarge { vector: usize, scalar: usize },
    #[error(
        "accesses to distant addresses make the vector form slower \
        (estimate: {vector}, scalar form {scalar})"
    )]
    DistantAccesses { vector: u64, scalar: u64 },
    #[error("an atomic operation cannot be vectorised")]
    Atomic,
    #[error("the call of '{function}' cannot be vectorised")]
    Call { function: String },
    /// LLVM's vectoriser left the loop over work-items as it was, with this remark.
    #[error("{0}")]
    Loop(String),
    #[error("LLVM's vectoriser gives no reason")]
    Unknown,
}

/// LLVM's vectoriser of loops.
pub(in crate::target::cpu) const PASS: &str = "loop-vectorize";

/// Adds to a report what the optimisation of the kernel's entry shows. A report with more than one
/// lane or with a reason is complete already.
pub(in crate::target::cpu) fn complete(
    report: &mut KernelReport,
    module: &Module<'_>,
    entry: Function<'_>,
    remarks: &[Remark],
) {
    if report.lanes == 1 && report.scalar.is_none() {
        report.lanes = vectorised_lanes(module, entry);
        report.scalar = (report.lanes == 1).then(|| match reason(remarks, &entry.name()) {
            Scalar::Loop(text) if text.contains("instruction cannot be vectorized") => {
                obstacle(entry).unwrap_or(Scalar::Loop(text))
            }
            other => other,
        });
    }
}

/// Returns the number of lanes of the loop over work-items that LLVM's vectoriser has compiled, or
/// 1 if it left the loop scalar.
fn vectorised_lanes(module: &Module<'_>, function: Function<'_>) -> u32 {
    let kind = module.context().metadata_kind("llvm.loop");
    let is_vector_loop = |branch: scythe_llvm::Instruction<'_>| {
        let properties = branch.metadata(kind).map(|node| node.operands()).unwrap_or_default();
        properties.into_iter().flatten().filter(|property| property.is_node()).any(|property| {
            let name = property.operand(0).and_then(|name| name.string());
            name.as_deref() == Some("llvm.loop.isvectorized")
        })
    };
    if !function.blocks().filter_map(|block| block.terminator()).any(is_vector_loop) {
        return 1;
    }
    let lanes = function.instructions().filter_map(|i| {
        let ty = i.ty();
        (ty.scalar() != ty).then(|| ty.element_count()).flatten()
    });
    lanes.max().and_then(|lanes| u32::try_from(lanes).ok()).unwrap_or(1)
}

/// Returns an instruction that LLVM's vectoriser cannot vectorise. LLVM's remark does not name it.
fn obstacle(function: Function<'_>) -> Option<Scalar> {
    function.instructions().find_map(|instruction| match instruction.opcode() {
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Some(Scalar::Atomic),
        Opcode::LLVMCall => {
            let callee = instruction.called_function().filter(|callee| !callee.is_intrinsic())?;
            Some(Scalar::Call { function: scythe_llvm::demangle(&callee.name()) })
        }
        _ => None,
    })
}

/// Returns the reason in LLVM's remarks about a function.
fn reason(remarks: &[Remark], function: &str) -> Scalar {
    let of_function = remarks.iter().filter(|remark| remark.function == function);
    let reasons = of_function.filter_map(|remark| {
        // Without more words, the remark only tells that there is another one.
        let reason = remark.message.strip_prefix("loop not vectorized").unwrap_or(&remark.message);
        let reason = reason.trim_start_matches(':').trim();
        (!reason.is_empty()).then(|| reason.to_owned())
    });
    let reasons: Vec<String> = reasons.collect();
    // Interleaving loop iterations matters only to loops that are vectorised.
    let first = reasons.iter().rfind(|reason| !reason.contains("interleav"));
    first.or(reasons.last()).map_or(Scalar::Unknown, |reason| Scalar::Loop(reason.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_remark_with_a_reason_counts() {
        let remark = |function: &str, message: &str| Remark {
            function: function.to_owned(),
            message: message.to_owned(),
        };
        let remarks = [
            remark("f", "loop not vectorized: a call"),
            remark("f", "loop not vectorized"),
            remark("f", "the cost-model indicates that interleaving is not beneficial"),
            remark("g", "the cost-model indicates that vectorization is not beneficial"),
        ];
        assert_eq!(reason(&remarks, "f"), Scalar::Loop("a call".into()));
        let cost = "the cost-model indicates that vectorization is not beneficial";
        assert_eq!(reason(&remarks, "g"), Scalar::Loop(cost.into()));
        assert_eq!(reason(&remarks, "h"), Scalar::Unknown);
    }
}
