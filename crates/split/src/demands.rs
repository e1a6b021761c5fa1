//! Computes the device requirements of each entry point in the linked program: of all code that it
//! reaches, in any translation unit.
//!
//! Inside a unit, the requirements of a caller include those of its callees. This module propagates
//! each aspect, sub-group size and import from the functions that have it to all their callers,
//! over the linked module. A branch of `if_device_has` adds its condition to a requirement
//! ([`scythe_abi::condition`]). If several paths lead to one requirement, conditions that other
//! conditions cover are dropped.
//!
//! Entry points with equal requirements share an image, so the requirements of an image are those
//! of each of its entry points, or features that all devices of its target have. The algorithm is
//! linear: for each aspect, size and import, it visits each function that reaches it once.

use crate::Granted;
use crate::external::Facts;
use crate::group::EntryPoint;
use scythe_abi::condition::Condition;
use scythe_llvm::GlobalGraph;
use scythe_passes::aspects::reach::Callers;
use scythe_passes::aspects::requirements::Requirements;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The device requirements of an entry point or an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Demands {
    /// The requirements for every device.
    pub always: Requirements,
    /// The symbols of other images that the code calls on every device, by number in the module's
    /// graph.
    pub imports: BTreeSet<u32>,
    /// The requirements for devices that meet a condition.
    pub sometimes: BTreeMap<Condition, Sometimes>,
}

/// The requirements for some devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sometimes {
    pub aspects: BTreeSet<u32>,
    pub sub_group_sizes: BTreeSet<u32>,
    pub imports: BTreeSet<u32>,
}

impl Demands {
    /// Returns a key that is equal for entry points that may share an image, and different for
    /// others. Fixed targets replace all other requirements of an image. Features that all devices
    /// have count for nothing.
    pub fn share_key(&self, granted: &Granted) -> Self {
        if self.always.fixed_targets.is_some() {
            return Self { always: self.always.share_key(), ..Self::default() };
        }
        let mut key = self.clone();
        key.always.aspects.retain(|aspect| !granted.aspects.contains(aspect));
        key.always.sub_group_sizes.retain(|size| !granted.sub_group_sizes.contains(size));
        for more in key.sometimes.values_mut() {
            more.aspects.retain(|aspect| !granted.aspects.contains(aspect));
            more.sub_group_sizes.retain(|size| !granted.sub_group_sizes.contains(size));
        }
        key.sometimes.retain(|_, more| *more != Sometimes::default());
        key
    }

    /// Returns the union of these requirements.
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Self> + Clone) -> Self {
        let mut sum = Self {
            always: Requirements::together(all.clone().into_iter().map(|d| &d.always)),
            ..Self::default()
        };
        for one in all {
            sum.imports.extend(&one.imports);
            for (condition, more) in &one.sometimes {
                let known = sum.sometimes.entry(condition.clone()).or_default();
                known.aspects.extend(&more.aspects);
                known.sub_group_sizes.extend(&more.sub_group_sizes);
                known.imports.extend(&more.imports);
            }
        }
        sum
    }
}

/// One requirement of functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Demand {
    Aspect(u32),
    SubGroupSize(u32),
    Import(u32),
}

