//! Simplifies the values of φs before a kernel is widened.
//!
//! Where lanes that diverged meet again, a φ takes each lane's value from its own edge. Widened
//! code must treat the result as arbitrary: an address that depends on it leads to a gather. Two
//! kinds of φs have the same value, or no important one, on all edges.
//!
//! # Equal computations
//!
//! LLVM moves a computation that is partly redundant to the edges where its value is missing. Both
//! sides of a branch then compute the same value. If all incoming values of a φ are equal
//! computations of values that are available at the φ, one computation there replaces it.
//!
//! # Unobserved values
//!
//! ```text
//! for (...) { if (active) { p = q; q += n; a[q] = ...; } barrier(); if (active) b[p] = ...; }
//! ```
//!
//! `p` and `q` keep their old values in work-items that are not active, but those never use them.
//! For each condition `c` that is computed once, outside loops, the pass finds the values that are
//! only observed in blocks behind branches where `c` is true (likewise false): all uses are in such
//! blocks, or are operands of arithmetic or φs with the same property. If control reaches a φ of
//! this kind along an edge behind a branch where `c` is false, nothing will observe the result in
//! this run of the kernel, so poison replaces the incoming value. The edges that remain often carry
//! equal computations.

use super::cfg::{Cfg, Dominators, Loops};
use scythe_llvm::{BasicBlock, Function, Instruction, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// The maximum depth of equal computations.
const DEPTH: u32 = 3;

/// Simplifies the φs of a kernel in LCSSA form. The CFG stays the same, and so does LCSSA form.
pub fn simplify(kernel: Function<'_>) {
    let Some(graph) = Graph::of(kernel) else { return };
    graph.poison_unobserved(kernel);
    while graph.merge(kernel) {}
}

struct Graph<'ctx> {
    blocks: Vec<BasicBlock<'ctx>>,
    index: HashMap<BasicBlock<'ctx>, usize>,
    cfg: Cfg,
    dom: Dominators,
    loops: Loops,
}

/// What is known of a condition where control is.
struct Knowledge<'ctx> {
    condition: Value<'ctx>,
    /// The value of the condition in each block, if known.
    blocks: Vec<Option<bool>>,
}

