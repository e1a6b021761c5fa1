//! Work-item and sub-group queries: calls to `__spirv_BuiltIn<Query>`, by their mangled names.

use scythe_llvm::{Function, IntPredicate, Module};

/// A work-item or sub-group query. The first seven take a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    GlobalInvocationId,
    GlobalSize,
    GlobalOffset,
    LocalInvocationId,
    WorkgroupSize,
    WorkgroupId,
    NumWorkgroups,
    SubgroupSize,
    SubgroupMaxSize,
    NumSubgroups,
    SubgroupId,
    SubgroupLocalInvocationId,
}

impl Query {
    pub const ALL: [Self; 12] = [
        Self::GlobalInvocationId,
        Self::GlobalSize,
        Self::GlobalOffset,
        Self::LocalInvocationId,
        Self::WorkgroupSize,
        Self::WorkgroupId,
        Self::NumWorkgroups,
        Self::SubgroupSize,
        Self::SubgroupMaxSize,
        Self::NumSubgroups,
        Self::SubgroupId,
        Self::SubgroupLocalInvocationId,
    ];

    /// Whether the query takes a dimension as its argument.
    pub fn takes_dimension(self) -> bool {
        !matches!(
            self,
            Self::SubgroupSize
                | Self::SubgroupMaxSize
                | Self::NumSubgroups
                | Self::SubgroupId
                | Self::SubgroupLocalInvocationId
        )
    }

    /// Returns the mangled name of the query's function.
    pub fn symbol(self) -> String {
        let name = format!("__spirv_BuiltIn{self:?}");
        format!("_Z{}{name}{}", name.len(), if self.takes_dimension() { 'i' } else { 'v' })
    }

    /// Whether the result depends on the position of the work-item in its work-group.
    pub fn is_position(self) -> bool {
        matches!(self, Self::GlobalInvocationId | Self::LocalInvocationId)
    }

    /// Returns the result for dimensions that do not exist: 1 for sizes, 0 for positions.
    pub fn value_beyond_dimensions(self) -> u64 {
        matches!(self, Self::GlobalSize | Self::WorkgroupSize | Self::NumWorkgroups) as u64
    }

    /// Whether the result may differ between the work-items of a work-group.
    pub fn varies_by_item(self) -> bool {
        self.is_position()
            || matches!(
                self,
                Self::SubgroupId | Self::SubgroupSize | Self::SubgroupLocalInvocationId
            )
    }
}

/// Returns the query that the function with this name implements.
pub fn parse(name: &str) -> Option<Query> {
    let rest = name.strip_prefix("_Z")?;
    if !rest.contains("__spirv_BuiltIn") {
        return None;
    }
    Query::ALL.into_iter().find(|q| q.symbol() == name)
}

/// Rewrites the queries of `kernel` into the form that widening expects: the dimension is a
/// constant. A kernel over a plain range has no groups. In it, `WorkgroupId` becomes the index of
/// the work-item, and `LocalInvocationId` becomes 0.
pub fn simplify<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>, has_groups: bool) {
    let context = module.context();
    let (builder, i64) = (context.create_builder(), context.int_type(64));
    let ty = i64.function(&[context.int_type(32)], false);
    let calls: Vec<_> = kernel.instructions().filter(|i| i.called_function().is_some()).collect();
    for call in calls {
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        let Some(query) = parse(&name).filter(|q| q.takes_dimension()) else { continue };
        let Some(dimension) = call.args().first().copied() else { continue };
        builder.position_before(call);
        let ask = |query: Query, d: u64| {
            let function = module.get_or_add_function(&query.symbol(), ty);
            builder.call(function, &[context.const_int(32, d)], "").as_value()
        };
        let answer = |d: u64| match query {
            Query::WorkgroupId if !has_groups => {
                builder.sub(ask(Query::GlobalInvocationId, d), ask(Query::GlobalOffset, d), "")
            }
            Query::LocalInvocationId if !has_groups => i64.const_int(0),
            _ => ask(query, d),
        };
        let new = match dimension.const_int_value() {
            Some(0..=2)
                if has_groups
                    || !matches!(query, Query::WorkgroupId | Query::LocalInvocationId) =>
            {
                continue;
            }
            Some(d) if d < 3 => answer(d),
            known => {
                let mut chosen = i64.const_int(query.value_beyond_dimensions());
                for d in (0..3).filter(|_| known.is_none()) {
                    let this = dimension.ty().const_int(d);
                    let hit = builder.icmp(IntPredicate::LLVMIntEQ, dimension, this, "");
                    chosen = builder.select(hit, answer(d), chosen, "");
                }
                chosen
            }
        };
        call.replace_all_uses_with(new);
        call.erase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mangled_as_clang_does() {
        assert_eq!(Query::GlobalInvocationId.symbol(), "_Z33__spirv_BuiltInGlobalInvocationIdi");
        assert_eq!(
            parse("_Z33__spirv_BuiltInGlobalInvocationIdi"),
            Some(Query::GlobalInvocationId)
        );
        assert_eq!(parse("_Z25__spirv_BuiltInSubgroupIdv"), Some(Query::SubgroupId));
        assert_eq!(parse("_Z25__spirv_BuiltInSubgroupIdi"), None);
    }
}