/// Returns the requirements of each entry point, in order. `imports` are the globals of the graph
/// that other images define.
pub fn of(
    graph: &GlobalGraph<'_>,
    facts: &Facts,
    imports: &HashSet<u32>,
    entries: &[EntryPoint<'_>],
) -> Vec<Demands> {
    let calls = (0..graph.len() as u32)
        .flat_map(|user| graph.needs(user).iter().map(move |&used| (user, used)));
    let callers = Callers::new(graph.len(), calls);
    let number = |entry: &EntryPoint<'_>| graph.number(entry.function.as_value());
    let places: Vec<Option<u32>> = entries.iter().map(number).collect();
    let mut all: Vec<Demands> = entries
        .iter()
        .map(|entry| Demands { always: entry.requirements.clone(), ..Demands::default() })
        .collect();
    let mut walk = Walk {
        callers: &callers,
        facts,
        round: 0,
        always: vec![0; graph.len()],
        sometimes: HashMap::new(),
    };
    for (demand, sources) in sources(facts, imports) {
        walk.run(&sources);
        for (demands, place) in all.iter_mut().zip(&places) {
            let Some(place) = *place else { continue };
            if walk.is_always(place) {
                demands.add_always(demand);
            } else {
                let conditions = walk.sometimes.get(&place).into_iter().flatten();
                conditions.for_each(|condition| demands.add_sometimes(condition, demand));
            }
        }
    }
    all
}

impl Demands {
    fn add_always(&mut self, demand: Demand) {
        match demand {
            Demand::Aspect(aspect) => self.always.aspects.insert(aspect),
            Demand::SubGroupSize(size) => self.always.sub_group_sizes.insert(size),
            Demand::Import(symbol) => self.imports.insert(symbol),
        };
    }

    fn add_sometimes(&mut self, condition: &Condition, demand: Demand) {
        let demands = self.sometimes.entry(condition.clone()).or_default();
        match demand {
            Demand::Aspect(aspect) => demands.aspects.insert(aspect),
            Demand::SubGroupSize(size) => demands.sub_group_sizes.insert(size),
            Demand::Import(symbol) => demands.imports.insert(symbol),
        };
    }
}

/// Returns each requirement with the globals that have it themselves.
fn sources(facts: &Facts, imports: &HashSet<u32>) -> BTreeMap<Demand, Vec<u32>> {
    let mut sources: BTreeMap<Demand, Vec<u32>> =
        imports.iter().map(|&symbol| (Demand::Import(symbol), vec![symbol])).collect();
    for (number, fact) in facts.all() {
        let aspects = fact.aspects.iter().map(|&aspect| Demand::Aspect(aspect));
        let sizes = fact.sub_group_sizes.keys().map(|&size| Demand::SubGroupSize(size));
        aspects.chain(sizes).for_each(|demand| sources.entry(demand).or_default().push(number));
    }
    sources
}

/// The largest number of conditions that a global has for one requirement. More conditions are
/// replaced by their common part, which holds on more devices. A deeply nested branch then counts
/// as taken on more devices than it is.
const MOST_CONDITIONS: usize = 64;

/// Propagates one requirement from the globals that have it to all globals that reach them.
struct Walk<'a> {
    callers: &'a Callers,
    facts: &'a Facts,
    round: u32,
    /// The last round in which a global had the requirement on every device.
    always: Vec<u32>,
    /// The conditions under which other globals have the requirement in this round. No condition
    /// covers another.
    sometimes: HashMap<u32, Vec<Condition>>,
}

impl Walk<'_> {
    fn is_always(&self, global: u32) -> bool {
        self.always[global as usize] == self.round
    }

    fn run(&mut self, sources: &[u32]) {
        self.round += 1;
        self.sometimes.clear();
        let mut branches = Vec::new();
        let mut work = Vec::new();
        for &source in sources {
            if !self.is_always(source) {
                self.always[source as usize] = self.round;
                work.push(source);
            }
        }
        while let Some(callee) = work.pop() {
            if let Some(condition) = self.facts.condition(callee) {
                branches.push((callee, condition.clone()));
                continue;
            }
            for &caller in self.callers.of(callee) {
                if !self.is_always(caller) {
                    self.always[caller as usize] = self.round;
                    work.push(caller);
                }
            }
        }
        // A function that has the requirement on every device is not visited again.
        while let Some((callee, condition)) = branches.pop() {
            for &caller in self.callers.of(callee) {
                let Some(added) = self.add(caller, &condition) else { continue };
                let passed_on =
                    self.facts.condition(caller).map_or(Some(added.clone()), |own| added.and(own));
                branches.extend(passed_on.map(|condition| (caller, condition)));
            }
        }
    }

    /// Adds a condition under which a global has the requirement, and returns the condition.
    /// Returns `None` if the global already has it.
    fn add(&mut self, global: u32, condition: &Condition) -> Option<Condition> {
        if self.is_always(global) {
            return None;
        }
        let known = self.sometimes.entry(global).or_default();
        if known.iter().any(|known| known.covers(condition)) {
            return None;
        }
        let mut added = condition.clone();
        if known.len() >= MOST_CONDITIONS {
            added = known.iter().fold(added, |common, known| common.common(known));
        }
        known.retain(|known| !added.covers(known));
        known.push(added.clone());
        known.sort_unstable();
        Some(added)
    }
}
