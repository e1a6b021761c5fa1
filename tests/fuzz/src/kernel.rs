//! The parts that random kernels of all kinds share: their arguments and launches, the C++ text of
//! these, and the program around the kernels.

use std::path::Path;
use std::time::Duration;

use crate::batch::{Plan, Toolchain};
use crate::reduce::Nested;

/// A kind of random kernels: the code of a kernel, without its launches.
pub trait Kind: Clone + Send + Sync {
    /// The name of the kind on the command line.
    const NAME: &'static str;
    /// How long a program may run without printing: many times what a kernel takes on a busy
    /// machine.
    const SILENCE: Duration;
    /// The optimisation levels of the kernels whose seeds end with the digits 0, 1, …. All other
    /// kernels have `-O2`. The level depends on the seed, so a kernel alone has the level of its
    /// batch.
    const LEVELS: &'static [&'static str];
    /// The C++ text before the kernels, behind the text that all kinds share.
    const PRELUDE: &'static str;
    /// The declaration of the machine `m`, which runs the kernels, in `main`.
    const MACHINE: &'static str;

    fn generate(seed: u64) -> Kernel<Self>;
    /// Appends the class of `kernel`, `kernel_SEED`, and its function `run_SEED` to `text`.
    fn render(kernel: &Kernel<Self>, text: &mut String);
    /// Returns the commands that compile `kernels.cpp` in `folder`, and the runs.
    fn plan(tools: &Toolchain, folder: &Path) -> Plan;
    type Statement: Nested;
    /// The statement lists of the kernel, in the order of the text.
    fn bodies(&self) -> Vec<&Vec<Self::Statement>>;
    fn bodies_mut(&mut self) -> Vec<&mut Vec<Self::Statement>>;
    /// Makes a kernel legal again after its statements changed.
    fn repair(&mut self) {}
}

/// A kernel and its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel<K> {
    pub seed: u64,
    pub dimensions: usize,
    pub code: K,
    /// Kernel arguments that are the same for all work-items.
    pub arguments: [u32; 4],
    /// The sub-group size that the kernel demands.
    pub sub_group: Option<u32>,
    /// All launches have the local size that the kernel requires.
    pub required: bool,
    /// Local sizes, three numbers each, and numbers of work-groups.
    pub launches: Vec<([usize; 3], usize)>,
}

/// Returns the optimisation level of the kernel of `seed`.
pub fn level<K: Kind>(seed: u64) -> &'static str {
    K::LEVELS.get((seed % 10) as usize).unwrap_or(&"-O2")
}

/// Returns one C++ program. It runs its kernels from the number on that its first argument gives,
/// and prints a line for each kernel: its seed, and its result.
pub fn program<K: Kind>(kernels: &[Kernel<K>]) -> String {
    let mut text = include_str!("common.hpp").to_owned() + K::PRELUDE;
    for kernel in kernels {
        K::render(kernel, &mut text);
    }
    text += &format!("\nint main(int argc, char **argv) {{\n  {}\n", K::MACHINE);
    text += "  static void (*const all[])(machine &) = {";
    for kernel in kernels {
        text += &format!("run_{}, ", kernel.seed);
    }
    text += "};\n  for (std::size_t i = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0; \
             i < sizeof(all) / sizeof(*all); ++i)\n    all[i](m);\n}\n";
    text
}

impl<K> Kernel<K> {
    /// Returns the attributes of the kernel's call operator.
    pub fn attributes(&self) -> String {
        let mut text = String::new();
        if let Some(size) = self.sub_group {
            text += &format!("  [[sycl::reqd_sub_group_size({size})]]\n");
        }
        if let Some((local, _)) = self.launches.first().filter(|_| self.required) {
            let extents: Vec<String> =
                local[..self.dimensions].iter().map(usize::to_string).collect();
            text += &format!("  [[sycl::reqd_work_group_size({})]]\n", extents.join(", "));
        }
        text
    }

    /// Returns the function `run_SEED`, which runs all launches. `parameters` are the template
    /// arguments of the machine's function `run`.
    pub fn run_function(&self, parameters: &str) -> String {
        let launches: Vec<String> = self
            .launches
            .iter()
            .map(|([x, y, z], groups)| format!("{{{{{x}, {y}, {z}}}, {groups}}}"))
            .collect();
        let (seed, [a, b, c, d]) = (self.seed, self.arguments);
        format!(
            "void run_{seed}(machine &m) {{ m.run<{parameters}>({seed}, {{{a}u, {b}u, {c}u, \
             {d}u}}, {{{}}}); }}\n",
            launches.join(", ")
        )
    }
}
