//! Rejects device code that the CPU device cannot run: recursion through work-item queries, and
//! global constructors.

use super::error::CpuError;
use scythe_llvm::{Function, Module};
use std::collections::HashSet;

/// Fails if one of `functions` can call itself, directly or through other functions of the slice.
pub fn recursion<'ctx>(functions: &[Function<'ctx>]) -> Result<(), CpuError> {
    let members: HashSet<_> = functions.iter().copied().collect();
    let mut done = HashSet::new();
    for &root in functions {
        // A depth-first search. Each entry of the path holds a function and its calls that are not
        // yet visited.
        let mut path = vec![(root, callees(root))];
        let mut on_path = HashSet::from([root]);
        if done.contains(&root) {
            continue;
        }
        while let Some((function, rest)) = path.last_mut() {
            let function = *function;
            match rest.pop() {
                Some(next) if on_path.contains(&next) => {
                    return Err(CpuError::RecursiveQuery { function: next.name() });
                }
                Some(next) if members.contains(&next) && !done.contains(&next) => {
                    on_path.insert(next);
                    path.push((next, callees(next)));
                }
                Some(_) => {}
                None => {
                    done.insert(function);
                    on_path.remove(&function);
                    path.pop();
                }
            }
        }
    }
    Ok(())
}

/// Fails if the module has global constructors: the CPU device does not run code before the first
/// kernel.
pub fn globals(module: &Module<'_>) -> Result<(), CpuError> {
    for variable in module.globals() {
        if variable.name() == "llvm.global_ctors" {
            let count = variable.value_type().element_count().unwrap_or(0);
            if count > 0 {
                return Err(CpuError::Constructors { count });
            }
        }
    }
    Ok(())
}

fn callees<'ctx>(function: Function<'ctx>) -> Vec<Function<'ctx>> {
    function.instructions().filter_map(|i| i.called_function()).collect()
}
