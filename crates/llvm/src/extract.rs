//! Taking a module apart: parts that hold given globals.
//!
//! A part is a new module in the same context, with its globals in the order of the original, so
//! the same input gives the same bytes. The time to make it and its size depend on the part, not on
//! the whole. A part shares the metadata of the original wherever none names a global, because
//! nodes live as long as their context: a copy for each part would make memory grow with their
//! number. So a part must be written or dropped while the original lives, and its metadata must not
//! be changed.

use crate::global_graph::{COMPILER_USED, USED};
use crate::{
    CloneScope, Function, GlobalGraph, GlobalVariable, Linkage, Metadata, Module, Value, ValueMap,
    shim,
};
use std::collections::{HashMap, HashSet};

/// Compile units: those that a part's globals belong to go along.
const COMPILE_UNITS: &str = "llvm.dbg.cu";

/// A node of a named metadata: which of the names, where in it, and the node.
type NamedNode<'ctx> = (u32, u32, Metadata<'ctx>);

/// A module's globals and named metadata, ready to be taken apart.
pub struct Extractor<'ctx> {
    pub graph: GlobalGraph<'ctx>,
    names: Vec<String>,
    /// Nodes for every part.
    common: Vec<NamedNode<'ctx>>,
    /// Nodes that name globals, under the first of those: for parts that hold them all.
    particular: HashMap<u32, Vec<(NamedNode<'ctx>, Vec<u32>)>>,
}

impl<'ctx> Extractor<'ctx> {
    /// `keep` says which named metadata goes along; compile units are cared for.
    pub fn new(module: &Module<'ctx>, keep: impl Fn(&str) -> bool) -> Self {
        let graph = GlobalGraph::new(module);
        let names: Vec<String> = module
            .named_metadata_names()
            .into_iter()
            .filter(|name| name != COMPILE_UNITS && keep(name))
            .collect();
        let mut extractor = Self { graph, names, common: Vec::new(), particular: HashMap::new() };
        for (index, name) in extractor.names.iter().enumerate() {
            // Each input of a link brought its own copy of nodes such as the compiler's version.
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

    /// A new module called `name` with `members` of `module`, for which this was made: ascending,
    /// and with each all that it needs.
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
                // These lists are made anew: see below.
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

    /// Aliases are few in device code: what they name takes their place.
    fn resolve_aliases(&self, aliases: &[u32], copy: &mut Copy<'_, 'ctx>) {
        let mut work = aliases.to_vec();
        let mut entered = HashSet::new();
        while let Some(alias) = work.pop() {
            let value = self.graph.global(alias);
            let Some(aliasee) = value.as_global_alias().map(|alias| alias.aliasee()) else {
                continue;
            };
            if entered.insert(alias) {
                // An alias of an alias waits for the other; LLVM's verifier allows no circles.
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

    /// What the original keeps although nothing refers to it, the part keeps as well, where it
    /// holds it.
    fn keep_used(&self, members: &[u32], copy: &Copy<'_, 'ctx>) {
        let copies = |listed: &dyn Fn(u32) -> bool| -> Vec<Value<'ctx>> {
            let members = members.iter().filter(|&&member| listed(member));
            members.filter_map(|&member| copy.map.get(self.graph.global(member))).collect()
        };
        copy.part.add_to_used(&copies(&|member| self.graph.is_used(member)));
        copy.part.add_to_compiler_used(&copies(&|member| self.graph.is_compiler_used(member)));
    }
}

/// One part in the making.
struct Copy<'p, 'ctx> {
    part: &'p Module<'ctx>,
    map: ValueMap<'ctx>,
    /// Metadata names no global, and is the original's.
    share: bool,
}

impl<'ctx> Copy<'_, 'ctx> {
    fn declare_variable(&mut self, old: GlobalVariable<'ctx>) -> GlobalVariable<'ctx> {
        let new = self.part.add_global(&old.name(), old.value_type(), old.address_space());
        new.copy_attributes_from(old);
        // LLVM does not count constness among a variable's attributes.
        new.set_constant_global(old.is_constant_global());
        new.set_linkage(old.linkage());
        self.map.insert(old.as_value(), new.as_value());
        new
    }

    fn declare_function(&mut self, old: Function<'ctx>) -> Function<'ctx> {
        let new = self.part.add_function(&old.name(), old.function_type());
        // SAFETY: live functions; their parameters are the same, so that attributes of these fit,
        // too.
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
            // SAFETY: two live variables of one context.
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
