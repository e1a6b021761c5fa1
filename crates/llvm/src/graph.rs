//! Directed graphs on `0..n`, as adjacency lists: reachability and strongly connected components.
//!
//! Both algorithms take time linear in nodes plus edges and use no recursion, so a deep call chain
//! cannot exhaust the stack.

/// Marks the nodes that paths from `starts` reach, including `starts`. Numbers beyond the graph are
/// ignored.
pub fn reachable(edges: &[Vec<usize>], starts: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut work: Vec<usize> = starts.to_vec();
    while let Some(node) = work.pop() {
        if node < seen.len() && !seen[node] {
            seen[node] = true;
            work.extend(edges[node].iter().filter(|&&n| n < seen.len() && !seen[n]));
        }
    }
    seen
}

/// Returns the strongly connected components, callees before callers (Tarjan's order). The members
/// of each component are ascending.
pub fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low) = (vec![NEW; n], vec![0; n]);
    let (mut on_stack, mut stack) = (vec![false; n], Vec::new());
    let (mut counter, mut out) = (0, Vec::new());
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        // Each frame is a node and the number of its processed edges.
        let mut frames = vec![(root, 0)];
        while let Some(&mut (node, ref mut done)) = frames.last_mut() {
            if *done == 0 && index[node] == NEW {
                (index[node], low[node]) = (counter, counter);
                counter += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&next) = edges[node].get(*done) {
                *done += 1;
                if next >= n {
                    continue;
                }
                if index[next] == NEW {
                    frames.push((next, 0));
                } else if on_stack[next] {
                    low[node] = low[node].min(index[next]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|&m| m == node).unwrap_or(0);
                let mut component = stack.split_off(start);
                component.iter().for_each(|&m| on_stack[m] = false);
                component.sort_unstable();
                out.push(component);
            }
        }
    }
    out
}
