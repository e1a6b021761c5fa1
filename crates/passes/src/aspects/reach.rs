//! Propagates one aspect up a call graph and records the calls.
//!
//! A function uses an aspect if it does so itself, or if it calls a function that uses or declares
//! it. The search starts at all sources of the aspect at once and goes from callees to callers. It
//! visits each function once per aspect that the function uses, needs no special case for cycles,
//! and records for each function the first call of a shortest path to a source.

/// The reason why a function uses the aspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The function does not use the aspect.
    Unused,
    /// The function uses the aspect itself.
    Itself,
    /// The function calls this function, which uses or declares the aspect.
    Calls(u32),
}

/// The callers of each function, stored in one array.
pub struct Callers {
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Callers {
    /// Builds the lists from pairs of a caller and a callee among `count` functions. Callees beyond
    /// `count` are ignored.
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

/// The functions that use one aspect, with their paths through the call graph.
pub struct Reach {
    steps: Vec<Step>,
    declared: Vec<bool>,
}

impl Reach {
    /// Starts the search at `users`, which use the aspect themselves, and `declarers`, which
    /// declare it. Numbers beyond the graph are ignored.
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
                    // A function that declares the aspect is already in the queue.
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

    /// Returns the functions that use the aspect, in order.
    pub fn members(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.steps.len() as u32).filter(|&function| self.uses(function))
    }

    fn step(&self, function: u32) -> Step {
        self.steps.get(function as usize).copied().unwrap_or(Step::Unused)
    }

    /// Returns a shortest chain of calls from a function to a source of the aspect, both included.
    /// The chain is empty if the function does not use the aspect. The last function uses the
    /// aspect itself or, if the chain has a call, declares it.
    pub fn chain(&self, from: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut at = from;
        loop {
            match self.step(at) {
                // A callee that declares the aspect ends the chain: it need not use the aspect.
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

    /// A graph, with the functions that use and declare the aspect.
    type Graph = (usize, Vec<(u32, u32)>, Vec<u32>, Vec<u32>);

    fn graph() -> impl Strategy<Value = Graph> {
        (1usize..24).prop_flat_map(|n| {
            let node = 0..n as u32;
            let calls = proptest::collection::vec((node.clone(), node.clone()), 0..3 * n);
            let some = || proptest::collection::vec(node.clone(), 0..4);
            (Just(n), calls, some(), some())
        })
    }

    /// Computes the users by definition: a function uses the aspect if a chain of zero or more
    /// calls leads to a user, or a chain of one or more calls leads to a declarer.
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
        #![proptest_config(ProptestConfig::with_cases(10_000))]

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
