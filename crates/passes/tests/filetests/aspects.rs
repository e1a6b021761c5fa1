//! `infer-aspects [--fixed-target=NAME[:FACT...]]... FILE`: prints the warnings, `---`, and the IR.
//!
//! A fixed target is a target of `-fsycl-fixed-targets=`. Its facts are `aspects=5,6`,
//! `sub-group-sizes=8,16`, `max-work-group-size=64`, and `others` if it may have other aspects.

use crate::{number, read};
use scythe_llvm::Context;
use scythe_passes::aspects::chain::NoSources;
use scythe_passes::fixed_targets::FixedTarget;
use scythe_passes::{Aspects, Pass};
use std::cell::RefCell;

pub fn run(args: &[String]) -> Result<String, String> {
    let (file, options) =
        args.split_last().ok_or("usage: infer-aspects [--fixed-target=...]... FILE")?;
    let targets = options.iter().map(|option| target(option)).collect::<Result<Vec<_>, _>>()?;
    let (name, text) = read(file)?;
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), &name).map_err(|e| e.to_string())?;
    let warnings = RefCell::new(String::new());
    let report = |warning| warnings.borrow_mut().push_str(&format!("{warning}\n"));
    let pass = Aspects { sources: &NoSources, fixed_targets: &targets, report: &report };
    pass.run(&module).map_err(|e| e.to_string())?;
    module.verify().map_err(|e| e.to_string())?;
    Ok(format!("{}---\n{module}", warnings.take()))
}

fn target(option: &str) -> Result<FixedTarget, String> {
    let text = option
        .strip_prefix("--fixed-target=")
        .ok_or_else(|| format!("unknown option '{option}'"))?;
    let mut facts = text.split(':');
    let mut target =
        FixedTarget { name: facts.next().unwrap_or_default().into(), ..FixedTarget::default() };
    for fact in facts {
        match fact.split_once('=').unwrap_or((fact, "")) {
            ("aspects", list) => {
                target.aspects =
                    list.split(',').map(|n| number(fact, n)).collect::<Result<_, _>>()?
            }
            ("sub-group-sizes", list) => {
                target.sub_group_sizes =
                    list.split(',').map(|n| number(fact, n)).collect::<Result<_, _>>()?
            }
            ("max-work-group-size", size) => target.max_work_group_size = Some(number(fact, size)?),
            ("others", "") => target.may_support_other_aspects = true,
            _ => return Err(format!("unknown fact '{fact}' in '{option}'")),
        }
    }
    Ok(target)
}