impl<'ctx> Graph<'ctx> {
    /// Returns `None` for functions that are not widened: with unreachable blocks, or cycles that
    /// are no natural loops.
    fn of(kernel: Function<'ctx>) -> Option<Self> {
        let blocks: Vec<_> = kernel.blocks().collect();
        let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let targets = |b: &BasicBlock<'ctx>| {
            let mut targets: Vec<usize> = b.successors().iter().map(|s| index[s]).collect();
            targets.dedup();
            targets
        };
        let cfg = Cfg::new(blocks.iter().map(targets).collect());
        let dom = Dominators::of(&cfg);
        let loops = Loops::of(&cfg, &dom).ok()?;
        let reachable = (1..blocks.len()).all(|b| dom.immediate(b).is_some());
        reachable.then_some(Self { blocks, index, cfg, dom, loops })
    }

    fn block_of(&self, i: Instruction<'ctx>) -> Option<usize> {
        i.block().and_then(|b| self.index.get(&b)).copied()
    }

    /// Whether code in `block` may use the value in LCSSA form, and the value does not change while
    /// control goes from an earlier use to `block`.
    fn is_available(&self, v: Value<'ctx>, block: usize) -> bool {
        let Some(i) = v.as_instruction() else { return true };
        let Some(made) = self.block_of(i) else { return false };
        made != block
            && self.dom.dominates(made, block)
            && self.loops.around(made).all(|l| self.loops.loops[l].contains[block])
    }

    // --- Equal computations ---

    /// Replaces φs whose incoming values are equal. Returns whether there were any.
    fn merge(&self, kernel: Function<'ctx>) -> bool {
        let phis: Vec<_> =
            kernel.instructions().filter(|i| i.opcode() == Opcode::LLVMPHI).collect();
        let mut changed = false;
        for phi in phis {
            let Some(block) = self.block_of(phi) else { continue };
            let poison = phi.ty().poison();
            let mut values: Vec<_> = phi.incoming().into_iter().map(|x| x.0).collect();
            let edges = values.len();
            values.retain(|&v| v != poison);
            if edges < 2 || values.is_empty() || values.contains(&phi.as_value()) {
                continue;
            }
            let values = &values[..];
            if !self.are_equal(values, block, DEPTH) {
                continue;
            }
            let Some(end) = self.blocks[block].first_non_phi() else { continue };
            let merged = self.rebuild(values, block, end);
            phi.as_value().replace_all_uses_with(merged);
            phi.erase();
            changed = true;
        }
        changed
    }

    /// Whether the values are computed by equal operations from values that are available in
    /// `block`.
    fn are_equal(&self, values: &[Value<'ctx>], block: usize, depth: u32) -> bool {
        let first = values[0];
        if values.iter().all(|&v| v == first) && self.is_available(first, block) {
            return true;
        }
        let Some(i) = first.as_instruction().filter(|&i| depth > 0 && is_arithmetic(i)) else {
            return false;
        };
        let same = |v: &Value<'ctx>| {
            v.as_instruction().is_some_and(|other| {
                other.opcode() == i.opcode()
                    && other.ty() == i.ty()
                    && other.operand_count() == i.operand_count()
                    && other.is_disjoint() == i.is_disjoint()
                    && other.gep_source_type() == i.gep_source_type()
                    && other.int_predicate() == i.int_predicate()
            })
        };
        values.iter().all(same)
            && (0..i.operand_count()).all(|n| {
                operands(values, n).is_some_and(|of| {
                    of.iter().all(|o| o.ty() == of[0].ty()) && self.are_equal(&of, block, depth - 1)
                })
            })
    }

    /// Computes the value of equal computations before `at`.
    fn rebuild(&self, values: &[Value<'ctx>], block: usize, at: Instruction<'ctx>) -> Value<'ctx> {
        let first = values[0];
        let same = values.iter().all(|&v| v == first);
        if same && self.is_available(first, block) {
            return first;
        }
        let i = first.as_instruction().expect("equal computations are instructions");
        let operands: Vec<_> = (0..i.operand_count())
            .filter_map(|n| operands(values, n))
            .map(|of| self.rebuild(&of, block, at))
            .collect();
        let builder = first.ty().context().create_builder();
        builder.position_before(at);
        let copy = builder.clone_instruction(i);
        copy.set_debug_loc(None);
        // Every edge either ran one of the computations, or carried poison.
        let agrees = |v: &Value<'ctx>| {
            v.as_instruction().is_some_and(|o| (o.nsw(), o.nuw()) == (i.nsw(), i.nuw()))
        };
        let flags = matches!(
            i.opcode(),
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl
        );
        if !(same || i.is_disjoint() || flags && values.iter().all(agrees)) {
            copy.drop_promises();
        }
        for (n, operand) in operands.into_iter().enumerate() {
            copy.set_operand(n as u32, operand);
        }
        copy.as_value()
    }

    // --- Unobserved values ---

    /// Replaces incoming values that nothing observes by poison.
    fn poison_unobserved(&self, kernel: Function<'ctx>) {
        let mut seen = HashSet::new();
        for b in &self.blocks {
            let Some(condition) = b.terminator().and_then(condition) else { continue };
            // The condition must have one value in each run of the kernel.
            let once = match condition.as_instruction() {
                Some(i) => {
                    self.block_of(i).is_some_and(|made| self.loops.innermost[made].is_none())
                }
                None => condition.is_argument(),
            };
            if !once || !seen.insert(condition) {
                continue;
            }
            let knowledge = self.knowledge(condition);
            for value in [true, false] {
                self.poison_unless(kernel, &knowledge, value);
            }
        }
    }

    fn knowledge(&self, condition: Value<'ctx>) -> Knowledge<'ctx> {
        let mut blocks = vec![None; self.blocks.len()];
        let behind = |s: usize, from: usize| self.cfg.preds[s] == [from];
        for (from, b) in self.blocks.iter().enumerate() {
            if b.terminator().and_then(self::condition) != Some(condition) {
                continue;
            }
            for (&s, value) in self.cfg.succs[from].iter().zip([true, false]) {
                if behind(s, from) {
                    for inside in (0..blocks.len()).filter(|&x| self.dom.dominates(s, x)) {
                        blocks[inside] = Some(value);
                    }
                }
            }
        }
        Knowledge { condition, blocks }
    }

    /// Returns the value of the condition on an edge, if known.
    fn on_edge(&self, known: &Knowledge<'ctx>, from: BasicBlock<'ctx>, to: usize) -> Option<bool> {
        if from.terminator().and_then(condition) == Some(known.condition) {
            let succs = &self.cfg.succs[self.index[&from]];
            return (succs.len() == 2).then(|| succs[0] == to);
        }
        known.blocks[self.index[&from]]
    }

    /// Poisons the incoming values of φs that are only observed if the condition is `value`, on
    /// edges where it is not.
    fn poison_unless(&self, kernel: Function<'ctx>, known: &Knowledge<'ctx>, value: bool) {
        // Values that nothing observes unless the condition is `value`. All values are assumed to
        // have the property until a use contradicts it.
        let mut hidden: HashSet<Value<'ctx>> = kernel
            .instructions()
            .filter(|&i| i.opcode() == Opcode::LLVMPHI || is_arithmetic(i))
            .map(|i| i.as_value())
            .collect();
        let observed = |hidden: &HashSet<Value<'ctx>>, v: Value<'ctx>| {
            v.users().into_iter().any(|user| {
                let Some(i) = user.as_instruction() else { return true };
                let Some(block) = self.block_of(i) else { return true };
                if hidden.contains(&user) {
                    return false;
                }
                if i.opcode() == Opcode::LLVMPHI {
                    return i
                        .incoming()
                        .into_iter()
                        .filter(|x| x.0 == v)
                        .any(|x| self.on_edge(known, x.1, block) != Some(value));
                }
                known.blocks[block] != Some(value)
            })
        };
        let order: Vec<_> = kernel.instructions().map(|i| i.as_value()).collect();
        loop {
            let gone: Vec<_> = order
                .iter()
                .rev()
                .copied()
                .filter(|v| hidden.contains(v) && observed(&hidden, *v))
                .collect();
            if gone.is_empty() {
                break;
            }
            gone.iter().for_each(|v| {
                hidden.remove(v);
            });
        }
        for v in order.into_iter().filter(|v| hidden.contains(v)) {
            let Some(phi) = v.as_instruction() else { continue };
            let Some(block) = self.block_of(phi) else { continue };
            let poison = v.ty().poison();
            for (n, (old, from)) in phi.incoming().into_iter().enumerate() {
                if old != poison && self.on_edge(known, from, block) == Some(!value) {
                    phi.set_operand(n as u32, poison);
                }
            }
        }
    }
}

/// Returns operand `n` of each of the instructions.
fn operands<'ctx>(values: &[Value<'ctx>], n: u32) -> Option<Vec<Value<'ctx>>> {
    values.iter().map(|v| v.operand(n)).collect()
}

/// Returns the condition of a branch with two targets.
fn condition<'ctx>(end: Instruction<'ctx>) -> Option<Value<'ctx>> {
    let targets = end.successors();
    let branch = end.opcode() == Opcode::LLVMBr && targets.len() == 2 && targets[0] != targets[1];
    end.operand(0).filter(|c| branch && !c.is_constant())
}

/// Whether the instruction only computes, never traps, and gives the same result for the same
/// operands.
fn is_arithmetic(i: Instruction<'_>) -> bool {
    use Opcode::*;
    matches!(
        i.opcode(),
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMTrunc
            | LLVMSExt
            | LLVMZExt
            | LLVMGetElementPtr
            | LLVMAddrSpaceCast
            | LLVMICmp
    )
}
