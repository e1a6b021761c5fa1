//! Checks that all passes over a source lay out the functor of every kernel in the same way. A
//! disagreement is a compile error.
//!
//! A launch copies the functor byte by byte from host code, which the host pass compiled, to device
//! code, which a device pass compiled. Each pass writes the layout of its functors to a file;
//! [`compare`] reads these files. Every device pass must know each kernel that host code launches,
//! and all parts of its functor must have the same names, types, offsets and sizes in each pass.

use std::path::{Path, PathBuf};

use scythe_abi::functor::{self, Functor, Part, PartKind};
use scythe_abi::names::FREE_FUNCTION_PREFIX;
use scythe_diag::Location;

use crate::error::Error;

/// Compares the host pass with each device pass. Returns one error, in clang's format, for each
/// kernel on which the passes disagree.
pub fn compare(host: &Path, device: &[PathBuf]) -> Result<String, Error> {
    let mut host = read(host)?;
    host.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    let mut errors: Vec<String> = Vec::new();
    for file in device {
        let device = read(file)?;
        for launched in &host {
            let Some(difference) = fault(launched, &device) else { continue };
            let Functor { file, line, column, name, .. } = launched;
            let mismatch = Error::LayoutMismatch { kernel: name.clone(), difference };
            let error = mismatch.diagnostic().at(Location::new(file, *line, *column)).render();
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
    }
    Ok(errors.concat())
}

fn read(path: &Path) -> Result<Vec<Functor>, Error> {
    let fail = |source| Error::Read { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(fail)?;
    functor::from_text(&text).ok_or_else(|| fail(std::io::ErrorKind::InvalidData.into()))
}

/// Returns a description of the disagreement about a kernel that host code launches, or `None` if
/// the passes agree.
fn fault(host: &Functor, device: &[Functor]) -> Option<String> {
    let Some(device) = device.iter().find(|functor| functor.symbol == host.symbol) else {
        // Another translation unit may define a free function kernel.
        if host.symbol.starts_with(FREE_FUNCTION_PREFIX) {
            return None;
        }
        return Some(
            "host code launches it, but the device pass does not define it; check whether \
             '__SYCL_DEVICE_ONLY__' or a compiler-specific macro hides it"
                .to_owned(),
        );
    };
    if let Some(difference) = difference(&tree(&device.parts), &tree(&host.parts), &mut Vec::new())
    {
        return Some(difference);
    }
    if (host.size, host.align) != (device.size, device.align) {
        return Some(format!(
            "its functor has size {} and alignment {} in the device pass, but size {} and \
             alignment {} in the host pass",
            device.size, device.align, host.size, host.align
        ));
    }
    // Passes identify lambdas by their numbers. A lambda that only one pass sees shifts the numbers
    // of all later lambdas.
    if host.unnamed && (&host.file, host.line) != (&device.file, device.line) {
        return Some(format!(
            "the device pass finds its lambda at {}:{}, but the host pass finds it at {}:{}; name \
             the kernel, as in parallel_for<class my_kernel>(...)",
            device.file, device.line, host.file, host.line
        ));
    }
    None
}

/// A part of a functor and the parts that it contains.
struct Node<'a> {
    part: &'a Part,
    inside: Vec<Node<'a>>,
}

fn tree(parts: &[Part]) -> Vec<Node<'_>> {
    let Some(depth) = parts.first().map(|part| part.depth) else { return Vec::new() };
    let starts: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].depth == depth).collect();
    let ends = starts.iter().skip(1).copied().chain([parts.len()]);
    let nodes = starts.iter().zip(ends);
    nodes
        .map(|(&start, end)| Node { part: &parts[start], inside: tree(&parts[start + 1..end]) })
        .collect()
}

