//! Work-item and sub-group queries: calls to `__spirv_BuiltIn<Query>`, by their mangled names.

/// What a call asks for. The first seven take a dimension.
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

    fn takes_dimension(self) -> bool {
        !matches!(
            self,
            Self::SubgroupSize
                | Self::SubgroupMaxSize
                | Self::NumSubgroups
                | Self::SubgroupId
                | Self::SubgroupLocalInvocationId
        )
    }

    /// The mangled name of the query's function.
    pub fn symbol(self) -> String {
        let name = format!("__spirv_BuiltIn{self:?}");
        format!("_Z{}{name}{}", name.len(), if self.takes_dimension() { 'i' } else { 'v' })
    }

    /// Differs between the work-items of a work-group, by position.
    pub fn is_position(self) -> bool {
        matches!(self, Self::GlobalInvocationId | Self::LocalInvocationId)
    }

    /// Differs between the sub-groups of a work-group.
    pub fn varies_by_item(self) -> bool {
        self.is_position() || matches!(self, Self::SubgroupId | Self::SubgroupSize | Self::SubgroupLocalInvocationId)
    }
}

/// The query that a function with this name answers.
pub fn parse(name: &str) -> Option<Query> {
    let rest = name.strip_prefix("_Z")?;
    if !rest.contains("__spirv_BuiltIn") {
        return None;
    }
    Query::ALL.into_iter().find(|q| q.symbol() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mangled_as_clang_does() {
        assert_eq!(Query::GlobalInvocationId.symbol(), "_Z33__spirv_BuiltInGlobalInvocationIdi");
        assert_eq!(parse("_Z33__spirv_BuiltInGlobalInvocationIdi"), Some(Query::GlobalInvocationId));
        assert_eq!(parse("_Z25__spirv_BuiltInSubgroupIdv"), Some(Query::SubgroupId));
        assert_eq!(parse("_Z25__spirv_BuiltInSubgroupIdi"), None);
    }
}
