//! The stack that functions of an object need, for the loader: kernels run on threads of the
//! program, whose stacks may be small.

use scythe_image::cpu_report::Stack;
use scythe_llvm::{Frames, GlobalGraph, Module, Opcode};
use scythe_passes::target::cpu::lowering::items::CONTEXTS_ON_STACK;
use std::collections::{HashMap, HashSet};

/// What a call adds to the frame that LLVM reports: the return address, registers that are saved by
/// pushes, arguments of calls, and the space that an alignment of the frame to 64 bytes needs.
const CALL_BYTES: u64 = 256;

/// The functions of a module and what they refer to, before code generation consumes the module.
pub struct Calls {
    functions: Vec<Function>,
}

struct Function {
    name: String,
    is_defined: bool,
    /// Whether other objects, or the loader, can find the function.
    is_visible: bool,
    /// The size of the variables that are not part of the frame.
    variable_bytes: u64,
    /// The indices of the functions to which the function refers, directly or through constants. It
    /// can call no others.
    needs: Vec<usize>,
}

impl Calls {
    pub fn of(module: &Module<'_>) -> Self {
        let graph = GlobalGraph::new(module);
        let functions: Vec<_> = module.functions().collect();
        let numbers = functions.iter().map(|function| graph.number(function.as_value()));
        let indices: HashMap<u32, usize> =
            numbers.zip(0..).filter_map(|(number, index)| Some((number?, index))).collect();
        let functions = functions.iter().map(|function| {
            let number = graph.number(function.as_value());
            // Constants with addresses of functions count like the functions.
            let mut needs: Vec<usize> = Vec::new();
            let mut open: Vec<u32> = number.into_iter().collect();
            let mut met = HashSet::new();
            while let Some(number) = open.pop() {
                for &need in graph.needs(number).iter().filter(|&&need| met.insert(need)) {
                    match indices.get(&need) {
                        Some(&index) => needs.push(index),
                        None => open.push(need),
                    }
                }
            }
            needs.sort_unstable();
            let variables = function.instructions().filter(|instruction| {
                let count = || instruction.operand(0)?.const_int_value();
                instruction.opcode() == Opcode::LLVMAlloca && count().is_none()
            });
            Function {
                name: function.name(),
                is_defined: !function.is_declaration(),
                is_visible: function.is_externally_visible(),
                variable_bytes: variables.count() as u64 * CONTEXTS_ON_STACK,
                needs,
            }
        });
        Self { functions: functions.collect() }
    }

    /// Returns the stack that each visible function needs, if the functions have these frames.
    pub fn stacks(&self, frames: &Frames) -> Vec<Stack> {
        let own = |function: &Function| {
            let frame = frames.get(&function.name).copied().unwrap_or_default();
            frame.saturating_add(function.variable_bytes).saturating_add(CALL_BYTES)
        };
        let mut chains = Chains {
            own: self.functions.iter().map(own).collect(),
            total: vec![None; self.functions.len()],
        };
        let visible = |f: &&Function| f.is_defined && f.is_visible;
        let functions = self.functions.iter().enumerate().filter(|(_, f)| visible(f));
        functions
            .map(|(index, function)| Stack {
                symbol: function.name.clone(),
                bytes: chains.total(self, index),
                outside: self.outside(index),
            })
            .collect()
    }

    /// Returns the undefined functions that a function reaches.
    fn outside(&self, index: usize) -> Vec<String> {
        let mut met = vec![false; self.functions.len()];
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut met[index], true) {
                open.extend(&self.functions[index].needs);
            }
        }
        let reached = self.functions.iter().zip(met).filter(|(_, met)| *met);
        let undefined = reached.filter(|(f, _)| !f.is_defined && !f.name.starts_with("llvm."));
        undefined.map(|(function, _)| function.name.clone()).collect()
    }
}

/// The stack of the longest chain of calls from each function.
struct Chains {
    own: Vec<u64>,
    total: Vec<Option<u64>>,
}

impl Chains {
    fn total(&mut self, calls: &Calls, index: usize) -> u64 {
        if let Some(known) = self.total[index] {
            return known;
        }
        let function = &calls.functions[index];
        if !function.is_defined {
            return 0;
        }
        // Device code has no recursion. A cycle of references counts once.
        self.total[index] = Some(0);
        let longest = function.needs.iter().map(|&need| self.total(calls, need)).max();
        let total = self.own[index].saturating_add(longest.unwrap_or_default());
        self.total[index] = Some(total);
        total
    }
}
