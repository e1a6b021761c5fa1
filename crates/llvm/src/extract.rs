//! Splits a module into parts that contain given globals.
//!
//! A part is a new module in the same context. Its globals have the order of the original, so the
//! same input gives the same bytes. The time to create a part and its size depend on the part, not
//! on the whole module. A part shares the metadata of the original unless metadata refers to a
//! global. Nodes live as long as their context, so copies for each part would make memory grow with
//! the number of parts. Therefore a part must be written or dropped while the original lives, and
//! its metadata must not be changed.

use crate::global_graph::{COMPILER_USED, USED};
use crate::{
    CloneScope, Function, GlobalGraph, GlobalVariable, Linkage, Metadata, Module, Value, ValueMap,
    shim,
};
use std::collections::{HashMap, HashSet};

/// The named metadata of compile units. A part gets the compile units of its globals.
const COMPILE_UNITS: &str = "llvm.dbg.cu";

/// A node of a named metadata: the index of the name, the position in the list, and the node.
type NamedNode<'ctx> = (u32, u32, Metadata<'ctx>);

/// A module's globals and named metadata, prepared for the extraction of parts.
pub struct Extractor<'ctx> {
    pub graph: GlobalGraph<'ctx>,
    names: Vec<String>,
    /// The nodes that every part gets.
    common: Vec<NamedNode<'ctx>>,
    /// The nodes that refer to globals, by the first of these globals. A part gets a node if it
    /// contains all of its globals.
    particular: HashMap<u32, Vec<(NamedNode<'ctx>, Vec<u32>)>>,
}

impl<'ctx> Extractor<'ctx> {
    /// Prepares `module`. `keep` selects the named metadata that parts get. Compile units are
    /// handled separately.
    pub fn new(module: &Module<'ctx>, keep: impl Fn(&str) -> bool) -> Self {
        let graph = GlobalGraph::new(module);
        let names: Vec<String> = module
            .named_metadata_names()
            .into_iter()
            .filter(|name| name != COMPILE_UNITS && keep(name))
            .collect();
        let mut extractor = Self { graph, names, common: Vec::new(), particular: HashMap::new() };
        for (index, name) in extractor.names.iter().enumerate() {
            // Each input of a link adds a copy of nodes such as the compiler's version.
            let mut met = HashSet::new();
            for (place, node) in module.named_metadata(name).into_iter().enumerate() {
                if !met.insert(node) {
                    continue;
                }
                let named = (index as u32, place as u32, node);
                let globals: Vec<u32> = node
                    .operands()
                    .into_iter()
                    .filter_map(|operand| {
                        extractor.graph.number(operand?.constant()?.strip_constant_casts())
                    })
                    .collect();
                match globals.first() {
                    None => extractor.common.push(named),
                    Some(first) => {
                        extractor.particular.entry(*first).or_default().push((named, globals))
                    }
                }
            }
        }
        extractor
    }

