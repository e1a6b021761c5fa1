//! What each entry point demands of its device once the program is linked: by all that it reaches,
//! in any translation unit.
//!
//! Callers list what they call uses only inside of a unit. Here each aspect, sub-group size and
//! import travels from the functions that have it to all that call them, over the linked module. A
//! branch of `if_device_has` passes a demand on under its condition ([`scythe_abi::condition`]);
//! where several ways lead to one demand, the conditions that others cover are dropped.
//!
//! Entry points share an image where their demands are the same, so that what an image demands is
//! what each of them does. The work is linear: for each aspect, size and import, one visit of each
//! function that reaches it.

use crate::external::Facts;
use crate::group::EntryPoint;
use scythe_abi::condition::Condition;
use scythe_llvm::GlobalGraph;
use scythe_passes::aspects::reach::Callers;
use scythe_passes::aspects::requirements::Requirements;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What an entry point, or an image, demands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Demands {
    /// Of every device.
    pub always: Requirements,
    /// Symbols that other images define, called on every device; by number in the module's graph.
    pub imports: BTreeSet<u32>,
    /// What is demanded only of devices that meet a condition.
    pub sometimes: BTreeMap<Condition, Sometimes>,
}

/// What is demanded of some devices only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sometimes {
    pub aspects: BTreeSet<u32>,
    pub sub_group_sizes: BTreeSet<u32>,
    pub imports: BTreeSet<u32>,
}

impl Demands {
    /// Equal for entry points that may share an image, and different for others. Who promised fixed
    /// targets has bound all that is in the image to them.
    pub fn share_key(&self) -> Self {
        match &self.always.fixed_targets {
            Some(_) => Self { always: self.always.share_key(), ..Self::default() },
            None => self.clone(),
        }
    }

    /// What all of these demand.
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

/// One thing that functions demand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Demand {
    Aspect(u32),
    SubGroupSize(u32),
    Import(u32),
}

/// The demands of each entry point, in order. `imports` are those of the graph's globals that other
/// images define.
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

/// Each thing that is demanded, and the globals that demand it by themselves.
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

/// How many conditions one global may have for one demand. More are replaced by what they have in
/// common, which holds on more devices: a branch inside of many others is then thought to be taken
/// more often than it is.
const MOST_CONDITIONS: usize = 64;

/// The way of one demand from those that have it to all that reach them.
struct Walk<'a> {
    callers: &'a Callers,
    facts: &'a Facts,
    round: u32,
    /// The last round in which a global demanded something of every device.
    always: Vec<u32>,
    /// In this round, under which conditions others demand it. No condition covers another.
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
        // A function that is known to demand it on every device is not visited again.
        while let Some((callee, condition)) = branches.pop() {
            for &caller in self.callers.of(callee) {
                let Some(added) = self.add(caller, &condition) else { continue };
                let passed_on =
                    self.facts.condition(caller).map_or(Some(added.clone()), |own| added.and(own));
                branches.extend(passed_on.map(|condition| (caller, condition)));
            }
        }
    }

    /// Adds a condition under which a global demands it, and returns it; `None` where that was
    /// known.
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
