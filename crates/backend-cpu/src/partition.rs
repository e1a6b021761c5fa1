//! Parts of the CPU device. Each part is a device with its own worker threads, one per compute
//! unit. If the whole device has a processor for each thread, each part has its own processors.

use std::path::Path;

use scythe_hal::partition::{Partition, Partitions, domain};

use crate::processors::{list, parse_list};

/// The folder in which Linux describes the machine's memory nodes.
const NODES: &str = "/sys/devices/system/node";

/// Returns the processors of each memory node that are in `own`, without nodes that have none.
pub(crate) fn nodes(own: &[usize]) -> Vec<Vec<usize>> {
    nodes_in(Path::new(NODES), own)
}

fn nodes_in(folder: &Path, own: &[usize]) -> Vec<Vec<usize>> {
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name)).ok().and_then(|text| parse_list(&text))
    };
    // On machines with one node, it is enough to read one file.
    let online = read("online").unwrap_or_default();
    if online.len() < 2 {
        return vec![own.to_vec()];
    }
    let of_node = |node: usize| read(&format!("node{node}/cpulist")).unwrap_or_default();
    let members =
        |node| of_node(node).into_iter().filter(|cpu| own.contains(cpu)).collect::<Vec<_>>();
    online.into_iter().map(members).filter(|members| !members.is_empty()).collect()
}

/// Returns the ways in which a device of `units` threads on these processors can be partitioned.
pub(crate) fn able(units: u32, cpus: Option<&[usize]>) -> Partitions {
    let several = cpus.is_some_and(|cpus| nodes(cpus).len() > 1);
    let domains = if several { 1 << domain::NUMA | 1 << domain::NEXT_PARTITIONABLE } else { 0 };
    let properties = 1 << 1 | 1 << 2 | if several { 1 << 3 } else { 0 };
    Partitions { properties, affinity_domains: domains, max_sub_devices: units }
}

/// Returns the processors of a device with this many threads, if each thread has one.
pub(crate) fn processors_of(units: usize) -> Option<Vec<usize>> {
    Some(list()).filter(|cpus| cpus.len() == units)
}

/// Returns the threads and processors of each part. The caller has checked `how`.
pub(crate) fn parts(
    how: &Partition,
    units: u32,
    cpus: Option<&[usize]>,
) -> Vec<(usize, Option<Vec<usize>>)> {
    let counts: Vec<usize> = match how {
        Partition::Equally(count) => {
            vec![*count as usize; units as usize / (*count as usize).max(1)]
        }
        Partition::ByCounts(counts) => {
            counts.iter().filter(|&&count| count > 0).map(|&count| count as usize).collect()
        }
        Partition::ByAffinityDomain(_) => {
            return nodes(cpus.unwrap_or_default())
                .into_iter()
                .map(|node| (node.len(), Some(node)))
                .collect();
        }
    };
    let mut next = 0;
    let part = |count: usize| {
        let own = cpus.and_then(|cpus| cpus.get(next..next + count)).map(<[usize]>::to_vec);
        next += count;
        (count, own)
    };
    counts.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_processors_of_their_own() {
        let cpus = [3, 5, 7, 9, 11];
        let equal = parts(&Partition::Equally(2), 5, Some(&cpus));
        assert_eq!(equal, [(2, Some(vec![3, 5])), (2, Some(vec![7, 9]))]);
        let counts = parts(&Partition::ByCounts(vec![1, 0, 3]), 5, Some(&cpus));
        assert_eq!(counts, [(1, Some(vec![3])), (3, Some(vec![5, 7, 9]))]);
        assert_eq!(parts(&Partition::Equally(4), 5, None), [(4, None)]);
    }

    #[test]
    fn nodes_are_those_with_processors_of_the_process() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("online", "0\n");
        assert_eq!(nodes_in(root.path(), &[0, 1]), [vec![0, 1]]);
        write("online", "0-2\n");
        write("node0/cpulist", "0-3,8\n");
        write("node1/cpulist", "4-7\n");
        write("node2/cpulist", "\n");
        assert_eq!(nodes_in(root.path(), &[1, 2, 4, 8]), [vec![1, 2, 8], vec![4]]);
        assert_eq!(nodes_in(root.path(), &[5]), [vec![5]]);
        write("online", "nonsense");
        assert_eq!(nodes_in(root.path(), &[5]), [vec![5]]);
    }
}