    /// Creates a new module called `name` with `members` of `module`, the module from which the
    /// extractor was created. The members must be ascending, and include all that each member
    /// needs.
    pub fn part(&self, module: &Module<'ctx>, members: &[u32], name: &str) -> Module<'ctx> {
        let part = module.context().create_module(name);
        part.set_source_file(&module.source_file());
        part.set_triple(&module.triple());
        part.set_data_layout(&module.data_layout());

        let mut copy = Copy {
            part: &part,
            map: ValueMap::poisoning_missing_globals(),
            share: !self.graph.metadata_names_globals(),
        };
        let (mut variables, mut functions, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        for &member in members {
            let global = self.graph.global(member);
            if let Some(old) = global.as_global_variable() {
                // The part builds these lists again: see `keep_used`.
                if !matches!(old.name().as_str(), USED | COMPILER_USED) {
                    variables.push((old, copy.declare_variable(old)));
                }
            } else if let Some(old) = global.as_function() {
                functions.push((old, copy.declare_function(old)));
            } else {
                aliases.push(member);
            }
        }
        self.resolve_aliases(&aliases, &mut copy);
        variables.into_iter().for_each(|(old, new)| copy.define_variable(old, new));
        functions.into_iter().for_each(|(old, new)| copy.define_function(old, new));
        self.add_named_metadata(members, &mut copy);
        self.keep_used(members, &copy);
        part
    }

    /// Replaces aliases by their aliasees. Device code has few aliases.
    fn resolve_aliases(&self, aliases: &[u32], copy: &mut Copy<'_, 'ctx>) {
        let mut work = aliases.to_vec();
        let mut entered = HashSet::new();
        while let Some(alias) = work.pop() {
            let value = self.graph.global(alias);
            let Some(aliasee) = value.as_global_alias().map(|alias| alias.aliasee()) else {
                continue;
            };
            if entered.insert(alias) {
                // An alias of an alias is processed after the other one. LLVM's verifier forbids
                // cycles.
                work.push(alias);
                work.extend(self.graph.needs(alias).iter().filter(|need| !entered.contains(need)));
            } else if let Some(new) = copy.map.map_constant(aliasee) {
                copy.map.insert(value, new);
            }
        }
    }

    fn add_named_metadata(&self, members: &[u32], copy: &mut Copy<'_, 'ctx>) {
        let mut met = HashSet::new();
        for &unit in members.iter().flat_map(|&member| self.graph.units(member)) {
            if met.insert(unit) {
                copy.add_named(COMPILE_UNITS, unit);
            }
        }
        let mut nodes = self.common.clone();
        for &member in members {
            for (node, globals) in self.particular.get(&member).into_iter().flatten() {
                if globals.iter().all(|global| members.binary_search(global).is_ok()) {
                    nodes.push(*node);
                }
            }
        }
        nodes.sort_unstable_by_key(|&(name, place, _)| (name, place));
        for (name, _, node) in nodes {
            copy.add_named(&self.names[name as usize], node);
        }
    }

    /// Keeps the members of the part that the original keeps even though nothing refers to them.
    fn keep_used(&self, members: &[u32], copy: &Copy<'_, 'ctx>) {
        let copies = |listed: &dyn Fn(u32) -> bool| -> Vec<Value<'ctx>> {
            let members = members.iter().filter(|&&member| listed(member));
            members.filter_map(|&member| copy.map.get(self.graph.global(member))).collect()
        };
        copy.part.add_to_used(&copies(&|member| self.graph.is_used(member)));
        copy.part.add_to_compiler_used(&copies(&|member| self.graph.is_compiler_used(member)));
    }
}

/// A part under construction.
struct Copy<'p, 'ctx> {
    part: &'p Module<'ctx>,
    map: ValueMap<'ctx>,
    /// Whether metadata refers to no global, so that the part uses the nodes of the original.
    share: bool,
}

impl<'ctx> Copy<'_, 'ctx> {
    fn declare_variable(&mut self, old: GlobalVariable<'ctx>) -> GlobalVariable<'ctx> {
        let new = self.part.add_global(&old.name(), old.value_type(), old.address_space());
        new.copy_attributes_from(old);
        // LLVM's copy of a variable's attributes does not include constness.
        new.set_constant_global(old.is_constant_global());
        new.set_linkage(old.linkage());
        self.map.insert(old.as_value(), new.as_value());
        new
    }

    fn declare_function(&mut self, old: Function<'ctx>) -> Function<'ctx> {
        let new = self.part.add_function(&old.name(), old.function_type());
        // SAFETY: the functions are live. They have the same parameters, so the attributes of
        // parameters also fit.
        unsafe { shim::scythe_llvm_copy_function_attributes(new.ptr(), old.ptr()) }
        new.set_linkage(match old.linkage() {
            linkage if !old.is_declaration() || linkage == Linkage::LLVMExternalWeakLinkage => {
                linkage
            }
            _ => Linkage::LLVMExternalLinkage,
        });
        self.map.insert(old.as_value(), new.as_value());
        new
    }

    fn define_variable(&mut self, old: GlobalVariable<'ctx>, new: GlobalVariable<'ctx>) {
        let contents = old.initializer().and_then(|contents| self.map.map_constant(contents));
        new.set_initializer(contents);
        if self.share {
            // SAFETY: both variables are live and have the same context.
            unsafe { shim::scythe_llvm_share_global_metadata(new.ptr(), old.ptr()) }
        } else {
            self.map.clone_variable_metadata(old, new);
        }
    }

    fn define_function(&mut self, old: Function<'ctx>, new: Function<'ctx>) {
        if old.is_declaration() {
            return;
        }
        for (from, to) in old.params().into_iter().zip(new.params()) {
            to.set_name(&from.name());
            self.map.insert(from, to);
        }
        if self.share {
            self.map.clone_function_sharing_metadata(old, new);
        } else {
            self.map.clone_function(old, new, CloneScope::WholeModule);
        }
    }

    fn add_named(&mut self, name: &str, node: Metadata<'ctx>) {
        let node = if self.share { Some(node) } else { self.map.map_metadata(node) };
        if let Some(node) = node {
            self.part.add_named_metadata(name, node);
        }
    }
}
