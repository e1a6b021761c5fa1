//! Finds and replaces the work-item queries of device code.

use super::matrices;
use super::widening::group::BARRIER;
use super::widening::subgroup::Primitive;
use crate::target::common::address_spaces::is_query;
use crate::target::common::callers;
use crate::target::common::local_variables::LOCAL;
use crate::target::common::queries::{self, Query};
use crate::target::cpu::CpuError;
use scythe_llvm::{Builder, Function, IntPredicate, Module, Place, Value};
use std::collections::HashSet;

/// The results of all queries at one position in the code. Index 0 is the dimension that varies
/// fastest.
#[derive(Clone, Copy, Debug)]
pub struct Position<'ctx> {
    pub global_id: [Value<'ctx>; 3],
    pub global_size: [Value<'ctx>; 3],
    pub global_offset: [Value<'ctx>; 3],
    pub local_id: [Value<'ctx>; 3],
    pub local_size: [Value<'ctx>; 3],
    pub group_id: [Value<'ctx>; 3],
    pub num_groups: [Value<'ctx>; 3],
}

impl<'ctx> Position<'ctx> {
    /// Returns the results of a query in each dimension, or `None` for queries about sub-groups,
    /// which widening resolves.
    pub(super) fn answer(&self, query: Query) -> Option<&[Value<'ctx>; 3]> {
        Some(match query {
            Query::GlobalInvocationId => &self.global_id,
            Query::GlobalSize => &self.global_size,
            Query::GlobalOffset => &self.global_offset,
            Query::LocalInvocationId => &self.local_id,
            Query::WorkgroupSize => &self.local_size,
            Query::WorkgroupId => &self.group_id,
            Query::NumWorkgroups => &self.num_groups,
            _ => return None,
        })
    }
}

/// Returns the query functions that the module declares.
pub fn declared<'ctx>(module: &Module<'ctx>) -> Vec<(Query, Function<'ctx>)> {
    Query::ALL.into_iter().filter_map(|q| Some((q, module.function(&q.symbol())?))).collect()
}

/// Marks queries as pure: they read no memory and always return the same value, so that the
/// optimiser can merge and move them.
pub fn declare_pure(module: &Module<'_>) {
    let context = module.context();
    for (_, function) in declared(module) {
        // `memory` with the value 0 is `memory(none)`.
        for name in ["memory", "nounwind", "willreturn", "speculatable", "nosync", "nofree"] {
            if let Some(attribute) = context.enum_attribute(name, 0) {
                function.add_attribute(Place::Function, attribute);
            }
        }
        function.remove_enum_attribute(Place::Function, "convergent");
    }
}

/// Whether the function with this name is only meaningful as part of a kernel: a query, a barrier,
/// a collective operation of a sub-group, or an operation on matrices.
pub fn belongs_to_kernel(name: &str) -> bool {
    queries::parse(name).is_some()
        || name.contains(BARRIER)
        || Primitive::parse(name).is_some()
        || matrices::is_operation(name)
}

/// Returns all functions that use local variables, and all functions from which a chain of direct
/// calls leads to these functions, to a function that [`belongs_to_kernel`], or to an address space
/// query. The result does not include the queries and other special functions themselves.
pub fn users<'ctx>(module: &Module<'ctx>) -> Vec<Function<'ctx>> {
    let belongs = |name: &str| belongs_to_kernel(name) || is_query(name);
    let special = |f: &Function<'ctx>| f.is_declaration() && belongs(&f.name());
    let local = |f: &Function<'ctx>| !f.is_declaration() && uses_local_variable(*f);
    let mut found: Vec<_> = module.functions().filter(local).collect();
    let callers = callers::of(module.functions().filter(special).chain(found.iter().copied()));
    let known: HashSet<_> = found.iter().copied().collect();
    found.extend(callers.into_iter().filter(|caller| !known.contains(caller)));
    found
}

fn uses_local_variable(function: Function<'_>) -> bool {
    function.instructions().any(|i| {
        i.operands().any(|v| {
            v.is_constant() && v.ty().address_space() == Some(LOCAL) && !v.is_undef_or_poison()
        })
    })
}

/// Replaces every query in `function` by its result. The values of `position` must dominate each of
/// the calls.
pub fn replace<'ctx>(builder: &Builder<'ctx>, function: Function<'ctx>, position: &Position<'ctx>) {
    let calls: Vec<_> = function.instructions().filter(|i| i.is_call()).collect();
    for call in calls {
        let symbol = call.called_function().map(|f| f.name());
        let Some(query) = symbol.and_then(|s| queries::parse(&s)) else { continue };
        let Some(dimension) = call.args().first().copied() else { continue };
        let Some(answers) = position.answer(query) else { continue };
        let beyond = answers[0].ty().const_int(query.value_beyond_dimensions());
        let answer = match dimension.const_int_value() {
            Some(d) => answers.get(d as usize).copied().unwrap_or(beyond),
            None => {
                builder.position_before(call);
                let mut answer = beyond;
                for (d, value) in answers.iter().enumerate() {
                    let this = dimension.ty().const_int(d as u64);
                    let hit = builder.icmp(IntPredicate::LLVMIntEQ, dimension, this, "");
                    answer = builder.select(hit, *value, answer, "");
                }
                answer
            }
        };
        call.replace_all_uses_with(answer);
        call.erase();
    }
}

/// Fails if the module still uses a query.
pub fn check_none_left(module: &Module<'_>) -> Result<(), CpuError> {
    for (_, function) in declared(module) {
        if let Some(user) = function.users().first() {
            let place = user.as_instruction().and_then(|i| i.function());
            let function_name = place.map_or_else(|| "a constant".to_owned(), |f| f.name());
            return Err(CpuError::QueryOutsideKernel {
                query: function.name(),
                function: function_name,
            });
        }
    }
    Ok(())
}