/// Describes the first difference. A part that only one pass has is reported first, because it
/// explains why other parts have moved.
fn difference<'a>(
    device: &[Node<'a>],
    host: &[Node<'a>],
    around: &mut Vec<&'a Part>,
) -> Option<String> {
    if let Some(extra) = missing(device, host) {
        let what = describe(extra, around);
        return Some(format!(
            "{what} is {} in the device pass, but {} in the host pass",
            place(extra),
            absent(extra)
        ));
    }
    if let Some(extra) = missing(host, device) {
        let what = describe(extra, around);
        return Some(format!(
            "{what} is {} in the host pass, but {} in the device pass",
            place(extra),
            absent(extra)
        ));
    }
    for (number, node) in device.iter().enumerate() {
        // Several parts may share a name, as the elements of a pack do. Such parts are matched by
        // their order.
        let same_name = |other: &&Node| other.part.name == node.part.name;
        let earlier = device[..number].iter().filter(same_name).count();
        let other = host.iter().filter(same_name).nth(earlier)?;
        let (ours, theirs) = (node.part, other.part);
        if (ours.bit_offset, ours.bit_size, &ours.identity)
            != (theirs.bit_offset, theirs.bit_size, &theirs.identity)
        {
            let what = describe(ours, around);
            let (here, there) = (place(ours), place(theirs));
            return Some(match here == there {
                // Different types can have the same spelling, for example two local classes.
                true => format!(
                    "{what} is {here} in both passes, but the name refers to different types"
                ),
                false => {
                    format!("{what} is {here} in the device pass, but {there} in the host pass")
                }
            });
        }
        around.push(ours);
        let inside = difference(&node.inside, &other.inside, around);
        around.pop();
        if inside.is_some() {
            return inside;
        }
    }
    None
}

/// Returns the first part whose name occurs more often in `ours` than in `theirs`.
fn missing<'a>(ours: &[Node<'a>], theirs: &[Node<'a>]) -> Option<&'a Part> {
    let count =
        |nodes: &[Node], name: &str| nodes.iter().filter(|node| node.part.name == name).count();
    let more = |node: &&Node| count(ours, &node.part.name) > count(theirs, &node.part.name);
    ours.iter().find(more).map(|node| node.part)
}

/// Formats a part and the parts around it, as in `member 'x' of captured variable 's'`.
fn describe(part: &Part, around: &[&Part]) -> String {
    let one = |part: &Part| match part.kind {
        PartKind::Capture if part.name == "this" => "captured '*this'".to_owned(),
        PartKind::Capture => format!("captured variable '{}'", part.name),
        PartKind::Member => format!("member '{}'", part.name),
        PartKind::Base => format!("base class '{}'", part.name),
    };
    let outer: String = around.iter().rev().map(|part| format!(" of {}", one(part))).collect();
    one(part) + &outer
}

/// Formats the type, size and offset of a part, as in `an 'int' of 4 bytes at offset 8`.
fn place(part: &Part) -> String {
    let article = if part.type_name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    if !part.bit_offset.is_multiple_of(8) || !part.bit_size.is_multiple_of(8) {
        return format!(
            "{article} '{}' of {} bits at bit {}",
            part.type_name, part.bit_size, part.bit_offset
        );
    }
    format!(
        "{article} '{}' of {} bytes at offset {}",
        part.type_name,
        part.bit_size / 8,
        part.bit_offset / 8
    )
}

fn absent(part: &Part) -> &'static str {
    if part.kind == PartKind::Capture { "not captured" } else { "missing" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(
        depth: u32,
        kind: PartKind,
        name: &str,
        type_name: &str,
        offset: u64,
        size: u64,
    ) -> Part {
        let identity = format!("_ZTS{type_name}");
        let type_name = type_name.to_owned();
        Part {
            depth,
            kind,
            name: name.to_owned(),
            type_name,
            identity,
            bit_offset: offset * 8,
            bit_size: size * 8,
        }
    }

    fn capture(name: &str, type_name: &str, offset: u64, size: u64) -> Part {
        part(0, PartKind::Capture, name, type_name, offset, size)
    }

    fn functor(parts: Vec<Part>) -> Functor {
        let (symbol, name, file) = ("_ZTS1K".to_owned(), "K".to_owned(), "a.cpp".to_owned());
        Functor {
            symbol,
            name,
            file,
            line: 3,
            column: 5,
            unnamed: false,
            size: 16,
            align: 8,
            parts,
        }
    }

    #[track_caller]
    fn says(device: &Functor, host: &Functor, text: &str) {
        let fault = fault(host, std::slice::from_ref(device)).expect("they differ");
        assert!(fault.contains(text), "{fault}");
    }

    #[test]
    fn equal_functors_have_no_fault() {
        let parts = vec![
            capture("s", "S", 0, 8),
            part(1, PartKind::Base, "B", "B", 0, 4),
            part(1, PartKind::Member, "x", "int", 4, 4),
            capture("p", "int *", 8, 8),
        ];
        assert_eq!(fault(&functor(parts.clone()), &[functor(parts)]), None);
    }

    #[test]
    fn what_one_pass_alone_captures_is_named() {
        let device = functor(vec![capture("N", "int", 0, 4), capture("a", "int", 4, 4)]);
        let host = functor(vec![capture("a", "int", 0, 4)]);
        let words = "captured variable 'N' is an 'int' of 4 bytes at offset 0 in the device pass, \
            but not captured in the \
                     host pass";
        says(&device, &host, words);
        says(
            &host,
            &device,
            "'N' is an 'int' of 4 bytes at offset 0 in the host pass, but not captured in the \
             device",
        );
    }

    #[test]
    fn another_order_type_or_place_is_named() {
        let device = functor(vec![capture("a", "int", 0, 4), capture("b", "int", 4, 4)]);
        let host = functor(vec![capture("b", "int", 0, 4), capture("a", "int", 4, 4)]);
        says(
            &device,
            &host,
            "'a' is an 'int' of 4 bytes at offset 0 in the device pass, but an 'int' of 4 bytes at",
        );
        let host = functor(vec![capture("a", "float", 0, 4), capture("b", "int", 4, 4)]);
        says(&device, &host, "but a 'float' of 4 bytes at offset 0 in the host pass");
    }

    #[test]
    fn members_are_named_with_what_is_around_them() {
        let inner = |type_name| {
            functor(vec![capture("s", "S", 0, 8), part(1, PartKind::Member, "x", type_name, 4, 4)])
        };
        says(
            &inner("int"),
            &inner("float"),
            "member 'x' of captured variable 's' is an 'int' of 4 bytes at offset 4",
        );
        let mut bits = inner("int");
        (bits.parts[1].bit_offset, bits.parts[1].bit_size) = (33, 3);
        says(&bits, &inner("int"), "is an 'int' of 3 bits at bit 33 in the device pass");
        says(
            &inner("int"),
            &functor(vec![capture("s", "S", 0, 8)]),
            "but missing in the host pass",
        );
    }

    #[test]
    fn size_alignment_and_position_count() {
        let host = functor(Vec::new());
        says(
            &Functor { size: 24, ..host.clone() },
            &host,
            "size 24 and alignment 8 in the device pass, but size 16",
        );
        says(
            &Functor { align: 16, ..host.clone() },
            &host,
            "size 16 and alignment 16 in the device pass",
        );
        let named = Functor { line: 9, ..host.clone() };
        assert_eq!(fault(&host, &[named]), None);
        let unnamed = Functor { unnamed: true, ..host.clone() };
        says(
            &Functor { line: 9, ..unnamed.clone() },
            &unnamed,
            "the device pass finds its lambda at a.cpp:9, but",
        );
    }

    #[test]
    fn a_kernel_that_the_device_pass_lacks_is_an_error() {
        assert!(
            fault(&functor(Vec::new()), &[])
                .unwrap()
                .contains("the device pass does not define it")
        );
        let free = Functor {
            symbol: FREE_FUNCTION_PREFIX.to_owned() + "XadL_Z1fvEEE",
            ..functor(Vec::new())
        };
        assert_eq!(fault(&free, &[]), None);
    }

    #[test]
    fn parts_of_one_name_are_compared_in_order() {
        let pack = |sizes: [u64; 2]| {
            functor(vec![capture("xs", "A", 0, sizes[0]), capture("xs", "B", 8, sizes[1])])
        };
        assert_eq!(fault(&pack([4, 8]), &[pack([4, 8])]), None);
        says(&pack([4, 8]), &pack([4, 4]), "'xs' is a 'B' of 8 bytes at offset 8");
    }
}
