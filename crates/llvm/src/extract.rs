//! Taking a part of a module: given functions, and whatever they need.
//!
//! The part is a new module in the same context, with functions and globals in the order of the original, so the same
//! input gives the same bytes. Its size and the time to make it depend on the part, not on the whole (but for one
//! walk over the lists of names that keeps the order).

use crate::module::is_global;
use crate::{CloneScope, Function, Linkage, Metadata, Module, Place, Value, ValueMap};
use std::collections::HashSet;

/// Compile units: only those that cloned functions belong to go along.
const COMPILE_UNITS: &str = "llvm.dbg.cu";

impl<'ctx> Module<'ctx> {
    /// All globals (functions, variables, aliases) that `roots` need, themselves included: through bodies,
    /// initialisers and aliases.
    pub fn dependencies(&self, roots: &[Function<'ctx>]) -> HashSet<Value<'ctx>> {
        let mut needed = HashSet::new();
        let mut seen_constants = HashSet::new();
        let mut work: Vec<Value<'ctx>> = roots.iter().map(|f| f.as_value()).collect();
        while let Some(value) = work.pop() {
            if is_global(value) {
                if !needed.insert(value) {
                    continue;
                }
                if let Some(function) = value.as_function() {
                    work.extend(function.instructions().flat_map(|i| i.operands().collect::<Vec<_>>()));
                    // Personality, prefix and prologue data.
                    work.extend(function.operands());
                }
                work.extend(value.as_global_variable().and_then(|v| v.initializer()));
                work.extend(value.as_global_alias().map(|a| a.aliasee()));
            } else if value.is_constant() && seen_constants.insert(value) {
                work.extend(value.operands());
            }
        }
        needed
    }

    /// A new module with `roots` and what they need. `keep` says, for each node of each named metadata, whether it goes
    /// along; compile units and module flags are cared for.
    pub fn extract(
        &self,
        roots: &[Function<'ctx>],
        name: &str,
        keep: impl Fn(&str, Metadata<'ctx>) -> bool,
    ) -> Module<'ctx> {
        let needed = self.dependencies(roots);
        let part = self.context().create_module(name);
        part.set_source_file(&self.source_file());
        part.set_triple(&self.triple());
        part.set_data_layout(&self.data_layout());

        let mut map = ValueMap::poisoning_missing_globals();
        let mut variables = Vec::new();
        for old in self.globals().filter(|g| needed.contains(&g.as_value())) {
            let new = part.add_global(&old.name(), old.value_type(), old.address_space());
            new.copy_attributes_from(old);
            map.insert(old.as_value(), new.as_value());
            variables.push((old, new));
        }
        let mut functions = Vec::new();
        for old in self.functions().filter(|f| needed.contains(&f.as_value())) {
            let new = part.add_function(&old.name(), old.function_type());
            new.copy_attributes_from(old);
            map.insert(old.as_value(), new.as_value());
            functions.push((old, new));
        }
        // Aliases are few in device code: what they name takes their place.
        for alias in self.aliases().filter(|a| needed.contains(a)) {
            if let Some(new) = map.map_constant(alias.aliasee()) {
                map.insert(*alias, new);
            }
        }
        for (old, new) in variables {
            new.set_linkage(old.linkage());
            let contents = old.initializer().and_then(|init| map.map_constant(init));
            new.set_initializer(contents);
            map.clone_variable_metadata(old, new);
        }
        for (old, new) in functions {
            if old.is_declaration() {
                let weak = old.linkage() == Linkage::LLVMExternalWeakLinkage;
                new.set_linkage(if weak { old.linkage() } else { Linkage::LLVMExternalLinkage });
                // A definition gets those of its parameters with its body.
                for index in 0..old.param_count() as u32 {
                    old.attributes(Place::Param(index))
                        .into_iter()
                        .for_each(|a| new.add_attribute(Place::Param(index), a));
                }
                continue;
            }
            for (from, to) in old.params().into_iter().zip(new.params()) {
                to.set_name(&from.name());
                map.insert(from, to);
            }
            map.clone_function(old, new, CloneScope::WholeModule);
            new.set_linkage(old.linkage());
        }
        for name in self.named_metadata_names() {
            for node in self.named_metadata(&name) {
                let wanted = if name == COMPILE_UNITS { map.has_metadata(node) } else { keep(&name, node) };
                if let (true, Some(new)) = (wanted, wanted.then(|| map.map_metadata(node)).flatten()) {
                    part.add_named_metadata(&name, new);
                }
            }
        }
        part
    }

    /// Deletes, in place, all definitions but those that `roots` need; declarations without uses go too.
    pub fn retain(&self, roots: &[Function<'ctx>]) {
        let needed = self.dependencies(roots);
        let functions: Vec<_> = self.functions().filter(|f| !needed.contains(&f.as_value())).collect();
        let variables: Vec<_> = self.globals().filter(|g| !needed.contains(&g.as_value())).collect();
        self.aliases().filter(|a| !needed.contains(a)).collect::<Vec<_>>().into_iter().for_each(|a| a.erase());
        // Dropped definitions may use each other: break all uses first.
        functions.iter().filter(|f| !f.is_declaration()).for_each(|f| f.delete_body());
        variables.iter().for_each(|v| v.set_initializer(None));
        functions.into_iter().for_each(Function::erase);
        variables.into_iter().for_each(|v| v.erase());
    }
}
