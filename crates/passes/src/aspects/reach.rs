//! How one aspect travels up a call graph, and by which calls.
//!
//! A function uses an aspect when it does so itself, or calls a function that uses or declares it.
//! The search starts at all sources of the aspect at once and goes from callees to callers, so each
//! function is visited once per aspect it uses, cycles need no care, and each function is left with
//! the first call of a shortest way to a source.

/// Why a function uses the aspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It does not.
    Unused,
    /// It uses the aspect itself.
    Itself,
    /// It calls this function, which uses or declares it.
    Calls(u32),
}

/// Who calls each function: all lists in one.
pub struct Callers {
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Callers {
    /// Of pairs of caller and callee among `count` functions; callees beyond are ignored.
    pub fn new(count: usize, calls: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let calls = calls.filter(|(_, callee)| (*callee as usize) < count);
        let mut starts = vec![0; count + 1];
        calls.clone().for_each(|(_, callee)| starts[callee as usize + 1] += 1);
        for callee in 0..count {
            starts[callee + 1] += starts[callee];
        }
        let mut ends = starts.clone();
        let mut lists = vec![0; starts[count] as usize];
        for (caller, callee) in calls {
            let end = &mut ends[callee as usize];
            lists[*end as usize] = caller;
            *end += 1;
        }
        Self { starts, lists }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn of(&self, callee: u32) -> &[u32] {
        &self.lists
            [self.starts[callee as usize] as usize..self.starts[callee as usize + 1] as usize]
    }
}

/// One aspect's ways through a call graph.
pub struct Reach {
    steps: Vec<Step>,
    declared: Vec<bool>,
}

impl Reach {
    /// The functions that use the aspect themselves, and those that declare it. Numbers beyond the
    /// graph are ignored.
    pub fn new(callers: &Callers, users: &[u32], declarers: &[u32]) -> Self {
        let mut steps = vec![Step::Unused; callers.count()];
        let mut declared = vec![false; callers.count()];
        let known = |node: &&u32| (**node as usize) < callers.count();
        users.iter().filter(known).for_each(|&user| steps[user as usize] = Step::Itself);
        declarers.iter().filter(known).for_each(|&declarer| declared[declarer as usize] = true);
        let mut queue: Vec<u32> = users.iter().chain(declarers).filter(known).copied().collect();
        queue.sort_unstable();
        queue.dedup();
        let mut next = 0;
        while let Some(&callee) = queue.get(next) {
            next += 1;
            for &caller in callers.of(callee) {
                if steps[caller as usize] == Step::Unused {
                    steps[caller as usize] = Step::Calls(callee);
                    // A declarer's callers are known already.
                    if !declared[caller as usize] {
                        queue.push(caller);
                    }
                }
            }
        }
        Self { steps, declared }
    }

    pub fn uses(&self, function: u32) -> bool {
        self.step(function) != Step::Unused
    }

    /// Only the functions that use the aspect, in order.
    pub fn members(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.steps.len() as u32).filter(|&function| self.uses(function))
    }

    fn step(&self, function: u32) -> Step {
        self.steps.get(function as usize).copied().unwrap_or(Step::Unused)
    }

    /// A shortest chain of calls from a function to a source of the aspect, both included; empty
    /// where it does not use it. The last one uses the aspect itself, unless it declares it and
    /// something called it.
    pub fn chain(&self, from: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut at = from;
        loop {
            match self.step(at) {
                // What was called because of its declaration need not use the aspect.
                _ if !chain.is_empty() && self.declared[at as usize] => break,
                Step::Unused => return chain,
                Step::Itself => break,
                Step::Calls(callee) => {
                    chain.push(at);
                    at = callee;
                }
            }
        }
        chain.push(at);
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn callers(count: usize, calls: &[(u32, u32)]) -> Callers {
        Callers::new(count, calls.iter().copied())
    }

    #[test]
    fn the_shortest_chain_is_kept() {
        let reach = Reach::new(&callers(4, &[(0, 1), (1, 2), (2, 3), (0, 2)]), &[3], &[]);
        assert_eq!(reach.chain(0), [0, 2, 3]);
        assert_eq!(reach.members().collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn a_declaration_counts_for_callers_only() {
        let reach = Reach::new(&callers(3, &[(0, 1), (1, 2)]), &[], &[1]);
        assert_eq!(reach.members().collect::<Vec<_>>(), [0]);
        assert_eq!(reach.chain(0), [0, 1]);
        assert!(reach.chain(1).is_empty());
    }

    #[test]
    fn a_cycle_of_declarers_ends() {
        let reach = Reach::new(&callers(2, &[(0, 1), (1, 0)]), &[], &[0]);
        assert_eq!(reach.chain(1), [1, 0]);
        assert_eq!(reach.chain(0), [0, 1, 0]);
    }

    /// A graph, and which of its functions use and declare the aspect.
    type Graph = (usize, Vec<(u32, u32)>, Vec<u32>, Vec<u32>);

    fn graph() -> impl Strategy<Value = Graph> {
        (1usize..24).prop_flat_map(|n| {
            let node = 0..n as u32;
            let calls = proptest::collection::vec((node.clone(), node.clone()), 0..3 * n);
            let some = || proptest::collection::vec(node.clone(), 0..4);
            (Just(n), calls, some(), some())
        })
    }

    /// By the definition: a chain of calls of any length to a user, or of one at least to a
    /// declarer.
    fn by_force(count: usize, calls: &[(u32, u32)], users: &[u32], declarers: &[u32]) -> Vec<u32> {
        let mut used: Vec<bool> = (0..count as u32).map(|f| users.contains(&f)).collect();
        loop {
            let before = used.clone();
            for &(caller, callee) in calls {
                used[caller as usize] |= used[callee as usize] || declarers.contains(&callee);
            }
            if used == before {
                return (0..count as u32).filter(|&f| used[f as usize]).collect();
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 10_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn random_graphs_agree_with_brute_force((count, calls, users, declarers) in graph()) {
            let reach = Reach::new(&callers(count, &calls), &users, &declarers);
            let members: Vec<u32> = reach.members().collect();
            prop_assert_eq!(&members, &by_force(count, &calls, &users, &declarers));
            for function in members {
                let chain = reach.chain(function);
                prop_assert_eq!(chain[0], function);
                let last = chain[chain.len() - 1];
                prop_assert!(users.contains(&last) || (chain.len() > 1 && declarers.contains(&last)));
                prop_assert!(chain.windows(2).all(|step| calls.contains(&(step[0], step[1]))), "{:?}", chain);
                prop_assert!(chain.len() <= count + 1);
            }
        }
    }
}
